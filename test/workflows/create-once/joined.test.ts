import { MemoryJournal, PaymentOutcomeUnknownError, type PaymentCreateIntent } from 'corridor-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { journalWith } from '../../journal/stored-intents.ts';
import { errorResponse, failureOf, FaultyPlatform, notProcessed, processed } from '../../support/faulty-platform.ts';

/** A client with a payment in flight, whose first ten seconds are a delay. */
function inFlight(options: Parameters<ReturnType<FaultyPlatform['client']>['payments']['createOnce']>[1] = {}) {
  const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(
    notProcessed(errorResponse(429, { 'retry-after': '10' })),
  );
  const { payments } = faulty.client();
  const payment = faulty.payable();
  const intents: PaymentCreateIntent[] = [];
  const first = payments.createOnce(payment, { onIntent: (intent) => void intents.push(intent), ...options });
  void first.catch(() => {});
  return { faulty, payments, payment, first, intents };
}

test('a call that joins another reports that it did not create the payment', async () => {
  const { faulty, payments, payment, first } = inFlight();
  const second = payments.createOnce({ ...payment });
  const made = await faulty.run(() => first);
  expect(made.created).toBe(true);
  expect(await second).toEqual({ ...made, created: false });
  expect(faulty.payments).toHaveLength(1);
});

test('an error of the call that it joined is reported to both, also while onIntent still runs', async () => {
  const faulty = new FaultyPlatform().onCreate(notProcessed(errorResponse(400)));
  const { payments } = faulty.client();
  const payment = faulty.payable();
  const unhandled: unknown[] = [];
  const listener = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listener);
  onTestFinished(() => void process.off('unhandledRejection', listener));

  const first = failureOf(payments.createOnce(payment));
  const second = failureOf(payments.createOnce(payment, { onIntent: () => faulty.time.wait(60_000) }));

  expect(await faulty.run(() => first)).toMatchObject({ code: 'bad-request' });
  // Unhandled rejections are reported after the microtasks.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
  expect(await faulty.run(() => second)).toMatchObject({ code: 'bad-request' });
});

test('its own signal ends only this call', async () => {
  const { faulty, payments, payment, first, intents } = inFlight();
  const controller = new AbortController();
  const second = failureOf(payments.createOnce(payment, { signal: controller.signal }));
  await faulty.pass(1_000);
  controller.abort('enough');
  expect(await second).toMatchObject({
    code: 'aborted',
    outcome: 'unknown',
    cause: 'enough',
    endpoint: 'payments.create',
  });
  expect((await second).intent).toEqual(intents[0]);
  expect((await faulty.run(() => first)).created).toBe(true);
});

test('an aborted signal ends it immediately, and nothing is stored', async () => {
  const { payments, payment } = inFlight();
  const stored: unknown[] = [];
  const second = payments.createOnce(payment, {
    signal: AbortSignal.abort(),
    onIntent: (intent) => void stored.push(intent),
  });
  expect(await failureOf(second)).toMatchObject({ code: 'aborted', outcome: 'unknown', intent: { request: payment } });
  expect(stored).toEqual([]);
});

test('its own total timeout ends it, and the payment can be reconciled later', async () => {
  const { faulty, payments, payment, first, intents } = inFlight();
  const started = faulty.time.now();
  const error = await failureOf(
    faulty.run(() => payments.createOnce(payment, { totalTimeout: 2_000 })),
    PaymentOutcomeUnknownError,
  );
  expect(faulty.time.now() - started).toBe(2_000);
  expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
  expect(error).toMatchObject({
    outcome: 'unknown',
    cause: { code: 'timeout' },
    message: expect.stringContaining('the payment list was not read') as unknown,
  });
  expect(error.intent).toEqual(intents[0]);
  const { payment: made } = await faulty.run(() => first);
  expect(await faulty.run(() => error.reconcile())).toMatchObject({ status: 'created', payment: { id: made.id } });
});

