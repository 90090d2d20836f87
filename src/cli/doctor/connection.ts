import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { CheckResult, ReportCheck } from '../check.js';
import { environmentProxy } from './environment-proxy.js';

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
  report: ReportCheck,
): Promise<string | undefined> {
  const { execArgv, versions } = process;
  const proxy = baseUrl && environmentProxy(baseUrl, { env: environment, execArgv, versions });
  if (baseUrl === undefined) {
    for (const check of ['DNS', 'TLS']) await report({ check, status: 'skipped', detail: 'needs a base URL' });
    return undefined;
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
        : await checkCertificate(host, port, proxy, environment);
  await report(ofCertificate);
  return blocking ?? (ofCertificate.status === 'failed' ? 'TLS' : undefined);
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
  proxy: URL | undefined,
  environment: Environment,
): Promise<CheckResult> {
  const check = 'TLS';
  try {
    const { protocol, certificate } = await within(handshake(host, port, proxy));
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
      remedy: remedyFor(code),
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
  [
    /ALERT_/,
    'the platform ended the connection: it may require a client certificate, which a `fetch` of your own can present',
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

async function handshake(host: string, port: number, proxy: URL | undefined): Promise<Handshake> {
  const socket = await openTls(host, port, proxy);
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

const timeout = 10_000;

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

/** Opens a TLS connection to the platform, through the proxy if there is one. */
async function openTls(host: string, port: number, proxy: URL | undefined): Promise<TLSSocket> {
  const tunnel =
    proxy === undefined ? undefined : await openTunnel(proxy, `${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...(tunnel === undefined ? { host, port } : { socket: tunnel, host }),
      timeout,
      rejectUnauthorized: true,
      ...(isIP(host) === 0 && { servername: host }),
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })));
    socket.once('error', reject);
  });
}
