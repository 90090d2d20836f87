import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { paymentTransitions } from 'corridor-sdk/mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { payablePayment, start } from '../fixture.js';

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
      request: { endpoint: 'payments.create', body: { amount: params.amount } },
      requestHeaders: { 'content-type': 'application/json' },
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

  test('returns null for an unknown request', async () => {
    expect(await call('requests.get', 'req_0')).toBeNull();
  });
});

test('scheduled lists transitions and late commits in the order of their times', async () => {
  const { platform } = served;
  const payment = platform.payments.add();
  const other = platform.customers.add({ status: 'PENDING_REVIEW' });
  platform.payments.scheduleTransitions(payment.id, ['APPROVED', 'PROCESSING'], { every: { hours: 1 } });
  platform.customers.scheduleTransitions(other.id, ['APPROVED'], { reads: 3 });
  platform.faults.next('payments.create', { kind: 'late-commit', after: 1000 });
  await new Corridor(served.clientOptions()).payments.create(payablePayment(platform)).catch(() => undefined);

  const scheduled = await call<readonly unknown[]>('scheduled');

  expect(scheduled).toEqual([
    {
      kind: 'request',
      at: '2026-03-01T09:00:01.000Z',
      reads: null,
      endpoint: 'payments.create',
      requestId: platform.requests[0]?.requestId,
    },
    {
      kind: 'transition',
      state: 'scheduled',
      at: '2026-03-01T10:00:00.000Z',
      reads: null,
      of: 'payments',
      id: payment.id,
      statuses: ['APPROVED', 'PROCESSING'],
    },
    {
      kind: 'transition',
      state: 'scheduled',
      at: null,
      reads: 3,
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

test('organizations and faults.list have pages', async () => {
  const { platform } = served;
  platform.organization();
  const ids = platform.organizations.map(({ id }) => id);
  const found = await call<readonly { readonly id: string }[]>('organizations', { limit: 1, after: ids[0] });
  expect(found.map(({ id }) => id)).toEqual(ids.slice(1, 2));
  const faults = platform.faults.sequence('*', ['ok', 'ok', 'ok']);
  const page = await call<readonly { readonly id: string }[]>('faults.list', { order: 'newest-first', limit: 2 });
  expect(page.map(({ id }) => id)).toEqual(faults.toReversed().slice(0, 2));
});

test.each([
  ['scheduled', { limit: 0 }, 'limit must be an integer of at least 1'],
  ['scheduled', { after: 'pay_1' }, 'after is not a known field'],
  ['organizations', { id: 'org_1' }, 'id is not a known field'],
  ['faults.list', { after: 'fault_0' }, 'faults.list: after "fault_0" does not exist'],
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
  const search = { text: 'zephyr', order: 'newest-first', limit: 1 };

  expect(await call('payments.search', search)).toMatchObject({
    count: 3,
    statuses: { APPROVED: 1, COMPLETED: 2 },
    records: [{ id: third?.id }],
  });
  expect(await call('payments.search', { ...search, status: 'COMPLETED', after: third?.id })).toMatchObject({
    count: 2,
    statuses: { APPROVED: 1, COMPLETED: 2 },
    records: [{ id: second?.id }],
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

  const due = await call<{ count: number; events: { organization: string }[] }>('due');

  expect(due.events.filter(({ organization }) => [acme.id, platform.id].includes(organization))).toMatchObject([
    { organization: acme.id, kind: 'transition', id: payment.id, at: '2026-03-01T09:01:00.000Z' },
    { organization: platform.id, kind: 'expiry', id: quote.id, paymentAmount: '5.00', at: quote.expiresAt },
  ]);
  expect(due.count).toBe(due.events.length);
  platform.removeOrganization(acme.id);
});

test('due lists the first 100 events, and counts all', async () => {
  served.platform.quotes.addMany(101);
  expect(await call('due')).toMatchObject({ count: 101, events: { length: 100 } });
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

test('schemas describes faults, behavior and endpoints for forms', async () => {
  expect(await call('schemas')).toMatchObject({
    fault: {
      oneOf: expect.arrayContaining([
        expect.objectContaining({
          properties: {
            kind: { type: 'string', const: 'late-commit' },
            after: expect.objectContaining({ type: 'number', description: expect.any(String) }),
          },
          required: ['kind', 'after'],
        }),
      ]),
    },
    behavior: { properties: { quotes: { enum: ['single-use', 'reusable'] } } },
    endpoints: expect.arrayContaining([{ name: 'payments.list', method: 'GET', path: '/api/v1/payment' }]),
  });
});
