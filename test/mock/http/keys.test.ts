import { generateKeyPairSync } from 'node:crypto';
import { exportPKCS8, generateKeyPair } from 'jose';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { platformAtStart } from '../fixture.ts';
import { call } from '../sign.ts';
import { path, tokenSignedWith } from './claims.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('keys', () => {
  test('are shared within the process: the n-th organization of any platform has the n-th pair', async () => {
    const [first, second] = [createMockPlatform(), createMockPlatform({ seed: 2 })];
    expect(await first.credentials()).toMatchObject({ publicKey: (await second.credentials()).publicKey });
    expect((await first.organization().credentials()).publicKey).toBe(
      (await second.organization().credentials()).publicKey,
    );
    expect((await first.credentials()).publicKey).not.toBe((await first.organization().credentials()).publicKey);
  });

  test('are PEM strings', async () => {
    const { baseUrl, apiKey, privateKey, publicKey } = await createMockPlatform().credentials();
    expect({ baseUrl, apiKey }).toEqual({
      baseUrl: 'https://api.corridor.test',
      apiKey: expect.stringMatching(/^corridor_test_\w{32}$/),
    });
    expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  });

  test('can be passed: a private key', async () => {
    const { privateKey, publicKey } = await createMockPlatform().organization().credentials();
    const platform = createMockPlatform({ privateKey, apiKey: 'mine' });
    const credentials = await platform.credentials();
    expect({ ...credentials, publicKey: credentials.publicKey.trim() }).toMatchObject({
      privateKey,
      publicKey: publicKey.trim(),
      apiKey: 'mine',
    });
    await expect(new Corridor(platform.clientOptions()).crypto.networks()).resolves.not.toHaveLength(0);
  });

  test('can be passed: only a public key, if the private key is kept elsewhere', async () => {
    const elsewhere = createMockPlatform();
    const platform = createMockPlatform({ publicKey: (await elsewhere.credentials()).publicKey });
    const { privateKey } = elsewhere.clientOptions();
    await expect(new Corridor({ ...platform.clientOptions(), privateKey }).crypto.networks()).resolves.not.toHaveLength(
      0,
    );
    await expect(platform.credentials()).rejects.toThrow('this organization has a public key only');
  });

  test.each([{ publicKey: 'no key' }, { privateKey: 'no key' }])(
    'that are invalid throw when they are needed: %o',
    async (given) => {
      await expect(createMockPlatform(given).credentials()).rejects.toThrow(
        'publicKey or privateKey is not a valid RSA key',
      );
    },
  );

  test('that are invalid are reported in the responses of their own organization and do not affect others', async () => {
    const platform = platformAtStart();
    const broken = platform.organization({ publicKey: 'no key' });
    const { privateKey } = platform.clientOptions();
    const signer = { ...broken.clientOptions(), privateKey };
    expect(await call(signer, { path })).toMatchObject({
      status: 401,
      body: {
        code: 'unusable_key',
        message: expect.stringContaining(
          `the tokens of ${broken.id} cannot be verified: publicKey or privateKey is not a valid RSA key`,
        ),
      },
    });
    const { privateKey: another } = platform.organization().clientOptions();
    expect(await call({ ...platform.clientOptions(), privateKey: another }, { path })).toMatchObject({
      status: 401,
      body: { code: 'bad_signature' },
    });
    expect(
      await call(platform.clientOptions(), {
        path,
        ...(await tokenSignedWith('RS256', (await generateKeyPair('RS256')).privateKey)),
      }),
    ).toMatchObject({ status: 401, body: { code: 'bad_signature' } });
  });

  test('of fewer than 2048 bits throw', async () => {
    const options = {
      modulusLength: 1024,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    } as const;
    const { publicKey, privateKey } = generateKeyPairSync('rsa', options);
    await expect(createMockPlatform({ privateKey }).credentials()).rejects.toThrow(
      'privateKey must be an RSA key of at least 2048 bits (received 1024 bits). Generate a pair with `npx corridor-sdk keygen`.',
    );
    await expect(createMockPlatform({ publicKey, privateKey }).credentials()).rejects.toThrow(
      'publicKey must be an RSA key of at least 2048 bits (received 1024 bits)',
    );
  });

  test('that do not belong together throw', async () => {
    const platform = createMockPlatform();
    const [{ publicKey }, { publicKey: own, privateKey }] = await Promise.all([
      platform.credentials(),
      platform.organization().credentials(),
    ]);
    await expect(createMockPlatform({ publicKey, privateKey }).credentials()).rejects.toThrow(
      'publicKey does not belong to privateKey. Omit publicKey to derive it from privateKey.',
    );
    await expect(
      createMockPlatform({ publicKey: own.replaceAll('\n', '\r\n'), privateKey }).credentials(),
    ).resolves.toMatchObject({ privateKey });
  });

  test('of an elliptic curve throw', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    await expect(createMockPlatform({ privateKey: await exportPKCS8(privateKey) }).credentials()).rejects.toThrow(
      'publicKey or privateKey is not a valid RSA key',
    );
  });

  /** Makes the next key of the process the first one. */
  const forgetKeys = (): boolean => Reflect.deleteProperty(globalThis, Symbol.for('corridor-sdk.mock.key-pool'));

  test('are generated when they are first needed, once per process', async () => {
    forgetKeys();
    const generate = vi.spyOn(crypto.subtle, 'generateKey');
    const [one, other] = [createMockPlatform(), createMockPlatform()];
    for (const platform of [one, other]) Array.from({ length: 8 }, () => platform.organization());
    const response = await one.fetch(`${one.baseUrl}${path}`, { headers: { 'x-api-key': 'unknown' } });
    expect(response.status).toBe(401);
    expect(generate).not.toHaveBeenCalled();
    await one.organizations[3]?.credentials();
    await other.organizations[3]?.credentials();
    expect(generate).toHaveBeenCalledTimes(1);
  });
});
