import * as z from 'zod/mini';
import {
  authorizationDestination,
  type AuthorizationDestination,
  type PaymentAuthorization,
} from '../../contract/schema/authorization.js';
import {
  type Payment,
  type PaymentCreateRequest,
  paymentStatuses,
  type PaymentStatus,
  listedPayment,
  type BankAccountFunding,
  type PaymentRail,
} from '../../contract/schema/payments.js';
import { enumOf, string, memoize, type UnknownValue } from '../../contract/schema/schema.js';
import type { PaymentQuote } from '../../contract/schema/quotes.js';
import { formatTime } from '../state/clock.js';
import { intervalOf, type TransitionTrigger } from '../state/schedule.js';
import { MockPlatformError } from '../base/mock-error.js';
import { addUnknownValues, type Unmarked } from '../base/unknown-values.js';
import { copyOf, deepFreeze, omitUndefined } from '../base/freeze.js';
import type { Collection } from '../state/collection.js';
import { type OrganizationState, freeQuote, markUsed } from '../state/platform-state.js';
import type { StatusChange, StoredPayment, PaymentCore } from '../state/record-kinds.js';
import {
  assertTransitions,
  statusRecordsOf,
  timestampNow,
  unknownRecord,
  type MockRecords,
  type MockTransitions,
  type RecordKind,
  type PartialInput,
  requireConforming,
  requireRules,
  addOrRollBack,
  fieldsOf,
  inputOf,
  time,
} from './builder.js';
import type { Beneficiary } from '../../contract/schema/beneficiaries.js';
import { plausibleAmount, addFees, isSameAmount } from '../data/amounts.js';
import { commonCurrencies, countryProfileIn, countryProfileOf, isTokenCurrency } from '../data/countries.js';
import { type Random, fingerprint } from '../data/random.js';
import { beneficiaryInput, currencyOfInput, type MockBeneficiaryInput, createBeneficiary } from './beneficiaries.js';
import { customerInput, type MockCustomerInput, createCustomer } from './customers.js';
import { type MockQuoteInput, createQuote, quoteInput, quoteOf } from './quotes.js';
import { purpose } from '../data/names.js';
import { signedUrl } from './downloads.js';
import { isQuoteNetwork, isQuoteToken } from '../data/crypto-catalog.js';
import { createDocument } from './documents.js';
import { endpoints } from '../../contract/endpoints.js';

/** A payment with all of its data on the platform. */
export interface MockPayment extends Payment {
  /** The quote, as `payments.create` returns it; null if the payment has no quote. */
  readonly paymentQuote: PaymentQuote | null;
  /** The authorization, as `payments.list` returns it. */
  readonly authorization: PaymentAuthorization;
  /** The ids of its documents, which responses do not contain. */
  readonly documentIds: readonly string[];
  /** Whether a request created the payment, rather than the test. */
  readonly requested: boolean;
}

/** Returns the public view of a payment. */
function toView(organization: OrganizationState, stored: StoredPayment): MockPayment {
  const quote = organization.quotes.get(stored.record.paymentQuoteId ?? '');
  const { authorization, documentIds, requested } = stored;
  const paymentQuote = quote === undefined ? null : quoteOf(quote);
  const payment = toWirePayment(organization, stored, organization.platform.baseUrl);
  return Object.assign(payment, { paymentQuote, authorization, documentIds, requested });
}

