const longestOffset = 24 * 60 * 60 * 1000;
// A Date header counts in whole seconds and travels for a while: less than this is no difference.
const resolution = 2_000;

/** The platform's clock, as far as its answers tell of it. */
export class ServerClock {
  readonly #now: () => number;
  #offset = 0;
  // Dates count in seconds: of many answers a second, the first is read and the others are known.
  #last = { text: '', time: Number.NaN };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How far the platform's clock is ahead of ours, in milliseconds. */
  get offset(): number {
    return this.#offset;
  }

  /** The platform's time, in milliseconds since the epoch. */
  now(): number {
    return this.#now() + this.#offset;
  }

  /** Learns from an answer that has just arrived. An answer out of a cache (`Age`) or with an absurd date teaches nothing. */
  learn(headers: Headers): void {
    const date = headers.get('date');
    if (date === null || headers.has('age')) return;
    if (date !== this.#last.text) this.#last = { text: date, time: Date.parse(date) };
    const offset = this.#last.time - this.#now();
    if (Number.isNaN(offset) || Math.abs(offset) > longestOffset) return;
    if (Math.abs(offset - this.#offset) >= resolution) this.#offset = Math.abs(offset) < resolution ? 0 : offset;
  }

  /** Whether a clock that was off explains that a token signed with `offset` was refused. */
  explains(offset: number): boolean {
    return Math.abs(this.#offset - offset) >= resolution;
  }
}
