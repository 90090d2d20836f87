import {
  cryptoQuote,
  paymentQuote,
  type CryptoQuote,
  type PaymentQuote,
  payoutLabel,
  type FeeLine,
  type PriceBreakdown,
  type QuoteTotals,
} from '../../contract/schema/quotes.js';
import { enumOf, memoize, string } from '../../contract/schema/schema.js';
import { plausibleAmount, isDecimal, toCents, valueInCents, divideToMicros } from '../data/amounts.js';
import { fromMinorUnits } from '../../contract/amounts.js';
import { networkFeeUsd, tokensOn } from '../data/crypto-catalog.js';
import { MockPlatformError } from '../base/mock-error.js';
import { commonCurrencies } from '../data/countries.js';
import type { Random } from '../data/random.js';
import { omitUndefined } from '../base/freeze.js';
import type { OrganizationState } from '../state/platform-state.js';
import type { StoredQuote } from '../state/record-kinds.js';
import { resolveCustomerId } from './customers.js';
import {
  inputOf,
  recordsOf,
  requireConforming,
  requireRules,
  secondsAfter,
  requireUnused,
  timestampNow,
  type MockRecords,
  type PartialInput,
} from './builder.js';

/** A quote with the id of its customer, which responses do not contain. */
export type MockQuote = PaymentQuote & {
  /** The customer who can use the quote. */
  readonly customerId: string;
};

/** The input of `quotes.add`. The price is computed from the amount, unless you set it. */
export interface MockQuoteInput extends PartialInput<Omit<CryptoQuote, 'fundingType'>> {
  /** The funding of the payment. @default 'CRYPTO' */
  readonly fundingType?: 'CRYPTO' | 'BANK_ACCOUNT' | undefined;
  /** The customer who can use the quote. @default a new customer */
  readonly customerId?: string | undefined;
}

/** The schema of the input: the fields of a quote that is funded in crypto are all that are known. */
export const quoteInput = memoize(() =>
  inputOf(cryptoQuote(), { fundingType: enumOf(['CRYPTO', 'BANK_ACCOUNT']), customerId: string() }),
);

const call = 'quotes.add';

/** Creates and stores a quote, and its customer unless the input names one. */
export function createQuote(organization: OrganizationState, input: MockQuoteInput = {}): StoredQuote {
  const { customerId: requestedCustomerId, ...fields } = input;
  const random = organization.random('quotes', organization.quotes.next);
  const isPriceComputed = fields.priceBreakdown === undefined && fields.networkFeeUsd === undefined;
  const record = quoteRecord(organization, random, fields, isPriceComputed);
  const customerId = resolveCustomerId(organization, call, requestedCustomerId, record.createdAt);
  const stored = { record, customerId, ...(isPriceComputed && { isPriceComputed }) };
  return organization.quotes.insert(record.id, Date.parse(record.createdAt), stored);
}

/** Returns a stored quote as responses contain it. */
export function quoteOf({ record, isPriceComputed = false }: StoredQuote): PaymentQuote {
  return isPriceComputed ? { ...record, priceBreakdown: priceOf(record as PricedQuote, false).breakdown } : record;
}

