import {
  Corridor,
  MemoryJournal,
  PaymentOutcomeUnknownError,
  type CreateOnceOptions,
  type JournalEntry,
  type PaymentCreateParams,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { journalWith } from '../../journal/stored-intents.ts';
import {
  arrangeOrder,
  connectionError,
  errorResponse,
  failureOf,
  key,
  notProcessed,
  processedLater,
  showRows,
} from '../../support/faulty-platform.ts';

const [minute, hour] = [60_000, 3_600_000];
describe('the same key with another quote', () => {
  test.each([
    ['by the same client', false],
    ['by another process', true],
  ])('returns the payment that exists, and sends nothing, %s', async (_name, isOther) => {
    const { faulty, first, order, client } = arrangeOrder();
    const one = client();
    const made = await faulty.run(() => one.payments.createOnce(first, key));
    expect(made.created).toBe(true);
    const other = isOther ? client() : one;
    expect(await faulty.run(() => other.payments.createOnce(order(), key))).toMatchObject({
      payment: { id: made.payment.id },
      created: false,
      recovered: true,
      attempts: [],
    });
    expect(faulty.sent).toHaveLength(1);
  });

  test('joins the call in flight', async () => {
    const { faulty, first, order, client } = arrangeOrder(notProcessed(errorResponse(429, { 'retry-after': '10' })));
    const { payments } = client();
    const calls = [first, order(), order()].map((each) => payments.createOnce(each, key));
    const results = await faulty.run(() => Promise.all(calls));
    expect(results.map(({ created }) => created)).toEqual([true, false, false]);
    expect(new Set(results.map(({ payment }) => payment.id)).size).toBe(1);
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('waits for another process that is sending', async () => {
    const { faulty, first, order, informedClient } = arrangeOrder(
      notProcessed(errorResponse(429, { 'retry-after': '2' })),
    );
    const [one, other] = [await informedClient(), await informedClient()];
    const started = faulty.time.now();
    const calls = [one.payments.createOnce(first, key), other.payments.createOnce(order(), key)];
    const [made, joined] = await faulty.run(() => Promise.all(calls));
    expect(joined).toMatchObject({ payment: { id: made?.payment.id }, created: false });
    expect(faulty.time.now() - started).toBeLessThan(5_000);
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('waits for another process that is sending, if the clock of this machine is ahead', async () => {
    const { faulty, journal, first, order, client } = arrangeOrder(notProcessed('hang'));
    void client()
      .payments.createOnce(first, key)
      .catch(() => {});
    await faulty.pass(1_000);
    const ahead = faulty.client({ journal, now: () => faulty.time.now() + hour });
    const started = faulty.time.now();
    const error = await failureOf(
      faulty.run(() => ahead.payments.createOnce(order(), key)),
      PaymentOutcomeUnknownError,
    );
    expect([faulty.time.now() - started, error.retryAfterMs]).toEqual([5_000, 94_000]);
    await faulty.pass(error.retryAfterMs ?? 0);
    expect('retryAfterMs' in (await failureOf(faulty.run(() => ahead.payments.createOnce(order(), key))))).toBe(false);
    expect(faulty.sent).toHaveLength(1);
  });

  test('reads the list no further than the payment of the journal', async () => {
    const { faulty, first, order, client } = arrangeOrder();
    for (let count = 0; count < 450; count += 1) faulty.add(order());
    const made = await faulty.run(() => client().payments.createOnce(first, key));
    expect(await faulty.run(() => client().payments.createOnce(order(), key))).toMatchObject({
      payment: { id: made.payment.id },
    });
    // The first page is that of the process that paid, which learned the time.
    expect(faulty.pagesRequested).toBe(2);
  });

  test.each([
    ['in one client', false],
    ['in two processes', true],
  ])('is sent after the platform rejected the first quote, %s', async (_name, isOther) => {
    const { faulty, first, order, informedClient } = arrangeOrder(notProcessed(errorResponse(422)));
    const one = await informedClient();
    const other = isOther ? await informedClient() : one;
    const calls = [one.payments.createOnce(first, key), other.payments.createOnce(order(), key)];
    const [rejected, made] = await faulty.run(() => Promise.allSettled(calls));
    expect(rejected).toMatchObject({ reason: { status: 422, outcome: 'rejected' } });
    expect(made).toMatchObject({ value: { created: true } });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('is not sent while the outcome of the first is unknown, also after a conclusive search', async () => {
    const { faulty, first, order, client } = arrangeOrder(notProcessed(connectionError('ECONNRESET')));
    const unknown = await failureOf(
      faulty.run(() => client().payments.createOnce(first, key)),
      PaymentOutcomeUnknownError,
    );
    await faulty.pass(hour);
    const error = await failureOf(faulty.run(() => client().payments.createOnce(order(), key)));
    expect(error).toMatchObject({
      code: 'payment-outcome-unknown',
      message: expect.not.stringContaining('undefined') as unknown,
      intent: { id: unknown.intent.id, idempotencyKey: 'order-4711' },
    });
    expect('retryAfterMs' in error).toBe(false);
    expect(faulty.sent).toHaveLength(1);
  });

  test('returns the payment of the first quote when the list shows it', async () => {
    const { faulty, first, order, client } = arrangeOrder(processedLater(2 * minute));
    await failureOf(faulty.run(() => client().payments.createOnce(first, key)));
    await faulty.pass(3 * minute);
    expect(await faulty.run(() => client().payments.createOnce(order(), key))).toMatchObject({
      payment: { id: faulty.payments[0]?.id },
      created: false,
    });
    expect(faulty.sent).toHaveLength(1);
  });

  test('throws if the list shows the payment of the journal with another amount', async () => {
    const { faulty, first, order, client } = arrangeOrder();
    await faulty.run(() => client().payments.createOnce(first, key));
    showRows(faulty, (row) => ({ ...row, amount: '1.00' }));
    expect(await failureOf(faulty.run(() => client().payments.createOnce(order(), key)))).toMatchObject({
      code: 'payment-mismatch',
      mismatches: ['amount'],
    });
    expect(faulty.sent).toHaveLength(1);
  });
});

describe('a call for another order is rejected before anything is sent', () => {
  test.each<[keyof PaymentCreateParams, string]>([
    ['amount', '1250.01'],
    ['currencyCode', 'USD'],
    ['customerId', 'cus_other'],
    ['beneficiaryId', 'ben_other'],
  ])('if the key was used with another %s', async (field, value) => {
    const { faulty, first, order, client } = arrangeOrder(notProcessed(errorResponse(429, { 'retry-after': '1' })));
    const { payments } = client();
    const made = payments.createOnce(first, key);
    const rejected = { code: 'invalid-request', outcome: 'not-sent', issues: [{ path: field }] };
    const other = { ...order(), [field]: value };
    expect(await failureOf(payments.createOnce(other, key))).toMatchObject(rejected);
    await faulty.run(() => made);
    const requests = faulty.platform.requests.length;
    expect(await failureOf(client().payments.createOnce(other, key))).toMatchObject(rejected);
    expect(faulty.platform.requests).toHaveLength(requests);
  });

  test.each<[string, CreateOnceOptions]>([
    ['with another key', { idempotencyKey: 'order-4712' }],
    ['without a key', {}],
  ])('if its quote was used %s', async (how, options) => {
    const { faulty, first, client } = arrangeOrder(notProcessed(errorResponse(429, { 'retry-after': '1' })));
    const { payments } = client();
    const made = payments.createOnce(first, options);
    const rejected = (where: string) => ({
      code: 'invalid-request',
      outcome: 'not-sent',
      issues: [
        { path: 'idempotencyKey', message: expect.stringContaining(`by a payment ${where} ${how}.`) as unknown },
      ],
    });
    expect(await failureOf(payments.createOnce(first, key))).toMatchObject(rejected('that this client is sending'));
    await faulty.run(() => made);
    expect(await failureOf(client().payments.createOnce(first, key))).toMatchObject(rejected('in the journal'));
    expect(new Set(faulty.sent).size).toBe(1);
  });
});

test('an amount that is written differently, and other fields that differ, are the same order', async () => {
  const { faulty, first, order, client } = arrangeOrder();
  const made = await faulty.run(() => client().payments.createOnce({ ...first, amount: '1250' }, key));
  const again = { ...order(), amount: '1250.00', memo: 'again', documentIds: ['doc_other'] };
  expect(await faulty.run(() => client().payments.createOnce(again, key))).toMatchObject({
    payment: { id: made.payment.id },
    created: false,
  });
});

test('orders with different keys are paid independently, and the platform receives no key', async () => {
  const { faulty, first, order, client } = arrangeOrder();
  for (const [idempotencyKey, each] of Object.entries({
    'secret-key': first,
    'Secret-key': order(),
    'secret-key ': order(),
  }))
    expect(await faulty.run(() => client().payments.createOnce(each, { idempotencyKey }))).toMatchObject({
      created: true,
    });
  expect(faulty.payments).toHaveLength(3);
  expect(JSON.stringify([...faulty.platform.requests])).not.toContain('ecret-key');
  expect(faulty.sent.join()).not.toContain('ecret-key');
});

test.each([['a'], ['k'.repeat(255)], ['💶'.repeat(255)], ['größe / 7']])('%j is a key', async (idempotencyKey) => {
  const { faulty, first, client } = arrangeOrder();
  expect(await faulty.run(() => client().payments.createOnce(first, { idempotencyKey }))).toMatchObject({
    created: true,
  });
});

test.each([[''], ['k'.repeat(256)], ['a\0b'], ['\uD83D'], [7], [null]])('%j is not a key', async (idempotencyKey) => {
  const { faulty, first, client } = arrangeOrder();
  const options = { idempotencyKey } as unknown as { readonly idempotencyKey: string };
  expect(await failureOf(client().payments.createOnce(first, options))).toMatchObject({
    code: 'configuration',
    outcome: 'not-sent',
    message: expect.stringContaining('idempotencyKey must be a string of 1 to 255 characters') as unknown,
  });
  expect(faulty.sent).toEqual([]);
});

test('a key that is present and undefined, such as a misspelled field, is not a call without a key', async () => {
  const { faulty, first, client } = arrangeOrder();
  const options = { idempotencyKey: (first as { readonly refrence?: string }).refrence } as CreateOnceOptions;
  expect(await failureOf(client().payments.createOnce(first, options))).toMatchObject({
    code: 'configuration',
    outcome: 'not-sent',
    message:
      'payments.createOnce: idempotencyKey must not be undefined. Pass its value, or omit idempotencyKey on purpose',
  });
  expect(faulty.sent).toEqual([]);
});

test('a journal whose claim returns the entry of another quote and another key is rejected', async () => {
  const { faulty, first, order } = arrangeOrder();
  const journal = journalWith(() => ({
    claim: async (intent) => ({ intent: { ...intent, id: 'other', idempotencyKey: 'other', request: order() } }),
  }));
  expect(await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(first, key)))).toMatchObject({
    code: 'journal',
    outcome: 'not-sent',
    message: expect.stringContaining('must have the quote or the key') as unknown,
  });
});

test.each([[{}], [null], [undefined], ['order-4711']])(
  'a journal whose claim returns %j is rejected',
  async (entry) => {
    const { faulty, first } = arrangeOrder();
    const journal = journalWith(() => ({ claim: async () => entry as unknown as JournalEntry }));
    expect(await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(first, key)))).toMatchObject(
      {
        code: 'journal',
        outcome: 'not-sent',
        message: expect.stringContaining('must return true or the existing entry') as unknown,
      },
    );
  },
);

test('a custom journal without keys is rejected before anything is claimed or sent', async () => {
  const { faulty, first } = arrangeOrder();
  const claimed: unknown[] = [];
  const journal = journalWith((inner) => ({
    supportsIdempotencyKeys: undefined,
    claim: (intent) => (claimed.push(intent), inner.claim(intent)),
  }));
  expect(await failureOf(faulty.client({ journal }).payments.createOnce(first, key))).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('supportsIdempotencyKeys') as unknown,
  });
  expect([claimed, faulty.sent]).toEqual([[], []]);
  expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(first))).toMatchObject({
    created: true,
  });
});

