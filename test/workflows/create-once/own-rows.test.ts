import {
  MemoryJournal,
  PaymentMismatchError,
  PaymentOutcomeUnknownError,
  type Drift,
  type Journal,
  type PaymentCreateIntent,
} from 'corridor-sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { broken, FaultyPlatform, lost, taken, type Fate } from '../faulty-platform.ts';

type Row = Readonly<Record<string, unknown>>;
type Change = (row: Row) => unknown;

/** Changes the rows of the list. */
function showRows(faulty: FaultyPlatform, change: Change): void {
  faulty.meddle = async (page) => {
    const { items, ...rest } = (await page.json()) as { readonly items: readonly Row[] };
    return Response.json({ ...rest, items: items.map(change) });
  };
}

/** Creates a payment, and responds with a changed one. */
const respondWith =
  (change: Change): Fate =>
  async (creation) => {
    const response = await creation.commit();
    return Response.json(change((await response.json()) as Row), {
      status: 201,
      headers: { date: response.headers.get('date') ?? '' },
    });
  };

const without = (row: Row, ...names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** A journal that ignores resolutions, as if the process had ended before. */
function withoutResolutions(): Journal {
  const inner = new MemoryJournal();
  return { claim: (intent) => inner.claim(intent), resolve: async () => {}, listPending: () => inner.listPending() };
}

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
      faulty.fate(taken(broken('ECONNRESET')));
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

    test('still causes an error of list', async () => {
      const { faulty, corridor } = await crowded();
      await expect(faulty.run(() => corridor.payments.list().toArray())).rejects.toMatchObject({
        code: 'invalid-response',
      });
    });
  },
);

