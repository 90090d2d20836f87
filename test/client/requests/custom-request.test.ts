import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigurationError, InvalidRequestError, ServerError, type CustomRequest } from 'corridor-sdk';
import { failureOf } from '../../support/failure-of.ts';
import { scripted, silent } from '../../support/scripted-fetch.ts';

const report = { path: '/api/v1/reports', method: 'GET' } as const;

describe('a request of an endpoint that this version does not know', () => {
  test('is signed, and its response is returned unchanged', async () => {
    const { corridor, sent } = scripted(() => ({ total: '12.50', rows: [1, 2] }));
    const { data, status, attempts } = await corridor.request(report).withResponse();
    expect(data).toEqual({ total: '12.50', rows: [1, 2] });
    expect([status, attempts.length]).toEqual([200, 1]);
    expect(sent[0]?.headers.get('x-api-key')).toBe('key-of-the-tests');
    expect(sent[0]?.headers.get('authorization')).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test('sends its query and its body', async () => {
    const { corridor, sent } = scripted(() => ({}));
    await corridor.request({
      method: 'PUT',
      path: '/api/v1/reports/7',
      query: { from: 'a&b', page: 2, draft: false, to: undefined },
      body: { name: 'June', at: null, skip: undefined },
    });
    expect(sent[0]?.method).toBe('PUT');
    expect(sent[0]?.url.href).toBe('https://platform.example/api/v1/reports/7?from=a%26b&page=2&draft=false');
    expect(sent[0]?.body).toEqual({ name: 'June', at: null });
    expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  });

  test.each([[{ a: 1 }], [[1, 'two', null]], ['text'], [5], [false], [null], [[]]])(
    'may have the body %j',
    async (body) => {
      const { corridor, sent } = scripted(() => ({}));
      await corridor.request({ method: 'POST', path: '/api/v1/reports', body });
      expect(sent[0]?.body).toEqual(body);
    },
  );

  test.each([
    ['an empty response', '', undefined],
    ['a text', 'done', 'done'],
    ['a JSON null', 'null', null],
    ['a page of HTML', '<p>Hi</p>', '<p>Hi</p>'],
  ])('hands on %s', async (_, body, data) => {
    const { corridor } = scripted(() => new Response(body));
    expect(await corridor.request(report)).toBe(data);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('a %s is never sent twice', async (method) => {
    const { corridor, sent } = scripted(() => new Response('', { status: 503 }), { maxRetries: 5 });
    const error = await failureOf(corridor.request({ method, path: '/api/v1/reports' }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ outcome: 'unknown', endpoint: 'request' });
    expect(sent).toHaveLength(1);
  });

  test('a GET is retried', async () => {
    const { corridor, sent } = scripted((_, index) =>
      index === 0 ? new Response('', { status: 503, headers: { 'retry-after': '0' } }) : {},
    );
    expect(await corridor.request(report)).toEqual({});
    expect(sent).toHaveLength(2);
  });
});

describe('its path', () => {
  test.each([
    [''],
    ['api/v1'],
    ['https://evil.example/'],
    ['//evil.example/'],
    ['/\\evil.example'],
    ['/api/../admin'],
    ['/..'],
    ['/api/./v1'],
    ['/api/%2e%2e/admin'],
    ['/api/%2E./admin'],
    ['/api/.%2e'],
    ['/api//v1'],
    ['/api/'],
    ['/'],
    ['/api?x=1'],
    ['/api#x'],
    ['/api v1'],
    ['/api\tv1'],
    ['/api\nv1'],
    ['/é'],
    ['/a"b'],
    ['/a<b>'],
    ['/a%'],
    ['/a%2'],
    ['/a%zz'],
    ['/\ud800'],
    ['/\0'],
    [undefined],
    [null],
    [5],
    [{}],
  ])('%j is rejected', async (path) => {
    const { corridor, sent } = silent();
    const error = await failureOf(corridor.request({ method: 'GET', path: path as string }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).issues[0]?.path).toBe('path');
    expect(sent).toEqual([]);
  });

  test('never leaves the base URL, whatever it contains', async () => {
    const piece = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('/', '.', '..', '%2e', '%2f', '\\', '@', ':', '?', '#', '%', ';', '//', 'a'),
      },
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece).map((pieces) => `/${pieces.join('')}`),
        async (path) => {
          const { corridor, sent } = silent({ baseUrl: 'https://platform.example/gateway' });
          const error = await failureOf(corridor.request({ method: 'GET', path }));
          expect(sent.map(({ url }) => url.href)).toEqual(
            error instanceof InvalidRequestError ? [] : [`https://platform.example/gateway${path}`],
          );
        },
      ),
      { numRuns: 1_000 },
    );
  }, 180_000);
});

