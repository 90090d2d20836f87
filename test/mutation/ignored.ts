/** A mutant that no test has to detect. */
export interface IgnoredMutant {
  readonly file: string;
  /** The code, and what the mutant has instead. */
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

const token = 'src/transport/auth/token.ts';
const createOnce = 'src/workflows/create-once/create-once.ts';
const journalTesting = 'src/journal/testing.ts';
const isSortedAlike = 'Both sides of a comparison are sorted in the same way, and the names of fields are unique.';
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
  ...['this.#lastKey.key !== key', 'this.#lastHeader.keyId !== keyId'].map((original) => ({
    file: token,
    original,
    replacement: 'true',
    reason: isSlower,
  })),
  ...['a <= b', 'a >= b'].map((replacement) => ({
    file: createOnce,
    original: 'a < b',
    replacement,
    reason: isSortedAlike,
  })),
  ...['one <= other', 'one >= other'].map((replacement) => ({
    file: journalTesting,
    original: 'one < other',
    replacement,
    reason: isSortedAlike,
  })),
  {
    file: journalTesting,
    original: 'count += 1',
    replacement: 'count -= 1',
    reason: 'The ids of intents are as unique.',
  },
  ...['rows', 'numbered'].flatMap((rows) =>
    ['true', `${rows}.length >= 0`].map((replacement) => ({
      file: 'src/mirror/mirror.ts',
      original: `${rows}.length > 0`,
      replacement,
      reason: 'A statement that inserts no rows changes nothing.',
    })),
  ),
];