function quoteRecord(
  organization: OrganizationState,
  random: Random,
  fields: Omit<MockQuoteInput, 'customerId'>,
  isPriceComputed: boolean,
): PaymentQuote {
  const id = random.id('quo_');
  const paymentCurrencyCode = fields.paymentCurrencyCode ?? random.pick(commonCurrencies);
  const paymentAmount = fields.paymentAmount ?? plausibleAmount(random, paymentCurrencyCode);
  requireRules(organization, call, { paymentAmount, paymentCurrencyCode });
  const createdAt = fields.createdAt ?? timestampNow(organization);
  const paymentToken = fields.paymentToken ?? random.pick(tokensOn(fields.paymentNetwork));
  const paymentNetwork =
    fields.paymentNetwork ??
    (paymentToken === 'USDC' ? random.pick(['ETHEREUM', 'POLYGON', 'SOLANA']) : random.pick(['ETHEREUM', 'TRON']));
  const fee = fields.networkFeeUsd ?? networkFeeUsd(paymentNetwork);
  const effectivePriceUsdPerToken = fields.effectivePriceUsdPerToken ?? '1.0000';
  for (const name of ['paymentAmount', 'networkFeeUsd', 'effectivePriceUsdPerToken'] as const) {
    const value = fields[name];
    const isPrice = name === 'effectivePriceUsdPerToken';
    if (value === undefined || (isDecimal(value) && !(isPrice && Number(value) === 0))) continue;
    throw new MockPlatformError(
      `${call}: ${name} must be a decimal string with at most 18 decimals${isPrice ? ', greater than 0,' : ''} ` +
        `such as "1250.00" (received ${JSON.stringify(value)})`,
    );
  }
  const isCrypto = fields.fundingType !== 'BANK_ACCOUNT';
  const quote = {
    id,
    paymentAmount,
    paymentCurrencyCode,
    totalTarget: fields.totalTarget ?? paymentAmount,
    targetCurrencyCode: fields.targetCurrencyCode ?? paymentCurrencyCode,
    createdAt,
    expiresAt: fields.expiresAt ?? secondsAfter(createdAt, organization.options.quoteLifetime),
    usedAt: null,
    fundingType: isCrypto ? 'CRYPTO' : 'BANK_ACCOUNT',
    priceBreakdown: null,
    // Assumed: A-9, the bank-funded quote has only the common fields.
    ...(isCrypto && {
      paymentToken,
      paymentNetwork,
      networkFeeUsd: fee,
      effectivePriceUsdPerToken,
      quotedTokenAmount: '',
      paymentSystemId: fields.paymentSystemId ?? null,
    }),
  } as const;
  const { breakdown, tokens } = priceOf(quote, fields.networkFeeUsd !== undefined);
  return {
    ...quote,
    ...(isCrypto && { quotedTokenAmount: tokens }),
    ...(!isPriceComputed && { priceBreakdown: breakdown }),
    ...omitUndefined(fields),
  } as PaymentQuote;
}

/** Returns a quote with other fields. The price stays, unless the input sets it. */
function changeQuote(organization: OrganizationState, stored: StoredQuote, partial: MockQuoteInput): StoredQuote {
  const record = { ...quoteOf(stored), ...partial };
  // One for a bank account does not have all fields of one in crypto.
  requireConforming(organization, 'quotes.update', paymentQuote, record);
  return { record, customerId: stored.customerId };
}

/**
 * The quotes of an organization's customers. A new quote is unused and valid for `quoteLifetime`.
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

/** Creates the public interface of the quotes. */
export function quoteRecords(organization: OrganizationState): MockQuotes {
  return recordsOf(organization, {
    name: 'quotes',
    input: quoteInput,
    create: createQuote,
    toView: (_, stored): MockQuote => ({ ...quoteOf(stored), customerId: stored.customerId }),
    change: changeQuote,
    release: (state, id) => requireUnused(state, 'quotes.remove', id, ({ record }) => record.paymentQuoteId === id),
  });
}

/** The fields of a quote that determine its price; only those that are funded in crypto have the optional ones. */
type PricedQuote = Pick<
  PaymentQuote,
  'paymentAmount' | 'paymentCurrencyCode' | 'totalTarget' | 'targetCurrencyCode' | 'fundingType'
> &
  Partial<Pick<CryptoQuote, 'networkFeeUsd' | 'effectivePriceUsdPerToken' | 'paymentSystemId'>>;

interface Price {
  readonly breakdown: PriceBreakdown;
  readonly tokens: string;
}

interface Rule {
  readonly id: string;
  readonly name: string;
  /** The fee as a share of the payout, in hundredths of a percent. */
  readonly basisPoints?: bigint;
  /** A fixed fee instead, in cents. */
  readonly fixed?: bigint;
  /** The lower and upper limits of the fee, in cents. */
  readonly min?: bigint;
  readonly max?: bigint;
}

