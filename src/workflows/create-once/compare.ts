import type { Issue } from '../../contract/issue.js';
import { withoutZeros, type ListedPayment } from '../../contract/schema/payments.js';
import type { MismatchedField, PaymentResult, PaymentCreateIntent } from '../../contract/intent.js';
import type { PreparedRequest } from '../../transport/request.js';

/**
 * How a row of the list relates to an intent. `unreadable`: it may be the intent's payment, but a field needed to
 * decide is missing.
 */
export type RowRelation = 'ours' | 'other' | 'unreadable';

// Besides the quote, the fields that identify the requested payment.
const identifying = ['amount', 'currencyCode', 'customerId', 'beneficiaryId'] as const;

/**
 * Returns the quote id of a payment: that of `paymentQuoteId`, which was sent, or else a nested one; the value of
 * `paymentQuoteId` if no field has a non-empty string.
 */
export function quoteOf({ paymentQuoteId, authorization, paymentQuote }: PaymentResult): unknown {
  return [paymentQuoteId, authorization?.quoteId, paymentQuote?.id].find(isNonEmptyString) ?? paymentQuoteId;
}

/** Returns the payment that a request creates, parsed from the bytes that are sent. */
export function paymentOf({ body }: PreparedRequest): PaymentCreateIntent['request'] {
  return JSON.parse(body as string) as PaymentCreateIntent['request'];
}

/** Compares a row of the list, which may be any value, with an intent. */
export function classifyRow(intent: PaymentCreateIntent, row: unknown): RowRelation {
  const payment = Object(row) as ListedPayment;
  const quote = quoteOf(payment);
  if (isNonEmptyString(quote)) {
    if (quote !== intent.request.paymentQuoteId) return 'other';
    return unreadableFields(payment).length === 0 ? 'ours' : 'unreadable';
  }
  // The payment was created without a quote. If a field that could contain the quote is missing, the other fields
  // decide.
  if (quote === null && (payment.authorization as { readonly quoteId?: unknown } | null | undefined)?.quoteId === null)
    return 'other';
  const contradicts = mismatches(intent, payment).some(
    (field) => field !== 'paymentQuoteId' && isPresent(payment[field]),
  );
  return contradicts ? 'other' : 'unreadable';
}

/** Returns the identifying fields that a payment, which may be any value, lacks. */
export function unreadableFields(value: unknown): Issue[] {
  const payment = Object(value) as PaymentResult;
  const fields = identifying.filter((field) => !isPresent(payment[field]));
  return [
    ...(isNonEmptyString(payment.id) ? [] : ['id']),
    ...(isNonEmptyString(quoteOf(payment)) ? [] : ['paymentQuoteId']),
    ...fields,
  ].map((path) => ({ path, message: 'is missing or has the wrong type' }));
}

/**
 * Returns the fields in which a payment differs from the request. A reference that differs in form only does not count.
 */
export function mismatches(
  { request }: Pick<PaymentCreateIntent, 'request'>,
  payment: PaymentResult,
): MismatchedField[] {
  return [
    ...(quoteOf(payment) === request.paymentQuoteId ? [] : ['paymentQuoteId' as const]),
    ...differingFields(request, payment),
    ...(isSameReference(payment, request.internalReference ?? '') ? [] : ['internalReference' as const]),
  ];
}

type IdentifyingField = (typeof identifying)[number];

/** Returns the identifying fields in which two payments differ; amounts are compared by value. */
export function differingFields(
  one: Readonly<Record<IdentifyingField, unknown>>,
  other: Readonly<Record<IdentifyingField, unknown>>,
): IdentifyingField[] {
  return identifying.filter((field) =>
    field === 'amount' ? normalizeAmount(one.amount) !== normalizeAmount(other.amount) : one[field] !== other[field],
  );
}

/**
 * Returns the fields in which the response to a creation differs in form only from the request: an amount or a reference
 * that is written differently, or a nested quote with another id.
 */
export function changedValues(request: PaymentCreateIntent['request'], payment: PaymentResult): string[] {
  const { amount, internalReference, paymentQuote } = payment;
  const values = {
    amount: [amount, request.amount],
    internalReference: [internalReference, request.internalReference ?? ''],
    'paymentQuote.id': [paymentQuote?.id, request.paymentQuoteId],
  };
  return Object.entries(values).flatMap(([path, [shown, sent]]) =>
    typeof shown === 'string' && shown !== sent ? [path] : [],
  );
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Checks whether a field of a payment has a value that can be compared. */
function isPresent(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/**
 * Normalizes an amount: "100", "100.00" and "0100" are equal, as are ".50" and "0.50". Linear time, because the
 * platform can send a string of any length.
 */
function normalizeAmount(amount: unknown): string {
  // The platform may send a number, which validation reports as drift. Conversion of another value can throw.
  const text = isPresent(amount) ? String(amount).trim() : '';
  if (!/^\d*(?:\.\d*)?$/.test(text)) return text;
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole.replace(/^0+/, '')}.${withoutZeros(fraction)}`;
}

// A platform may omit a reference, trim, normalize or truncate it, change its case, or generate one.
function isSameReference(payment: PaymentResult, requested: string): boolean {
  const shown: unknown = payment.internalReference ?? payment.authorization?.internalReference ?? '';
  return (
    requested === '' || typeof shown !== 'string' || normalizeReference(requested).startsWith(normalizeReference(shown))
  );
}

function normalizeReference(reference: string): string {
  return reference.normalize('NFC').toUpperCase().normalize('NFC').trim();
}
