import { CorridorError, identify, type ErrorDetails } from './api.js';

/**
 * The journal failed or returned an invalid value, so that nothing was sent. A database driver's error may contain the
 * payment, so the message shows only its code or name; call `original()` for the error itself.
 */
export class JournalError extends CorridorError {
  readonly #original: unknown;

  /** @internal */
  constructor(message: string, details: Partial<Omit<ErrorDetails, 'cause'>> = {}, original?: unknown) {
    super(message, { outcome: 'not-sent', ...details });
    this.#original = original;
  }

  /**
   * Returns what the journal threw; undefined if it threw nothing. A method, because printing an error can run its
   * getters.
   */
  original(): unknown {
    return this.#original;
  }
}
identify(JournalError, 'JournalError', 'journal');

/**
 * Creates the error of a call whose journal failed with `error`. The message of a journal of this SDK is safe to print
 * and names the fix.
 */
export function wrapJournalFailure(error: unknown, prefix: string, endpoint: string): JournalError {
  const isOwn = error instanceof JournalError;
  const problem = isOwn
    ? error.message
    : `the journal failed (${codeOrName(error)}). Find the cause by the error that original() returns, and call again`;
  return new JournalError(`${prefix}: ${problem}`, { endpoint }, isOwn ? error.original() : error);
}

/** Returns the code or the name of a driver's error, which are safe to print; otherwise its type. */
export function codeOrName(error: unknown): string {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  return (
    [code, name].find((text): text is string => typeof text === 'string' && /^[\w.-]{1,64}$/.test(text)) ?? typeof error
  );
}