describe('an invalid request is rejected', () => {
  const queryRule = 'must be an object of strings, numbers and booleans';
  const requestRule = "must be an object, such as { method: 'GET', path: '/api/v1/x' }";

  test.each([
    [
      { ...report, method: 'get' },
      'method',
      'must be one of GET, POST, PUT, PATCH, DELETE (received "get"). Pass "GET"',
    ],
    [{ ...report, method: 'CONNECT' }, 'method', 'must be one of GET, POST, PUT, PATCH, DELETE (received "CONNECT")'],
    [{ path: '/api' }, 'method', 'is required: it must be one of GET, POST, PUT, PATCH, DELETE'],
    [{ ...report, body: {} }, 'body', 'must be absent, because a GET has no body'],
    [{ ...report, qurey: { limit: 5 } }, 'qurey', 'is not a known field (known: method, path, query, body)'],
    [{ ...report, query: { tags: ['a', 'b'] } }, 'query', `${queryRule} (received object)`],
    [{ ...report, query: { filter: { a: 1 } } }, 'query', `${queryRule} (received object)`],
    [{ ...report, query: { filter: null } }, 'query', `${queryRule} (received object)`],
    [{ ...report, query: { at: new Date(0) } }, 'query.at', 'must be JSON (received a Date)'],
    [{ ...report, query: { page: Number.NaN } }, 'query.page', 'must be a finite number (received NaN)'],
    [{ ...report, query: 'page=2' }, 'query', `${queryRule} (received string)`],
    [{ ...report, query: ['a'] }, 'query', `${queryRule} (received array)`],
    [{ ...report, query: new URLSearchParams('page=2') }, 'query', 'must be JSON (received a URLSearchParams)'],
    [
      { ...report, method: 'POST', body: { amount: 10n } },
      'body.amount',
      'must be a string or a number (received a bigint)',
    ],
    [{ ...report, method: 'POST', body: { at: new Date(0) } }, 'body.at', 'must be JSON (received a Date)'],
    [{ ...report, method: 'POST', body: new FormData() }, 'body', 'must be JSON (received a FormData)'],
    [{ ...report, method: 'POST', body: () => 1 }, 'body', 'must be JSON (received function)'],
    [
      { ...report, method: 'POST', body: { rate: Number.POSITIVE_INFINITY } },
      'body.rate',
      'must be a finite number (received Infinity)',
    ],
    [undefined, '', `${requestRule} (received undefined)`],
    [null, '', `${requestRule} (received null)`],
    ['/api/v1/reports', '', `${requestRule} (received string)`],
  ])('%o: %s %s', async (request, path, message) => {
    const { corridor, sent } = silent();
    const error = await failureOf(corridor.request(request as CustomRequest));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).issues).toEqual([{ path, message }]);
    expect(sent).toEqual([]);
  });

  test('so are options that are wrong', async () => {
    const { corridor, sent } = silent();
    expect(await failureOf(corridor.request(report, { timeout: 0 }))).toBeInstanceOf(ConfigurationError);
    expect(sent).toEqual([]);
  });
});
