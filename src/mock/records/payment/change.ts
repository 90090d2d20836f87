import { listedPayment } from '../../../contract/schema/payments.js';
import { MockPlatformError } from '../../error.js';
import { requireValid } from '../../require-valid.js';
import type { OrganizationState } from '../../store/organization.js';
import type { PaymentCore, StoredPayment } from '../../store/records.js';
import { omitUndefined, requireConforming, timestampNow } from '../builder.js';
import { requireAgreement } from './agreement.js';
import { namedRecords, paymentParts, type MockPaymentInput, type NamedRecords } from './input.js';
import {
  authorizationOf,
  freeQuote,
  fundingAfter,
  fundingOf,
  historyOf,
  markUsed,
  railOf,
  toWirePayment,
} from './parts.js';

const call = 'payments.update';

/** Returns a payment with other fields, and with those that follow from them unless the input sets them. */
export function changePayment(
  organization: OrganizationState,
  before: StoredPayment,
  input: MockPaymentInput,
): StoredPayment {
  const { customer, beneficiary, paymentQuote, authorization, documentIds, receiptUrl, ...given } = input;
  for (const [field, value] of Object.entries({ customer, beneficiary, paymentQuote }))
    if (value !== undefined)
      throw new MockPlatformError(
        `${call}: ${field} is another record. Call \`update\` of ${field === 'customer' ? 'customers' : field === 'beneficiary' ? 'beneficiaries' : 'quotes'} instead.`,
      );
  requireValid(call, paymentParts, input, 'the record');
  const fields = omitUndefined(given);
  const merged: PaymentCore = { ...before.record, updatedAt: timestampNow(organization), ...fields };
  const present =
    fields.customerId === undefined ? [] : before.documentIds.filter((id) => organization.documents.get(id));
  const named = namedRecords(organization, call, { ...merged, documentIds: documentIds ?? present });
  const record: PaymentCore = { ...merged, ...followingFields(organization, before.record, merged, named), ...fields };
  const stored: StoredPayment = {
    ...before,
    record,
    ...(record.status !== before.record.status && {
      history: [...historyOf(before), { status: record.status, at: record.updatedAt }],
    }),
    ...(documentIds !== undefined && { documentIds: [...documentIds] }),
    ...(receiptUrl !== undefined && { receiptUrl }),
  };
  requireConforming(call, listedPayment, {
    ...toWirePayment(organization, stored, organization.platform.baseUrl),
    authorization: { ...before.authorization, ...authorization },
  });
  if (['amount', 'currencyCode', 'beneficiaryId', 'paymentQuoteId'].some((field) => Object.hasOwn(fields, field)))
    requireAgreement(organization, call, record, named);
  if (record.paymentQuoteId !== before.record.paymentQuoteId) freeQuote(organization, before.record);
  if (named.quote !== undefined) markUsed(organization, named.quote, record.updatedAt);
  const follows = changedFields(authorizationNow(organization, before), authorizationNow(organization, stored));
  return { ...stored, authorization: { ...before.authorization, ...follows, ...omitUndefined(authorization ?? {}) } };
}

/** Returns the fields that follow from the changed ones. */
function followingFields(
  organization: OrganizationState,
  before: PaymentCore,
  { customerId, beneficiaryId, paymentQuoteId, status }: PaymentCore,
  { beneficiary, quote }: NamedRecords,
): Partial<PaymentCore> {
  const isFundedAnew = paymentQuoteId !== before.paymentQuoteId || customerId !== before.customerId;
  return {
    ...(status !== before.status && { sourceFunding: fundingAfter(before, status) }),
    ...(isFundedAnew && fundingOf(organization, customerId, quote, status)),
    ...(beneficiary !== undefined && beneficiaryId !== before.beneficiaryId && { rail: railOf(beneficiary) }),
  };
}

/** Returns the authorization that a payment would get now. */
function authorizationNow(organization: OrganizationState, { record, documentIds }: StoredPayment): object {
  const payee = organization.beneficiaries.get(record.beneficiaryId)?.record;
  const quote = organization.quotes.get(record.paymentQuoteId ?? '')?.record;
  return payee === undefined ? {} : authorizationOf(organization, record, payee, quote, documentIds);
}

/** Returns the fields of an object whose values are not those of another one. */
function changedFields(before: object, after: object): object {
  const earlier = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(earlier.get(field)),
    ),
  );
}
