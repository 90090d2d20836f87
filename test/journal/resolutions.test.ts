import {
  MemoryJournal,
  type PaymentCreateRequest,
  type IntentResolution,
  type PaymentCreateIntent,
} from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { failureOf, FaultyPlatform, showRows } from '../support/faulty-platform.ts';
import { journalWith, noted } from './stored-intents.ts';

describe('a journal that cannot store the resolution', () => {
  const failing = () =>
    journalWith(() => ({
      resolve: () => {
        throw new Error('the disk is full');
      },
    }));

  test('does not affect a created payment; the next call finds it', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const corridor = faulty.client({ journal: failing() });
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    expect(first.created).toBe(true);
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
      payment: { id: first.payment.id },
      created: false,
    });
    expect(faulty.payments).toHaveLength(1);
  });
});

describe('payments.reconcilePending', () => {
  test('returns the result of every pending intent in one pass, and resolves those with a payment', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable', amounts: 'free' });
    const journal = new MemoryJournal();
    const payments = Array.from({ length: 4 }, () => faulty.payable());
    const [made, twice, other, nowhere] = payments as [
      PaymentCreateRequest,
      PaymentCreateRequest,
      PaymentCreateRequest,
      PaymentCreateRequest,
    ];
    for (const payment of payments) await journal.claim(noted(faulty, payment, 60_000));
    const { id } = faulty.add(made);
    const duplicates = [faulty.add(twice).id, faulty.add(twice).id];
    faulty.add(other, { amount: '7.00' });

    const recoveries = await faulty.run(() => faulty.client({ journal }).payments.reconcilePending());
    expect(recoveries).toMatchObject([
      { status: 'created', payment: { id } },
      { status: 'duplicate', advice: expect.stringMatching(new RegExp(`quo.*: ${duplicates.join('|')}, `)) as unknown },
      { status: 'mismatch', mismatches: ['amount'] },
      { status: 'in-progress' },
    ]);
    expect(
      recoveries
        .flatMap((recovery) => (recovery.status === 'duplicate' ? recovery.payments.map((payment) => payment.id) : []))
        .toSorted(),
    ).toEqual(duplicates.toSorted());
    expect(faulty.pagesRequested).toBe(1);
    expect((await journal.listPending()).map(({ request }) => request['paymentQuoteId'])).toEqual(
      [twice, other, nowhere].map(({ paymentQuoteId }) => paymentQuoteId),
    );
    expect(faulty.sent).toEqual([]);
  });

  test('sends nothing if nothing is pending', async () => {
    const faulty = new FaultyPlatform();
    expect(await faulty.client().payments.reconcilePending()).toEqual([]);
    expect(faulty.pagesRequested).toBe(0);
  });

  test('resolves intents that are passed too, if the journal has them', async () => {
    const faulty = new FaultyPlatform();
    const settled: [PaymentCreateIntent, IntentResolution][] = [];
    const journal = journalWith((inner) => ({
      resolve: (intent, resolution) => (settled.push([intent, resolution]), inner.resolve(intent, resolution)),
    }));
    const payment = faulty.payable();
    const intent = noted(faulty, payment);
    const { id } = faulty.add(payment);
    await faulty.run(() => faulty.client({ journal }).payments.reconcilePending({ intents: [intent] }));
    expect(settled).toEqual([[intent, { outcome: 'created', paymentId: id }]]);
  });

  test('reports a row that may be the payment of one of the intents', async () => {
    const faulty = new FaultyPlatform();
    const [missing, unclear] = [faulty.payable(), faulty.payable()];
    faulty.add(unclear);
    showRows(faulty, ({ amount: _amount, ...row }) => row);
    const intents = [missing, unclear, faulty.payable()].map((payment) => noted(faulty, payment));
    const { payments } = faulty.client();
    const error = {
      code: 'invalid-response',
      issues: [{ path: 'amount', message: 'is missing or has the wrong type' }],
    };
    expect(await faulty.run(() => payments.reconcilePending({ intents }))).toMatchObject([
      { status: 'unknown' },
      { status: 'unknown', error },
      { status: 'unknown' },
    ]);
  });

  test.each([
    [-1, 'in-progress'],
    [0, 'not-found'],
  ])('%i ms after a process can no longer send a payment, its intent is %s', async (after, status) => {
    const faulty = new FaultyPlatform();
    const intent = noted(faulty, faulty.payable());
    await faulty.pass(60_000 + 10_000 + 5 * 60_000 + after);
    const { payments } = faulty.client();
    expect(await faulty.run(() => payments.reconcilePending({ intents: [intent] }))).toMatchObject([{ status }]);
  });

  test.each([['x'], [{}], [null], [noted(new FaultyPlatform(), {} as PaymentCreateRequest)]])(
    'rejects %j instead of intents',
    async (intents) => {
      const error = await failureOf(
        new FaultyPlatform()
          .client()
          .payments.reconcilePending({ intents: intents as unknown as PaymentCreateIntent[] }),
      );
      expect(error).toMatchObject({
        code: 'configuration',
        message: expect.stringContaining('array of intents') as unknown,
      });
    },
  );

  test('rejects a journal that does not return an array', async () => {
    const journal = journalWith(() => ({ listPending: async () => undefined as unknown as PaymentCreateIntent[] }));
    expect(await failureOf(new FaultyPlatform().client({ journal }).payments.reconcilePending())).toMatchObject({
      code: 'journal',
      endpoint: 'payments.reconcilePending',
      message: expect.stringContaining('journal.listPending()') as unknown,
    });
  });
});
