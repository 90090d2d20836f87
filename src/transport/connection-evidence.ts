import { retryableStatusCodes } from './retry/retry-policy.js';

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

// Each message is a reason and a fix, separated by a semicolon. These apply only if nothing was sent.
const unsentMessages: readonly (readonly [RegExp, string])[] = [
  [
    /^PROXY_(\d+)$/,
    'the proxy{proxy} rejected the tunnel to the platform with status $1; check that the proxy allows this host and port, and the credentials in its URL',
  ],
  [
    /^DISPATCHER_MISMATCH$/,
    'the dispatcher and fetch belong to different major versions of undici; import both from the same copy of undici, and pass that fetch as an option',
  ],
  [
    /^UND_ERR_PRX_(CONN|TLS)$/,
    'the connection to the proxy{proxy} failed; check the proxy URL and the certificate of the proxy',
  ],
  [
    /^TLS_HANDSHAKE_CLOSED$/,
    'the connection was closed before the TLS handshake was finished; check that this port serves HTTPS and that no firewall or proxy closes the connection',
  ],
  [/^BAD_PORT$/, 'fetch blocks this port, which belongs to another protocol; check {address}'],
  [/^ECONNREFUSED$/, 'the connection was refused; check {address}, and that it is reachable from this machine'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host name could not be resolved; check {address} and DNS'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'the connection timed out; check {address}, and the network of this machine'],
  ...handshakeCodes.map(
    (pattern) =>
      [
        pattern,
        'the secure connection could not be established; check the certificate, and that no proxy intercepts the connection',
      ] as const,
  ),
];
const connectionMessages: readonly (readonly [RegExp, string])[] = [
  [
    /^(ERR_SSL_|ERR_TLS_|EPROTO$)/,
    'the TLS connection failed; check that this port serves HTTPS and that no proxy changes the traffic',
  ],
  [/^(ECONNRESET|UND_ERR_SOCKET|EPIPE)$/, 'the connection was closed before the response was complete'],
];

interface ConnectionEvidence {
  readonly code: string;
  readonly notSent: boolean;
  /** Whether another attempt would fail in the same way. */
  readonly isPermanent: boolean;
  readonly isNotHttp: boolean;
  readonly reason: string;
  readonly fix: string | undefined;
}
const unsentCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
// undici reports them before the tunnel is open; their cause can be any error of the connection to the proxy.
const proxyCodes = /^UND_ERR_PRX_(CONN|TLS)$/;
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
 * read, which cannot prove that nothing was sent. `address` names the source of the host in the fix, such as `baseUrl`.
 */
export function findEvidence(
  thrown: unknown,
  hasResponse: boolean,
  address: string,
  proxy: string | undefined,
): ConnectionEvidence {
  try {
    return classify(thrown, hasResponse, address, proxy);
  } catch {
    // An error that cannot be read, because a getter of it throws, proves nothing.
    return classify(undefined, hasResponse, address, proxy);
  }
}

function classify(
  thrown: unknown,
  hasResponse: boolean,
  address: string,
  proxy: string | undefined,
): ConnectionEvidence {
  const verdicts = new Map<ThrownError, boolean | undefined>();
  const notSent = provesUnsent(thrown, verdicts) === true && !hasResponse;
  const errors = [...verdicts.keys()];
  const provenCode = notSent
    ? errors.map(({ message }) => codeOfMessage(message)).find((code) => code !== undefined)
    : undefined;
  const code = provenCode ?? codeOf(errors);
  const isPermanent =
    notSent &&
    (provenCode === undefined ? code === 'UND_ERR_PRX_TLS' || isHandshakeCode(code) : isPermanentProof(provenCode));
  const messages = notSent ? [...unsentMessages, ...connectionMessages] : connectionMessages;
  const [pattern, text] = messages.find(([each]) => each.test(code)) ?? [/^.*$/, 'the connection broke'];
  const [reason = '', fix] = code
    .replace(pattern, text)
    .replace('{address}', address)
    .replace('{proxy}', proxy === undefined ? '' : ` ${proxy}`)
    .split('; ');
  return { code, isPermanent, notSent, isNotHttp: /^HPE_|HEADERS_OVERFLOW|^UND_ERR_RES/.test(code), reason, fix };
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
  const isOfProxy = typeof code === 'string' && proxyCodes.test(code);
  const verdict = isOfProxy || (ofCause === false ? false : (own ?? ofCause));
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
  const proxyStatus = /^PROXY_(\d+)$/.exec(code)?.[1];
  return (
    ['BAD_PORT', 'DISPATCHER_MISMATCH'].includes(code) ||
    (proxyStatus !== undefined && !retryableStatusCodes.has(Number(proxyStatus)))
  );
}
