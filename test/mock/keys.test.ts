import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { Corridor } from 'corridor-sdk';
import { connectMockPlatform, createMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, onTestFinished, test } from 'vitest';

test('eight organizations have keys of their own, and more of them share these', async () => {
  const platform = createMockPlatform();
  const organizations = Array.from({ length: 15 }, () => platform.organization());
  const credentials = await Promise.all([platform, ...organizations].map((organization) => organization.credentials()));
  const publicKeys = credentials.map(({ publicKey }) => publicKey);

  expect(new Set(publicKeys.slice(0, 8)).size).toBe(8);
  expect(publicKeys.slice(8)).toEqual(publicKeys.slice(0, 8));
});

test('each key verifies only signatures of its own private key', async () => {
  const platform = createMockPlatform();
  const pairs = await Promise.all(
    [platform, platform.organization(), platform.organization()].map((organization) => organization.credentials()),
  );
  const message = Buffer.from('a request');
  for (const { privateKey } of pairs) {
    const signature = sign('sha256', message, privateKey);
    const verified = pairs.map(({ publicKey }) => verify('sha256', message, publicKey, signature));
    expect(verified).toEqual(pairs.map((pair) => pair.privateKey === privateKey));
  }
});

describe('a rotation', () => {
  const generated = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

  /** A platform in this process, and one that is served, with a client that has its first keys. */
  async function served() {
    const server = await serveMockPlatform({ control: true });
    onTestFinished(() => server.close());
    return connectMockPlatform(server.url);
  }
  const places = [
    ['in process', async () => createMockPlatform()],
    ['of a server', served],
  ] as const;

  test.each(places)('of the public key %s: both keys sign until the old one is revoked', async (_, open) => {
    const platform = await open();
    const old = new Corridor(await platform.clientOptions());
    const rotated = new Corridor({ ...(await platform.clientOptions()), privateKey: generated.privateKey });
    await expect(rotated.crypto.networks()).rejects.toMatchObject({ status: 401, platformCode: 'bad_signature' });

    const [first] = await platform.keys.publicKeys();
    const added = await platform.keys.addPublicKey(generated.publicKey);
    await Promise.all([old.crypto.networks(), rotated.crypto.networks()]);
    await platform.keys.revokePublicKey(first?.keyId ?? '');

    await expect(old.crypto.networks()).rejects.toMatchObject({ status: 401, platformCode: 'bad_signature' });
    await rotated.crypto.networks();
    expect(await platform.keys.publicKeys()).toEqual([added]);
  });

  test.each(places)('of the API key %s: both keys are accepted until the old one is revoked', async (_, open) => {
    const platform = await open();
    const options = await platform.clientOptions();
    const [old, rotated] = [new Corridor(options), new Corridor({ ...options, apiKey: 'corridor_test_new' })];
    await expect(rotated.crypto.networks()).rejects.toMatchObject({ status: 401, platformCode: 'unknown_api_key' });

    await platform.keys.addApiKey('corridor_test_new');
    await Promise.all([old.crypto.networks(), rotated.crypto.networks()]);
    await platform.keys.revokeApiKey(options.apiKey);

    await expect(old.crypto.networks()).rejects.toMatchObject({ status: 401, platformCode: 'unknown_api_key' });
    await rotated.crypto.networks();
    expect(await platform.keys.apiKeys()).toEqual(['corridor_test_new']);
  });

  test('shows in the requests which key signed', async () => {
    const platform = createMockPlatform();
    const { keyId } = await platform.keys.addPublicKey(generated.publicKey);
    const [first] = await platform.keys.publicKeys();
    const options = platform.clientOptions();
    await new Corridor(options).crypto.networks();
    await new Corridor({ ...options, privateKey: generated.privateKey }).crypto.networks();

    expect(platform.requests.map((request) => request.keyId)).toEqual([first?.keyId, keyId]);
  });

  test('is kept by a snapshot, and undone by a reset', async () => {
    const [platform, other] = [createMockPlatform({ apiKey: 'first' }), createMockPlatform({ apiKey: 'first' })];
    await platform.keys.addPublicKey(generated.publicKey);
    platform.keys.addApiKey('second');
    platform.keys.revokeApiKey('first');
    other.restore(JSON.parse(JSON.stringify(platform.snapshot())));
    platform.reset();

    expect([other.keys.apiKeys(), platform.keys.apiKeys()]).toEqual([['second'], ['first']]);
    expect([(await other.keys.publicKeys()).length, (await platform.keys.publicKeys()).length]).toEqual([2, 1]);
  });

  test('rejects keys that are invalid, of others or not registered', async () => {
    const platform = createMockPlatform();
    await platform.keys.addPublicKey(generated.publicKey);
    await expect(platform.keys.addPublicKey(generated.publicKey)).rejects.toThrow('is already registered');
    await expect(platform.keys.addPublicKey(generated.privateKey)).rejects.toThrow('SPKI PEM format');
    await expect(platform.keys.revokePublicKey('unknown')).rejects.toThrow('Call keys.publicKeys');
    expect(() => platform.keys.addApiKey('')).toThrow('apiKey must be a non-empty string');
    expect(() => platform.keys.addApiKey(platform.organization().clientOptions().apiKey)).toThrow('already belongs');
    expect(() => platform.keys.revokeApiKey('unknown')).toThrow('Call keys.apiKeys');
  });
});
