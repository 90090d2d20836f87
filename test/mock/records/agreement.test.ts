import { Corridor, paymentCurrencies } from 'corridor-sdk';
import { createMockPlatform, type MockPaymentInput, type MockPaymentParamsInput } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from '../fixture.ts';

describe('payments.create by default', () => {
  test('rejects a payment in another currency than the account of its beneficiary', async () => {
    const platform = platformAtStart();
    const { customerId, ...params } = platform.payments.createParams({ amount: '1250.00', currencyCode: 'MXN' });
    const { id: beneficiaryId } = platform.beneficiaries.add({ customerId, currencyCode: 'BRL' });
    const corridor = new Corridor(platform.clientOptions());

    await expect(corridor.payments.create({ ...params, customerId, beneficiaryId })).rejects.toMatchObject({
      status: 422,
      body: {
        code: 'account_mismatch',
        message: "the payment must be in BRL, the currency of the beneficiary's account (received MXN)",
      },
    });
    expect(platform.payments.all()).toEqual([]);
  });
});

describe('payments.add', () => {
  const passedOn: readonly (readonly [MockPaymentInput, object])[] = [
    [
      { beneficiary: { currencyCode: 'NGN' } },
      { currencyCode: 'NGN', rail: { countryCode: 'NG' }, paymentQuote: { paymentCurrencyCode: 'NGN' } },
    ],
    [{ beneficiary: { country: 'KE' } }, { currencyCode: 'KES', rail: { countryCode: 'KE' } }],
    [
      { paymentQuote: { paymentAmount: '5.00' } },
      { amount: '5.00', authorization: { principal: '5.00' }, paymentQuote: { totalTarget: '5.00' } },
    ],
    [
      { paymentQuote: { paymentCurrencyCode: 'ZAR' } },
      { currencyCode: 'ZAR', authorization: { destination: { currencyCode: 'ZAR' } } },
    ],
    [{ currencyCode: 'BTC' }, { paymentQuote: { paymentCurrencyCode: 'BTC' } }],
    [{ paymentToken: 'USDT' }, { paymentQuote: { paymentToken: 'USDT' }, sourceFunding: { symbol: 'USDT' } }],
    [
      { sourceFunding: { type: 'CRYPTO', symbol: 'USDC', network: 'SOLANA', fundingStatus: null } },
      { paymentToken: 'USDC', paymentNetwork: 'SOLANA', paymentQuote: { paymentNetwork: 'SOLANA' } },
    ],
  ];

  test('rejects a payment in another currency or amount than the records that it names', () => {
    const platform = platformAtStart();
    const { id: beneficiaryId, customerId } = platform.beneficiaries.add({ currencyCode: 'BRL' });
    const quote = platform.quotes.add({ customerId, paymentAmount: '10.00', paymentCurrencyCode: 'BRL' });
    const inputs: readonly (MockPaymentInput & MockPaymentParamsInput)[] = [
      { customerId, beneficiaryId, currencyCode: 'MXN' },
      { beneficiaryId, amount: '11.00', paymentQuoteId: quote.id },
      { beneficiaryId, amount: '10.00', currencyCode: 'MXN', paymentQuoteId: quote.id },
    ];
    for (const input of inputs) {
      expect(() => platform.payments.add(input)).toThrow(/^payments\.add: the payment must be (in|for 10\.00) BRL/);
      expect(() => platform.payments.createParams(input)).toThrow('payments.createParams: the payment must be');
    }
    expect(platform.payments.add({ beneficiaryId, paymentQuoteId: quote.id })).toMatchObject({
      amount: '10.00',
      currencyCode: 'BRL',
      rail: { method: 'PIX' },
    });
    platform.configure({ amounts: 'free' });
    expect(inputs.map((input) => platform.payments.add(input).status)).toHaveLength(3);
  });

  test.each(passedOn)('%j determines the other parts of the payment', (input, expected) => {
    expect(platformAtStart().payments.add(input)).toMatchObject(expected);
  });

  const contradictory: readonly (readonly [MockPaymentInput, string])[] = [
    [{ currencyCode: 'MXN', beneficiary: { currencyCode: 'NGN' } }, 'the payment must be in NGN'],
    [
      { amount: '5.00', currencyCode: 'USD', paymentQuote: { paymentAmount: '6.00' } },
      'the payment must be for 6.00 USD',
    ],
  ];

  test.each(contradictory)('rejects %j, which contradicts itself, and adds nothing', (input, message) => {
    const platform = platformAtStart();
    expect(() => platform.payments.add(input)).toThrow(`payments.add: ${message}`);
    expect(platform.customers.all()).toEqual([]);
    expect(platformAtStart({ amounts: 'free' }).payments.add(input)).toMatchObject({ status: 'PENDING_REVIEW' });
  });

  test.each(paymentCurrencies)(
    'in %s has an amount that people pay, fees below it, and a charge with the fees',
    (currencyCode) => {
      const platform = platformAtStart();
      for (const { amount, authorization, paymentQuote } of platform.payments.addMany(50, () => ({ currencyCode }))) {
        const { payout, totals } = paymentQuote?.priceBreakdown ?? {};
        const [payoutUsd, feesUsd] = [Number(payout?.amountUsd), Number(totals?.['feesUsd'])];
        expect(payoutUsd).toBeGreaterThan(300);
        expect(payoutUsd).toBeLessThan(50_000);
        expect(feesUsd).toBeLessThan(payoutUsd / 5);
        const charged = Number(authorization.approvedCharge) / Number(amount) - 1;
        expect(charged).toBeCloseTo(feesUsd / payoutUsd, 3);
      }
    },
  );

  test.each(paymentCurrencies)('in %s has fees below the payout, however small that is', (currencyCode) => {
    const platform = platformAtStart({ records: 'any' });
    const cents = (usd: unknown): number => Math.round(Number(usd) * 100);
    for (const amount of ['0.0001', '1.00', '3.33', '5.00', '10.00', '25.00', '99.99', '250.00', '100000.00'])
      for (const fundingType of ['CRYPTO', 'BANK_ACCOUNT'] as const) {
        const { paymentQuote } = platform.payments.add({ amount, currencyCode, paymentQuote: { fundingType } });
        const { payout, totals, ...groups } = paymentQuote?.priceBreakdown ?? {};
        const lines = Object.values(groups).flatMap((group) => group?.lines ?? []);
        expect(cents(totals?.['feesUsd'])).toBeLessThanOrEqual(cents(payout?.amountUsd) * 0.61);
        expect(lines.reduce((sum, line) => sum + cents(line.finalAmountUsd), 0)).toBe(cents(totals?.['feesUsd']));
        for (const { finalAmountUsd, minAmountUsd, maxAmountUsd } of lines) {
          expect(cents(finalAmountUsd)).toBeGreaterThanOrEqual(cents(minAmountUsd ?? 0));
          expect(cents(finalAmountUsd)).toBeLessThanOrEqual(cents(maxAmountUsd ?? Infinity));
        }
      }
  });

  test('charges a network fee that the test sets, however small the payout is', () => {
    const paymentQuote = { fundingType: 'CRYPTO', networkFeeUsd: '9.00' } as const;
    const { authorization } = platformAtStart().payments.add({ amount: '10.00', currencyCode: 'USD', paymentQuote });
    // 2.00 + 2.00 + 0.03 + 9.00 US dollars
    expect(authorization.approvedCharge).toBe('23.03');
  });

  test('rounds the fees of the charge up to the decimals of the currency', () => {
    const platform = platformAtStart({ records: 'any' });
    const chargeOf = (amount: string, currencyCode: string) =>
      platform.payments.add({ amount, currencyCode, paymentQuote: { fundingType: 'BANK_ACCOUNT' } }).authorization;
    // 5.00 + 12.00 + 0.25 + 3.50 US dollars
    expect(chargeOf('100.00', 'USD')).toMatchObject({ principal: '100.00', approvedCharge: '120.75' });
    expect(chargeOf('100.005', 'USD')).toMatchObject({ principal: '100.005', approvedCharge: '120.755' });
    // 5.00 + 12.00 + 0.17 + 3.50 US dollars at 0.0545
    expect(chargeOf('1250', 'MXN')).toMatchObject({ principal: '1250', approvedCharge: '1629.27' });
    // 5.00 + 12.00 + 2.29 + 3.50 US dollars at 91500
    expect(chargeOf('0.01', 'BTC')).toMatchObject({ principal: '0.01', approvedCharge: '0.01024908' });
  });
});

