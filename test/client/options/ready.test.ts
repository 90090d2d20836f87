import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { ConfigurationError, Corridor, CorridorError } from 'corridor-sdk';
import { failureOf } from '../../simulation/failure.js';
import { scripted, unchecked } from '../scripted-fetch.js';
import { secret, configurationErrorOf, hideEnvironment } from './client-options.js';

hideEnvironment();

describe('a browser', () => {
  test.each(['window', 'document'])('is rejected because it would expose the private key: %s', (name) => {
    vi.stubGlobal(name, {});
    const error = configurationErrorOf(unchecked);
    expect(error.message).toContain('dangerouslyAllowBrowser: true');
    expect(new Corridor({ ...unchecked, dangerouslyAllowBrowser: true })).toBeInstanceOf(Corridor);
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
