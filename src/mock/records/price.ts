import { payoutLabel, type FeeGroup, type FeeLine, type PriceBreakdown, type Totals } from '../../contract/quotes.js';
import { decimalText, dividedBy, exact, rounded, sum, times, type Exact } from '../decimal.js';
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
  readonly percent?: string;
  readonly fixed?: string;
  readonly least?: string;
  readonly most?: string;
  readonly paymentSystemId?: string | null;
}

const usd = (value: Exact): string => decimalText(value, 2);

/** Prices an order. All sums are exact: lines to subtotals, subtotals to `feesUsd`, and payout plus fees to the tokens' worth. */
export function priceOf(order: Order): Price {
  const rate = isKnownCurrency(order.paymentCurrencyCode) ? usdPerUnit[order.paymentCurrencyCode] : '1';
  const payout = rounded(times(exact(order.paymentAmount), exact(rate)), 2);
  const line = (rule: Rule): FeeLine => feeLine(rule, payout);
  const platformFees = group('fee_platform', 'Standard', [
    line({ id: 'rule_platform_percent', name: 'Platform fee', percent: '0.5', least: '5.00', most: '250.00' }),
    line({ id: 'rule_payout', name: 'Payout fee', fixed: '12.00', paymentSystemId: order.paymentSystemId }),
  ]);
  const partnerFees = group('fee_partner', 'Partner', [line({ id: 'rule_partner_percent', name: 'Partner fee', percent: '0.25' })]);
  const funding = totalled([
    order.crypto === undefined
      ? line({ id: 'rule_bank_funding', name: 'Bank transfer', fixed: '3.50' })
      : line({ id: 'rule_network', name: 'Network fee', fixed: order.crypto.networkFeeUsd }),
  ]);
  const fees = sum([platformFees, partnerFees, funding].map(({ subtotalUsd }) => exact(subtotalUsd)));
  const price = exact(order.crypto?.priceUsdPerToken ?? '1');
  const tokens = decimalText(dividedBy(payout + fees, price, 6), 6);
  const common = { feesUsd: usd(fees), totalTarget: order.totalTarget, targetCurrencyCode: order.targetCurrencyCode };
  const totals: Totals = order.crypto === undefined
    ? { fundingType: 'BANK_ACCOUNT', ...common }
    : { fundingType: 'CRYPTO', ...common, effectivePriceUsdPerToken: order.crypto.priceUsdPerToken, quotedTokenAmount: tokens };
  return { breakdown: { payout: { label: payoutLabel, amountUsd: usd(payout) }, platformFees, partnerFees, funding, totals }, tokens };
}

function feeLine(rule: Rule, base: Exact): FeeLine {
  // Fees are whole cents, so that the texts add up as they stand.
  const raw = rule.percent === undefined ? rounded(exact(rule.fixed ?? '0'), 2) : rounded(times(base, exact(rule.percent)) / 100n, 2);
  const least = rule.least === undefined ? raw : exact(rule.least);
  const most = rule.most === undefined ? raw : exact(rule.most);
  const final = raw < least ? least : raw > most ? most : raw;
  return {
    feeRuleId: rule.id,
    name: rule.name,
    feeType: rule.percent === undefined ? 'FIXED' : 'PERCENT',
    feeValue: rule.percent ?? rule.fixed ?? '0',
    baseAmountUsd: usd(base),
    rawAmountUsd: usd(raw),
    minAmountUsd: rule.least ?? null,
    maxAmountUsd: rule.most ?? null,
    finalAmountUsd: usd(final),
    paymentSystemId: rule.paymentSystemId ?? null,
  };
}

function totalled(lines: readonly FeeLine[]): { subtotalUsd: string; lines: readonly FeeLine[] } {
  return { subtotalUsd: usd(sum(lines.map(({ finalAmountUsd }) => exact(finalAmountUsd)))), lines };
}

function group(feeProfileId: string, feeProfileName: string, lines: readonly FeeLine[]): FeeGroup {
  return { feeProfileId, feeProfileName, ...totalled(lines) };
}
