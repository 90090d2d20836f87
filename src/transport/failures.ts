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
  /** The outcome known so far. */
  readonly known: Outcome;
  /** Whether the headers of a response had arrived. */
  readonly hasResponse: boolean;
}

/** Maps an error that fetch threw, or that occurred while a response was read: the request or the response was lost. */
export function connectionFailure(thrown: unknown, { origin, known, hasResponse }: ConnectionContext): AttemptFailure {
  const [host, address] = origin === undefined ? ['the signed URL', 'the host of the signed URL'] : [origin, 'baseUrl'];
  const { code, notSent, isPermanent } = findEvidence(thrown, hasResponse);
  const cause = Object.assign(new Error(code), { code });
  const error = (summary: CallSummary): CorridorError => {
    const result = `(${code})${formatSummary(summary)}`;
    if (/^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES))/.test(code))
      return new InvalidResponseError(`${summary.endpoint}: the response of ${host} is not HTTP ${result}`, {
        ...summary,
        issues: [{ path: '', message: `is not HTTP (${code})` }],
        cause,
      });
    const { reason, fix } = explain(code, notSent);
    return new ConnectionError(
      `${summary.endpoint} to ${host}: ${reason} ${result}${formatFix(fix?.replace('{address}', address))}`,
      { ...summary, cause },
    );
  };
  return { outcome: notSent ? 'not-sent' : known, isRetryable: !isPermanent, errorType: code, error };
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
    isRetryable: retryableStatusCodes.has(status),
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

// Results of certificate verification, and handshake errors that only occur locally. Every other ERR_SSL_* code, alerts
// included, can also come from bytes that arrive after the request was sent: over HTTP/2 even the runtime's own fetch
// reports them, and EPROTO covers any of them.
const handshakeCodes: readonly RegExp[] = [
  /^CERT_(SIGNATURE_FAILURE|NOT_YET_VALID|HAS_EXPIRED|CHAIN_TOO_LONG|REVOKED|UNTRUSTED|REJECTED)$/,
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
  /^UNABLE_TO_(GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY|GET_CRL|VERIFY_LEAF_SIGNATURE|DECRYPT_CERT_SIGNATURE|DECODE_ISSUER_PUBLIC_KEY)$/,
  /^(ERR_TLS_CERT_ALTNAME_(INVALID|FORMAT)|ERR_SSL_(CERTIFICATE_VERIFY_FAILED|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE))$/,
];
const isHandshakeCode = (code: string): boolean => handshakeCodes.some((pattern) => pattern.test(code));

// The exact messages of failures whose codes can also occur after the request was sent: undici's for a status with which
// a proxy responds to CONNECT and for a dispatcher that does not accept the request of this fetch, and Node's for a
// connection that ends before the TLS handshake is finished.
const tunnelMessage = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/;
const dispatcherMessage = /^invalid on[A-Z]\w{1,40} method$/;
const handshakeClosedMessage = 'Client network socket disconnected before secure TLS connection was established';

/** What happened and, if there is one, the fix, by code. */
const connectionMessages: readonly (readonly [codes: RegExp, reason: string, fix?: string])[] = [
  [
    /^(EPROTO$|ERR_(SSL|TLS)_|TLS_HANDSHAKE_CLOSED$)/,
    'the TLS connection failed',
    'check that this port serves HTTPS and that no firewall or proxy closes it or changes the traffic',
  ],
  [/^/, 'the connection broke or was closed before the response was complete'],
];
/** Those that apply if nothing was sent. */
const unsentMessages: typeof connectionMessages = [
  [
    /^DISPATCHER_MISMATCH$/,
    'the dispatcher and fetch belong to different major versions of undici',
    'import both from the same copy of undici, and pass that fetch as an option',
  ],
  [
    /^(PROXY|UND_ERR_PRX)_/,
    'the tunnel through the proxy failed',
    'check the proxy URL, its credentials and certificate, and that the proxy allows this host and port',
  ],
  [/^BAD_PORT$/, 'fetch blocks this port, which belongs to another protocol', 'check {address}'],
  ...connectionMessages.slice(0, 1),
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host name could not be resolved', 'check {address} and DNS'],
  [/^/, 'the connection could not be established', 'check {address}, and that it is reachable from this machine'],
];

/** Returns what happened and, if there is one, the fix. */
function explain(code: string, notSent: boolean): { readonly reason: string; readonly fix?: string | undefined } {
  if (notSent && isHandshakeCode(code))
    return {
      reason: 'the secure connection could not be established',
      fix: 'check the certificate, and that no proxy intercepts the connection',
    };
  const [, reason = '', fix] =
    (notSent ? unsentMessages : connectionMessages).find(([codes]) => codes.test(code)) ?? [];
  return { reason, fix };
}

function statusOfProxy(code: string): number | undefined {
  return code.startsWith('PROXY_') ? Number(code.slice('PROXY_'.length)) : undefined;
}

