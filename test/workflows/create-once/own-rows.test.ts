import { MemoryJournal, PaymentOutcomeUnknownError, type Drift, type PaymentCreateIntent } from 'corridor-sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  failureOf,
  FaultyPlatform,
  intentOf,
  notProcessed,
  processed,
  type Row,
  showRows,
  withoutResolutions,
} from '../../support/faulty-platform.ts';

const without = (row: Row, ...names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

describe.each(['standard', 'strict'] as const)(
  'another payment that breaks the contract, with validation %s',
  (validation) => {
    const foreign = (row: Row): Row =>
      row['internalReference'] === 'order-4711' ? row : { ...without(row, 'receiptUrl'), status: 7, extra: true };

    async function crowded() {
      const faulty = new FaultyPlatform();
      faulty.add(faulty.payable({ internalReference: 'order-1' }));
      showRows(faulty, foreign);
      const drifts: Drift[] = [];
      const journal = withoutResolutions();
      const corridor = faulty.client({ validation, journal, onDrift: (drift) => void drifts.push(drift) });
      return { faulty, drifts, corridor, payment: faulty.payable() };
    }

    test('does not prevent createOnce from finding the payment, and is reported as drift', async () => {
      const { faulty, drifts, corridor, payment } = await crowded();
      faulty.onCreate(processed(connectionError('ECONNRESET')));
      expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ recovered: true });
      expect(drifts).toContainEqual({ endpoint: 'payments.list', path: 'items[1].receiptUrl', kind: 'missing-field' });
    });

    test('does not prevent reconcile, reconcilePending and find from finding the payment', async () => {
      const { faulty, corridor, payment } = await crowded();
      let intent: PaymentCreateIntent | undefined;
      const {
        payment: { id },
      } = await faulty.run(() => corridor.payments.createOnce(payment, { onIntent: (each) => void (intent = each) }));
      expect(await faulty.run(() => corridor.payments.reconcile(intent as PaymentCreateIntent))).toMatchObject({
        status: 'created',
        payment: { id },
      });
      expect(await faulty.run(() => corridor.payments.reconcilePending())).toMatchObject([
        { status: 'created', payment: { id } },
      ]);
      expect(await faulty.run(() => corridor.payments.find({ paymentQuoteId: payment.paymentQuoteId }))).toMatchObject({
        id,
      });
    });
  },
);

describe('a row that may be the payment, but cannot be identified, does not prove that there is no payment', () => {
  test.each<[string, (row: Row) => unknown]>([
    ['without its amount', (row) => without(row, 'amount')],
    ['without its id', (row) => without(row, 'id')],
    ['without its quote', (row) => without(row, 'paymentQuoteId', 'authorization')],
    [
      'whose authorization lacks the quote',
      (row) => ({ ...row, paymentQuoteId: null, authorization: without(row['authorization'] as Row, 'quoteId') }),
    ],
    ['that is null', () => null],
  ])('a row %s', async (_name, change) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(processed(connectionError('ECONNRESET')));
    showRows(faulty, change);
    const journal = new MemoryJournal();
    const corridor = faulty.client({ journal });
    const error = await faulty
      .run(() => corridor.payments.createOnce(faulty.payable()))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({ listError: { code: 'invalid-response', endpoint: 'payments.list' } });
    expect(faulty.sent).toHaveLength(1);
    expect(await faulty.run(() => corridor.payments.reconcilePending())).toMatchObject([
      { status: 'unknown', error: { code: 'invalid-response' } },
    ]);
    expect(await journal.listPending()).toHaveLength(1);
  });

  test('a list without hasMore and nextCursor', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(notProcessed(connectionError('ECONNRESET')));
    faulty.changePage = async (page) => Response.json(without((await page.json()) as Row, 'hasMore', 'nextCursor'));
    await expect(faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).rejects.toMatchObject({
      listError: { code: 'pagination' },
    });
    expect(faulty.sent).toHaveLength(1);
  });

  test.each([0, '', null])('a list with a next cursor and hasMore %j continues', async (hasMore) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(processed(connectionError('ECONNRESET')));
    // The first page is empty, and the second one, whose cursor the mock does not know, has the payments.
    let all: unknown;
    faulty.changePage = async (page) => {
      if (!page.ok) return Response.json(all);
      all = await page.json();
      return Response.json({ items: [], nextCursor: 'second', hasMore });
    };
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).toMatchObject({
      recovered: true,
    });
    expect(faulty.sent).toHaveLength(1);
  });

  test('a row without a quote that differs from the request does not match', async () => {
    const faulty = new FaultyPlatform().onCreate(notProcessed(connectionError('ECONNRESET')));
    faulty.add(faulty.payable({ amount: '9.00' }));
    showRows(faulty, (row) => without(row, 'paymentQuoteId', 'authorization'));
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())));
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect('listError' in error).toBe(false);
  });
});

test('a row without an id does not end the search for the payment of an intent', async () => {
  const faulty = new FaultyPlatform();
  const payment = faulty.payable();
  const { id } = faulty.add(payment);
  faulty.changePage = async (page) => {
    const { items, ...rest } = (await page.json()) as { readonly items: readonly Row[] };
    return Response.json({ ...rest, items: [{}, 'row', ...items] });
  };
  const intent = intentOf(payment, faulty.time.now());
  expect(await faulty.run(() => faulty.client().payments.reconcile(intent, { consistencyWindow: 0 }))).toMatchObject({
    status: 'created',
    payment: { id },
  });
  expect(await faulty.run(() => faulty.client().payments.reconcilePending({ intents: [intent] }))).toMatchObject([
    { status: 'created', payment: { id } },
  ]);
});

test('the payment is found, whatever else the list contains', async () => {
  const faulty = new FaultyPlatform();
  const payment = faulty.payable();
  const corridor = faulty.client();
  const {
    payment: { id },
  } = await faulty.run(() => corridor.payments.createOnce(payment));
  const field = fc.oneof(fc.jsonValue(), fc.constant(undefined));
  const row = fc.oneof(
    fc.jsonValue(),
    fc.record({
      id: field,
      amount: field,
      paymentQuoteId: field,
      authorization: field,
      paymentQuote: field,
      internalReference: field,
      currencyCode: field,
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (others) => {
      faulty.changePage = async (page) => {
        const { items, ...rest } = (await page.json()) as { readonly items: readonly Row[] };
        return Response.json({ ...rest, items: [...others, ...items] });
      };
      expect(
        await faulty.run(() => faulty.client().payments.find({ paymentQuoteId: payment.paymentQuoteId })),
      ).toMatchObject({ id });
      expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
        payment: { id },
        created: false,
      });
    }),
    { numRuns: 100, examples: [[[{ id: [], amount: { toString: false }, internalReference: {} } as never]]] },
  );
});
