import { Corridor, MemoryJournal } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { paymentTransitions } from 'corridor-sdk/mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { payablePayment, start } from '../fixture.ts';

let served: MockPlatformServer;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true, now: () => Date.parse(start) });
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

async function call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
  const response = await fetch(`${served.url}/__mock/${name}`, { method: 'POST', body: JSON.stringify(args) });
  const result = (await response.json()) as T;
  expect({ status: response.status, ...(response.status !== 200 && { result }) }).toEqual({ status: 200 });
  return result;
}

describe('requests.get', () => {
  test('returns the request, its response and its duration', async () => {
    const params = payablePayment(served.platform);
    const { id } = await new Corridor(served.clientOptions()).payments.create(params);
    const [request] = served.platform.requests;

    const details = await call<{ response: { body: string } }>('requests.get', request?.requestId);

    expect(details).toMatchObject({
      request: {
        endpoint: 'payments.create',
        body: { amount: params.amount },
        headers: { 'content-type': 'application/json' },
      },
      response: { status: 201, delivery: null, headers: { 'content-type': 'application/json' } },
      duration: expect.any(Number),
    });
    expect(JSON.parse(details.response.body)).toMatchObject({ id });
  });

  test('never returns the credentials of a request', async () => {
    const { apiKey } = served.clientOptions();
    let token = '';
    const record: typeof fetch = (input, init) => {
      token = new Request(input, init).headers.get('authorization')?.replace('Bearer ', '') ?? '';
      return fetch(input, init);
    };
    await new Corridor({ ...served.clientOptions(), fetch: record }).crypto.networks();

    const details = JSON.stringify(await call('requests.get', served.platform.requests[0]?.requestId));

    expect(token).not.toBe('');
    expect(details).not.toContain(token);
    expect(details).not.toContain(apiKey);
    expect(details).not.toMatch(/authorization|x-api-key/i);
  });

  test('drops the oldest bodies of a full log, and keeps its entries', async () => {
    served.platform.respond('GET /api/v1/reports', { body: 'a'.repeat(64 * 1024) });
    const corridor = new Corridor(served.clientOptions());
    await corridor.payments.create(payablePayment(served.platform));
    for (let count = 0; count < 513; count += 1) await corridor.request({ method: 'GET', path: '/api/v1/reports' });

    const bodies: (string | null)[] = [];
    for (const request of [...served.platform.requests.slice(0, 2), ...served.platform.requests.slice(-1)]) {
      const { response } = await call<{ response: { body: string | null } }>('requests.get', request.requestId);
      bodies.push(response.body);
    }
    expect(bodies.map((body) => body?.length)).toEqual([undefined, undefined, 65_536]);
    expect(await call('requests.search', { limit: 1 })).toMatchObject({ count: 514 });
  });

  test('returns null for an unknown request', async () => {
    expect(await call('requests.get', 'req_0')).toBeNull();
  });
});

test('scheduled lists transitions and late commits in the order of their times', async () => {
  const { platform } = served;
  const payment = platform.payments.add();
  const other = platform.customers.add({ status: 'PENDING_REVIEW' });
  platform.payments.scheduleTransitions(payment.id, ['APPROVED', 'PROCESSING'], { every: { hours: 1 } });
  platform.customers.scheduleTransitions(other.id, ['APPROVED'], { every: { hours: 2 } });
  platform.faults.next('payments.create', { kind: 'late-commit', after: 1000 });
  await new Corridor(served.clientOptions()).payments.create(payablePayment(platform)).catch(() => undefined);

  const scheduled = await call<readonly unknown[]>('scheduled');

  expect(scheduled).toEqual([
    {
      kind: 'request',
      at: '2026-03-01T09:00:01.000Z',
      endpoint: 'payments.create',
      requestId: platform.requests[0]?.requestId,
    },
    {
      kind: 'transition',
      state: 'scheduled',
      at: '2026-03-01T10:00:00.000Z',
      of: 'payments',
      id: payment.id,
      statuses: ['APPROVED', 'PROCESSING'],
    },
    {
      kind: 'transition',
      state: 'scheduled',
      at: '2026-03-01T11:00:00.000Z',
      of: 'customers',
      id: other.id,
      statuses: ['APPROVED'],
    },
  ]);
  expect(platform.scheduled()).toEqual(scheduled);
  expect(await call('scheduled', { limit: 2 })).toEqual(scheduled.slice(0, 2));
  expect(await call('scheduled', { id: other.id })).toEqual(scheduled.slice(2));
  expect(await call('scheduled', { id: platform.requests[0]?.requestId, limit: 5 })).toEqual(scheduled.slice(0, 1));
  expect(await call('scheduled', { id: 'pay_0' })).toEqual([]);
});

