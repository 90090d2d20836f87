import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type JsonWebKey as NodeJsonWebKey,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Corridor, type CorridorOptions } from 'corridor-sdk';

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
    fetch: async (url, init = {}) => {
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
  const issuedAt = Math.floor(now / 1000);
  const bodyHash = createHash('sha256').update(request.body).digest('hex');
  const header = { alg: 'RS256', typ: 'JWT', kid: keyId };
  const claims = {
    iat: issuedAt,
    exp: issuedAt + tokenLifetime,
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
