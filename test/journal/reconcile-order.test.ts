import { type CorridorOptions, type OrderKey, type PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  arrangeOrder,
  connectionError,
  errorResponse,
  failureOf,
  key,
  notProcessed,
  processed,
  showRows,
  type CreateHandler,
} from '../support/faulty-platform.ts';
import { intentFor } from './intent-for.ts';
import { journalWith } from './stored-intents.ts';

const hour = 3_600_000;

describe('payments.reconcile with the key of an order', () => {
  /** An order that a process pays, and another process that asks for it. */
  function asked(...handlers: readonly CreateHandler[]) {
    const arranged = arrangeOrder(...handlers);
    const { faulty, first, client } = arranged;
    const pay = () => client().payments.createOnce(first, key);
    const ask = (options: CorridorOptions = {}, order: OrderKey = key) =>
      faulty.run(() => faulty.client({ journal: arranged.journal, ...options }).payments.reconcile(order));
    return { ...arranged, pay, ask };
  }

  test('returns the payment that was created', async () => {
    const { faulty, pay, ask } = asked();
    const { payment } = await faulty.run(pay);
    faulty.changePage = async (page) => (await faulty.time.wait(1_000), page);
    expect(await ask()).toMatchObject({ status: 'created', payment: { id: payment.id } });
    expect(faulty.sent).toHaveLength(1);
  });

  test('returns the payment of a process that ended before its response, and resolves the entry', async () => {
    const { faulty, journal, pay, ask } = asked(processed('hang'));
    void pay().catch(() => {});
    await faulty.pass(1_000);
    expect(await ask()).toMatchObject({ status: 'created', payment: { id: faulty.payments[0]?.id } });
    expect(await journal.listPending()).toEqual([]);
  });

  test('says what is known of a payment that the list does not show, with the intent to release', async () => {
    const { faulty, pay, ask } = asked(notProcessed(connectionError('ECONNRESET')));
    await failureOf(faulty.run(pay));
    expect(await ask()).toMatchObject({ status: 'in-progress', intent: key });
    await faulty.pass(hour);
    expect(await ask()).toMatchObject({ status: 'not-found', intent: key });
  });

  test('is unclaimed if no call has used the key, or its payment was not created', async () => {
    const { faulty, pay, ask } = asked(notProcessed(errorResponse(422)));
    const advice = expect.stringContaining('createOnce would send') as unknown;
    expect(await ask()).toEqual({ status: 'unclaimed', advice });
    await failureOf(faulty.run(() => pay()));
    expect(await ask()).toEqual({ status: 'unclaimed', advice });
    const resolution = { outcome: 'not-created' } as const;
    const journal = journalWith(() => ({ findByKey: async () => ({ intent: intentFor('quo_1'), resolution }) }));
    expect(await ask({ journal })).toEqual({ status: 'unclaimed', advice });
  });

  test('does not call a payment that the journal has missing or another one', async () => {
    const { faulty, pay, ask } = asked();
    const { payment } = await faulty.run(pay);
    await faulty.pass(hour);
    showRows(faulty, (row) => ({ ...row, internalReference: 'PLATFORM-1' }));
    expect(await ask()).toMatchObject({ status: 'created', payment: { id: payment.id } });
    showRows(faulty, (row) => ({ ...row, id: 'pay_x', paymentQuoteId: 'quo_x' }));
    const advice = expect.stringContaining(`has payment ${payment.id}`) as unknown;
    expect(await ask()).toMatchObject({ status: 'unknown', advice });
  });

  test('needs a journal that finds an entry by its key, and a key', async () => {
    const { ask } = asked();
    const findByKey = async () => undefined;
    for (const replaced of [{}, { findByKey, supportsIdempotencyKeys: undefined }])
      expect(await failureOf(ask({ journal: journalWith(() => replaced) }))).toMatchObject({
        code: 'configuration',
        message: expect.stringContaining('findByKey') as unknown,
      });
    for (const idempotencyKey of [undefined, '', 7])
      expect(await failureOf(ask({}, { idempotencyKey } as OrderKey))).toMatchObject({
        code: 'invalid-request',
        issues: [{ path: 'idempotencyKey' }],
      });
  });

  test.each([{ totalTimeout: -1 }, { consistencyWindow: 0 }, null])('rejects the options %j', async (options) => {
    const { payments } = asked().client();
    expect(await failureOf(payments.reconcile(key, options as object))).toMatchObject({ code: 'configuration' });
  });
});

test('payments.reconcile of an intent of another organization says so, and not that there is no payment', async () => {
  const { faulty, journal, first, client } = arrangeOrder(notProcessed(connectionError('ECONNRESET')));
  await failureOf(faulty.run(() => client().payments.createOnce(first, key)));
  await faulty.pass(hour);
  const [intent] = (await journal.listPending()) as [PaymentCreateIntent];
  const { apiKey, privateKey } = faulty.platform.organization({ name: 'B' }).clientOptions();
  const { payments } = faulty.client({ journal, apiKey, privateKey });
  expect(await failureOf(faulty.run(() => payments.reconcile(intent)))).toMatchObject({
    code: 'configuration',
    message: expect.stringMatching(/proves nothing.*does not exist at/) as unknown,
  });
  expect(await faulty.run(() => client().payments.reconcile(intent))).toEqual({ status: 'not-found' });
});
