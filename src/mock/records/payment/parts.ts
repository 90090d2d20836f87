import type { PaymentAuthorization } from '../../../contract/schema/authorization.js';
import type { Beneficiary } from '../../../contract/schema/beneficiaries.js';
import type { BankAccountFunding, Payment, PaymentRail } from '../../../contract/schema/payments.js';
import type { PaymentQuote } from '../../../contract/schema/quotes.js';
import { signedUrl } from '../../http/downloads.js';
import { contentFingerprint } from '../../data/files.js';
import { addFees } from '../../data/amounts.js';
import { countryProfileIn, countryProfileOf } from '../../data/countries.js';
import { fingerprint } from '../../data/random.js';
import type { OrganizationState } from '../../store/organization.js';
import type { PaymentCore, StatusChange, StoredPayment } from '../../store/records.js';

const fundedStatuses: readonly string[] = ['APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED'];

const abandonedStatuses: readonly string[] = ['REJECTED', 'CANCELLED'];

/** Returns the funding status that belongs to a payment status. */
function fundingStatus(status: string): string {
  if (abandonedStatuses.includes(status)) return 'CANCELLED';
  return fundedStatuses.includes(status) ? 'CONFIRMED' : 'PENDING';
}

/** Returns the funding of a payment after a change of its status. A status that the test set itself stays. */
export function fundingAfter(
  { status: before, sourceFunding }: PaymentCore,
  status: string,
): PaymentCore['sourceFunding'] {
  if (sourceFunding?.type !== 'CRYPTO') return sourceFunding;
  const { fundingStatus: current } = sourceFunding;
  const next = fundingStatus(status);
  const isDerived = current === 'PENDING' || current === fundingStatus(before);
  // Tokens that arrived stay confirmed if the payment is canceled later.
  const hasArrived = current === 'CONFIRMED' && next === 'CANCELLED';
  return isDerived && !hasArrived ? { ...sourceFunding, fundingStatus: next } : sourceFunding;
}

/** Returns the statuses that a payment had, oldest first. The first one is that of its creation. */
export function historyOf({ record, history }: StoredPayment): readonly StatusChange[] {
  return history ?? [{ status: record.status, at: record.createdAt }];
}

/** Returns the funding of a payment: tokens for a crypto quote, otherwise the customer's bank account. */
export function fundingOf(
  organization: OrganizationState,
  customerId: string,
  quote: PaymentQuote | undefined,
  status: string,
): Pick<PaymentCore, 'sourceFunding' | 'paymentToken' | 'paymentNetwork'> {
  if (quote?.fundingType !== 'CRYPTO')
    return { sourceFunding: accountOf(organization, customerId), paymentToken: null, paymentNetwork: null };
  const { paymentToken, paymentNetwork } = quote;
  return {
    sourceFunding: {
      type: 'CRYPTO',
      symbol: paymentToken,
      network: paymentNetwork,
      fundingStatus: fundingStatus(status),
    },
    paymentToken,
    paymentNetwork,
  };
}

function accountOf(organization: OrganizationState, customerId: string): BankAccountFunding {
  // Derived from the customer id, so that all payments of a customer have the same account.
  const random = organization.random(`accounts/${customerId}`, 1);
  const country = organization.customers.get(customerId)?.record.countryOfIncorporation.alpha2 ?? '';
  const profile = countryProfileIn(country) ?? countryProfileOf('USD');
  return {
    type: 'BANK_ACCOUNT',
    bankAccountId: `acc_${random.alphanumeric(16)}`,
    bankName: random.pick(profile.banks).name,
    countryCode: profile.country.alpha2,
    currencyCode: 'USD',
    accountNumber: random.digits(profile.accountDigits),
    iban: null,
  };
}

/** Marks a quote as used, unless it is already. */
export function markUsed(organization: OrganizationState, { id, usedAt }: PaymentQuote, at: string): void {
  if (usedAt === null)
    organization.quotes.update(id, (stored) => ({ ...stored, record: { ...stored.record, usedAt: at } }));
}

/** Marks the quote of a payment, which is to lose it, as unused, unless another payment has it. */
export function freeQuote({ payments, quotes }: OrganizationState, { id, paymentQuoteId }: PaymentCore): void {
  if (paymentQuoteId === null) return;
  const isUsed = payments.values().some(({ record }) => record.id !== id && record.paymentQuoteId === paymentQuoteId);
  if (!isUsed) quotes.update(paymentQuoteId, (stored) => ({ ...stored, record: { ...stored.record, usedAt: null } }));
}

/** Returns the payment rail to the bank of a beneficiary. */
export function railOf({ bankCountryCode, currencyCode }: Beneficiary): PaymentRail {
  const profile = countryProfileIn(bankCountryCode) ?? countryProfileOf(currencyCode);
  return { method: profile.rail, countryCode: profile.country.alpha2 };
}

/** Returns the amount of a payment with the fees of its quote. Assumed: A-30. */
function chargeOf({ amount, currencyCode }: PaymentCore, quote: PaymentQuote | undefined): string {
  const fees = quote?.priceBreakdown?.totals['feesUsd'];
  return typeof fees === 'string' ? addFees(amount, currencyCode, fees) : amount;
}

/** Creates the authorization of a payment: a copy that later changes to its records do not affect. */
export function authorizationOf(
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
    destination: {
      bankCountryCode: beneficiary.bankCountryCode,
      bankName: beneficiary.bankName,
      bankBic: beneficiary.bankBic,
      iban: beneficiary.iban,
      accountNumber: beneficiary.accountNumber,
      wireRoutingNumber: beneficiary.wireRoutingNumber,
      achRoutingNumber: beneficiary.achRoutingNumber,
      sortCode: beneficiary.sortCode,
      institutionNumber: beneficiary.institutionNumber,
      transitNumber: beneficiary.transitNumber,
      intermediaryBank: beneficiary.intermediaryBank,
      companyName: beneficiary.companyName,
      countryCode: beneficiary.country,
      address: beneficiary.address,
      addressStreet: beneficiary.addressStreet,
      addressCity: beneficiary.addressCity,
      addressProvince: beneficiary.addressProvince,
      zipCode: beneficiary.zipCode,
      currencyCode: beneficiary.currencyCode,
    },
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
        contentHash: document === undefined ? null : contentFingerprint(document),
      };
    }),
  };
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
  const { clock, options } = organization.platform;
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
