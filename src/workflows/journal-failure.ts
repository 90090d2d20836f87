/**
 * What stands in for an error of a journal's as the cause of ours. Its message, and what else hangs on it, may hold the intent, as the
 * errors of databases tell of their parameters: only its code or its name is shown, however ours is printed.
 */
export class JournalFailure extends Error {
  readonly #original: unknown;
  /** The code of the journal's error, or else its name. */
  readonly code: string;

  /** Takes what the journal threw. */
  constructor(original: unknown) {
    const name = nameOf(original);
    super(`the journal failed (${name}); original() gives its own error, which may hold the payment`);
    this.#original = original;
    this.code = name;
  }

  /** What the journal threw. A method, for the values of getters can be printed. */
  original(): unknown {
    return this.#original;
  }
}

function nameOf(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : {}) as { readonly code?: unknown; readonly name?: unknown };
  return [code, name].find((text): text is string => typeof text === 'string' && /^[\w.-]{1,64}$/.test(text)) ?? typeof error;
}
