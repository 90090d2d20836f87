import { CorridorError, identify, type ErrorDetails } from './api.js';

/**
 * The database of a mirror failed. A database driver's error may contain records, so the message shows only its code or
 * name; call `original()` for the error itself. Nothing is lost: the next `corridor.sync` continues.
 */
export class MirrorError extends CorridorError {
  readonly #original: unknown;

  /** @internal */
  constructor(message: string, details: Partial<ErrorDetails> = {}, original?: unknown) {
    super(message, { outcome: 'not-sent', ...details });
    this.#original = original;
  }

  /**
   * Returns what the database threw; undefined if it threw nothing. A method, because printing an error can run its
   * getters.
   */
  original(): unknown {
    return this.#original;
  }
}
identify(MirrorError, 'MirrorError', 'mirror');
