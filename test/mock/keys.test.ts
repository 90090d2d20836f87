import { createPublicKey, sign, verify } from 'node:crypto';
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