interface ConnectionEvidence {
  readonly code: string;
  readonly notSent: boolean;
  /** Whether another attempt would fail in the same way. */
  readonly isPermanent: boolean;
}

const unsentCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
// undici reports them before the tunnel is open; their cause can be any error of the connection to the proxy.
const proxyCodes: ReadonlySet<unknown> = new Set(['UND_ERR_PRX_CONN', 'UND_ERR_PRX_TLS']);
// The same code can occur when the route is lost under an established connection; the system call distinguishes the
// two.
const connectingCalls = /^(connect|bind|getaddrinfo)/;

/** One error of a tree of errors and causes; a custom fetch can throw anything. */
interface ThrownError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

// A tree with more errors proves nothing.
const maxErrors = 64;

/**
 * Classifies an error of a request: one that fetch threw, or, if `hasResponse`, one that occurred while its response was
 * read, which cannot prove that nothing was sent.
 */
function findEvidence(thrown: unknown, hasResponse: boolean): ConnectionEvidence {
  try {
    const verdicts = new Map<ThrownError, boolean | undefined>();
    const notSent = provesUnsent(thrown, verdicts) === true && !hasResponse;
    const errors = [...verdicts.keys()];
    const codes = notSent ? errors.map(({ message }) => codeOfMessage(message)) : [];
    const proof = codes.find((each) => each !== undefined);
    const code = proof ?? codeOf(errors);
    const isPermanent =
      notSent && (proof === undefined ? code === 'UND_ERR_PRX_TLS' || isHandshakeCode(code) : isPermanentProof(proof));
    return { code, notSent, isPermanent };
  } catch {
    // An error that cannot be read, because a getter of it throws, proves nothing.
    return findEvidence(undefined, hasResponse);
  }
}

/**
 * Returns whether an error proves that nothing was sent: true only if all parts of it that say anything do; undefined if
 * it says nothing. An aggregate proves what all of its errors prove, and without errors, nothing. Adds the verdict of
 * each error to `verdicts`, outer errors first.
 */
function provesUnsent(thrown: unknown, verdicts: Map<ThrownError, boolean | undefined>): boolean | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  if (verdicts.has(thrown)) return verdicts.get(thrown);
  if (verdicts.size === maxErrors) return false;
  // An error that is its own cause proves nothing.
  verdicts.set(thrown, false);
  const { name, message, code, syscall, errors, cause }: ThrownError = thrown;
  let own: boolean | undefined;
  if (codeOfMessage(message) !== undefined) own = true;
  else if (errors !== undefined || name === 'AggregateError')
    own =
      Array.isArray(errors) &&
      errors.length > 0 &&
      // Copied, because `every` skips the holes of an array.
      [...(errors as unknown[])].every((error) => provesUnsent(error, verdicts) === true);
  else if (typeof code === 'string')
    own =
      isHandshakeCode(code) || (typeof syscall === 'string' ? connectingCalls.test(syscall) : unsentCodes.test(code));
  const ofCause = provesUnsent(cause, verdicts);
  const verdict = proxyCodes.has(code) || (ofCause === false ? false : (own ?? ofCause));
  verdicts.set(thrown, verdict);
  return verdict;
}

/**
 * Returns the code for a message that proves that nothing was sent. The code alone proves nothing, because a custom
 * fetch can throw any code.
 */
function codeOfMessage(message: unknown): string | undefined {
  if (typeof message !== 'string') return undefined;
  // fetch throws it before it connects, and without a code.
  if (message === 'bad port') return 'BAD_PORT';
  if (message === handshakeClosedMessage) return 'TLS_HANDSHAKE_CLOSED';
  if (dispatcherMessage.test(message)) return 'DISPATCHER_MISMATCH';
  const status = tunnelMessage.exec(message)?.[1];
  return status === undefined ? undefined : `PROXY_${status}`;
}

function codeOf(errors: readonly ThrownError[]): string {
  const code = errors.map((error) => error.code).find((each) => typeof each === 'string');
  // A custom fetch may throw anything as a code: only a value that looks like one is reported.
  if (code !== undefined && /^\w{1,60}$/.test(code)) return code;
  // If the first bytes are not HTTP, undici reports only the name of the error.
  return errors.some(({ name }) => name === 'HTTPParserError') ? 'HPE_INVALID' : 'FETCH_FAILED';
}

function isPermanentProof(code: string): boolean {
  const status = statusOfProxy(code);
  return status === undefined ? code !== 'TLS_HANDSHAKE_CLOSED' : !retryableStatusCodes.has(status);
}

/** Reads code and message from the common shapes of error bodies. Assumed: A-6. */
function parseErrorBody(body: unknown, redact: (text: string) => string) {
  const outer = toRecord(body);
  const inner = toRecord(outer['error']);
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

/** Copies the fields of an object; other values have none. */
function toRecord(value: unknown): Record<string, unknown> {
  return Object.assign(Object.create(null) as Record<string, unknown>, typeof value === 'object' ? value : undefined);
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

/** The statuses after which a read, or the deletion of a document, is retried. */
export const retryableStatusCodes: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

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