const platformPercent: Rule = {
  id: 'rule_platform_percent',
  name: 'Platform fee',
  basisPoints: 50n,
  min: 500n,
  max: 25_000n,
};
const payoutFixed: Rule = { id: 'rule_payout', name: 'Payout fee', fixed: 1200n };
const partnerPercent: Rule = { id: 'rule_partner_percent', name: 'Partner fee', basisPoints: 25n };
const bankFunding: Rule = { id: 'rule_bank_funding', name: 'Bank transfer', fixed: 350n };
const networkFunding = { id: 'rule_network', name: 'Network fee' };

const usd = (cents: bigint): string => fromMinorUnits(cents, 2);

/**
 * Prices a quote. All sums are exact: lines add up to subtotals, subtotals to `feesUsd`, and payout plus fees to the
 * value of the tokens. A network fee that the test set is not limited.
 */
function priceOf(
  {
    paymentAmount,
    paymentCurrencyCode,
    totalTarget,
    targetCurrencyCode,
    fundingType,
    networkFeeUsd: fee = '0',
    effectivePriceUsdPerToken = '1',
    paymentSystemId = null,
  }: PricedQuote,
  isFeeGiven: boolean,
): Price {
  const payout = valueInCents(paymentAmount, paymentCurrencyCode);
  const isCrypto = fundingType === 'CRYPTO';
  const amountUsd = usd(payout);
  const charge = (rules: readonly Rule[], system: string | null = null) => chargeOf(rules, payout, amountUsd, system);
  const platform = charge([limited(platformPercent, payout), limited(payoutFixed, payout)], paymentSystemId);
  const partner = charge([partnerPercent]);
  const fundingRule = isCrypto ? { ...networkFunding, fixed: toCents(fee) } : bankFunding;
  const funding = charge([isFeeGiven && isCrypto ? fundingRule : limited(fundingRule, payout)]);
  const fees = platform.sum + partner.sum + funding.sum;
  const tokens = fromMinorUnits(divideToMicros(payout + fees, effectivePriceUsdPerToken), 6);
  const common = { feesUsd: usd(fees), totalTarget, targetCurrencyCode };
  const totals: QuoteTotals = isCrypto
    ? { fundingType: 'CRYPTO', ...common, effectivePriceUsdPerToken, quotedTokenAmount: tokens }
    : { fundingType: 'BANK_ACCOUNT', ...common };
  const breakdown = {
    payout: { label: payoutLabel, amountUsd },
    platformFees: {
      feeProfileId: 'fee_platform',
      feeProfileName: 'Standard',
      subtotalUsd: usd(platform.sum),
      lines: platform.lines,
    },
    partnerFees: {
      feeProfileId: 'fee_partner',
      feeProfileName: 'Partner',
      subtotalUsd: usd(partner.sum),
      lines: partner.lines,
    },
    funding: { subtotalUsd: usd(funding.sum), lines: funding.lines },
    totals,
  };
  return { breakdown, tokens };
}

/** Limits a fee to a fifth of the payout, so that the fees of a small payout are below it. */
function limited(rule: Rule, payout: bigint): Rule {
  const limit = payout / 5n;
  const { fixed = 0n, min = 0n } = rule;
  if (fixed > limit) return { ...rule, max: limit };
  return min > limit ? { ...rule, min: limit } : rule;
}

function chargeOf(
  rules: readonly Rule[],
  base: bigint,
  baseAmountUsd: string,
  paymentSystemId: string | null,
): { readonly sum: bigint; readonly lines: readonly FeeLine[] } {
  let sum = 0n;
  const lines = rules.map(({ id, name, basisPoints, fixed = 0n, min, max }): FeeLine => {
    // Rounded to cents here, so that the formatted amounts add up exactly.
    const raw = basisPoints === undefined ? fixed : (base * basisPoints + 5000n) / 10_000n;
    const final = min !== undefined && raw < min ? min : max !== undefined && raw > max ? max : raw;
    sum += final;
    return {
      feeRuleId: id,
      name,
      feeType: basisPoints === undefined ? 'FIXED' : 'PERCENT',
      feeValue: usd(basisPoints ?? fixed),
      baseAmountUsd,
      rawAmountUsd: usd(raw),
      minAmountUsd: min === undefined ? null : usd(min),
      maxAmountUsd: max === undefined ? null : usd(max),
      finalAmountUsd: usd(final),
      paymentSystemId,
    };
  });
  return { sum, lines };
}
