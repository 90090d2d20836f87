import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, test } from 'vitest';

const platform = createMockPlatform();
const corridor = new Corridor(platform.clientOptions());
/** The client as plain JavaScript sees it. */
const untyped = corridor as unknown as Record<
  'payments' | 'customers' | 'screening' | 'documents' | 'support' | 'beneficiaries' | 'quotes',
  Record<string, (...args: readonly unknown[]) => unknown>
>;
const order = platform.payments.createParams({ amount: '1250.00' });

test.each([
  [
    'payments.retrieve',
    () => untyped.payments['retrieve']?.('pay_1'),
    'retrieve does not exist here. Call payments.find({ id })',
  ],
  ['payments.get', () => untyped.payments['get']?.('pay_1'), 'Call payments.find({ id })'],
  ['payments.fetch', () => untyped.payments['fetch']?.('pay_1'), 'Call payments.find({ id })'],
  ['customers.retrieve', () => untyped.customers['retrieve']?.('cus_1'), 'Call customers.get(id)'],
  ['customers.fetch', () => untyped.customers['fetch']?.('cus_1'), 'Call customers.get(id)'],
  ['screening.retrieve', () => untyped.screening['retrieve']?.('cus_1'), 'Call screening.get(customerId, personId)'],
  ['documents.get', () => untyped.documents['get']?.('doc_1'), 'Call documents.download(id)'],
  ['documents.retrieve', () => untyped.documents['retrieve']?.('doc_1'), 'Call documents.download(id)'],
  [
    'beneficiaries.list',
    () => untyped.beneficiaries['list']?.('cus_1'),
    'beneficiaries does not exist here. Call customers.beneficiaries(customerId)',
  ],
  ['quotes.create', () => untyped.quotes['create']?.({}), 'quotes does not exist here. Call corridor.request'],
  ['new Corridor(key)', () => new Corridor('secret-key' as never), 'must be an object, such as { baseUrl, apiKey, '],
  ['new Corridor(key, {})', () => Reflect.construct(Corridor, ['secret-key', {}]) as unknown, 'must be an object'],
  [
    'the option onRequest of a server',
    () => serveMockPlatform({ onRequest: () => undefined } as never),
    'onRequest is a method: call platform.onRequest(listener)',
  ],
])('%s leads to the call that replaces it', async (_, call, message) => {
  const error = await (async () => call())().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining(message) as string });
  expect(String(error)).not.toContain('secret-key');
});

test.each([
  [
    'an idempotencyKey',
    () => corridor.payments.create(order, { idempotencyKey: 'order-4711' } as never),
    'idempotencyKey is an option of payments.createOnce, which pays an order once. Call it instead',
  ],
  [
    'a field in snake case',
    () => corridor.payments.list({ created_from: '2026-01-01T00:00Z' } as never),
    'created_from is not a known field. Pass createdFrom',
  ],
  ['more than a page', () => corridor.payments.list({ limit: 500 }), 'from 1 to 100. For more, iterate over the list'],
  [
    'a status in lower case',
    () => corridor.payments.list({ status: 'completed' as never }),
    '(received "completed"). Pass "COMPLETED"',
  ],
  [
    'an amount in cents',
    () => corridor.payments.createOnce({ ...order, amount: 125_000 as never }, { idempotencyKey: 'order-4711' }),
    'From an integer of cents, pass amounts.fromMinorUnits(BigInt(cents), currencyCode)',
  ],
])('%s is not sent, and leads to the right call', async (_, call, message) => {
  await expect((async () => call())()).rejects.toThrow(message);
  expect(platform.requests).toHaveLength(0);
});

const keyMessage = 'does not prevent a second payment. Call payments.createOnce with the option idempotencyKey';

test.each(['idempotency-key', 'Idempotency-Key', 'IDEMPOTENCY-KEY', 'X-Idempotency-Key'])(
  'the header %s is not sent, because nothing would use it, and leads to the right call',
  async (name) => {
    const headers = { [name]: 'order-4711' };
    for (const call of [
      () => corridor.payments.create(order, { headers }),
      () => corridor.payments.createOnce(order, { headers }),
      () => corridor.documents.delete('doc_1', { headers }),
      () => corridor.documents.download('doc_1', { headers }),
      () => corridor.withOptions({ defaultHeaders: headers }).crypto.networks(),
      () => new Corridor({ ...platform.clientOptions(), defaultHeaders: headers }).crypto.networks(),
    ])
      await expect((async () => call())()).rejects.toThrow(keyMessage);
    expect(platform.requests).toHaveLength(0);
  },
);

test('an endpoint that this version does not know can have an idempotency key', async () => {
  const sent: Request[] = [];
  const { fetch, ...options } = platform.clientOptions();
  const client = new Corridor({
    ...options,
    fetch: (url, init) => {
      sent.push(new Request(url, init));
      return fetch(url, init);
    },
  });
  const headers = { 'Idempotency-Key': 'refund-1' };
  await client.request({ method: 'POST', path: '/api/v2/refunds', body: {} }, { headers }).catch(() => undefined);
  expect(sent[0]?.headers.get('idempotency-key')).toBe('refund-1');
});

test('a subclass of a client keeps its own namespace of such a name', () => {
  class Client extends Corridor {
    get quotes(): string {
      return 'own';
    }
  }
  expect(new Client(platform.clientOptions()).quotes).toBe('own');
});

test('a subclass of a namespace keeps its own method of such a name', () => {
  class Payments extends (corridor.payments.constructor as new (...args: readonly unknown[]) => object) {
    retrieve = (id: string): string => id;
  }
  expect(new Payments({}).retrieve('pay_1')).toBe('pay_1');
});
