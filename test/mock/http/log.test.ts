import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart, start } from '../fixture.ts';
import { call, send } from '../sign.ts';

const create = '/api/v1/payment';

describe('the log', () => {
  test('records every field of a request', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    const created = await new Corridor(platform.clientOptions()).payments.create(payment).withResponse();
    expect(platform.requests).toHaveLength(1);
    expect(platform.requests[0]).toEqual({
      endpoint: 'payments.create',
      organization: platform.id,
      method: 'POST',
      path: create,
      params: {},
      query: {},
      filters: {},
      // Without those that carry credentials.
      headers: {
        accept: 'application/json',
        'content-length': expect.any(String),
        'content-type': 'application/json',
        'user-agent': expect.stringContaining('corridor-sdk/'),
      },
      body: payment,
      status: 201,
      claims: expect.objectContaining({ uri: create, iat: Date.parse(start) / 1000 - 5 }),
      keyId: (await platform.keys.publicKeys())[0]?.keyId,
      error: undefined,
      issues: [],
      responseIssues: [],
      fault: undefined,
      requestId: created.requestId,
      receivedAt: Date.parse(start),
    });
  });

  test('is an array, and returns the requests to one endpoint', async () => {
    const platform = platformAtStart();
    const corridor = new Corridor(platform.clientOptions());
    await corridor.payments.list({ limit: 5 });
    await corridor.customers.list();
    expect(Array.isArray(platform.requests)).toBe(true);
    expect(Object.keys(platform.requests)).toEqual(['0', '1']);
    expect(Object.getPrototypeOf(platform.requests)).toBe(Array.prototype);
    expect(platform.requests.to('payments.list')).toMatchObject([{ query: { limit: '5' }, body: undefined }]);
    expect(platform.requests.to('payments.create')).toEqual([]);
    const [first] = platform.requests.map(({ endpoint }) => endpoint);
    expect(first).toBe('payments.list');
  });

  test('throws for an unknown endpoint, which would never have a request', () => {
    const { requests } = createMockPlatform();
    // @ts-expect-error There is no such endpoint.
    expect(() => requests.to('payment.create')).toThrow(
      'requests.to: endpoint must be one of payments.create, payments.list, ',
    );
  });

  test('records ids and filters by the names that the client uses', async () => {
    const dialect = { filterNames: { status: 'state', limit: 'page_size' } };
    const platform = createMockPlatform({ dialect });
    const { id } = platform.customers.add();
    await new Corridor({ ...platform.clientOptions(), dialect }).customers.beneficiaries(id, {
      status: 'APPROVED',
      limit: 5,
    });
    expect(platform.requests).toMatchObject([
      {
        params: { customerId: id },
        query: { state: 'APPROVED', page_size: '5' },
        filters: { status: 'APPROVED', limit: 5 },
      },
    ]);
  });

  test('has the request id of the response, in the header of the dialect', async () => {
    const dialect = { requestIdHeaders: ['x-trace', 'x-request-id'] };
    const platform = createMockPlatform({ dialect });
    const { headers, requestId } = await new Corridor({ ...platform.clientOptions(), dialect }).crypto
      .networks()
      .withResponse();
    expect(headers.get('x-trace')).toBe(platform.requests[0]?.requestId);
    expect(requestId).toBe(platform.requests[0]?.requestId);
    expect(headers.has('x-request-id')).toBe(false);
  });

  test('keeps a body that is not JSON as a string', async () => {
    const platform = platformAtStart();
    await send(platform.clientOptions(), { method: 'POST', path: create, text: '{"amount":' });
    expect(platform.requests.at(-1)).toMatchObject({ body: '{"amount":', status: 400 });
  });

  test('keeps only the start of a body with an unknown API key, as a string', async () => {
    const platform = platformAtStart();
    const json = { memo: 'é'.repeat(1000) };
    await send({ ...platform.clientOptions(), apiKey: 'unknown' }, { method: 'POST', path: create, json });
    expect(platform.requests[0]?.body).toBe(`{"memo":"${'é'.repeat(495)}`);
    await call(platform.clientOptions(), { method: 'POST', path: create, json, headers: { authorization: undefined } });
    expect(platform.requests[1]).toMatchObject({ status: 401, body: json });
  });

  test('keeps a body that is nested too deep to be serialized as a string', async () => {
    const platform = platformAtStart();
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    for (const levels of [100, 101, 100_000])
      await send(platform.clientOptions(), { method: 'POST', path: create, text: nested(levels) });
    expect(platform.requests.map(({ body }) => body)).toEqual([JSON.parse(nested(100)), nested(101), nested(100_000)]);
    expect(JSON.stringify(platform.requests)).toContain(nested(100));
  });

  test('can be cleared, and drops the oldest requests if it gets too long', async () => {
    const platform = createMockPlatform({ logSize: 10 });
    for (let index = 0; index < 12; index++) await platform.fetch(`${platform.baseUrl}/${index}`);
    expect(platform.requests.map(({ path }) => path).slice(-2)).toEqual(['/10', '/11']);
    expect(platform.requests).toHaveLength(10);
    platform.requests.clear();
    expect(platform.requests).toHaveLength(0);
  });

  test('of an organization and that of the platform have the same requests after either is cleared', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    const listOnce = async (): Promise<void> => {
      for (const organization of [platform, acme]) await new Corridor(organization.clientOptions()).customers.list();
    };
    const owners = (): unknown[] => platform.requests.map(({ organization }) => organization);
    await listOnce();
    acme.requests.clear();
    expect([owners(), acme.requests.length]).toEqual([[platform.id], 0]);
    await listOnce();
    acme.reset();
    expect([owners(), acme.requests.length]).toEqual([[platform.id, platform.id], 0]);
    await listOnce();
    platform.requests.clear();
    expect([owners(), acme.requests.length, platform.organizations[0]?.requests.length]).toEqual([[], 0, 0]);
  });
});
