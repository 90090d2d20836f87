import type { Outcome } from '../errors/api.js';
import { isTransientStatus } from './transient.js';

// A code explains a failure, and proves nothing: a dispatcher or a wrapper of fetch may have sent the request before,
// and reports the last error.

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

/** Says what a code means, before or after the response began, and how to fix it. */
export function explain(code: string, known: Outcome, hasResponse: boolean): Explanation {
  if (hasResponse && tlsCodes.test(code)) return tlsFailure;
  const found = hasResponse ? undefined : connectionMessages.find(([codes]) => codes.test(code));
  if (found !== undefined) return found[1];
  return known === 'not-sent'
    ? unreachable
    : { reason: 'the connection broke or was closed before the response was complete' };
}

/** Returns whether another attempt would fail in the same way. */
export function isPermanent(code: string): boolean {
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
export function codeOf(thrown: unknown, hasResponse: boolean): string {
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
