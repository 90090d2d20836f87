import { createPrivateKey, X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { CheckResult, ReportCheck } from '../check.js';
import { environmentProxy } from '../../environment-proxy.js';

const lookupTimeout = 10_000;
const day = 86_400_000;
const minDaysLeft = 14;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Checks whether the platform's host resolves and accepts secure connections, through the proxy if there is one. Resolves
 * to the name of the failed check, if any.
 */
export async function checkConnection(
  baseUrl: URL | undefined,
  environment: Environment,
  certificate: ClientCertificate | undefined,
  report: ReportCheck,
): Promise<{ readonly failed?: string | undefined; readonly route: Route }> {
  const { execArgv, versions } = process;
  const proxy = baseUrl && environmentProxy(baseUrl, { env: environment, execArgv, versions });
  const route = { proxy, certificate };
  if (baseUrl === undefined) {
    for (const check of ['DNS', 'TLS']) await report({ check, status: 'skipped', detail: 'needs a base URL' });
    return { route };
  }
  const host = baseUrl.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(baseUrl.port === '' ? 443 : baseUrl.port);
  const ofName =
    proxy === undefined
      ? await checkName(host)
      : ({ check: 'DNS', status: 'skipped', detail: 'the proxy resolves the name' } as const);
  await report(ofName);
  const ofTunnel = proxy === undefined ? undefined : await checkTunnel(proxy, `${baseUrl.hostname}:${port}`);
  if (ofTunnel !== undefined) await report(ofTunnel);
  const blocking = [ofName, ofTunnel].find((result) => result?.status === 'failed')?.check;
  const ofCertificate: CheckResult =
    blocking !== undefined
      ? { check: 'TLS', status: 'skipped', detail: `needs ${blocking}` }
      : baseUrl.protocol === 'http:'
        ? { check: 'TLS', status: 'skipped', detail: 'not used: http on this machine' }
        : await checkCertificate(host, port, route, environment);
  await report(ofCertificate);
  return { failed: blocking ?? (ofCertificate.status === 'failed' ? 'TLS' : undefined), route };
}

async function checkTunnel(proxy: URL, target: string): Promise<CheckResult> {
  const check = 'tunnel';
  // Without the credentials of its URL.
  const name = proxy.host;
  try {
    (await openTunnel(proxy, target)).destroy();
    return { check, status: 'ok', detail: `the proxy ${name} opens a tunnel to ${target}` };
  } catch (error) {
    const detail =
      error instanceof TunnelError
        ? `the proxy ${name} rejected a tunnel to ${target} with status ${error.status}`
        : `the proxy ${name} could not be reached (${codeOf(error)})`;
    const remedy =
      error instanceof TunnelError
        ? tunnelRemedy(error.status)
        : 'check HTTPS_PROXY, and that this machine may connect to the proxy';
    return { check, status: 'failed', detail, remedy };
  }
}

function tunnelRemedy(status: number): string {
  if (status === 407)
    return 'put the user name and the password of the proxy in HTTPS_PROXY: http://user:password@host:port';
  if (status === 403) return 'ask for the host and the port to be allowed by the proxy, or add the host to NO_PROXY';
  return 'the proxy cannot reach the platform: report it to the operator of the proxy';
}

async function checkName(host: string): Promise<CheckResult> {
  const check = 'DNS';
  if (isIP(host) !== 0) return { check, status: 'ok', detail: `${host} is an address` };
  try {
    const addresses = await within(lookup(host, { all: true }));
    return {
      check,
      status: 'ok',
      detail: `${host} is ${[...new Set(addresses.map(({ address }) => address))].slice(0, 4).join(', ')}`,
    };
  } catch (error) {
    return {
      check,
      status: 'failed',
      detail: `${host} could not be resolved (${codeOf(error)})`,
      remedy: 'check the name in CORRIDOR_BASE_URL, then the network and DNS of this machine',
    };
  }
}

async function checkCertificate(
  host: string,
  port: number,
  route: Route,
  environment: Environment,
): Promise<CheckResult> {
  const check = 'TLS';
  try {
    const { protocol, certificate } = await within(handshake(host, port, route));
    const left = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / day);
    const issuer = nameOf(certificate.issuer.O) ?? nameOf(certificate.issuer.CN) ?? 'an unnamed authority';
    const detail = `${protocol ?? 'TLS'}, certificate of ${issuer}, valid for ${left} more days`;
    if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
      return {
        check,
        status: 'warning',
        detail,
        remedy:
          'unset NODE_TLS_REJECT_UNAUTHORIZED: it makes Node accept any certificate, so anyone could pose as the platform',
      };
    }
    if (left < minDaysLeft)
      return {
        check,
        status: 'warning',
        detail,
        remedy: 'report to the platform that its certificate expires soon, unless it is renewed automatically',
      };
    return { check, status: 'ok', detail };
  } catch (error) {
    const code = codeOf(error);
    return {
      check,
      status: 'failed',
      detail: `no secure connection to ${host}:${port} (${code})`,
      remedy: rejectionRemedy(code, route.certificate !== undefined) ?? remedyFor(code),
    };
  }
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/,
    'no authority that this machine trusts has signed the certificate: if your network inspects TLS, set NODE_EXTRA_CA_CERTS to its authority; otherwise check CORRIDOR_BASE_URL',
  ],
  [
    /EXPIRED|NOT_YET_VALID/,
    'check the clock of this machine; if it is right, the certificate of the platform is not valid now',
  ],
  [/ALTNAME|HOSTNAME/, 'the certificate is for another host: check the name in CORRIDOR_BASE_URL'],
  [/ECONNREFUSED/, 'the host refuses connections on that port: check host and port in CORRIDOR_BASE_URL'],
  [
    /TIMEOUT|EHOSTUNREACH|ENETUNREACH/,
    'a firewall may block the connection: check whether this machine may connect to that host',
  ],
  [/WRONG_VERSION|EPROTO|ERR_SSL/, 'the server does not use TLS on that port: check the port in CORRIDOR_BASE_URL'],
];

