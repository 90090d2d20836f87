import type { ResolvedDialect } from '../contract/dialect.js';
import {
  AbortedError, ApiError, AuthenticationError, ConfigurationError, ConflictError, ConnectionError, InvalidResponseError, NotFoundError, PermissionError,
  RateLimitError, ServerError, TimeoutError, type Attempt, type CorridorError, type Issue, type Outcome,
} from '../errors.js';
import type { Stop } from './limits.js';
import { readProblem } from './problem.js';
import { passingStatuses } from './retries.js';

/** What a call as a whole knows when it gives up. */
interface CallEnd {
  readonly endpoint: string;
  readonly outcome: Outcome;
  readonly attempts: readonly Attempt[];
  readonly requestId?: string | undefined;
}

/** How one attempt failed. */
export interface Failure {
  /** What this attempt tells of the outcome. */
  readonly outcome: Outcome;
  /** Whether another attempt may fare better. */
  readonly passing: boolean;
  readonly status?: number;
  readonly fault?: string;
  /** What the platform asks to wait, in milliseconds. */
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  /** The headers of the answer, where its status was the failure. */
  readonly headers?: Headers;
  /** Makes the error, once the whole call has failed. */
  error(end: CallEnd): CorridorError;
}

const outcomeWords: Readonly<Record<Outcome, string>> = {
  'not-sent': 'nothing was sent',
  rejected: 'the platform did not take it',
  unknown: 'whether it was taken is not known',
  applied: 'the platform took it',
};

const ending = (end: CallEnd): string => {
  const count = end.attempts.length > 1 ? `, ${end.attempts.length} attempts` : '';
  const id = end.requestId === undefined ? '' : `, request id ${end.requestId}`;
  return ` (${outcomeWords[end.outcome]}${count}${id})`;
};

/** The caller's signal, the deadline or the attempt's timeout ended it. `known` is what the answer had told by then. */
export function stoppedFailure(stop: Stop, known: Outcome, limits: { readonly timeout: number; readonly deadline: number }, during: string): Failure {
  if (stop.kind === 'aborted') {
    const { reason } = stop;
    const error = (end: CallEnd): CorridorError => new AbortedError(`${end.endpoint} was aborted while ${during}${ending(end)}`, { ...end, cause: reason });
    return { outcome: known, passing: false, fault: 'aborted', error };
  }
  const limit = stop.kind === 'timeout' ? `within its timeout of ${limits.timeout} ms` : `within its deadline of ${limits.deadline} ms`;
  const error = (end: CallEnd): CorridorError => new TimeoutError(`${end.endpoint} was not done ${limit}: it was still ${during}${ending(end)}`, end);
  return { outcome: known, passing: stop.kind === 'timeout', fault: stop.kind, error };
}

/** Our own side failed; as a rule before anything left, which `known` tells. */
export function localFailure(thrown: CorridorError, known: Outcome): Failure {
  return { outcome: known, passing: false, fault: thrown.code, error: (end) => new ConfigurationError(thrown.message, end) };
}

/** The request or the answer got lost on the way. Whether the runtime's own `fetch` sent it decides what codes of TLS prove. */
export function connectionFailure(thrown: unknown, origin: string, known: Outcome, isRuntimesFetch = false): Failure {
  const { code, notSent, lasting, broken, message } = evidenceOf(thrown, isRuntimesFetch);
  const outcome = notSent ? 'not-sent' : known;
  const cause = Object.assign(new Error(message), { code });
  if (broken) {
    const issues: readonly Issue[] = [{ path: '', message: `is not HTTP (${code})` }];
    return { outcome, passing: true, fault: code, error: (end) => new InvalidResponseError(`${end.endpoint}: the answer of ${origin} is not HTTP (${code})${ending(end)}`, { ...end, issues, cause }) };
  }
  const what = connectionWords.find(([pattern]) => pattern.test(code))?.[1] ?? 'the connection broke';
  const error = (end: CallEnd): CorridorError => new ConnectionError(`${end.endpoint} to ${origin}: ${what} (${code})${ending(end)}`, { ...end, cause });
  return { outcome, passing: !lasting, fault: code, error };
}

