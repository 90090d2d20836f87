import { AbortedError } from '../../errors/api.js';
import type { Timing } from './timers.js';

/** Waits between two calls of a workflow; rejects at once if the caller's signal aborts. */
export async function sleep(
  timing: Timing,
  milliseconds: number,
  signal: AbortSignal | undefined,
  endpoint: string,
): Promise<void> {
  let cancel = (): void => {};
  const elapsed = new Promise<void>((resolve) => (cancel = timing.after(milliseconds, resolve, 'delay')));
  try {
    await unlessAborted(elapsed, signal, endpoint, 'waiting');
  } finally {
    cancel();
  }
}

/** Waits for work that may never settle; rejects at once if the caller's signal aborts. */
export async function unlessAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal | undefined,
  endpoint: string,
  during: string,
): Promise<T> {
  let onAbort = (): void => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      onAbort = () =>
        reject(
          new AbortedError(`${endpoint} was aborted while ${during}`, {
            endpoint,
            outcome: 'unknown',
            cause: signal?.reason,
          }),
        );
      work.then(resolve, reject);
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort);
    });
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
