import { Corridor } from 'corridor-sdk';
import {
  connectMockPlatform,
  createMockPlatform,
  MockPlatformError,
  type MockPlatform,
  type PlannedResponse,
} from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart } from '../fixture.ts';
import { call } from '../sign.ts';

const unchecked = (platform: MockPlatform): Corridor => clientOf(platform, { validation: 'observe' });

describe('respond', () => {
  test('changes fields of the response, those of objects in it, too', async () => {
    const platform = createMockPlatform();
    const { id, city, addressCountry } = platform.customers.add();
    platform.respond('customers.get', { patch: { companyName: 'Acme', addressCountry: { name: 'Atlantis' } } });
    expect(await clientOf(platform).customers.get(id)).toMatchObject({
      companyName: 'Acme',
      city,
      addressCountry: { alpha2: addressCountry.alpha2, name: 'Atlantis' },
    });
    expect(platform.customers.get(id)?.companyName).not.toBe('Acme');
  });

  test('changes one element of a list, all of them, or the list', async () => {
    const platform = createMockPlatform();
    platform.customers.addMany(3);
    const names = async (): Promise<string[]> =>
      (await clientOf(platform).customers.list()).items.map(({ companyName }) => companyName);
    platform.respond('customers.list', { patch: { items: { 1: { companyName: 'One' } } }, times: 1 });
    platform.respond('customers.list', { patch: { items: { '*': { companyName: 'All' } } }, times: 1 });
    platform.respond('customers.list', { patch: { items: [] }, times: 1 });
    expect((await names())[1]).toBe('One');
    expect(await names()).toEqual(['All', 'All', 'All']);
    expect(await names()).toEqual([]);
  });

  test('removes fields', async () => {
    const platform = createMockPlatform();
    platform.payments.addMany(2);
    platform.respond('payments.list', { omit: ['items.*.memo', 'items.0.rail.method'] });
    const { items } = (await unchecked(platform).payments.list()) as { items: readonly object[] };
    expect(items.map((item) => 'memo' in item)).toEqual([false, false]);
    expect(items[0]).toHaveProperty('rail', { countryCode: expect.any(String) });
    expect(items[1]).toHaveProperty('rail.method');
  });

  test('replaces the status, the headers and the body', async () => {
    const platform = createMockPlatform();
    const { id } = platform.documents.add();
    platform.respond('documents.downloadUrl', {
      status: 203,
      headers: { 'X-Cache': 'hit' },
      body: { link: 'https://a' },
    });
    const response = await call(platform.clientOptions(), { path: `/api/v1/documents/${id}` });
    expect(response).toMatchObject({ status: 203, body: { link: 'https://a' } });
    expect([response.headers.get('x-cache'), response.headers.get('content-type')]).toEqual([
      'hit',
      'application/json',
    ]);
  });

  test('gives a body to a response that has none', async () => {
    const platform = createMockPlatform();
    const { id } = platform.documents.add();
    platform.respond('documents.delete', { body: { deleted: true } });
    const path = `/api/v1/documents/${id}`;
    expect(await call(platform.clientOptions(), { method: 'DELETE', path })).toMatchObject({
      status: 200,
      body: { deleted: true },
    });
    expect(platform.documents.get(id)).toBeUndefined();
  });

  test('responds to requests that the platform rejects, and that it does not know', async () => {
    const platform = createMockPlatform();
    platform.respond('customers.get', { body: { id: 'cus_nobody' } });
    platform.respond('GET /api/v1/reports/{id}', { body: { rows: 3 } });
    expect(await unchecked(platform).customers.get('cus_nobody')).toEqual({ id: 'cus_nobody' });
    expect(await clientOf(platform).request({ method: 'GET', path: '/api/v1/reports/r1' })).toEqual({ rows: 3 });
    await expect(clientOf(platform).request({ method: 'GET', path: '/api/v1/reports' })).rejects.toMatchObject({
      status: 404,
    });
    expect(platform.requests.map(({ status, error }) => [status, error?.code])).toEqual([
      [200, undefined],
      [200, undefined],
      [404, 'unknown_endpoint'],
    ]);
  });

  test.each([
    [{ status: 201 }, 1, 201],
    [{ status: 503 }, 0, 503],
    [{ status: 503, processed: true }, 1, 503],
    [{ status: 201, processed: false, body: {} }, 0, 201],
    [{ status: 302, headers: { location: '/elsewhere' } }, 0, 302],
  ])('%j leaves %i payments', async (response, count, status) => {
    const platform = createMockPlatform();
    platform.respond('payments.create', response);
    await clientOf(platform)
      .payments.create(payablePayment(platform))
      .catch(() => undefined);
    expect(platform.payments.all()).toHaveLength(count);
    expect(platform.requests[0]).toMatchObject({ status, fault: 'response' });
  });

  test.each<[string, PlannedResponse<'crypto.networks'>]>([
    ['of a request that is not processed', { status: 503 }],
    ['of a request that is processed', { status: 503, processed: true }],
    ['of a function', () => ({ status: 503 })],
  ])('an error without a body %s has the error body of the platform', async (_, response) => {
    const platform = createMockPlatform({ errorBody: 'nested' });
    platform.respond('crypto.networks', response);
    const { status, body } = await call(platform.clientOptions(), { path: '/api/v1/crypto/networks' });
    expect([status, body]).toEqual([503, { error: { code: 'injected_fault', message: expect.any(String) } }]);
  });

  test('an error of a request that is processed has the body of the response, or the changed one of the platform', async () => {
    const platform = createMockPlatform();
    const { id } = platform.documents.add();
    const path = `/api/v1/documents/${id}`;
    const bodies = async (): Promise<unknown> => (await call(platform.clientOptions(), { path })).body;
    platform.respond('documents.downloadUrl', { status: 503, processed: true, body: { own: true }, times: 1 });
    platform.respond('documents.downloadUrl', { status: 503, processed: true, patch: { own: true }, times: 1 });
    platform.respond('documents.downloadUrl', () => ({ status: 503, omit: ['expiresAt'] }), { times: 1 });
    expect(await bodies()).toEqual({ own: true });
    expect(await bodies()).toEqual({ own: true, url: expect.any(String), expiresAt: expect.any(String) });
    expect(await bodies()).toEqual({ url: expect.any(String) });
  });

  test('calls a function with the request and the response of the platform', async () => {
    const platform = createMockPlatform();
    platform.customers.addMany(3);
    platform.respond('customers.list', ({ request, response }) =>
      request.filters['limit'] === 1 ? { body: { ...response.body, items: [] } } : undefined,
    );
    const { customers } = clientOf(platform);
    expect((await customers.list({ limit: 1 })).items).toEqual([]);
    expect((await customers.list({ limit: 2 })).items).toHaveLength(2);
  });

  test.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'respond: the function threw an error: Error: broken',
    ],
    ['returns no response', () => 5, 'must return a response such as { status: 200, body: {} }, or undefined'],
  ])('reports a function that %s, and changes nothing', async (_, resolver, message) => {
    const platform = createMockPlatform();
    platform.respond('payments.create', resolver as never);
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toThrow(message);
    expect(platform.payments.all()).toEqual([]);
  });

  test('waits for a function that returns a promise, and applies it to one request', async () => {
    const platform = createMockPlatform();
    const { id, companyName } = platform.customers.add();
    const customer = () => clientOf(platform).customers.get(id);
    platform.respond(
      'customers.get',
      async () => ({ patch: { companyName: `not ${(await customer()).companyName}` } }),
      { times: 1 },
    );
    expect(await customer()).toMatchObject({ companyName: `not ${companyName}` });
  });

  test('waits for a promise of a library, which only has a method then', async () => {
    const platform = platformAtStart();
    const thenable = { then: (resolve: (value: object) => void) => resolve({ status: 202 }) };
    platform.respond('payments.list', () => thenable as unknown as Promise<object>);
    const { status } = await clientOf(platform).payments.list().withResponse();
    expect(status).toBe(202);
  });

  test('reports a promise that is rejected, and keeps what the request changed', async () => {
    const platform = createMockPlatform();
    platform.respond('payments.create', () => Promise.reject(new Error('broken')));
    const create = clientOf(platform).payments.create(payablePayment(platform));
    await expect(create).rejects.toThrow('respond: the function threw an error: Error: broken');
    expect(platform.payments.all()).toHaveLength(1);
    expect(platform.requests).toHaveLength(1);
  });

  test('delays a response on the clock of the mock, also one of a function and an error', async () => {
    const platform = platformAtStart();
    const { id } = platform.customers.add();
    const { now } = platform.clock;
    const elapsed = async (): Promise<number> => {
      const start = now.call(platform.clock);
      await new Corridor({ ...platform.clientOptions(), maxRetries: 0, timeout: 60_000 }).customers
        .get(id)
        .catch(() => undefined);
      return now.call(platform.clock) - start;
    };
    platform.respond('customers.get', { delay: 5000 }, { times: 1 });
    platform.respond('customers.get', { status: 500, delay: { min: 7000, max: 7000 } }, { times: 1 });
    platform.respond('customers.get', () => ({ delay: 9000 }), { times: 1 });
    expect([await elapsed(), await elapsed(), await elapsed(), await elapsed()]).toEqual([5000, 7000, 9000, 0]);
  });

  test('puts fields of the request in the place of templates', async () => {
    const platform = createMockPlatform();
    platform.respond('POST /api/v1/reports/{id}', {
      headers: { 'x-report': '{{request.params.id}}' },
      body: { text: 'of {{request.body.range.from}} to {{request.body.kind}}', range: ['{{request.body.range}}'] },
    });
    const body = { kind: 'daily', range: { from: 1 } };
    const request = { method: 'POST', path: '/api/v1/reports/r1', body } as const;
    const { data, headers } = await clientOf(platform).request(request).withResponse();
    expect(data).toEqual({ text: 'of 1 to daily', range: [{ from: 1 }] });
    expect(headers.get('x-report')).toBe('r1');
    platform.respond('POST /api/v1/reports/{id}', { body: '{{request.body.knid}}' });
    await expect(clientOf(platform).request(request)).rejects.toThrow('respond: the request has no body.knid');
  });

  test('what violates the contract is listed in the request log', async () => {
    const platform = createMockPlatform();
    const { id } = platform.customers.add();
    platform.respond('customers.get', { patch: { companyName: 5, tier: 'gold' } });
    await unchecked(platform).customers.get(id);
    expect(platform.requests[0]?.responseIssues).toEqual([
      { path: 'companyName', message: expect.any(String) },
      { path: 'tier', message: 'is not in the contract' },
    ]);
    platform.faults.clear();
    await clientOf(platform).customers.get(id);
    expect(platform.requests[1]?.responseIssues).toEqual([]);
  });
});

