import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { privateKey } from '../../reliability/key.js';
import { serveConnectProxy } from '../../reliability/proxy/connect-proxy.js';
import { selfSigned } from '../../security/certificate.js';
import { corridor, environmentOf } from '../corridor.js';

const certificate = selfSigned(createPrivateKey(privateKey));

let served: MockPlatformServer;
let folder: string;
let environment: Readonly<Record<string, string>>;
const servers: Server[] = [];

/** Serves the platform over TLS, and returns its address. */
async function serveTls(options: object, host = 'localhost'): Promise<string> {
  const server = createServer({ key: privateKey, cert: certificate, ...options }, (socket) => {
    const upstream = connect(Number(new URL(served.url).port), '127.0.0.1');
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  server.on('tlsClientError', () => {});
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host === '[::1]' ? '::1' : '127.0.0.1', resolve));
  return `https://${host}:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  served = await serveMockPlatform();
  folder = await mkdtemp(join(tmpdir(), 'corridor-network-'));
  await writeFile(join(folder, 'ca.pem'), certificate);
  environment = { ...(await environmentOf(served)), NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
});

afterAll(async () => {
  for (const server of servers) server.close();
  await served.close();
  await rm(folder, { recursive: true });
});

async function doctor(more: Readonly<Record<string, string>>) {
  const { output, code } = await corridor(['doctor', '--json'], {
    environment: { ...environment, ...more },
    folder,
  });
  const { findings } = JSON.parse(output) as {
    readonly findings: readonly { check: string; status: string; detail: string; remedy?: string }[];
  };
  return { code, output, of: Object.fromEntries(findings.map((finding) => [finding.check, finding])) };
}

const proxied = (url: string): Readonly<Record<string, string>> => ({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: url });

test('a proxy that opens a tunnel: the certificate and the read are checked through it', async () => {
  await using proxy = await serveConnectProxy();
  const baseUrl = await serveTls({});
  const { code, of } = await doctor({ CORRIDOR_BASE_URL: baseUrl, ...proxied(proxy.url) });

  const target = new URL(baseUrl).host;
  expect(of['tunnel']).toMatchObject({
    status: 'ok',
    detail: `the proxy ${new URL(proxy.url).host} opens a tunnel to ${target}`,
  });
  expect([of['TLS']?.status, of['signed read']?.status, code]).toEqual(['ok', 'ok', 0]);
  expect(proxy.requests.map((request) => request.target)).toEqual([target, target, target]);
});

test.each([
  [403, 'NO_PROXY'],
  [407, 'http://user:password@host:port'],
  [502, 'operator of the proxy'],
])('a proxy that rejects the tunnel with %i is named, without its credentials', async (status, remedy) => {
  await using proxy = await serveConnectProxy(() => status);
  const url = new URL(proxy.url);
  const { code, output, of } = await doctor({
    CORRIDOR_BASE_URL: 'https://platform.invalid',
    ...proxied(`http://me:hunter2@${url.host}`),
  });

  expect(of['tunnel']).toMatchObject({
    status: 'failed',
    detail: `the proxy ${url.host} rejected a tunnel to platform.invalid:443 with status ${status}`,
    remedy: expect.stringContaining(remedy) as string,
  });
  expect(of['signed read']).toMatchObject({ status: 'skipped', detail: 'needs tunnel' });
  expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(
    `Basic ${Buffer.from('me:hunter2').toString('base64')}`,
  );
  expect(output).not.toContain('hunter2');
  expect(code).toBe(1);
});

const executed = promisify(execFile);

test.each<readonly [string, (url: string) => Readonly<Record<string, string>>]>([
  ['only HTTP_PROXY', (url) => ({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url })],
  ['an empty https_proxy', (url) => ({ NODE_USE_ENV_PROXY: '1', https_proxy: '', HTTPS_PROXY: url })],
  ['--use-env-proxy', (url) => ({ NODE_OPTIONS: '--use-env-proxy', HTTPS_PROXY: url })],
  ['--no-use-env-proxy', (url) => ({ ...proxied(url), NODE_OPTIONS: '--no-use-env-proxy' })],
  ['another value', (url) => ({ NODE_USE_ENV_PROXY: 'true', HTTPS_PROXY: url })],
  ['a host in capitals in NO_PROXY', (url) => ({ ...proxied(url), NO_PROXY: 'PLATFORM.invalid' })],
  ['the port in NO_PROXY', (url) => ({ ...proxied(url), NO_PROXY: 'platform.invalid:443' })],
  ['another port in NO_PROXY', (url) => ({ ...proxied(url), NO_PROXY: 'platform.invalid:444' })],
  ['a domain in NO_PROXY', (url) => ({ ...proxied(url), NO_PROXY: 'other.example invalid' })],
  ['the end of a name in NO_PROXY', (url) => ({ ...proxied(url), NO_PROXY: 'latform.invalid' })],
])('with %s, doctor uses the proxy if Node does', async (_name, variables) => {
  await using proxy = await serveConnectProxy(() => 403);
  const more = variables(proxy.url);
  await executed(process.execPath, ['--eval', "fetch('https://platform.invalid').catch(() => {})"], { env: more });
  const isUsed = proxy.requests.length > 0;

  const { of } = await doctor({ CORRIDOR_BASE_URL: 'https://platform.invalid', ...more });
  expect([of['tunnel']?.status, of['DNS']?.status]).toEqual(isUsed ? ['failed', 'skipped'] : [undefined, 'failed']);
});

test('a platform with an IPv6 address', async () => {
  const { of } = await doctor({ CORRIDOR_BASE_URL: await serveTls({}, '[::1]') });
  expect(of['TLS']).toMatchObject({ status: 'ok' });
});

test('a host in NO_PROXY is reached directly', async () => {
  await using proxy = await serveConnectProxy();
  const { of } = await doctor({
    CORRIDOR_BASE_URL: await serveTls({}),
    ...proxied(proxy.url),
    NO_PROXY: 'other.example, localhost',
  });

  expect(of['tunnel']).toBeUndefined();
  expect(of['signed read']).toMatchObject({ status: 'ok' });
  expect(proxy.requests).toEqual([]);
});

test('a platform that requires a client certificate', async () => {
  const baseUrl = await serveTls({ requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' });
  const { code, of } = await doctor({ CORRIDOR_BASE_URL: baseUrl });
  expect(of['TLS']).toMatchObject({
    status: 'failed',
    remedy: expect.stringContaining('may require a client certificate') as string,
  });
  expect(code).toBe(1);
});
