import type { Drift, PaymentCreateRequest } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { failureOf, FaultyPlatform, intentOf, processedAs, type Row, showRows } from '../../support/faulty-platform.ts';

/** Reconciles a payment that exists, with a list that shows it in another form. */
async function reconcileShown(change: (row: Row) => unknown, replaced: Partial<PaymentCreateRequest> = {}) {
  const faulty = new FaultyPlatform();
  const payment = faulty.payable(replaced);
  faulty.add(payment);
  showRows(faulty, change);
  const intent = intentOf(payment, faulty.time.now());
  return faulty.run(() =>
    faulty.client({ validation: 'observe' }).payments.reconcile(intent, { consistencyWindow: 0 }),
  );
}

const withAuthorization = (row: Row, replaced: Row): Row => ({ ...(row['authorization'] as Row), ...replaced });

describe('a payment of 1250.00', () => {
  test.each(['1250', '1250.', '1250.0', '1250.000', '01250.00', '001250', ' 1250.00 ', 1250])(
    'is the same if the list shows %j',
    async (amount) => {
      expect(await reconcileShown((row) => ({ ...row, amount }))).toMatchObject({ status: 'created' });
    },
  );

  test.each([
    '1250.01',
    '1250.10',
    '12500',
    '12500.0',
    '125.00',
    '.00',
    '0',
    '-1250.00',
    '$1250.00',
    '1250.00 USD',
    '1250.00.7',
    '1,250',
  ])('is another one if the list shows %j', async (amount) => {
    expect(await failureOf(reconcileShown((row) => ({ ...row, amount })))).toMatchObject({ mismatches: ['amount'] });
  });
});

test.each(['.5', '.50', '0.5'])('a payment of 0.50 is the same if the list shows %j', async (amount) => {
  expect(await reconcileShown((row) => ({ ...row, amount }), { amount: '0.50' })).toMatchObject({ status: 'created' });
});

describe('a payment with a reference', () => {
  test.each([
    ['in capitals', 'order-é-4711', 'ORDER-É-4711'],
    ['in capitals of which there are more', 'straße-7', 'STRASSE-7'],
    ['in another Unicode form', 'order-é-4711', 'order-é-4711'.normalize('NFD')],
    ['cut off', 'order-é-4711', 'order-é'],
    ['without its spaces', ' order-4711 ', 'order-4711'],
    ['with spaces', 'order-4711', '  order-4711 '],
    ['as a number', 'order-4711', 4711],
    ['that the platform generated, because the request has none', null, 'REF-1'],
  ])('is the same if the list shows it %s', async (_name, internalReference, shown) => {
    expect(await reconcileShown((row) => ({ ...row, internalReference: shown }), { internalReference })).toMatchObject({
      status: 'created',
    });
  });

  test.each(['order-4712', 'order-47110', '4711', 'rder-4711'])(
    'is another one if the list shows %j',
    async (shown) => {
      expect(await failureOf(reconcileShown((row) => ({ ...row, internalReference: shown })))).toMatchObject({
        mismatches: ['internalReference'],
      });
    },
  );

  test('is another one if only the authorization shows another reference', async () => {
    expect(
      await failureOf(
        reconcileShown((row) => ({
          ...row,
          internalReference: null,
          authorization: withAuthorization(row, { internalReference: 'order-4712' }),
        })),
      ),
    ).toMatchObject({ mismatches: ['internalReference'] });
  });
});

test.each<[string, (row: Row) => Row]>([
  ['shows the quote in the authorization only', () => ({ paymentQuoteId: null })],
  ['shows the reference in the authorization only', () => ({ internalReference: null })],
  [
    'does not show the reference',
    (row) => ({ internalReference: null, authorization: withAuthorization(row, { internalReference: null }) }),
  ],
])('a list that %s shows the payment', async (_name, shown) => {
  expect(await reconcileShown((row) => ({ ...row, ...shown(row) }))).toMatchObject({ status: 'created' });
});

describe('a row without a quote that is equal in all else', () => {
  test('is another payment if the platform says that it has none', async () => {
    expect(
      await reconcileShown((row) => ({
        ...row,
        paymentQuoteId: null,
        paymentQuote: null,
        authorization: withAuthorization(row, { quoteId: null }),
      })),
    ).toEqual({ status: 'not-found' });
  });

  test.each<[string, (row: Row) => Row]>([
    ['has no authorization', () => ({ paymentQuoteId: null, authorization: null })],
    ['has an empty quote', (row) => ({ paymentQuoteId: '', authorization: withAuthorization(row, { quoteId: '' }) })],
    [
      'lacks the field',
      (row) => ({ paymentQuoteId: undefined, authorization: withAuthorization(row, { quoteId: null }) }),
    ],
  ])('may be the payment if it %s: the search is not conclusive', async (_name, replaced) => {
    expect(await failureOf(reconcileShown((row) => ({ ...row, paymentQuote: null, ...replaced(row) })))).toMatchObject({
      code: 'invalid-response',
    });
  });
});