const connectionWords: readonly (readonly [RegExp, string])[] = [
  [/^BAD_PORT$/, 'fetch refuses this port, which belongs to another protocol; check baseUrl'],
  [/^ECONNREFUSED$/, 'the connection was refused; check baseUrl and that the platform can be reached from here'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host name could not be resolved; check baseUrl and DNS'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'no connection came about in time; check the network between here and the platform'],
  [/CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME|ERR_TLS|ERR_SSL|EPROTO/, 'no secure connection could be set up; check the certificate, and that no proxy stands between'],
  [/^(ECONNRESET|UND_ERR_SOCKET|EPIPE)$/, 'the connection was closed before the answer was complete'],
];

interface Evidence {
  readonly code: string;
  readonly notSent: boolean;
  /** Whether another attempt must fail alike. */
  readonly lasting: boolean;
  readonly broken: boolean;
  readonly message: string;
}

const unsentCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
// The same code can come up when the route is lost under a connection in use: what was being done then tells the two apart.
const connectingCalls = /^(connect|bind|getaddrinfo)/;
const tlsCodes = /CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|^ERR_TLS_|^ERR_SSL_|^EPROTO$/;
// These can come up on a connection that was in use: they prove nothing. Nor does EPROTO, which stands for any of them.
const tlsInUse = /BAD_RECORD_MAC|DECRYPTION_FAILED|UNEXPECTED_EOF|CLOSE_NOTIFY/;

function evidenceOf(thrown: unknown, isRuntimesFetch: boolean): Evidence {
  const chain: { name?: unknown; message?: unknown; code?: unknown; syscall?: unknown; errors?: unknown; cause?: unknown }[] = [];
  for (let error = thrown; typeof error === 'object' && error !== null && chain.length < 8; error = (error as { cause?: unknown }).cause) chain.push(error);
  const coded = chain.find(({ code }) => typeof code === 'string') ?? {};
  const several = Array.isArray(coded.errors) ? (coded.errors as readonly { code?: unknown; syscall?: unknown }[]) : [coded];
  // Of what breaks the protocol in its first bytes, undici tells the kind of error only.
  const garbage = chain.some(({ name }) => name === 'HTTPParserError');
  // Before it connects, and without a code.
  const badPort = chain.some(({ message }) => message === 'bad port');
  // A fetch of the caller's own may throw anything as a code: only what looks like one is told.
  const code = typeof coded.code === 'string' && /^\w{1,60}$/.test(coded.code) ? coded.code : badPort ? 'BAD_PORT' : garbage ? 'HPE_INVALID' : 'FETCH_FAILED';
  const tls = tlsCodes.test(code) && !tlsInUse.test(code);
  const connecting = several.every(({ code: each, syscall }) => (typeof syscall === 'string' ? connectingCalls.test(syscall) : unsentCodes.test(String(each))));
  // The runtime's own fetch tells OpenSSL's errors of handshakes only; one that is built on node:https, of any bytes that are wrong.
  const insecure = tls && code !== 'EPROTO' && (isRuntimesFetch || !code.startsWith('ERR_SSL_'));
  return { code, lasting: tls || badPort, notSent: badPort || insecure || (connecting && coded.code !== undefined), broken: /^HPE_|HEADERS_OVERFLOW|^UND_ERR_RES/.test(code), message: code };
}

/** What an answer with an error status knows. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly requestId: string | undefined;
  /** In milliseconds. */
  readonly retryAfter: number | undefined;
  /** What our side knows that explains a 401. */
  readonly hint: string | undefined;
  /** Makes text of the platform's fit to print. */
  readonly scrub: (text: string) => string;
}

/** The platform answered with an error status, or with a redirect. */
export function statusFailure(answer: RefusedAnswer, dialect: ResolvedDialect): Failure {
  const { status, headers, body, requestId, retryAfter, hint } = answer;
  const { code, message } = readProblem(body);
  const redirect = status === 0 || (status >= 300 && status < 400);
  const words = [
    redirect ? 'a redirect, which is never followed (it would carry the API key away); check baseUrl' : undefined,
    code === undefined ? undefined : answer.scrub(code),
    message === undefined ? undefined : answer.scrub(message),
    hint,
  ].filter((word) => word !== undefined);
  const error = (end: CallEnd): CorridorError => {
    const details = {
      ...end, status, headers, body, platformCode: code === undefined ? undefined : answer.scrub(code),
      retryAfter: retryAfter === undefined ? undefined : retryAfter / 1000,
    };
    const text = `${end.endpoint} was answered with ${status}${words.length > 0 ? `: ${words.join(': ')}` : ''}${ending(end)}`;
    return new (errorClass(status))(text, details);
  };
  return { outcome: dialect.rejects.has(status) ? 'rejected' : 'unknown', passing: passingStatuses.has(status), status, retryAfter, requestId, headers, error };
}

const classes: Readonly<Record<number, typeof AuthenticationError>> = {
  401: AuthenticationError, 403: PermissionError, 404: NotFoundError, 409: ConflictError, 429: RateLimitError,
};

function errorClass(status: number): typeof AuthenticationError | typeof ApiError {
  return classes[status] ?? (status >= 500 ? ServerError : ApiError);
}

/** The platform took the request, and its answer cannot be used. */
export function unusableFailure(issues: readonly Issue[], body: unknown, status: number, requestId: string | undefined, passing: boolean): Failure {
  const list = issues.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
  const more = issues.length > 5 ? `; and ${issues.length - 5} more` : '';
  const error = (end: CallEnd): CorridorError => new InvalidResponseError(`${end.endpoint} was answered with ${status}, but the answer cannot be used: ${list}${more}${ending(end)}`, { ...end, issues, body });
  return { outcome: 'applied', passing, status, fault: 'invalid-response', requestId, error };
}

/** What a call as a whole can say, given what its attempts said one by one: the least certain of them speaks. */
export function combined(outcomes: readonly Outcome[]): Outcome {
  const order: readonly Outcome[] = ['applied', 'unknown', 'rejected', 'not-sent'];
  return order.find((outcome) => outcomes.includes(outcome)) ?? 'not-sent';
}
