import { CorridorError, formatIssues, identify, type ErrorCode, type ErrorDetails, type Issue } from './base.js';

export {
  CorridorError,
  type Attempt,
  type ErrorCode,
  type ErrorDetails,
  type Issue,
  type Outcome,
  type StoredIntent,
} from './base.js';

/** An option is missing or invalid; the message names the option and the fix. */
export class ConfigurationError extends CorridorError {
  static {
    identify(this, 'ConfigurationError');
  }

  /** @internal */
  constructor(message: string, details: Partial<ErrorDetails> = {}) {
    super('configuration', message, { outcome: 'not-sent', ...details });
  }
}

/** The token of a request could not be signed, because `signer`, `claims` or the `privateKey` function failed. */
export class SigningError extends CorridorError {
  static {
    identify(this, 'SigningError');
  }

  /** @internal */
  constructor(message: string, details: Partial<ErrorDetails> = {}) {
    super('signing', message, { outcome: 'not-sent', ...details });
  }
}

/** A request breaks a rule of the platform; `issues` lists each path and rule. Nothing was sent. */
export class InvalidRequestError extends CorridorError {
  /** The rules that the request breaks. */
  readonly issues: readonly Issue[];

  static {
    identify(this, 'InvalidRequestError');
  }

  /** @internal */
  constructor(endpoint: string, issues: readonly Issue[]) {
    super('invalid-request', `${endpoint} was not sent: ${formatIssues(issues, 'the request')}`, {
      outcome: 'not-sent',
      endpoint,
    });
    this.issues = issues;
  }
}

/**
 * The connection failed: refused, reset, closed early, or the host was not found. `outcome` reports whether the request
 * can have arrived.
 */
export class ConnectionError extends CorridorError {
  static {
    identify(this, 'ConnectionError');
  }

  /** @internal */
  constructor(message: string, details: ErrorDetails) {
    super('connection', message, details);
  }
}

/** An attempt took longer than `timeout`, or the whole call took longer than `totalTimeout`. */
export class TimeoutError extends CorridorError {
  static {
    identify(this, 'TimeoutError');
  }

  /** @internal */
  constructor(message: string, details: ErrorDetails) {
    super('timeout', message, details);
  }
}

/**
 * The caller's signal aborted the call; `cause` is the signal's reason. Aborting a write does not undo it: check
 * `outcome`.
 */
export class AbortedError extends CorridorError {
  static {
    identify(this, 'AbortedError');
  }

  /** @internal */
  constructor(message: string, details: ErrorDetails) {
    super('aborted', message, details);
  }
}

/** The details of an error that was caused by an HTTP error status. */
export interface ApiErrorDetails extends ErrorDetails {
  readonly status: number;
  readonly headers: Headers;
  /** The body: parsed JSON, or a string. */
  readonly body: unknown;
  /** The platform's own error code. */
  readonly platformCode?: string | undefined;
  /** When to retry, in seconds. */
  readonly retryAfter?: number | undefined;
}

/** The platform responded with an error status. The common statuses have subclasses. */
export class ApiError extends CorridorError {
  readonly #body: unknown;
  readonly #headers: Headers;
  /** The HTTP status. */
  readonly status: number;
  /** The platform's own error code, if the response body contains one. */
  declare readonly platformCode?: string;
  /** When to retry, in seconds from the response, if the platform sent `retry-after`. */
  declare readonly retryAfter?: number;

  static {
    identify(this, 'ApiError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails, code: ErrorCode = 'api') {
    super(code, message, details);
    this.status = details.status;
    this.#body = details.body;
    this.#headers = details.headers;
    if (details.platformCode !== undefined) this.platformCode = details.platformCode;
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
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

/** 400: the platform rejected the request as malformed. */
export class BadRequestError extends ApiError {
  static {
    identify(this, 'BadRequestError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'bad-request');
  }
}

/**
 * 401: the platform did not accept the API key or the token. The message reports clock skew if the client measured any.
 */
export class AuthenticationError extends ApiError {
  static {
    identify(this, 'AuthenticationError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'authentication');
  }
}

/** 403: the credentials are valid, but the request is not allowed. */
export class PermissionError extends ApiError {
  static {
    identify(this, 'PermissionError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'permission');
  }
}

/** 404: your organization has no such record. */
export class NotFoundError extends ApiError {
  static {
    identify(this, 'NotFoundError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'not-found');
  }
}

/**
 * 409: the request conflicts with existing state. For a create, the conflict may be with an attempt of the same call:
 * check `outcome`.
 */
export class ConflictError extends ApiError {
  static {
    identify(this, 'ConflictError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'conflict');
  }
}

/** 422: the platform rejected the values of the request. */
export class UnprocessableEntityError extends ApiError {
  static {
    identify(this, 'UnprocessableEntityError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'unprocessable-entity');
  }
}

/** 429: too many requests. `retryAfter` is when to retry, in seconds, if the platform sent it. */
export class RateLimitError extends ApiError {
  static {
    identify(this, 'RateLimitError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'rate-limit');
  }
}

/** 5xx: the platform failed. A write may have taken effect: check `outcome`. */
export class ServerError extends ApiError {
  static {
    identify(this, 'ServerError');
  }

  /** @internal */
  constructor(message: string, details: ApiErrorDetails) {
    super(message, details, 'server');
  }
}

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

  static {
    identify(this, 'InvalidResponseError');
  }

  /** @internal */
  constructor(message: string, details: InvalidResponseDetails) {
    super('invalid-response', message, details);
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

/** The pages of a list contradict each other, so iteration cannot continue. `cursor` is the cursor that repeats. */
export class PaginationError extends CorridorError {
  static {
    identify(this, 'PaginationError');
  }

  /** @internal */
  constructor(message: string, details: ErrorDetails) {
    super('pagination', message, details);
  }
}