describe('the response to a creation', () => {
  /** Creates a payment, with a response in another form. Returns the drift that was reported. */
  async function driftOf(change: (row: Row) => Row): Promise<readonly Drift[]> {
    const faulty = new FaultyPlatform().onCreate(processedAs(change));
    const drifts: Drift[] = [];
    const corridor = faulty.client({ onDrift: (drift) => void drifts.push(drift) });
    expect(await faulty.run(() => corridor.payments.createOnce(faulty.payable()))).toMatchObject({
      created: true,
      recovered: false,
    });
    return drifts.filter(({ kind }) => kind === 'changed-value');
  }
  const changed = (path: string) => ({ endpoint: 'payments.create', path, kind: 'changed-value' });

  test.each<[string, (row: Row) => Row]>([
    ['amount', () => ({ amount: '1250.0' })],
    ['internalReference', () => ({ internalReference: 'ORDER-4711' })],
    ['paymentQuote.id', (row) => ({ paymentQuote: { ...(row['paymentQuote'] as Row), id: 'snapshot_1' } })],
  ])('that writes %s otherwise is reported as drift', async (path, replaced) => {
    expect(await driftOf((row) => ({ ...row, ...replaced(row) }))).toEqual([changed(path)]);
  });

  test.each([
    ['paymentQuoteId', { paymentQuoteId: 'quo_other' }],
    ['paymentQuoteId', { paymentQuoteId: null, paymentQuote: { id: 'quo_other' } }],
    ['amount', { amount: '1250.01' }],
    ['currencyCode', { currencyCode: 'USD' }],
    ['customerId', { customerId: 'cus_other' }],
    ['beneficiaryId', { beneficiaryId: 'ben_other' }],
  ])('with another %s is a mismatch', async (field, replaced) => {
    const faulty = new FaultyPlatform().onCreate(processedAs((row) => ({ ...row, ...replaced })));
    expect(await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())))).toMatchObject({
      code: 'payment-mismatch',
      outcome: 'applied',
      mismatches: [field],
    });
  });

  test.each<[string, Row]>([
    ['no quote but the nested one', { paymentQuoteId: null }],
    ['no nested quote', { paymentQuote: null }],
    ['no reference', { internalReference: null }],
  ])('that has %s is no such drift', async (_name, replaced) => {
    expect(await driftOf((row) => ({ ...row, ...replaced }))).toEqual([]);
  });
});

describe('an intent that was stored', () => {
  const reconcileStored = async (replaced: Row) => {
    const faulty = new FaultyPlatform();
    const intent = { ...intentOf(faulty.payable(), faulty.time.now()), ...replaced };
    return faulty.run(() => faulty.client().payments.reconcile(intent, { consistencyWindow: 0 }));
  };

  test.each([
    { createdAt: '1970-01-01T00:00:00.000Z' },
    { createdAt: '9998-12-31T23:59:59.999Z' },
    { createdAt: '1970-01-01T00:00:01.000Z', clockOffset: 1_000 },
  ])('with %j is searched for', async (replaced) => {
    expect(await reconcileStored(replaced)).toEqual({ status: 'not-found' });
  });

  test.each([
    { createdAt: '1969-12-31T23:59:59.999Z' },
    { createdAt: '9999-01-01T00:00:00.000Z' },
    { createdAt: '1970-01-01T00:00:01.000Z', clockOffset: 1_001 },
    { createdAt: '9998-12-31T23:59:59.999Z', clockOffset: -1 },
    { request: { paymentQuoteId: 'quo_1', amount: '1.00', currencyCode: 'USD', customerId: 'cus_1' } },
    { request: { paymentQuoteId: 'quo_1', amount: 1, currencyCode: 'USD', customerId: 'cus_1', beneficiaryId: 'b' } },
    { version: 2 },
    { clockOffset: '0' },
  ])('with %j is rejected before anything is sent', async (replaced) => {
    expect(await failureOf(reconcileStored(replaced))).toMatchObject({ code: 'configuration' });
  });

  test('is named in the error, unless its id is too long to be one', async () => {
    const messageOf = async (id: string): Promise<string> =>
      (await failureOf(reconcileStored({ id, version: 2 }))).message;
    expect(await messageOf('i'.repeat(64))).toContain(`the intent ${'i'.repeat(64)} (quote quo_`);
    expect(await messageOf('i'.repeat(65))).toContain('the intent (quote quo_');
  });
});
