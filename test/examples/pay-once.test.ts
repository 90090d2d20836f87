import { Corridor, type PaymentCreateParams } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, onTestFinished, test } from 'vitest';
import { payOnce, type Order } from '../../examples/pay-once.ts';
import { virtualOptions, VirtualTime } from '../support/virtual-time.ts';

test('pay once: a batch that restarts after lost responses creates each payment exactly once', async () => {
  const time = new VirtualTime();
  const platform = createMockPlatform({ now: time.now, quotes: 'reusable' });
  const { id: customerId } = platform.customers.add();
  const payments = Array.from({ length: 4 }, (_, index): Order => {
    const internalReference = `order-${index}`;
    return { ...platform.payments.createParams({ customerId, currencyCode: 'USD' }), internalReference };
  });
  const journal = new SqliteJournal(':memory:');
  onTestFinished(() => journal.close());

  /** Runs with a network that loses some responses, with or without a readable list. */
  const run = (lost: readonly string[], listed: boolean) => {
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (init?.method !== 'POST')
        return listed ? time.busy(() => platform.fetch(input, init)) : new Response(null, { status: 503 });
      const { internalReference } = JSON.parse(String(init.body)) as PaymentCreateParams;
      const response = await time.busy(() => platform.fetch(input, init));
      if (lost.includes(internalReference ?? ''))
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
      return response;
    };
    return time.run(() =>
      payOnce(new Corridor({ ...platform.clientOptions(), ...virtualOptions(time, fetch), journal }), payments),
    );
  };

  expect((await run(['order-1', 'order-3'], false)).map(({ outcome }) => outcome)).toEqual([
    'made',
    'not known yet',
    'made',
    'not known yet',
  ]);
  expect((await run([], true)).map(({ outcome }) => outcome)).toEqual(['found', 'found', 'found', 'found']);
  expect(platform.payments.all().map(({ internalReference }) => internalReference)).toEqual([
    'order-0',
    'order-1',
    'order-2',
    'order-3',
  ]);
});

test('pay once: a batch with an order without an id pays nothing', async () => {
  const platform = createMockPlatform();
  const orders = [{ internalReference: 'order-0' }, { internalReference: null }].map((reference) =>
    platform.payments.createParams({ ...reference }),
  );
  await expect(payOnce(new Corridor(platform.clientOptions()), orders as unknown as Order[])).rejects.toThrow(
    '1 orders have no internalReference, nothing was paid',
  );
  expect(platform.requests).toHaveLength(0);
});
