import { paymentQuote, type CryptoQuote, type PaymentQuote } from '../../contract/quotes.js';
import { networkFeeUsd } from '../crypto-catalog.js';
import { isDecimal } from '../decimal.js';
import { MockPlatformError } from '../error.js';
import { everydayCurrencies } from '../places.js';
import type { Random } from '../random.js';
import type { OrganizationState } from '../state.js';
import type { StoredQuote } from '../stored.js';
import { ownerOf } from './customers.js';
import { given, recordsOf, requireConforming, secondsAfter, timeOf, timestampNow, type MockRecords, type Partially } from './input.js';
import { priceOf } from './price.js';

/** A quote, with the customer it was made for, which the wire does not show. */
export type MockQuote = PaymentQuote & {
  /** The customer the quote is good for. */
  readonly customerId: string;
};

/** What `quotes.add` takes. The price follows from the amount, unless it is given. */
export type MockQuoteInput = Partially<Omit<CryptoQuote, 'fundingType'>> & {
  /** How the payment is funded. @default 'CRYPTO' */
  readonly fundingType?: 'CRYPTO' | 'BANK_ACCOUNT' | undefined;
  /** The customer the quote is good for. @default one that is made */
  readonly customerId?: string | undefined;
};

const call = 'quotes.add';

/** Makes a quote, and its customer where none is named, and puts them into the state. */
export function createQuote(organization: OrganizationState, input: MockQuoteInput = {}): StoredQuote {
  const { customerId: owner, ...fields } = input;
  const at = timeOf(call, fields.createdAt ?? timestampNow(organization));
  if (fields.expiresAt !== undefined) timeOf(call, fields.expiresAt, 'expiresAt');
  const random = organization.random('quotes', organization.quotes.next);
  const record = quoteRecord(organization, random, fields);
  requireConforming(call, paymentQuote, record);
  const customerId = ownerOf(organization, call, owner, record.createdAt);
  return organization.quotes.insert(record.id, at, { record, customerId });
}

function quoteRecord(organization: OrganizationState, random: Random, fields: Omit<MockQuoteInput, 'customerId'>): unknown {
  const id = `quo_${random.letters(16)}`;
  const paymentAmount = fields.paymentAmount ?? `${random.whole(120, 48_000)}.${random.digits(2)}`;
  const paymentCurrencyCode = fields.paymentCurrencyCode ?? random.pick(everydayCurrencies);
  const createdAt = fields.createdAt ?? timestampNow(organization);
  const common = {
    id,
    paymentAmount,
    paymentCurrencyCode,
    totalTarget: fields.totalTarget ?? paymentAmount,
    targetCurrencyCode: fields.targetCurrencyCode ?? paymentCurrencyCode,
    createdAt,
    expiresAt: fields.expiresAt ?? secondsAfter(createdAt, organization.platform.options.quoteLifetime),
    usedAt: null,
  };
  const paymentSystemId = fields.paymentSystemId ?? null;
  const paymentToken = fields.paymentToken ?? random.pick(['USDC', 'USDT']);
  const paymentNetwork = fields.paymentNetwork ?? (paymentToken === 'USDC' ? random.pick(['ETHEREUM', 'POLYGON', 'SOLANA']) : random.pick(['ETHEREUM', 'TRON']));
  const crypto = { networkFeeUsd: fields.networkFeeUsd ?? networkFeeUsd(paymentNetwork), priceUsdPerToken: fields.effectivePriceUsdPerToken ?? '1.0000' };
  for (const [name, text] of [['paymentAmount', paymentAmount], ['networkFeeUsd', crypto.networkFeeUsd], ['effectivePriceUsdPerToken', crypto.priceUsdPerToken]] as const) {
    if (!isDecimal(text) || (name === 'effectivePriceUsdPerToken' && Number(text) === 0)) {
      throw new MockPlatformError(`${call}: ${name} must be a decimal string such as "1250.00", because the price is computed from it`);
    }
  }
  const order = { ...common, paymentSystemId };
  if (fields.fundingType === 'BANK_ACCOUNT') {
    // Assumed: A-9, the bank-funded quote has the common fields.
    return { ...common, fundingType: 'BANK_ACCOUNT', priceBreakdown: priceOf(order).breakdown, ...given(fields) };
  }
  const { breakdown, tokens } = priceOf({ ...order, crypto });
  return {
    ...common, fundingType: 'CRYPTO', priceBreakdown: breakdown, paymentToken, paymentNetwork, networkFeeUsd: crypto.networkFeeUsd,
    effectivePriceUsdPerToken: crypto.priceUsdPerToken, quotedTokenAmount: tokens, paymentSystemId, ...given(fields),
  };
}

/**
 * The quotes of an organization's customers. A new one is active: unused, and good for `quoteLifetime`.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const customer = platform.customers.add();
 * const quote = platform.quotes.add({ customerId: customer.id, paymentAmount: '1250.00', paymentCurrencyCode: 'MXN' });
 * ```
 */
export interface MockQuotes extends MockRecords<MockQuote, MockQuoteInput> {}

/** The quotes of an organization's customers. */
export function quoteRecords(organization: OrganizationState): MockQuotes {
  return recordsOf(organization, {
    call,
    create: createQuote,
    collection: ({ quotes }) => quotes,
    show: (_, { record, customerId }): MockQuote => ({ ...record, customerId }),
  });
}
