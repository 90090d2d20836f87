import { AbortedError } from '../errors.js';
import type { Timing } from './timing.js';

/** Pauses a workflow between two calls; the caller's signal ends the pause at once. */
export async function pause(timing: Timing, milliseconds: number, signal: AbortSignal | undefined, endpoint: string): Promise<void> {
  let cancel = (): void => {};
  const paused = new Promise<void>((resolve) => (cancel = timing.after(milliseconds, resolve)));
  try {
    await unlessAborted(paused, signal, endpoint, 'waiting');
  } finally {
    cancel();
  }
}

/** Waits for work that may never settle: the caller's signal ends the wait at once. */
export async function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined, endpoint: string, during: string): Promise<T> {
  let onAbort = (): void => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      onAbort = () => reject(new AbortedError(`${endpoint} was aborted while ${during}`, { endpoint, outcome: 'unknown', cause: signal?.reason }));
      work.then(resolve, reject);
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort);
    });
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
