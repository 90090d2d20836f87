import { describe, expectTypeOf, test } from 'vitest';
import type {
  BankAccountFunding,
  BankAccountQuote,
  BankAccountTotals,
  Corridor,
  CorridorError,
  CreatedPayment,
  CryptoFunding,
  CryptoQuote,
  CryptoTotals,
  JournalEntry,
  ListedPayment,
  OpenEnum,
  PaymentCreateIntent,
  PaymentCreateRequest,
  PaymentCurrency,
  PaymentOutcomeUnknownError,
  PaymentQuote,
  PaymentResult,
  PaymentStatus,
  ReconciledIntent,
  SourceFunding,
  QuoteTotals,
  UnrecognizedFunding,
  UnrecognizedQuote,
} from 'corridor-sdk';

declare const corridor: Corridor;
declare const anyFunding: SourceFunding;
declare const listed: ListedPayment;
declare const quote: PaymentQuote;
declare const totals: QuoteTotals;

describe('a listed payment', () => {
  test('has a status that completes the known ones and accepts a new one', async () => {
    for await (const payment of corridor.payments.list()) {
      expectTypeOf(payment).toEqualTypeOf<ListedPayment>();
      expectTypeOf(payment.status).toEqualTypeOf<OpenEnum<PaymentStatus>>();
      // The union keeps the known ones for completion; `string` alone would absorb them.
      expectTypeOf<Extract<typeof payment.status, PaymentStatus>>().toEqualTypeOf<PaymentStatus>();
      const renewed: typeof payment.status = 'STATUS_OF_TESTS';
      expectTypeOf(renewed).toExtend<string>();
      expectTypeOf(payment.status === 'STATUS_OF_TESTS').toEqualTypeOf<boolean>();
      expectTypeOf(payment.customer.status).toExtend<string>();
      const text: string = payment.status;
      expectTypeOf(text).toEqualTypeOf<string>();
    }
  });

  test('narrows its funding by type', async () => {
    const [payment] = await corridor.payments.list().toArray();
    const funding = payment?.sourceFunding;
    if (funding?.type === 'BANK_ACCOUNT') {
      expectTypeOf(funding).toEqualTypeOf<BankAccountFunding>();
      expectTypeOf(funding.iban).toEqualTypeOf<string | null>();
    } else if (funding?.type === 'CRYPTO') {
      expectTypeOf(funding).toEqualTypeOf<CryptoFunding>();
      expectTypeOf(funding.symbol).toEqualTypeOf<string>();
    } else {
      expectTypeOf(funding).toEqualTypeOf<UnrecognizedFunding | null | undefined>();
      expectTypeOf(funding?.['invoice']).toEqualTypeOf<unknown>();
    }
  });

  test('narrows its funding in a switch, with a default for new variants', () => {
    const label = (funding: SourceFunding): string => {
      switch (funding.type) {
        case 'BANK_ACCOUNT':
          return funding.bankName;
        case 'CRYPTO':
          return funding.symbol;
        default:
          expectTypeOf(funding).toEqualTypeOf<UnrecognizedFunding>();
          return 'other';
      }
    };
    expectTypeOf(label).returns.toEqualTypeOf<string>();
  });

  test('has the fields of a variant on that variant only', () => {
    if (anyFunding.type === 'CRYPTO') {
      // @ts-expect-error: a crypto funding has no IBAN
      void anyFunding.iban;
    }
    if (anyFunding.type === 'BANK_ACCOUNT') {
      // @ts-expect-error: a bank account has no symbol
      void anyFunding.symbol;
    }
  });

  test('has an authorization and no quote; every field of the authorization may be missing', () => {
    expectTypeOf<ListedPayment>().toHaveProperty('authorization');
    expectTypeOf<ListedPayment>().not.toHaveProperty('paymentQuote');
    expectTypeOf<ListedPayment['authorization']['principal']>().toEqualTypeOf<string | null | undefined>();
  });

  test('is not for changing', () => {
    // @ts-expect-error: records are read-only
    listed.amount = '1';
  });
});

describe('a created payment', () => {
  test('has a quote and no authorization', () => {
    expectTypeOf<CreatedPayment>().not.toHaveProperty('authorization');
    expectTypeOf<CreatedPayment['paymentQuote']>().toEqualTypeOf<PaymentQuote>();
  });

  test('narrows its quote by fundingType', () => {
    expectTypeOf(quote.id).toEqualTypeOf<string>();
    expectTypeOf(quote.expiresAt).toEqualTypeOf<string>();
    if (quote.fundingType === 'CRYPTO') {
      expectTypeOf(quote).toEqualTypeOf<CryptoQuote>();
      expectTypeOf<Extract<typeof quote.paymentToken, 'USDC' | 'USDT'>>().toEqualTypeOf<'USDC' | 'USDT'>();
      expectTypeOf(quote.quotedTokenAmount).toEqualTypeOf<string>();
    } else if (quote.fundingType === 'BANK_ACCOUNT') {
      expectTypeOf(quote).toEqualTypeOf<BankAccountQuote>();
      expectTypeOf(quote['bankAccountId']).toEqualTypeOf<unknown>();
    } else {
      expectTypeOf(quote).toEqualTypeOf<UnrecognizedQuote>();
    }
  });

  test('narrows its totals by fundingType', () => {
    switch (totals.fundingType) {
      case 'CRYPTO':
        expectTypeOf(totals).toEqualTypeOf<CryptoTotals>();
        break;
      case 'BANK_ACCOUNT':
        expectTypeOf(totals).toEqualTypeOf<BankAccountTotals>();
        break;
      default:
        expectTypeOf(totals['feesUsd']).toEqualTypeOf<unknown>();
    }
  });
});

describe('an intent', () => {
  test('has one type wherever it occurs, with the fields of its request', async () => {
    expectTypeOf<CorridorError['intent']>().toEqualTypeOf<PaymentCreateIntent | undefined>();
    expectTypeOf<PaymentOutcomeUnknownError['intent']>().toEqualTypeOf<PaymentCreateIntent>();
    expectTypeOf<JournalEntry['intent']>().toEqualTypeOf<PaymentCreateIntent>();
    expectTypeOf(corridor.payments.reconcile).toBeCallableWith({} as PaymentCreateIntent);
    for (const { intent } of await corridor.payments.reconcilePending({ intents: [] }))
      expectTypeOf(intent.request).toEqualTypeOf<PaymentCreateRequest>();
  });
});

test('a reconciled intent is a plain object, which editors show with its fields', () => {
  expectTypeOf<Extract<ReconciledIntent, { status: 'created' }>>().toEqualTypeOf<{
    readonly intent: PaymentCreateIntent;
    readonly status: 'created';
    readonly payment: PaymentResult;
  }>();
});

describe('the currencies of a payment', () => {
  test('are 21', () => {
    expectTypeOf<PaymentCurrency>().toEqualTypeOf<
      | 'USD'
      | 'BRL'
      | 'MXN'
      | 'COP'
      | 'HKD'
      | 'CNY'
      | 'NGN'
      | 'KES'
      | 'MWK'
      | 'ZAR'
      | 'XOF'
      | 'XAF'
      | 'UGX'
      | 'TZS'
      | 'ZMW'
      | 'BWP'
      | 'SGD'
      | 'USDT'
      | 'USDC'
      | 'DAI'
      | 'BTC'
    >();
  });
});
