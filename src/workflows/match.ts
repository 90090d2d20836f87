import type { PaymentAuthorization } from '../contract/authorization.js';
import type { ListedPayment, Payment } from '../contract/payments.js';
import type { PaymentQuote } from '../contract/quotes.js';
import type { PaymentIntent } from './intent.js';

/** A payment as the platform showed it, with what it showed beside the common record. */
export interface ShownPayment extends Payment {
  /** The quote, where the creating call answered. */
  readonly paymentQuote?: PaymentQuote;
  /** What was authorized, where the list showed the payment. */
  readonly authorization?: PaymentAuthorization;
}

/** A field in which a payment differs from what was asked for. */
export type Difference = 'paymentQuoteId' | 'amount' | 'currencyCode' | 'customerId' | 'beneficiaryId' | 'internalReference';

/** Whether a payment was made against the quote of an intent. */
export function usesQuoteOf(intent: PaymentIntent, payment: ListedPayment): boolean {
  const { paymentQuoteId } = intent.request;
  return (payment.paymentQuoteId ?? payment.authorization?.quoteId) === paymentQuoteId;
}

/** In which fields a payment differs from what was asked for; compared on the record's own fields. */
export function differences(intent: PaymentIntent, payment: ShownPayment): Difference[] {
  const { request } = intent;
  const found: Difference[] = [];
  const quotes: readonly unknown[] = [payment.paymentQuoteId, payment.paymentQuote?.id];
  if (!quotes.every((quote) => (quote ?? request.paymentQuoteId) === request.paymentQuoteId)) found.push('paymentQuoteId');
  if (!sameAmount(payment.amount, request.amount)) found.push('amount');
  for (const field of ['currencyCode', 'customerId', 'beneficiaryId'] as const) if (payment[field] !== request[field]) found.push(field);
  if (!sameReference(payment, request.internalReference ?? null)) found.push('internalReference');
  return found;
}

// "100", "100.00" and "0100" are one amount.
function sameAmount(one: unknown, other: string): boolean {
  // Where validation merely observes, an amount may come as a number.
  const plain = (amount: unknown): string => String(amount).trim().replace(/^0+(?=\d)/, '').replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  return plain(one) === plain(other);
}

// A platform may trim a reference, or not show it: what it does not show is no difference.
function sameReference(payment: ShownPayment, asked: string | null): boolean {
  const shown = payment.internalReference ?? payment.authorization?.internalReference ?? null;
  return shown === null || shown.trim() === (asked ?? '').trim();
}
