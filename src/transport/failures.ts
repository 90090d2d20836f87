import type { ResolvedDialect } from '../contract/dialect.js';
import { errorIn } from '../contract/schema/error-body.js';
import { parseRetryAfter } from '../contract/http-date.js';
import { isError } from '../contract/objects.js';
import type { Issue } from '../contract/issue.js';
import {
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
  UnprocessableEntityError,
  type Attempt,
  type CorridorError,
  type Outcome,
} from '../errors/api.js';
import { codeOf, explain, isPermanent } from './connection-errors.js';
import type { CallStoppedError, Deadline } from './deadline.js';
import { isTransientStatus, TransientSigningError } from './transient.js';

/** The parts of an error that come from the whole call, not from one attempt. */
interface CallSummary {
  readonly endpoint: string;
  readonly outcome: Outcome;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
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
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
  /** The response headers, if the failure is an error status. */
  readonly headers?: Headers;
  /** Creates the error when the whole call has failed. */
  error(summary: CallSummary): CorridorError;
}

// What stopped a call is not the request, nor are credentials that the platform rejects.
const repeatableReasons: ReadonlySet<string | number | undefined> = new Set(['aborted', 'total-timeout', 401, 403]);

/** Returns whether the request of a failure may succeed later: also if another attempt of the same call may not. */
export function maySucceedLater({ isRetryable, errorType, status }: AttemptFailure): boolean {
  return isRetryable || repeatableReasons.has(errorType) || repeatableReasons.has(status);
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
  deadline: Deadline,
  stop: CallStoppedError,
  known: Outcome,
  during: string,
): AttemptFailure {
  const error = (summary: CallSummary): CorridorError =>
    deadline.error(stop, `${during}${formatSummary(summary)}`, summary);
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
  return isError(thrown) && mockErrorBrand in thrown;
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
  /** The scheme, host and port; absent for the host of a signed URL. */
  readonly origin?: string;
  readonly known: Outcome;
  /** Whether the headers of a response had arrived. */
  readonly hasResponse: boolean;
}

/** Maps an error that fetch threw, or that occurred while a response was read: the request or the response was lost. */
export function connectionFailure(thrown: unknown, { origin, known, hasResponse }: ConnectionContext): AttemptFailure {
  const [host, address] = origin === undefined ? ['the signed URL', 'the host of the signed URL'] : [origin, 'baseUrl'];
  const code = codeOf(thrown, hasResponse);
  const cause = Object.assign(new Error(code), { code });
  const error = (summary: CallSummary): CorridorError => {
    const result = `(${code})${formatSummary(summary)}`;
    if (/^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES))/.test(code))
      return new InvalidResponseError(`${summary.endpoint}: the response of ${host} is not HTTP ${result}`, {
        ...summary,
        issues: [{ path: '', message: `is not HTTP (${code})` }],
        cause,
      });
    const { reason, fix } = explain(code, known, hasResponse);
    return new ConnectionError(
      `${summary.endpoint} to ${host}: ${reason} ${result}${formatFix(fix?.replace('{address}', address))}`,
      { ...summary, cause },
    );
  };
  return { outcome: known, isRetryable: hasResponse || !isPermanent(code), errorType: code, error };
}

/** A response with an error status. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The platform's time, in milliseconds since the epoch. */
  readonly now: number;
  /** How to fix it, if the client knows. */
  readonly fix: string | undefined;
  readonly body?: unknown;
  readonly requestId?: string | undefined;
  /** Redacts secrets from the platform's text. */
  readonly redact?: (text: string) => string;
}

/** Maps a response with an error status or a redirect. */
export function statusFailure(response: ErrorResponse, dialect: ResolvedDialect): AttemptFailure {
  const { status, headers, body, requestId, redact = String } = response;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), response.now);
  const found = errorIn(body);
  const code = found.code && redact(found.code);
  const message = found.message && redact(found.message);
  const isRedirect = status < 400;
  const fix = isRedirect ? 'check baseUrl' : response.fix;
  const parts = [
    isRedirect ? 'a redirect, which is never followed (it would send the API key elsewhere)' : undefined,
    code,
    message,
  ].filter((part) => part !== undefined);
  const error = (summary: CallSummary): CorridorError => {
    const details = {
      ...summary,
      status,
      headers,
      body,
      platformCode: code,
      retryAfterMs,
    };
    const text =
      `${summary.endpoint} failed with status ${status}` +
      `${parts.length > 0 ? `: ${parts.join(': ')}` : ''}${formatSummary(summary)}` +
      `${formatFix(fix)}`;
    const errorClass = errorClasses[status] ?? (status >= 500 ? ServerError : ApiError);
    return new errorClass(text, details);
  };
  return {
    outcome: dialect.rejectedStatuses.has(status) ? 'rejected' : 'unknown',
    isRetryable: isTransientStatus(status),
    status,
    retryAfterMs,
    requestId,
    headers,
    error,
  };
}

const errorClasses: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
  429: RateLimitError,
};

/** A successful response that cannot be used. */
interface UnusableResponse {
  readonly issues: readonly Issue[];
  /** Returns its body. */
  readonly body?: () => unknown;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly outcome: Outcome;
  /** @default false */
  readonly isRetryable?: boolean;
}

/** Maps a successful response that cannot be used. */
export function invalidResponseFailure(response: UnusableResponse): AttemptFailure {
  const { issues, body, status, requestId, outcome, isRetryable = false } = response;
  const list = issues.slice(0, 5).map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`);
  const fix =
    outcome === 'unknown' ? 'check whether a proxy or a login page responded instead of the platform' : undefined;
  const more = issues.length > 5 ? `; and ${issues.length - 5} more` : '';
  const error = (summary: CallSummary): CorridorError =>
    new InvalidResponseError(
      `${summary.endpoint} returned status ${status}, but the response cannot be ` +
        `used: ${list.join('; ')}${more}${formatSummary(summary)}${formatFix(fix)}`,
      {
        ...summary,
        issues,
        get body() {
          return body?.();
        },
      },
    );
  return { outcome, isRetryable, status, errorType: 'invalid-response', requestId, error };
}

/** Returns the outcome of a whole call: the least certain outcome of its attempts. */
export function leastCertainOutcome(outcomes: readonly Outcome[]): Outcome {
  const order: readonly Outcome[] = ['applied', 'unknown', 'rejected', 'not-sent'];
  return order.find((outcome) => outcomes.includes(outcome)) ?? 'not-sent';
}
