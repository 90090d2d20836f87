import type { ResolvedDialect } from '../contract/dialect.js';
import {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  SigningError,
  TimeoutError,
  UnprocessableEntityError,
  type Attempt,
  type CorridorError,
  type Issue,
  type Outcome,
} from '../errors/api.js';
import { TransientSigningError } from './auth/signing-error.js';
import type { StopReason } from './timing/call-timeouts.js';
import { parseErrorBody } from './response/parse-error-body.js';
import { retryableStatusCodes } from './retry/retry-policy.js';
import { findEvidence } from './connection-evidence.js';

/** The parts of an error that come from the whole call, not from one attempt. */
interface CallSummary {
  readonly endpoint: string;
  readonly outcome: Outcome;
  readonly attempts: readonly Attempt[];
  readonly requestId?: string | undefined;
  /** Whether the call only reads, so that its outcome does not matter. */
  readonly isRead: boolean;
}

/** The failure of one attempt. */
export interface AttemptFailure {
  /** Whether this attempt took effect. */
  readonly outcome: Outcome;
  /** Whether another attempt may succeed. */
  readonly isRetryable: boolean;
  readonly status?: number;
  readonly errorType?: string;
  /** The delay that the platform requested, in milliseconds. */
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  /** The response headers, if the failure is an error status. */
  readonly headers?: Headers;
  /** Creates the error when the whole call has failed. */
  error(summary: CallSummary): CorridorError;
}

const outcomeDescriptions: Readonly<Record<Outcome, string>> = {
  'not-sent': 'nothing was sent',
  rejected: 'the platform rejected it',
  unknown: 'it is unknown whether the platform processed it',
  applied: 'the platform processed it',
};

const readDescriptions: Readonly<Record<Outcome, string>> = {
  'not-sent': 'nothing was sent',
  rejected: 'the request was rejected',
  unknown: 'no usable data was received',
  applied: 'no usable data was received',
};

const formatSummary = (summary: CallSummary): string => {
  const count = summary.attempts.length > 1 ? `, ${summary.attempts.length} attempts` : '';
  const id = summary.requestId === undefined ? '' : `, request id ${summary.requestId}`;
  const descriptions = summary.isRead ? readDescriptions : outcomeDescriptions;
  return ` (${descriptions[summary.outcome]}${count}${id})`;
};

/** Formats a fix as the last sentence of a message. */
const formatFix = (fix: string | undefined): string =>
  fix === undefined ? '' : `. ${fix.charAt(0).toUpperCase()}${fix.slice(1)}`;

/** Maps the caller's abort, the total timeout or the attempt's timeout. `known` is the outcome known so far. */
export function timeoutFailure(
  stop: StopReason,
  known: Outcome,
  limits: { readonly timeout: number; readonly totalTimeout: number },
  during: string,
): AttemptFailure {
  if (stop.kind === 'aborted') {
    const { reason } = stop;
    const error = (summary: CallSummary): CorridorError =>
      new AbortedError(`${summary.endpoint} was aborted while ${during}${formatSummary(summary)}`, {
        ...summary,
        cause: reason,
      });
    return { outcome: known, isRetryable: false, errorType: 'aborted', error };
  }
  const limit =
    stop.kind === 'timeout' ? `timeout of ${limits.timeout} ms` : `totalTimeout of ${limits.totalTimeout} ms`;
  const error = (summary: CallSummary): CorridorError =>
    new TimeoutError(`${summary.endpoint} exceeded its ${limit} while ${during}${formatSummary(summary)}`, summary);
  return { outcome: known, isRetryable: stop.kind === 'timeout', errorType: stop.kind, error };
}

/**
 * Maps an error of the client itself, which usually occurs before anything is sent; `known` is the outcome known so
 * far.
 */
export function clientFailure(error: CorridorError, known: Outcome): AttemptFailure {
  const errorClass = [TransientSigningError, SigningError].find((each) => error instanceof each) ?? ConfigurationError;
  return {
    outcome: known,
    isRetryable: error instanceof TransientSigningError,
    errorType: error.code,
    error: (summary) => new errorClass(error.message, summary),
  };
}

const mockErrorBrand = Symbol.for('corridor-sdk.mock-error');

/** Returns whether fetch threw an error of the mock platform, which reports a mistake of a test. */
export function isMockError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && mockErrorBrand in thrown;
}

/** Maps an error of the mock platform. It is not retried, and its message is shown: it names the mistake. */
export function mockFailure(thrown: Error, known: Outcome, redact: (text: string) => string): AttemptFailure {
  const code = 'MOCK_PLATFORM_ERROR';
  const cause = Object.assign(new Error(code), { code });
  const message = redact(thrown.message);
  const error = (summary: CallSummary): CorridorError =>
    new ConnectionError(`${summary.endpoint}: the mock platform failed: ${message}`, { ...summary, cause });
  return { outcome: known, isRetryable: false, errorType: code, error };
}

