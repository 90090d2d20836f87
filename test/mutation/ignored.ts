/** A mutant that no test has to detect. */
export interface IgnoredMutant {
  readonly file: string;
  /** The code, and what the mutant has instead. */
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/** Mutants that behave like the original in every way that a partner can see. They do not count. */
export const ignored: readonly IgnoredMutant[] = [];