test.each([
  ['scheduled', { limit: 0 }, 'limit must be an integer of at least 1'],
  ['scheduled', { after: 'pay_1' }, 'after is not a known field'],
])('%s rejects %j', async (name, query, message) => {
  const response = await fetch(`${served.url}/__mock/${name}`, { method: 'POST', body: JSON.stringify([query]) });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining(message) as unknown });
});

test('payments.search selects by text and status, and counts all that match', async () => {
  const { customers, payments } = served.platform;
  const { id: customerId } = customers.add({ companyName: 'Zephyr Quills' });
  const [first, second, third] = (['APPROVED', 'COMPLETED', 'COMPLETED'] as const).map((status) =>
    payments.add({ customerId, status }),
  );
  payments.add();
  const search = { text: 'zephyr', limit: 1 };

  expect(await call('payments.search', search)).toMatchObject({
    count: 3,
    values: { status: { APPROVED: 1, COMPLETED: 2 } },
    records: [{ id: third?.id }],
  });
  expect(await call('payments.search', { ...search, status: 'COMPLETED', limit: 2 })).toMatchObject({
    count: 2,
    values: { status: { APPROVED: 1, COMPLETED: 2 } },
    records: [{ id: third?.id }, { id: second?.id }],
  });
  expect(await call('payments.search', { text: first?.internalReference })).toMatchObject({ count: 1 });
});

test('due lists what happens in all organizations, in the order of the times', async () => {
  const { platform } = served;
  const acme = platform.organization();
  const [payment, quote] = [acme.payments.add(), platform.quotes.add({ paymentAmount: '5.00' })];
  acme.payments.scheduleTransitions(payment.id, ['APPROVED'], { every: { minutes: 1 } });
  const canceled = acme.payments.add().id;
  acme.payments.scheduleTransitions(canceled, ['APPROVED'], { every: { minutes: 1 } });
  acme.payments.transition(canceled, 'REJECTED');
  platform.quotes.add({ expiresAt: start, createdAt: '2026-02-28T09:00:00.000Z' });

  const due = await call<readonly { first: { organization: string } }[]>('due');

  expect(due.filter(({ first }) => [acme.id, platform.id].includes(first.organization))).toMatchObject([
    { count: 1, first: { organization: acme.id, id: payment.id, at: '2026-03-01T09:01:00.000Z' } },
    { count: 1, first: { organization: platform.id, kind: 'expiry', id: quote.id, paymentAmount: '5.00' } },
  ]);
  platform.removeOrganization(acme.id);
});

test('due groups the records that do the same next, with the times of the first and the last', async () => {
  const { payments } = served.platform;
  for (const minutes of [3, 1, 2]) {
    const { id } = payments.add({ status: 'PROCESSING' });
    payments.scheduleTransitions(id, ['COMPLETED'], { every: { minutes } });
  }
  payments.scheduleTransitions(payments.add({ status: 'PROCESSING' }).id, ['RETURNED'], { every: { hours: 1 } });

  const due = await call<readonly { first: { kind: string } }[]>('due');

  expect(due.filter(({ first }) => first.kind === 'transition')).toMatchObject([
    { count: 3, first: { at: '2026-03-01T09:01:00.000Z' }, last: '2026-03-01T09:03:00.000Z' },
    { count: 1, first: { at: '2026-03-01T10:00:00.000Z' }, last: '2026-03-01T10:00:00.000Z' },
  ]);
});

