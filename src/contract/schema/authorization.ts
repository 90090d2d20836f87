import { integer, sensitiveString, string, memoize, array, strictObject, nullish, type Schema } from './schema.js';

/** The destination of an authorized payment. Every field may be absent or null. */
export interface AuthorizationDestination {
  /** The bank's country. */
  readonly bankCountryCode?: string | null;
  /** The bank's name. */
  readonly bankName?: string | null;
  /** The bank's BIC. */
  readonly bankBic?: string | null;
  /** The account's IBAN. */
  readonly iban?: string | null;
  /** The account's number. */
  readonly accountNumber?: string | null;
  /** The routing number for wires. */
  readonly wireRoutingNumber?: string | null;
  /** The routing number for ACH. */
  readonly achRoutingNumber?: string | null;
  /** The sort code. */
  readonly sortCode?: string | null;
  /** The institution number. */
  readonly institutionNumber?: string | null;
  /** The transit number. */
  readonly transitNumber?: string | null;
  /** The intermediary bank. */
  readonly intermediaryBank?: string | null;
  /** The beneficiary's company name. */
  readonly companyName?: string | null;
  /** The beneficiary's country. */
  readonly countryCode?: string | null;
  /** The beneficiary's address. */
  readonly address?: string | null;
  /** The street of the address. */
  readonly addressStreet?: string | null;
  /** The city of the address. */
  readonly addressCity?: string | null;
  /** The province of the address. */
  readonly addressProvince?: string | null;
  /** The postal code of the address. */
  readonly zipCode?: string | null;
  /** The account's currency. */
  readonly currencyCode?: string | null;
}

/** A document at the time of the authorization. */
export interface AuthorizedDocument {
  /** The document's id. */
  readonly id?: string | null;
  /** The hash of its identity. */
  readonly identityHash?: string | null;
  /** The hash of its content. */
  readonly contentHash?: string | null;
}

/** The snapshot of what was authorized. Every field may be absent or null. */
export interface PaymentAuthorization {
  /** The version of the snapshot. */
  readonly version?: number | null;
  /** The organization. */
  readonly organizationId?: string | null;
  /** The customer making the payment. */
  readonly customerId?: string | null;
  /** The quote the payment was made against. */
  readonly quoteId?: string | null;
  /** The bank account that funds the payment. */
  readonly sourceBankAccountId?: string | null;
  /** The currency of that account. */
  readonly sourceCurrency?: string | null;
  /** The amount without fees, as a decimal string. */
  readonly principal?: string | null;
  /** The amount with fees, as a decimal string. */
  readonly approvedCharge?: string | null;
  /** The version of the pricing. */
  readonly pricingVersion?: string | null;
  /** The beneficiary receiving the payment. */
  readonly beneficiaryId?: string | null;
  /** The version of the beneficiary's record. */
  readonly beneficiaryVersion?: number | null;
  /** The destination. */
  readonly destination?: AuthorizationDestination | null;
  /** The payment method. */
  readonly method?: string | null;
  /** The payment system that pays out. */
  readonly paymentSystemId?: string | null;
  /** The bank's country. */
  readonly bankCountryCode?: string | null;
  /** The purpose of the payment. */
  readonly purposeOfPayment?: string | null;
  /** Your own reference. */
  readonly internalReference?: string | null;
  /** The memo. */
  readonly memo?: string | null;
  /** The invoice number. */
  readonly invoiceNumber?: string | null;
  /** The contract. */
  readonly contractId?: string | null;
  /** The documents. */
  readonly documents?: readonly AuthorizedDocument[] | null;
}

/** The destination of an authorized payment. */
export const authorizationDestination: Schema<AuthorizationDestination> = memoize(() =>
  strictObject<AuthorizationDestination>({
    bankCountryCode: nullish(string()),
    bankName: nullish(string()),
    bankBic: nullish(string()),
    iban: nullish(sensitiveString()),
    accountNumber: nullish(sensitiveString()),
    wireRoutingNumber: nullish(sensitiveString()),
    achRoutingNumber: nullish(sensitiveString()),
    sortCode: nullish(sensitiveString()),
    institutionNumber: nullish(sensitiveString()),
    transitNumber: nullish(sensitiveString()),
    intermediaryBank: nullish(string()),
    companyName: nullish(sensitiveString()),
    countryCode: nullish(string()),
    address: nullish(sensitiveString()),
    addressStreet: nullish(sensitiveString()),
    addressCity: nullish(sensitiveString()),
    addressProvince: nullish(sensitiveString()),
    zipCode: nullish(sensitiveString()),
    currencyCode: nullish(string()),
  }),
);

const authorizedDocument = memoize(() =>
  strictObject<AuthorizedDocument>({
    id: nullish(string()),
    identityHash: nullish(string()),
    contentHash: nullish(string()),
  }),
);

/** The authorization snapshot of a listed payment. Assumed: A-8, any field may be absent or null. */
export const paymentAuthorization: Schema<PaymentAuthorization> = memoize(() =>
  strictObject<PaymentAuthorization>({
    version: nullish(integer()),
    organizationId: nullish(string()),
    customerId: nullish(string()),
    quoteId: nullish(string()),
    sourceBankAccountId: nullish(string()),
    sourceCurrency: nullish(string()),
    principal: nullish(string()),
    approvedCharge: nullish(string()),
    pricingVersion: nullish(string()),
    beneficiaryId: nullish(string()),
    beneficiaryVersion: nullish(integer()),
    destination: nullish(authorizationDestination()),
    method: nullish(string()),
    paymentSystemId: nullish(string()),
    bankCountryCode: nullish(string()),
    purposeOfPayment: nullish(string()),
    internalReference: nullish(string()),
    memo: nullish(string()),
    invoiceNumber: nullish(string()),
    contractId: nullish(string()),
    documents: nullish(array(authorizedDocument())),
  }),
);
