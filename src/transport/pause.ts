import { AbortedError } from '../errors.js';
import type { Timing } from './timing.js';

/** Pauses a workflow between two calls; the caller's signal ends the pause at once. */
export async function pause(timing: Timing, milliseconds: number, signal: AbortSignal | undefined, endpoint: string): Promise<void> {
  let cancel = (): void => {};
  let onAbort = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      onAbort = () => reject(new AbortedError(`${endpoint} was aborted while waiting`, { endpoint, outcome: 'unknown', cause: signal?.reason }));
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort);
      cancel = timing.after(milliseconds, resolve);
    });
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