/**
 * The payments of an organization. `add` also creates the customer, beneficiary, quote and invoice, unless the input
 * names them.
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
export interface MockPayments
  extends MockRecords<MockPayment, MockPaymentInput>, MockTransitions<MockPayment, PaymentStatus> {
  /**
   * Adds what a payment needs (a customer, a beneficiary, a quote and an invoice, all of them valid) and returns the
   * parameters of `payments.create`. Fields that you omit are generated; records that you name by id are used. Throws
   * `MockPlatformError` if a field is unknown or invalid; then nothing is added.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * const corridor = new Corridor(platform.clientOptions());
   * const params = platform.payments.createParams({ amount: '1250.00', currencyCode: 'MXN' });
   * await corridor.payments.create(params);
   * ```
   */
  createParams(input?: MockPaymentParamsInput): PaymentCreateRequest;
  /** Returns the statuses that a payment had, oldest first. Throws `MockPlatformError` if the id does not exist. */
  history(id: string): StatusChange[];
  /**
   * Schedules status transitions of every payment that requests create from now on; an empty array cancels this. Throws
   * as `scheduleTransitions` does.
   */
  scheduleTransitionsOnCreate(statuses: readonly (PaymentStatus | UnknownValue)[], trigger: TransitionTrigger): void;
}

/** How payments are created, changed and removed. */
export const paymentKind: RecordKind<'payments', MockPayment, MockPaymentInput> = {
  name: 'payments',
  input: () => paymentInput(),
  create: createPayment,
  toView,
  change: changePayment,
  requireMovable: (organization, { record }, status) => {
    if (waitsForReview(organization, record.customerId, status))
      throw new MockPlatformError(
        'payments.transition: a person of the customer has a payment hold, so the payment ' +
          'cannot become APPROVED. Clear the open matches with persons.clearMatch.',
      );
  },
  release: (organization, id) => {
    const stored = organization.payments.get(id);
    if (stored !== undefined) freeQuote(organization, stored.record);
  },
};

/** Creates the public interface of the payments. */
export function paymentRecords(organization: OrganizationState): MockPayments {
  return {
    ...statusRecordsOf(organization, paymentKind),
    createParams: (input) =>
      createParams(organization, input && addUnknownValues(organization.addedValues, copyOf(input) as object)),
    history: (id) => [
      ...deepFreeze(historyOf(organization.payments.get(id) ?? unknownRecord('payments.history', 'id', id))),
    ],
    scheduleTransitionsOnCreate: (given, trigger) => {
      const statuses = addUnknownValues<readonly unknown[]>(organization.addedValues, given) as readonly string[];
      const call = 'payments.scheduleTransitionsOnCreate';
      const { transitions, createdStatus } = organization.options;
      const interval = intervalOf(call, statuses, trigger);
      assertTransitions(organization, call, transitions.payments, [createdStatus, ...statuses]);
      organization.schedule.planOnCreate(statuses, interval);
    },
  };
}

/** The input of `payments.add`. */
export interface MockPaymentInput extends PartialInput<Omit<Payment, 'status' | 'customer' | 'beneficiary'>> {
  /** The status. @default 'PENDING_REVIEW' */
  readonly status?: PaymentStatus | UnknownValue | undefined;
  /**
   * Fields of the new customer. Cannot be combined with `customerId`, `beneficiaryId`, `paymentQuoteId` or
   * `documentIds`.
   */
  readonly customer?: MockCustomerInput | undefined;
  /** Fields of the new beneficiary. Its currency is that of the payment. Cannot be combined with `beneficiaryId`. */
  readonly beneficiary?: MockBeneficiaryInput | undefined;
  /**
   * Fields of the new quote. Its amount and currency are those of the payment. Cannot be combined with
   * `paymentQuoteId`.
   */
  readonly paymentQuote?: MockQuoteInput | undefined;
  /** Fields that replace those of the generated authorization. */
  readonly authorization?: PaymentAuthorization | undefined;
  /** The statuses that it had, oldest first, up to the present one. @default its status since `createdAt` */
  readonly history?: readonly (Pick<StatusChange, 'at'> & { readonly status: string | UnknownValue })[] | undefined;
  /** The ids of the payment's documents, which must belong to its customer. @default a new invoice */
  readonly documentIds?: readonly string[] | undefined;
}

/** The records that the input of a payment names by their ids. */
interface NamedRecords {
  readonly customerId: string | undefined;
  readonly beneficiary: Beneficiary | undefined;
  readonly quote: PaymentQuote | undefined;
}

