import type { PaymentAuthorization } from '../../contract/authorization.js';
import type { Beneficiary } from '../../contract/beneficiaries.js';
import type { BankAccountFunding, CryptoFunding, Payment, PaymentRail } from '../../contract/payments.js';
import type { PaymentQuote } from '../../contract/quotes.js';
import { signedUrl } from '../downloads.js';
import { contentFingerprint } from '../files.js';
import { placeOf } from '../places.js';
import { fingerprint } from '../random.js';
import type { OrganizationState } from '../state.js';
import type { PaymentCore, StoredPayment } from '../stored.js';

const funded: readonly string[] = ['APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED'];

/** How far a payment's tokens are at a status. */
export function fundingStatus(status: string): string {
  return funded.includes(status) ? 'CONFIRMED' : 'PENDING';
}

/** Where the money comes from: tokens for a crypto quote, the customer's account for another. */
export function fundingOf(organization: OrganizationState, customerId: string, quote: PaymentQuote | undefined, status: string): BankAccountFunding | CryptoFunding {
  if (quote?.fundingType === 'CRYPTO') {
    return { type: 'CRYPTO', symbol: quote.paymentToken, network: quote.paymentNetwork, fundingStatus: fundingStatus(status) };
  }
  // Drawn from the customer, whose account it is.
  const random = organization.random(`accounts/${customerId}`, 1);
  const place = placeOf('USD');
  return {
    type: 'BANK_ACCOUNT',
    bankAccountId: `acc_${random.letters(16)}`,
    bankName: random.pick(place.banks).name,
    countryCode: place.country.alpha2,
    currencyCode: 'USD',
    accountNumber: random.digits(place.accountDigits),
    iban: null,
  };
}

/** How a payment to a currency is paid out. */
export function railOf(currencyCode: string): PaymentRail {
  const place = placeOf(currencyCode);
  return { method: place.rail, countryCode: place.country.alpha2 };
}

/** What is authorized when a payment is made: a snapshot, which later changes of its records leave alone. */
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
    approvedCharge: quote?.totalTarget ?? payment.amount,
    pricingVersion: '2026-01',
    beneficiaryId: beneficiary.id,
    beneficiaryVersion: beneficiary.version,
    destination: {
      bankCountryCode: beneficiary.bankCountryCode, bankName: beneficiary.bankName, bankBic: beneficiary.bankBic, iban: beneficiary.iban,
      accountNumber: beneficiary.accountNumber, wireRoutingNumber: beneficiary.wireRoutingNumber, achRoutingNumber: beneficiary.achRoutingNumber,
      sortCode: beneficiary.sortCode, institutionNumber: beneficiary.institutionNumber, transitNumber: beneficiary.transitNumber,
      intermediaryBank: beneficiary.intermediaryBank, companyName: beneficiary.companyName, countryCode: beneficiary.country,
      address: beneficiary.address, addressStreet: beneficiary.addressStreet, addressCity: beneficiary.addressCity,
      addressProvince: beneficiary.addressProvince, zipCode: beneficiary.zipCode, currencyCode: beneficiary.currencyCode,
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
      return { id, identityHash: fingerprint(`${organization.id}/${id}`), contentHash: document === undefined ? null : contentFingerprint(document) };
    }),
  };
}

/** A payment as the wire shows it, with its customer and beneficiary as they are now. */
export function shownPayment(organization: OrganizationState, stored: StoredPayment, base: string): Payment {
  const { record } = stored;
  const customer = organization.customers.get(record.customerId)?.record;
  const beneficiary = organization.beneficiaries.get(record.beneficiaryId)?.record;
  return {
    ...record,
    customer: { companyName: customer?.companyName ?? '', status: customer?.status ?? 'APPROVED', orgId: organization.id },
    beneficiary: { companyName: beneficiary?.companyName ?? '', bankBic: beneficiary?.bankBic ?? '', status: beneficiary?.status ?? 'APPROVED' },
    receiptUrl: stored.receiptUrl !== undefined ? stored.receiptUrl : receiptOf(organization, record, base),
  };
}

function receiptOf(organization: OrganizationState, { id, status }: PaymentCore, base: string): string | null {
  return status === 'COMPLETED' ? signedUrl(organization, base, 'receipts', [id]) : null;
}
