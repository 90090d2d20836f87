import { PaymentMismatchError, type Drift, type PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  type Change,
  FaultyPlatform,
  processedAs,
  type Row,
  showRows,
  withoutResolutions,
} from '../../support/faulty-platform.ts';

describe('the results for one payment are consistent', () => {
  const reference =
    (internalReference: string): Change =>
    (row) => ({ ...row, internalReference });
  const amount =
    (shown: string): Change =>
    (row) => ({ ...row, amount: shown });

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
  ])('%s: that is drift', async (_name, change, path, replaced) => {
    const faulty = new FaultyPlatform().onCreate(processedAs(change));
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
    const faulty = new FaultyPlatform().onCreate(processedAs(reference('R-1')));
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
    faulty.onCreate(processedAs((row) => ({ ...row, id, createdAt, internalReference: 'order-1' })));
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
    const faulty = new FaultyPlatform().onCreate(processedAs((row) => ({ ...row, ...replaced })));
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
    const faulty = new FaultyPlatform().onCreate(processedAs(amount(shown)));
    const result = await faulty
      .run(() => faulty.client().payments.createOnce(faulty.payable({ amount: '1250.00' })))
      .catch((error: unknown) => error);
    expect(result instanceof PaymentMismatchError).toBe(!same);
  });
});