/** What a payment pays. */
type Order = Pick<Payment, 'amount' | 'currencyCode'>;

/** Throws `MockPlatformError` if the history of a payment contradicts its status or its times. */
function requireHistory(
  call: string,
  { status, createdAt }: Pick<PaymentCore, 'status' | 'createdAt'>,
  history: readonly StatusChange[],
): void {
  const times = [createdAt, ...history.map(({ at }) => at)].map((at) => Date.parse(at));
  const isInOrder = times.every((at, index) => index === 0 || at >= (times[index - 1] ?? at));
  if (!isInOrder || history.at(-1)?.status !== status)
    throw new MockPlatformError(
      `${call}: history must begin at createdAt or later, be in the order of time, and end with the status ${status}.`,
    );
}

/** The schema of the input. */
export const paymentInput = memoize(() => {
  const status = enumOf(paymentStatuses);
  return inputOf(listedPayment(), {
    customer: customerInput(),
    beneficiary: beneficiaryInput(),
    paymentQuote: quoteInput(),
    history: z.array(z.strictObject({ status, at: time() })).check(z.minLength(1)),
    documentIds: z.array(string()),
  });
});

/** The fields of new records, and those that name existing ones with which they cannot be combined. */
const exclusive = {
  customer: ['customerId', 'beneficiaryId', 'paymentQuoteId', 'documentIds'],
  beneficiary: ['beneficiaryId'],
  paymentQuote: ['paymentQuoteId'],
} as const;

/** Throws `MockPlatformError` if a record is both named and to be created. */
function assertNoConflicts(call: string, input: Unmarked<MockPaymentInput>): void {
  for (const created of ['customer', 'beneficiary', 'paymentQuote'] as const) {
    if (input[created] === undefined) continue;
    const named = exclusive[created].find((field) => input[field] !== undefined && input[field]?.length !== 0);
    if (named !== undefined)
      throw new MockPlatformError(
        `${call}: ${created} has the fields of a new record, but ${named} names an existing one. Pass only one of them.`,
      );
    const owner = created === 'customer' ? undefined : input[created]?.customerId;
    if (owner !== undefined && owner !== input.customerId)
      throw new MockPlatformError(
        `${call}: ${created}.customerId must equal the customerId of the payment. Pass customerId instead.`,
      );
  }
}

/**
 * Returns the records that the input names. Throws `MockPlatformError` if one does not exist or belongs to another
 * customer.
 */
function namedRecords(organization: OrganizationState, call: string, input: Unmarked<MockPaymentInput>): NamedRecords {
  assertNoConflicts(call, input);
  const { beneficiaries, quotes, documents, options } = organization;
  const find = <T>(collection: Collection<T>, field: string, id: string | null | undefined): T | undefined =>
    typeof id === 'string' ? (collection.get(id) ?? unknownRecord(call, field, id)) : undefined;
  const beneficiary = find(beneficiaries, 'beneficiaryId', input.beneficiaryId)?.record;
  const quote = find(quotes, 'paymentQuoteId', input.paymentQuoteId);
  const owned = new Map<string, { readonly customerId: string } | undefined>([
    ['beneficiaryId', beneficiary],
    ['paymentQuoteId', quote],
  ]);
  for (const [index, id] of (input.documentIds ?? []).entries())
    owned.set(`documentIds[${index}]`, find(documents, `documentIds[${index}]`, id));
  const customerId = input.customerId ?? [...owned.values()].find((record) => record !== undefined)?.customerId;
  find(organization.customers, 'customerId', customerId);
  for (const [field, record] of owned)
    if (record !== undefined && record.customerId !== customerId && options.ownership === 'customer')
      throw new MockPlatformError(
        `${call}: ${field} belongs to another customer. Pass a record of the payment's customer.`,
      );
  return { customerId, beneficiary, quote: quote && quoteOf(quote) };
}