describe('sendUntil', () => {
  test.each<[string, { readonly now: number; readonly elapsed: number }]>([
    ['the machine was suspended, so that only its clock advanced', { now: 2 * minute, elapsed: 0 }],
    ['its time has just passed', { now: 90_000, elapsed: 0 }],
    ['its clock was set back, so that only the elapsed time advanced', { now: -hour, elapsed: 2 * minute }],
  ])('ends the call without a POST if %s before it sent', async (_name, pause) => {
    const platform = createMockPlatform();
    const journal = new MemoryJournal();
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    let skew = 0;
    const started = Date.now();
    const corridor = new Corridor({
      ...platform.clientOptions({ time: 'real' }),
      journal,
      now: () => started + skew,
    });
    const onIntent = (): void => {
      const paused = performance.now() + pause.elapsed;
      skew = pause.now;
      now.mockImplementation(() => paused);
    };
    const order = platform.payments.createParams();
    expect(await failureOf(corridor.payments.createOnce(order, { ...key, onIntent }))).toMatchObject({
      code: 'timeout',
      outcome: 'not-sent',
    });
    expect(platform.requests.to('payments.create')).toEqual([]);
    expect(await journal.listPending()).toEqual([]);
    now.mockRestore();
    skew = 0;
    expect(await corridor.payments.createOnce(platform.payments.createParams({ ...order }), key)).toMatchObject({
      created: true,
    });
  });
});
