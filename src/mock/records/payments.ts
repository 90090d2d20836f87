import type { PaymentAuthorization } from '../../contract/authorization.js';
import { listedPayment, type Payment, type PaymentBeneficiary, type PaymentCustomer, type PaymentStatus } from '../../contract/payments.js';
import type { PaymentQuote } from '../../contract/quotes.js';
import { checkedPace, type MockPace } from '../agenda.js';
import { MockPlatformError } from '../error.js';
import { purpose } from '../names.js';
import { everydayCurrencies } from '../places.js';
import type { OrganizationState } from '../state.js';
import type { PaymentCore, StoredPayment } from '../stored.js';
import { createBeneficiary, type MockBeneficiaryInput } from './beneficiaries.js';
import { createCustomer, type MockCustomerInput } from './customers.js';
import { createDocument } from './documents.js';
import { given, planMoves, recordsOf, refuseUnknown, requireChain, requireConforming, requireMove, requireObjects, secondsAfter, settled, timeOf, timestampNow, type MockRecords, type Partially } from './input.js';
import { authorizationOf, fundingOf, fundingStatus, railOf, shownPayment } from './payment-parts.js';
import { createQuote, type MockQuoteInput } from './quotes.js';

/** A payment with everything the platform knows of it. */
export interface MockPayment extends Payment {
  /** Its quote, as `payments.create` answers it; null where it has none. */
  readonly paymentQuote: PaymentQuote | null;
  /** What was authorized, as `payments.list` gives it. */
  readonly authorization: PaymentAuthorization;
  /** Its documents, which the wire does not show. */
  readonly documentIds: readonly string[];
  /** Whether a request created it, and not your test. */
  readonly requested: boolean;
}

/** What `payments.add` takes. */
export interface MockPaymentInput extends Partially<Omit<Payment, 'status' | 'customer' | 'beneficiary'>> {
  /** Where the payment stands. @default 'PENDING_REVIEW' */
  readonly status?: PaymentStatus | undefined;
  /** What the customer that is made for the payment has; not beside `customerId`, nor beside a record that is named and has its customer. */
  readonly customer?: MockCustomerInput & Partially<PaymentCustomer> | undefined;
  /** What the beneficiary that is made for the payment has; not beside `beneficiaryId`. */
  readonly beneficiary?: MockBeneficiaryInput & Partially<PaymentBeneficiary> | undefined;
  /** What the quote that is made for the payment has; not beside `paymentQuoteId`. */
  readonly paymentQuote?: MockQuoteInput | undefined;
  /** Fields of the authorization that are to differ from what follows from the payment. */
  readonly authorization?: PaymentAuthorization | undefined;
  /** The payment's documents, which are of its customer. @default an invoice that is made */
  readonly documentIds?: readonly string[] | undefined;
}

const call = 'payments.add';
const placeholder = { companyName: '', bankBic: '', status: 'APPROVED' } as const;

