import type { PaymentCreate } from '../../contract/payments.js';
import type { PaymentQuote } from '../../contract/quotes.js';
import type { AnswersOf, Call } from '../call.js';
import { exact, isDecimal } from '../decimal.js';
import { pageOf } from '../paging.js';
import { shownPayment } from '../records/payment-parts.js';
import { createPayment } from '../records/payments.js';
import { Refusal } from '../refusal.js';
import type { OrganizationState } from '../state.js';
import type { StoredPayment } from '../stored.js';

function create({ organization, body, base }: Call<'payments.create'>) {
  const earlier = repeatedPayment(organization, body);
  if (earlier !== undefined) return answerOf(organization, earlier, base);
  requireParties(organization, body);
  requireQuote(organization, body);
  requireDocuments(organization, body);
  const stored = createPayment(organization, { internalReference: null, memo: null, invoiceNumber: null, ...body }, true);
  organization.agenda.created(stored.record.id, organization.platform.clock.now());
  const { listLag } = organization.platform.options;
  if (listLag !== undefined && 'reads' in listLag) organization.payments.update(stored.record.id, (payment) => ({ ...payment, unlistedReads: listLag.reads }));
  return answerOf(organization, stored, base);
}

function answerOf(organization: OrganizationState, stored: StoredPayment, base: string) {
  const paymentQuote = organization.quotes.get(stored.record.paymentQuoteId ?? '')?.record;
  // Whatever was created by a request has its quote; there is no way to take quotes away.
  return { ...shownPayment(organization, stored, base), paymentQuote: paymentQuote as PaymentQuote };
}

/** The payment that a create is sent again for, where creates are idempotent; none of the rules is asked again. */
function repeatedPayment(organization: OrganizationState, body: PaymentCreate): StoredPayment | undefined {
  const { idempotency } = organization.platform.options;
  if (idempotency === 'none') return undefined;
  const field = idempotency === 'by-quote' ? 'paymentQuoteId' : 'internalReference';
  const key = body[field];
  const earlier = typeof key === 'string' ? organization.payments.values().find(({ record, requested }) => requested && record[field] === key) : undefined;
  if (earlier === undefined) return undefined;
  const differs = (['customerId', 'beneficiaryId', 'amount', 'currencyCode', 'paymentQuoteId', 'internalReference'] as const).find((name) => (body[name] ?? null) !== earlier.record[name]);
  return differs === undefined ? earlier : refuse('repeated_otherwise', `${field} is that of another payment, which has another ${differs}`, 409);
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

function requireQuote(organization: OrganizationState, payment: PaymentCreate): void {
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
  const isListed = listedAt(organization);
  const page = pageOf(
    {
      organization, list: 'payments', collection: organization.payments, limit, cursor,
      keep: (stored, { at }) => isListed(stored, at) && at >= from && at <= to && (status === undefined || stored.record.status === status),
    },
    (stored) => ({ ...shownPayment(organization, stored, base), authorization: stored.authorization }),
  );
  countRead(organization);
  return page;
}

/** Which payments the list has by now: those of requests may come late. */
function listedAt({ platform }: OrganizationState): (stored: StoredPayment, at: number) => boolean {
  const { listLag } = platform.options;
  if (listLag === undefined) return () => true;
  if ('reads' in listLag) return ({ unlistedReads = 0 }) => unlistedReads === 0;
  const latest = platform.clock.now() - listLag.span;
  return ({ requested }, at) => !requested || at <= latest;
}

function countRead({ payments, platform }: OrganizationState): void {
  const { listLag } = platform.options;
  if (listLag === undefined || !('reads' in listLag)) return;
  for (const { record, unlistedReads = 0 } of payments.values()) {
    if (unlistedReads > 0) payments.update(record.id, (stored) => ({ ...stored, unlistedReads: unlistedReads - 1 }));
  }
}

/** The first whole millisecond that is not before a timestamp, of which `Date.parse` cuts everything below. */
function firstMillisecond(timestamp: string): number {
  return Date.parse(timestamp) + (/\.\d{3}\d*[1-9]\d*Z$/.test(timestamp) ? 1 : 0);
}

/** The answers of the namespace `payments`. */
export const payments: AnswersOf<'payments'> = { 'payments.create': create, 'payments.list': list };
