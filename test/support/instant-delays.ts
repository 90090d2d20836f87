import type { CorridorOptions } from 'corridor-sdk';

/** Client options with which delays between attempts take no real time, and timeouts never elapse. */
export class InstantDelays {
  /** The clock of the client, in milliseconds since the epoch: each delay moves it forward. */
  time = Date.parse('2026-03-01T12:00:00Z');
  /** The delays so far, in milliseconds. */
  readonly delays: number[] = [];
  readonly #longest: number;

  /** Delays of at least `longest` milliseconds are treated as timeouts. */
  constructor(longest = 30_000) {
    this.#longest = longest;
  }

  get options(): CorridorOptions {
    return {
      now: () => this.time,
      sleep: async (milliseconds, signal) => {
        if (milliseconds >= this.#longest)
          return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        this.delays.push(milliseconds);
        this.time += milliseconds;
      },
    };
  }
}
