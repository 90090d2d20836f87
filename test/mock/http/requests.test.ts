import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { payablePayment, platformAtStart } from '../fixture.ts';
import { call, send } from '../sign.ts';

const create = '/api/v1/payment';

afterEach(() => void vi.restoreAllMocks());

interface RejectedRequest {
  readonly title: string;
  readonly request: {
    readonly method?: string;
    readonly path?: string;
    readonly json?: unknown;
    readonly text?: string;
    readonly headers?: Record<string, string | undefined>;
  };
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const reply = '/api/v1/support/partner-tickets/tic_1/replies';
const rejected: readonly RejectedRequest[] = [
  {
    title: 'an unknown path',
    request: { path: '/api/v1/payments' },
    status: 404,
    body: {
      code: 'unknown_endpoint',
      message: 'GET /api/v1/payments is not an endpoint of this API, whose base URL is https://api.corridor.test',
    },
  },
  {
    title: 'a known path with another method',
    request: { method: 'PUT', path: create },
    status: 405,
    body: { code: 'method_not_allowed', message: `${create} accepts POST and GET, not PUT` },
  },
  {
    title: 'a path with a slash at its end',
    request: { path: '/api/v1/payment/' },
    status: 404,
    body: { code: 'unknown_endpoint' },
  },
  { title: 'an empty id', request: { path: '/api/v1/customers/' }, status: 404, body: { code: 'unknown_endpoint' } },
  {
    title: 'an id with an invalid encoding',
    request: { path: '/api/v1/customers/%zz' },
    status: 404,
    body: { code: 'unknown_endpoint' },
  },
  {
    title: 'a body that is not JSON',
    request: { method: 'POST', text: 'hello' },
    status: 400,
    body: { code: 'invalid_json', message: 'the body must be JSON in UTF-8' },
  },
  {
    title: 'no body',
    request: { method: 'POST', headers: { 'content-type': 'application/json' } },
    status: 400,
    body: { code: 'invalid_json' },
  },
  {
    title: 'a body of another type',
    request: { method: 'POST', json: {}, headers: { 'content-type': 'text/plain' } },
    status: 415,
    body: {
      code: 'unsupported_media_type',
      message: 'the content-type must be application/json (received "text/plain")',
    },
  },
  {
    title: 'a body without a content type',
    request: { method: 'POST', headers: { 'content-type': undefined } },
    status: 415,
    body: { message: 'the content-type must be application/json (received no content-type)' },
  },
  {
    title: 'a body that is not an object',
    request: { method: 'POST', json: [] },
    status: 400,
    body: { code: 'invalid_body', issues: [{ path: '', message: 'must be an object (received array)' }] },
  },
  {
    title: 'a body with an unknown field',
    request: { method: 'POST', path: reply, json: { text: 'a' } },
    status: 400,
    body: { issues: [{ path: 'text', message: expect.stringContaining('is not a known field') }] },
  },
  {
    title: 'a body with an invalid field',
    request: { method: 'POST', path: reply, json: { actorEmail: 'a' } },
    status: 400,
    body: { issues: [{ path: 'actorEmail', message: 'must be an e-mail address' }] },
  },
  {
    title: 'a body that the endpoint does not accept',
    request: { method: 'DELETE', path: '/api/v1/documents/doc_1', text: '{}' },
    status: 400,
    body: { code: 'unexpected_body', message: 'this endpoint does not accept a body' },
  },
];

describe('a request is rejected', () => {
  test.each(rejected)('with $status for $title', async ({ request, status, body }) => {
    const platform = platformAtStart();
    const response = await call(platform.clientOptions(), { path: create, ...request });
    expect(response).toMatchObject({ status, body });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(platform.requests.at(-1)).toMatchObject({
      status,
      error: { status, code: (response.body as { code: string }).code },
      issues: body['issues'] ?? [],
    });
  });

  test('with an issue for every invalid field of a payment', async () => {
    const { body } = await call<{ issues: { path: string }[] }>(platformAtStart().clientOptions(), {
      method: 'POST',
      path: create,
      json: { amount: 1, memo: 'x'.repeat(65), documentIds: [] },
    });
    expect(body.issues.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'customerId',
        'beneficiaryId',
        'amount',
        'currencyCode',
        'purposeOfPayment',
        'memo',
        'documentIds',
        'paymentQuoteId',
      ]),
    );
  });

  test('with 413 for a body larger than the limit, without reading further', async () => {
    const platform = platformAtStart({ maxRequestBytes: 1000 });
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1000;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    const response = await platform.fetch(`${platform.baseUrl}${create}`, init);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ code: 'body_too_large', message: 'the body is larger than 1000 bytes' });
    expect(sent).toBeLessThanOrEqual(4000);
  });

  test('not for a body of exactly the limit', async () => {
    const platform = platformAtStart({ maxRequestBytes: 1000 });
    const { status } = await call(platform.clientOptions(), {
      method: 'POST',
      path: create,
      text: JSON.stringify({ memo: 'x'.repeat(989) }),
    });
    expect(status).toBe(400);
  });
});

