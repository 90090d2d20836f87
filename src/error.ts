/**
 * What is known of a call that failed: it never left (`not-sent`), the platform refused it (`rejected`), it may or may not
 * have happened (`unknown`), or it happened and only the answer is unusable (`applied`).
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown' | 'applied';

/** The stable code of an error; switch on it where `instanceof` is unwelcome. */
export type ErrorCode =
  | 'configuration' | 'invalid-request' | 'connection' | 'timeout' | 'aborted'
  | 'api' | 'authentication' | 'permission' | 'not-found' | 'conflict' | 'rate-limit' | 'server'
  | 'invalid-response' | 'pagination'
  | 'payment-outcome-unknown' | 'payment-mismatch' | 'duplicate-payment' | 'wait-timeout';

/** One thing that is wrong with a value: where, and which rule it breaks. Never the value itself. */
export interface Issue {
  /** Where, such as `documentIds[0]`; empty for the value as a whole. */
  readonly path: string;
  /** Which rule, such as `must be a string (got number)`. */
  readonly message: string;
}

/** One attempt of a call. */
export interface Attempt {
  /** The first attempt is 1. */
  readonly number: number;
  /** The HTTP status, where an answer came. */
  readonly status?: number;
  /** What went wrong, where no usable answer came: an error code such as `ECONNRESET`, or `timeout`. */
  readonly fault?: string;
  /** How long was waited before this attempt, in milliseconds; 0 for the first. */
  readonly wait: number;
}

/** What was about to be sent when a payment was created, as plain JSON: pass it to `payments.reconcile` to find out what became of it. */
export interface StoredIntent {
  /** The version of this form. */
  readonly version: number;
  /** Tells this intent from all others. */
  readonly id: string;
  /** The request, exactly as it is sent. */
  readonly request: Readonly<Record<string, unknown>>;
  /** When it was sent, by the platform's clock: an ISO 8601 UTC text. */
  readonly sentAt: string;
  /** How far the platform's clock was ahead of ours, in milliseconds. */
  readonly offset: number;
}

/** What every error of this SDK is made of. */
export interface ErrorDetails {
  /** What is known of the call. */
  readonly outcome: Outcome;
  /** The endpoint that was called. */
  readonly endpoint?: string | undefined;
  /** The platform's id of the last answer. */
  readonly requestId?: string | undefined;
  /** The attempts that were made. */
  readonly attempts?: readonly Attempt[] | undefined;
  /** What led to this. */
  readonly cause?: unknown;
}

const brand = Symbol.for('corridor-sdk.error');

interface Branded {
  readonly [brand]: readonly string[];
}

/** Gives an error class its name and its brand. The brand is what instanceof looks at, so that it holds across two copies of the package. */
export function identify(errorClass: { readonly prototype: Error }, name: string): void {
  const inherited = (errorClass.prototype as Partial<Branded>)[brand] ?? [];
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
  Object.defineProperty(errorClass.prototype, brand, { value: [...inherited, name] });
}

/** The base of all errors of this SDK. None of its subclasses ever holds the API key, a token or the private key. */
export class CorridorError extends Error {
  /** The stable code of this kind of error. */
  readonly code: ErrorCode;
  /** What is known of the call: the one question that matters with money. It speaks of this call's own attempts. */
  readonly outcome: Outcome;
  /** The endpoint that was called, such as `payments.create`; absent where no call was made. */
  declare readonly endpoint?: string;
  /** The platform's id of the last answer, for its support. */
  declare readonly requestId?: string;
  /** The attempts that were made, first to last. */
  readonly attempts: readonly Attempt[];
  /**
   * Where a walk through a list stood: pass it as `cursor` to go on from the page that failed. Absent on the first page. That of a
   * `PaginationError` came again: it leads back to what was handed out already.
   */
  declare readonly cursor?: string;
  /** What was about to be sent, where a payment's creation ended without a sure answer: pass it to `payments.reconcile`. Not printed with the error. */
  declare readonly intent?: StoredIntent;

  static {
    identify(this, 'CorridorError');
  }

  /** Makes an error of this SDK. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.outcome = details.outcome;
    if (details.endpoint !== undefined) this.endpoint = details.endpoint;
    if (details.requestId !== undefined) this.requestId = details.requestId;
    this.attempts = details.attempts ?? [];
  }

  /** Whether a value is an error of this class, of this or another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const { prototype } = this as unknown as { readonly prototype: Branded & { readonly name: string } };
    // A subclass of the partner's own has no brand of its own: for it, the prototype chain decides.
    if (!Object.hasOwn(prototype, brand)) return Function.prototype[Symbol.hasInstance].call(this, value);
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return (value as Branded)[brand].includes(prototype[brand].at(-1) as string);
  }

  /** What may be logged: everything but bodies and headers. */
  toJSON(): Record<string, unknown> {
    const fields: Record<string, unknown> = { ...(this as object) };
    return { name: this.name, message: this.message, ...fields, cause: undefined };
  }
}

/** Notes on an error where a walk stood, so that it can be resumed. */
export function noteCursor(error: unknown, cursor: unknown): void {
  if (error instanceof CorridorError && typeof cursor === 'string') note(error, 'cursor', { value: cursor, enumerable: true });
}

/** Notes on an error what was about to be sent. Not enumerable: an intent holds personal data. */
export function noteIntent(error: unknown, intent: StoredIntent): void {
  if (error instanceof CorridorError) note(error, 'intent', { value: intent, enumerable: false });
}

// Without a prototype: what was added to Object.prototype is no part of the description.
function note(error: CorridorError, name: 'cursor' | 'intent', description: PropertyDescriptor): void {
  Object.defineProperty(error, name, Object.assign(Object.create(null) as PropertyDescriptor, { ...description, configurable: true }));
}
