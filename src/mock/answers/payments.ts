import type { PaymentCreate } from '../../contract/payments.js';
import type { PaymentQuote } from '../../contract/quotes.js';
import type { Answers, Call } from '../call.js';
import { exact, isDecimal } from '../decimal.js';
import { pageOf } from '../paging.js';
import { shownPayment } from '../records/payment-parts.js';
import { createPayment } from '../records/payments.js';
import { Refusal } from '../refusal.js';
import type { OrganizationState } from '../state.js';

function create({ organization, body, base }: Call<'payments.create'>) {
  requireParties(organization, body);
  const quote = requireQuote(organization, body);
  requireDocuments(organization, body);
  const stored = createPayment(organization, { internalReference: null, memo: null, invoiceNumber: null, ...body }, true);
  organization.agenda.created(stored.record.id, organization.platform.clock.now());
  const paymentQuote = organization.quotes.get(quote.id)?.record ?? quote;
  return { ...shownPayment(organization, stored, base), paymentQuote };
}

function refuse(code: string, message: string, status = 422): never {
  throw new Refusal(status, code, message);
}

function requireParties(organization: OrganizationState, { customerId, beneficiaryId }: PaymentCreate): void {
  const customer = organization.customers.get(customerId)?.record ?? refuse('customer_not_found', 'customerId names no customer of this organization');
  if (customer.status !== 'APPROVED') refuse('customer_not_approved', `the customer is ${customer.status}, only an APPROVED one can pay`);
  const beneficiary = organization.beneficiaries.get(beneficiaryId)?.record;
  if (beneficiary?.customerId !== customerId) refuse('beneficiary_not_found', 'beneficiaryId names no beneficiary of this customer');
  if (beneficiary.status !== 'APPROVED') refuse('beneficiary_not_approved', `the beneficiary is ${beneficiary.status}, only an APPROVED one can be paid`);
}

function requireQuote(organization: OrganizationState, payment: PaymentCreate): PaymentQuote {
  const stored = organization.quotes.get(payment.paymentQuoteId);
  if (stored?.customerId !== payment.customerId) refuse('quote_not_found', 'paymentQuoteId names no quote of this customer');
  const { record } = stored;
  const { options, clock } = organization.platform;
  // Used comes before expired: whoever sends a payment again learns that it was made, however late.
  if (options.quotes === 'single-use' && record.usedAt !== null) refuse('quote_used', `the quote was used at ${record.usedAt}`, 409);
  const late = clock.now() - Date.parse(record.expiresAt);
  if (late >= 0) refuse('quote_expired', `the quote expired ${Math.floor(late / 1000)} s ago on the mock's clock`);
  if (options.amounts === 'as-quoted' && !isAsQuoted(payment, record)) {
    refuse('quote_mismatch', `the quote is for ${record.paymentAmount} ${record.paymentCurrencyCode}, the payment is of ${payment.amount} ${payment.currencyCode}`);
  }
  return record;
}

function isAsQuoted({ amount, currencyCode }: PaymentCreate, { paymentAmount, paymentCurrencyCode }: PaymentQuote): boolean {
  const isSame = isDecimal(amount) && isDecimal(paymentAmount) ? exact(amount) === exact(paymentAmount) : amount === paymentAmount;
  return isSame && currencyCode === paymentCurrencyCode;
}

function requireDocuments(organization: OrganizationState, { customerId, documentIds }: PaymentCreate): void {
  const kinds = documentIds.map((id, index) => {
    const document = organization.documents.get(id);
    if (document?.customerId !== customerId) refuse('document_not_found', `documentIds[${index}] names no document of this customer`);
    return document.kind;
  });
  if (!kinds.includes('invoice')) refuse('invoice_required', 'one of the documents must be an invoice');
}

function list({ organization, query, base }: Call<'payments.list'>) {
  const { status, createdFrom, createdTo, limit, cursor } = query;
  // Assumed: A-14
  const from = createdFrom === undefined ? -Infinity : firstMillisecond(createdFrom);
  const to = createdTo === undefined ? Infinity : Date.parse(createdTo);
  return pageOf(
    {
      organization, list: 'payments', collection: organization.payments, limit, cursor,
      keep: ({ record }, { at }) => at >= from && at <= to && (status === undefined || record.status === status),
    },
    (stored) => ({ ...shownPayment(organization, stored, base), authorization: stored.authorization }),
  );
}

/** The first whole millisecond that is not before a timestamp, of which `Date.parse` cuts everything below. */
function firstMillisecond(timestamp: string): number {
  return Date.parse(timestamp) + (/\.\d{3}\d*[1-9]\d*Z$/.test(timestamp) ? 1 : 0);
}

/** The answers of the namespace `payments`. */
export const payments: Pick<Answers, 'payments.create' | 'payments.list'> = { 'payments.create': create, 'payments.list': list };