/** Returns the amount and currency of a payment: those of the input, of its quote, or of its beneficiary. */
function orderOf(random: Random, input: Unmarked<MockPaymentInput>, { beneficiary, quote }: NamedRecords): Order {
  const currencyCode =
    input.currencyCode ??
    quote?.paymentCurrencyCode ??
    input.paymentQuote?.paymentCurrencyCode ??
    beneficiary?.currencyCode ??
    (input.beneficiary === undefined ? undefined : currencyOfInput(input.beneficiary)) ??
    random.pick(commonCurrencies);
  const amount =
    input.amount ?? quote?.paymentAmount ?? input.paymentQuote?.paymentAmount ?? plausibleAmount(random, currencyCode);
  return { amount, currencyCode };
}

/** Creates and stores the payment of a request, whose fields and records the handler has validated. */
export function createRequestedPayment(
  organization: OrganizationState,
  { documentIds, ...body }: PaymentCreateRequest,
  payee: Beneficiary,
  quote: PaymentQuote,
): StoredPayment {
  const id = randomOf(organization).id('pay_');
  const fields = { ...body, id, status: organization.options.createdStatus, createdAt: timestampNow(organization) };
  const parts = { customerId: body.customerId, payee, quote, documentIds };
  return storePayment(organization, fields, parts, { requested: true });
}

/** Creates and stores a payment of a test, and the records it needs that the input does not name. */
export function createPayment(organization: OrganizationState, input: Unmarked<MockPaymentInput> = {}): StoredPayment {
  const call = 'payments.add';
  const { customer: _, beneficiary: _payee, paymentQuote: _quote, documentIds: _ids, ...others } = omitUndefined(input);
  const { authorization, history, receiptUrl, ...given } = others;
  const random = randomOf(organization);
  const named = namedRecords(organization, call, input);
  const fields = {
    id: random.id('pay_'),
    ...orderOf(random, input, named),
    internalReference: `REF-${random.digits(6)}`,
    invoiceNumber: `INV-${random.digits(6)}`,
    purposeOfPayment: purpose(random),
    status: 'PENDING_REVIEW',
    createdAt: timestampNow(organization),
    ...given,
  };
  requireRules(organization, call, fields);
  if (history !== undefined) requireHistory(call, fields, history);
  const parts = createPaymentParts(organization, { call, isPast: true }, input, named, fields);
  return storePayment(organization, fields, parts, { requested: false, authorization, receiptUrl, history });
}

const randomOf = (organization: OrganizationState) => organization.random('payments', organization.payments.next);

type RequiredFields = 'id' | 'amount' | 'currencyCode' | 'purposeOfPayment' | 'status' | 'createdAt';

/** Stores a payment with the fields that follow from its records, unless they are given. */
function storePayment(
  organization: OrganizationState,
  fields: PartialInput<PaymentCore> & Pick<PaymentCore, RequiredFields>,
  { customerId, payee, quote, documentIds }: PaymentParts,
  {
    authorization = {},
    ...others
  }: Pick<StoredPayment, 'requested'> & Pick<Unmarked<MockPaymentInput>, 'authorization' | 'receiptUrl' | 'history'>,
): StoredPayment {
  const { id, amount, currencyCode, purposeOfPayment, status, createdAt } = fields;
  const parties = { customerId, beneficiaryId: payee.id };
  const derived: PaymentCore = {
    id,
    ...parties,
    amount,
    currencyCode,
    internalReference: null,
    invoiceNumber: null,
    purposeOfPayment,
    memo: null,
    ...fundingOf(organization, customerId, quote, status),
    rail: railOf(payee),
    status,
    createdAt,
    updatedAt: createdAt,
  };
  const record: PaymentCore = { ...derived, ...omitUndefined(fields), ...parties, paymentQuoteId: quote?.id ?? null };
  const stored: StoredPayment = {
    record,
    authorization: {
      ...authorizationOf(organization, record, payee, quote, documentIds),
      ...omitUndefined(authorization),
    },
    documentIds,
    ...(omitUndefined(others) as Pick<StoredPayment, 'requested'>),
  };
  organization.payments.insert(id, Date.parse(createdAt), stored);
  if (quote !== undefined) markUsed(organization, quote, createdAt);
  return stored;
}

