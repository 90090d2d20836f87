import { describe, expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';

describe('payments', () => {
  test('create their customer, beneficiary, quote and invoice', () => {
    const platform = platformAtStart();
    const payment = platform.payments.add({ amount: '500.00', currencyCode: 'ZAR' });
    const { customerId } = payment;
    expect(payment).toMatchObject({
      status: 'PENDING_REVIEW',
      createdAt: start,
      rail: { countryCode: 'ZA' },
      customer: { orgId: platform.id },
    });
    expect(platform.beneficiaries.get(payment.beneficiaryId)).toMatchObject({ customerId, currencyCode: 'ZAR' });
    expect(platform.quotes.get(payment.paymentQuoteId ?? '')).toMatchObject({
      customerId,
      paymentAmount: '500.00',
      paymentCurrencyCode: 'ZAR',
      usedAt: start,
    });
    expect(payment.documentIds.map((id) => platform.documents.get(id)?.kind)).toEqual(['invoice']);
    expect(payment.paymentQuote?.id).toBe(payment.paymentQuoteId);
  });

  test('pass fields to the records that are created for them', () => {
    const platform = platformAtStart();
    const payment = platform.payments.add({
      customer: { companyName: 'Acme', status: 'SUSPENDED' },
      beneficiary: { companyName: 'Bolt', bankBic: 'BOLTUS22XXX', status: 'REJECTED' },
      paymentQuote: { fundingType: 'BANK_ACCOUNT', expiresAt: '2026-12-31T00:00:00Z' },
      authorization: { contractId: 'con_1' },
    });
    expect(payment).toMatchObject({
      customer: { companyName: 'Acme', status: 'SUSPENDED' },
      beneficiary: { companyName: 'Bolt', bankBic: 'BOLTUS22XXX', status: 'REJECTED' },
      sourceFunding: { type: 'BANK_ACCOUNT' },
      paymentQuote: { expiresAt: '2026-12-31T00:00:00Z' },
      authorization: { contractId: 'con_1', organizationId: platform.id },
    });
    expect(platform.customers.get(payment.customerId)?.companyName).toBe('Acme');
  });

  test('use existing records', () => {
    const platform = platformAtStart();
    const beneficiary = platform.beneficiaries.add({ currencyCode: 'KES' });
    const { customerId } = beneficiary;
    const quote = platform.quotes.add({ customerId, paymentAmount: '77.00', paymentCurrencyCode: 'KES' });
    const document = platform.documents.add({ customerId });
    expect(platform.payments.add({ beneficiaryId: beneficiary.id })).toMatchObject({ customerId, currencyCode: 'KES' });
    expect(platform.payments.add({ paymentQuoteId: quote.id, documentIds: [document.id] })).toMatchObject({
      customerId,
      amount: '77.00',
      currencyCode: 'KES',
      documentIds: [document.id],
      paymentToken: expect.any(String),
    });
    expect(platform.customers.all()).toHaveLength(1);
  });

  test('keep the input instead of derived values', () => {
    const funding = { type: 'CRYPTO', symbol: 'DAI', network: null, fundingStatus: null } as const;
    const input = {
      sourceFunding: funding,
      rail: null,
      receiptUrl: 'https://receipts.example/1',
      paymentToken: null,
      paymentNetwork: 'BASE',
      updatedAt: '2026-04-01T00:00:00Z',
    };
    expect(platformAtStart().payments.add({ ...input, status: 'COMPLETED' })).toMatchObject(input);
    expect(platformAtStart().payments.add({ receiptUrl: null, status: 'COMPLETED' }).receiptUrl).toBe(null);
  });

  test('may have no quote', () => {
    const platform = platformAtStart();
    expect(platform.payments.add({ paymentQuoteId: null })).toMatchObject({
      paymentQuoteId: null,
      paymentQuote: null,
      sourceFunding: { type: 'BANK_ACCOUNT' },
      authorization: { quoteId: null },
    });
    expect(platform.quotes.all()).toEqual([]);
  });

  test('of the same customer have the same account', () => {
    const platform = platformAtStart();
    const { id: customerId } = platform.customers.add();
    const accounts = platform.payments
      .addMany(3, () => ({ customerId, paymentQuote: { fundingType: 'BANK_ACCOUNT' } }))
      .map(({ sourceFunding }) => sourceFunding);
    expect(accounts[1]).toEqual(accounts[0]);
    expect(accounts[2]).toEqual(accounts[0]);
  });

  test('do not change the usedAt of a used quote', () => {
    const platform = platformAtStart();
    const quote = platform.quotes.add({ usedAt: '2026-01-01T00:00:00Z' });
    platform.payments.add({ paymentQuoteId: quote.id });
    expect(platform.quotes.get(quote.id)?.usedAt).toBe('2026-01-01T00:00:00Z');
  });

  test('have equal content hashes for equal documents, and different identity hashes', () => {
    const platform = platformAtStart();
    const { id, customerId } = platform.documents.add({ content: 'same' });
    const { id: otherId } = platform.documents.add({ customerId, content: 'same' });
    const [first, second] = platform.payments.add({ documentIds: [id, otherId] }).authorization.documents ?? [];
    expect(first?.contentHash).toBe(second?.contentHash);
    expect(first?.identityHash).not.toBe(second?.identityHash);
  });

  test.each([
    [{ beneficiaryId: 'ben_nobody' }, 'beneficiaryId "ben_nobody" does not exist'],
    [{ paymentQuoteId: 'quo_nobody' }, 'paymentQuoteId "quo_nobody" does not exist'],
    [{ documentIds: ['doc_nobody'] }, 'documentIds[0] "doc_nobody" does not exist'],
    [
      { customerId: 'a', customer: {} },
      'customer has the fields of a new record, but customerId names an existing one. Pass only one of them.',
    ],
    [{ beneficiaryId: 'a', beneficiary: {} }, 'beneficiary has the fields of a new record'],
    [{ paymentQuoteId: 'a', paymentQuote: {} }, 'paymentQuote has the fields of a new record'],
    [{ status: 'DONE' }, 'status must be one of PENDING_REVIEW'],
    [{ sourceFunding: { type: 'CRYPTO' } }, 'sourceFunding.symbol is required'],
    [{ authorization: { version: 'one' } }, 'authorization.version must be an integer'],
  ])('reject %o', (input, message) => {
    const platform = platformAtStart();
    expect(() => platform.payments.add(input as never)).toThrow(`payments.add: ${message}`);
    expect(platform.payments.all()).toEqual([]);
  });

  test.each(['beneficiaryId', 'paymentQuoteId'] as const)('reject a %s of another customer', (field) => {
    const platform = platformAtStart();
    const { id: customerId } = platform.customers.add();
    const { id } = field === 'beneficiaryId' ? platform.beneficiaries.add() : platform.quotes.add();
    expect(() => platform.payments.add({ customerId, [field]: id })).toThrow(
      `payments.add: ${field} belongs to another customer`,
    );
  });
});

test.each([
  [{ currencyCode: 'EUR' }, 'currencyCode must be a currency of the platform (received "EUR")'],
  [{ currencyCode: 'USD', amount: '5.123' }, 'amount must have at most 2 decimals in USD (received "5.123")'],
  [{ updatedAt: '2020-01-01T00:00:00Z' }, 'updatedAt must not be before createdAt (received "2020-01-01T00:00:00Z")'],
])('a payment that no request can create is rejected, unless the options allow it: %j', (input, message) => {
  expect(() => platformAtStart().payments.add(input)).toThrow(`payments.add: ${message}. Pass another one, or create`);
  expect(platformAtStart({ records: 'any' }).payments.add(input)).toMatchObject(input);
});

test.each([
  ['beneficiaries', { currencyCode: 'EUR' }, 'currencyCode must be a currency of the platform (received "EUR")'],
  ['beneficiaries', { updatedAt: '2020-01-01T00:00:00Z' }, 'updatedAt must not be before createdAt'],
  ['customers', { updatedAt: '2020-01-01T00:00:00Z' }, 'updatedAt must not be before createdAt'],
  ['quotes', { paymentCurrencyCode: 'EUR' }, 'paymentCurrencyCode must be a currency of the platform'],
  ['quotes', { paymentCurrencyCode: 'XAF', paymentAmount: '5.1' }, 'paymentAmount must have at most 0 decimals in XAF'],
  ['payments', { currencyCode: 'BTC', amount: '0.123456789' }, 'amount must have at most 8 decimals in BTC'],
] as const)('%s.add and update reject %j, unless the options allow it', (kind, input, message) => {
  const platform = platformAtStart();
  expect(() => platform[kind].add(input as never)).toThrow(`${kind}.add: ${message}`);
  expect(platform[kind].all()).toEqual([]);
  const { id } = platform[kind].add();
  expect(() => platform[kind].update(id, input as never)).toThrow(`${kind}.update: ${message}`);
  expect(platformAtStart({ records: 'any' })[kind].add(input as never)).toMatchObject(input);
});

test('a record of a later time can be updated now', () => {
  const platform = platformAtStart();
  const { id } = platform.customers.add({ createdAt: '2999-01-01T00:00:00Z' });
  expect(platform.customers.update(id, { companyName: 'Acme' })).toMatchObject({ companyName: 'Acme' });
});

test.each([
  ['XAF', 0],
  ['XOF', 0],
  ['UGX', 0],
  ['MXN', 2],
  ['BTC', 8],
] as const)('generated amounts in %s have %i decimals', (currencyCode, decimals) => {
  const platform = platformAtStart();
  const payments = platform.payments.addMany(20, () => ({ currencyCode })).map(({ amount }) => amount);
  const quotes = platform.quotes.addMany(20, () => ({ paymentCurrencyCode: currencyCode }));
  for (const amount of [...payments, ...quotes.map(({ paymentAmount }) => paymentAmount)])
    expect(amount.split('.')[1]?.length ?? 0).toBe(decimals);
});

test.each(['USDT', 'USDC', 'DAI', 'BTC'] as const)(
  '%s is paid to a wallet, never by WIRE to a US bank',
  (currencyCode) => {
    const { rail, authorization } = platformAtStart().payments.add({ currencyCode });
    expect(rail?.method).toBe('CRYPTO');
    expect(authorization).toMatchObject({ method: 'CRYPTO', bankCountryCode: '' });
  },
);
