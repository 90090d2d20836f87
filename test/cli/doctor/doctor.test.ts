import { generateKeyPairSync, createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FaultServer } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { read } from '../../../scripts/repository/tree.ts';
import { corridor } from '../corridor.ts';
import { findings } from './findings.ts';
import { servePlatform } from '../served-platform.ts';

const { platform, environment: good } = servePlatform();

test('all checks passed: one line for each check, exit code 0', async () => {
  const { code, output } = await corridor(['doctor'], { environment: good() });

  expect(code).toBe(0);
  const lines = output
    .split('\n')
    .map((line) =>
      /^(ok) +(Node|base URL|API key|private key|signed read|clock) {2,}\S/.exec(line)?.slice(1).join(': '),
    )
    .filter((line) => line !== undefined);
  expect(lines).toEqual(['ok: Node', 'ok: base URL', 'ok: API key', 'ok: private key', 'ok: signed read', 'ok: clock']);
  expect(output).toMatch(/\n\nAll checks passed\.\n$/);
});

test('the only request is a signed read', async () => {
  platform().requests.clear();

  await corridor(['doctor'], { environment: good() });

  expect(platform().requests.map(({ endpoint, status }) => [endpoint, status])).toEqual([['crypto.networks', 200]]);
});

test('the key has the same thumbprint as in keygen', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { thumbprint } = JSON.parse((await corridor(['keygen', '--json'], { folder })).output) as {
    readonly thumbprint: string;
  };

  const { output } = await corridor(['doctor'], {
    environment: {
      ...good(),
      CORRIDOR_PRIVATE_KEY: createPrivateKey(await readFile(join(folder, 'key.pem'), 'utf8'))
        .export({ type: 'pkcs1', format: 'pem' })
        .toString()
        .replaceAll('\n', String.raw`\n`),
    },
  });

  expect(output).toContain(`private key  RSA, 2048 bits, thumbprint ${thumbprint}`);
});

test('without an environment it lists the variables to set', async () => {
  const { code, output } = await corridor(['doctor']);

  expect(code).toBe(1);
  for (const line of [
    'export CORRIDOR_BASE_URL=https://…',
    'export CORRIDOR_API_KEY=…',
    'export CORRIDOR_PRIVATE_KEY="$(cat key.pem)"',
  ])
    expect(output).toContain(`-> ${line}\n`);
  expect(output).toContain('CORRIDOR_PRIVATE_KEY is not set; generate a key with: npx corridor-sdk keygen\n');
  expect(output).toContain('3 of 6 checks failed');
  expect(output)
    .toContain(`Without an account, run npx corridor-sdk mock --populate: it serves a mock of the platform and prints settings for it.
`);
});

test('an old version of Node is a failure with a fix; the oldest supported version is the one of the package', async () => {
  const { code, output } = await corridor(['doctor'], { environment: good(), preload: './preload/old-node.ts' });

  const { engines } = JSON.parse(read('package.json').text) as { readonly engines: { readonly node: string } };
  const oldest = engines.node.replace('>=', '');
  expect(code).toBe(1);
  expect(output).toMatch(/^FAILED +Node +20/m);
  expect(output).toContain(`20.19.0, which is older than ${oldest}\n         -> Install Node ${oldest} or newer\n`);
});

test('one of the last versions of Node 20 is a warning', async () => {
  const environment = { ...good(), TEST_NODE_VERSION: '20.20.2' };
  const { code, output } = await corridor(['doctor'], { environment, preload: './preload/old-node.ts' });
  expect(output).toMatch(/^warning +Node +20\.20\.2, which is older/m);
  expect(code).toBe(0);
});

