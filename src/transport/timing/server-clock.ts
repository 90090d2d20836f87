const maxOffset = 24 * 60 * 60 * 1000;
// A Date header has whole seconds and network latency: a smaller difference is not significant.
const resolution = 2_000;

/** Tracks the platform's clock by the Date headers of its responses. */
export class ServerClock {
  readonly #now: () => number;
  #offset = 0;
  #isKnown = false;
  // Date headers change once per second, so the last one is cached.
  #last = { text: '', time: Number.NaN };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How far the platform's clock is ahead of the local clock, in milliseconds. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether a response has reported the platform's time. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Returns the platform's time, in milliseconds since the epoch. */
  now(): number {
    return this.#now() + this.#offset;
  }

  /** Updates the offset from a response that has just arrived. Ignores cached responses (`Age`) and absurd dates. */
  update(headers: Headers): void {
    const date = headers.get('date');
    if (date === null || headers.has('age')) return;
    if (date !== this.#last.text) this.#last = { text: date, time: Date.parse(date) };
    const offset = this.#last.time - this.#now();
    if (Number.isNaN(offset) || Math.abs(offset) > maxOffset) return;
    this.#isKnown = true;
    if (Math.abs(offset - this.#offset) >= resolution) this.#offset = Math.abs(offset) < resolution ? 0 : offset;
  }

  /** Returns whether clock skew explains that a token signed with `offset` was rejected. */
  explains(offset: number): boolean {
    return Math.abs(this.#offset - offset) >= resolution;
  }
}