/** The status of the crypto funding of a payment in each status. What an added status means for it is not known. */
const fundingStatuses: Readonly<Partial<Record<string, string>>> = {
  PENDING_REVIEW: 'PENDING',
  CORRECTION_NEEDED: 'PENDING',
  APPROVED: 'CONFIRMED',
  PROCESSING: 'CONFIRMED',
  COMPLETED: 'CONFIRMED',
  RETURNED: 'CONFIRMED',
  REJECTED: 'CANCELLED',
  CANCELLED: 'CANCELLED',
} satisfies Record<PaymentStatus, string>;

/** Returns the funding of a payment after a change of its status. A status that the test set itself stays. */
function fundingAfter({ status: before, sourceFunding }: PaymentCore, status: string): PaymentCore['sourceFunding'] {
  const next = fundingStatuses[status];
  if (sourceFunding?.type !== 'CRYPTO' || next === undefined) return sourceFunding;
  const { fundingStatus: current } = sourceFunding;
  const isDerived = current === 'PENDING' || current === fundingStatuses[before];
  // Tokens that arrived stay confirmed if the payment is canceled later.
  const hasArrived = current === 'CONFIRMED' && next === 'CANCELLED';
  return isDerived && !hasArrived ? { ...sourceFunding, fundingStatus: next } : sourceFunding;
}

/** Returns the statuses that a payment had, oldest first. The first one is that of its creation. */
function historyOf({ record, history }: StoredPayment): readonly StatusChange[] {
  return history ?? [{ status: record.status, at: record.createdAt }];
}

/** Returns the funding of a payment: tokens for a crypto quote, otherwise the customer's bank account. */
function fundingOf(
  organization: OrganizationState,
  customerId: string,
  quote: PaymentQuote | undefined,
  status: string,
): Pick<PaymentCore, 'sourceFunding' | 'paymentToken' | 'paymentNetwork' | 'paymentQuoteId'> {
  const paymentQuoteId = quote?.id ?? null;
  if (quote?.fundingType !== 'CRYPTO')
    return {
      paymentToken: null,
      paymentNetwork: null,
      paymentQuoteId,
      sourceFunding: accountOf(organization, customerId),
    };
  const { paymentToken: symbol, paymentNetwork: network } = quote;
  return {
    paymentToken: symbol,
    paymentNetwork: network,
    paymentQuoteId,
    sourceFunding: { type: 'CRYPTO', symbol, network, fundingStatus: fundingStatuses[status] ?? 'PENDING' },
  };
}

function accountOf(organization: OrganizationState, customerId: string): BankAccountFunding {
  // Derived from the customer id, so that all payments of a customer have the same account.
  const random = organization.random(`accounts/${customerId}`, 1);
  const country = organization.customers.get(customerId)?.record.countryOfIncorporation.alpha2 ?? '';
  const profile = countryProfileIn(country) ?? countryProfileOf('USD');
  return {
    type: 'BANK_ACCOUNT',
    bankAccountId: random.id('acc_'),
    bankName: random.pick(profile.banks).name,
    countryCode: profile.country.alpha2,
    currencyCode: 'USD',
    accountNumber: random.digits(profile.accountDigits),
    iban: null,
  };
}

/** Returns the payment rail to the bank of a beneficiary, or to its wallet. */
function railOf({ bankCountryCode, country, currencyCode }: Beneficiary): PaymentRail {
  if (isTokenCurrency(currencyCode)) return { method: 'CRYPTO', countryCode: country };
  const profile = countryProfileIn(bankCountryCode) ?? countryProfileOf(currencyCode);
  return { method: profile.rail, countryCode: profile.country.alpha2 };
}

