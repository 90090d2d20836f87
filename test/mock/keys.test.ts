import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

test('every organization has keys of its own, made without searching for primes', async () => {
  const platform = createMockPlatform();
  const organizations = Array.from({ length: 20 }, () => platform.organization());
  const credentials = await Promise.all([platform, ...organizations].map((organization) => organization.credentials()));
  const publicKeys = credentials.map(({ publicKey }) => publicKey);
  const moduli = publicKeys.map((key) => createPublicKey(key).export({ format: 'jwk' }).n);

  expect(new Set(publicKeys).size).toBe(21);
  expect(new Set(moduli).size).toBe(1);
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

test('a token of another organization is recognized, and the keys of at most 20 others are tried', async () => {
  const platform = createMockPlatform();
  const organizations = Array.from({ length: 25 }, () => platform.organization());
  await Promise.all(organizations.map((organization) => organization.credentials()));
  const codeWith = (privateKey: string | (() => Promise<string>)) =>
    new Corridor({ ...platform.clientOptions(), privateKey }).crypto.networks().then(
      () => undefined,
      ({ platformCode }: { readonly platformCode?: string }) => platformCode,
    );

  expect(await codeWith(organizations[0]?.clientOptions().privateKey ?? '')).toBe('foreign_key');
  expect(await codeWith(organizations[24]?.clientOptions().privateKey ?? '')).toBe('bad_signature');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(await codeWith(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toBe('bad_signature');
});
