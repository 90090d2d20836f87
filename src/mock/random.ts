type Quad = readonly [number, number, number, number];

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const decimal = '0123456789';

/** Spreads a text over 128 bits: even and fast, but no secret. */
function spread(text: string): Quad {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
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

/** 32 hexadecimal digits that stand for a text: equal for equal texts. */
export function fingerprint(text: string): string {
  return spread(text).map((part) => part.toString(16).padStart(8, '0')).join('');
}

/** A stream of numbers that a seed determines. */
export class Random {
  #state: [number, number, number, number];

  constructor(seed: string) {
    this.#state = [...spread(seed)];
    for (let round = 0; round < 8; round++) this.next();
  }

  /** A number from 0 up to, but not, 1. */
  next(): number {
    const state = this.#state;
    const sum = (state[0] + state[1] + state[3]) | 0;
    state[3] = (state[3] + 1) | 0;
    state[0] = state[1] ^ (state[1] >>> 9);
    state[1] = (state[2] + (state[2] << 3)) | 0;
    state[2] = ((state[2] << 21) | (state[2] >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  }

  /** A whole number, both ends included. */
  whole(smallest: number, largest: number): number {
    return smallest + Math.floor(this.next() * (largest - smallest + 1));
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of a list. */
  pick<T>(list: readonly [T, ...T[]]): T {
    return list[Math.floor(this.next() * list.length)] ?? list[0];
  }

  /** Lower-case letters and digits that are not mistaken for each other. */
  letters(count: number): string {
    return this.#text(alphabet, count);
  }

  /** Decimal digits. */
  digits(count: number): string {
    return this.#text(decimal, count);
  }

  #text(symbols: string, count: number): string {
    let text = '';
    for (let index = 0; index < count; index++) text += symbols.charAt(Math.floor(this.next() * symbols.length));
    return text;
  }
}
