/**
 * Resolves after a number of milliseconds, or as soon as the signal aborts. `purpose` says whether the client pauses, or
 * limits how long it waits for something.
 */
export type SleepFunction = (milliseconds: number, signal: AbortSignal, purpose: 'delay' | 'timeout') => Promise<void>;

/** The clock and the timers of a client. */
export interface Timing {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Returns milliseconds since a fixed point in the past; never decreases. */
  elapsed(): number;
  /** Calls back after a number of milliseconds; the returned function cancels. */
  after(milliseconds: number, callback: () => void, purpose?: 'delay' | 'timeout'): () => void;
}

/**
 * Creates real timers, or timers based on a custom `sleep`. With the latter, `now` also measures durations, so that
 * time can be virtual.
 */
export function createTiming(now: () => number, sleep: SleepFunction | undefined): Timing {
  if (sleep === undefined) {
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
    after(milliseconds, callback, purpose = 'timeout') {
      const controller = new AbortController();
      const onElapsed = (): void => {
        if (!controller.signal.aborted) callback();
      };
      // A sleep that rejects, as that of node:timers/promises does on abort, has ended too: nothing may hang on it.
      sleep(milliseconds, controller.signal, purpose).then(onElapsed, onElapsed);
      return () => controller.abort();
    },
  };
}
