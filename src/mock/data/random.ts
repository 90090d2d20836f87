type Words = [number, number, number, number];

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const digits = '0123456789';
const hexadecimal = '0123456789abcdef';

/** The cyrb128 hash by bryc (github.com/bryc/code): well distributed and fast, but not cryptographic. */
function cyrb128(input: string): Words {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < input.length; index++) {
    const code = input.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [(a ^ b ^ c ^ d) >>> 0, (b ^ a) >>> 0, (c ^ a) >>> 0, (d ^ a) >>> 0];
}

/** Returns a 128-bit hash of a string as 32 hexadecimal digits. Not cryptographic. */
export function fingerprint(input: string): string {
  const codes: number[] = [];
  for (const word of cyrb128(input))
    for (let shift = 28; shift >= 0; shift -= 4) codes.push(hexadecimal.charCodeAt((word >>> shift) & 15));
  return String.fromCharCode(...codes);
}

/**
 * A seeded pseudorandom number generator: sfc32 (Small Fast Counter) by Chris Doty-Humphrey, from the PractRand test
 * suite, with cyrb128 as the seed function.
 */
export class Random {
  readonly #state: Words;

  constructor(seed: string) {
    this.#state = cyrb128(seed);
    // The first outputs after seeding are less random.
    for (let round = 0; round < 8; round++) this.next();
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    const state = this.#state;
    const sum = (state[0] + state[1] + state[3]) | 0;
    state[3] = (state[3] + 1) | 0;
    state[0] = state[1] ^ (state[1] >>> 9);
    state[1] = (state[2] + (state[2] << 3)) | 0;
    state[2] = ((state[2] << 21) | (state[2] >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  }

  /** Returns an integer from `min` to `max`, both inclusive. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Returns true with a probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a random item of an array, which must have one. */
  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  /** Returns an id: a prefix, and characters of Crockford's Base32 alphabet, which has no similar ones. */
  id(prefix: string, count = 16): string {
    return this.#draw(alphabet, count, prefix);
  }

  /** Returns decimal digits. */
  digits(count: number): string {
    return this.#draw(digits, count);
  }

  #draw(symbols: string, count: number, prefix = ''): string {
    const codes: number[] = [];
    for (let index = 0; index < prefix.length; index += 1) codes.push(prefix.charCodeAt(index));
    for (let index = 0; index < count; index += 1)
      codes.push(symbols.charCodeAt(Math.floor(this.next() * symbols.length)));
    // At once: a text of many parts takes long to look up, and more memory.
    return String.fromCharCode(...codes);
  }
}