function remedyFor(code: string): string {
  return (
    remedies.find(([pattern]) => pattern.test(code))?.[1] ??
    'check CORRIDOR_BASE_URL and the network between this machine and the platform'
  );
}

interface Handshake {
  readonly protocol: string | null;
  readonly certificate: PeerCertificate;
}

async function handshake(host: string, port: number, route: Route): Promise<Handshake> {
  const socket = await openTls(host, port, route);
  const result = { protocol: socket.getProtocol(), certificate: socket.getPeerCertificate() };
  socket.destroy();
  return result;
}

function nameOf(name: string | string[] | undefined): string | undefined {
  return Array.isArray(name) ? name[0] : name;
}

/** Rejects with an error if the result takes longer than a number of milliseconds. */
export async function within<T>(
  result: Promise<T>,
  milliseconds = lookupTimeout,
  error: Error = Object.assign(new Error('timeout'), { code: 'TIMEOUT' }),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error), milliseconds);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : 'no code';
}

/** The paths of a client certificate and its private key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Checks a client certificate and returns it if it can be used. */
export async function checkCertificateFiles(
  files: CertificateFiles,
  report: ReportCheck,
): Promise<ClientCertificate | undefined> {
  const check = 'client cert';
  const failed = async (detail: string, remedy: string): Promise<undefined> => {
    await report({ check, status: 'failed', detail, remedy });
    return undefined;
  };
  let cert: string;
  let key: string;
  let certificate: X509Certificate;
  try {
    [cert, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')]);
    certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      return await failed(
        'the key does not belong to the certificate',
        'pass the key with which the certificate was requested',
      );
  } catch {
    return failed(
      'the certificate or its key cannot be read',
      'check both paths; both files must be PEM, and the key without a passphrase',
    );
  }
  const days = Math.floor((Date.parse(certificate.validTo) - Date.now()) / 86_400_000);
  if (days < 0) return failed(`expired on ${certificate.validTo}`, 'ask the platform for a new certificate');
  const name = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? 'no common name';
  await report({ check, status: 'ok', detail: `${name}, valid for ${days} more days; its key belongs to it` });
  return { cert, key };
}

const rejections =
  /ALERT_(?:CERTIFICATE_\w+|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR|HANDSHAKE_FAILURE)/;

/**
 * Returns the fix if the platform ended a TLS connection, with the alert in `code`, because of the client certificate.
 */
export function rejectionRemedy(code: string, hasCertificate: boolean): string | undefined {
  const [alert] = rejections.exec(code) ?? [];
  if (alert === undefined) return undefined;
  if (!hasCertificate || alert.endsWith('REQUIRED'))
    return `the platform ${alert.endsWith('HANDSHAKE_FAILURE') ? 'probably ' : ''}requires a client certificate (${code}): pass it with --cert and --cert-key`;
  return alert.endsWith('UNKNOWN_CA')
    ? `the platform does not trust the authority that signed the client certificate (${code}): send that authority to the platform, or use a certificate that the platform signed`
    : `the platform does not accept the client certificate (${code}): ask the platform which one it expects`;
}

const timeout = 10_000;
const alertTimeout = 2_000;

/** How this machine reaches the platform. */
export interface Route {
  readonly proxy?: URL | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

/** A client certificate and its private key, as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A proxy that opened no tunnel. */
class TunnelError extends Error {
  readonly status: number;

  constructor(status: number) {
    super('the proxy opened no tunnel');
    this.status = status;
  }
}

/** Opens a tunnel through a proxy. */
function openTunnel(proxy: URL, target: string): Promise<Socket> {
  const { protocol, hostname, port, username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const options: RequestOptions = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(username !== '' && { 'proxy-authorization': `Basic ${credentials}` }) },
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)(options);
    request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      return reject(new TunnelError(statusCode));
    });
    request.once('response', ({ statusCode = 0 }) => {
      request.destroy();
      reject(new TunnelError(statusCode));
    });
    request.once('error', reject);
    request.setTimeout(timeout, () => request.destroy(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })));
    request.end();
  });
}

