import { exitCodes } from './command.js';

const signals = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Runs a command that the first SIGINT or SIGTERM aborts, so that it can report its state; a second one ends the
 * process. If the command then fails, resolves to the exit code that `onInterrupt` returns; `code`, the default, is that
 * of the signal. After the time of `timeout` it is aborted, too, and rejects with the error of `timeout`.
 */
export async function interruptible(
  run: (interrupt: AbortController) => Promise<number>,
  onInterrupt: (code: number, error: unknown) => number | Promise<number> = (code) => code,
  timeout?: { readonly after: number; readonly error: () => Error },
): Promise<number> {
  const interrupt = new AbortController();
  let code: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      code = exitCodes.signal + signals[name];
      interrupt.abort(new Error(name));
    });
  let late: Error | undefined;
  const expire = (): void => {
    late = timeout?.error();
    interrupt.abort(late);
  };
  const timer = timeout === undefined ? undefined : setTimeout(expire, timeout.after);
  try {
    const result = await run(interrupt);
    if (late !== undefined) throw late;
    return result;
  } catch (error) {
    if (late !== undefined) throw late;
    if (code === undefined) throw error;
    return onInterrupt(code, error);
  } finally {
    clearTimeout(timer);
  }
}
