import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, CorridorError, InvalidRequestError, type CorridorOptions } from 'corridor-sdk';
import { createHash } from 'node:crypto';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../reliability/fault-server.js';
import { VirtualTime } from '../reliability/virtual-time.js';

const soak = process.env['CORRIDOR_SOAK'] === '1';
const patience = { timeout: 600_000 };

describe('tokens', patience, () => {
  const sends = soak ? 10_000 : 300;

  it(`J5 J6 ${sends} sends with retries: as many different jti, all verified with the public key`, async () => {
    await using server = await new FaultServer((response, _received, number) => (number % 3 === 0 ? json(response, 200, networks) : json(response, 503, {}))).listen();
    const corridor = clientOf(server, new VirtualTime().options);
    while (server.received.length < sends) await Promise.all(Array.from({ length: 10 }, () => corridor.crypto.networks().catch(() => {})));
    expect(new Set(server.received.map(({ claims }) => claims['jti'])).size).toBe(server.received.length);
    expect(server.received.every(({ verified }) => verified)).toBe(true);
  });

  it('J5 are bound to path, query and body, and live as long as asked', async () => {
    await using server = await new FaultServer((response) => json(response, 400, {})).listen();
    const corridor = clientOf(server, { tokenLifetime: 30, issuer: 'us', subject: 'me', audience: 'them', keyId: 'k1' });
    await corridor.payments.list({ limit: 5, createdFrom: '2026-01-01T00:00Z' }).catch(() => {});
    await corridor.payments.create(paymentRequest).catch(() => {});
    const [list, create] = server.received;
    expect(list?.claims).toMatchObject({ uri: '/api/v1/payment?limit=5&createdFrom=2026-01-01T00%3A00Z', iss: 'us', sub: 'me', aud: 'them' });
    expect(list?.url).toBe(list?.claims['uri']);
    expect(create?.claims['bodyHash']).toBe(createHash('sha256').update(create?.body ?? '').digest('hex'));
    expect(Number(create?.claims['exp']) - Number(create?.claims['iat'])).toBe(30);
  });

  it('J4 are RS256, whatever the claims say', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    await clientOf(server, { claims: () => ({ alg: 'none' }) }).crypto.networks();
    const [header = ''] = String(server.received[0]?.headers.authorization).slice(7).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT' });
  });

  it('J7 take claims that replace ours, but not the API key', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const withClaims = (claims: CorridorOptions['claims']) => clientOf(server, { claims });
    await withClaims(({ endpoint, method }) => ({ nonce: `${method} ${endpoint}`, jti: 'mine' })).crypto.networks();
    expect(server.received[0]?.claims).toMatchObject({ nonce: 'GET crypto.networks', jti: 'mine' });
    const error = await withClaims(() => ({ sub: 'key_for_tests' })).crypto.networks().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(server.received).toHaveLength(1);
  });
});

describe('ids', patience, () => {
  const runs = soak ? 1_000_000 : 3_000;
  const odd = fc.constantFrom('..', '.', '%2e%2e', '%2E.', '/', '\\', '?', '#', ';', '\0', '\r\n', 'https://evil.example', '//evil', '\\\\evil', '/\\evil', '@evil', 'x'.repeat(10_000));

  it(`H1 H2 ${runs} ids keep origin and segments, or are refused before anything is sent`, async () => {
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      urls.push(String(url));
      return new Response('{}', { status: 400 });
    };
    const corridor = clientOf({ url: 'http://127.0.0.1:1' }, { fetch, retries: 0, signer: async () => new Uint8Array(256), privateKey: undefined });
    await fc.assert(fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), odd), async (id) => {
      urls.length = 0;
      const error = await corridor.screening.get(id, 'per_1').catch((reason: unknown) => reason);
      if (urls.length === 0) {
        expect(error).toBeInstanceOf(InvalidRequestError);
        expect(id === '' || id === '.' || id === '..' || !id.isWellFormed()).toBe(true);
      } else {
        expect(error).toBeInstanceOf(CorridorError);
        const url = new URL(urls[0] as string);
        expect(url.origin).toBe('http://127.0.0.1:1');
        expect(url.pathname.split('/')).toHaveLength(8);
        expect(decodeURIComponent(url.pathname.split('/')[4] as string)).toBe(id);
      }
    }), { numRuns: runs });
  });
});
