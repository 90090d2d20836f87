import { formatIssues, type Issue } from '../contract/issue.js';
import type { PaymentCreateIntent } from '../contract/intent.js';

/**
 * Whether a failed call took effect: it was never sent (`not-sent`), the platform rejected it (`rejected`), it may or
 * may not have taken effect (`unknown`), or it took effect and only the response is unusable (`applied`).
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown' | 'applied';

/** The stable code of an error. Switch on it if you cannot use `instanceof`. */
export type ErrorCode =
  | 'configuration'
  | 'invalid-request'
  | 'signing'
  | 'connection'
  | 'timeout'
  | 'aborted'
  | 'api'
  | 'bad-request'
  | 'authentication'
  | 'permission'
  | 'not-found'
  | 'conflict'
  | 'unprocessable-entity'
  | 'rate-limit'
  | 'server'
  | 'invalid-response'
  | 'pagination'
  | 'payment-outcome-unknown'
  | 'payment-mismatch'
  | 'duplicate-payment'
  | 'wait-timeout'
  | 'journal'
  | 'mirror';

/** One attempt of a call. */
export interface Attempt {
  /** The number of the attempt; the first is 1. */
  readonly attempt: number;
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** The kind of failure, if there was no usable response: an error code such as `ECONNRESET`, or `timeout`. */
  readonly errorType?: string;
  /** The delay before this attempt, in milliseconds; 0 for the first. */
  readonly delay: number;
}

/** The details of every error of this SDK. */
export interface ErrorDetails {
  readonly outcome: Outcome;
  readonly endpoint?: string | undefined;
  /** The platform's id of the last response. */
  readonly requestId?: string | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
  /** @default true for a timeout, an abort and a failure of the journal, otherwise false */
  readonly retryable?: boolean | undefined;
  /** When to call again, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** The sections of the documentation that explain what to do, for the errors of which a message cannot say enough. */
const sections: Partial<Record<ErrorCode, string>> = {
  'payment-outcome-unknown': 'pending-payments.md',
  'payment-mismatch': 'errors.md#all-errors',
  'duplicate-payment': 'errors.md#all-errors',
  authentication: 'authentication.md#fix-a-401',
};

// What stopped these calls is not their request.
const retryableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['timeout', 'aborted', 'journal']);

const brand = Symbol.for('corridor-sdk.error');

interface Branded {
  readonly [brand]: readonly string[];
}

/**
 * Sets the name, the brand and the code of an error class. `instanceof` checks the brand, so that it works across two
 * copies of the package.
 */
export function identify({ prototype }: { readonly prototype: Error }, name: string, code?: ErrorCode): void {
  const inherited = (prototype as Partial<Branded>)[brand] ?? [];
  Object.defineProperty(prototype, 'name', { value: name, configurable: true, writable: true });
  Object.defineProperty(prototype, brand, { value: [...inherited, name] });
  if (code !== undefined) Object.defineProperty(prototype, 'code', { value: code, writable: true });
}

/** The base class of all errors of this SDK. No error ever contains the API key, a token or the private key. */
export class CorridorError extends Error {
  /** The stable code of this kind of error. */
  readonly code: ErrorCode;
  /** Whether the call took effect. It covers the attempts of this call only. */
  readonly outcome: Outcome;
  /**
   * Whether the same call may succeed later without a change of its request: after a delay, or after someone corrects
   * the credentials (401, 403). Of `createOnce`, with the same key. Always false if a write other than a deletion may
   * have taken effect: `create` would pay twice. It says nothing about when: see `retryAfterMs`.
   */
  readonly retryable: boolean;
  /** The endpoint, such as `payments.create`; absent if no call was made. */
  declare readonly endpoint?: string;
  /** The platform's id of the last response. Include it when you contact the platform's support. */
  declare readonly requestId?: string;
  /** The attempts that were made, first to last. */
  readonly attempts: readonly Attempt[];
  /**
   * The milliseconds after which to call again: as the platform's `retry-after` says, or when `createOnce` can find out
   * more; absent if neither is known.
   */
  declare readonly retryAfterMs?: number;
  /**
   * The cursor of the page that failed: pass it as `cursor` to resume iteration. Absent if the first page failed. The
   * cursor of a `PaginationError` is the one that repeats: it leads back to items that were already yielded.
   */
  declare readonly cursor?: string;
  /**
   * The payment that was about to be created, if its creation ended without a definite response: pass it to
   * `payments.reconcile`. If the outcome is `not-sent`, the journal failed before anything was sent but may hold the
   * intent: pass it to `payments.releaseIntent`; its request then contains only the quote. Not printed with the error.
   */
  declare readonly intent?: PaymentCreateIntent;