/** Opens a TLS connection to the platform, through the proxy if there is one. An IPv6 address may have brackets. */
async function openTls(hostname: string, port: number, { proxy, certificate }: Route): Promise<TLSSocket> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const tunnel =
    proxy === undefined ? undefined : await openTunnel(proxy, `${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...(tunnel === undefined ? { host, port } : { socket: tunnel, host }),
      timeout,
      rejectUnauthorized: true,
      ...(isIP(host) === 0 && { servername: host }),
      ...certificate,
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })));
    socket.once('error', reject);
  });
}

/**
 * Returns the code with which the platform ends a TLS connection after the handshake, if it does: over TLS 1.3, it verifies
 * a client certificate only then, and `fetch` reports a broken connection.
 */
export async function findAlert(host: string, port: number, route: Route): Promise<string | undefined> {
  const socket = await openTls(host, port, route).catch(() => undefined);
  if (socket === undefined) return undefined;
  return new Promise((resolve) => {
    const end = (error?: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(error?.code);
    };
    const timer = setTimeout(end, alertTimeout);
    socket.removeAllListeners('error').once('error', end);
    socket.once('close', () => end()).resume();
  });
}

/** The statuses of responses that cannot have a body. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** A fetch without a request body that presents a client certificate, which the fetch of Node cannot. */
export function fetchWithCertificate(route: Route): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const socket = await openTls(url.hostname, Number(url.port === '' ? 443 : url.port), route);
    return new Promise<Response>((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init?.headers));
      const request = httpsRequest(url, {
        method: init?.method ?? 'GET',
        headers,
        createConnection: () => socket,
      });
      init?.signal?.addEventListener('abort', () => request.destroy(new Error('aborted')), { once: true });
      request.once('error', reject);
      request.once('response', (response) => {
        const { statusCode: status = 0, headersDistinct } = response;
        const entries = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [
          name,
          values.join(', '),
        ]);
        const isEmpty = emptyStatuses.has(status);
        if (isEmpty) response.resume();
        const body = isEmpty ? null : (Readable.toWeb(response) as ReadableStream);
        resolve(new Response(body, { status, headers: new Headers(entries) }));
      });
      request.end();
    });
  };
}