describe('a search', () => {
  test('of requests filters by each field, and counts the values of the others', async () => {
    const { platform } = served;
    const acme = platform.organization({ name: 'Acme' });
    const corridor = new Corridor({ ...served.clientOptions(), maxRetries: 0 });
    await corridor.payments.list({ limit: 7 });
    await new Corridor(served.clientOptions(acme)).payments.list();
    await corridor.customers.get('nobody').catch(() => undefined);
    platform.faults.next('customers.list', { kind: 'reset' });
    await corridor.customers.list().catch(() => undefined);

    const found = async (query: object): Promise<readonly string[]> => {
      const { count, records } = await call<{
        count: number;
        records: readonly { endpoint: string; status: string }[];
      }>('requests.search', query);
      expect(count).toBe(records.length);
      return records.map(({ endpoint, status }) => `${endpoint} ${status}`);
    };
    expect(await found({})).toEqual([
      'customers.list reset',
      'customers.get 404',
      'payments.list 200',
      'payments.list 200',
    ]);
    expect(await found({ text: 'LIMIT=7' })).toEqual(['payments.list 200']);
    expect(await found({ organization: acme.id })).toEqual(['payments.list 200']);
    expect(await found({ status: 'reset' })).toEqual(['customers.list reset']);
    expect(await found({ fault: 'reset' })).toEqual(['customers.list reset']);
    expect(await found({ error: 'not_found' })).toEqual(['customers.get 404']);
    expect(await found({ endpoint: 'payments.list', error: 'not_found' })).toEqual([]);
    expect(await found({ seconds: 3600 })).toHaveLength(4);
    expect(await call('requests.search', { endpoint: 'customers.get', limit: 1 })).toMatchObject({
      count: 1,
      total: 4,
      dropped: 0,
      values: {
        endpoint: { 'payments.list': 2, 'customers.get': 1, 'customers.list': 1 },
        status: { 200: 2, 404: 1, reset: 1 },
        error: { not_found: 1 },
        fault: { reset: 1 },
      },
    });
    platform.removeOrganization(acme.id);
  });

  test('of requests finds those of one createOnce by its quote', async () => {
    const { platform } = served;
    const corridor = new Corridor({ ...served.clientOptions(), consistencyWindow: 0 });
    const found = async (quoteId: string): Promise<readonly string[]> => {
      const { records } = await call<{ records: readonly { endpoint: string; status: string }[] }>('requests.search', {
        quoteId,
      });
      return records.toReversed().map(({ endpoint, status }) => `${endpoint} ${status}`);
    };
    const [lost, rejected, other] = [payablePayment(platform), payablePayment(platform), payablePayment(platform)];
    await corridor.payments.list({ limit: 100 });
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    platform.faults.next('payments.list', { kind: 'status', status: 503 });
    await corridor.payments.createOnce(lost);
    await corridor.payments.createOnce({ ...rejected, beneficiaryId: 'ben_nobody' }).catch(() => undefined);
    await corridor.payments.createOnce(other);
    await corridor.payments.list({ limit: 100 });
    expect(await found(lost.paymentQuoteId)).toEqual([
      'payments.create reset',
      'payments.list 503',
      'payments.list 200',
    ]);
    expect(await found(rejected.paymentQuoteId)).toEqual(['payments.create 422']);
    expect(await found(other.paymentQuoteId)).toEqual(['payments.create 201']);

    // A journal of its own, as in another process.
    const options = { ...served.clientOptions(), journal: new MemoryJournal(), consistencyWindow: 0 };
    await new Corridor(options).payments.createOnce(other);
    expect(await found(other.paymentQuoteId)).toEqual([
      'payments.create 201',
      'payments.create 409',
      'payments.list 200',
    ]);
  });

  test('of requests counts those that the log dropped', async () => {
    const small = await serveMockPlatform({ control: true, logSize: 10 });
    for (let count = 0; count < 15; count += 1) await fetch(`${small.url}/number-${count}`);
    const response = await fetch(`${small.url}/__mock/requests.search`, { method: 'POST' });
    expect(await response.json()).toMatchObject({ count: 10, total: 10, dropped: 5 });
    await small.close();
  });
});

test('payments.history returns each status with its time', async () => {
  const { platform } = served;
  const { id } = platform.payments.add({ createdAt: '2026-02-28T12:00:00.000Z' });
  platform.payments.transition(id, 'APPROVED');
  platform.clock.advance({ minutes: 5 });
  platform.payments.update(id, { status: 'COMPLETED' });

  expect(await call('payments.history', id)).toEqual([
    { status: 'PENDING_REVIEW', at: '2026-02-28T12:00:00.000Z' },
    { status: 'APPROVED', at: start },
    { status: 'COMPLETED', at: '2026-03-01T09:05:00.000Z' },
  ]);
});

test('transitions returns the tables in effect', async () => {
  await call('configure', { transitions: { payments: { COMPLETED: [] } } });
  expect(await call('transitions')).toMatchObject({ payments: { ...paymentTransitions, COMPLETED: [] } });
});

test('behavior returns the options that are set', async () => {
  await call('configure', { quoteLifetime: 60, quotes: null });
  expect(await call('behavior')).toMatchObject({ quoteLifetime: 60 });
  expect(await call('behavior')).not.toHaveProperty('quotes');
});