test('a public response needs no API key', async () => {
  const platform = createMockPlatform();
  const acme = platform.organization();
  acme.respond('GET /health/{part}', { body: { status: '{{request.params.part}}' } }, { public: true, times: 1 });
  const health = async (): Promise<Response> => platform.fetch(`${platform.baseUrl}/health/ok`);
  expect(await (await health()).json()).toEqual({ status: 'ok' });
  expect((await health()).status).toBe(401);
  expect(acme.requests).toMatchObject([{ path: '/health/ok', status: 200, params: { part: 'ok' } }]);
  expect(() => platform.respond('customers.get', { status: 200, public: true })).toThrow('respond: public must be');
});

test('a request with another path than that of the base URL says so', async () => {
  const platform = createMockPlatform({ baseUrl: 'https://mock.example/corridor' });
  const corridor = clientOf(platform, {
    baseUrl: 'https://mock.example',
    fetch: async (input, init) => platform.handle(new Request(input, init)),
  });
  await expect(corridor.customers.list()).rejects.toThrow(
    'is not an endpoint of this API, whose base URL is https://mock.example/corridor',
  );
  const withPath = clientOf(createMockPlatform(), { baseUrl: 'https://api.corridor.test/corridor/v2' });
  await expect(withPath.customers.get('cus_1')).rejects.toThrow(
    'is not an endpoint of this API, whose base URL is https://api.corridor.test',
  );
});