describe('payments.createParams', () => {
  test('returns what payments.create accepts, for every currency', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    for (const currencyCode of paymentCurrencies) {
      const params = platform.payments.createParams({ amount: '1250.00', currencyCode });
      expect(await corridor.payments.create(params)).toMatchObject({ amount: '1250.00', currencyCode });
    }
    expect(platform.payments.all()).toHaveLength(paymentCurrencies.length);
  });

  test('generates what is omitted and passes on what is not', () => {
    const platform = platformAtStart();
    const { id: customerId } = platform.customers.add();
    const params = platform.payments.createParams({ customerId, memo: 'Thank you', internalReference: null });
    expect(params).toMatchObject({ customerId, memo: 'Thank you', internalReference: null });
    expect(platform.quotes.get(params.paymentQuoteId)).toMatchObject({ customerId, paymentAmount: params.amount });
    expect(platform.documents.get(params.documentIds[0] ?? '')).toMatchObject({ customerId, kind: 'invoice' });
    expect(params).not.toHaveProperty('invoiceNumber');
  });

  test('passes fields to the records that it adds', () => {
    const platform = platformAtStart();
    const { customerId, paymentQuoteId } = platform.payments.createParams({
      customer: { companyName: 'Acme' },
      paymentQuote: { fundingType: 'BANK_ACCOUNT' },
    });
    expect(platform.customers.get(customerId)?.companyName).toBe('Acme');
    expect(platform.quotes.get(paymentQuoteId)?.fundingType).toBe('BANK_ACCOUNT');
  });

  test.each([
    [{ amount: 1250 }, 'amount must be a string (received 1250)'],
    [{ colour: 'red' }, 'colour is not a known field'],
    [{ documentIds: 'doc_1' }, 'documentIds must be an array'],
    [{ documentIds: [] }, 'documentIds must be an array of at least 1'],
    [{ customerId: 'cus_nobody' }, 'customerId "cus_nobody" does not exist'],
    [[], 'payments.createParams: the record must be an object'],
  ])('rejects %j and adds nothing', (input, message) => {
    const platform = platformAtStart();
    expect(() => platform.payments.createParams(input as never)).toThrow(message);
    expect(platform.customers.all()).toEqual([]);
    expect(platform.quotes.all()).toEqual([]);
  });
});
