import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  createPrivateKey,
  type JsonWebKey as NodeJsonWebKey,
} from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, Corridor, endpointNames, type CorridorOptions, type PrivateKeySource } from 'corridor-sdk';
import { readFileSync } from 'node:fs';
import { failureOf } from '../../support/failure-of.ts';
import { calls, goodInput } from '../../support/calls.ts';
import { clientOf, FaultServer, json, networks, paymentRequest, type Received } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { patience, sizes } from '../sizes.ts';

const respondingServer = () => new FaultServer((response) => json(response, 200, networks)).listen();
const rejectingServer = () => new FaultServer((response) => json(response, 400, {})).listen();
const headerOf = ({ headers }: Received): unknown =>
  JSON.parse(Buffer.from(String(headers.authorization).slice(7).split('.')[0] ?? '', 'base64url').toString());
const distinctTokens = ({ received }: FaultServer): number => new Set(received.map(({ claims }) => claims['jti'])).size;

describe('every request has a token', patience, () => {
  for (const name of endpointNames) {
    it(`${name}: it verifies, and is bound to method, path, query and body as they arrive`, async () => {
      await using server = await rejectingServer();
      const before = Math.floor(Date.now() / 1000);
      await failureOf(
        calls[name](
          clientOf(server, { keyId: 'k1', issuer: 'us', subject: 'me', audience: 'them', tokenLifetime: 30 }),
          goodInput[name],
        ),
      );
      const [arrived] = server.received as [Received];
      expect(arrived.verified).toBe(true);
      expect(headerOf(arrived)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
      const { iat, exp, jti, ...rest } = arrived.claims;
      expect(rest).toEqual({
        uri: arrived.url,
        bodyHash: createHash('sha256').update(arrived.body).digest('hex'),
        iss: 'us',
        sub: 'me',
        aud: 'them',
      });
      expect(jti).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number(iat)).toBeGreaterThanOrEqual(before - 5);
      expect(Number(iat)).toBeLessThanOrEqual(Date.now() / 1000 - 5);
      expect(Number(exp) - Number(iat)).toBe(35);
    });
  }

  it(`${sizes.sends} requests, two of three of them retries: as many different jti, all verified with the public key`, async () => {
    await using server = await new FaultServer((response, _, number) =>
      number % 3 === 0 ? json(response, 200, networks) : json(response, 503, {}, { 'retry-after': '0' }),
    ).listen();
    const corridor = clientOf(server);
    while (server.received.length < sizes.sends) await corridor.crypto.networks();
    expect(distinctTokens(server)).toBe(server.received.length);
    expect(server.received.every(({ verified }) => verified)).toBe(true);
  });

  it(`${sizes.parallel} calls at once: as many different jti, all verified`, async () => {
    await using server = await respondingServer();
    const corridor = clientOf(server);
    await Promise.all(Array.from({ length: sizes.parallel }, () => corridor.crypto.networks()));
    expect(server.received).toHaveLength(sizes.parallel);
    expect(distinctTokens(server)).toBe(sizes.parallel);
    expect(server.received.every(({ verified }) => verified)).toBe(true);
  });

  it('a create that is sent three times: the same body bytes, different tokens', async () => {
    await using server = await new FaultServer((response) => json(response, 429, {}, { 'retry-after': '0' })).listen();
    await failureOf(clientOf(server).payments.create({ ...paymentRequest, memo: 'Grüße 😀' }));
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
    expect(distinctTokens(server)).toBe(3);
    for (const { verified, body, claims } of server.received) {
      expect(verified).toBe(true);
      expect(claims['bodyHash']).toBe(createHash('sha256').update(body).digest('hex'));
    }
  });
});

