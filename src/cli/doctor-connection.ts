import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import type { Finding, Note } from './finding.js';

const patience = 10_000;
const day = 86_400_000;
const soon = 14;

type Environment = Readonly<Record<string, string | undefined>>;

/** Looks whether the platform's host can be reached, and securely. Resolves to the check that failed, if one did. */
export async function checkConnection(baseUrl: URL | undefined, environment: Environment, note: Note): Promise<string | undefined> {
  const proxied = baseUrl?.protocol === 'https:' && usesProxy(environment);
  if (baseUrl === undefined || proxied) {
    for (const check of ['DNS', 'TLS']) await note({ check, status: 'skipped', detail: proxied ? 'a proxy connects (HTTPS_PROXY)' : 'needs a base URL' });
    return undefined;
  }
  const host = baseUrl.hostname.replace(/^\[(.*)\]$/, '$1');
  const ofName = await checkName(host);
  await note(ofName);
  const ofCertificate = await certificateFinding(baseUrl, host, ofName, environment);
  await note(ofCertificate);
  return [ofName, ofCertificate].find(({ status }) => status === 'failed')?.check;
}

async function certificateFinding({ protocol, port }: URL, host: string, { status }: Finding, environment: Environment): Promise<Finding> {
  if (status === 'failed') return { check: 'TLS', status: 'skipped', detail: 'needs DNS' };
  if (protocol === 'http:') return { check: 'TLS', status: 'skipped', detail: 'none: http on this machine' };
  return checkCertificate(host, Number(port === '' ? 443 : port), environment);
}

function usesProxy(environment: Environment): boolean {
  return environment['NODE_USE_ENV_PROXY'] === '1' && [environment['HTTPS_PROXY'], environment['https_proxy']].some((name) => name !== undefined && name !== '');
}

async function checkName(host: string): Promise<Finding> {
  const check = 'DNS';
  if (isIP(host) !== 0) return { check, status: 'ok', detail: `${host} is an address` };
  try {
    const addresses = await within(lookup(host, { all: true }));
    return { check, status: 'ok', detail: `${host} is ${[...new Set(addresses.map(({ address }) => address))].slice(0, 4).join(', ')}` };
  } catch (error) {
    return {
      check, status: 'failed', detail: `${host} could not be resolved (${codeOf(error)})`,
      remedy: 'check the name in CORRIDOR_BASE_URL, then the network and DNS of this machine',
    };
  }
}

async function checkCertificate(host: string, port: number, environment: Environment): Promise<Finding> {
  const check = 'TLS';
  try {
    const { protocol, certificate } = await within(handshake(host, port));
    const left = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / day);
    const issuer = nameOf(certificate.issuer.O) ?? nameOf(certificate.issuer.CN) ?? 'an authority without a name';
    const detail = `${protocol ?? 'TLS'}, certificate of ${issuer}, good for ${left} more days`;
    if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
      return { check, status: 'warning', detail, remedy: 'unset NODE_TLS_REJECT_UNAUTHORIZED: with it, Node takes any certificate, and so anybody for the platform' };
    }
    if (left < soon) return { check, status: 'warning', detail, remedy: 'tell the platform that its certificate ends soon, if it does not renew it by itself' };
    return { check, status: 'ok', detail };
  } catch (error) {
    const code = codeOf(error);
    return { check, status: 'failed', detail: `no secure connection to ${host}:${port} (${code})`, remedy: remedyFor(code) };
  }
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/, 'nobody this machine trusts vouches for the certificate: where your network opens TLS, name its authority in NODE_EXTRA_CA_CERTS; else check CORRIDOR_BASE_URL'],
  [/EXPIRED|NOT_YET_VALID/, 'look at the clock of this machine; if it is right, the certificate of the platform is not good now'],
  [/ALTNAME|HOSTNAME/, 'the certificate is for another host: check the name in CORRIDOR_BASE_URL'],
  [/ECONNREFUSED/, 'nothing listens there: check host and port in CORRIDOR_BASE_URL'],
  [/TIMEOUT|EHOSTUNREACH|ENETUNREACH/, 'a firewall may stand between: see whether this machine may connect to that host'],
  [/WRONG_VERSION|EPROTO|ERR_SSL/, 'what answers there does not speak TLS: check the port in CORRIDOR_BASE_URL'],
];

function remedyFor(code: string): string {
  return remedies.find(([pattern]) => pattern.test(code))?.[1] ?? 'check CORRIDOR_BASE_URL and the network between here and the platform';
}

interface Handshake {
  readonly protocol: string | null;
  readonly certificate: PeerCertificate;
}

function handshake(host: string, port: number): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: patience, rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }) });
    socket.once('secureConnect', () => {
      resolve({ protocol: socket.getProtocol(), certificate: socket.getPeerCertificate() });
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })));
    socket.once('error', reject);
  });
}

function nameOf(name: string | string[] | undefined): string | undefined {
  return Array.isArray(name) ? name[0] : name;
}

/** The result, unless it takes too long. */
async function within<T>(result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })), patience);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : 'no code';
}
