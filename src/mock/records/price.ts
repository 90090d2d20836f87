import { payoutLabel, type FeeLine, type FundingFees, type PriceBreakdown, type Totals } from '../../contract/quotes.js';
import { cents, decimalText, productInCents, quotientInMillionths } from '../decimal.js';
import { isKnownCurrency, usdPerUnit } from '../places.js';

/** What is to be priced. Amounts are decimal texts. */
export interface Order {
  readonly paymentAmount: string;
  readonly paymentCurrencyCode: string;
  readonly totalTarget: string;
  readonly targetCurrencyCode: string;
  readonly paymentSystemId: string | null;
  /** Of a payment funded in crypto: what its network costs and what a token is worth, in US dollars. */
  readonly crypto?: { readonly networkFeeUsd: string; readonly priceUsdPerToken: string };
}

/** A price: how it comes about and how many tokens it is. */
export interface Price {
  readonly breakdown: PriceBreakdown;
  readonly tokens: string;
}

interface Rule {
  readonly id: string;
  readonly name: string;
  /** What is charged of the payout, in hundredths of a percent. */
  readonly basisPoints?: bigint;
  /** What is charged instead, in cents. */
  readonly fixed?: bigint;
  readonly least?: bigint;
  readonly most?: bigint;
}

const platformPercent: Rule = { id: 'rule_platform_percent', name: 'Platform fee', basisPoints: 50n, least: 500n, most: 25_000n };
const payoutFixed: Rule = { id: 'rule_payout', name: 'Payout fee', fixed: 1200n };
const partnerPercent: Rule = { id: 'rule_partner_percent', name: 'Partner fee', basisPoints: 25n };
const bankFunding: Rule = { id: 'rule_bank_funding', name: 'Bank transfer', fixed: 350n };
const networkFunding = { id: 'rule_network', name: 'Network fee' };

const usd = (units: bigint): string => decimalText(units, 2);

/** Prices an order. All sums are exact: lines to subtotals, subtotals to `feesUsd`, and payout plus fees to the tokens' worth. */
export function priceOf(order: Order): Price {
  const rate = isKnownCurrency(order.paymentCurrencyCode) ? usdPerUnit[order.paymentCurrencyCode] : '1';
  const payout = productInCents(order.paymentAmount, rate);
  const { crypto, paymentSystemId } = order;
  const platform = charge([platformPercent, payoutFixed], payout, paymentSystemId);
  const partner = charge([partnerPercent], payout, null);
  const funding = charge([crypto === undefined ? bankFunding : { ...networkFunding, fixed: cents(crypto.networkFeeUsd) }], payout, null);
  const fees = platform.sum + partner.sum + funding.sum;
  const tokens = decimalText(quotientInMillionths(payout + fees, crypto?.priceUsdPerToken ?? '1'), 6);
  const common = { feesUsd: usd(fees), totalTarget: order.totalTarget, targetCurrencyCode: order.targetCurrencyCode };
  const totals: Totals = crypto === undefined
    ? { fundingType: 'BANK_ACCOUNT', ...common }
    : { fundingType: 'CRYPTO', ...common, effectivePriceUsdPerToken: crypto.priceUsdPerToken, quotedTokenAmount: tokens };
  const breakdown = {
    payout: { label: payoutLabel, amountUsd: usd(payout) },
    platformFees: { feeProfileId: 'fee_platform', feeProfileName: 'Standard', ...platform.fees },
    partnerFees: { feeProfileId: 'fee_partner', feeProfileName: 'Partner', ...partner.fees },
    funding: funding.fees,
    totals,
  };
  return { breakdown, tokens };
}

interface Charge {
  readonly sum: bigint;
  readonly fees: FundingFees;
}

function charge(rules: readonly Rule[], base: bigint, paymentSystemId: string | null): Charge {
  let sum = 0n;
  const lines = rules.map((rule) => {
    const { basisPoints, fixed = 0n, least, most } = rule;
    // Whole cents from here on, so that the texts add up as they stand.
    const raw = basisPoints === undefined ? fixed : (base * basisPoints + 5000n) / 10_000n;
    const final = least !== undefined && raw < least ? least : most !== undefined && raw > most ? most : raw;
    sum += final;
    return feeLine(rule, { base, raw, final }, paymentSystemId);
  });
  return { sum, fees: { subtotalUsd: usd(sum), lines } };
}

function feeLine({ id, name, basisPoints, fixed = 0n, least, most }: Rule, { base, raw, final }: { readonly base: bigint; readonly raw: bigint; readonly final: bigint }, paymentSystemId: string | null): FeeLine {
  return {
    feeRuleId: id,
    name,
    feeType: basisPoints === undefined ? 'FIXED' : 'PERCENT',
    feeValue: usd(basisPoints ?? fixed),
    baseAmountUsd: usd(base),
    rawAmountUsd: usd(raw),
    minAmountUsd: least === undefined ? null : usd(least),
    maxAmountUsd: most === undefined ? null : usd(most),
    finalAmountUsd: usd(final),
    paymentSystemId,
  };
}