/** Returns the amount of a payment with the fees of its quote. Assumed: A-30. */
function chargeOf({ amount, currencyCode }: PaymentCore, quote: PaymentQuote | undefined): string {
  const fees = quote?.priceBreakdown?.totals['feesUsd'];
  return typeof fees === 'string' ? addFees(amount, currencyCode, fees) : amount;
}

/** Creates the authorization of a payment: a copy that later changes to its records do not affect. */
function authorizationOf(
  organization: OrganizationState,
  payment: PaymentCore,
  beneficiary: Beneficiary,
  quote: PaymentQuote | undefined,
  documentIds: readonly string[],
): PaymentAuthorization {
  const account = payment.sourceFunding?.type === 'BANK_ACCOUNT' ? payment.sourceFunding : undefined;
  return {
    version: 1,
    organizationId: organization.id,
    customerId: payment.customerId,
    quoteId: quote?.id ?? null,
    sourceBankAccountId: account?.bankAccountId ?? null,
    sourceCurrency: account?.currencyCode ?? payment.paymentToken,
    principal: payment.amount,
    approvedCharge: chargeOf(payment, quote),
    pricingVersion: '2026-01',
    beneficiaryId: beneficiary.id,
    beneficiaryVersion: beneficiary.version,
    destination: destinationOf(beneficiary),
    method: payment.rail?.method ?? null,
    paymentSystemId: null,
    bankCountryCode: beneficiary.bankCountryCode,
    purposeOfPayment: payment.purposeOfPayment,
    internalReference: payment.internalReference,
    memo: payment.memo,
    invoiceNumber: payment.invoiceNumber,
    contractId: null,
    documents: documentIds.map((id) => {
      const document = organization.documents.get(id);
      return {
        id,
        identityHash: fingerprint(`${organization.id}/${id}`),
        contentHash:
          document === undefined ? null : fingerprint(document.content ?? `written for ${document.fileName}`),
      };
    }),
  };
}

/** The latest destination: successive payments to one beneficiary have the same object, because there may be many. */
let latest: { readonly beneficiary: Beneficiary; readonly destination: AuthorizationDestination } | undefined;

/** Returns the fields of a beneficiary that an authorization contains. */
function destinationOf(beneficiary: Beneficiary): AuthorizationDestination {
  if (latest?.beneficiary === beneficiary) return latest.destination;
  const fields: Readonly<Record<string, unknown>> = { ...beneficiary, countryCode: beneficiary.country };
  const destination: Record<string, unknown> = {};
  for (const name of Object.keys(fieldsOf(authorizationDestination()))) destination[name] = fields[name];
  latest = { beneficiary, destination };
  return destination;
}

/** Returns a payment in wire format, with the current state of its customer and beneficiary. */
export function toWirePayment(organization: OrganizationState, stored: StoredPayment, base: string): Payment {
  const { record } = stored;
  const customer = organization.customers.get(record.customerId)?.record;
  const beneficiary = organization.beneficiaries.get(record.beneficiaryId)?.record;
  return {
    ...record,
    customer: {
      companyName: customer?.companyName ?? '',
      status: customer?.status ?? 'APPROVED',
      orgId: organization.id,
    },
    beneficiary: {
      companyName: beneficiary?.companyName ?? '',
      bankBic: beneficiary?.bankBic ?? '',
      status: beneficiary?.status ?? 'APPROVED',
    },
    receiptUrl: stored.receiptUrl !== undefined ? stored.receiptUrl : receiptOf(organization, stored, base),
  };
}

function receiptOf(organization: OrganizationState, stored: StoredPayment, base: string): string | null {
  const { clock, options } = organization;
  const { id, status } = stored.record;
  const hasReceipt = (one: string): boolean => options.receiptStatuses.some((each) => each === one);
  const earlier = historyOf(stored).slice(0, -1);
  // A payment that is returned before it was completed never had a receipt.
  const wasReturned = status === 'RETURNED' && earlier.length > 0;
  if (!hasReceipt(status) || (wasReturned && !earlier.some((change) => hasReceipt(change.status)))) return null;
  const { receiptLifetime } = options;
  const expires = receiptLifetime === undefined ? undefined : clock.now() + receiptLifetime * 1000;
  return signedUrl(organization, base, 'receipts', [id], expires);
}

