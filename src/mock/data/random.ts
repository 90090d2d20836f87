type Words = readonly [number, number, number, number];

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const digits = '0123456789';

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

/** The hexadecimal digits of each byte: formatting a whole word takes ten times as long. */
const hexadecimal = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const hexadecimalWord = (word: number): string =>
  [24, 16, 8, 0].map((shift) => hexadecimal[(word >>> shift) & 0xff]).join('');

/** Returns a 128-bit hash of a string as 32 hexadecimal digits. Not cryptographic. */
export function fingerprint(input: string): string {
  return cyrb128(input).map(hexadecimalWord).join('');
}

/**
 * A seeded pseudorandom number generator: sfc32 (Small Fast Counter) by Chris Doty-Humphrey, from the PractRand test
 * suite, with cyrb128 as the seed function.
 */
export class Random {
  #state: [number, number, number, number];

  constructor(seed: string) {
    this.#state = [...cyrb128(seed)];
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

  /** Returns lowercase letters and digits of Crockford's Base32 alphabet, which has no similar characters. */
  alphanumeric(count: number): string {
    return this.#draw(alphabet, count);
  }

  /** Returns decimal digits. */
  digits(count: number): string {
    return this.#draw(digits, count);
  }

  #draw(symbols: string, count: number): string {
    const codes: number[] = [];
    while (codes.length < count) codes.push(symbols.charCodeAt(Math.floor(this.next() * symbols.length)));
    // At once: a text that grows by characters takes long to look up.
    return String.fromCharCode(...codes);
  }
}
