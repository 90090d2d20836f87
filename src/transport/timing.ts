/** Pauses: resolves after so many milliseconds, or as soon as the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** All that reads a clock or waits. */
export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some point in the past; never goes back. */
  elapsed(): number;
  /** Calls back after so many milliseconds; the answer cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Real time, or the caller's own: with a `wait` of the caller's, durations are measured by `now`, so that time can be virtual. */
export function createTiming(now: () => number, wait: Wait | undefined): Timing {
  if (wait === undefined) {
    return {
      now,
      elapsed: () => performance.now(),
      after(milliseconds, callback) {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
    };
  }
  return {
    now,
    elapsed: now,
    after(milliseconds, callback) {
      const controller = new AbortController();
      const over = (): void => {
        if (!controller.signal.aborted) callback();
      };
      // One that rejects, as that of node:timers/promises does where it is aborted, is over, too: nothing may hang on it.
      wait(milliseconds, controller.signal).then(over, over);
      return () => controller.abort();
    },
  };
}
