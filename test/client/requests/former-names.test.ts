import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockFault } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, test } from 'vitest';

const platform = createMockPlatform();
const corridor = new Corridor(platform.clientOptions());
/** The client as plain JavaScript sees it. */
const untyped = corridor as unknown as Record<
  'payments' | 'customers' | 'documents' | 'support',
  Record<string, (...args: readonly unknown[]) => unknown>
>;
const order = platform.payments.createParams({ amount: '1250.00' });

test.each([
  [
    'payments.retrieve',
    () => untyped.payments['retrieve']?.('pay_1'),
    'there is no retrieve here. Call payments.find(',
  ],
  ['payments.get', () => untyped.payments['get']?.('pay_1'), 'there is no get here. Call payments.find({ id })'],
  ['customers.retrieve', () => untyped.customers['retrieve']?.('cus_1'), 'no retrieve here. Call customers.get(id)'],
  ['documents.downloadTo', () => untyped.documents['downloadTo']?.('doc_1', 'file'), 'Call documents.download(id)'],
  ['new Corridor(key)', () => new Corridor('secret-key' as never), 'must be an object, such as { baseUrl, apiKey, '],
  ['new Corridor(key, {})', () => Reflect.construct(Corridor, ['secret-key', {}]) as unknown, 'must be an object'],
  [
    'the option amountPattern',
    () => new Corridor({ ...platform.clientOptions(), dialect: { amountPattern: /x/ } as never }),
    'dialect.amountPattern was removed. Pass amountFormat',
  ],
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
  [
    'a store of checkpoints',
    () => corridor.payments.changes({ store: {} } as never).next(),
    'store was removed. Save what onCheckpoint passes, or call corridor.sync',
  ],
])('%s is not sent, and leads to the right call', async (_, call, message) => {
  await expect((async () => call())()).rejects.toThrow(message);
  expect(platform.requests).toHaveLength(0);
});

test('a subclass of a namespace keeps its own method of such a name', () => {
  class Payments extends (corridor.payments.constructor as new (...args: readonly unknown[]) => object) {
    retrieve = (id: string): string => id;
  }
  expect(new Payments({}).retrieve('pay_1')).toBe('pay_1');
});

test.each([
  ['drip', 'Pass slow, cut-body or stall-body'],
  ['change-field', 'Call platform.respond(endpoint, { patch })'],
  ['redirect', 'Call platform.respond(endpoint, { status: 302, headers: { location } })'],
])('the fault %s, which was removed, leads to what replaces it', (kind, replacement) => {
  expect(() => platform.faults.next('payments.list', { kind } as unknown as MockFault)).toThrow(
    `(received "${kind}"). It was removed. ${replacement}`,
  );
});
