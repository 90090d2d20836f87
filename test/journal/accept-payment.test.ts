import type { AcceptOptions, CorridorError, Drift, JournalEntry, PaymentCreateIntent } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { describe, expect, test } from 'vitest';
import {
  arrangeOrder,
  type CreateHandler,
  errorResponse,
  failureOf,
  intentOf,
  key,
  processed,
  type Row,
  showRows,
} from '../support/faulty-platform.ts';

const accepted = { confirmedBy: 'Ada', reason: 'ticket 7: the platform rounds amounts' };

describe('payments.acceptPayment', () => {
  /** An order whose payment the list shows with another amount and another reference. */
  async function rounded(...handlers: readonly CreateHandler[]) {
    const { faulty, first, order } = arrangeOrder(...handlers);
    const journal = new SqliteJournal(':memory:');
    showRows(faulty, (row: Row) => ({ ...row, amount: '1249.99', internalReference: 'P-1' }));
    const drifts: Drift[] = [];
    const { payments } = faulty.client({ journal, onDrift: (drift) => void drifts.push(drift) });
    const pay = (each = order()) => faulty.run(() => payments.createOnce(each, key));
    let intent: PaymentCreateIntent | undefined;
    const onIntent = (known: PaymentCreateIntent): void => void (intent = known);
    const paid = await faulty
      .run(() => payments.createOnce(first, { ...key, onIntent }))
      .catch((error: CorridorError) => error);
    const [{ id } = { id: '' }] = faulty.payments;
    const accept = (options: Partial<AcceptOptions> = {}) =>
      faulty.run(() =>
        payments.acceptPayment(intent as PaymentCreateIntent, { paymentId: id, ...accepted, ...options }),
      );
    const entry = async (): Promise<JournalEntry> =>
      (await journal.claim(intentOf(first, faulty.time.now()))) as JournalEntry;
    return { faulty, first, order, journal, payments, drifts, pay, paid, id, accept, entry };
  }

  test('stores who accepted it and why, and createOnce then returns it and reports what differs', async () => {
    const { faulty, payments, drifts, pay, paid, id, accept, entry } = await rounded(processed('hang'));
    const advice = `payments.acceptPayment(intent, { paymentId: '${id}', confirmedBy: 'your name', reason: '…' })`;
    expect(paid).toMatchObject({ code: 'payment-mismatch', message: expect.stringContaining(advice) as unknown });
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([
      { status: 'mismatch', advice: expect.stringContaining(advice) as unknown },
    ]);

    expect(await accept()).toMatchObject({ id, amount: '1249.99' });
    expect(await entry()).toMatchObject({
      intent: { accepted: { paymentId: id, ...accepted } },
      resolution: { outcome: 'created', paymentId: id },
    });
    expect(await faulty.run(() => payments.reconcilePending())).toEqual([]);
    drifts.length = 0;
    expect(await pay()).toMatchObject({ created: false, payment: { id, amount: '1249.99' } });
    const changed = { endpoint: 'payments.list', kind: 'changed-value' };
    expect(drifts).toEqual(['amount', 'internalReference'].map((path) => ({ ...changed, path })));
    expect(faulty.sent).toHaveLength(1);
    expect(await accept()).toMatchObject({ id });
  });

  test('accepts the payment of the journal if the list shows it with another amount', async () => {
    const { paid, pay, id, accept } = await rounded();
    expect(paid).toMatchObject({ created: true });
    expect(await failureOf(pay())).toMatchObject({ code: 'payment-mismatch' });
    await accept();
    expect(await pay()).toMatchObject({ created: false, payment: { id } });
  });

  test.each(['confirmedBy', 'reason', 'paymentId'])('without %s accepts nothing', async (field) => {
    const { faulty, journal, accept } = await rounded(processed('hang'));
    const requests = faulty.pagesRequested;
    for (const value of [undefined, '', 7])
      expect(await failureOf(accept({ [field]: value }))).toMatchObject({
        code: 'configuration',
        message: expect.stringContaining(field) as unknown,
      });
    expect(faulty.pagesRequested).toBe(requests);
    expect(await journal.listPending()).toHaveLength(1);
  });

  test('accepts no payment of another quote, and none that the list does not show', async () => {
    const { faulty, order, journal, accept, id } = await rounded(processed('hang'));
    for (const paymentId of [faulty.add(order()).id, 'pay_x'])
      expect(await failureOf(accept({ paymentId }))).toMatchObject({
        code: 'invalid-request',
        issues: [{ path: 'paymentId', message: expect.stringMatching(new RegExp(`${paymentId}.*${id}`)) as unknown }],
      });
    expect(await journal.listPending()).toHaveLength(1);
  });

  test('accepts nothing if the list also shows the payment that was requested', async () => {
    const { faulty, first, journal, id, accept } = await rounded(processed('hang'));
    const exact = faulty.add(first).id;
    showRows(faulty, (row) => (row['id'] === id ? { ...row, amount: '1249.99' } : row));
    expect(await failureOf(accept())).toMatchObject({
      code: 'duplicate-payment',
      paymentIds: expect.arrayContaining([id, exact]) as unknown,
    });
    expect(await journal.listPending()).toHaveLength(1);
  });

  test('accepts nothing if the journal has another payment of the order', async () => {
    const { faulty, order, journal, id, accept } = await rounded(processed('hang'));
    const other = { ...intentOf(order(), faulty.time.now()), ...key };
    await journal.resolve(other, { outcome: 'created', paymentId: 'pay_other' });
    expect(await failureOf(accept())).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: 'paymentId', message: expect.stringContaining('pay_other') as unknown }],
    });
    expect(await journal.claim(other)).toMatchObject({ resolution: { paymentId: 'pay_other' } });
    expect(id).not.toBe('pay_other');
  });

  test('accepts nothing if the list cannot be read or the journal fails', async () => {
    const { faulty, journal, accept } = await rounded(processed('hang'));
    faulty.changePage = () => errorResponse(403);
    expect(await failureOf(accept())).toMatchObject({ status: 403 });
    expect(await journal.listPending()).toHaveLength(1);
    faulty.changePage = (page) => page;
    journal.close();
    expect(await failureOf(accept())).toMatchObject({ code: 'journal', endpoint: 'payments.acceptPayment' });
  });
});