/** Makes a payment with everything it needs and is not given, and puts them into the state. */
export function createPayment(organization: OrganizationState, input: MockPaymentInput = {}, requested = false): StoredPayment {
  const { customer, beneficiary, paymentQuote, authorization, documentIds, receiptUrl, ...fields } = input;
  requireObjects(call, { customer, beneficiary, paymentQuote, authorization });
  if (documentIds !== undefined && !Array.isArray(documentIds)) throw new MockPlatformError(`${call}: documentIds must be a list of ids`);
  refuseBoth(input);
  const random = organization.random('payments', organization.payments.next);
  const named = namedRecords(organization, input);
  const createdAt = fields.createdAt ?? timestampNow(organization);
  const status = fields.status ?? createdStatus;
  const core = {
    id: `pay_${random.letters(16)}`,
    customerId: named.customerId ?? '',
    beneficiaryId: '',
    amount: named.quote?.paymentAmount ?? `${random.whole(120, 48_000)}.${random.digits(2)}`,
    currencyCode: named.quote?.paymentCurrencyCode ?? named.currencyCode ?? random.pick(everydayCurrencies),
    internalReference: `REF-${random.digits(6)}`,
    invoiceNumber: `INV-${random.digits(6)}`,
    purposeOfPayment: purpose(random),
    memo: null,
    paymentToken: null,
    paymentNetwork: null,
    paymentQuoteId: null,
    status,
    createdAt,
    updatedAt: createdAt,
    sourceFunding: null,
    rail: null,
    ...given(fields),
  };
  const { bankBic, ...customerPlaceholder } = placeholder;
  requireConforming(call, listedPayment, { ...core, receiptUrl: receiptUrl ?? null, customer: customerPlaceholder, beneficiary: { ...placeholder, bankBic }, authorization: authorization ?? {} });
  const at = timeOf(call, core.createdAt);

  const customerId = named.customerId ?? createCustomer(organization, { createdAt: core.createdAt, ...withoutOrganization(customer) }).record.id;
  const payee = named.beneficiary ?? createBeneficiary(organization, { createdAt: core.createdAt, currencyCode: core.currencyCode, ...given(beneficiary ?? {}), customerId }).record;
  const quote = input.paymentQuoteId === null ? undefined : named.quote ?? quoteFor(organization, customerId, core, paymentQuote);
  const documents = documentIds ?? [createDocument(organization, { customerId, createdAt: core.createdAt }).id];
  const funding = fields.sourceFunding === undefined ? fundingOf(organization, customerId, quote, status) : fields.sourceFunding;
  const record: PaymentCore = {
    ...core,
    customerId,
    beneficiaryId: payee.id,
    paymentToken: fields.paymentToken === undefined && quote?.fundingType === 'CRYPTO' ? quote.paymentToken : core.paymentToken,
    paymentNetwork: fields.paymentNetwork === undefined && quote?.fundingType === 'CRYPTO' ? quote.paymentNetwork : core.paymentNetwork,
    paymentQuoteId: quote?.id ?? null,
    sourceFunding: funding,
    rail: fields.rail === undefined ? railOf(payee.currencyCode) : fields.rail,
  };
  const stored: StoredPayment = {
    record,
    authorization: { ...authorizationOf(organization, record, payee, quote, documents), ...given(authorization ?? {}) },
    documentIds: [...documents],
    requested,
    ...(receiptUrl !== undefined && { receiptUrl }),
  };
  organization.payments.insert(record.id, at, stored);
  if (quote !== undefined && quote.usedAt === null) useQuote(organization, quote.id, core.createdAt);
  return stored;
}

function refuseBoth(input: MockPaymentInput): void {
  for (const [made, named] of [['customer', 'customerId'], ['beneficiary', 'beneficiaryId'], ['paymentQuote', 'paymentQuoteId']] as const) {
    if (input[made] !== undefined && input[named] !== undefined) {
      throw new MockPlatformError(`${call}: ${made} says what is made for the payment, ${named} names what is there; give one of the two`);
    }
  }
  const owned = (['beneficiaryId', 'paymentQuoteId', 'documentIds'] as const).find((field) => input[field] !== undefined && input[field] !== null && input[field].length > 0);
  if (input.customer !== undefined && owned !== undefined) throw new MockPlatformError(`${call}: customer says what is made for the payment, but ${owned} names what has its customer; leave customer out`);
  for (const made of ['beneficiary', 'paymentQuote'] as const) {
    const owner = input[made]?.customerId;
    if (owner !== undefined && owner !== input.customerId) throw new MockPlatformError(`${call}: ${made}.customerId is always the payment's; give customerId`);
  }
}

/** The records the input names, which must be there and belong together. */
function namedRecords(organization: OrganizationState, { customerId, beneficiaryId, paymentQuoteId, documentIds = [] }: MockPaymentInput) {
  const beneficiary = beneficiaryId === undefined ? undefined : (organization.beneficiaries.get(beneficiaryId)?.record ?? refuseUnknown(call, 'beneficiaryId', beneficiaryId));
  const quote = typeof paymentQuoteId !== 'string' ? undefined : (organization.quotes.get(paymentQuoteId) ?? refuseUnknown(call, 'paymentQuoteId', paymentQuoteId));
  const documents = documentIds.map((id, index) => organization.documents.get(id) ?? refuseUnknown(call, `documentIds[${index}]`, id));
  const owner = customerId ?? beneficiary?.customerId ?? quote?.customerId ?? documents[0]?.customerId;
  if (owner !== undefined && organization.customers.get(owner) === undefined) refuseUnknown(call, 'customerId', owner);
  for (const [field, other] of [['beneficiaryId', beneficiary], ['paymentQuoteId', quote]] as const) {
    if (other !== undefined && other.customerId !== owner) throw new MockPlatformError(`${call}: ${field} belongs to another customer`);
  }
  for (const [index, document] of documents.entries()) {
    if (document.customerId !== owner) throw new MockPlatformError(`${call}: documentIds[${index}] belongs to another customer`);
  }
  return { customerId: owner, beneficiary, quote: quote?.record, currencyCode: beneficiary?.currencyCode };
}

