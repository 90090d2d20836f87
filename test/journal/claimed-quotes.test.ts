import { MemoryJournal, PaymentOutcomeUnknownError, type JournalEntry } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { errorResponse, failureOf, FaultyPlatform, notProcessed } from '../support/faulty-platform.ts';
import { journalWith, noted } from './stored-intents.ts';

const hour = 3_600_000;

describe('a quote that another process has claimed', () => {
  test('if the other process created the payment, it is found, and not sent again', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const { id } = faulty.add(payment);
    const result = await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment));
    expect(result).toMatchObject({ payment: { id }, created: false, recovered: true, attempts: [] });
    expect(faulty.sent).toEqual([]);
    expect(await journal.listPending()).toEqual([]);
  });

  test('of another platform that shares the journal, the error names both, and nothing is sent', async () => {
    const [sandbox, production] = [new FaultyPlatform({ baseUrl: 'https://sandbox.example' }), new FaultyPlatform()];
    const journal = new MemoryJournal();
    const key = { idempotencyKey: 'order-4711' };
    await sandbox.run(() => sandbox.client({ journal }).payments.createOnce(sandbox.payable(), key));
    const call = () => production.client({ journal }).payments.createOnce(production.payable(), key);
    expect(await failureOf(production.run(call))).toMatchObject({
      code: 'configuration',
      outcome: 'not-sent',
      message: expect.stringMatching(
        /a payment at https:\/\/sandbox\.example, and this client uses https:\/\/api\.corridor\.test\./,
      ) as unknown,
    });
    expect(production.sent).toEqual([]);
    expect(production.platform.requests).toHaveLength(0);
  });

  test('if the other process is still sending, its payment is awaited', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(
      notProcessed(errorResponse(429, { 'retry-after': '2' })),
    );
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const other = faulty.client({ journal }).payments.createOnce(payment);
    const ours = faulty.client({ journal }).payments.createOnce(payment);
    const [made, joined] = await faulty.run(() => Promise.all([other, ours]));
    expect(joined).toMatchObject({ payment: { id: made.payment.id }, created: false });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('if the other process takes longer, the error says when to call again, and that call returns the payment', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(
      notProcessed(errorResponse(429, { 'retry-after': '30' })),
    );
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const other = faulty.client({ journal }).payments.createOnce(payment);
    const started = faulty.time.now();
    const { payments } = faulty.client({ journal });
    const error = await failureOf(
      faulty.run(() => payments.createOnce(payment)),
      PaymentOutcomeUnknownError,
    );
    expect(faulty.time.now() - started).toBe(5_000);
    // 90 s to send and 10 s to appear in the list, of which 5 s have passed.
    expect(error).toMatchObject({
      outcome: 'unknown',
      retryAfterMs: 95_000,
      message: expect.stringContaining('in 95 s') as unknown,
    });
    const { payment: made } = await faulty.run(() => other);
    expect(await faulty.run(() => payments.createOnce(payment))).toMatchObject({
      payment: { id: made.id },
      created: false,
    });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('if the other process is still sending, the wait ends with the total timeout', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const started = faulty.time.now();
    const error = await failureOf(
      faulty.run(() => faulty.client({ journal }).payments.createOnce(payment, { totalTimeout: 3_000 })),
    );
    expect(error).toMatchObject({
      code: 'payment-outcome-unknown',
      outcome: 'unknown',
      message: expect.stringContaining('the part of the payment list that was read does not show it') as unknown,
    });
    expect(faulty.time.now() - started).toBe(1_500);
  });

  test('if the other process no longer sends, and its payment would have appeared, one search is enough', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment, 70_000));
    const started = faulty.time.now();
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    expect('retryAfterMs' in error).toBe(false);
    expect([faulty.pagesRequested, faulty.time.now()]).toEqual([1, started]);
  });

  test.each([
    ['only the likely part of the list is read while it may send', 0, false],
    ['the whole list is read once it no longer sends', hour, true],
  ])('if the other process did not know the time, %s', async (_name, age, isWhole) => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim({ ...noted(faulty, payment, age), clockKnown: false });
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    const starts = faulty.platform.requests.to('payments.list').map(({ query }) => query['createdFrom']);
    expect(starts.some((start) => start === undefined)).toBe(isWhole);
    expect('retryAfterMs' in error).toBe(!isWhole);
  });

  test('if the list and then the journal stop answering, the call takes 10 seconds', async () => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const intent = noted(faulty, payment);
    let claims = 0;
    const claim = (): Promise<JournalEntry> =>
      (claims += 1) === 1 ? Promise.resolve({ intent }) : new Promise(() => {});
    faulty.changePage = async (page) => {
      await faulty.time.wait(claims === 1 ? Math.max(0, started + 4_900 - faulty.time.now()) : hour);
      return page;
    };
    const { payments } = faulty.client({ journal: journalWith(() => ({ claim })) });
    const started = faulty.time.now();
    const error = await failureOf(faulty.run(() => payments.createOnce(payment)));
    expect(faulty.time.now() - started).toBeGreaterThan(9_000);
    expect(faulty.time.now() - started).toBeLessThanOrEqual(10_001);
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', retryAfterMs: 59_999 });
  });

  test('if the other process ended between claim and send, nothing is sent, and the outcome is unknown', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const intent = noted(faulty, payment, hour);
    await journal.claim(intent);
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown', intent, attempts: [] });
    expect(faulty.sent).toEqual([]);
    expect(faulty.pagesRequested).toBe(1);

    // Support confirms that the payment was not sent.
    expect(await faulty.run(() => faulty.client({ journal }).payments.releaseIntent(intent))).toEqual({
      status: 'released',
    });
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment))).toMatchObject({
      created: true,
    });
  });

  test('the error contains the id of a payment that the journal has and the list never shows', async () => {
    const faulty = new FaultyPlatform();
    faulty.lag = hour;
    const corridor = faulty.client();
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce(payment)));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'applied', paymentId: first.payment.id });
    expect(faulty.sent).toHaveLength(1);
  });

  test.each([
    ['the whole list if no clock proves its time', false, { created: false }],
    ['a part of the list otherwise', true, { message: expect.stringContaining('part of the payment list') as unknown }],
  ])('a payment that the journal has is searched for in %s', async (_name, clockKnown, expected) => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const { id } = faulty.add(payment, { createdAt: new Date(faulty.time.now() - 2 * hour).toISOString() });
    const intent = { ...noted(faulty, payment), clockKnown };
    await journal.resolve(intent, { outcome: 'created', paymentId: id });
    const call = faulty.run(() => faulty.client({ journal }).payments.createOnce(payment));
    expect(await call.catch((error: unknown) => error)).toMatchObject(expected);
  });

  test('a different request for the same quote is rejected', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    await faulty.run(() => corridor.payments.createOnce(payment));
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce({ ...payment, amount: '1.00' })));
    expect(error).toMatchObject({
      code: 'invalid-request',
      outcome: 'not-sent',
      issues: [
        {
          path: 'paymentQuoteId',
          message: expect.stringMatching(/journal\. If this is the same order, .* reconcile it/) as unknown,
        },
      ],
    });
  });

  test('a damaged entry prevents the payment and is reported', async () => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const journal = journalWith(() => ({
      claim: async () => ({ intent: { ...noted(faulty, payment), createdAt: 'yesterday' } }),
    }));
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    expect(error).toMatchObject({
      code: 'payment-outcome-unknown',
      outcome: 'unknown',
      message: expect.stringMatching(/list was not read.*Waiting changes nothing.*damaged.*a person/i) as unknown,
    });
    expect('retryAfterMs' in error).toBe(false);
    expect(await failureOf((error as PaymentOutcomeUnknownError).reconcile())).toMatchObject({ code: 'configuration' });
  });

  test('an abort while joining reports the outcome unknown', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const controller = new AbortController();
    const call = failureOf(faulty.client({ journal }).payments.createOnce(payment, { signal: controller.signal }));
    await faulty.pass(2_000);
    controller.abort('enough');
    expect(await call).toMatchObject({
      code: 'aborted',
      outcome: 'unknown',
      cause: 'enough',
      attempts: [],
      intent: { version: 1 },
    });
  });
});