test('a media type with a JSON suffix or parameters is accepted', async () => {
  const platform = platformAtStart();
  const { id } = platform.tickets.add();
  for (const type of ['application/json; charset=utf-8', 'application/vnd.corridor+json']) {
    const { status } = await call(platform.clientOptions(), {
      method: 'POST',
      path: `/api/v1/support/partner-tickets/${id}/replies`,
      json: {},
      headers: { 'content-type': type },
    });
    expect(status).toBe(201);
  }
});

describe('fetch', () => {
  const options = async (platform: MockPlatform): Promise<Headers> =>
    new Headers({ 'x-api-key': platform.clientOptions().apiKey });

  test('accepts a string, a URL and a Request, with init', async () => {
    const platform = platformAtStart();
    const url = `${platform.baseUrl}/api/v1/crypto/networks`;
    const headers = await options(platform);
    const inputs = [
      [url, { headers }],
      [new URL(url), { headers }],
      [new Request(url, { headers })],
      [new Request(url), { headers, method: 'DELETE' }],
    ] as const;
    for (const [input, init] of inputs) {
      const response = await platform.fetch(input, init);
      expect(await response.json()).toMatchObject({ code: 'missing_token' });
    }
    expect(platform.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'DELETE']);
  });

  test.each([
    'https://elsewhere.test/api/v1/payment',
    'https://api.corridor.test.evil.example/',
    'http://api.corridor.test/',
  ])('reaches nothing but the platform: not %s', async (url) => {
    const platform = createMockPlatform();
    await expect(platform.fetch(url)).rejects.toThrow(
      new TypeError(
        `the fetch of this mock platform only reaches https://api.corridor.test (received a URL of ${new URL(url).origin}). Use the platform's baseUrl.`,
      ),
    );
    expect(platform.requests).toHaveLength(0);
  });

  test('reaches nothing outside the base path', async () => {
    const platform = createMockPlatform({ baseUrl: 'https://gateway.example/corridor' });
    await expect(platform.fetch('https://gateway.example/corridors')).rejects.toThrow(TypeError);
    expect((await platform.fetch('https://gateway.example/corridor?a')).status).toBe(401);
  });

  test('rejects with the reason of a signal that is already aborted, and sends nothing', async () => {
    const platform = createMockPlatform();
    const reason = new Error('not now');
    await expect(platform.fetch(platform.baseUrl, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(platform.requests).toHaveLength(0);
  });

  test('rejects with the reason of a signal that is aborted during the request, which is still processed', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.create', { kind: 'hang-after-commit' });
    const controller = new AbortController();
    const reason = new Error('too late');
    const sent = send(platform.clientOptions(), {
      method: 'POST',
      path: create,
      json: payablePayment(platform),
      signal: controller.signal,
    });
    await expect.poll(() => platform.requests.length, { interval: 0 }).toBe(1);
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
    await expect.poll(() => platform.payments.all().length, { interval: 1 }).toBe(1);
  });

  test('rejects an invalid URL, as any fetch does', async () => {
    await expect(createMockPlatform().fetch('no url')).rejects.toThrow(TypeError);
  });
});

test('handle accepts a Request with any host, for custom adapters', async () => {
  const platform = createMockPlatform({ baseUrl: 'https://gateway.example/corridor' });
  expect((await platform.handle(new Request('http://anywhere/corridor/api/v1/payment'))).status).toBe(401);
  expect((await platform.handle(new Request('http://anywhere/other'))).status).toBe(401);
  expect(platform.requests.map(({ path }) => path)).toEqual(['/api/v1/payment', '/other']);
});

test.each(['reset', 'restore'] as const)(
  'a request whose token is being verified during a %s gets no response, and creates no payment',
  async (method) => {
    const platform = platformAtStart();
    const json = payablePayment(platform);
    const snapshot = platform.snapshot();
    const verify = crypto.subtle.verify.bind(crypto.subtle);
    vi.spyOn(crypto.subtle, 'verify').mockImplementationOnce((...signature) => {
      platform[method](snapshot);
      return verify(...signature);
    });
    const sent = send(platform.clientOptions(), { method: 'POST', path: create, json });
    await expect(sent).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(platform.payments.all()).toEqual([]);
    platform.restore(snapshot);
    expect(await send(platform.clientOptions(), { method: 'POST', path: create, json })).toMatchObject({ status: 201 });
  },
);

test('the response to another method names those that the path accepts', async () => {
  const platform = platformAtStart();
  const { status, headers } = await send(platform.clientOptions(), { method: 'HEAD', path: create });
  expect([status, headers.get('allow')]).toEqual([405, 'POST, GET']);
});
