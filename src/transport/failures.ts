import type { ResolvedDialect } from '../contract/dialect.js';
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
import { TransientSigningError } from './auth/token.js';
import type { CallStoppedError, Deadline } from './deadline.js';

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
  const retryAfter = parseRetryAfter(headers, response.now);
  const { code, message } = parseErrorBody(body, redact);
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
      retryAfter: retryAfter === undefined ? undefined : retryAfter / 1000,
    };
    const text = `${summary.endpoint} failed with status ${status}${parts.length > 0 ? `: ${parts.join(': ')}` : ''}${formatSummary(summary)}${formatFix(fix)}`;
    const errorClass = errorClasses[status] ?? (status >= 500 ? ServerError : ApiError);
    return new errorClass(text, details);
  };
  return {
    outcome: dialect.rejectedStatuses.has(status) ? 'rejected' : 'unknown',
    isRetryable: isTransientStatus(status),
    status,
    retryAfter,
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
  /** @default false */
  readonly isRetryable?: boolean;
}

/** Maps a successful response that cannot be used. */
export function invalidResponseFailure(response: UnusableResponse): AttemptFailure {
  const { issues, body, status, requestId, isRetryable = false } = response;
  const list = issues.slice(0, 5).map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`);
  const more = issues.length > 5 ? `; and ${issues.length - 5} more` : '';
  const error = (summary: CallSummary): CorridorError =>
    new InvalidResponseError(
      `${summary.endpoint} returned status ${status}, but the response cannot be used: ${list.join('; ')}${more}${formatSummary(summary)}`,
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

// A code explains a failure, and proves nothing: a dispatcher or a wrapper of fetch may have sent the request before, and
// reports the last error.

const certificateCodes =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$|PATH_LENGTH_|ERR_TLS_CERT_|ERR_SSL_(CERTIFICATE_VERIFY_FAILED|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE)$)/;

interface Explanation {
  readonly reason: string;
  readonly fix?: string;
}

const tlsFailure: Explanation = {
  reason: 'the TLS connection failed',
  fix: 'check that this port serves HTTPS and that no firewall or proxy closes it or changes the traffic',
};
const tlsCodes = /^(EPROTO$|ERR_(SSL|TLS)_|TLS_HANDSHAKE_CLOSED$)/;
const unreachable: Explanation = {
  reason: 'the connection could not be established',
  fix: 'check {address}, and that it is reachable from this machine',
};

/** The failures before a response, by code. */
const connectionMessages: readonly (readonly [codes: RegExp, explanation: Explanation])[] = [
  [
    /^DISPATCHER_MISMATCH$/,
    {
      reason: 'the dispatcher and fetch belong to different major versions of undici',
      fix: 'import both from the same copy of undici, and pass that fetch as an option',
    },
  ],
  [
    /^(PROXY|UND_ERR_PRX)_/,
    {
      reason: 'the tunnel through the proxy failed',
      fix: 'check the proxy URL, its credentials and certificate, and that the proxy allows this host and port',
    },
  ],
  [/^BAD_PORT$/, { reason: 'fetch blocks this port, which belongs to another protocol', fix: 'check {address}' }],
  [
    certificateCodes,
    {
      reason: 'the secure connection could not be established',
      fix: 'check the certificate, and that no proxy intercepts the connection',
    },
  ],
  [tlsCodes, tlsFailure],
  [/^(ENOTFOUND|EAI_AGAIN)$/, { reason: 'the host name could not be resolved', fix: 'check {address} and DNS' }],
  [/^(ECONNREFUSED|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/, unreachable],
];

function explain(code: string, known: Outcome, hasResponse: boolean): Explanation {
  if (hasResponse && tlsCodes.test(code)) return tlsFailure;
  const found = hasResponse ? undefined : connectionMessages.find(([codes]) => codes.test(code));
  if (found !== undefined) return found[1];
  return known === 'not-sent'
    ? unreachable
    : { reason: 'the connection broke or was closed before the response was complete' };
}

/** Returns whether another attempt would fail in the same way. */
function isPermanent(code: string): boolean {
  const [, statusOfProxy] = /^PROXY_(\d+)$/.exec(code) ?? [];
  return statusOfProxy === undefined
    ? certificateCodes.test(code) || /^(DISPATCHER_MISMATCH|BAD_PORT|UND_ERR_PRX_TLS)$/.test(code)
    : !isTransientStatus(Number(statusOfProxy));
}

/** One error of a tree of errors and causes; a custom fetch can throw anything. */
interface ThrownError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

const maxErrors = 64;

/** Returns the code of an error that fetch threw: of its outermost error that has one. */
function codeOf(thrown: unknown, hasResponse: boolean): string {
  try {
    const errors = new Set<ThrownError>();
    addErrors(thrown, errors);
    const found = [...errors];
    const ofMessage = found.map(({ message }) => codeOfMessage(message)).find((each) => each !== undefined);
    const code =
      (hasResponse ? undefined : ofMessage) ??
      found.map((error) => error.code).find((each) => typeof each === 'string');
    // A custom fetch may throw anything as a code: only a value that looks like one is reported.
    if (code !== undefined && /^\w{1,60}$/.test(code)) return code;
    // If the first bytes are not HTTP, undici reports only the name of the error.
    return found.some(({ name }) => name === 'HTTPParserError') ? 'HPE_INVALID' : 'FETCH_FAILED';
  } catch {
    // A getter of an error can throw.
    return 'FETCH_FAILED';
  }
}

/** Adds an error and the errors in it, outer errors first. */
function addErrors(thrown: unknown, found: Set<ThrownError>): void {
  if (typeof thrown !== 'object' || thrown === null || found.size === maxErrors || found.has(thrown)) return;
  found.add(thrown);
  const { errors, cause }: ThrownError = thrown;
  if (Array.isArray(errors)) for (const error of errors as unknown[]) addErrors(error, found);
  addErrors(cause, found);
}

/** Returns the code of a failure that undici or Node report by a message, and with no code or one of many failures. */
function codeOfMessage(message: unknown): string | undefined {
  if (typeof message !== 'string') return undefined;
  if (message === 'bad port') return 'BAD_PORT';
  if (message === 'Client network socket disconnected before secure TLS connection was established')
    return 'TLS_HANDSHAKE_CLOSED';
  if (/^invalid on[A-Z]\w{1,40} method$/.test(message)) return 'DISPATCHER_MISMATCH';
  const status = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/.exec(message)?.[1];
  return status === undefined ? undefined : `PROXY_${status}`;
}

/** Reads code and message from the common shapes of error bodies. Assumed: A-6. */
function parseErrorBody(body: unknown, redact: (text: string) => string) {
  const outer = Object(body) as Readonly<Record<string, unknown>>;
  const inner = Object(outer['error']) as typeof outer;
  const code = firstString(
    inner['code'],
    outer['code'],
    outer['errorCode'],
    outer['type'],
    typeof outer['message'] === 'string' ? undefined : outer['error'],
    inner['type'],
  );
  const message = firstString(
    inner['message'],
    outer['message'],
    outer['detail'],
    outer['title'],
    outer['error_description'],
    outer['error'],
  );
  return { code: code && redact(code), message: message && redact(message) };
}

function firstString(...values: readonly unknown[]): string | undefined {
  // Frameworks that validate whole forms return an array of messages.
  const candidates = values.map((value) =>
    Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string').join('; ') : value,
  );
  const found = candidates.find(
    (value) => (typeof value === 'string' && value !== '' && value !== 'about:blank') || typeof value === 'number',
  );
  return found === undefined ? undefined : String(found);
}

const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
// Those of a method, a protocol or a network that will not work later either.
const permanentServerErrors: ReadonlySet<number> = new Set([501, 505, 506, 508, 510, 511]);

/** Returns whether a status may pass, so that reads and deletions are retried: also 520 to 530 of content networks. */
export function isTransientStatus(status: number): boolean {
  return transientStatuses.has(status) || (status >= 500 && !permanentServerErrors.has(status));
}

/** The longest `Retry-After` that a workflow waits for, in milliseconds: a longer one is probably wrong. */
export const maxRetryAfter = 60 * 60_000;

/** Returns the delay of a Retry-After header, in milliseconds from now, or undefined if there is no valid header. */
function parseRetryAfter(headers: Headers, serverNow: number): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Requires the name of a month, because Date.parse reads "-5" and "0.5" as years.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - serverNow);
}
