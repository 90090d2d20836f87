/** A seeded pseudorandom number generator. */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns true with this probability. */
  hits(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns an integer from 0 up to, but not including, the bound. */
  below(bound: number): number {
    return this.next() * bound;
  }

  /** Returns one of several values. */
  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.below(items.length))] as T;
  }
}
