import { createHash, createPublicKey } from 'node:crypto';
import { CompactSign, generateKeyPair, importPKCS8 } from 'jose';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { platformAtStart } from '../fixture.ts';
import { call, send, type SignedRequest } from '../sign.ts';
import { seconds, path, emptyHash, tokenSignedWith } from './claims.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

interface RejectedRequest {
  readonly title: string;
  readonly code: string;
  readonly message: string | RegExp;
  readonly request: (platform: MockPlatform) => Partial<SignedRequest> | Promise<Partial<SignedRequest>>;
}

const claims =
  (changed: Record<string, unknown>): (() => Partial<SignedRequest>) =>
  () => ({ claims: changed });
const headers =
  (changed: Record<string, string | undefined>): (() => Partial<SignedRequest>) =>
  () => ({ headers: changed });

async function tokenWithPayload(platform: MockPlatform, payload: string): Promise<Partial<SignedRequest>> {
  const key = await importPKCS8(await platform.clientOptions().privateKey(), 'RS256');
  const token = await new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ alg: 'RS256' }).sign(key);
  return { headers: { authorization: `Bearer ${token}` } };
}

const rejected: readonly RejectedRequest[] = [
  {
    title: 'without an API key',
    code: 'missing_api_key',
    message: 'the x-api-key header is missing',
    request: headers({ 'x-api-key': undefined }),
  },
  {
    title: 'with an unknown API key',
    code: 'unknown_api_key',
    message: 'the API key is unknown',
    request: headers({ 'x-api-key': 'corridor_test_wrong' }),
  },
  {
    title: 'without a token',
    code: 'missing_token',
    message: 'the authorization header is missing',
    request: headers({ authorization: undefined }),
  },
  {
    title: 'with another scheme',
    code: 'missing_token',
    message: 'the authorization header must be "Bearer" followed by a token',
    request: headers({ authorization: 'Basic YTpi' }),
  },
  ...['Bearer', 'Bearera.b.c', 'MyBearer a.b.c', 'Bearer a.b.c d.e.f'].map((authorization) => ({
    title: `with the header ${authorization}`,
    code: 'missing_token',
    message: 'the authorization header must be "Bearer" followed by a token',
    request: headers({ authorization }),
  })),
  {
    title: 'with a string that is not a JWT',
    code: 'malformed_token',
    message: /^the token is not a JWT/,
    request: headers({ authorization: 'Bearer nonsense' }),
  },
  {
    title: 'with an HMAC',
    code: 'wrong_algorithm',
    message: 'the token must be signed with RS256 (received HS256)',
    request: () => tokenSignedWith('HS256', new Uint8Array(32)),
  },
  {
    title: 'with another RSA algorithm',
    code: 'wrong_algorithm',
    message: 'the token must be signed with RS256 (received PS256)',
    request: async () => tokenSignedWith('PS256', (await generateKeyPair('PS256')).privateKey),
  },
  {
    title: 'with a header without an algorithm',
    code: 'wrong_algorithm',
    message: 'the token must be signed with RS256 (received no algorithm)',
    request: headers({ authorization: 'Bearer e30.e30.c2ln' }),
  },
  {
    title: 'with a padded signature',
    code: 'malformed_token',
    message: 'the token is not a JWT: it must be three base64url parts separated by dots',
    request: headers({ authorization: 'Bearer e30.e30.c2ln==' }),
  },
  {
    title: 'with an unregistered key',
    code: 'bad_signature',
    message: /^the signature of the token is invalid, or was made with another key than that of org_\w+, which has/,
    request: async () => tokenSignedWith('RS256', (await generateKeyPair('RS256')).privateKey),
  },
  {
    title: "with another organization's key",
    code: 'bad_signature',
    message: /^the key of the token is that of org_\w+, which has the thumbprint \S{43}, instead of that of org_/,
    request: async (platform) =>
      tokenSignedWith('RS256', await importPKCS8(await platform.organization().clientOptions().privateKey(), 'RS256')),
  },
  ...['[1]', 'null', '"claims"', '{'].map((payload) => ({
    title: `with the payload ${payload}, which is not a JSON object`,
    code: 'malformed_token',
    message: 'the payload of the token is not a JSON object',
    request: (platform: MockPlatform) => tokenWithPayload(platform, payload),
  })),
  {
    title: 'with an exp that no number can hold',
    code: 'invalid_claim',
    message: 'the claim exp must be a number of seconds since the epoch',
    request: (platform) => tokenWithPayload(platform, `{ "iat": ${seconds}, "exp": 1e999 }`),
  },
  {
    title: 'with an expired token',
    code: 'token_expired',
    message: "the token expired 12 s ago on the mock's clock, which is at 2026-03-01T09:00:00.000Z",
    request: claims({ iat: seconds - 72, exp: seconds - 12 }),
  },
  {
    title: 'with a token that expires now',
    code: 'token_expired',
    message: /expired 0 s ago/,
    request: claims({ iat: seconds - 60, exp: seconds }),
  },
  {
    title: 'with a token from the future',
    code: 'token_from_future',
    message: /^the token was issued 31 s ahead of the mock's clock, which is at .+Z; at most 30 s are allowed$/,
    request: claims({ iat: seconds + 31, exp: seconds + 91 }),
  },
  {
    title: 'with a token that expires before it was issued',
    code: 'invalid_claim',
    message: `the claim exp must be after iat (received ${seconds + 10} and ${seconds + 20})`,
    request: claims({ iat: seconds + 20, exp: seconds + 10 }),
  },
  {
    title: 'with a token whose lifetime is too long',
    code: 'token_lives_too_long',
    message: 'the token has a lifetime of 301 s; at most 300 s are allowed',
    request: claims({ exp: seconds + 301 }),
  },
  {
    title: 'with a token whose lifetime is too long, although it expires soon',
    code: 'token_lives_too_long',
    message: 'the token has a lifetime of 301 s; at most 300 s are allowed',
    request: claims({ iat: seconds - 291, exp: seconds + 10 }),
  },
  {
    title: 'without exp',
    code: 'invalid_claim',
    message: 'the claim exp must be a number of seconds since the epoch',
    request: claims({ exp: undefined }),
  },
  {
    title: 'with an iat of the wrong type',
    code: 'invalid_claim',
    message: 'the claim iat must be a number of seconds since the epoch',
    request: claims({ iat: 'now' }),
  },
  {
    title: 'without jti',
    code: 'invalid_claim',
    message: 'the claim jti must be a non-empty string',
    request: claims({ jti: undefined }),
  },
  {
    title: 'with an empty uri',
    code: 'invalid_claim',
    message: 'the claim uri must be a non-empty string',
    request: claims({ uri: '' }),
  },
  {
    title: 'without bodyHash',
    code: 'invalid_claim',
    message: 'the claim bodyHash must be a non-empty string',
    request: claims({ bodyHash: undefined }),
  },
  {
    title: 'with a token for another path',
    code: 'uri_mismatch',
    message: `the token is for /api/v1/customers, the request is for ${path}`,
    request: claims({ uri: '/api/v1/customers' }),
  },
  {
    title: 'with a token for another query',
    code: 'uri_mismatch',
    message: 'the token is for /api/v1/payment?limit=1, the request is for /api/v1/payment?limit=2',
    request: () => ({ path: '/api/v1/payment?limit=2', claims: { uri: '/api/v1/payment?limit=1' } }),
  },
  {
    title: 'with a token for another body',
    code: 'body_mismatch',
    message: new RegExp(
      `^the token is for a body with the SHA-256 ${'0'.repeat(64)}, the received body has ${emptyHash}$`,
    ),
    request: claims({ bodyHash: '0'.repeat(64) }),
  },
];

