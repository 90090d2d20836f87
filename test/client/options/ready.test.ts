import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { ConfigurationError, Corridor, CorridorError } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { privateKey } from '../../support/key.ts';
import { failureOf } from '../../support/failure-of.ts';
import { scripted, unchecked } from '../../support/scripted-fetch.ts';
import { secret, configurationErrorOf, hideEnvironment } from './client-options.ts';

hideEnvironment();

describe('a browser', () => {
  const places: readonly (readonly [name: string, process: unknown])[] = [
    ['a browser', undefined],
    ['a browser with a bundled process', { env: {}, versions: {} }],
    ['a page of Electron', { env: {}, versions: { node: '22.0.0', electron: '38.0.0' } }],
  ];

  test.each(places.flatMap((place) => ['window', 'document'].map((global) => [...place, global] as const)))(
    'is rejected because it would expose the private key: %s, %j, by its %s',
    (_, process, global) => {
      vi.stubGlobal('process', process);
      vi.stubGlobal(global, {});
      const error = configurationErrorOf(unchecked);
      const allowed = new Corridor({ ...unchecked, dangerouslyAllowBrowser: true });
      vi.unstubAllGlobals();
      expect(error.message).toContain('dangerouslyAllowBrowser: true');
      expect(allowed).toBeInstanceOf(Corridor);
    },
  );

  test('is none if tests in Node have window and document, as those of jsdom and happy-dom', () => {
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('document', {});
    expect(new Corridor(unchecked)).toBeInstanceOf(Corridor);
  });

  test('is none if a process of Electron has no page', () => {
    vi.stubGlobal('process', { env: {}, versions: { node: '22.0.0', electron: '38.0.0' } });
    const corridor = new Corridor(unchecked);
    vi.unstubAllGlobals();
    expect(corridor).toBeInstanceOf(Corridor);
  });
});

describe('ready', () => {
  test('imports the key once, before the first request', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const { corridor } = scripted(() => ({ networks: [] }), { signer: undefined, privateKey });
    const calls = vi.spyOn(crypto.subtle, 'importKey');
    await corridor.ready();
    const imported = calls.mock.calls.length;
    expect(imported).toBeGreaterThan(0);
    await corridor.ready();
    await corridor.crypto.networks();
    const afterwards = calls.mock.calls.length;
    calls.mockRestore();
    expect(afterwards).toBe(imported);
  });

  test('reports the problem with the key and never shows the key', async () => {
    const corridor = new Corridor({ ...unchecked, signer: undefined, privateKey: secret });
    const error = await failureOf(corridor.ready());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(
      'privateKey is not PEM: it must begin with "-----BEGIN PRIVATE KEY-----"',
    );
    expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`).not.toContain(secret);
  });

  test('is content with a signer', async () => {
    await expect(scripted(() => ({})).corridor.ready()).resolves.toBeUndefined();
  });

  test('is optional: otherwise the first request throws the error', async () => {
    const { corridor, sent } = scripted(() => ({}), { signer: undefined, privateKey: secret });
    const error = await failureOf(corridor.crypto.networks());
    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', endpoint: 'crypto.networks' });
    expect(sent).toEqual([]);
  });
});

describe('a client', () => {
  test('never shows its secrets', async () => {
    const { inspect } = await import('node:util');
    const corridor = new Corridor({ ...unchecked, apiKey: secret });
    for (const text of [inspect(corridor, { depth: 20, showHidden: true }), JSON.stringify(corridor), String(corridor)])
      expect(text).not.toContain(secret);
  });
});

test.each([
  ['its `subtle`, as jsdom does', { randomUUID: () => '00000000-0000-4000-8000-000000000000' }],
  ['all of it', {}],
])('a client and the mock use the Web Crypto of Node if a test environment hides %s', async (_, hiding) => {
  vi.stubGlobal('crypto', hiding);
  const platform = createMockPlatform({ privateKey });
  const { baseUrl, apiKey } = await platform.credentials();
  const corridor = new Corridor({ baseUrl, apiKey, privateKey, fetch: platform.fetch });
  const call = corridor.payments.create(platform.payments.createParams());
  const payment = await call.finally(() => vi.unstubAllGlobals());
  expect(payment.status).toBe('PENDING_REVIEW');
});
