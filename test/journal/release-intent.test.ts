import { MemoryJournal, type CorridorError, type PaymentCreateIntent, type ReleaseOptions } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  arrangeOrder,
  type CreateHandler,
  errorResponse,
  failureOf,
  FaultyPlatform,
  intentOf,
  key,
  notProcessed,
  processed,
  showRows,
} from '../support/faulty-platform.ts';
import { intentFor } from './intent-for.ts';
import { journalWith } from './stored-intents.ts';

const [minute, hour] = [60_000, 3_600_000];

describe('payments.releaseIntent', () => {
  async function afterCrash(handler: CreateHandler) {
    const arranged = arrangeOrder(handler);
    let intent: PaymentCreateIntent | undefined;
    const onIntent = (known: PaymentCreateIntent): void => void (intent = known);
    void arranged
      .client()
      .payments.createOnce(arranged.first, { ...key, onIntent })
      .catch(() => {});
    await arranged.faulty.pass(1_000);
    return { ...arranged, intent: intent as unknown as PaymentCreateIntent };
  }

  test('is rejected as long as the process of the intent may send it, and five minutes and the window longer', async () => {
    const { faulty, journal, client, intent } = await afterCrash(notProcessed('hang'));
    const from = Date.parse(intent.createdAt) + 90_000 + 10_000 + 5 * minute;
    await faulty.pass(from - faulty.time.now() - 1);
    expect(await failureOf(client().payments.releaseIntent(intent))).toMatchObject({
      code: 'invalid-request',
      message: expect.stringMatching(
        new RegExp(`until ${intent.sendUntil}.*after ${new Date(from).toISOString()}`),
      ) as unknown,
    });
    expect(await journal.listPending()).toHaveLength(1);
    await faulty.pass(1);
    expect(await faulty.run(() => client().payments.releaseIntent(intent))).toEqual({ status: 'released' });
    expect(await journal.listPending()).toEqual([]);
  });

  test.each([25, 49, 24 * 400, -49])('is rejected by a machine whose clock is %i hours ahead', async (ahead) => {
    const { faulty, journal, first, intent } = await afterCrash(notProcessed('hang'));
    // The signer has its own clock, which is right.
    const claims = (): { iat: number; exp: number } => {
      const iat = Math.floor(faulty.time.now() / 1_000);
      return { iat, exp: iat + 60 };
    };
    const { payments } = faulty.client({ journal, claims, now: () => faulty.time.now() + ahead * hour });
    const problem = { message: expect.stringMatching(/platform's clock says 20.*of this machine /) as unknown };
    expect(await failureOf(faulty.run(() => payments.releaseIntent(intent)))).toMatchObject(problem);
    expect(await failureOf(faulty.run(() => payments.createOnce(first, key)))).toMatchObject(problem);
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([{ status: 'unknown' }]);
    expect(await journal.listPending()).toHaveLength(1);
  });

  test.each([2, 400, 3_650])('of an intent that is %i days in the future needs a person', async (days) => {
    const { faulty, journal, first, client } = arrangeOrder();
    const intent = { ...intentOf(first, faulty.time.now() + days * 24 * hour), ...key, clockKnown: false };
    await journal.claim(intent);
    const { payments } = client();
    const problem = /is in the future.*confirmedBy/;
    const [result] = await faulty.run(() => payments.reconcilePending());
    expect(result).toMatchObject({ status: 'unknown', advice: expect.stringMatching(problem) as unknown });
    const pay = () => faulty.run(() => payments.createOnce(first, key));
    const error = await failureOf(pay());
    expect(error.message).toMatch(/not in the payment list/);
    expect(error.message).toMatch(problem);
    expect('retryAfterMs' in error).toBe(false);
    const release = (options?: ReleaseOptions) => faulty.run(() => payments.releaseIntent(intent, options));
    expect(await failureOf(release())).toMatchObject({ message: expect.stringMatching(problem) as unknown });
    expect(await release({ confirmedBy: 'Ada' })).toEqual({ status: 'released' });
    expect(await pay()).toMatchObject({ created: true });
  });

  test('of a process that did not know the time needs a person: its clock may have been two days behind', async () => {
    const { faulty, journal, first, client } = arrangeOrder();
    const intent = { ...intentOf(first, faulty.time.now() - 48 * hour), clockKnown: false };
    await journal.claim(intent);
    const { payments } = client();
    const problem = { message: expect.stringMatching(/did not know the platform's time.*confirmedBy/) as unknown };
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([{ status: 'unknown' }]);
    expect(await failureOf(faulty.run(() => payments.createOnce(first)))).toMatchObject(problem);
    expect(await failureOf(faulty.run(() => payments.releaseIntent(intent)))).toMatchObject(problem);
    expect(await journal.listPending()).toHaveLength(1);
    const started = faulty.time.now();
    expect(await faulty.run(() => payments.releaseIntent(intent, { confirmedBy: 'Ada' }))).toEqual({
      status: 'released',
    });
    expect(faulty.time.now()).toBe(started);
  });

  test('of a process that did not know the time waits until its own clock allows it, whoever confirms it', async () => {
    const { faulty, journal, first, client } = arrangeOrder();
    const intent = { ...intentOf(first, faulty.time.now()), clockKnown: false };
    await journal.claim(intent);
    const { payments } = client();
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([{ status: 'in-progress' }]);
    const release = () => faulty.run(() => payments.releaseIntent(intent, { confirmedBy: 'Ada' }));
    expect(await failureOf(release())).toMatchObject({ issues: [{ path: 'intent.sendUntil' }] });
    await faulty.pass(hour);
    expect(await release()).toEqual({ status: 'released' });
  });

  test('returns a payment that exists, and releases nothing', async () => {
    const { faulty, first, order, client, intent } = await afterCrash(processed('hang'));
    await faulty.pass(hour);
    const [{ id } = { id: '' }] = faulty.payments;
    expect(await faulty.run(() => client().payments.releaseIntent(intent))).toMatchObject({
      status: 'created',
      payment: { id },
    });
    for (const each of [first, order()])
      expect(await faulty.run(() => client().payments.createOnce(each, key))).toMatchObject({ created: false });
    expect(faulty.payments).toHaveLength(1);
  });

  test('is rejected if the journal has its payment, also if the list does not show it', async () => {
    const { faulty, first, client } = arrangeOrder();
    faulty.lag = 2 * hour;
    let intent: PaymentCreateIntent | undefined;
    const onIntent = (known: PaymentCreateIntent): void => void (intent = known);
    const { payments } = client();
    const { payment } = await faulty.run(() => payments.createOnce(first, { ...key, onIntent }));
    await faulty.pass(hour);
    expect(
      await failureOf(faulty.run(() => payments.releaseIntent(intent as unknown as PaymentCreateIntent))),
    ).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: 'intent.id', message: expect.stringContaining(payment.id) as unknown }],
    });
  });

  test('ends at its totalTimeout if the list is slow and the journal hangs', async () => {
    const { faulty, intent } = await afterCrash(notProcessed('hang'));
    await faulty.pass(hour);
    faulty.changePage = async (page) => {
      await faulty.time.wait(4_000);
      return page;
    };
    const journal = journalWith(() => ({ resolve: () => new Promise(() => {}) }));
    const start = faulty.time.now();
    const { payments } = faulty.client({ journal });
    expect(await failureOf(faulty.run(() => payments.releaseIntent(intent, { totalTimeout: 10_000 })))).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('payments.releaseIntent exceeded its totalTimeout of 10000 ms') as unknown,
    });
    expect(faulty.time.now() - start).toBe(10_000);
  });

  test.each<[string, string, unknown]>([
    ['id', 'undefined', undefined],
    ['id', 'undefined', null],
    ['id', 'undefined', {}],
    ['id', 'string', { ...intentFor('quo_1'), id: '' }],
    ['id', 'number', { ...intentFor('quo_1'), id: 7 }],
    ['request.paymentQuoteId', 'undefined', { id: 'intent_1' }],
    ['request.paymentQuoteId', 'undefined', { id: 'intent_1', request: {} }],
    ['request.paymentQuoteId', 'string', intentFor('')],
  ])('of an intent whose %s is of type %s releases nothing: %j', async (field, type, intent) => {
    const journal = new MemoryJournal();
    await journal.claim(intentFor('quo_1'));
    const { payments } = new FaultyPlatform().client({ journal });
    expect(await failureOf(payments.releaseIntent(intent as PaymentCreateIntent))).toMatchObject({
      code: 'configuration',
      endpoint: 'payments.releaseIntent',
      message: expect.stringContaining(
        `${field} of the intent must be a non-empty string (received ${type})`,
      ) as unknown,
    });
    expect(await journal.listPending()).toHaveLength(1);
  });

  test.each([
    ['the call that created it', 30 * minute, undefined],
    ['the client, if that is longer', minute, 40 * minute],
  ])('waits for the consistency window of %s', async (_name, consistencyWindow, own) => {
    const { faulty, journal, first } = arrangeOrder(notProcessed('hang'));
    const { payments } = faulty.client({ journal, consistencyWindow: own });
    await failureOf(faulty.run(() => payments.createOnce(first, { ...key, consistencyWindow })));
    const [intent] = (await journal.listPending()) as [PaymentCreateIntent];
    expect(intent.consistencyWindow).toBe(consistencyWindow);

    const from = Date.parse(intent.sendUntil ?? '') + Math.max(consistencyWindow, own ?? 0) + 5 * minute;
    const releasableFrom = new Date(from).toISOString();
    await faulty.pass(from - faulty.time.now() - 1);
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([
      { status: 'in-progress', releasableFrom },
    ]);
    expect(await failureOf(payments.releaseIntent(intent))).toMatchObject({ code: 'invalid-request' });
    await faulty.pass(1);
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([{ status: 'not-found' }]);
    expect(await faulty.run(() => payments.releaseIntent(intent))).toEqual({ status: 'released' });
  });

  test('of a platform whose URL has changed needs the word of a person, and the customer', async () => {
    const { faulty, journal, first } = arrangeOrder();
    const intent = { ...intentOf(first, faulty.time.now() - hour), platform: 'https://old.example' };
    const stranger = { ...intent, request: { ...intent.request, customerId: 'cus_of_another' } };
    const { payments } = faulty.client({ journal });
    const release = (each: PaymentCreateIntent, confirmedBy?: string) =>
      faulty.run(() => payments.releaseIntent(each, { confirmedBy }));
    expect(await failureOf(release(intent))).toMatchObject({ code: 'invalid-request' });
    expect(await failureOf(release(stranger, 'Ada'))).toMatchObject({ code: 'invalid-request' });
    expect(await release(intent, 'Ada')).toEqual({ status: 'released' });
  });

  describe('of an order whose quote another payment has used', () => {
    /** An order whose quote has a payment of another amount, and that the platform therefore refuses. */
    async function refused() {
      const arranged = arrangeOrder(notProcessed(errorResponse(409)));
      const { faulty, journal, first } = arranged;
      const foreign = faulty.add(first, { amount: '7.00' });
      const { payments } = arranged.client();
      const pay = (order = arranged.order()) => faulty.run(() => payments.createOnce(order, key));
      expect(await failureOf(pay(first))).toMatchObject({ code: 'payment-mismatch', paymentId: foreign.id });
      await faulty.pass(hour);
      const [intent] = (await journal.listPending()) as [PaymentCreateIntent];
      const release = (options?: ReleaseOptions) => faulty.run(() => payments.releaseIntent(intent, options));
      return { ...arranged, payments, pay, foreign, release };
    }

    test('needs the id of that payment, and then the order is paid once with a new quote', async () => {
      const { faulty, payments, pay, foreign, release } = await refused();
      const advice = `{ otherPaymentId: '${foreign.id}' }`;
      for (const error of [
        await failureOf(pay()),
        await failureOf(release()),
        await failureOf(release({ confirmedBy: 'Ada' })),
      ])
        expect(error).toMatchObject({
          code: 'payment-mismatch',
          message: expect.stringContaining(advice) as unknown,
        });
      expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([
        { status: 'mismatch', advice: expect.stringContaining(advice) as unknown },
      ]);
      expect(await release({ otherPaymentId: foreign.id })).toEqual({ status: 'released' });
      expect(await pay()).toMatchObject({ created: true });
      expect(await pay()).toMatchObject({ created: false });
      expect(faulty.payments).toHaveLength(2);
    });

    test('releases nothing if another id is passed, or if a third payment uses the quote', async () => {
      const { faulty, journal, first, foreign, release } = await refused();
      expect(await failureOf(release({ otherPaymentId: 'pay_x' }))).toMatchObject({ code: 'payment-mismatch' });
      faulty.add(first, { amount: '8.00' });
      expect(await failureOf(release({ otherPaymentId: foreign.id }))).toMatchObject({ code: 'payment-mismatch' });
      expect(await journal.listPending()).toHaveLength(1);
    });

    test('returns the payment of the order also if its id is passed', async () => {
      const { faulty, first, release } = await refused();
      const { id } = faulty.add(first);
      expect(await release({ otherPaymentId: id })).toMatchObject({ status: 'created', payment: { id } });
    });

    test.each([
      ['that is ruled out does not keep it', (id: string) => id, 'released'],
      ['without an id keeps it', () => undefined, 'invalid-response'],
    ])('a row %s, although it cannot be identified', async (_name, idOf, expected) => {
      const { faulty, foreign, release } = await refused();
      showRows(faulty, (row) => (row['id'] === foreign.id ? { ...row, id: idOf(foreign.id), amount: null } : row));
      const options = { otherPaymentId: foreign.id };
      const result = await release(options).then(
        ({ status }) => status,
        ({ code }: CorridorError) => code,
      );
      expect(result).toBe(expected);
      if (expected !== 'released') expect(await failureOf(release())).toMatchObject({ code: expected });
    });

    test('waits for the end of its process', async () => {
      const { faulty, journal, first } = arrangeOrder();
      const { id } = faulty.add(first, { amount: '7.00' });
      const intent = intentOf(first, faulty.time.now());
      const { payments } = faulty.client({ journal });
      const release = () => faulty.run(() => payments.releaseIntent(intent, { otherPaymentId: id }));
      expect(await failureOf(release())).toMatchObject({ code: 'invalid-request' });
      await faulty.pass(hour);
      expect(await release()).toEqual({ status: 'released' });
    });
  });

  test('of a customer that the platform has deleted needs its id, and finds the payment', async () => {
    const { faulty, journal, first } = arrangeOrder();
    const { customerId } = first;
    const [intent, other] = [1, 2].map((hours) => intentOf(first, faulty.time.now() - hours * hour)) as [
      PaymentCreateIntent,
      PaymentCreateIntent,
    ];
    await journal.claim(intent);
    const { payments } = faulty.client({ journal });
    const release = (options: ReleaseOptions, each = intent) => faulty.run(() => payments.releaseIntent(each, options));
    faulty.platform.faults.always('customers.get', { kind: 'status', status: 404 });
    for (const options of [{}, { confirmedBy: 'Ada' }, { deletedCustomerId: 'cus_other' }])
      expect(await failureOf(release(options))).toMatchObject({
        code: 'invalid-request',
        message: expect.stringContaining(`{ deletedCustomerId: '${customerId}' }`) as unknown,
      });
    const deleted = { deletedCustomerId: customerId };
    expect(await failureOf(release(deleted, { ...intent, platform: 'https://old.example' }))).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('https://old.example') as unknown,
    });
    expect(await journal.listPending()).toEqual([intent]);
    expect(await release(deleted)).toEqual({ status: 'released' });
    const { id } = faulty.add(first);
    expect(await release(deleted, other)).toMatchObject({ status: 'created', payment: { id } });
  });

  test('of an intent that does not say until when it may be sent needs the word of a person', async () => {
    const faulty = new FaultyPlatform();
    const { sendUntil: _sendUntil, ...intent } = intentOf(faulty.payable(), faulty.time.now());
    const { payments } = faulty.client();
    const release = (confirmedBy?: string) =>
      failureOf(faulty.run(() => payments.releaseIntent(intent, { confirmedBy })));
    expect(await release()).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: 'intent.sendUntil', message: expect.stringContaining('confirmedBy') as unknown }],
    });
    expect(await release('Ada')).toMatchObject({
      message: expect.stringContaining(`until ${intent.createdAt}`) as unknown,
    });
    await faulty.pass(hour);
    expect(await faulty.run(() => payments.releaseIntent(intent, { confirmedBy: 'Ada' }))).toEqual({
      status: 'released',
    });
  });

  describe('of a damaged intent, of which a journal has the quote, the key and the time', () => {
    async function damaged(createdAt: (now: number) => string = (now) => new Date(now - hour).toISOString()) {
      const arranged = arrangeOrder();
      const { faulty, journal, first } = arranged;
      const request = { paymentQuoteId: first.paymentQuoteId } as PaymentCreateIntent['request'];
      const intent = { ...intentFor('', {}, key), request, createdAt: createdAt(faulty.time.now()) };
      await journal.claim(intent);
      const { payments } = arranged.client();
      const release = (options?: ReleaseOptions) => faulty.run(() => payments.releaseIntent(intent, options));
      return { ...arranged, intent, payments, release };
    }

    test.each([undefined, ''])('releases nothing if nobody confirmed it (createdAt: %s)', async (createdAt) => {
      const { faulty, journal, release } = await damaged(createdAt === undefined ? undefined : () => createdAt);
      expect(await failureOf(release())).toMatchObject({
        code: 'configuration',
        message: expect.stringMatching(/is damaged.*confirmedBy/) as unknown,
      });
      expect(await journal.listPending()).toHaveLength(1);
      expect(faulty.pagesRequested).toBe(0);
    });

    test.each(['', 'x', '9998-12-31T23:59:59.999Z', undefined])(
      'releases it if a person confirmed it (createdAt: %s)',
      async (createdAt) => {
        const { release } = await damaged(createdAt === undefined ? undefined : () => createdAt);
        expect(await release({ confirmedBy: 'Ada' })).toEqual({ status: 'released' });
      },
    );

    test('releases nothing within 5 minutes and the window of its time, whoever confirmed it', async () => {
      const { faulty, release } = await damaged((now) => new Date(now).toISOString());
      await faulty.pass(5 * minute + 10_000 - 1);
      expect(await failureOf(release({ confirmedBy: 'Ada' }))).toMatchObject({ code: 'invalid-request' });
      await faulty.pass(1);
      expect(await release({ confirmedBy: 'Ada' })).toEqual({ status: 'released' });
    });

    test('returns the payment of its quote, however old, and releases nothing', async () => {
      const { faulty, journal, first, intent, release } = await damaged();
      const { id } = faulty.add(first, { createdAt: '2020-01-01T00:00:00.000Z' });
      faulty.add(faulty.payable());
      expect(await release({ confirmedBy: 'Ada' })).toMatchObject({ status: 'created', payment: { id } });
      expect(await journal.claim(intent)).toMatchObject({ resolution: { outcome: 'created', paymentId: id } });
    });

    test('ignores a payment of its quote that a person has ruled out', async () => {
      const { faulty, first, release } = await damaged();
      const { id } = faulty.add(first);
      expect(await release({ confirmedBy: 'Ada', otherPaymentId: id })).toEqual({ status: 'released' });
    });

    test('reports two payments of its quote', async () => {
      const { faulty, journal, first, release } = await damaged();
      const paymentIds = [faulty.add(first).id, faulty.add(first).id];
      expect(await failureOf(release({ confirmedBy: 'Ada' }))).toMatchObject({
        code: 'duplicate-payment',
        paymentIds: expect.arrayContaining(paymentIds) as unknown,
      });
      expect(await journal.listPending()).toHaveLength(1);
    });

    test('releases nothing if the list cannot be read', async () => {
      const { faulty, journal, release } = await damaged();
      faulty.changePage = () => errorResponse(403);
      expect(await failureOf(release({ confirmedBy: 'Ada' }))).toMatchObject({ status: 403 });
      expect(await journal.listPending()).toHaveLength(1);
    });
  });

  test('twice says that another intent holds the quote or the key now', async () => {
    const { faulty, journal, first, client, intent } = await afterCrash(notProcessed('hang'));
    await faulty.pass(hour);
    const { payments } = client();
    const release = (each: PaymentCreateIntent) => faulty.run(() => payments.releaseIntent(each));
    expect(await release(intent)).toEqual({ status: 'released' });
    expect(await release(intent)).toEqual({ status: 'released' });
    const holder = { ...intentOf(first, faulty.time.now() - hour), ...key };
    await journal.claim(holder);
    expect(await release(intent)).toEqual({ status: 'held', holder });
    expect(await release({ ...intentOf(faulty.payable(), faulty.time.now() - hour), ...key })).toEqual({
      status: 'held',
      holder,
    });
    expect(await journal.listPending()).toEqual([holder]);
  });

  test('is released also if another process claims the order right then', async () => {
    const { faulty, first, order } = arrangeOrder();
    const intent = { ...intentOf(first, faulty.time.now() - hour), ...key };
    const next = { ...intentOf(order(), faulty.time.now()), ...key };
    const journal = journalWith((inner) => ({
      resolve: async (...resolved) => {
        await inner.resolve(...resolved);
        await inner.claim(next);
      },
    }));
    await journal.claim(intent);
    const { payments } = faulty.client({ journal });
    expect(await faulty.run(() => payments.releaseIntent(intent))).toEqual({ status: 'released' });
    expect(await journal.listPending()).toEqual([next]);
  });

  test('of the intent of a JournalError releases it at once', async () => {
    const { faulty, first, client, journal } = arrangeOrder();
    const failing = journalWith((inner) => ({
      claim: async (intent) => {
        await journal.claim(intent);
        await inner.claim(intent);
        throw new Error('lost');
      },
    }));
    const error = (await failureOf(
      faulty.run(() => faulty.client({ journal: failing }).payments.createOnce(first, key)),
    )) as CorridorError;
    expect(error).toMatchObject({ code: 'journal', outcome: 'not-sent' });
    const intent = error.intent as PaymentCreateIntent;
    expect(await client().payments.releaseIntent(intent)).toEqual({ status: 'released' });
    expect(await journal.listPending()).toEqual([]);
    const { sent: _sent, ...unproven } = intent;
    expect(await failureOf(client().payments.releaseIntent(unproven))).toMatchObject({ code: 'configuration' });
  });

  test('of an intent that may be sent, but has no amount, releases nothing', async () => {
    const intent = {
      ...intentFor('quo_1'),
      sendUntil: '2026-03-01T09:01:00.000Z',
      request: { paymentQuoteId: 'quo_1' },
    };
    const { payments } = new FaultyPlatform().client();
    expect(await failureOf(payments.releaseIntent(intent as PaymentCreateIntent))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('damaged') as unknown,
    });
  });

  test.each([{ totalTimeout: -1 }, { deadlines: 1 }, null])('with the options %j releases nothing', async (options) => {
    const journal = new MemoryJournal();
    const intent = intentFor('quo_1', {}, { createdAt: '' });
    await journal.claim(intent);
    const { payments } = new FaultyPlatform().client({ journal });
    expect(await failureOf(payments.releaseIntent(intent, options as object))).toMatchObject({ outcome: 'not-sent' });
    expect(await journal.listPending()).toHaveLength(1);
  });
});