describe('a request is rejected with 401', () => {
  test.each(rejected)('$title', async ({ code, message, request }) => {
    const platform = platformAtStart();
    const { status, body } = await call(platform.clientOptions(), { path, ...(await request(platform)) });
    const reason = { code, message: typeof message === 'string' ? message : expect.stringMatching(message) };
    expect(status).toBe(401);
    expect(body).toEqual(reason);
    expect(platform.requests.at(-1)).toMatchObject({ status: 401, error: { status: 401, ...reason } });
  });

  test('with the claims of its token in the log', async () => {
    const platform = platformAtStart();
    const wrong = [{ exp: seconds - 12 }, { uri: '/api/v1/customers' }];
    for (const claims of wrong) await call(platform.clientOptions(), { path, claims });
    await call(platform.clientOptions(), { path, headers: { authorization: 'Bearer nonsense' } });
    expect(platform.requests.map(({ claims }) => claims)).toMatchObject([...wrong, undefined]);
  });

  test('with the thumbprints of the keys, as corridor keygen and corridor doctor print them', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    const privateKey = await acme.clientOptions().privateKey();
    const { body } = await call({ ...platform.clientOptions(), privateKey: async () => privateKey }, { path });
    const thumbprints = [];
    for (const organization of [acme, platform]) {
      const { e, n } = createPublicKey(await organization.clientOptions().privateKey()).export({ format: 'jwk' });
      thumbprints.push(createHash('sha256').update(`{"e":"${e}","kty":"RSA","n":"${n}"}`).digest('base64url'));
    }
    expect(body).toMatchObject({ message: expect.stringMatching(new RegExp(thumbprints.join('.*'))) });
  });

  test('with a token that was already used', async () => {
    const platform = platformAtStart();
    const once = { path, claims: { jti: 'same' } };
    expect(await call(platform.clientOptions(), once)).toMatchObject({ status: 200 });
    expect(await call(platform.clientOptions(), once)).toMatchObject({
      status: 401,
      body: {
        code: 'token_replayed',
        message: 'the token with the jti "same" was already used; create a new token for every request',
      },
    });
  });

  test('with a token that was used in the last millisecond of its life, also after a restore', async () => {
    const platform = platformAtStart();
    const send = async (jti: string): Promise<unknown> => {
      const claims = { jti, iat: seconds, exp: seconds + 60 };
      const { status, body } = await call<{ code?: string }>(platform.clientOptions(), { path, claims });
      return status === 200 ? status : body.code;
    };
    platform.clock.set((seconds + 60) * 1000 - 1);
    expect(await send('early')).toBe(200);
    const snapshot = platform.snapshot();
    expect([await send('early'), await send('late')]).toEqual(['token_replayed', 200]);
    platform.restore(snapshot);
    expect([await send('early'), await send('late')]).toEqual(['token_replayed', 200]);
    platform.clock.advance({ seconds: 0.001 });
    expect(await send('unused')).toBe('token_expired');
  });

  test('once, if two requests send the same token at the same time', async () => {
    const platform = platformAtStart();
    const send = () => call(platform.clientOptions(), { path, claims: { jti: 'same' } });
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 401, 401]);
  });

  test.each([
    ['body', { bodyHash: '0'.repeat(64) }],
    ['path', { uri: '/api/v1/customers' }],
    ['time', { iat: seconds - 60, exp: seconds }],
  ])('without using its jti up, if the token is for another %s', async (_, claims) => {
    const platform = platformAtStart();
    expect(await call(platform.clientOptions(), { path, claims: { jti: 'same', ...claims } })).toMatchObject({
      status: 401,
    });
    expect(await call(platform.clientOptions(), { path, claims: { jti: 'same' } })).toMatchObject({ status: 200 });
  });

  test('before its path is looked up', async () => {
    const platform = platformAtStart();
    expect(
      await call(platform.clientOptions(), { path: '/api/v1/nowhere', headers: { 'x-api-key': undefined } }),
    ).toMatchObject({ status: 401 });
    expect(await call(platform.clientOptions(), { path: '/api/v1/nowhere' })).toMatchObject({ status: 404 });
  });
});

