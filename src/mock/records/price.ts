import {
  payoutLabel,
  type FeeLine,
  type FundingFees,
  type PriceBreakdown,
  type QuoteTotals,
} from '../../contract/schema/quotes.js';
import { toCents, toDecimalString, productInCents, divideToMicros } from '../data/decimal.js';
import { usdRateOf } from '../data/amounts.js';

/** A payment to price. Amounts are decimal strings. */
export interface Order {
  readonly paymentAmount: string;
  readonly paymentCurrencyCode: string;
  readonly totalTarget: string;
  readonly targetCurrencyCode: string;
  readonly paymentSystemId: string | null;
  /** The network fee and the token price in US dollars, if the payment is funded in crypto. */
  readonly crypto?: {
    readonly networkFeeUsd: string;
    /** Whether the test set the network fee, which is then not limited. */
    readonly isFeeGiven: boolean;
    readonly priceUsdPerToken: string;
  };
}

/** A price: its breakdown and the number of tokens. */
export interface Price {
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

const usd = (units: bigint): string => toDecimalString(units, 2);

/**
 * Prices an order. All sums are exact: lines add up to subtotals, subtotals to `feesUsd`, and payout plus fees to the
 * value of the tokens.
 */
export function priceOf(order: Order): Price {
  const payout = productInCents(order.paymentAmount, usdRateOf(order.paymentCurrencyCode));
  const { crypto, paymentSystemId } = order;
  const platform = charge([limited(platformPercent, payout), limited(payoutFixed, payout)], payout, paymentSystemId);
  const partner = charge([partnerPercent], payout, null);
  const fundingRule = crypto === undefined ? bankFunding : { ...networkFunding, fixed: toCents(crypto.networkFeeUsd) };
  const funding = charge([crypto?.isFeeGiven === true ? fundingRule : limited(fundingRule, payout)], payout, null);
  const fees = platform.sum + partner.sum + funding.sum;
  const tokens = toDecimalString(divideToMicros(payout + fees, crypto?.priceUsdPerToken ?? '1'), 6);
  const common = { feesUsd: usd(fees), totalTarget: order.totalTarget, targetCurrencyCode: order.targetCurrencyCode };
  const totals: QuoteTotals =
    crypto === undefined
      ? { fundingType: 'BANK_ACCOUNT', ...common }
      : {
          fundingType: 'CRYPTO',
          ...common,
          effectivePriceUsdPerToken: crypto.priceUsdPerToken,
          quotedTokenAmount: tokens,
        };
  const breakdown = {
    payout: { label: payoutLabel, amountUsd: usd(payout) },
    platformFees: { feeProfileId: 'fee_platform', feeProfileName: 'Standard', ...platform.fees },
    partnerFees: { feeProfileId: 'fee_partner', feeProfileName: 'Partner', ...partner.fees },
    funding: funding.fees,
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

interface Charge {
  readonly sum: bigint;
  readonly fees: FundingFees;
}

function charge(rules: readonly Rule[], base: bigint, paymentSystemId: string | null): Charge {
  let sum = 0n;
  const lines = rules.map((rule) => {
    const { basisPoints, fixed = 0n, min, max } = rule;
    // Rounded to cents here, so that the formatted amounts add up exactly.
    const raw = basisPoints === undefined ? fixed : (base * basisPoints + 5000n) / 10_000n;
    const final = min !== undefined && raw < min ? min : max !== undefined && raw > max ? max : raw;
    sum += final;
    return feeLine(rule, { base, raw, final }, paymentSystemId);
  });
  return { sum, fees: { subtotalUsd: usd(sum), lines } };
}

function feeLine(
  { id, name, basisPoints, fixed = 0n, min, max }: Rule,
  { base, raw, final }: { readonly base: bigint; readonly raw: bigint; readonly final: bigint },
  paymentSystemId: string | null,
): FeeLine {
  return {
    feeRuleId: id,
    name,
    feeType: basisPoints === undefined ? 'FIXED' : 'PERCENT',
    feeValue: usd(basisPoints ?? fixed),
    baseAmountUsd: usd(base),
    rawAmountUsd: usd(raw),
    minAmountUsd: min === undefined ? null : usd(min),
    maxAmountUsd: max === undefined ? null : usd(max),
    finalAmountUsd: usd(final),
    paymentSystemId,
  };
}
