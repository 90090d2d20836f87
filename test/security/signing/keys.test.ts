import { describe, expect, test, vi } from 'vitest';
import { SigningError, type PrivateKeySource } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks } from '../../reliability/fault-server.js';
import { privateKey as pkcs8 } from '../../reliability/key.js';
import { key, jwk, certificate, binary } from './key-forms.js';

const pkcs1 = key.export({ type: 'pkcs1', format: 'pem' }).toString();

describe('a key is accepted', () => {
  const importOf = (extractable: boolean): Promise<CryptoKey> =>
    crypto.subtle.importKey(
      'pkcs8',
      binary('pkcs8') as unknown as ArrayBuffer,
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      extractable,
      ['sign'],
    );

  test.each<readonly [name: string, make: () => PrivateKeySource | Promise<PrivateKeySource>]>([
    ['J2 as PKCS#8', () => pkcs8],
    ['J2 as PKCS#1', () => pkcs1],
    ['J2 with CRLF', () => pkcs8.replaceAll('\n', '\r\n')],
    ['J2 with escaped newlines', () => pkcs8.replaceAll('\n', String.raw`\n`)],
    ['J2 in quotes and with escaped newlines, as of an env file', () => JSON.stringify(pkcs8)],
    ['J2 with a byte order mark and white space', () => `\uFEFF\n  ${pkcs8}  \n`],
    ['J2 with carriage returns alone', () => pkcs8.replaceAll('\n', '\r')],
    ['J2 with escaped CRLF', () => pkcs8.replaceAll('\n', String.raw`\r\n`)],
    ['J2 with newlines that were escaped twice', () => pkcs8.replaceAll('\n', String.raw`\\n`)],
    ['J2 with PKCS#1 and escaped newlines', () => pkcs1.replaceAll('\n', String.raw`\n`)],
    ['J2 in single quotes', () => `'${pkcs8}'`],
    ['J2 with a byte order mark in front of quotes', () => `\uFEFF"${pkcs8}"`],
    ['J2 on one line, nothing between', () => pkcs8.replaceAll('\n', '')],
    ['J2 on one line, spaces between', () => pkcs1.replaceAll('\n', ' ')],
    ['J2 indented, as in YAML', () => pkcs8.replaceAll('\n', '\n    ')],
    ['J2 behind its certificate', () => `${certificate}${pkcs8}`],
    [
      'J2 among the attributes of a bag',
      () => `Bag Attributes\n    friendlyName: corridor\nKey Attributes: <No Attributes>\n${pkcs8}`,
    ],
    ['J2 as a JWK', () => jwk],
    [
      'J2 as a JWK with further members',
      () => ({ ...jwk, alg: 'RS256', use: 'sig', kid: 'k1', key_ops: ['sign'], ext: false }),
    ],
    ['J2 as an extractable CryptoKey', () => importOf(true)],
    ['J2 as a CryptoKey that is not extractable', () => importOf(false)],
    ['J2 by a function that gives a text', () => () => pkcs8],
    ['J2 by a function that promises one', () => async () => pkcs1],
    ['J2 by a function that gives a JWK', () => () => jwk],
    ['J2 by a function that promises a CryptoKey', () => () => importOf(false)],
  ])('%s, and its tokens verify', async (_, make) => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    await clientOf(server, { privateKey: await make() }).crypto.networks();
    expect(server.received.map(({ verified }) => verified)).toEqual([true]);
  });
});

test('a valid key that the runtime first rejects because of an unrelated earlier error is accepted', async () => {
  const importKey = vi
    .spyOn(crypto.subtle, 'importKey')
    .mockRejectedValueOnce(new DOMException('Invalid keyData', 'DataError'));
  await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
  await clientOf(server, { privateKey: `${pkcs8}\n\n` }).crypto.networks();
  importKey.mockRestore();
  expect(server.received.map(({ verified }) => verified)).toEqual([true]);
});

describe('a function that returns the key', () => {
  const rejecting = (): never => {
    throw Object.assign(new RangeError('the vault refused token hvs.canary-4711'), {
      headers: { 'x-vault-token': 'hvs.canary-4711' },
    });
  };

  test('J2 may throw: ready() names the function, not its message', async () => {
    const error = await clientOf({ url: 'http://127.0.0.1:1' }, { privateKey: rejecting })
      .ready()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SigningError);
    expect((error as Error).message).toBe(
      'the token could not be signed: privateKey threw RangeError. Fix the function that is passed as privateKey',
    );
    expect((error as Error).cause).toBeUndefined();
  });

  test('J2 may reject in a call: the same, and nothing is sent', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const error = await clientOf(server, { privateKey: async () => rejecting() })
      .crypto.networks()
      .catch((reason: unknown) => reason);
    expect((error as Error).message).toBe(
      'the token could not be signed: privateKey threw RangeError. Fix the function that is passed as privateKey',
    );
    expect(server.received).toEqual([]);
  });
});