describe('it finds', () => {
  const shortKey = (): string =>
    generateKeyPairSync('rsa', {
      modulusLength: 1024,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey;

  test.each<
    readonly [name: string, environment: Readonly<Record<string, string>>, details: Readonly<Record<string, string>>]
  >([
    [
      'http where it is not on this machine, and a newline within the API key',
      { CORRIDOR_BASE_URL: 'http://platform.example', CORRIDOR_API_KEY: 'abcd\nefgh' },
      { 'base URL': 'must be https', 'API key': 'must be printable ASCII' },
    ],
    [
      'what is no URL, and the public key in place of the private one',
      {
        CORRIDOR_BASE_URL: 'platform.example',
        CORRIDOR_PRIVATE_KEY: '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
      },
      { 'base URL': 'must be an absolute URL', 'private key': 'is PEM of type "PUBLIC KEY"' },
    ],
    ['the path of a key', { CORRIDOR_PRIVATE_KEY: './key.pem' }, { 'private key': 'is a path' }],
    ['a key that is cut off', { CORRIDOR_PRIVATE_KEY: privateKey.slice(0, 900) }, { 'private key': 'is truncated' }],
    ['a key that is too short', { CORRIDOR_PRIVATE_KEY: shortKey() }, { 'private key': 'has 1024 bits' }],
  ])('%s, and says what to do', async (_, environment, details) => {
    const { code, of } = await findings({ ...good(), ...environment });

    expect(code).toBe(1);
    expect(
      Object.values(of)
        .filter(({ status }) => status === 'failed')
        .map(({ check }) => check),
    ).toEqual(Object.keys(details));
    for (const [check, detail] of Object.entries(details))
      expect(of[check]).toMatchObject({
        detail: expect.stringContaining(detail),
        remedy: expect.stringMatching(/^(?:[A-Z]|export )/),
      });
    expect(of['signed read']).toMatchObject({ status: 'skipped' });
  });

  test('a JWK instead of a PEM key', async () => {
    const jwk = JSON.stringify(createPrivateKey(privateKey).export({ format: 'jwk' }));
    const { of } = await findings({ ...good(), CORRIDOR_PRIVATE_KEY: jwk });
    expect(of['private key']).toMatchObject({
      status: 'failed',
      detail: 'CORRIDOR_PRIVATE_KEY is a JSON string',
      remedy: 'Pass PEM text, or the JWK as an object: JSON.parse(text)',
    });
  });

  test('quotes around the API key from an env file', async () => {
    const { of } = await findings({ ...good(), CORRIDOR_API_KEY: '"abcdefgh"', CORRIDOR_PRIVATE_KEY: '' });

    expect(of['API key']).toMatchObject({
      status: 'failed',
      detail: 'CORRIDOR_API_KEY is in quotes',
      remedy: 'Remove them: docker --env-file keeps quotes',
    });
  });

  test('a private key in base64, with its thumbprint', async () => {
    const { of } = await findings({ ...good(), CORRIDOR_PRIVATE_KEY: Buffer.from(privateKey).toString('base64') });

    expect(of['private key']).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^RSA, 2048 bits, thumbprint /),
    });
  });

  test('an API key that is unknown to the platform', async () => {
    const { code, of } = await findings({ ...good(), CORRIDOR_API_KEY: 'unknown-to-the-platform' });

    expect(code).toBe(1);
    expect(of['signed read']).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(
        /^crypto\.networks failed with status 401: unknown_api_key: the API key is unknown \(the request was rejected, request id \w+\)$/,
      ),
      remedy: expect.stringContaining('Check that the API key belongs to this platform'),
    });
    expect(of['clock']).toMatchObject({ status: 'ok' });
  });

  test('a public key that is not registered, with its thumbprint', async () => {
    const { of } = await findings({ ...good(), CORRIDOR_PRIVATE_KEY: privateKey });

    const thumbprint = /thumbprint (\S+)/.exec(of['private key']?.detail ?? '')?.[1] ?? 'none';
    expect(of['signed read']).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('bad_signature'),
      remedy: expect.stringContaining(`thumbprint ${thumbprint} is registered`),
    });
  });

  test('a host without an address', async () => {
    const { of } = await findings({ ...good(), CORRIDOR_BASE_URL: 'https://platform.invalid' });

    expect(of['signed read']).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/platform\.invalid: the host name could not be resolved \(E\w+\)/),
      remedy: 'Check CORRIDOR_BASE_URL and DNS',
    });
    expect(of['clock']).toMatchObject({ status: 'skipped', detail: 'needs a response from the platform' });
  });

  test('a port that refuses connections', async () => {
    const { of } = await findings({ ...good(), CORRIDOR_BASE_URL: 'https://127.0.0.1:10' });

    expect(of['signed read']).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('127.0.0.1:10: the connection could not be established (ECONNREFUSED)'),
      remedy: 'Check CORRIDOR_BASE_URL, and that it is reachable from this machine',
    });
  });

  test('a server that is not the platform', async () => {
    await using server = await new FaultServer((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ).listen();

    const { of } = await findings({ ...good(), CORRIDOR_BASE_URL: server.url });

    expect(of['signed read']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('may not come from the platform'),
    });
  });
});