describe('the options of respond', () => {
  const status = async (
    platform: MockPlatform,
    request: PromiseLike<unknown> = clientOf(platform).crypto.networks(),
  ): Promise<number> =>
    request.then(
      () => 200,
      (error: { status?: number }) => error.status ?? 0,
    );

  test('times and after count the requests', async () => {
    const platform = createMockPlatform();
    platform.respond('crypto.networks', { status: 500, times: 2 }, { after: 1 });
    const seen: number[] = [];
    for (let count = 0; count < 4; count += 1) seen.push(await status(platform));
    expect(seen).toEqual([200, 500, 500, 200]);
  });

  test('the latest applies, and its id removes it', async () => {
    const platform = createMockPlatform();
    platform.respond('*', { status: 500 });
    platform.respond('crypto.networks', { status: 502 });
    const id = platform.respond('crypto.networks', { status: 503 });
    expect(await status(platform)).toBe(503);
    platform.faults.remove(id);
    expect(await status(platform)).toBe(502);
    expect(await status(platform, clientOf(platform).customers.list())).toBe(500);
    expect(platform.faults.list().map(({ hits }) => hits)).toEqual([1, 1]);
  });

  test('when selects by fields, headers and parts of the body', async () => {
    const platform = platformAtStart();
    const busy = { status: 503 };
    platform.respond('customers.list', { ...busy, when: { limit: 7 } });
    platform.respond('crypto.networks', { ...busy, when: { headers: { 'X-Trace': 'yes' } } });
    platform.respond('payments.create', { ...busy, when: { body: { amount: '9000.00' } } });
    platform.respond('POST /api/v1/reports', { body: {}, when: { kind: 'daily', body: { range: { from: 1 } } } });
    const corridor = clientOf(platform);
    const post = (body: object): PromiseLike<unknown> =>
      corridor.request({ method: 'POST', path: '/api/v1/reports', body });
    const seen = [
      await status(platform, corridor.customers.list({ limit: 7 })),
      await status(platform, corridor.customers.list({ limit: 8 })),
      await status(platform, clientOf(platform, { defaultHeaders: { 'x-trace': 'yes' } }).crypto.networks()),
      await status(platform),
      await status(platform, corridor.payments.create(platform.payments.createParams({ amount: '9000.00' }))),
      await status(platform, corridor.payments.create(platform.payments.createParams({ amount: '5000.00' }))),
      await status(platform, post({ kind: 'daily', range: { from: 1, to: 2 } })),
      await status(platform, post({ kind: 'daily', range: { from: 2 } })),
    ];
    expect(seen).toEqual([503, 200, 503, 200, 503, 200, 200, 404]);
  });

  test.each<[object, string]>([
    [{ patch: { city: undefined } }, 'respond: fault.patch must be an object of fields'],
    [{ patch: {}, body: {} }, 'respond: fault must have either body, or patch and omit'],
    [{ patch: {}, status: 404 }, 'respond: fault must have either body, or patch and omit'],
    [{ status: 204, body: {} }, 'a status of 204, 205 or 304 allows no body'],
    [{ status: 99 }, 'respond: fault.status must be an integer from 200 to 599'],
    [{ boddy: 1 }, 'respond: fault.boddy is not a known field (known: kind, resolver, status'],
    [{ status: 500, when: { colour: 'red' } }, 'respond: when.colour is not a known field'],
    [{ status: 500, when: { id: { matches: '(' } } }, 'respond: when.id must be a string, or a pattern such as'],
    [{ status: 500, when: { id: { match: 'a' } } }, 'respond: when.id must be a string, or a pattern such as'],
    [{}, 'or a status, headers or a delay'],
    [{ patch: {}, processed: true }, 'or a status, headers or a delay'],
    [{ delay: -1 }, 'respond: fault.delay must be a number of milliseconds'],
  ])('%j is rejected', (response, message) => {
    const platform = createMockPlatform();
    expect(() => platform.respond('customers.get', response)).toThrow(MockPlatformError);
    expect(() => platform.respond('customers.get', response)).toThrow(message);
  });

  test('when has the ids of a path that the contract does not have, and so has the log', async () => {
    const platform = createMockPlatform();
    platform.respond('GET /api/v1/reports/{id}', { body: { rows: 3 } }, { when: { id: 'r/1' } });
    const report = (id: string) => clientOf(platform).request({ method: 'GET', path: `/api/v1/reports/${id}` });
    expect(await report('r%2F1')).toEqual({ rows: 3 });
    await expect(report('r2')).rejects.toMatchObject({ status: 404 });
    expect(platform.requests.map(({ params }) => params)).toEqual([{ id: 'r/1' }, { id: 'r2' }]);
  });

  test.each<[object, readonly number[]]>([
    [{ internalReference: { matches: '^order-' } }, [503, 201, 201]],
    [{ internalReference: { matches: '2' } }, [201, 503, 201]],
    [{ internalReference: { absent: true } }, [201, 201, 503]],
    [{ body: { internalReference: { matches: '^order' } } }, [503, 201, 201]],
    [{ body: { internalReference: { absent: true } } }, [201, 201, 503]],
    [{ headers: { 'x-trace': { absent: true } } }, [503, 503, 503]],
  ])('when selects by the pattern %j', async (when, expected) => {
    const platform = createMockPlatform();
    platform.respond('payments.create', { status: 503, when });
    const orders = ['order-1', 'my-2', undefined].map((internalReference) =>
      platform.payments.createParams({ internalReference }),
    );
    const seen: number[] = [];
    for (const order of orders) seen.push(await status(platform, clientOf(platform).payments.create(order)));
    expect(seen.map((each) => (each === 200 ? 201 : each))).toEqual(expected);
  });

  test('says how a request differed from when', async () => {
    const platform = createMockPlatform();
    platform.respond('payments.create', { status: 503, when: { currencyCode: 'MXN', amount: '1.00' } });
    const order = platform.payments.createParams({ currencyCode: 'USD', amount: '1.00' });
    await clientOf(platform).payments.create(order);
    expect(platform.faults.list()).toMatchObject([{ mismatch: 'currencyCode: expected "MXN", received "USD"' }]);
  });

  test.each(['customer.get', 'GET api/v1/reports', 'FETCH /api/v1/reports', '', null])(
    '%j is no target',
    (endpoint) => {
      expect(() => createMockPlatform().respond(endpoint as never, {})).toThrow('respond: endpoint must be one of');
    },
  );

  test('the method and path of an endpoint mean the endpoint', () => {
    const platform = createMockPlatform();
    platform.respond('GET /api/v1/customers/{id}', { status: 503 });
    expect(platform.faults.list()).toMatchObject([{ endpoint: 'customers.get' }]);
  });
});