test('its intent proves no time while the journal does not say who holds the quote', async () => {
  const faulty = new FaultyPlatform();
  const { payments } = faulty.client({ journal: journalWith(() => ({ claim: () => new Promise(() => {}) })) });
  await faulty.run(async () => payments.list());
  const payment = faulty.payable();
  void payments.createOnce(payment).catch(() => {});
  const error = await failureOf(faulty.run(() => payments.createOnce(payment, { totalTimeout: 2_000 })));
  expect(error).toMatchObject({ outcome: 'unknown', intent: { clockKnown: false } });
});

test('an error of its onIntent ends only this call', async () => {
  const { faulty, payments, payment, first } = inFlight();
  const disk = new Error('the disk is full');
  await expect(payments.createOnce(payment, { onIntent: () => Promise.reject(disk) })).rejects.toBe(disk);
  expect((await faulty.run(() => first)).created).toBe(true);
});

test('if onIntent of the first call fails, the second sends the payment with its own intent', async () => {
  const notMine = await failureOf(new FaultyPlatform().client().documents.downloadUrl('doc_unknown'));
  for (const thrown of [new Error('the disk is full'), notMine]) {
    const { faulty, payments, payment, first } = inFlight({ onIntent: () => Promise.reject(thrown) });
    const intents: string[] = [];
    const second = payments.createOnce(payment, { onIntent: ({ id }) => void intents.push(id) });
    expect(await faulty.run(() => second)).toMatchObject({ created: true });
    await expect(first).rejects.toBe(thrown);
    expect(new Set(intents).size).toBe(2);
    expect(faulty.payments).toHaveLength(1);
  }
});

test('if the first call is aborted before it sends, one of the others sends', async () => {
  const controller = new AbortController();
  const { faulty, payments, payment, first } = inFlight({
    onIntent: () => new Promise(() => {}),
    signal: controller.signal,
  });
  const others = [payments.createOnce(payment), payments.createOnce(payment), payments.createOnce(payment)];
  await faulty.pass(1_000);
  controller.abort();
  expect(await failureOf(first)).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  expect((await faulty.run(() => Promise.all(others))).map(({ created }) => created)).toEqual([true, false, false]);
  expect(faulty.payments).toHaveLength(1);
});

test('if the first call is aborted after it sent, the payment is found, and not sent again', async () => {
  const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(processed('hang'));
  const { payments } = faulty.client();
  const payment = faulty.payable();
  const controller = new AbortController();
  const first = failureOf(payments.createOnce(payment, { signal: controller.signal }));
  const second = payments.createOnce(payment);
  await faulty.pass(1_000);
  controller.abort();
  expect(await first).toMatchObject({ code: 'aborted', outcome: 'unknown' });
  expect(await faulty.run(() => second)).toMatchObject({
    payment: { id: faulty.payments[0]?.id },
    created: false,
    recovered: true,
  });
  expect(faulty.sent).toHaveLength(1);
});

test('if the first call times out after it sent, nothing is sent again, and the outcome is unknown', async () => {
  const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(notProcessed('hang'));
  const { payments } = faulty.client();
  const payment = faulty.payable();
  const calls = [payments.createOnce(payment, { totalTimeout: 5_000 }), payments.createOnce(payment)];
  const ends = await faulty.run(() => Promise.allSettled(calls));
  expect(ends).toMatchObject(
    calls.map(() => ({ status: 'rejected', reason: { code: 'payment-outcome-unknown', outcome: 'unknown' } })),
  );
  expect(faulty.sent).toHaveLength(1);
});

test('a reference that is null is the same as none', async () => {
  const faulty = new FaultyPlatform({ quotes: 'reusable' });
  const { internalReference: _reference, ...withoutReference } = faulty.payable();
  const journal = new MemoryJournal();
  const [one, other] = [faulty.client({ journal }), faulty.client({ journal })];
  const calls = [
    one.payments.createOnce({ ...withoutReference, internalReference: null }),
    one.payments.createOnce(withoutReference),
    other.payments.createOnce({ ...withoutReference, internalReference: null }),
    other.payments.createOnce({ ...withoutReference, memo: null }),
  ];
  const results = await faulty.run(() => Promise.all(calls));
  expect(results.map(({ created }) => created)).toEqual([true, false, false, false]);
  expect(faulty.payments).toHaveLength(1);
});