function withoutOrganization(customer: (MockCustomerInput & Partially<PaymentCustomer>) | undefined): MockCustomerInput {
  const { orgId, ...rest } = customer ?? {};
  if (orgId !== undefined) throw new MockPlatformError(`${call}: customer.orgId is always this organization's id`);
  return given(rest);
}

function quoteFor(organization: OrganizationState, customerId: string, payment: { readonly amount: string; readonly currencyCode: string; readonly createdAt: string }, input: MockQuoteInput = {}): PaymentQuote {
  const { amount: paymentAmount, currencyCode: paymentCurrencyCode, createdAt } = payment;
  const expiresAt = secondsAfter(createdAt, organization.platform.options.quoteLifetime);
  return createQuote(organization, { paymentAmount, paymentCurrencyCode, createdAt, expiresAt, ...given(input), customerId }).record;
}

/** Marks a quote as used. */
function useQuote(organization: OrganizationState, quoteId: string, at: string): void {
  organization.quotes.update(quoteId, (stored) => ({ ...stored, record: { ...stored.record, usedAt: at } }));
}

/** Moves a payment. */
export function transitionPayment(organization: OrganizationState, id: string, status: PaymentStatus): StoredPayment {
  const before = organization.payments.get(id) ?? refuseUnknown('payments.transition', 'id', id);
  requireMove('payments.transition', organization.platform.options.transitions.payments, before.record.status, status);
  const funding = before.record.sourceFunding;
  const sourceFunding = funding?.type === 'CRYPTO' && funding.fundingStatus === 'PENDING' ? { ...funding, fundingStatus: fundingStatus(status) } : funding;
  const moved: StoredPayment = { ...before, record: { ...before.record, status, sourceFunding, updatedAt: timestampNow(organization) } };
  organization.payments.update(id, () => moved);
  return moved;
}

/** A payment with everything the platform knows of it. */
function shown(organization: OrganizationState, stored: StoredPayment): MockPayment {
  const { paymentQuoteId } = stored.record;
  return {
    ...shownPayment(organization, stored, organization.platform.options.baseUrl),
    paymentQuote: paymentQuoteId === null ? null : (organization.quotes.get(paymentQuoteId)?.record ?? null),
    authorization: stored.authorization,
    documentIds: stored.documentIds,
    requested: stored.requested,
  };
}

/**
 * The payments of an organization. What a payment needs and is not given is made with it: customer, beneficiary, quote, invoice.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const payment = platform.payments.add({ amount: '1250.00', currencyCode: 'MXN' });
 * platform.payments.transition(payment.id, 'APPROVED');
 * platform.payments.addMany(250, (index) => ({ status: index % 2 === 0 ? 'COMPLETED' : 'PROCESSING' }));
 * ```
 */
export interface MockPayments extends MockRecords<MockPayment, MockPaymentInput> {
  /** Moves a payment to a status. Throws `MockPlatformError` where the table does not allow that. */
  transition(id: string, status: PaymentStatus): MockPayment;
  /**
   * Lets a payment move by itself, one status after another, as the mock's clock passes or as the payment is listed. A new plan
   * replaces the one before; no statuses end it, and so does a `transition` from which it does not lead on. Throws
   * `MockPlatformError` where the table does not allow a step.
   */
  plan(id: string, statuses: readonly PaymentStatus[], pace: MockPace): void;
  /** Lets every payment that `payments.create` makes from now on move by itself; no statuses end that. Throws as `plan`. */
  planCreated(statuses: readonly PaymentStatus[], pace: MockPace): void;
}

const createdStatus = 'PENDING_REVIEW'; // Assumed: A-10

function planCreated(organization: OrganizationState, statuses: readonly PaymentStatus[], pace: MockPace): void {
  requireChain('payments.planCreated', organization.platform.options.transitions.payments, [createdStatus, ...statuses]);
  organization.agenda.planCreated(statuses, checkedPace('payments.planCreated', pace));
}

/** The payments of an organization. */
export function paymentRecords(organization: OrganizationState): MockPayments {
  return {
    ...recordsOf(organization, { call, create: createPayment, collection: ({ payments }) => payments, show: shown }),
    transition: (id, status) => shown(organization, transitionPayment(settled(organization), id, status)),
    plan: (id, steps, pace) => {
      const { record } = settled(organization).payments.get(id) ?? refuseUnknown('payments.plan', 'id', id);
      planMoves(organization, 'payments', { id, from: record.status, steps, pace });
    },
    planCreated: (statuses, pace) => planCreated(organization, statuses, pace),
  };
}
