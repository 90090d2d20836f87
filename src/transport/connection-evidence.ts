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

// Each message is a reason and a fix, separated by a semicolon.
const connectionMessages: readonly (readonly [RegExp, string])[] = [
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
const unsentCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX_CONN|PRX_TLS))$/;
// The same code can occur when the route is lost under an established connection; the system call distinguishes the
// two.
const connectingCalls = /^(connect|bind|getaddrinfo)/;

/** One error of a chain of causes; a custom fetch can throw anything. */
interface ThrownError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

/** Classifies an error that fetch threw. `address` names the source of the host in the fix, such as `baseUrl`. */
export function findEvidence(thrown: unknown, address: string, proxy: string | undefined): ConnectionEvidence {
  const chain: ThrownError[] = [];
  for (
    let error = thrown;
    typeof error === 'object' && error !== null && chain.length < 8;
    error = (error as ThrownError).cause
  )
    chain.push(error);
  const withCode = chain.find(({ code }) => typeof code === 'string') ?? {};
  const errors = Array.isArray(withCode.errors) ? (withCode.errors as readonly ThrownError[]) : [withCode];
  const provenCode = chain.map(({ message }) => codeOfMessage(message)).find((code) => code !== undefined);
  const code = provenCode ?? codeOf(withCode, chain);
  const connecting = errors.every(({ code: each, syscall }) =>
    typeof syscall === 'string' ? connectingCalls.test(syscall) : unsentCodes.test(String(each)),
  );
  const isPermanent =
    provenCode === undefined ? code === 'UND_ERR_PRX_TLS' || isHandshakeCode(code) : isPermanentProof(provenCode);
  const [pattern, text] = connectionMessages.find(([each]) => each.test(code)) ?? [/^.*$/, 'the connection broke'];
  const [reason = '', fix] = code
    .replace(pattern, text)
    .replace('{address}', address)
    .replace('{proxy}', proxy === undefined ? '' : ` ${proxy}`)
    .split('; ');
  return {
    code,
    isPermanent,
    notSent: provenCode !== undefined || isPermanent || (connecting && withCode.code !== undefined),
    isNotHttp: /^HPE_|HEADERS_OVERFLOW|^UND_ERR_RES/.test(code),
    reason,
    fix,
  };
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

function codeOf({ code }: ThrownError, chain: readonly ThrownError[]): string {
  // A custom fetch may throw anything as a code: only a value that looks like one is reported.
  if (typeof code === 'string' && /^\w{1,60}$/.test(code)) return code;
  // If the first bytes are not HTTP, undici reports only the name of the error.
  return chain.some(({ name }) => name === 'HTTPParserError') ? 'HPE_INVALID' : 'FETCH_FAILED';
}

function isPermanentProof(code: string): boolean {
  const proxyStatus = /^PROXY_(\d+)$/.exec(code)?.[1];
  return (
    ['BAD_PORT', 'DISPATCHER_MISMATCH'].includes(code) ||
    (proxyStatus !== undefined && !retryableStatusCodes.has(Number(proxyStatus)))
  );
}
