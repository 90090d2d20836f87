import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError, Corridor, type PaymentCreateParams } from 'corridor-sdk';
import { clientOf, paymentRequest } from '../support/fault-server.ts';
import { privateKey } from '../support/key.ts';
import { rejectingServer, errorOf } from './rejected-input.ts';

describe('the base URL', () => {
  const withBase = (baseUrl: string) => () => new Corridor({ baseUrl, apiKey: 'key_for_tests', privateKey });

  it.each([
    'http://api.example.com',
    'https://user:secret@api.example.com',
    'https://api.example.com?x=1',
    'https://api.example.com#x',
    'ftp://api.example.com',
    'api.example.com',
    '',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
  ])('%s: rejected', (baseUrl) => {
    expect(withBase(baseUrl)).toThrow(ConfigurationError);
  });

  it.each(['', '/', '//', '/sandbox', '/sandbox//', '/a/../sandbox/.', '/sand%20box'])(
    'written in several ways (%j): requests stay below it',
    async (path) => {
      await using server = await rejectingServer();
      const { pathname } = new URL(`${server.url}${path}`);
      await clientOf({ url: `${server.url.replace('http://127.0.0.1', 'HTTP://LocalHost')}${path}` })
        .crypto.networks()
        .catch(() => {});
      expect(server.received.map(({ url, claims }) => [url, claims['uri']])).toEqual([
        Array(2).fill(`${pathname.replace(/\/+$/, '')}/api/v1/crypto/networks`),
      ]);
    },
  );

  it.each([
    'https://API.example.com',
    'https://api.example.com/',
    'https://api.example.com/sandbox/',
    'http://localhost:4010',
    'http://127.0.0.1',
    'http://[::1]:80',
  ])('%s: accepted', (baseUrl) => {
    expect(withBase(baseUrl)).not.toThrow();
  });

  it('with a path and no slash at its end: the path is kept, in the token too', async () => {
    await using server = await rejectingServer();
    await clientOf({ url: `${server.url}/sandbox` })
      .crypto.networks()
      .catch(() => {});
    expect(server.received[0]?.url).toBe('/sandbox/api/v1/crypto/networks');
    expect(server.received[0]?.claims['uri']).toBe('/sandbox/api/v1/crypto/networks');
  });
});

describe('filters', () => {
  it.each(['a&b=c', '#x', '%', '..', '=', '+', 'ü', 'x'.repeat(4_000)])(
    'cursor %#: arrives unchanged',
    async (cursor) => {
      await using server = await rejectingServer();
      await clientOf(server)
        .payments.list({ cursor })
        .then(
          () => {},
          () => {},
        );
      expect(new URL(server.received[0]?.url ?? '', server.url).searchParams.get('cursor')).toBe(cursor);
      expect(server.received[0]?.claims['uri']).toBe(server.received[0]?.url);
    },
  );

  it.each([0, 101, Number.NaN, 1.5, '5', -1, Number.POSITIVE_INFINITY])(
    'limit %s: rejected before sending',
    async (limit) => {
      await using server = await rejectingServer();
      expect((await errorOf(clientOf(server).payments.list({ limit: limit as number }))).issues[0]?.path).toBe('limit');
      expect(server.received).toHaveLength(0);
    },
  );

  it('a cursor with a lone surrogate: rejected before sending', async () => {
    await using server = await rejectingServer();
    expect((await errorOf(clientOf(server).payments.list({ cursor: '\ud800' }))).issues[0]).toMatchObject({
      path: 'cursor',
    });
  });

  it.each([
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+00:00',
    '2023-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '12026-01-01T00:00:00Z',
    '2026-13-01T00:00Z',
  ])('%s: rejected', async (createdFrom) => {
    await using server = await rejectingServer();
    expect((await errorOf(clientOf(server).payments.list({ createdFrom }))).issues[0]?.path).toBe('createdFrom');
  });

  it.each(['2024-02-29T10:00Z', '2026-01-01T00:00:00Z', '2026-01-01T23:59:59.123456Z'])(
    '%s: sent unchanged',
    async (createdFrom) => {
      await using server = await rejectingServer();
      await clientOf(server)
        .payments.list({ createdFrom })
        .then(
          () => {},
          () => {},
        );
      expect(new URL(server.received[0]?.url ?? '', server.url).searchParams.get('createdFrom')).toBe(createdFrom);
    },
  );
});

describe('a body', () => {
  const circle: Record<string, unknown> = {};
  circle['memo'] = circle;

  it.each([
    ['an empty purpose', { purposeOfPayment: '' }, 'purposeOfPayment'],
    ['no documents', { documentIds: [] }, 'documentIds'],
    ['a memo of 65 faces', { memo: '😀'.repeat(65) }, 'memo'],
    ['NaN', { amount: Number.NaN }, 'amount'],
    ['a bigint', { amount: 10n }, 'amount'],
    ['a Date', { memo: new Date() }, 'memo'],
    ['a function', { memo: () => 'x' }, 'memo'],
    ['a circle', circle, 'memo'],
    ['its own __proto__', JSON.parse('{"__proto__":{"x":1}}') as object, '__proto__'],
  ])('%s: rejected with its path before sending', async (_name, wrong, path) => {
    await using server = await rejectingServer();
    const body = Object.defineProperties(
      { ...paymentRequest },
      Object.getOwnPropertyDescriptors(wrong),
    ) as unknown as PaymentCreateParams;
    expect((await errorOf(clientOf(server).payments.create(body))).issues[0]?.path).toMatch(new RegExp(`^${path}`));
    expect(server.received).toHaveLength(0);
  });

  it('a memo of 64 faces: sent', async () => {
    await using server = await rejectingServer();
    await clientOf(server)
      .payments.create({ ...paymentRequest, memo: '😀'.repeat(64) })
      .catch(() => {});
    expect(server.received).toHaveLength(1);
  });

  it('with a getter that returns different values: the validated value is sent', async () => {
    await using server = await rejectingServer();
    let reads = 0;
    const body = {
      ...paymentRequest,
      get amount() {
        reads += 1;
        return reads === 1 ? '10.00' : 'a lot';
      },
    };
    await clientOf(server)
      .payments.create(body as PaymentCreateParams)
      .catch(() => {});
    expect(server.received.map(({ body: sent }) => (JSON.parse(sent) as PaymentCreateParams).amount)).toEqual([
      '10.00',
    ]);
  });
});

describe('the environment of the client', () => {
  const { versions } = process;
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'window');
    Object.defineProperty(process, 'versions', { value: versions });
  });

  it('in a browser: rejected unless it is allowed', () => {
    Object.defineProperty(globalThis, 'window', { value: {}, configurable: true });
    // In Node itself, a window is that of a test environment.
    Object.defineProperty(process, 'versions', { value: { ...versions, electron: '40.0.0' }, configurable: true });
    const options = { baseUrl: 'https://api.example.com', apiKey: 'key_for_tests', privateKey };
    expect(() => new Corridor(options)).toThrow('would expose the private key');
    expect(() => new Corridor({ ...options, dangerouslyAllowBrowser: true })).not.toThrow();
  });
});
