import { amount, constant, currency, id, oneOf, text, timestamp } from './field.js';
import type { Open, Unrecognized } from './open.js';
import { lazily, list, mean, nullable, openRecord, record, variants, type Schema } from './schema.js';

/** The tokens a crypto quote can be paid in. */
const quoteTokens = ['USDC', 'USDT'] as const;
/** A token a crypto quote can be paid in. */
export type QuoteToken = (typeof quoteTokens)[number];

/** The networks a crypto quote can be paid on. */
const quoteNetworks = [
  'ETHEREUM', 'ETHEREUM_SEPOLIA', 'POLYGON', 'POLYGON_AMOY', 'SOLANA', 'SOLANA_DEVNET', 'TRON', 'TRON_NILE',
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
  /** The rule this fee comes from. */
  readonly feeRuleId: string | null;
  /** The fee's name. */
  readonly name: string;
  /** Whether `feeValue` is a percentage or an amount. */
  readonly feeType: Open<FeeType>;
  /** The percentage or the amount. */
  readonly feeValue: string;
  /** What the fee is computed on. */
  readonly baseAmountUsd: string;
  /** The fee before its minimum and maximum. */
  readonly rawAmountUsd: string;
  /** The least this fee can be. */
  readonly minAmountUsd: string | null;
  /** The most this fee can be. */
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

/** What is paid out. */
export interface Payout {
  /** Always `Payment amount`. */
  readonly label: Open<typeof payoutLabel>;
  /** The amount in US dollars. */
  readonly amountUsd: string;
}

/** What funding the payment costs. */
export interface FundingFees {
  /** The sum of the lines, in US dollars. */
  readonly subtotalUsd: string;
  /** The fees. */
  readonly lines: readonly FeeLine[];
}

/** The totals of a payment funded in crypto. */
export interface CryptoTotals {
  /** Tells this variant. */
  readonly fundingType: 'CRYPTO';
  /** All fees, in US dollars. */
  readonly feesUsd: string;
  /** What the beneficiary receives. */
  readonly totalTarget: string;
  /** The currency of `totalTarget`. */
  readonly targetCurrencyCode: string;
  /** US dollars per token. */
  readonly effectivePriceUsdPerToken: string;
  /** How many tokens to pay. */
  readonly quotedTokenAmount: string;
}

/** The totals of a payment funded from a bank account. */
export interface BankAccountTotals {
  /** Tells this variant. */
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
  /** A value that is not known yet. */
  readonly fundingType: Unrecognized;
  /** Whatever the platform sent. */
  readonly [field: string]: unknown;
}

/** The totals of a price breakdown; `fundingType` tells the variant. */
export type Totals = CryptoTotals | BankAccountTotals | UnrecognizedTotals;

/** How the price of a payment comes about. */
export interface PriceBreakdown {
  /** What is paid out. */
  readonly payout: Payout;
  /** The platform's fees. */
  readonly platformFees: FeeGroup;
  /** The partner's fees. */
  readonly partnerFees: FeeGroup;
  /** What funding costs. */
  readonly funding: FundingFees;
  /** The totals. */
  readonly totals: Totals;
}

/** What every payment quote shows. Amounts are decimal strings. */
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
  /** When it was used; null while it was not. */
  readonly usedAt: string | null;
  /** How the price comes about. */
  readonly priceBreakdown: PriceBreakdown | null;
}

/** A quote for a payment funded in crypto. */
export interface CryptoQuote extends QuoteBase {
  /** Tells this variant. */
  readonly fundingType: 'CRYPTO';
  /** The token to pay in. */
  readonly paymentToken: Open<QuoteToken>;
  /** The network to pay on. */
  readonly paymentNetwork: Open<QuoteNetwork>;
  /** The network's fee, in US dollars. */
  readonly networkFeeUsd: string;
  /** US dollars per token. */
  readonly effectivePriceUsdPerToken: string;
  /** How many tokens to pay. */
  readonly quotedTokenAmount: string;
  /** The payment system that pays out. */
  readonly paymentSystemId: string | null;
}

/** A quote for a payment funded from a bank account; its further fields are not specified and are handed on as they came. */
export interface BankAccountQuote extends QuoteBase {
  /** Tells this variant. */
  readonly fundingType: 'BANK_ACCOUNT';
  /** Whatever else the platform sent. */
  readonly [field: string]: unknown;
}

/** A quote of a kind this version of the SDK does not know. */
export interface UnrecognizedQuote extends QuoteBase {
  /** A value that is not known yet. */
  readonly fundingType: Unrecognized;
  /** Whatever else the platform sent. */
  readonly [field: string]: unknown;
}

/** The quote a payment was made against; `fundingType` tells the variant. */
export type PaymentQuote = CryptoQuote | BankAccountQuote | UnrecognizedQuote;

const feeLine = lazily(() =>
  record<FeeLine>({
    feeRuleId: nullable(text()), name: text(), feeType: oneOf(feeTypes), feeValue: amount(), baseAmountUsd: amount(),
    rawAmountUsd: amount(), minAmountUsd: nullable(amount()), maxAmountUsd: nullable(amount()), finalAmountUsd: amount(),
    paymentSystemId: nullable(text()),
  }),
);

const feeGroup = lazily(() =>
  record<FeeGroup>({
    feeProfileId: nullable(text()), feeProfileName: nullable(text()), subtotalUsd: amount(), lines: list(feeLine()),
  }),
);

const totals = lazily(() =>
  variants<Totals>('fundingType', [
    record<CryptoTotals>({
      fundingType: constant('CRYPTO'), feesUsd: amount(), totalTarget: amount(), targetCurrencyCode: currency(),
      effectivePriceUsdPerToken: amount(), quotedTokenAmount: amount(),
    }),
    record<BankAccountTotals>({
      fundingType: constant('BANK_ACCOUNT'), feesUsd: amount(), totalTarget: amount(), targetCurrencyCode: currency(),
    }),
  ]),
);

/** The price breakdown of a quote. */
const priceBreakdown: Schema<PriceBreakdown> = lazily(() =>
  record<PriceBreakdown>({
    payout: record<Payout>({ label: constant(payoutLabel), amountUsd: amount() }),
    platformFees: feeGroup(),
    partnerFees: feeGroup(),
    funding: record<FundingFees>({ subtotalUsd: amount(), lines: list(feeLine()) }),
    totals: totals(),
  }),
);

const common = () => ({
  id: id(), paymentAmount: amount(), paymentCurrencyCode: currency(), totalTarget: amount(), targetCurrencyCode: currency(),
  createdAt: timestamp(), expiresAt: timestamp(), usedAt: nullable(timestamp()), priceBreakdown: nullable(priceBreakdown()),
});

/** The quote of a payment. */
export const paymentQuote: Schema<PaymentQuote> = lazily(() => {
  const known = variants<PaymentQuote>('fundingType', [
    record<CryptoQuote>({
      ...common(), fundingType: constant('CRYPTO'), paymentToken: oneOf(quoteTokens), paymentNetwork: oneOf(quoteNetworks),
      networkFeeUsd: amount(), effectivePriceUsdPerToken: amount(), quotedTokenAmount: amount(), paymentSystemId: nullable(text()),
    }),
    // Assumed: A-9
    openRecord<BankAccountQuote>({ ...common(), fundingType: constant('BANK_ACCOUNT') }),
  ]);
  return mean(known, { shared: openRecord<QuoteBase>(common()) });
});
