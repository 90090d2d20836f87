import {
  amount,
  literal,
  currency,
  id,
  enumOf,
  string,
  timestamp,
  type OpenEnum,
  type Unrecognized,
  memoize,
  array,
  withMetadata,
  nullable,
  looseObject,
  strictObject,
  discriminatedUnion,
  type Schema,
} from './schema.js';

/** The tokens a crypto quote can be paid in. */
const quoteTokens = ['USDC', 'USDT'] as const;
/** A token a crypto quote can be paid in. */
export type QuoteToken = (typeof quoteTokens)[number];

/** The networks a crypto quote can be paid on. */
const quoteNetworks = [
  'ETHEREUM',
  'ETHEREUM_SEPOLIA',
  'POLYGON',
  'POLYGON_AMOY',
  'SOLANA',
  'SOLANA_DEVNET',
  'TRON',
  'TRON_NILE',
] as const;
/** A network a crypto quote can be paid on. */
export type QuoteNetwork = (typeof quoteNetworks)[number];

/** How a fee is computed. */
const feeTypes = ['PERCENT', 'FIXED'] as const;
/** How a fee is computed. */
export type FeeType = (typeof feeTypes)[number];

/** The label of the payout in every price breakdown. */
export const payoutLabel = 'Payment amount';

/** One fee of a price breakdown. Amounts are decimal strings in US dollars. */
export interface FeeLine {
  /** The rule that defines this fee. */
  readonly feeRuleId: string | null;
  /** The fee's name. */
  readonly name: string;
  /** Whether `feeValue` is a percentage or an amount. */
  readonly feeType: OpenEnum<FeeType>;
  /** The percentage or the amount. */
  readonly feeValue: string;
  /** The base amount of the fee. */
  readonly baseAmountUsd: string;
  /** The fee before its minimum and maximum. */
  readonly rawAmountUsd: string;
  /** The minimum fee. */
  readonly minAmountUsd: string | null;
  /** The maximum fee. */
  readonly maxAmountUsd: string | null;
  /** The fee that is charged. */
  readonly finalAmountUsd: string;
  /** The payment system this fee belongs to. */
  readonly paymentSystemId: string | null;
}

/** The fees of the platform, or of the partner. */
export interface FeeGroup {
  /** The fee profile that applied. */
  readonly feeProfileId: string | null;
  /** Its name. */
  readonly feeProfileName: string | null;
  /** The sum of the lines, in US dollars. */
  readonly subtotalUsd: string;
  /** The fees. */
  readonly lines: readonly FeeLine[];
}

/** The payout. */
export interface Payout {
  /** Always `Payment amount`. */
  readonly label: OpenEnum<typeof payoutLabel>;
  /** The amount in US dollars. */
  readonly amountUsd: string;
}

/** The fees for funding the payment. */
export interface FundingFees {
  /** The sum of the lines, in US dollars. */
  readonly subtotalUsd: string;
  /** The fees. */
  readonly lines: readonly FeeLine[];
}

/** The totals of a payment funded in crypto. */
export interface CryptoTotals {
  /** The discriminant of this variant. */
  readonly fundingType: 'CRYPTO';
  /** All fees, in US dollars. */
  readonly feesUsd: string;
  /** What the beneficiary receives. */
  readonly totalTarget: string;
  /** The currency of `totalTarget`. */
  readonly targetCurrencyCode: string;
  /** US dollars per token. */
  readonly effectivePriceUsdPerToken: string;
  /** The number of tokens to pay. */
  readonly quotedTokenAmount: string;
}

/** The totals of a payment funded from a bank account. */
export interface BankAccountTotals {
  /** The discriminant of this variant. */
  readonly fundingType: 'BANK_ACCOUNT';
  /** All fees, in US dollars. */
  readonly feesUsd: string;
  /** What the beneficiary receives. */
  readonly totalTarget: string;
  /** The currency of `totalTarget`. */
  readonly targetCurrencyCode: string;
}

/** Totals of a kind this version of the SDK does not know. */
export interface UnrecognizedTotals {
  /** A value that this version of the SDK does not know. */
  readonly fundingType: Unrecognized;
  /** The fields that the platform sent. */
  readonly [field: string]: unknown;
}

/** The totals of a price breakdown; `fundingType` is the discriminant. */
export type QuoteTotals = CryptoTotals | BankAccountTotals | UnrecognizedTotals;

/** The price breakdown of a payment. */
export interface PriceBreakdown {
  /** The payout. */
  readonly payout: Payout;
  /** The platform's fees. */
  readonly platformFees: FeeGroup;
  /** The partner's fees. */
  readonly partnerFees: FeeGroup;
  /** The funding fees. */
  readonly funding: FundingFees;
  /** The totals. */
  readonly totals: QuoteTotals;
}

