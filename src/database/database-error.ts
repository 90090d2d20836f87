/**
 * A database failed. The journal or the mirror that uses it throws it as its own error. The message is safe to print: a
 * driver's message can contain records.
 */
export class DatabaseError extends Error {
  /** Whether a later call can succeed although nobody changes the database, its schema or its permissions. */
  readonly isTransient: boolean;
  /** What the driver threw. */
  readonly original: unknown;

  constructor(message: string, { isTransient, original }: Pick<DatabaseError, 'isTransient' | 'original'>) {
    super(message);
    this.isTransient = isTransient;
    this.original = original;
  }
}
