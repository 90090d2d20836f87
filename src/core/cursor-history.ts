const exactWindow = 64;

/**
 * Detects cursors that repeat, in constant memory: compares with the last 64 cursors, and finds longer cycles with
 * Brent's cycle detection, which compares with a saved cursor that is replaced after 1, 2, 4, 8 … pages.
 */
export class CursorHistory {
  readonly #recent: readonly string[];
  readonly #savedCursor: string | undefined;
  readonly #steps: number;

  constructor(recent: readonly string[], savedCursor: string | undefined, steps: number) {
    this.#recent = recent;
    this.#savedCursor = savedCursor;
    this.#steps = steps;
  }

  /** Returns the history with the cursor added, or undefined if the cursor repeats. */
  advance(cursor: string): CursorHistory | undefined {
    if (this.#savedCursor === cursor || this.#recent.includes(cursor)) return undefined;
    const steps = this.#steps + 1;
    const isPowerOfTwo = Number.isInteger(Math.log2(steps));
    return new CursorHistory(
      [...this.#recent.slice(1 - exactWindow), cursor],
      isPowerOfTwo ? cursor : this.#savedCursor,
      steps,
    );
  }
}

/** Creates the history of an iteration that starts at a cursor, or at the first page. */
export function createCursorHistory(cursor: string | undefined): CursorHistory {
  return new CursorHistory(cursor === undefined ? [] : [cursor], undefined, 0);
}
