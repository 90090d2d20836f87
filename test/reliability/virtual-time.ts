import type { CorridorOptions } from 'corridor-sdk';

/**
 * Time that passes only when someone waits for it: for pauses between attempts. Timeouts and deadlines do not run out
 * by themselves.
 */
export class VirtualTime {
  time = Date.parse('2026-03-01T12:00:00Z');
  readonly pauses: number[] = [];
  readonly #longest: number;

  /** Delays of at least `longest` are treated as timeouts, and never end. */
  constructor(longest = 30_000) {
    this.#longest = longest;
  }

  get options(): CorridorOptions {
    return {
      now: () => this.time,
      sleep: async (milliseconds, signal) => {
        if (milliseconds >= this.#longest)
          return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        this.pauses.push(milliseconds);
        this.time += milliseconds;
      },
    };
  }
}