describe('a request is accepted', () => {
  test.each([
    ['with a token issued 30 s ahead', { iat: seconds + 30, exp: seconds + 90 }],
    ['with a token whose lifetime is 5 minutes', { exp: seconds + 300 }],
    ['with a token whose lifetime of 5 minutes has not begun', { iat: seconds + 30, exp: seconds + 330 }],
    ['with additional claims', { iss: 'partner', aud: 'platform' }],
  ])('%s', async (_, changed) => {
    const platform = platformAtStart();
    expect(await call(platform.clientOptions(), { path, claims: changed })).toMatchObject({ status: 200 });
    expect(platform.requests.at(-1)).toMatchObject({
      status: 200,
      error: undefined,
      claims: { uri: path, bodyHash: emptyHash, ...changed },
    });
  });

  test('with a scheme in lower case, and with more than one space after it', async () => {
    const platform = platformAtStart();
    const key = await importPKCS8(await platform.clientOptions().privateKey(), 'RS256');
    const { headers } = await tokenSignedWith('RS256', key);
    const authorization = headers?.['authorization']?.replace('Bearer ', 'bearer  ');
    expect(await call(platform.clientOptions(), { path, headers: { authorization } })).toMatchObject({ status: 200 });
  });

  test('with a jti that another organization used', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    for (const organization of [platform, acme]) {
      expect(await call(organization.clientOptions(), { path, claims: { jti: 'same' } })).toMatchObject({
        status: 200,
      });
    }
  });

  test('after a hundred others, whose expired tokens are deleted', async () => {
    const platform = platformAtStart();
    const options = platform.clientOptions();
    for (let index = 0; index < 99; index++) await send(options, { path, claims: { jti: `old ${index}` } });
    platform.clock.advance({ minutes: 1 });
    await send(options, { path });
    expect(platform.snapshot()).toHaveProperty('organizations.0.tokens.length', 1);
  });
});

test('an API key or id that no request can contain throws at once', () => {
  expect(() => createMockPlatform({ apiKey: '' })).toThrow(
    'createMockPlatform: apiKey must be a non-empty string. Omit it to use the generated default',
  );
  expect(() => createMockPlatform().organization({ id: '' })).toThrow('id must be a non-empty string');
  // @ts-expect-error There is no such option.
  expect(() => createMockPlatform().organization({ nmae: 'Acme' })).toThrow(
    'organization: nmae is not a known field (known: id, name, apiKey, publicKey, privateKey, createdStatus,',
  );
  // @ts-expect-error These are not options.
  expect(() => createMockPlatform().organization(null)).toThrow('organization: the options must be an object such as');
});
