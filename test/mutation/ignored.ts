/** A mutant that no test has to detect. */
export interface IgnoredMutant {
  readonly file: string;
  /** The code, and what the mutant has instead. */
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

const token = 'src/transport/auth/token.ts';
const isSlower = 'Both ways encode and sign alike: one is faster.';

/** Mutants that behave like the original in every way that a partner can see. They do not count. */
export const ignored: readonly IgnoredMutant[] = [
  ...['true', 'false', "Buffer === undefined && 'toBase64' in bytes"].map((replacement) => ({
    file: token,
    original: "Buffer === undefined || 'toBase64' in bytes",
    replacement,
    reason: isSlower,
  })),
  { file: token, original: 'Buffer === undefined', replacement: 'false', reason: isSlower },
  { file: token, original: 'Buffer === undefined', replacement: 'Buffer !== undefined', reason: isSlower },
  { file: token, original: 'body === undefined', replacement: 'false', reason: isSlower },
  ...['this.#lastKey?.key !== key', 'this.#lastHeader.keyId !== expected'].map((original) => ({
    file: token,
    original,
    replacement: 'true',
    reason: isSlower,
  })),
];