  /** @internal */
  constructor(message: string, details: ErrorDetails) {
    const { code } = new.target.prototype;
    const section = sections[code];
    super(
      section === undefined ? message : `${message}. See node_modules/corridor-sdk/docs/${section}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.outcome = details.outcome;
    this.retryable = details.retryable ?? retryableCodes.has(code);
    if (details.endpoint !== undefined) this.endpoint = details.endpoint;
    if (details.requestId !== undefined) this.requestId = details.requestId;
    this.attempts = details.attempts ?? [];
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
  }

  /** Returns whether a value is an error of this class, from this or another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const { prototype } = this as unknown as { readonly prototype: Branded & { readonly name: string } };
    // A subclass in the caller's code has no own brand, so the prototype chain decides.
    if (!Object.hasOwn(prototype, brand)) return Function.prototype[Symbol.hasInstance].call(this, value);
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return (value as Branded)[brand].includes(prototype[brand].at(-1) as string);
  }

  /** Returns the fields that are safe to log: all except bodies and headers. */
  toJSON(): Record<string, unknown> {
    const fields: Record<string, unknown> = { ...(this as object) };
    return { name: this.name, message: this.message, ...fields, cause: undefined };
  }
}
identify(CorridorError, 'CorridorError');

/** Records on an error the cursor of the page that failed, so that iteration can resume there. */
export function noteCursor(error: unknown, cursor: unknown): void {
  if (error instanceof CorridorError && typeof cursor === 'string')
    Object.defineProperty(error, 'cursor', { value: cursor, enumerable: true, configurable: true });
}

/**
 * Records on an error the payment that was about to be created. A getter that is not enumerable, because an intent
 * contains personal data, and loggers such as `%o` of Node print hidden fields.
 */
export function noteIntent(error: unknown, intent: PaymentCreateIntent): void {
  if (error instanceof CorridorError)
    Object.defineProperty(error, 'intent', { get: () => intent, enumerable: false, configurable: true });
}

/** Records on an error that the same call may succeed later. */
export function noteRetryable(error: CorridorError): void {
  Object.defineProperty(error, 'retryable', { value: true, enumerable: true, configurable: true });
}

/** An option is missing or invalid; the message names the option and the fix. */
export class ConfigurationError extends CorridorError {
  /** @internal */
  constructor(message: string, details: Partial<ErrorDetails> = {}) {
    super(message, { outcome: 'not-sent', ...details });
  }
}
identify(ConfigurationError, 'ConfigurationError', 'configuration');

/** The token of a request could not be signed, because `signer`, `claims` or the `privateKey` function failed. */
export class SigningError extends CorridorError {
  /** @internal */
  constructor(message: string, details: Partial<ErrorDetails> = {}) {
    super(message, { outcome: 'not-sent', ...details });
  }
}
identify(SigningError, 'SigningError', 'signing');

/** A request breaks a rule of the platform; `issues` lists each path and rule. Nothing was sent. */
export class InvalidRequestError extends CorridorError {
  /** The rules that the request breaks. */
  readonly issues: readonly Issue[];

  /** @internal */
  constructor(endpoint: string, issues: readonly Issue[]) {
    super(`${endpoint} was not sent: ${formatIssues(issues, 'the request')}`, {
      outcome: 'not-sent',
      endpoint,
    });
    this.issues = issues;
  }
}
identify(InvalidRequestError, 'InvalidRequestError', 'invalid-request');

/**
 * The connection failed: refused, reset, closed early, or the host was not found. `outcome` is `not-sent` only if
 * nothing has read the body of the request.
 */
export class ConnectionError extends CorridorError {}
identify(ConnectionError, 'ConnectionError', 'connection');

/** An attempt took longer than `timeout`, or the whole call took longer than `totalTimeout`. */
export class TimeoutError extends CorridorError {}
identify(TimeoutError, 'TimeoutError', 'timeout');

/**
 * The caller's signal aborted the call; `cause` is the signal's reason. Aborting a write does not undo it: check
 * `outcome`.
 */
export class AbortedError extends CorridorError {}
identify(AbortedError, 'AbortedError', 'aborted');

/** The details of an error that was caused by an HTTP error status. */
export interface ApiErrorDetails extends ErrorDetails {
  readonly status: number;
  readonly headers: Headers;
  /** The body: parsed JSON, or a string. */
  readonly body: unknown;
  /** The platform's own error code. */
  readonly platformCode?: string | undefined;
}

/** The platform responded with an error status. The common statuses have subclasses. */
export class ApiError extends CorridorError {
  readonly #body: unknown;
  readonly #headers: Headers;
  /** The HTTP status. */
  readonly status: number;
  /** The platform's own error code, if the response body contains one. */
  declare readonly platformCode?: string;

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.status = details.status;
    this.#body = details.body;
    this.#headers = details.headers;
    if (details.platformCode !== undefined) this.platformCode = details.platformCode;
  }

  /** The response body: parsed JSON, or a string. Not printed with the error, because it may contain personal data. */
  get body(): unknown {
    return this.#body;
  }

  /** The response headers, with the API key masked. Not printed with the error. */
  get headers(): Headers {
    return this.#headers;
  }
}
identify(ApiError, 'ApiError', 'api');

/** 400: the platform rejected the request as malformed. */
export class BadRequestError extends ApiError {}
identify(BadRequestError, 'BadRequestError', 'bad-request');

/**
 * 401: the platform did not accept the API key or the token. The message reports clock skew if the client measured any.
 */
export class AuthenticationError extends ApiError {}
identify(AuthenticationError, 'AuthenticationError', 'authentication');

/** 403: the credentials are valid, but the request is not allowed. */
export class PermissionError extends ApiError {}
identify(PermissionError, 'PermissionError', 'permission');

/** 404: your organization has no such record. */
export class NotFoundError extends ApiError {}
identify(NotFoundError, 'NotFoundError', 'not-found');

/**
 * 409: the request conflicts with existing state. For a create, the conflict may be with an attempt of the same call:
 * check `outcome`.
 */
export class ConflictError extends ApiError {}
identify(ConflictError, 'ConflictError', 'conflict');

/** 422: the platform rejected the values of the request. */
export class UnprocessableEntityError extends ApiError {}
identify(UnprocessableEntityError, 'UnprocessableEntityError', 'unprocessable-entity');

/** 429: too many requests. `retryAfterMs` is when to retry, in milliseconds, if the platform sent it. */
export class RateLimitError extends ApiError {}
identify(RateLimitError, 'RateLimitError', 'rate-limit');

/** 5xx: the platform failed. A write may have taken effect: check `outcome`. */
export class ServerError extends ApiError {}
identify(ServerError, 'ServerError', 'server');

/** The details of an error that was caused by an unusable response. */
export interface InvalidResponseDetails extends ErrorDetails {
  readonly issues: readonly Issue[];
  /** The body: parsed JSON, or a string. */
  readonly body?: unknown;
}

/**
 * The platform accepted the request, but its response cannot be used: truncated, not JSON, or not of the documented
 * shape.
 */
export class InvalidResponseError extends CorridorError {
  readonly #details: InvalidResponseDetails;
  /** The differences between the response and the contract. */
  readonly issues: readonly Issue[];

  /** @internal */
  constructor(message: string, details: InvalidResponseDetails) {
    super(message, details);
    this.issues = details.issues;
    // Read on access: redacting a large body takes longer than parsing it.
    this.#details = details;
  }

  /**
   * The response body, as far as it could be read. Not printed with the error, because it may contain personal data.
   */
  get body(): unknown {
    return this.#details.body;
  }
}
identify(InvalidResponseError, 'InvalidResponseError', 'invalid-response');

/** The pages of a list contradict each other, so iteration cannot continue. `cursor` is the cursor that repeats. */
export class PaginationError extends CorridorError {}
identify(PaginationError, 'PaginationError', 'pagination');
