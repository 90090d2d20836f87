import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { InvalidResponseError, NotFoundError } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { customer, scripted } from '../support/scripted-fetch.ts';

const found = () =>
  scripted(() => Response.json(customer(1), { headers: { 'x-request-id': 'req_1', 'x-more': 'yes' } }));
const missing = () => scripted(() => Response.json({ code: 'not_found' }, { status: 404 }));

describe('a call', () => {
  test('is sent at once, and once, however often it is awaited', async () => {
    const { corridor, sent } = found();
    const call = corridor.customers.get('cus_1');
    expect(call).toHaveProperty('withResponse');
    expect(await Promise.all([call, call, call.withResponse().then(({ data }) => data)])).toEqual([
      customer(1),
      customer(1),
      customer(1),
    ]);
    expect(sent).toHaveLength(1);
  });

  test('says what it is if it is printed', async () => {
    const call = found().corridor.customers.get('cus_1');
    expect(inspect({ call })).toContain('ApiPromise: the call was started. Await it for its result');
    await call;
  });

  test('behaves as a promise that is fulfilled', async () => {
    const { corridor } = found();
    const settled: string[] = [];
    const call = corridor.customers.get('cus_1');
    expect(await call.then(({ id }) => id)).toBe('cus_1');
    expect(await call.then()).toEqual(customer(1));
    expect(await call.catch(() => 'caught')).toEqual(customer(1));
    expect(await call.finally(() => settled.push('done'))).toEqual(customer(1));
    expect(await Promise.race([call, new Promise(() => {})])).toEqual(customer(1));
    expect([settled, String(call)]).toEqual([['done'], '[object ApiPromise]']);
  });

  test('behaves as a promise that is rejected', async () => {
    const { corridor } = missing();
    const settled: string[] = [];
    const call = corridor.customers.get('cus_1');
    expect(await call.then(undefined, (error: unknown) => error instanceof NotFoundError)).toBe(true);
    expect(await call.catch((error: unknown) => error instanceof NotFoundError)).toBe(true);
    expect(await failureOf(call.finally(() => settled.push('failed')))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(call.withResponse())).toBeInstanceOf(NotFoundError);
    expect(await Promise.allSettled([call])).toEqual([
      { status: 'rejected', reason: expect.any(NotFoundError) as unknown },
    ]);
    expect(settled).toEqual(['failed']);
  });

  test('reports the metadata of its response', async () => {
    const { corridor } = found();
    const { data, status, headers, requestId, attempts, ...rest } = await corridor.customers
      .get('cus_1')
      .withResponse();
    expect(rest).toEqual({});
    expect({ data, status, requestId, attempts, more: headers.get('x-more') }).toEqual({
      data: customer(1),
      status: 200,
      requestId: 'req_1',
      attempts: [{ attempt: 1, status: 200, delay: 0 }],
      more: 'yes',
    });
  });

  test('reports the attempts before the successful one', async () => {
    const { corridor } = scripted((_, index) =>
      index === 0 ? new Response('', { status: 503, headers: { 'retry-after': '0' } }) : customer(1),
    );
    const { attempts } = await corridor.customers.get('cus_1').withResponse();
    expect(attempts).toEqual([
      { attempt: 1, status: 503, delay: 0 },
      { attempt: 2, status: 200, delay: 0 },
    ]);
  });

  test.each([
    [{ 'x-request-id': 'a', 'request-id': 'b', 'x-correlation-id': 'c' }, 'a'],
    [{ 'request-id': 'b', 'x-correlation-id': 'c' }, 'b'],
    [{ 'x-correlation-id': 'c' }, 'c'],
    [{ 'x-request-id': '', 'request-id': 'b' }, 'b'],
    [{}, undefined],
  ])('finds the request id in %j', async (headers, requestId) => {
    const { corridor } = scripted(() => Response.json(customer(1), { headers: headers as Record<string, string> }));
    expect((await corridor.customers.get('cus_1').withResponse()).requestId).toBe(requestId);
  });

  test('reads the request id from the header of the dialect', async () => {
    const { corridor } = scripted(
      () => Response.json(customer(1), { headers: { 'x-request-id': 'a', 'x-trace': 'b' } }),
      { dialect: { requestIdHeaders: ['x-trace'] } },
    );
    expect((await corridor.customers.get('cus_1').withResponse()).requestId).toBe('b');
  });

  test('masks the API key in the request id of a result and of a page', async () => {
    const apiKey = 'key-of-the-organization';
    const page = { items: [customer(1)], nextCursor: null, hasMore: false };
    const { corridor } = scripted(
      (_, index) => Response.json([customer(1), page][index], { headers: { 'x-request-id': `req_${apiKey}` } }),
      { apiKey },
    );
    const responses = [
      await corridor.customers.get('cus_1').withResponse(),
      await corridor.customers.list().withResponse(),
    ];
    expect(responses.map(({ requestId }) => requestId)).toEqual(['req_[secret]', 'req_[secret]']);
  });
});

describe('a download URL', () => {
  test.each([
    [{ url: 'https://files.example/a?s=1', expiresAt: '2026-01-01T00:00:00Z' }],
    [{ signedUrl: 'https://files.example/a?s=1' }],
    [{ data: { link: { href: 'https://files.example/a?s=1' } } }],
    [[{ id: 'doc_1', location: 'https://files.example/a?s=1' }]],
    ['https://files.example/a?s=1'],
    [{ url: 'https://files.example/a?s=1', downloadUrl: 'https://files.example/a?s=1' }],
  ])('is found in any field: %j', async (body) => {
    const { corridor } = scripted(() => Response.json(body));
    expect(await corridor.documents.downloadUrl('doc_1')).toEqual({ url: 'https://files.example/a?s=1', body });
    expect(await corridor.support.attachmentUrl('tic_1', 'att_1')).toEqual({
      url: 'https://files.example/a?s=1',
      body,
    });
  });

  test('may be the whole response, as a string', async () => {
    const { corridor } = scripted(() => new Response('https://files.example/a?s=1'));
    expect((await corridor.documents.downloadUrl('doc_1')).url).toBe('https://files.example/a?s=1');
  });

  test.each([
    [{}],
    [null],
    [{ url: '/relative' }],
    [{ url: 'ftp://files.example/a' }],
    [{ note: 'see https://files.example/a' }],
    [{ url: 'https://' }],
    [{ url: 5 }],
    [['a', 'b']],
    [{ url: 'https://files.example/a', preview: 'https://files.example/b' }],
  ])('is missing or ambiguous, which is an error: %j', async (body) => {
    const { corridor } = scripted(() => Response.json(body));
    const error = await failureOf(corridor.documents.downloadUrl('doc_1'));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({
      endpoint: 'documents.downloadUrl',
      outcome: 'applied',
      issues: [{ path: '', message: 'must contain exactly one absolute http(s) URL' }],
    });
    expect((error as Error).message).not.toContain('files.example');
  });

  test('is found in a response of any size', async () => {
    const { corridor } = scripted(() =>
      Response.json([Array.from({ length: 200_000 }, (_, index) => index), { url: 'https://files.example/a' }]),
    );
    expect((await corridor.documents.downloadUrl('doc_1')).url).toBe('https://files.example/a');
  });
});
