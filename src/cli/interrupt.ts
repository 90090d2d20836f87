import { exitCodes } from './command.js';

const signals = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Runs a command that the first SIGINT or SIGTERM aborts, so that it can report its state; a second one ends the
 * process. If the command then fails, resolves to the exit code that `onInterrupt` returns; `code` is that of the
 * signal.
 */
export async function interruptible(
  run: (interrupt: AbortController) => Promise<number>,
  onInterrupt: (code: number, error: unknown) => number | Promise<number>,
): Promise<number> {
  const interrupt = new AbortController();
  let code: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      code = exitCodes.signal + signals[name];
      interrupt.abort(new Error(name));
    });
  try {
    return await run(interrupt);
  } catch (error) {
    if (code === undefined) throw error;
    return onInterrupt(code, error);
  }
}
