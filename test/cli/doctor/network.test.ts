import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { privateKey } from '../../support/key.ts';
import { serveConnectProxy } from '../../reliability/proxy/connect-proxy.ts';
import { selfSigned } from '../../support/certificate.ts';
import { corridor, environmentOf } from '../corridor.ts';

const certificate = selfSigned(createPrivateKey(privateKey));

let served: MockPlatformServer;
let folder: string;
let environment: Readonly<Record<string, string>>;
const servers: Server[] = [];

/** Serves the platform over TLS, and returns its address. */
async function serveTls(): Promise<string> {
  const server = createServer({ key: privateKey, cert: certificate }, (socket) => {
    const upstream = connect(Number(new URL(served.url).port), '127.0.0.1');
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  server.on('tlsClientError', () => {});
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
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

test('the read goes through the proxy, if there is one', async () => {
  await using proxy = await serveConnectProxy();
  const baseUrl = await serveTls();
  const { code, of } = await doctor({ CORRIDOR_BASE_URL: baseUrl, ...proxied(proxy.url) });

  expect([of['signed read']?.status, of['clock']?.status, code]).toEqual(['ok', 'ok', 0]);
  expect(proxy.requests.map((request) => request.target)).toEqual([new URL(baseUrl).host]);
});

test('a proxy that rejects the tunnel is named, without its credentials', async () => {
  await using proxy = await serveConnectProxy(() => 407);
  const { code, output, of } = await doctor({
    CORRIDOR_BASE_URL: 'https://platform.invalid',
    ...proxied(`http://me:hunter2@${new URL(proxy.url).host}`),
  });

  expect(of['signed read']).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('the tunnel through the proxy failed (PROXY_407)') as string,
    remedy: expect.stringContaining('its credentials') as string,
  });
  expect(output).not.toContain('hunter2');
  expect(code).toBe(1);
});

test('a certificate that is not trusted', async () => {
  const { of } = await doctor({ CORRIDOR_BASE_URL: await serveTls(), NODE_EXTRA_CA_CERTS: '' });

  expect(of['signed read']).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(/\((?:DEPTH_ZERO_)?SELF_SIGNED_CERT\) \(no usable data was received\)$/) as string,
    remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
  });
});
