const signals = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Aborts on the first signal, so that the command can report its state; a second signal ends the process. Returns a
 * function that returns the number of the received signal, or undefined.
 */
export function abortOnSignal(controller: AbortController): () => number | undefined {
  let received: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      received = signals[name];
      controller.abort(new Error(name));
    });
  }
  return () => received;
}
