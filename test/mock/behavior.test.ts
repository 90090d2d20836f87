import { Corridor, type ApiError } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../reliability/virtual-time.js';
import { payablePayment, platformAtStart, start } from './fixture.js';

const clientOf = (platform: MockPlatform): Corridor => new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);
const thrown = (call: PromiseLike<unknown>): Promise<ApiError> =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error('the request was not rejected')),
    (error: unknown) => error as ApiError,
  );

const serve = async () => {
  const served = await serveMockPlatform({ control: true });
  return { ...served, [Symbol.asyncDispose]: () => served.close() };
};

describe('listLag', () => {
  test('hides a payment that a request created from the list for a duration', async () => {
    const platform = platformAtStart({ listLag: { seconds: 2 } });
    const corridor = clientOf(platform);
    const added = platform.payments.add();
    const { id } = await corridor.payments.create(payablePayment(platform));
    expect(idsOf(await corridor.payments.list().toArray())).toEqual([added.id]);
    platform.clock.advance({ seconds: 1 });
    expect(idsOf(await corridor.payments.list().toArray())).toEqual([added.id]);
    platform.clock.advance({ seconds: 1 });
    expect(idsOf(await corridor.payments.list().toArray())).toEqual([id, added.id]);
  });

  test('hides it for a number of list requests', async () => {
    const platform = platformAtStart({ listLag: { reads: 2 } });
    const corridor = clientOf(platform);
    const { id } = await corridor.payments.create(payablePayment(platform));
    const seen = [await corridor.payments.list(), await corridor.payments.list(), await corridor.payments.list()].map(
      ({ items }) => idsOf(items),
    );
    expect(seen).toEqual([[], [], [id]]);
    expect(idsOf(platform.payments.all())).toEqual([id]);
  });

  test('is handled by createOnce if the response was lost', async () => {
    const virtual = new VirtualTime();
    const platform = createMockPlatform({ listLag: { reads: 1 }, now: virtual.options.now });
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const corridor = new Corridor({ ...platform.clientOptions(), ...virtual.options });
    const { payment, recovered } = await corridor.payments.createOnce(payablePayment(platform), {
      consistencyWindow: 1000,
    });
    expect(recovered).toBe(true);
    expect(idsOf(platform.payments.all())).toEqual([payment.id]);
  });
});

