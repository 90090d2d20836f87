import { MemoryJournal, type PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../simulation/failure.js';
import { arrangeOrder, intentOf, key } from '../workflows/create-once/create-once-fixture.js';
import { errorResponse, FaultyPlatform, lost, taken, type Fate } from '../workflows/faulty-platform.ts';
import { intentFor } from './intent-for.ts';
import { journalWith } from './stored-intents.js';

const [minute, hour] = [60_000, 3_600_000];

describe('payments.releaseIntent', () => {
  async function afterCrash(fate: Fate) {
    const arranged = arrangeOrder(fate);
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
    const { faulty, journal, client, intent } = await afterCrash(lost('hang'));
    const from = Date.parse(intent.createdAt) + 90_000 + 10_000 + 5 * minute;
    await faulty.pass(from - faulty.time.now() - 1);
    const pages = faulty.pagesRequested;
    expect(await failureOf(client().payments.releaseIntent(intent))).toMatchObject({
      code: 'invalid-request',
      message: expect.stringMatching(
        new RegExp(`until ${intent.sendUntil}.*after ${new Date(from).toISOString()}`),
      ) as unknown,
    });
    expect(await journal.listPending()).toHaveLength(1);
    expect(faulty.pagesRequested).toBe(pages);
    await faulty.pass(1);
    expect(await faulty.run(() => client().payments.releaseIntent(intent))).toEqual({ status: 'released' });
    expect(await journal.listPending()).toEqual([]);
  });

  test('is rejected if only the clock of a machine that has not reached the platform yet is after that time', async () => {
    const { faulty, journal, intent } = await afterCrash(lost('hang'));
    const ahead = faulty.client({ journal, now: () => faulty.time.now() + hour });
    expect(await failureOf(faulty.run(() => ahead.payments.releaseIntent(intent)))).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: 'intent.sendUntil' }],
    });
    expect(await journal.listPending()).toHaveLength(1);
    await faulty.pass(hour);
    expect(await faulty.run(() => ahead.payments.releaseIntent(intent))).toEqual({ status: 'released' });
  });

  test('returns a payment that exists, and releases nothing', async () => {
    const { faulty, first, order, client, intent } = await afterCrash(taken('hang'));
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

  test('releases an intent that is not in the journal, which then never accepts it', async () => {
    const { faulty, journal, first } = arrangeOrder();
    const intent = intentOf(first, faulty.time.now() - hour);
    const { payments } = faulty.client({ journal });
    expect(await faulty.run(() => payments.releaseIntent(intent))).toEqual({ status: 'released' });
    expect(await journal.listPending()).toEqual([]);
    expect(await faulty.run(() => payments.createOnce(first))).toMatchObject({ created: true });
  });

  test('releases nothing if the list cannot be read', async () => {
    const { faulty, journal, client, intent } = await afterCrash(lost('hang'));
    await faulty.pass(hour);
    faulty.meddle = () => errorResponse(403);
    expect(await failureOf(faulty.run(() => client().payments.releaseIntent(intent)))).toMatchObject({ status: 403 });
    expect(await journal.listPending()).toHaveLength(1);
  });

  test('reports that the journal failed', async () => {
    const { faulty, intent } = await afterCrash(lost('hang'));
    await faulty.pass(hour);
    const journal = journalWith(() => ({ resolve: () => Promise.reject(new Error('gone')) }));
    expect(await failureOf(faulty.run(() => faulty.client({ journal }).payments.releaseIntent(intent)))).toMatchObject({
      code: 'journal',
      message: expect.stringContaining('payments.releaseIntent') as unknown,
    });
  });

  test('ends at its totalTimeout if the list is slow and the journal hangs', async () => {
    const { faulty, intent } = await afterCrash(lost('hang'));
    await faulty.pass(hour);
    faulty.meddle = async (page) => {
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

  test('of an intent of payments.create names the time of its creation', async () => {
    const faulty = new FaultyPlatform();
    const { sendUntil: _sendUntil, ...intent } = intentOf(faulty.payable(), faulty.time.now());
    expect(await failureOf(faulty.client().payments.releaseIntent(intent))).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining(`until ${intent.createdAt}`) as unknown,
    });
  });

  test('of a damaged intent, which a journal lists with an empty createdAt, releases it', async () => {
    const journal = new MemoryJournal();
    const intent = intentFor('quo_1', {}, { createdAt: '' });
    await journal.claim(intent);
    const { payments } = new FaultyPlatform().client({ journal });
    expect(await payments.releaseIntent(intent)).toEqual({ status: 'released' });
    expect(await journal.listPending()).toEqual([]);
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

  test('of an intent with a damaged time releases nothing', async () => {
    const { payments } = new FaultyPlatform().client();
    expect(await failureOf(payments.releaseIntent({ ...intentFor('quo_1'), createdAt: 'x' }))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('damaged') as unknown,
    });
  });
});
