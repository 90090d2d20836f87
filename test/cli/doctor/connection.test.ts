import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FaultServer, json } from '../../reliability/fault-server.js';
import { selfSigned } from '../../security/certificate.js';
import { environmentOf } from '../corridor.js';
import { findings } from './findings.js';
import { servePlatform } from '../served-platform.js';

const { environment: good } = servePlatform();

async function serve(options: ServeOptions): Promise<MockPlatformServer> {
  const other = await serveMockPlatform(options);
  onTestFinished(() => other.close());
  return other;
}

describe('the clock', () => {
  test.each([
    [-180, 'warning', '3 min ahead of'],
    [180, 'warning', '3 min behind'],
    [5, 'ok', '5 s behind'],
    [3 * 86_400, 'failed', '72 h behind'],
  ])('of a platform that is wrong by %i s is reported', async (seconds, status, detail) => {
    // Both clocks are stopped: the offset would otherwise include the duration of the request. They are stopped in the
    // middle of a second, because the Date header omits the fraction.
    const now = Math.floor(Date.now() / 1000) * 1000 + 500;
    const other = await serve({ now: () => now + seconds * 1000 });

    const { of } = await findings(
      { ...(await environmentOf(other)), TEST_NOW: String(now) },
      './preload/fixed-clock.ts',
    );

    expect(of['clock']).toMatchObject({ status, detail: expect.stringContaining(`${detail} the platform's`) });
  });

  test('is in sync if a slow response has the time of its end', async () => {
    await using server = await new FaultServer((response) => {
      setTimeout(() => json(response, 200, { networks: [] }), 5_000);
    }).listen();

    const { of } = await findings({ ...good(), CORRIDOR_BASE_URL: server.url });

    expect(of['clock']).toMatchObject({ status: 'ok', detail: "in sync with the platform's" });
  });

  test('cannot be measured if the platform sends no Date header', async () => {
    await using server = await new FaultServer((response) => {
      response.sendDate = false;
      json(response, 200, { networks: [] });
    }).listen();

    const { of } = await findings({ ...good(), CORRIDOR_BASE_URL: server.url });

    expect(of['clock']).toMatchObject({ status: 'warning', detail: expect.stringContaining('no Date header') });
  });
});

describe('TLS', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = selfSigned(pair.privateKey);
  const server = createServer(
    { key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: certificate },
    (_, response) => response.setHeader('content-type', 'application/json').end('{"networks":[]}'),
  );
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    environment = { ...good(), CORRIDOR_BASE_URL: `https://localhost:${(server.address() as AddressInfo).port}` };
  });

  afterAll(() => void server.close());

  test('passes if the certificate is trusted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'corridor-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'authority.pem'), certificate);

    const { code, of } = await findings({ ...environment, NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') });

    expect(code).toBe(0);
    expect(of['TLS']).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^TLSv1\.3, certificate of localhost, valid for 36[45] more days$/),
    });
  });

  test('fails if the certificate is not trusted, and nothing is sent', async () => {
    const { of } = await findings(environment);

    expect(of['TLS']).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/\((?:DEPTH_ZERO_)?SELF_SIGNED_CERT\)$/),
      remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    expect(of['signed read']).toMatchObject({ status: 'skipped', detail: 'needs TLS' });
  });

  test('does not pass if certificate checks are disabled', async () => {
    const { of } = await findings({ ...environment, NODE_TLS_REJECT_UNAUTHORIZED: '0' });

    expect(of['TLS']).toMatchObject({ status: 'failed' });
  });

  test('is that of the proxy if there is one', async () => {
    const { of } = await findings({ ...environment, NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:9' });

    expect(of['DNS']).toMatchObject({ status: 'skipped', detail: 'the proxy resolves the name' });
    expect(of['tunnel']).toMatchObject({
      status: 'failed',
      detail: 'the proxy 127.0.0.1:9 could not be reached (ECONNREFUSED)',
    });
    expect(of['TLS']).toMatchObject({ status: 'skipped', detail: 'needs tunnel' });
  });
});
