import type { Beneficiary } from '../../../contract/schema/beneficiaries.js';
import { listedPayment, type PaymentCreateParams } from '../../../contract/schema/payments.js';
import type { PaymentQuote } from '../../../contract/schema/quotes.js';
import { purpose } from '../../data/names.js';
import { requireValid } from '../../require-valid.js';
import type { OrganizationState } from '../../store/organization.js';
import type { PaymentCore, StoredPayment } from '../../store/records.js';
import { omitUndefined, requireConforming, requireTime, timestampNow } from '../builder.js';
import { namedRecords, orderOf, paymentParts, type MockPaymentInput } from './input.js';
import { createPaymentParts } from './needs.js';
import { authorizationOf, fundingOf, markUsed, railOf } from './parts.js';

/** Creates and stores the payment of a request, whose fields and records the handler has validated. */
export function createRequestedPayment(
  organization: OrganizationState,
  { documentIds, ...body }: PaymentCreateParams,
  payee: Beneficiary,
  quote: PaymentQuote,
): StoredPayment {
  const createdAt = timestampNow(organization);
  const fields = {
    id: `pay_${randomOf(organization).alphanumeric(16)}`,
    customerId: body.customerId,
    beneficiaryId: body.beneficiaryId,
    amount: body.amount,
    currencyCode: body.currencyCode,
    internalReference: body.internalReference ?? null,
    invoiceNumber: body.invoiceNumber ?? null,
    purposeOfPayment: body.purposeOfPayment,
    memo: body.memo ?? null,
    ...derivedFields,
    status: organization.platform.options.createdStatus,
    createdAt,
    updatedAt: createdAt,
  };
  return storePayment(organization, fields, {}, { payee, quote, documentIds }, { requested: true });
}

const call = 'payments.add';

/** The fields that follow from the records of a payment. */
const derivedFields = {
  paymentToken: null,
  paymentNetwork: null,
  paymentQuoteId: null,
  sourceFunding: null,
  rail: null,
} satisfies Partial<PaymentCore>;

const placeholder = { companyName: '', status: 'APPROVED' } as const;

/** Creates and stores a payment of a test, and the records it needs that the input does not name. */
export function createPayment(organization: OrganizationState, input: MockPaymentInput = {}): StoredPayment {
  const { customer, beneficiary, paymentQuote, authorization, documentIds, receiptUrl, ...fields } = input;
  requireValid(call, paymentParts, { customer, beneficiary, paymentQuote, authorization, documentIds }, 'the record');
  const random = randomOf(organization);
  const named = namedRecords(organization, call, input);
  const createdAt = fields.createdAt ?? timestampNow(organization);
  const core = {
    id: `pay_${random.alphanumeric(16)}`,
    customerId: named.customerId ?? '',
    beneficiaryId: '',
    ...orderOf(random, input, named),
    internalReference: `REF-${random.digits(6)}`,
    invoiceNumber: `INV-${random.digits(6)}`,
    purposeOfPayment: purpose(random),
    memo: null,
    ...derivedFields,
    status: 'PENDING_REVIEW',
    createdAt,
    updatedAt: createdAt,
    ...omitUndefined(fields),
  };
  requireConforming(call, listedPayment, {
    ...core,
    receiptUrl: receiptUrl ?? null,
    customer: placeholder,
    beneficiary: { ...placeholder, bankBic: '' },
    authorization: authorization ?? {},
  });
  requireTime(call, core.createdAt);
  const { customerId, payee, quote, documents } = createPaymentParts(
    organization,
    { call, isPast: true },
    input,
    named,
    core,
  );
  return storePayment(
    organization,
    { ...core, customerId },
    omitUndefined(fields),
    { payee, quote, documentIds: [...documents] },
    { requested: false, authorization, receiptUrl },
  );
}

const randomOf = (organization: OrganizationState) => organization.random('payments', organization.payments.next);

/** Stores a payment with the fields that follow from its records, unless they are given. */
function storePayment(
  organization: OrganizationState,
  core: PaymentCore,
  given: Partial<PaymentCore>,
  records: {
    readonly payee: Beneficiary;
    readonly quote: PaymentQuote | undefined;
    readonly documentIds: readonly string[];
  },
  {
    requested,
    authorization = {},
    receiptUrl,
  }: Pick<StoredPayment, 'requested'> & Pick<MockPaymentInput, 'authorization' | 'receiptUrl'>,
): StoredPayment {
  const { payee, quote, documentIds } = records;
  const record: PaymentCore = {
    ...core,
    ...fundingOf(organization, core.customerId, quote, core.status),
    rail: railOf(payee),
    ...given,
    beneficiaryId: payee.id,
    paymentQuoteId: quote?.id ?? null,
  };
  const stored: StoredPayment = {
    record,
    authorization: {
      ...authorizationOf(organization, record, payee, quote, documentIds),
      ...omitUndefined(authorization),
    },
    documentIds,
    requested,
    ...(receiptUrl !== undefined && { receiptUrl }),
  };
  organization.payments.insert(record.id, Date.parse(record.createdAt), stored);
  if (quote !== undefined) markUsed(organization, quote, record.createdAt);
  return stored;
}