test.each(['standard', 'strict'] as const)(
  'a platform that omits receiptUrl everywhere: the payment is returned if validation is %s',
  async (validation) => {
    const dropped = (row: Row): Row => without(row, 'receiptUrl');
    const faulty = new FaultyPlatform().fate(respondWith(dropped));
    showRows(faulty, dropped);
    const drifts: Drift[] = [];
    const corridor = faulty.client({ validation, onDrift: (drift) => void drifts.push(drift) });
    const payment = faulty.payable();
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
      payment: { id: faulty.payments[0]?.id },
      created: true,
      recovered: false,
    });
    expect(drifts).toEqual([{ endpoint: 'payments.create', path: 'receiptUrl', kind: 'missing-field' }]);
    expect(await faulty.run(() => corridor.payments.reconcilePending())).toEqual([]);
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
      payment: { id: faulty.payments[0]?.id },
      created: false,
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
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).fate(taken(broken('ECONNRESET')));
    showRows(faulty, change);
    const journal = new MemoryJournal();
    const corridor = faulty.client({ journal });
    const error = await faulty
      .run(() => corridor.payments.createOnce(faulty.payable(), { resend: 'after-consistency-window' }))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({ listError: { code: 'invalid-response', endpoint: 'payments.list' } });
    expect(faulty.sent).toHaveLength(1);
    await expect(faulty.run(() => corridor.payments.reconcilePending())).rejects.toMatchObject({
      code: 'invalid-response',
    });
    expect(await journal.listPending()).toHaveLength(1);
  });

  test('a list without hasMore and nextCursor', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).fate(lost(broken('ECONNRESET')));
    faulty.meddle = async (page) => Response.json(without((await page.json()) as Row, 'hasMore', 'nextCursor'));
    await expect(
      faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { resend: 'after-consistency-window' })),
    ).rejects.toMatchObject({ listError: { code: 'pagination' } });
    expect(faulty.sent).toHaveLength(1);
  });

  test.each([0, '', null])('a list with a next cursor and hasMore %j continues', async (hasMore) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).fate(taken(broken('ECONNRESET')));
    // The first page is empty, and the second one, whose cursor the mock does not know, has the payments.
    let all: unknown;
    faulty.meddle = async (page) => {
      if (!page.ok) return Response.json(all);
      all = await page.json();
      return Response.json({ items: [], nextCursor: 'second', hasMore });
    };
    expect(
      await faulty.run(() =>
        faulty.client().payments.createOnce(faulty.payable(), { resend: 'after-consistency-window' }),
      ),
    ).toMatchObject({ recovered: true });
    expect(faulty.sent).toHaveLength(1);
  });

  test('a row without a quote that differs from the request does not match', async () => {
    const faulty = new FaultyPlatform().fate(lost(broken('ECONNRESET')));
    faulty.add(faulty.payable({ amount: '9.00' }));
    showRows(faulty, (row) => without(row, 'paymentQuoteId', 'authorization'));
    expect(
      await faulty.run(() =>
        faulty.client().payments.createOnce(faulty.payable(), { resend: 'after-consistency-window' }),
      ),
    ).toMatchObject({ created: true, recovered: false });
  });

  test('find throws instead of returning undefined', async () => {
    const faulty = new FaultyPlatform();
    const { paymentQuoteId } = faulty.payable();
    faulty.add(faulty.payable());
    showRows(faulty, (row) => without(row, 'paymentQuoteId', 'authorization'));
    await expect(faulty.run(() => faulty.client().payments.find({ paymentQuoteId }))).rejects.toMatchObject({
      code: 'invalid-response',
    });
  });
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
      faulty.meddle = async (page) => {
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

describe('the results for one payment are consistent', () => {
  const reference =
    (internalReference: string): Change =>
    (row) => ({ ...row, internalReference });
  const amount =
    (shown: string): Change =>
    (row) => ({ ...row, amount: shown });
  const nested: Change = (row) =>
    'paymentQuote' in row ? { ...row, paymentQuote: { ...(row['paymentQuote'] as Row), id: 'quo_other' } } : row;

  test.each<[string, Change, string, Readonly<Record<string, string>>]>([
    ['its reference is shown as ""', reference(''), 'internalReference', {}],
    [
      'its reference is normalized',
      reference('re\u0301f-1'.normalize('NFC')),
      'internalReference',
      { internalReference: 're\u0301f-1' },
    ],
    ['its reference is cut off', reference('order-47'), 'internalReference', {}],
    ['its reference is in capitals', reference('ORDER-4711'), 'internalReference', {}],
    ['its amount is .50', amount('.50'), 'amount', { amount: '0.50' }],
    ['its nested quote has another id', nested, 'paymentQuote.id', {}],
  ])('%s: that is drift', async (_name, change, path, replaced) => {
    const faulty = new FaultyPlatform().fate(respondWith(change));
    showRows(faulty, change as (row: Row) => Row);
    const journal = withoutResolutions();
    const drifts: Drift[] = [];
    const payment = faulty.payable(replaced);
    const corridor = faulty.client({ journal, onDrift: (drift) => void drifts.push(drift) });
    let intent: PaymentCreateIntent | undefined;
    const made = await faulty.run(() =>
      corridor.payments.createOnce(payment, { onIntent: (each) => void (intent = each) }),
    );
    const { id } = made.payment;

    expect(made).toMatchObject({ payment: { id: faulty.payments[0]?.id }, created: true, recovered: false });
    expect(drifts).toEqual([{ endpoint: 'payments.create', path, kind: 'changed-value' }]);
    expect(await faulty.run(() => corridor.payments.reconcilePending())).toMatchObject([
      { status: 'created', payment: { id } },
    ]);
    expect(await faulty.run(() => corridor.payments.reconcile(intent as PaymentCreateIntent))).toMatchObject({
      status: 'created',
      payment: { id },
    });
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment))).toMatchObject({
      payment: { id },
      created: false,
    });
  });

  test('a 201 with another reference is accepted if the payment is new, also for a second call', async () => {
    const faulty = new FaultyPlatform().fate(respondWith(reference('R-1')));
    showRows(faulty, reference('R-1'));
    const { payments } = faulty.client();
    const payment = faulty.payable();
    const made = await faulty.run(() => payments.createOnce(payment));
    expect(made).toMatchObject({ created: true, payment: { internalReference: 'R-1' } });
    expect(await faulty.run(() => payments.createOnce(payment))).toMatchObject({
      created: false,
      payment: { id: made.payment.id },
    });
  });

  test('a 201 with an older payment of another reference is a mismatch', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const payment = faulty.payable();
    const { id, createdAt } = faulty.add(payment, { internalReference: 'order-1' });
    await faulty.pass(60_000);
    faulty.fate(respondWith((row) => ({ ...row, id, createdAt, internalReference: 'order-1' })));
    await expect(faulty.run(() => faulty.client().payments.createOnce(payment))).rejects.toMatchObject({
      mismatches: ['internalReference'],
      paymentId: id,
    });
  });

  test.each([
    ['paymentQuoteId', { paymentQuoteId: 'quo_other' }],
    ['paymentQuoteId', { paymentQuoteId: null, paymentQuote: { id: 'quo_other' } }],
    ['amount', { amount: '1250.01' }],
    ['currencyCode', { currencyCode: 'USD' }],
    ['customerId', { customerId: 'cus_other' }],
    ['beneficiaryId', { beneficiaryId: 'ben_other' }],
  ])('a 201 with another %s is a mismatch', async (field, replaced) => {
    const faulty = new FaultyPlatform().fate(respondWith((row) => ({ ...row, ...replaced })));
    const error = await faulty
      .run(() => faulty.client().payments.createOnce(faulty.payable()))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PaymentMismatchError);
    expect(error).toMatchObject({ mismatches: [field], outcome: 'applied' });
  });

  test.each([
    ['1250', true],
    ['01250.000', true],
    ['1250.', true],
    ['1250.001', false],
    ['12500', false],
    ['0x4e2', false],
    [`${'0'.repeat(100_000)}1250`, true],
    [`1250.${'0'.repeat(100_000)}1`, false],
  ])('an amount of %.20s', async (shown, same) => {
    const faulty = new FaultyPlatform().fate(respondWith(amount(shown)));
    const result = await faulty
      .run(() => faulty.client().payments.createOnce(faulty.payable({ amount: '1250.00' })))
      .catch((error: unknown) => error);
    expect(result instanceof PaymentMismatchError).toBe(!same);
  });
});
