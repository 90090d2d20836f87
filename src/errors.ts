import { CorridorError, identify, type ErrorCode, type ErrorDetails, type Issue } from './error.js';

export { CorridorError, type Attempt, type ErrorCode, type ErrorDetails, type Issue, type Outcome, type StoredIntent } from './error.js';

/** An option of the client is missing or wrong; the message names it and the fix. Nothing was sent. */
export class ConfigurationError extends CorridorError {
  static {
    identify(this, 'ConfigurationError');
  }

  /** Makes the error; nothing was sent. */
  constructor(message: string, details: Partial<ErrorDetails> = {}) {
    super('configuration', message, { outcome: 'not-sent', ...details });
  }
}

/** What was asked breaks a rule of the platform; `issues` says where and which. Nothing was sent. */
export class InvalidRequestError extends CorridorError {
  /** What is wrong, field by field. */
  readonly issues: readonly Issue[];

  static {
    identify(this, 'InvalidRequestError');
  }

  /** Makes the error from its issues. */
  constructor(endpoint: string, issues: readonly Issue[]) {
    const list = issues.map(({ path, message }) => (path === '' ? `it ${message}` : `${path} ${message}`)).join('; ');
    super('invalid-request', `${endpoint} was not sent: ${list}`, { outcome: 'not-sent', endpoint });
    this.issues = issues;
  }
}

/** No usable connection: refused, reset, cut off, not found. `outcome` says whether the request can have arrived. */
export class ConnectionError extends CorridorError {
  static {
    identify(this, 'ConnectionError');
  }

  /** Makes the error. */
  constructor(message: string, details: ErrorDetails) {
    super('connection', message, details);
  }
}

/** An attempt took longer than `timeout`, or the whole call longer than `deadline`. */
export class TimeoutError extends CorridorError {
  static {
    identify(this, 'TimeoutError');
  }

  /** Makes the error. */
  constructor(message: string, details: ErrorDetails) {
    super('timeout', message, details);
  }
}

/** The caller's signal aborted the call; `cause` is the signal's reason. Aborting a write does not undo it: see `outcome`. */
export class AbortedError extends CorridorError {
  static {
    identify(this, 'AbortedError');
  }

  /** Makes the error. */
  constructor(message: string, details: ErrorDetails) {
    super('aborted', message, details);
  }
}

/** What an error that stems from an answer knows of it. */
export interface AnswerDetails extends ErrorDetails {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Headers;
  /** The body: parsed JSON, or text. */
  readonly body: unknown;
  /** The platform's own code of the error. */
  readonly platformCode?: string | undefined;
  /** When to try again, in seconds. */
  readonly retryAfter?: number | undefined;
}

/** The platform answered with an error status. Its subclasses name the common ones. */
export class ApiError extends CorridorError {
  readonly #body: unknown;
  readonly #headers: Headers;
  /** The HTTP status. */
  readonly status: number;
  /** The platform's own code of the error, where its body shows one. */
  declare readonly platformCode?: string;
  /** When the platform asks to be tried again, in seconds from the answer. */
  declare readonly retryAfter?: number;

  static {
    identify(this, 'ApiError');
  }

  /** Makes the error. */
  constructor(message: string, details: AnswerDetails, code: ErrorCode = 'api') {
    super(code, message, details);
    this.status = details.status;
    this.#body = details.body;
    this.#headers = details.headers;
    if (details.platformCode !== undefined) this.platformCode = details.platformCode;
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
  }

  /** The body of the answer: parsed JSON, or text. It is not printed with the error, for it may hold personal data. */
  get body(): unknown {
    return this.#body;
  }

  /** The headers of the answer. They are not printed with the error. */
  get headers(): Headers {
    return this.#headers;
  }
}

/** 401: the platform did not accept the API key or the token. The message says what our side knows: a clock that is off, above all. */
export class AuthenticationError extends ApiError {
  static {
    identify(this, 'AuthenticationError');
  }

  /** Makes the error. */
  constructor(message: string, details: AnswerDetails) {
    super(message, details, 'authentication');
  }
}

/** 403: the credentials are good, the thing is not allowed. */
export class PermissionError extends ApiError {
  static {
    identify(this, 'PermissionError');
  }

  /** Makes the error. */
  constructor(message: string, details: AnswerDetails) {
    super(message, details, 'permission');
  }
}

/** 404: there is no such thing in your organization. */
export class NotFoundError extends ApiError {
  static {
    identify(this, 'NotFoundError');
  }

  /** Makes the error. */
  constructor(message: string, details: AnswerDetails) {
    super(message, details, 'not-found');
  }
}

/** 409: what was asked clashes with what is. On a create, the clash may be with an attempt of your own: see `outcome`. */
export class ConflictError extends ApiError {
  static {
    identify(this, 'ConflictError');
  }

  /** Makes the error. */
  constructor(message: string, details: AnswerDetails) {
    super(message, details, 'conflict');
  }
}

/** 429: too many requests; `retryAfter` says when to try again, in seconds, where the platform said so. */
export class RateLimitError extends ApiError {
  static {
    identify(this, 'RateLimitError');
  }

  /** Makes the error. */
  constructor(message: string, details: AnswerDetails) {
    super(message, details, 'rate-limit');
  }
}

/** 5xx: the platform failed. A write may have been taken all the same: see `outcome`. */
export class ServerError extends ApiError {
  static {
    identify(this, 'ServerError');
  }

  /** Makes the error. */
  constructor(message: string, details: AnswerDetails) {
    super(message, details, 'server');
  }
}

/** What an error about an unusable answer knows. */
export interface InvalidResponseDetails extends ErrorDetails {
  /** What is wrong with it. */
  readonly issues: readonly Issue[];
  /** The body: parsed JSON, or text. */
  readonly body?: unknown;
}

/** The platform took the request, and its answer cannot be used: cut off, not JSON, or not of the shape it promised. */
export class InvalidResponseError extends CorridorError {
  readonly #body: unknown;
  /** What is wrong, field by field. */
  readonly issues: readonly Issue[];

  static {
    identify(this, 'InvalidResponseError');
  }

  /** Makes the error. */
  constructor(message: string, details: InvalidResponseDetails) {
    super('invalid-response', message, details);
    this.issues = details.issues;
    this.#body = details.body;
  }

  /** The body of the answer, as far as it could be read. It is not printed with the error, for it may hold personal data. */
  get body(): unknown {
    return this.#body;
  }
}

/** A list cannot be walked further: its pages contradict each other. `cursor` is where it went wrong. */
export class PaginationError extends CorridorError {
  static {
    identify(this, 'PaginationError');
  }

  /** Makes the error. */
  constructor(message: string, details: ErrorDetails) {
    super('pagination', message, details);
  }
}