/** The fields of every payment quote. Amounts are decimal strings. */
export interface QuoteBase {
  /** The quote's id. */
  readonly id: string;
  /** The amount of the payment. */
  readonly paymentAmount: string;
  /** Its currency. */
  readonly paymentCurrencyCode: string;
  /** What the beneficiary receives. */
  readonly totalTarget: string;
  /** The currency of `totalTarget`. */
  readonly targetCurrencyCode: string;
  /** When the quote was made. */
  readonly createdAt: string;
  /** When it can no longer be used. */
  readonly expiresAt: string;
  /** When it was used; null if unused. */
  readonly usedAt: string | null;
  /** The price breakdown. */
  readonly priceBreakdown: PriceBreakdown | null;
}

/** A quote for a payment funded in crypto. */
export interface CryptoQuote extends QuoteBase {
  /** The discriminant of this variant. */
  readonly fundingType: 'CRYPTO';
  /** The token to pay in. */
  readonly paymentToken: OpenEnum<QuoteToken>;
  /** The network to pay on. */
  readonly paymentNetwork: OpenEnum<QuoteNetwork>;
  /** The network's fee, in US dollars. */
  readonly networkFeeUsd: string;
  /** US dollars per token. */
  readonly effectivePriceUsdPerToken: string;
  /** The number of tokens to pay. */
  readonly quotedTokenAmount: string;
  /** The payment system that pays out. */
  readonly paymentSystemId: string | null;
}

/** A quote for a payment funded from a bank account; its other fields are not specified and are returned unchanged. */
export interface BankAccountQuote extends QuoteBase {
  /** The discriminant of this variant. */
  readonly fundingType: 'BANK_ACCOUNT';
  /** Other fields that the platform sent. */
  readonly [field: string]: unknown;
}

/** A quote of a kind this version of the SDK does not know. */
export interface UnrecognizedQuote extends QuoteBase {
  /** A value that this version of the SDK does not know. */
  readonly fundingType: Unrecognized;
  /** Other fields that the platform sent. */
  readonly [field: string]: unknown;
}

/** The quote a payment was made against; `fundingType` is the discriminant. */
export type PaymentQuote = CryptoQuote | BankAccountQuote | UnrecognizedQuote;

const feeLine = memoize(() =>
  strictObject<FeeLine>({
    feeRuleId: nullable(string()),
    name: string(),
    feeType: enumOf(feeTypes),
    feeValue: amount(),
    baseAmountUsd: amount(),
    rawAmountUsd: amount(),
    minAmountUsd: nullable(amount()),
    maxAmountUsd: nullable(amount()),
    finalAmountUsd: amount(),
    paymentSystemId: nullable(string()),
  }),
);

const feeGroup = memoize(() =>
  strictObject<FeeGroup>({
    feeProfileId: nullable(string()),
    feeProfileName: nullable(string()),
    subtotalUsd: amount(),
    lines: array(feeLine()),
  }),
);

const totals = memoize(() =>
  discriminatedUnion<QuoteTotals>('fundingType', [
    strictObject<CryptoTotals>({
      fundingType: literal('CRYPTO'),
      feesUsd: amount(),
      totalTarget: amount(),
      targetCurrencyCode: currency(),
      effectivePriceUsdPerToken: amount(),
      quotedTokenAmount: amount(),
    }),
    strictObject<BankAccountTotals>({
      fundingType: literal('BANK_ACCOUNT'),
      feesUsd: amount(),
      totalTarget: amount(),
      targetCurrencyCode: currency(),
    }),
  ]),
);

/** The price breakdown of a quote. */
const priceBreakdown: Schema<PriceBreakdown> = memoize(() =>
  strictObject<PriceBreakdown>({
    payout: strictObject<Payout>({ label: literal(payoutLabel), amountUsd: amount() }),
    platformFees: feeGroup(),
    partnerFees: feeGroup(),
    funding: strictObject<FundingFees>({ subtotalUsd: amount(), lines: array(feeLine()) }),
    totals: totals(),
  }),
);

const common = () => ({
  id: id(),
  paymentAmount: amount(),
  paymentCurrencyCode: currency(),
  totalTarget: amount(),
  targetCurrencyCode: currency(),
  createdAt: timestamp(),
  expiresAt: timestamp(),
  usedAt: nullable(timestamp()),
  priceBreakdown: nullable(priceBreakdown()),
});

/** A quote for a payment that is funded in crypto. */
export const cryptoQuote: Schema<CryptoQuote> = memoize(() =>
  strictObject<CryptoQuote>({
    ...common(),
    fundingType: literal('CRYPTO'),
    paymentToken: enumOf(quoteTokens),
    paymentNetwork: enumOf(quoteNetworks),
    networkFeeUsd: amount(),
    effectivePriceUsdPerToken: amount(),
    quotedTokenAmount: amount(),
    paymentSystemId: nullable(string()),
  }),
);

/** The quote of a payment. */
export const paymentQuote: Schema<PaymentQuote> = memoize(() => {
  const known = discriminatedUnion<PaymentQuote>('fundingType', [
    cryptoQuote(),
    // Assumed: A-9
    looseObject<BankAccountQuote>({ ...common(), fundingType: literal('BANK_ACCOUNT') }),
  ]);
  return withMetadata(known, { baseSchema: looseObject<QuoteBase>(common()) });
});
