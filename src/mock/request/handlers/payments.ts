import { endpoints } from '../../../contract/endpoints.js';
import type { Beneficiary } from '../../../contract/schema/beneficiaries.js';
import type { PaymentCreateRequest } from '../../../contract/schema/payments.js';
import type { PaymentQuote } from '../../../contract/schema/quotes.js';
import type { HandlersFor, HandlerContext } from './handler.js';
import { fieldsOf } from '../../records/builder.js';
import { paginate } from '../../state/paginate.js';
import { disagreementOf, toWirePayment, isHeld, createRequestedPayment } from '../../records/payments.js';
import { quoteOf } from '../../records/quotes.js';
import { reject } from '../../wire/http-error.js';
import type { OrganizationState } from '../../state/platform-state.js';
import type { StoredPayment } from '../../state/record-kinds.js';

function create({ organization, body, base }: HandlerContext<'payments.create'>) {
  const earlier = findRepeatedPayment(organization, body);
  if (earlier !== undefined) return createdPaymentView(organization, earlier, base);
  const payee = requireParties(organization, body);
  const quote = requireQuote(organization, body);
  const mismatch = disagreementOf(organization, body, quote, payee);
  if (mismatch?.of === 'quote') reject('quote_mismatch', mismatch.message);
  if (mismatch?.of === 'account') reject('account_mismatch', mismatch.message);
  requireDocuments(organization, body);
  const stored = createRequestedPayment(organization, body, payee, quote);
  organization.schedule.created(stored.record.id, organization.clock.now());
  organization.reviewSchedule('payments', stored.record.id);
  return createdPaymentView(organization, stored, base);
}

function createdPaymentView(organization: OrganizationState, stored: StoredPayment, base: string) {
  // A payment that a request created has a quote, and quotes cannot be deleted.
  const quote = organization.quotes.get(stored.record.paymentQuoteId ?? '');
  return { ...toWirePayment(organization, stored, base), paymentQuote: (quote && quoteOf(quote)) as PaymentQuote };
}

/**
 * Returns the payment that an earlier request with the same key created, if creates are idempotent. Its rules are not
 * checked again.
 */
function findRepeatedPayment(organization: OrganizationState, body: PaymentCreateRequest): StoredPayment | undefined {
  const { idempotency } = organization.options;
  if (idempotency === 'none') return undefined;
  const field = idempotency === 'by-quote' ? 'paymentQuoteId' : 'internalReference';
  const key = body[field];
  const earlier =
    typeof key === 'string'
      ? organization.payments.values().find(({ record, requested }) => requested && record[field] === key)
      : undefined;
  if (earlier === undefined) return undefined;
  const before: Readonly<Record<string, unknown>> = { ...earlier.record, documentIds: earlier.documentIds };
  const fields = Object.keys(fieldsOf(endpoints['payments.create'].body(organization.options.dialect)));
  const differs = (fields as (keyof PaymentCreateRequest)[]).find(
    (name) => JSON.stringify(body[name] ?? null) !== JSON.stringify(before[name]),
  );
  return differs === undefined
    ? earlier
    : reject(
        'idempotency_mismatch',
        `${field} belongs to an earlier payment with a ` +
          `different ${differs}; send the same payment, or another ${field}`,
      );
}

/** Returns the beneficiary. */
function requireParties(
  organization: OrganizationState,
  { customerId, beneficiaryId }: PaymentCreateRequest,
): Beneficiary {
  const { parties, paymentHold } = organization.options;
  const customer =
    organization.customers.get(customerId)?.record ??
    reject('customer_not_found', `customerId ${customerId} does not exist in this organization`);
  if (parties === 'approved' && customer.status !== 'APPROVED')
    reject('customer_not_approved', `the customer must be APPROVED (it is ${customer.status})`);
  const beneficiary = organization.beneficiaries.get(beneficiaryId)?.record;
  if (beneficiary === undefined || !isUsable(organization, beneficiary.customerId, customerId))
    return reject('beneficiary_not_found', `beneficiaryId ${beneficiaryId} does not exist for this customer`);
  if (parties === 'approved' && beneficiary.status !== 'APPROVED')
    reject('beneficiary_not_approved', `the beneficiary must be APPROVED (it is ${beneficiary.status})`);
  if (paymentHold === 'reject' && isHeld(organization, customerId))
    reject('payment_held', 'a person of the customer has open screening matches that hold payments');
  return beneficiary;
}

/** Returns whether a payment of a customer may use a record of an owner. */
function isUsable({ options }: OrganizationState, owner: string, customerId: string): boolean {
  return owner === customerId || options.ownership === 'organization';
}

function requireQuote(organization: OrganizationState, payment: PaymentCreateRequest): PaymentQuote {
  const stored = organization.quotes.get(payment.paymentQuoteId);
  if (stored === undefined || !isUsable(organization, stored.customerId, payment.customerId))
    return reject('quote_not_found', `paymentQuoteId ${payment.paymentQuoteId} does not exist for this customer`);
  const record = quoteOf(stored);
  const { options, clock } = organization;
  // Checked before the expiry: a client that resends a payment late must learn that it was created.
  if (options.quotes === 'single-use' && record.usedAt !== null)
    reject('quote_used', `the quote was used at ${record.usedAt}`);
  const overdue = clock.now() - Date.parse(record.expiresAt);
  if (overdue >= 0)
    reject('quote_expired', `the quote expired ${Math.floor(overdue / 1000)} s ago on the mock's clock`);
  return record;
}

function requireDocuments(organization: OrganizationState, { customerId, documentIds }: PaymentCreateRequest): void {
  const kinds = documentIds.map((id, index) => {
    const document = organization.documents.get(id);
    if (document === undefined || !isUsable(organization, document.customerId, customerId))
      reject('document_not_found', `documentIds[${index}] ${id} does not exist for this customer`);
    return document.kind;
  });
  if (!kinds.includes('invoice')) reject('invoice_required', 'one of the documents must be an invoice');
}

function list({ organization, query, base }: HandlerContext<'payments.list'>) {
  const { status, createdFrom, createdTo } = query;
  // Assumed: A-14
  const from = createdFrom === undefined ? -Infinity : firstMillisecond(createdFrom);
  const to = createdTo === undefined ? Infinity : Date.parse(createdTo);
  // Payments that requests created may appear late.
  const { listLag = -Infinity } = organization.options;
  const latest = organization.clock.now() - listLag;
  return paginate(
    {
      organization,
      list: 'payments',
      collection: organization.payments,
      query,
      keep: ({ record, requested }, { at }) =>
        (!requested || at <= latest) && at >= from && at <= to && (status === undefined || record.status === status),
    },
    (stored) => ({ ...toWirePayment(organization, stored, base), authorization: stored.authorization }),
  );
}

/** Rounds a timestamp up to milliseconds: `Date.parse` truncates. */
function firstMillisecond(timestamp: string): number {
  return Date.parse(timestamp) + (/\.\d{3}0*[1-9]\d*Z$/.test(timestamp) ? 1 : 0);
}

/** The handlers of the namespace `payments`. */
export const payments: HandlersFor<'payments'> = { 'payments.create': create, 'payments.list': list };