test('any patch is applied as a merge of its fields, and never reaches the prototype', async () => {
  const platform = createMockPlatform();
  const { id } = platform.customers.add();
  const json = fc.jsonValue({ maxDepth: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), json, { maxKeys: 4 }),
      async (patch) => {
        platform.faults.clear();
        platform.respond('customers.get', { patch: JSON.parse(JSON.stringify({ extra: patch })) as object });
        const { body } = await call<{ extra: object }>(platform.clientOptions(), { path: `/api/v1/customers/${id}` });
        expect(JSON.stringify(body.extra)).toBe(JSON.stringify(JSON.parse(JSON.stringify(patch))));
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      },
    ),
    { numRuns: 30 },
  );
});

test('a planned response survives a snapshot, unless it is a function', async () => {
  const platform = createMockPlatform();
  const { id } = platform.customers.add();
  platform.respond('customers.get', { patch: { companyName: 'Acme' } });
  const snapshot = platform.snapshot();
  platform.reset();
  platform.restore(snapshot);
  expect(await clientOf(platform).customers.get(id)).toMatchObject({ companyName: 'Acme' });
  platform.respond('customers.get', () => undefined);
  expect(() => platform.snapshot()).toThrow('snapshot: the response of fault_2 is a function');
});

test('a scenario has responses', async () => {
  const platform = createMockPlatform();
  platform.scenarios.load({
    customers: [{ id: 'cus_1' }],
    responses: [{ endpoint: 'customers.get', patch: { companyName: 'Acme' }, when: { id: 'cus_1' }, times: 1 }],
  });
  expect(await clientOf(platform).customers.get('cus_1')).toMatchObject({ companyName: 'Acme' });
  expect(await clientOf(platform).customers.get('cus_1')).not.toMatchObject({ companyName: 'Acme' });
});

test('another process plans responses', async () => {
  const served = await serveMockPlatform({ control: true });
  const remote = await connectMockPlatform(served.url);
  const { id } = await remote.customers.add();
  const planned = await remote.respond('customers.get', { patch: { companyName: 'Acme' } }, { times: 1 });
  expect(await new Corridor(await remote.clientOptions()).customers.get(id)).toMatchObject({ companyName: 'Acme' });
  expect(await remote.faults.list()).toMatchObject([{ id: planned, remaining: 0, hits: 1 }]);
  await expect(remote.respond('customers.get', () => undefined)).rejects.toThrow('cannot send a function');
  served.platform.respond('customers.get', () => undefined);
  expect(await remote.faults.list()).toMatchObject([{}, { fault: { kind: 'response', resolver: 'a function' } }]);
  await served.close();
});