/** Where and when a connection failed. */
interface ConnectionContext {
  readonly origin: string;
  /** The outcome known so far. */
  readonly known: Outcome;
  /** Whether the headers of a response had arrived. */
  readonly hasResponse: boolean;
  /** The source of the host, for messages. */
  readonly address: string;
  readonly proxy?: string | undefined;
}

/** Maps an error that fetch threw, or that occurred while a response was read: the request or the response was lost. */
export function connectionFailure(
  thrown: unknown,
  { origin, known, hasResponse, address, proxy }: ConnectionContext,
): AttemptFailure {
  const { code, notSent, isPermanent, isNotHttp, reason, fix } = findEvidence(thrown, hasResponse, address, proxy);
  const outcome = notSent ? 'not-sent' : known;
  const cause = Object.assign(new Error(code), { code });
  if (isNotHttp) {
    const issues: readonly Issue[] = [{ path: '', message: `is not HTTP (${code})` }];
    return {
      outcome,
      isRetryable: true,
      errorType: code,
      error: (summary) =>
        new InvalidResponseError(
          `${summary.endpoint}: the response of ${origin} is not HTTP (${code})${formatSummary(summary)}`,
          { ...summary, issues, cause },
        ),
    };
  }
  const error = (summary: CallSummary): CorridorError =>
    new ConnectionError(
      `${summary.endpoint} to ${origin}: ${reason} (${code})${formatSummary(summary)}${formatFix(fix)}`,
      { ...summary, cause },
    );
  return { outcome, isRetryable: !isPermanent, errorType: code, error };
}

/** A response with an error status. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly requestId: string | undefined;
  /** In milliseconds. */
  readonly retryAfter: number | undefined;
  /** How to fix it, if the client knows. */
  readonly fix: string | undefined;
  /** Redacts secrets from the platform's text. */
  readonly redact: (text: string) => string;
}

/** Maps a response with an error status or a redirect. */
export function statusFailure(response: ErrorResponse, dialect: ResolvedDialect): AttemptFailure {
  const { status, headers, body, requestId, retryAfter } = response;
  const { code, message } = parseErrorBody(body);
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  const fix = isRedirect ? 'check baseUrl' : response.fix;
  const parts = [
    isRedirect ? 'a redirect, which is never followed (it would send the API key elsewhere)' : undefined,
    code === undefined ? undefined : response.redact(code),
    message === undefined ? undefined : response.redact(message),
  ].filter((part) => part !== undefined);
  const error = (summary: CallSummary): CorridorError => {
    const details = {
      ...summary,
      status,
      headers,
      body,
      platformCode: code === undefined ? undefined : response.redact(code),
      retryAfter: retryAfter === undefined ? undefined : retryAfter / 1000,
    };
    const text = `${summary.endpoint} failed with status ${status}${parts.length > 0 ? `: ${parts.join(': ')}` : ''}${formatSummary(summary)}${formatFix(fix)}`;
    return new (errorClassOf(status))(text, details);
  };
  return {
    outcome: dialect.rejectedStatuses.has(status) ? 'rejected' : 'unknown',
    isRetryable: retryableStatusCodes.has(status),
    status,
    retryAfter,
    requestId,
    headers,
    error,
  };
}

const errorClasses: Readonly<Record<number, typeof AuthenticationError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
  429: RateLimitError,
};

function errorClassOf(status: number): typeof AuthenticationError | typeof ApiError {
  return errorClasses[status] ?? (status >= 500 ? ServerError : ApiError);
}

/** Maps a successful response that cannot be used. */
export function invalidResponseFailure(
  issues: readonly Issue[],
  body: (() => unknown) | undefined,
  status: number,
  requestId: string | undefined,
  isRetryable: boolean,
): AttemptFailure {
  const list = issues
    .slice(0, 5)
    .map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`)
    .join('; ');
  const more = issues.length > 5 ? `; and ${issues.length - 5} more` : '';
  const error = (summary: CallSummary): CorridorError =>
    new InvalidResponseError(
      `${summary.endpoint} returned status ${status}, but the response cannot be used: ${list}${more}${formatSummary(summary)}`,
      {
        ...summary,
        issues,
        get body() {
          return body?.();
        },
      },
    );
  return { outcome: 'applied', isRetryable, status, errorType: 'invalid-response', requestId, error };
}

/** Returns the outcome of a whole call: the least certain outcome of its attempts. */
export function leastCertainOutcome(outcomes: readonly Outcome[]): Outcome {
  const order: readonly Outcome[] = ['applied', 'unknown', 'rejected', 'not-sent'];
  return order.find((outcome) => outcomes.includes(outcome)) ?? 'not-sent';
}