/**
 * Describes how a payment differs from its quote or from the account of its beneficiary; undefined if they agree, or if
 * amounts are `free`. Assumed: A-28.
 */
export function disagreementOf(
  { options }: OrganizationState,
  { amount, currencyCode }: Order,
  quote: PaymentQuote | undefined,
  payee: Beneficiary,
): { readonly of: 'quote' | 'account'; readonly message: string } | undefined {
  if (options.amounts === 'free') return undefined;
  const { paymentAmount = amount, paymentCurrencyCode = currencyCode } = quote ?? {};
  const received = `(received ${amount} ${currencyCode})`;
  if (!isSameAmount(amount, paymentAmount) || currencyCode !== paymentCurrencyCode)
    return {
      of: 'quote',
      message: `the payment must be for ${paymentAmount} ${paymentCurrencyCode}, as quoted ${received}`,
    };
  if (currencyCode === payee.currencyCode) return undefined;
  const account = `${payee.currencyCode}, the currency of the beneficiary's account`;
  return { of: 'account', message: `the payment must be in ${account} (received ${currencyCode})` };
}

/** The records of a payment. */
interface PaymentParts {
  readonly customerId: string;
  readonly payee: Beneficiary;
  readonly quote: PaymentQuote | undefined;
  readonly documentIds: readonly string[];
}

/** How long before a payment the records that it needs are created, in seconds. */
const lead = { customer: 30 * 86_400, beneficiary: 7 * 86_400, invoice: 86_400, quote: 60 };

/**
 * Creates the records of a payment that the input does not name: before the payment, if that is in the past, but not
 * before its customer.
 */
function createPaymentParts(
  organization: OrganizationState,
  { call, isPast }: { readonly call: string; readonly isPast: boolean },
  input: Unmarked<MockPaymentInput>,
  named: NamedRecords,
  order: Order & Pick<Payment, 'createdAt'> & Partial<Pick<Payment, 'invoiceNumber'>>,
): PaymentParts {
  const { createdAt, currencyCode, invoiceNumber } = order;
  const at = Date.parse(createdAt);
  const before = (seconds: number, since = -Infinity): string =>
    formatTime(Math.max(isPast ? at - seconds * 1000 : at, since));
  const customerId =
    named.customerId ??
    createCustomer(organization, { createdAt: before(lead.customer), ...omitUndefined(input.customer ?? {}) }).record
      .id;
  const customerSince = Date.parse(organization.customers.get(customerId)?.record.createdAt ?? createdAt);
  const beforeAndSince = (seconds: number): string => before(seconds, customerSince <= at ? customerSince : undefined);
  const payee =
    named.beneficiary ??
    createBeneficiary(organization, {
      createdAt: beforeAndSince(lead.beneficiary),
      currencyCode,
      ...omitUndefined(input.beneficiary ?? {}),
      customerId,
    }).record;
  const quote =
    input.paymentQuoteId === null
      ? undefined
      : (named.quote ??
        quoteOf(
          createQuote(organization, {
            paymentAmount: order.amount,
            paymentCurrencyCode: currencyCode,
            createdAt: beforeAndSince(Math.min(lead.quote, organization.options.quoteLifetime / 2)),
            ...fundingOfInput(input),
            ...omitUndefined(input.paymentQuote ?? {}),
            customerId,
          }),
        ));
  const mismatch = disagreementOf(organization, order, quote, payee);
  if (mismatch !== undefined)
    throw new MockPlatformError(
      `${call}: ${mismatch.message}. Use a quote and a beneficiary of the same amount and ` +
        `currency, or create the platform with \`amounts: 'free'\`.`,
    );
  const documentIds = input.documentIds ?? [
    createDocument(organization, {
      customerId,
      createdAt: beforeAndSince(lead.invoice),
      ...(/^[\w-]+$/.test(invoiceNumber ?? '') && { fileName: `${invoiceNumber}.pdf` }),
    }).id,
  ];
  return { customerId, payee, quote, documentIds };
}

