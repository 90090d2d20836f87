import * as z from 'zod/mini';
import type { Payment, PaymentCustomer, PaymentStatus } from '../../../contract/schema/payments.js';
import type { PaymentAuthorization } from '../../../contract/schema/authorization.js';
import type { PaymentQuote } from '../../../contract/schema/quotes.js';
import type { Beneficiary } from '../../../contract/schema/beneficiaries.js';
import { memoize, type Schema } from '../../../contract/schema/schema.js';
import { plausibleAmount } from '../../data/amounts.js';
import { commonCurrencies } from '../../data/countries.js';
import type { Random } from '../../data/random.js';
import { MockPlatformError } from '../../error.js';
import type { OrganizationState } from '../../store/organization.js';
import { currencyOfInput, type MockBeneficiaryInput } from '../beneficiaries.js';
import { object, unknownRecord } from '../builder.js';
import type { MockCustomerInput } from '../customers.js';
import type { MockQuoteInput } from '../quotes.js';

/** The input of `payments.add`. */
export type MockPaymentInput = {
  readonly [Field in Exclude<keyof Payment, 'status' | 'customer' | 'beneficiary'>]?: Payment[Field] | undefined;
} & {
  /** The status. @default 'PENDING_REVIEW' */
  readonly status?: PaymentStatus | undefined;
  /**
   * Fields of the new customer. Cannot be combined with `customerId`, `beneficiaryId`, `paymentQuoteId` or
   * `documentIds`.
   */
  readonly customer?: (MockCustomerInput & { readonly orgId?: PaymentCustomer['orgId'] | undefined }) | undefined;
  /** Fields of the new beneficiary. Its currency is that of the payment. Cannot be combined with `beneficiaryId`. */
  readonly beneficiary?: MockBeneficiaryInput | undefined;
  /**
   * Fields of the new quote. Its amount and currency are those of the payment. Cannot be combined with
   * `paymentQuoteId`.
   */
  readonly paymentQuote?: MockQuoteInput | undefined;
  /** Fields that replace those of the generated authorization. */
  readonly authorization?: PaymentAuthorization | undefined;
  /** The ids of the payment's documents, which must belong to its customer. @default a new invoice */
  readonly documentIds?: readonly string[] | undefined;
};

/** The records that the input of a payment names by their ids. */
export interface NamedRecords {
  readonly customerId: string | undefined;
  readonly beneficiary: Beneficiary | undefined;
  readonly quote: PaymentQuote | undefined;
}

/** What a payment pays. */
export type Order = Pick<Payment, 'amount' | 'currencyCode'>;

/** The fields of `MockPaymentInput` that name records or define new ones. */
export type PartsInput = Pick<
  MockPaymentInput,
  | 'customerId'
  | 'beneficiaryId'
  | 'paymentQuoteId'
  | 'documentIds'
  | 'customer'
  | 'beneficiary'
  | 'paymentQuote'
  | 'amount'
  | 'currencyCode'
  | 'sourceFunding'
  | 'paymentToken'
  | 'paymentNetwork'
>;

/** The schema of the fields that name records or define new ones. */
export const paymentParts: Schema<object> = memoize(() =>
  z.partial(
    z.looseObject({
      customer: object(),
      beneficiary: object(),
      paymentQuote: object(),
      authorization: object(),
      documentIds: z.array(z.string()),
    }),
  ),
);

/** Throws `MockPlatformError` if a record is both named and to be created. */
function assertNoConflicts(call: string, input: PartsInput): void {
  for (const [created, named] of [
    ['customer', 'customerId'],
    ['beneficiary', 'beneficiaryId'],
    ['paymentQuote', 'paymentQuoteId'],
  ] as const) {
    if (input[created] !== undefined && input[named] !== undefined) {
      throw new MockPlatformError(
        `${call}: ${created} has the fields of a new record, but ${named} names an existing one. Pass only one of them.`,
      );
    }
  }
  const owned = (['beneficiaryId', 'paymentQuoteId', 'documentIds'] as const).find(
    (field) => input[field] !== undefined && input[field] !== null && input[field].length > 0,
  );
  if (input.customer !== undefined && owned !== undefined)
    throw new MockPlatformError(
      `${call}: customer has the fields of a new customer, but ${owned} names a record that already has a customer. Omit customer.`,
    );
  for (const created of ['beneficiary', 'paymentQuote'] as const) {
    const owner = input[created]?.customerId;
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
export function namedRecords(organization: OrganizationState, call: string, input: PartsInput): NamedRecords {
  assertNoConflicts(call, input);
  const { customerId, beneficiaryId, paymentQuoteId, documentIds = [] } = input;
  const beneficiary =
    beneficiaryId === undefined
      ? undefined
      : (organization.beneficiaries.get(beneficiaryId)?.record ?? unknownRecord(call, 'beneficiaryId', beneficiaryId));
  const quote =
    typeof paymentQuoteId !== 'string'
      ? undefined
      : (organization.quotes.get(paymentQuoteId) ?? unknownRecord(call, 'paymentQuoteId', paymentQuoteId));
  const documents = documentIds.map(
    (id, index) => organization.documents.get(id) ?? unknownRecord(call, `documentIds[${index}]`, id),
  );
  const owner = customerId ?? beneficiary?.customerId ?? quote?.customerId ?? documents[0]?.customerId;
  if (owner !== undefined && organization.customers.get(owner) === undefined) unknownRecord(call, 'customerId', owner);
  if (organization.platform.options.ownership === 'organization')
    return { customerId: owner, beneficiary, quote: quote?.record };
  for (const [field, other] of [
    ['beneficiaryId', beneficiary],
    ['paymentQuoteId', quote],
  ] as const) {
    if (other !== undefined && other.customerId !== owner)
      throw new MockPlatformError(
        `${call}: ${field} belongs to another customer. Pass a record of the payment's customer.`,
      );
  }
  for (const [index, document] of documents.entries()) {
    if (document.customerId !== owner)
      throw new MockPlatformError(
        `${call}: documentIds[${index}] belongs to another customer. Pass documents of the payment's customer.`,
      );
  }
  return { customerId: owner, beneficiary, quote: quote?.record };
}

/** Returns the amount and currency of a payment: those of the input, of its quote, or of its beneficiary. */
export function orderOf(random: Random, input: PartsInput, { beneficiary, quote }: NamedRecords): Order {
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