describe('listOrder', () => {
  const withTen = (listOrder: MockPlatformOptions['listOrder'], seed = 1): MockPlatform => {
    const platform = platformAtStart({ listOrder, seed });
    platform.customers.addMany(10, (index) => ({
      id: `cus_${index}`,
      createdAt: new Date(Date.parse(start) + index * 1000).toISOString(),
    }));
    return platform;
  };
  const listIds = async (platform: MockPlatform): Promise<string[]> =>
    idsOf(await clientOf(platform).customers.list({ limit: 3 }).toArray());
  const oldestFirst = Array.from({ length: 10 }, (_, index) => `cus_${index}`);

  test('returns the oldest first, across pages', async () => {
    expect(await listIds(withTen('oldest-first'))).toEqual(oldestFirst);
    expect(await listIds(withTen('newest-first'))).toEqual(oldestFirst.toReversed());
  });

  test('returns every record once in an arbitrary but stable order that depends on the seed', async () => {
    const platform = withTen('shuffled');
    const seen = await listIds(platform);
    expect(seen.toSorted()).toEqual(oldestFirst);
    expect([oldestFirst, oldestFirst.toReversed()]).not.toContainEqual(seen);
    expect(await listIds(platform)).toEqual(seen);
    expect(await listIds(withTen('shuffled'))).toEqual(seen);
    expect(await listIds(withTen('shuffled', 2))).not.toEqual(seen);
  });

  test.each(['oldest-first', 'shuffled'] as const)(
    'repeats and skips no record while others are added (%s)',
    async (listOrder) => {
      const platform = platformAtStart({ listOrder });
      const customer = platform.customers.add();
      const stay = idsOf(platform.beneficiaries.addMany(12, () => ({ customerId: customer.id })));
      const corridor = clientOf(platform);
      const seen: string[] = [];
      for await (const page of corridor.customers.beneficiaries(customer.id, { limit: 4 }).pages()) {
        seen.push(...idsOf(page.items));
        if (seen.length < 20) platform.beneficiaries.add({ customerId: customer.id });
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(stay.filter((id) => !seen.includes(id))).toEqual([]);
    },
  );

  test.each([
    ['newest-first', ['APPROVED', 'PENDING_REVIEW']],
    ['oldest-first', ['PENDING_REVIEW', 'APPROVED']],
  ] as const)('also applies to activities (%s)', async (listOrder, statuses) => {
    const platform = platformAtStart({ listOrder });
    const { id } = platform.customers.add({ status: 'DRAFT' });
    platform.customers.transition(id, 'PENDING_REVIEW');
    platform.customers.transition(id, 'APPROVED');
    const activity = await clientOf(platform).customers.activity(id);
    expect(activity.map(({ toStatus }) => toStatus)).toEqual(statuses);
  });

  test('also shuffles activities', async () => {
    const platform = platformAtStart({ listOrder: 'shuffled' });
    const { id } = platform.customers.add();
    for (let round = 0; round < 6; round++)
      for (const status of ['SUSPENDED', 'APPROVED'] as const) platform.customers.transition(id, status);
    const activity = (await clientOf(platform).customers.activity(id)).map((entry) => entry.id);
    const newestFirst = (platform.customers.activity(id) ?? []).map((entry) => entry.id);
    expect(activity.toSorted()).toEqual(newestFirst.toSorted());
    expect([newestFirst, newestFirst.toReversed()]).not.toContainEqual(activity);
  });
});

describe('errorBody', () => {
  const message = 'there is no such customer';
  test.each([
    ['plain', 'application/json', { code: 'not_found', message }, 'not_found'],
    ['nested', 'application/json', { error: { code: 'not_found', message } }, 'not_found'],
    [
      'problem+json',
      'application/problem+json',
      { type: 'about:blank', title: 'Not Found', status: 404, detail: message, code: 'not_found' },
      'not_found',
    ],
    ['status-code', 'application/json', { statusCode: 404, message, error: 'Not Found' }, undefined],
  ] as const)('is %s', async (errorBody, type, body, platformCode) => {
    const platform = createMockPlatform({ errorBody });
    const error = await thrown(clientOf(platform).customers.get('cus_0'));
    expect(error.body).toEqual(body);
    expect(error.headers.get('content-type')).toBe(type);
    expect(error).toMatchObject({ code: 'not-found', status: 404 });
    expect(error.platformCode).toBe(platformCode);
    expect(error.message).toContain(message);
    expect(platform.requests[0]?.error).toEqual({ status: 404, code: 'not_found', message });
  });

  test('also applies to faults without a custom body', async () => {
    const platform = createMockPlatform({ errorBody: 'problem+json' });
    platform.faults.sequence('crypto.networks', [
      { kind: 'status', status: 418 },
      { kind: 'status', status: 503, body: { error: 'maintenance' } },
      { kind: 'html' },
    ]);
    const corridor = clientOf(platform);
    const [generated, custom] = [await thrown(corridor.crypto.networks()), await thrown(corridor.crypto.networks())];
    expect(generated.body).toEqual({
      type: 'about:blank',
      title: 'Status 418',
      status: 418,
      detail: 'a planned fault responded with 418',
      code: 'injected_fault',
    });
    expect([custom.body, custom.headers.get('content-type')]).toEqual([{ error: 'maintenance' }, 'application/json']);
  });

  test('lists the invalid fields in every shape', async () => {
    for (const [errorBody, place] of [
      ['plain', []],
      ['nested', ['error']],
      ['problem+json', []],
      ['status-code', []],
    ] as const) {
      const platform = createMockPlatform({ errorBody });
      const error = await thrown(
        clientOf(platform).request({ method: 'GET', path: '/api/v1/customers', query: { limit: 0 } }),
      );
      const holder = place.reduce<unknown>((body, key) => (body as Record<string, unknown>)[key], error.body);
      expect(holder).toMatchObject({ issues: [{ path: 'limit', message: 'must be an integer from 1 to 100' }] });
    }
  });
});

describe('rateLimit', () => {
  test('rejects further requests until the window of the mock clock ends', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 2, per: { minutes: 1 } } });
    const corridor = clientOf(platform);
    await corridor.crypto.networks();
    platform.clock.advance({ seconds: 20.5 });
    await corridor.crypto.networks();
    expect(await thrown(corridor.crypto.networks())).toMatchObject({
      code: 'rate-limit',
      status: 429,
      platformCode: 'rate_limited',
      retryAfter: 40,
      outcome: 'rejected',
    });
    expect(platform.requests.at(-1)?.error?.message).toBe(
      'the rate limit of 2 requests in 60 s is exceeded; retry after 40 s',
    );
    platform.clock.advance({ seconds: 39.5 });
    await corridor.crypto.networks();
    await corridor.crypto.networks();
    expect(await thrown(corridor.crypto.networks())).toMatchObject({ status: 429, retryAfter: 60 });
  });

  test('makes a client wait, and creates no payment for a rejected request', async () => {
    const virtual = new VirtualTime();
    const platform = createMockPlatform({ rateLimit: { requests: 1, per: { seconds: 5 } }, now: virtual.options.now });
    const corridor = new Corridor({ ...platform.clientOptions(), ...virtual.options });
    await corridor.crypto.networks();
    await corridor.payments.create(payablePayment(platform));
    expect(virtual.pauses).toHaveLength(1);
    expect(virtual.pauses[0]).toBeGreaterThanOrEqual(5000);
    expect(platform.requests.map(({ status }) => status)).toEqual([200, 429, 201]);
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('counts each organization separately, and ignores requests without credentials', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 1, per: { seconds: 1 } } });
    const acme = platform.organization();
    await platform.fetch(`${platform.baseUrl}/api/v1/crypto/networks`, {
      headers: { 'x-api-key': acme.clientOptions().apiKey },
    });
    await clientOf(platform).crypto.networks();
    await new Corridor(acme.clientOptions()).crypto.networks();
    expect(platform.requests.map(({ status }) => status)).toEqual([401, 200, 200]);
  });

  test('is part of a snapshot, and empty after a reset', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 1, per: { seconds: 1 } } });
    const corridor = clientOf(platform);
    const fresh = platform.snapshot();
    await corridor.crypto.networks();
    const used = platform.snapshot();
    platform.restore(fresh);
    await corridor.crypto.networks();
    platform.restore(JSON.parse(JSON.stringify(used)) as typeof used);
    expect(await thrown(corridor.crypto.networks())).toMatchObject({ status: 429 });
    platform.reset();
    await corridor.crypto.networks();
    const broken = JSON.parse(JSON.stringify(used).replace(/"quota":\{[^}]*\}/, '"quota":5')) as typeof used;
    expect(() => platform.restore(broken)).toThrow('restore: this is not a snapshot');
  });

  test('starts a new window if the clock is set back', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 1, per: { days: 1 } } });
    const corridor = clientOf(platform);
    await corridor.crypto.networks();
    platform.clock.set('2025-01-01T00:00:00Z');
    await corridor.crypto.networks();
    expect(platform.requests.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('idempotency', () => {
  test.each(['by-quote', 'by-reference'] as const)(
    '%s returns the existing payment for a repeated create',
    async (idempotency) => {
      const platform = platformAtStart({ idempotency, quotes: 'reusable' });
      const corridor = clientOf(platform);
      const order = payablePayment(platform, { internalReference: 'ORDER-1' });
      const first = await corridor.payments.create(order);
      platform.clock.advance({ minutes: 20 });
      const again = await corridor.payments.create(order);
      expect(again).toEqual(first);
      expect(platform.payments.all()).toHaveLength(1);
    },
  );

  test('rejects a different payment with the same key', async () => {
    const platform = platformAtStart({ idempotency: 'by-reference' });
    const corridor = clientOf(platform);
    await corridor.payments.create(payablePayment(platform, { internalReference: 'ORDER-1' }));
    expect(
      await thrown(corridor.payments.create(payablePayment(platform, { internalReference: 'ORDER-1' }))),
    ).toMatchObject({ status: 409, platformCode: 'idempotency_mismatch' });
    await corridor.payments.create(payablePayment(platform, { internalReference: 'ORDER-2' }));
    await corridor.payments.create(payablePayment(platform));
    await corridor.payments.create(payablePayment(platform));
    expect(platform.payments.all()).toHaveLength(4);
  });

  test.each([
    ['amount', { amount: '1250.01' }],
    ['currencyCode', { currencyCode: 'USD' }],
    ['internalReference', { internalReference: 'ORDER-2' }],
    ['customerId', { customerId: 'cus_0' }],
  ] as const)('rejects a payment of the same quote with a different %s', async (field, change) => {
    const platform = platformAtStart({ idempotency: 'by-quote' });
    const corridor = clientOf(platform);
    const order = payablePayment(platform, { internalReference: 'ORDER-1' });
    await corridor.payments.create(order);
    expect(await thrown(corridor.payments.create({ ...order, ...change }))).toMatchObject({
      status: 409,
      body: {
        code: 'idempotency_mismatch',
        message: `paymentQuoteId belongs to an earlier payment with a different ${field}; send the same payment, or another paymentQuoteId`,
      },
    });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('ignores payments that the test added', async () => {
    const platform = platformAtStart({ idempotency: 'by-reference' });
    platform.payments.add({ internalReference: 'ORDER-1' });
    await clientOf(platform).payments.create(payablePayment(platform, { internalReference: 'ORDER-1' }));
    expect(platform.payments.all()).toHaveLength(2);
  });

  test('is off by default', async () => {
    const platform = platformAtStart({ quotes: 'reusable' });
    const corridor = clientOf(platform);
    const order = payablePayment(platform, { internalReference: 'ORDER-1' });
    await corridor.payments.create(order);
    await corridor.payments.create(order);
    expect(platform.payments.all()).toHaveLength(2);
  });
});

test('successStatuses changes the statuses of responses by endpoint', async () => {
  const platform = platformAtStart({ successStatuses: { 'payments.create': 299, 'documents.delete': 205 } });
  const corridor = clientOf(platform);
  const { id } = platform.documents.add();
  expect((await corridor.payments.create(payablePayment(platform)).withResponse()).status).toBe(299);
  expect((await corridor.documents.delete(id).withResponse()).status).toBe(205);
  expect((await corridor.crypto.networks().withResponse()).status).toBe(200);
  expect((await corridor.support.reply(platform.tickets.add().id, { bodyText: 'Hello' }).withResponse()).status).toBe(
    201,
  );
});

describe('configure', () => {
  test('changes options one by one until reset', async () => {
    const platform = platformAtStart({ listOrder: 'oldest-first' });
    const corridor = clientOf(platform);
    platform.configure({ quotes: 'reusable' });
    platform.configure({ errorBody: 'nested' });
    const order = payablePayment(platform);
    await corridor.payments.create(order);
    await corridor.payments.create(order);
    expect((await thrown(corridor.customers.get('cus_0'))).body).toMatchObject({ error: { code: 'not_found' } });
    const valueOf = (option: string): unknown =>
      platform.assumptions().find((assumption) => assumption.option === option)?.value;
    expect(['quotes', 'errorBody', 'listOrder'].map(valueOf)).toEqual(['reusable', 'nested', 'oldest-first']);
    platform.reset();
    expect(['quotes', 'errorBody', 'listOrder'].map(valueOf)).toEqual(['single-use', 'plain', 'oldest-first']);
  });

  test('changes nothing if an option is invalid', () => {
    const platform = createMockPlatform();
    expect(() => platform.configure({ pageSize: 0, quotes: 'reusable' })).toThrow(MockPlatformError);
    platform.configure({ amounts: 'free' });
    expect(platform.assumptions().find(({ option }) => option === 'quotes')?.value).toBe('single-use');
  });

  test('rejects options that are fixed at creation', () => {
    const seed = { seed: 2 } as object;
    expect(() => createMockPlatform().configure(seed)).toThrow(
      'configure: seed is not a known field (known: transitions, quotes, ',
    );
  });
});

test('the control API of a served platform also configures it', async () => {
  await using served = await serve();
  const control = async (call: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(
      `${served.url}/__mock/${call}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    );
    return [response.status, await response.json()];
  };
  expect(await control('configure', [{ quotes: 'reusable', pageSize: 5 }])).toEqual([200, null]);
  expect(await control('configure', [{ pageSize: null }])).toEqual([200, null]);
  expect(await control('configure', [{ quotes: 'many' }])).toMatchObject([
    400,
    { code: 'rejected', message: 'configure: quotes must be one of single-use, reusable (received "many")' },
  ]);
  const valueOf = (option: string): unknown =>
    served.platform.assumptions().find((assumption) => assumption.option === option)?.value;
  expect(['quotes', 'pageSize'].map(valueOf)).toEqual(['reusable', 25]);
  expect(await control('assumptions')).toEqual([200, JSON.parse(JSON.stringify(served.platform.assumptions()))]);
});

describe('createMockPlatform rejects invalid options:', () => {
  const invalid: readonly (readonly [message: string, options: object])[] = [
    ['createMockPlatform: quote is not a known field (known: id, name, ', { quote: 'reusable' }],
    ['quotes must be one of single-use, reusable (received "many")', { quotes: 'many' }],
    ['amounts must be one of as-quoted, free (received true)', { amounts: true }],
    ['idempotency must be one of none, by-quote, by-reference', { idempotency: 'by-header' }],
    ['listOrder must be one of newest-first, oldest-first, shuffled', { listOrder: 'desc' }],
    ['errorBody must be one of plain, nested, problem+json, status-code', { errorBody: 'xml' }],
    ['listLag.reads must be an integer of at least 1 (received 1.5)', { listLag: { reads: 1.5 } }],
    ['listLag.seconds must be a number (received NaN)', { listLag: { seconds: Number.NaN } }],
    [
      'listLag must be either a duration greater than 0, such as { seconds: 2 }, or a number of reads: { reads: 2 } (received 2)',
      { listLag: 2 },
    ],
    ['listLag.second is not a known field (known: days, hours, minutes, seconds, reads)', { listLag: { second: 2 } }],
    [
      'rateLimit.requests must be an integer of at least 1 (received 0)',
      { rateLimit: { requests: 0, per: { seconds: 1 } } },
    ],
    ['rateLimit.per is required: it must be a duration greater than 0', { rateLimit: { requests: 5 } }],
    ['rateLimit must be an object such as { requests: 100, per: { minutes: 1 } } (received 5)', { rateLimit: 5 }],
    [
      'successStatuses.payments.make is not a known field (known: payments.create, ',
      { successStatuses: { 'payments.make': 200 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': 302 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': 199 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': 300 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': '201' } },
    ],
    [
      'successStatuses.payments.list must be an integer from 200 to 299 other than 204 and 205, which allow no body (received 204)',
      { successStatuses: { 'payments.list': 204 } },
    ],
    [
      'successStatuses.support.reply must be an integer from 200 to 299 other than 204 and 205, which allow no body (received 205)',
      { successStatuses: { 'support.reply': 205 } },
    ],
    [
      "successStatuses must be an object of statuses by endpoint, such as { 'payments.create': 200 }",
      { successStatuses: 5 },
    ],
    [
      'listLag must be either a duration greater than 0, such as { seconds: 2 }, or a number of reads',
      { listLag: { reads: 1, seconds: 3 } },
    ],
    ['transitions must be an object with rows of payments, customers, beneficiaries', { transitions: null }],
    [
      'transitions.payment is not a known field (known: payments, customers, beneficiaries)',
      { transitions: { payment: {} } },
    ],
    [
      'transitions.payments must be an object of arrays of statuses by status, such as { COMPLETED: [] }',
      { transitions: { payments: 'PENDING_REVIEW' } },
    ],
    [
      'transitions.payments.PENDING_REVEIW is not a known field (known: PENDING_REVIEW, ',
      { transitions: { payments: { PENDING_REVEIW: ['APPROVED'] } } },
    ],
    ['transitions.customers.DRAFT[0] must be one of DRAFT, ', { transitions: { customers: { DRAFT: ['PAID'] } } }],
    [
      'transitions.payments.APPROVED must be an array of statuses (received "PROCESSING"). Pass []',
      { transitions: { payments: { APPROVED: 'PROCESSING' } } },
    ],
    [
      'transitions.beneficiaries.APPROVED must be an array of statuses (received null). Pass []',
      { transitions: { beneficiaries: { APPROVED: null } } },
    ],
    ['urlLifetime must be a number of seconds greater than 0', { urlLifetime: 0 }],
    [
      'quoteLifetime must be a number of seconds greater than 0 and at most 1e9 (received 1e+300)',
      { quoteLifetime: 1e300 },
    ],
    ['pageSize must be an integer from 1 to 100', { pageSize: 101 }],
    ['dialect.filterNames.state is not a known field', { dialect: { filterNames: { state: 'status' } } }],
    ['dialect.filtres is not a known field', { dialect: { filtres: {} } }],
    ['dialect must be an object', { dialect: 'none' }],
  ];

  test.each(invalid)('%s', (message, options) => {
    expect(() => createMockPlatform(options)).toThrow(MockPlatformError);
    expect(() => createMockPlatform(options)).toThrow(message);
  });
});
