import type { Beneficiary } from '../../../contract/schema/beneficiaries.js';
import type { Payment } from '../../../contract/schema/payments.js';
import type { PaymentQuote } from '../../../contract/schema/quotes.js';
import { isQuoteNetwork, isQuoteToken } from '../../data/crypto-catalog.js';
import { MockPlatformError } from '../../error.js';
import type { OrganizationState } from '../../store/organization.js';
import { createBeneficiary } from '../beneficiaries.js';
import { omitUndefined, secondsAfter } from '../builder.js';
import { createCustomer, type MockCustomerInput } from '../customers.js';
import { createDocument } from '../documents.js';
import { requireAgreement } from './agreement.js';
import type { MockPaymentInput, NamedRecords, Order, PartsInput } from './input.js';
import { createQuote, type MockQuoteInput } from '../quotes.js';

/** The records of a payment. */
interface PaymentParts {
  readonly customerId: string;
  readonly payee: Beneficiary;
  readonly quote: PaymentQuote | undefined;
  readonly documents: readonly string[];
}

/** How long before a payment the records that it needs are created, in seconds. */
const lead = { customer: 30 * 86_400, beneficiary: 7 * 86_400, invoice: 86_400, quote: 60 };

/**
 * Creates the records of a payment that the input does not name: before the payment, if that is in the past, but not
 * before its customer.
 */
export function createPaymentParts(
  organization: OrganizationState,
  { call, isPast }: { readonly call: string; readonly isPast: boolean },
  input: PartsInput,
  named: NamedRecords,
  order: Order & Pick<Payment, 'createdAt'> & Partial<Pick<Payment, 'invoiceNumber'>>,
): PaymentParts {
  const { createdAt, currencyCode, invoiceNumber } = order;
  const before = (seconds: number): string => (isPast ? secondsAfter(createdAt, -seconds) : createdAt);
  const customerId =
    named.customerId ??
    createCustomer(organization, {
      createdAt: before(lead.customer),
      ...withoutOrganization(call, input.customer),
    }).record.id;
  const since = organization.customers.get(customerId)?.record.createdAt ?? createdAt;
  const beforeAndSince = (seconds: number): string =>
    Date.parse(before(seconds)) < Date.parse(since) && Date.parse(since) <= Date.parse(createdAt)
      ? since
      : before(seconds);
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
        quoteFor(
          organization,
          customerId,
          {
            ...order,
            createdAt: beforeAndSince(Math.min(lead.quote, organization.platform.options.quoteLifetime / 2)),
          },
          input,
        ));
  requireAgreement(organization, call, order, { beneficiary: payee, quote });
  const documents = input.documentIds ?? [
    createDocument(organization, {
      customerId,
      createdAt: beforeAndSince(lead.invoice),
      ...(/^[\w-]+$/.test(invoiceNumber ?? '') && { fileName: `${invoiceNumber}.pdf` }),
    }).id,
  ];
  return { customerId, payee, quote, documents };
}

function withoutOrganization(call: string, customer: MockPaymentInput['customer']): MockCustomerInput {
  const { orgId, ...rest } = customer ?? {};
  if (orgId !== undefined)
    throw new MockPlatformError(`${call}: customer.orgId is always this organization's id and cannot be set. Omit it.`);
  return omitUndefined(rest);
}

function quoteFor(
  organization: OrganizationState,
  customerId: string,
  { amount: paymentAmount, currencyCode: paymentCurrencyCode, createdAt }: Order & Pick<Payment, 'createdAt'>,
  input: PartsInput,
): PaymentQuote {
  return createQuote(organization, {
    paymentAmount,
    paymentCurrencyCode,
    createdAt,
    ...fundingOfInput(input),
    ...omitUndefined(input.paymentQuote ?? {}),
    customerId,
  }).record;
}

/** Returns the fields of the quote that follow from the funding in the input. */
function fundingOfInput({ sourceFunding, paymentToken, paymentNetwork }: PartsInput): MockQuoteInput {
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
