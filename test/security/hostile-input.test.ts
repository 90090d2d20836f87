import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError, Corridor, type InvalidRequestError, type PaymentCreate } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../reliability/fault-server.js';
import { privateKey } from '../reliability/key.js';

const refusing = () => new FaultServer((response) => json(response, 400, {})).listen();
const refusalOf = (call: PromiseLike<unknown>): Promise<InvalidRequestError> => Promise.resolve(call).then(() => expect.unreachable('it should be refused'), (error: InvalidRequestError) => error);

describe('the base URL', () => {
  const withBase = (baseUrl: string) => () => new Corridor({ baseUrl, apiKey: 'key_for_tests', privateKey });

  it.each(['http://api.example.com', 'https://user:secret@api.example.com', 'https://api.example.com?x=1', 'https://api.example.com#x', 'ftp://api.example.com', 'api.example.com', '', 'http://127.0.0.1.example.com', 'http://localhost.example.com'])('H3 %s: refused', (baseUrl) => {
    expect(withBase(baseUrl)).toThrow(ConfigurationError);
  });

  it.each(['https://API.example.com', 'https://api.example.com/', 'https://api.example.com/sandbox/', 'http://localhost:4010', 'http://127.0.0.1', 'http://[::1]:80'])('H3 %s: taken', (baseUrl) => {
    expect(withBase(baseUrl)).not.toThrow();
  });

  it('H3 with a path and no slash at its end: the path is kept, in the token too', async () => {
    await using server = await refusing();
    await clientOf({ url: `${server.url}/sandbox` }).crypto.networks().catch(() => {});
    expect(server.received[0]?.url).toBe('/sandbox/api/v1/crypto/networks');
    expect(server.received[0]?.claims['uri']).toBe('/sandbox/api/v1/crypto/networks');
  });
});

describe('filters', () => {
  it.each(['a&b=c', '#x', '%', '..', '=', '+', 'ü', 'x'.repeat(4_000)])('H4 cursor %#: arrives as it was given', async (cursor) => {
    await using server = await refusing();
    await clientOf(server).payments.list({ cursor }).then(() => {}, () => {});
    expect(new URL(server.received[0]?.url ?? '', server.url).searchParams.get('cursor')).toBe(cursor);
    expect(server.received[0]?.claims['uri']).toBe(server.received[0]?.url);
  });

  it.each([0, 101, Number.NaN, 1.5, '5', -1, Number.POSITIVE_INFINITY])('H4 limit %s: refused before sending', async (limit) => {
    await using server = await refusing();
    expect((await refusalOf(clientOf(server).payments.list({ limit: limit as number }))).issues[0]?.path).toBe('limit');
    expect(server.received).toHaveLength(0);
  });

  it('H4 a cursor with half a character: refused before sending', async () => {
    await using server = await refusing();
    expect((await refusalOf(clientOf(server).payments.list({ cursor: '\ud800' }))).issues[0]).toMatchObject({ path: 'cursor' });
  });

  it.each(['2026-01-01T00:00:00', '2026-01-01T00:00:00+00:00', '2023-02-29T00:00:00Z', '2026-01-01T24:00:00Z', '12026-01-01T00:00:00Z', '2026-13-01T00:00Z'])('H5 %s: refused', async (createdFrom) => {
    await using server = await refusing();
    expect((await refusalOf(clientOf(server).payments.list({ createdFrom }))).issues[0]?.path).toBe('createdFrom');
  });

  it.each(['2024-02-29T10:00Z', '2026-01-01T00:00:00Z', '2026-01-01T23:59:59.123456Z'])('H5 %s: sent as it was given', async (createdFrom) => {
    await using server = await refusing();
    await clientOf(server).payments.list({ createdFrom }).then(() => {}, () => {});
    expect(new URL(server.received[0]?.url ?? '', server.url).searchParams.get('createdFrom')).toBe(createdFrom);
  });
});

describe('a body', () => {
  const circle: Record<string, unknown> = {};
  circle['memo'] = circle;

  it.each([
    ['H6 an empty purpose', { purposeOfPayment: '' }, 'purposeOfPayment'], ['H6 no documents', { documentIds: [] }, 'documentIds'], ['H6 a memo of 65 faces', { memo: '😀'.repeat(65) }, 'memo'],
    ['H7 NaN', { amount: Number.NaN }, 'amount'], ['H7 a bigint', { amount: 10n }, 'amount'], ['H7 a Date', { memo: new Date() }, 'memo'], ['H7 a function', { memo: () => 'x' }, 'memo'],
    ['H7 a circle', circle, 'memo'], ['H7 its own __proto__', JSON.parse('{"__proto__":{"x":1}}') as object, '__proto__'],
  ])('%s: refused by its path, before sending', async (_name, wrong, path) => {
    await using server = await refusing();
    const body = Object.defineProperties({ ...paymentRequest }, Object.getOwnPropertyDescriptors(wrong)) as unknown as PaymentCreate;
    expect((await refusalOf(clientOf(server).payments.create(body))).issues[0]?.path).toMatch(new RegExp(`^${path}`));
    expect(server.received).toHaveLength(0);
  });

  it('H6 a memo of 64 faces: sent', async () => {
    await using server = await refusing();
    await clientOf(server).payments.create({ ...paymentRequest, memo: '😀'.repeat(64) }).catch(() => {});
    expect(server.received).toHaveLength(1);
  });

  it('H7 with a getter that changes its mind: what was checked is what is sent', async () => {
    await using server = await refusing();
    let asked = 0;
    const body = { ...paymentRequest, get amount() {
      asked += 1;
      return asked % 2 === 1 ? '10.00' : 'a lot';
    } };
    await clientOf(server).payments.create(body as PaymentCreate).catch(() => {});
    for (const { body: sent } of server.received) expect(JSON.parse(sent)).toMatchObject({ amount: '10.00' });
  });
});

describe('where the client runs', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, 'window'));

  it('K9 in a browser: refused, unless it is allowed', () => {
    Object.defineProperty(globalThis, 'window', { value: {}, configurable: true });
    const options = { baseUrl: 'https://api.example.com', apiKey: 'key_for_tests', privateKey };
    expect(() => new Corridor(options)).toThrow('a private key does not belong');
    expect(() => new Corridor({ ...options, allowBrowser: true })).not.toThrow();
  });

  it('K6 with a fetch of the caller\'s own: it gets the signed request, and the ban on redirects', async () => {
    let seen: RequestInit | undefined;
    const corridor = clientOf({ url: 'https://api.example.com' }, {
      fetch: async (_url, init) => {
        seen = init;
        return Response.json(networks);
      },
    });
    await corridor.crypto.networks();
    expect(seen).toMatchObject({ method: 'GET', redirect: 'manual', headers: { 'x-api-key': 'key_for_tests', accept: 'application/json' } });
  });
});