/** Returns the fields of the quote that follow from the funding in the input. */
function fundingOfInput({ sourceFunding, paymentToken, paymentNetwork }: Unmarked<MockPaymentInput>): MockQuoteInput {
  if (sourceFunding?.type === 'BANK_ACCOUNT') return { fundingType: 'BANK_ACCOUNT' };
  const crypto = sourceFunding?.type === 'CRYPTO' ? sourceFunding : undefined;
  const token = paymentToken ?? crypto?.symbol;
  const network = paymentNetwork ?? crypto?.network;
  // Payments can have tokens and networks that quotes cannot.
  return {
    ...(isQuoteToken(token) && { paymentToken: token }),
    ...(isQuoteNetwork(network) && { paymentNetwork: network }),
  };
}

/** The input of `payments.createParams`: fields of the request, and fields of the records that are added for it. */
export interface MockPaymentParamsInput
  extends PartialInput<PaymentCreateRequest>, Pick<MockPaymentInput, 'customer' | 'beneficiary' | 'paymentQuote'> {}

/** Adds the records that a payment needs and returns the parameters of `payments.create`. */
function createParams(
  organization: OrganizationState,
  input: Unmarked<MockPaymentParamsInput> = {},
): PaymentCreateRequest {
  const call = 'payments.createParams';
  requireConforming(organization, call, paymentInput, input);
  return addOrRollBack(organization, () => {
    const { customer: _, beneficiary: _payee, paymentQuote: _quote, ...fields } = input;
    const random = organization.random('params', organization.quotes.next);
    const named = namedRecords(organization, call, input);
    const order = { ...orderOf(random, input, named), createdAt: timestampNow(organization) };
    const parts = createPaymentParts(organization, { call, isPast: false }, input, named, order);
    const params = {
      amount: order.amount,
      currencyCode: order.currencyCode,
      purposeOfPayment: purpose(random),
      ...omitUndefined(fields),
      customerId: parts.customerId,
      beneficiaryId: parts.payee.id,
      documentIds: [...parts.documentIds],
      paymentQuoteId: parts.quote?.id,
    };
    const { dialect } = organization.options;
    requireConforming(organization, call, () => endpoints['payments.create'].body(dialect), params);
    return params;
  });
}

/** Returns a payment with other fields. Of those that the input does not have, only the funding status changes. */
function changePayment(
  organization: OrganizationState,
  before: StoredPayment,
  input: Unmarked<MockPaymentInput>,
): StoredPayment {
  const { authorization = {}, history, receiptUrl, ...fields } = input;
  const { status = before.record.status } = fields;
  const hasMoved = status !== before.record.status;
  const record: PaymentCore = {
    ...before.record,
    updatedAt: timestampNow(organization),
    ...(hasMoved && { sourceFunding: fundingAfter(before.record, status) }),
    ...omitUndefined(fields),
  };
  if (history !== undefined) requireHistory('payments.update', record, history);
  const stored: StoredPayment = {
    ...before,
    record,
    authorization: { ...before.authorization, ...omitUndefined(authorization) },
    ...(hasMoved && { history: [...historyOf(before), { status, at: record.updatedAt }] }),
    ...omitUndefined({ history, receiptUrl }),
  };
  return stored;
}

/** Returns whether the screening of a customer's person holds payments. */
export function isHeld({ persons }: OrganizationState, customerId: string): boolean {
  return persons.values().some((person) => person.customerId === customerId && person.screening.subject.paymentHold);
}

/** Returns whether a payment may not become APPROVED until its hold is lifted. */
export function waitsForReview(organization: OrganizationState, customerId: string, status: string): boolean {
  const { paymentHold } = organization.options;
  return paymentHold === 'review' && status === 'APPROVED' && isHeld(organization, customerId);
}