describe('the algorithm is RS256', () => {
  it('with any claims', async () => {
    await using server = await respondingServer();
    await clientOf(server, { claims: () => ({ alg: 'none', typ: 'none' }) }).crypto.networks();
    expect(server.received.map(headerOf)).toEqual([{ alg: 'RS256', typ: 'JWT' }]);
  });

  it.each(['none', 'HS256', 'RS512', 'PS256', 'ES256'])('a JWK for %s is rejected', async (alg) => {
    await using server = await respondingServer();
    const jwk = {
      ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
      alg,
    } as JsonWebKey;
    expect((await failureOf(clientOf(server, { privateKey: jwk }).crypto.networks())).message).toBe(
      'privateKey is not a private RSA key as a JWK: alg must be "RS256" (received string); pass all parts of a private RSA key',
    );
    expect(server.received).toEqual([]);
  });
});

describe('claims', () => {
  it('of the caller are added to the default ones or replace them', async () => {
    await using server = await respondingServer();
    await clientOf(server, {
      issuer: 'us',
      claims: ({ endpoint, method }) => ({ nonce: `${method} ${endpoint}`, jti: 'mine', iss: 'them' }),
    }).crypto.networks();
    expect(server.received[0]?.claims).toMatchObject({ nonce: 'GET crypto.networks', jti: 'mine', iss: 'them' });
    expect(server.received[0]?.verified).toBe(true);
  });

  it.each<readonly [name: string, options: CorridorOptions]>([
    ['a claim', { claims: () => ({ sub: 'my-secret-"api"-key' }) }],
    ['a claim within a claim', { claims: () => ({ context: { keys: ['x my-secret-"api"-key x'] } }) }],
    ['the issuer', { issuer: 'my-secret-"api"-key' }],
  ])('that contain the API key in %s are rejected', async (_, options) => {
    await using server = await respondingServer();
    const error = await failureOf(clientOf(server, { apiKey: 'my-secret-"api"-key', ...options }).crypto.networks());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe(
      'claims and keyId must not contain the API key, because anyone who sees a token can read it. Remove it',
    );
    expect(server.received).toEqual([]);
  });

  it.each([
    ['a promise', async () => ({ scope: 'read' })],
    ['a text', () => 'scope'],
    ['a list', () => ['scope']],
    ['nothing', () => undefined],
    ['null', () => null],
  ])('that are %s are rejected, not omitted', async (_, claims) => {
    await using server = await respondingServer();
    const error = await failureOf(
      clientOf(server, { claims: claims as unknown as NonNullable<CorridorOptions['claims']> }).crypto.networks(),
    );
    expect(error.message).toBe(
      'claims must return an object of claims, not a promise or another value. Make the function synchronous',
    );
    expect(server.received).toEqual([]);
  });

  it('that are not JSON are rejected', async () => {
    await using server = await respondingServer();
    const error = await failureOf(clientOf(server, { claims: () => ({ amount: 10n }) }).crypto.networks());
    expect(error).toMatchObject({
      code: 'signing',
      outcome: 'not-sent',
      message: 'the token could not be signed: claims threw TypeError. Fix the function that is passed as claims',
    });
    expect(server.received).toEqual([]);
  });
});

