import type { Beneficiary } from '../../../contract/schema/beneficiaries.js';
import type { PaymentQuote } from '../../../contract/schema/quotes.js';
import { isSameAmount } from '../../data/decimal.js';
import { MockPlatformError } from '../../error.js';
import type { OrganizationState } from '../../store/organization.js';
import type { Order } from './input.js';

/** Describes how a payment differs from its quote; undefined if it does not. Assumed: A-28. */
export function quoteMismatch(
  { amount, currencyCode }: Order,
  { paymentAmount, paymentCurrencyCode }: PaymentQuote,
): string | undefined {
  if (isSameAmount(amount, paymentAmount) && currencyCode === paymentCurrencyCode) return undefined;
  return `the payment must be for ${paymentAmount} ${paymentCurrencyCode}, as quoted (received ${amount} ${currencyCode})`;
}

/** Describes how a payment differs from the beneficiary's account; undefined if it does not. Assumed: A-28. */
export function accountMismatch(
  { currencyCode }: Order,
  { currencyCode: accountCurrency }: Beneficiary,
): string | undefined {
  if (currencyCode === accountCurrency) return undefined;
  return `the payment must be in ${accountCurrency}, the currency of the beneficiary's account (received ${currencyCode})`;
}

/** Throws `MockPlatformError` if a payment of a test differs from its quote or account and amounts are not `free`. */
export function requireAgreement(
  { platform }: OrganizationState,
  call: string,
  order: Order,
  { beneficiary, quote }: { readonly beneficiary: Beneficiary | undefined; readonly quote: PaymentQuote | undefined },
): void {
  if (platform.options.amounts === 'free') return;
  const mismatch = (quote && quoteMismatch(order, quote)) ?? (beneficiary && accountMismatch(order, beneficiary));
  if (mismatch !== undefined)
    throw new MockPlatformError(
      `${call}: ${mismatch}. Use a quote and a beneficiary of the same amount and currency, or create the platform with \`amounts: 'free'\`.`,
    );
}
