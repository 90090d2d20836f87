import { sign, verify } from 'node:crypto';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

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
