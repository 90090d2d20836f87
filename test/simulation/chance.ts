/** Numbers that look like chance and are the same for the same seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Whether something of this probability comes true. */
  hits(probability: number): boolean {
    return this.next() < probability;
  }

  /** From 0 up to, but not including, the bound. */
  below(bound: number): number {
    return this.next() * bound;
  }

  /** One of several. */
  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.below(items.length))] as T;
  }
}
