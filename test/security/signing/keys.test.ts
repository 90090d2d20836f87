import { describe, expect, test, vi } from 'vitest';
import {
  SigningError,
  type PrivateKeySource,
  type CorridorOptions,
  type PaymentCreateParams,
  type Signer,
} from 'corridor-sdk';
import { generateKeyPairSync, sign } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { clientOf, FaultServer, json, networks } from '../../support/fault-server.ts';
import { privateKey as pkcs8 } from '../../support/key.ts';
import { key, jwk, certificate, binary } from './key-forms.ts';
import { scripted, unchecked } from '../../support/scripted-fetch.ts';

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
    ['as PKCS#8', () => pkcs8],
    ['as PKCS#1', () => pkcs1],
    ['with CRLF', () => pkcs8.replaceAll('\n', '\r\n')],
    ['with escaped newlines', () => pkcs8.replaceAll('\n', String.raw`\n`)],
    ['in quotes and with escaped newlines, as of an env file', () => JSON.stringify(pkcs8)],
    ['with a byte order mark and white space', () => `\uFEFF\n  ${pkcs8}  \n`],
    ['with carriage returns alone', () => pkcs8.replaceAll('\n', '\r')],
    ['with escaped CRLF', () => pkcs8.replaceAll('\n', String.raw`\r\n`)],
    ['with CRLF that was escaped twice', () => pkcs8.replaceAll('\n', String.raw`\\r\\n`)],
    ['with newlines that were escaped twice', () => pkcs8.replaceAll('\n', String.raw`\\n`)],
    ['with PKCS#1 and escaped newlines', () => pkcs1.replaceAll('\n', String.raw`\n`)],
    ['in single quotes', () => `'${pkcs8}'`],
    ['with a byte order mark in front of quotes', () => `\uFEFF"${pkcs8}"`],
    ['on one line, nothing between', () => pkcs8.replaceAll('\n', '')],
    ['on one line, spaces between', () => pkcs1.replaceAll('\n', ' ')],
    ['indented, as in YAML', () => pkcs8.replaceAll('\n', '\n    ')],
    ['behind its certificate', () => `${certificate}${pkcs8}`],
    [
      'among the attributes of a bag',
      () => `Bag Attributes\n    friendlyName: corridor\nKey Attributes: <No Attributes>\n${pkcs8}`,
    ],
    ['in backticks', () => `\`${pkcs8}\``],
    ['in base64', () => Buffer.from(pkcs8).toString('base64')],
    ['in base64, with PKCS#1 in quotes', () => `"${Buffer.from(pkcs1).toString('base64')}"\n`],
    ['in base64 on lines of 76', () => Buffer.from(pkcs8).toString('base64').replaceAll(/.{76}/g, '$&\n')],
    ['in base64, of escaped newlines', () => Buffer.from(pkcs8.replaceAll('\n', String.raw`\n`)).toString('base64')],
    ['in base64url', () => Buffer.from(pkcs8).toString('base64url')],
    ['as a JWK', () => jwk],
    [
      'as a JWK with further members',
      () => ({ ...jwk, alg: 'RS256', use: 'sig', kid: 'k1', key_ops: ['sign'], ext: false }),
    ],
    ['as an extractable CryptoKey', () => importOf(true)],
    ['as a CryptoKey that is not extractable', () => importOf(false)],
    ['by a function that gives a text', () => () => pkcs8],
    ['by a function that promises one', () => async () => pkcs1],
    ['by a function that gives a JWK', () => () => jwk],
    ['by a function that promises a CryptoKey', () => () => importOf(false)],
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

  test('may throw: ready() names the function, not its message', async () => {
    const error = await clientOf({ url: 'http://127.0.0.1:1' }, { privateKey: rejecting })
      .ready()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SigningError);
    expect((error as Error).message).toBe(
      'the token could not be signed: privateKey threw RangeError. Fix the function that is passed as privateKey',
    );
    expect((error as Error).cause).toBeUndefined();
  });

  test('may reject in a call: the same, and nothing is sent', async () => {
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

const newKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
const [first, second] = [newKey(), newKey()];

const rs256 = (key: string, bytes: Uint8Array): Uint8Array => new Uint8Array(sign('sha256', bytes, key));
const keyIdOf = (headers: Headers): unknown =>
  (
    JSON.parse(
      Buffer.from(
        String(headers.get('authorization')).slice('Bearer '.length).split('.')[0] ?? '',
        'base64url',
      ).toString(),
    ) as { readonly kid?: unknown }
  ).kid;

/** A client whose requests succeed, and the key id of each. */
function client(options: CorridorOptions) {
  const { corridor, sent } = scripted(() => ({ networks: [] }), {
    ...('privateKey' in options && { signer: undefined }),
    ...options,
  });
  return { corridor, keyIds: () => sent.map(({ headers }) => keyIdOf(headers)) };
}

describe('a privateKey function that returns a key id', () => {
  test('rotates the key and its id together', async () => {
    let current = { privateKey: first, keyId: 'key-1' };
    const { corridor, keyIds } = client({ privateKey: () => current });
    await corridor.crypto.networks();
    current = { privateKey: second, keyId: 'key-2' };
    await corridor.crypto.networks();

    expect(keyIds()).toEqual(['key-1', 'key-2']);
  });

  test('may return a key without an id, which then has the id of the option', async () => {
    let current: ReturnType<Extract<CorridorOptions['privateKey'], () => unknown>> = first;
    const { corridor, keyIds } = client({ keyId: 'key-0', privateKey: async () => current });
    await corridor.crypto.networks();
    current = { privateKey: second, keyId: 'key-2' };
    await corridor.crypto.networks();

    expect(keyIds()).toEqual(['key-0', 'key-2']);
  });

  test.each([
    ['', 'an empty string'],
    [7, 'number'],
    [null, 'object'],
  ])('must not return %j as the key id', async (keyId, shown) => {
    const { corridor, keyIds } = client({ privateKey: () => ({ privateKey: first, keyId: keyId as string }) });
    await expect(corridor.crypto.networks()).rejects.toMatchObject({
      code: 'signing',
      outcome: 'not-sent',
      message: expect.stringContaining(
        `keyId that privateKey returned must be a non-empty string (received ${shown})`,
      ) as string,
    });
    expect(keyIds()).toEqual([]);
  });

  test.each([
    ['', 'privateKey is empty'],
    [null, 'privateKey must be a PEM string, a JWK'],
    [7, 'privateKey must be a PEM string, a JWK'],
    [{ privateKey: null, keyId: 'key-1' }, 'privateKey must be a PEM string, a JWK'],
  ])('must not return %j', async (returned, message) => {
    const { corridor, keyIds } = client({ privateKey: () => returned as unknown as string });
    await expect(corridor.crypto.networks()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(message) as string,
    });
    expect(keyIds()).toEqual([]);
  });
});

describe('a signer that reports its key id', () => {
  test('signs the token with the id of the key that signed it, also when the key rotates', async () => {
    const signed: string[] = [];
    let keyId = 'key-1';
    const signer: Signer = async (bytes) => {
      signed.push(keyId);
      return { signature: rs256(first, bytes), keyId };
    };
    const { corridor, keyIds } = client({ signer });
    await corridor.crypto.networks();
    await corridor.crypto.networks();
    keyId = 'key-2';
    await corridor.crypto.networks();

    expect(keyIds()).toEqual(['key-1', 'key-1', 'key-2']);
    // The first token and the first one after the rotation are signed twice.
    expect(signed).toEqual(['key-1', 'key-1', 'key-1', 'key-2', 'key-2']);
  });

  test('that reports another id for every signature fails before anything is sent', async () => {
    let count = 0;
    const { corridor, keyIds } = client({
      signer: async (bytes) => ({ signature: rs256(first, bytes), keyId: `key-${(count += 1)}` }),
    });
    await expect(corridor.crypto.networks()).rejects.toMatchObject({ code: 'signing', outcome: 'not-sent' });
    expect(count).toBe(3);
    expect(keyIds()).toEqual([]);
  });

  test('must not have the API key in the id that the client is created with', () => {
    expect(() => client({ keyId: `key-of-${String(unchecked.apiKey)}` })).toThrow('must not contain the API key');
  });

  test('must not report the API key as its id', async () => {
    const { corridor } = client({
      signer: async (bytes) => ({ signature: rs256(first, bytes), keyId: String(unchecked.apiKey) }),
    });
    await expect(corridor.crypto.networks()).rejects.toThrow('must not contain the API key');
  });
});

test('concurrent calls during a rotation all have the id of the key that signed them', async () => {
  const keys = new Map([
    ['key-1', first],
    ['key-2', second],
  ]);
  let count = 0;
  const { corridor, sent } = scripted(() => ({ networks: [] }), {
    signer: async (bytes) => {
      const keyId = (count += 1) > 3 ? 'key-2' : 'key-1';
      return { signature: rs256(String(keys.get(keyId)), bytes), keyId };
    },
  });
  await Promise.all(Array.from({ length: 5 }, () => corridor.crypto.networks()));

  for (const { headers } of sent) {
    const [header, claims, signature] = String(headers.get('authorization')).slice('Bearer '.length).split('.');
    const expected = rs256(String(keys.get(String(keyIdOf(headers)))), Buffer.from(`${header}.${claims}`));
    expect(signature).toBe(Buffer.from(expected).toString('base64url'));
  }
});

const named = (name: string, fields: object): Error => Object.assign(new Error('secret text'), { name, ...fields });
const transient: Readonly<Record<string, Error>> = {
  'AWS: a throttled request': named('ThrottlingException', { $metadata: { httpStatusCode: 400 } }),
  'AWS: an error that its client calls retryable': named('Error', { $retryable: {} }),
  'AWS: an internal error': named('KMSInternalException', { $metadata: { httpStatusCode: 500 } }),
  'Google Cloud: unavailable': named('Error', { code: 14 }),
  'Azure: too many requests': named('RestError', { statusCode: 429 }),
  'a broken connection': new TypeError('fetch failed', { cause: named('Error', { code: 'ECONNRESET' }) }),
  'a timeout': new DOMException('The operation timed out', 'TimeoutError'),
};

describe('a signer that fails', () => {
  const payment: PaymentCreateParams = {
    customerId: 'cus_1',
    beneficiaryId: 'ben_1',
    paymentQuoteId: 'quo_1',
    documentIds: ['doc_1'],
    amount: '10.00',
    currencyCode: 'USD',
    purposeOfPayment: 'Goods',
  };
  const failing = (errors: Error[]): Pick<CorridorOptions, 'signer' | 'sleep'> => ({
    signer: async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return new Uint8Array(256);
    },
    sleep: (milliseconds, signal) =>
      milliseconds < 30_000
        ? Promise.resolve()
        : new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  });

  /** An error with causes of causes, of which the last one passes. */
  const nested = (depth: number): Error =>
    depth === 0 ? named('Error', { code: 'ECONNRESET' }) : named('Error', { cause: nested(depth - 1) });

  test.each([
    [3, 2],
    [4, 1],
  ])('for a cause that passes, at a depth of %i, is called %i times', async (depth, calls) => {
    const { corridor } = scripted(() => Response.json({}, { status: 422 }), failing([nested(depth)]));
    await expect(corridor.crypto.networks()).rejects.toMatchObject({ attempts: { length: calls } });
  });

  test.each(Object.entries(transient))('is called again, for a payment too: %s', async (_, error) => {
    const { corridor, sent } = scripted(() => Response.json({}, { status: 422 }), failing([error]));
    await expect(corridor.payments.create(payment)).rejects.toMatchObject({
      code: 'unprocessable-entity',
      attempts: [{ errorType: 'signing' }, { status: 422 }],
    });
    expect(sent).toHaveLength(1);
  });

  test('for good is reported after the retries, and nothing is sent', async () => {
    const errors = Array.from({ length: 9 }, () => named('RestError', { statusCode: 503 }));
    const { corridor, sent } = scripted(() => ({ networks: [] }), failing(errors));
    const call = corridor.crypto.networks();
    await expect(call).rejects.toMatchObject({ code: 'signing', outcome: 'not-sent', attempts: { length: 3 } });
    await expect(call).rejects.not.toThrow('secret text');
    expect(sent).toEqual([]);
  });

  test.each([
    named('AccessDeniedException', { $metadata: { httpStatusCode: 400 } }),
    named('Error', { code: 7 }),
    named('RestError', { statusCode: 403 }),
    new TypeError('a bug'),
  ])('in a way that does not pass is not called again: $name $code $statusCode', async (error) => {
    const { corridor } = scripted(() => ({ networks: [] }), failing([error]));
    await expect(corridor.crypto.networks()).rejects.toMatchObject({ code: 'signing', attempts: { length: 1 } });
  });

  test('by rejecting with nothing is not called again', async () => {
    const { corridor } = scripted(() => ({ networks: [] }), { signer: () => Promise.reject(null) });
    await expect(corridor.crypto.networks()).rejects.toMatchObject({
      code: 'signing',
      message: expect.stringContaining('signer threw object') as string,
      attempts: { length: 1 },
    });
  });

  test('with an error of another realm, as in Jest, has the name of the error in its message', async () => {
    const error = runInNewContext("new RangeError('secret text')") as Error;
    const { corridor } = scripted(() => ({ networks: [] }), failing([error]));
    await expect(corridor.crypto.networks()).rejects.toThrow('signer threw RangeError.');
  });

  test('is not confused with claims that fail, which are a bug of the caller', async () => {
    const claims = (): never => {
      throw new DOMException('The operation timed out', 'TimeoutError');
    };
    const { corridor } = scripted(() => ({ networks: [] }), { claims });
    await expect(corridor.crypto.networks()).rejects.toMatchObject({
      code: 'signing',
      message: expect.stringContaining('claims threw TimeoutError') as string,
      attempts: { length: 1 },
    });
  });
});

test('a signer may return bytes of another realm, as in Jest with jsdom', async () => {
  const bytes = runInNewContext('new Uint8Array(256)') as Uint8Array;
  for (const result of [bytes, { signature: bytes }]) {
    const { corridor, sent } = scripted(() => ({ networks: [] }), { signer: async () => result });
    await corridor.crypto.networks();
    expect(sent).toHaveLength(1);
  }
});