describe('a signer', () => {
  const signing = async (bytes: Uint8Array): Promise<Uint8Array> => sign('sha256', bytes, privateKey);

  it('receives the bytes of the signing input, and its signature is sent', async () => {
    await using server = await respondingServer();
    let input = '';
    await clientOf(server, {
      privateKey: undefined,
      signer: (bytes) => {
        input = Buffer.from(bytes).toString();
        return signing(bytes);
      },
    }).crypto.networks();
    const token = String(server.received[0]?.headers.authorization).slice(7);
    expect(input).toBe(token.split('.').slice(0, 2).join('.'));
    expect(server.received[0]?.verified).toBe(true);
  });

  it('that is too slow: nothing is sent, even after it finishes', async () => {
    await using server = await respondingServer();
    const signed = Promise.withResolvers<Uint8Array>();
    const error = await failureOf(
      clientOf(server, {
        privateKey: undefined,
        signer: () => signed.promise,
        timeout: 20,
        maxRetries: 0,
      }).payments.create(paymentRequest),
    );
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(error.message).toContain('while signing the request');
    signed.resolve(new Uint8Array(256));
    await clientOf(server).crypto.networks();
    expect(server.received.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each([
    ['a short signature', new Uint8Array(64)],
    ['an ArrayBuffer', new ArrayBuffer(256)],
    ['a text', 'x'.repeat(256)],
    ['nothing', undefined],
  ])('that returns %s is rejected', async (_, given) => {
    await using server = await respondingServer();
    const error = await failureOf(
      clientOf(server, { privateKey: undefined, signer: async () => given as Uint8Array }).crypto.networks(),
    );
    expect(error.message).toBe(
      'signer must resolve to the RS256 signature as a Uint8Array of at least 256 bytes (RSA of 2048 bits or more). Return the bytes, not base64',
    );
    expect(server.received).toEqual([]);
  });
});

describe('a key that is rotated', () => {
  it('by a function: the next request uses the new key in any format, and back again', async () => {
    await using server = await respondingServer();
    const pairs = Array.from({ length: 3 }, () => generateKeyPairSync('rsa', { modulusLength: 2048 }));
    const forms = [
      pairs[0]?.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() ?? '',
      pairs[1]?.privateKey.export({ format: 'jwk' }) as JsonWebKey,
      pairs[2]?.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() ?? '',
    ];
    const order = [0, 1, 2, 0, 0, 2, 1];
    let current = 0;
    const corridor = clientOf(server, { privateKey: (() => forms[current]) as PrivateKeySource });
    for (current of order) await corridor.crypto.networks();
    const signedBy = server.received.map(({ headers }) => {
      const [header, payload, signature = ''] = String(headers.authorization).slice(7).split('.');
      return pairs.findIndex(({ publicKey }) =>
        verify('sha256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url')),
      );
    });
    expect(signedBy).toEqual(order);
  });

  it('between two attempts of one call: the retry uses the new key', async () => {
    const next = generateKeyPairSync('rsa', { modulusLength: 2048 });
    let current = privateKey;
    await using server = await new FaultServer((response, _, number) => {
      current = next.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      json(response, number === 1 ? 503 : 200, networks, { 'retry-after': '0' });
    }).listen();
    await clientOf(server, { privateKey: () => current }).crypto.networks();
    expect(server.received.map(({ verified }) => verified)).toEqual([true, false]);
    const [header, payload, signature = ''] = String(server.received[1]?.headers.authorization).slice(7).split('.');
    expect(
      verify(
        'sha256',
        Buffer.from(`${header}.${payload}`),
        createPublicKey(next.privateKey),
        Buffer.from(signature, 'base64url'),
      ),
    ).toBe(true);
  });

  it('with an invalid key: nothing is sent until a valid one is returned', async () => {
    await using server = await respondingServer();
    let current = 'no key at all';
    const corridor = clientOf(server, { privateKey: () => current });
    expect((await failureOf(corridor.crypto.networks())).message).toContain('privateKey is not PEM');
    current = privateKey;
    await corridor.crypto.networks();
    expect(server.received.map(({ verified }) => verified)).toEqual([true]);
  });
});

/** One vector of docs/signing-vectors.json. */
interface Vector {
  readonly name: string;
  readonly options: Pick<CorridorOptions, 'baseUrl' | 'keyId' | 'issuer' | 'subject' | 'audience' | 'tokenLifetime'>;
  readonly now: number;
  readonly jti: string;
  readonly call: readonly [
    namespace: 'payments' | 'customers' | 'crypto' | 'documents' | 'support',
    method: string,
    ...parameters: unknown[],
  ];
  readonly request: { readonly method: string; readonly uri: string; readonly body: string };
  readonly bodyHash: string;
  readonly header: string;
  readonly payload: string;
  readonly signingInput: string;
  readonly token: string;
}

const file = JSON.parse(readFileSync(new URL('../../../docs/signing-vectors.json', import.meta.url), 'utf8')) as {
  readonly testOnlyPrivateKey: JsonWebKey;
  readonly vectors: readonly Vector[];
};

/** Returns the request that the client sends for a vector's call. */
async function sent(vector: Vector): Promise<{ url: string; method: string; body: string; token: string }> {
  let seen: { url: string; init: RequestInit } | undefined;
  const corridor = new Corridor({
    baseUrl: 'https://api.example.com',
    apiKey: 'key_for_tests',
    privateKey: file.testOnlyPrivateKey,
    maxRetries: 0,
    ...vector.options,
    now: () => vector.now,
    claims: () => ({ jti: vector.jti }),
    fetch: async (url, init) => {
      seen = { url: String(url), init };
      return new Response('{}', { status: 400 });
    },
  });
  const [namespace, method, ...parameters] = vector.call;
  const call = (corridor[namespace] as unknown as Record<string, (...values: unknown[]) => PromiseLike<unknown>>)[
    method
  ]?.bind(corridor[namespace]);
  await call?.(...parameters).then(
    () => {},
    () => {},
  );
  const headers = seen?.init.headers as Record<string, string>;
  return {
    url: seen?.url ?? '',
    method: seen?.init.method ?? '',
    body: String(seen?.init.body ?? ''),
    token: headers['authorization']?.replace('Bearer ', '') ?? '',
  };
}

/** Creates a token by the steps of docs/signing.md only, like a client in another language. */
function byTheGuide({ options, now, jti, request }: Vector): string {
  const { keyId, issuer, subject, audience, tokenLifetime = 60 } = options;
  const signedAt = Math.floor(now / 1000);
  const bodyHash = createHash('sha256').update(request.body).digest('hex');
  const header = { alg: 'RS256', typ: 'JWT', kid: keyId };
  const claims = {
    iat: signedAt - 5,
    exp: signedAt + tokenLifetime,
    jti,
    uri: request.uri,
    bodyHash,
    iss: issuer,
    sub: subject,
    aud: audience,
  };
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const key = createPrivateKey({ key: file.testOnlyPrivateKey as NodeJsonWebKey, format: 'jwk' });
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

describe('the signing test vectors', () => {
  it('contain everything a test needs', () => {
    const has = (wanted: (vector: Vector) => boolean): boolean => file.vectors.some(wanted);
    expect(has(({ request: { method, uri } }) => method === 'GET' && !uri.includes('?'))).toBe(true);
    expect(has(({ request: { method, uri } }) => method === 'GET' && uri.includes('?'))).toBe(true);
    expect(has(({ request: { uri } }) => /\/[^/?]*%/.test(uri))).toBe(true);
    expect(
      has(({ request: { method, body } }) => method === 'POST' && body !== '' && Buffer.byteLength(body) > body.length),
    ).toBe(true);
    expect(has(({ request: { method } }) => method === 'DELETE')).toBe(true);
    expect(
      has(({ options: { keyId, issuer, subject, audience } }) =>
        [keyId, issuer, subject, audience].every((option) => option !== undefined),
      ),
    ).toBe(true);
    expect(has(({ options: { baseUrl } }) => baseUrl !== undefined)).toBe(true);
  });

  for (const vector of file.vectors) {
    it(`${vector.name}: the client sends exactly this token`, async () => {
      const { url, method, body, token } = await sent(vector);
      expect({ method, uri: url.replace('https://api.example.com', ''), body }).toEqual(vector.request);
      expect(token).toBe(vector.token);
    });

    it(`${vector.name}: the steps of the guide produce exactly this token`, () => {
      expect(byTheGuide(vector)).toBe(vector.token);
      expect(createHash('sha256').update(vector.request.body).digest('hex')).toBe(vector.bodyHash);
    });

    it(`${vector.name}: the parts match the guide, and the signature verifies`, () => {
      const [header = '', payload = '', signature = ''] = vector.token.split('.');
      expect(`${header}.${payload}`).toBe(vector.signingInput);
      expect(Buffer.from(header, 'base64url').toString()).toBe(vector.header);
      expect(Buffer.from(payload, 'base64url').toString()).toBe(vector.payload);
      const { kty, n, e } = file.testOnlyPrivateKey;
      const publicKey = createPublicKey({ key: { kty, n, e } as NodeJsonWebKey, format: 'jwk' });
      expect(verify('sha256', Buffer.from(vector.signingInput), publicKey, Buffer.from(signature, 'base64url'))).toBe(
        true,
      );
    });
  }
});
