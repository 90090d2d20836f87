import { integer, sensitiveText, text } from './field.js';
import { lazily, list, record, unsure, type Schema } from './schema.js';

/** Where an authorized payment goes. Every field may be absent or null. */
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

/** A document as it was when the payment was authorized. */
export interface AuthorizedDocument {
  /** The document's id. */
  readonly id?: string | null;
  /** The hash of its identity. */
  readonly identityHash?: string | null;
  /** The hash of its content. */
  readonly contentHash?: string | null;
}

/** What was authorized, as a snapshot. Every field may be absent or null. */
export interface PaymentAuthorization {
  /** The version of the snapshot. */
  readonly version?: number | null;
  /** The organization. */
  readonly organizationId?: string | null;
  /** The customer who pays. */
  readonly customerId?: string | null;
  /** The quote the payment was made against. */
  readonly quoteId?: string | null;
  /** The account the money comes from. */
  readonly sourceBankAccountId?: string | null;
  /** The currency the money comes in. */
  readonly sourceCurrency?: string | null;
  /** The amount without fees, as a decimal string. */
  readonly principal?: string | null;
  /** The amount with fees, as a decimal string. */
  readonly approvedCharge?: string | null;
  /** The version of the pricing. */
  readonly pricingVersion?: string | null;
  /** The beneficiary who receives. */
  readonly beneficiaryId?: string | null;
  /** The version of the beneficiary's record. */
  readonly beneficiaryVersion?: number | null;
  /** Where the money goes. */
  readonly destination?: AuthorizationDestination | null;
  /** How the money goes. */
  readonly method?: string | null;
  /** The payment system that pays out. */
  readonly paymentSystemId?: string | null;
  /** The bank's country. */
  readonly bankCountryCode?: string | null;
  /** The purpose of the payment. */
  readonly purposeOfPayment?: string | null;
  /** The client's own reference. */
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

const destination = lazily(() =>
  record<AuthorizationDestination>({
    bankCountryCode: unsure(text()), bankName: unsure(text()), bankBic: unsure(text()), iban: unsure(sensitiveText()),
    accountNumber: unsure(sensitiveText()), wireRoutingNumber: unsure(sensitiveText()), achRoutingNumber: unsure(sensitiveText()),
    sortCode: unsure(sensitiveText()), institutionNumber: unsure(sensitiveText()), transitNumber: unsure(sensitiveText()),
    intermediaryBank: unsure(text()), companyName: unsure(sensitiveText()), countryCode: unsure(text()),
    address: unsure(sensitiveText()), addressStreet: unsure(sensitiveText()), addressCity: unsure(sensitiveText()),
    addressProvince: unsure(sensitiveText()), zipCode: unsure(sensitiveText()), currencyCode: unsure(text()),
  }),
);

const authorizedDocument = lazily(() =>
  record<AuthorizedDocument>({ id: unsure(text()), identityHash: unsure(text()), contentHash: unsure(text()) }),
);

/** The authorization snapshot of a listed payment. Assumed: A-8, any field may be absent or null. */
export const paymentAuthorization: Schema<PaymentAuthorization> = lazily(() =>
  record<PaymentAuthorization>({
    version: unsure(integer()), organizationId: unsure(text()), customerId: unsure(text()), quoteId: unsure(text()),
    sourceBankAccountId: unsure(text()), sourceCurrency: unsure(text()), principal: unsure(text()), approvedCharge: unsure(text()),
    pricingVersion: unsure(text()), beneficiaryId: unsure(text()), beneficiaryVersion: unsure(integer()),
    destination: unsure(destination()), method: unsure(text()), paymentSystemId: unsure(text()), bankCountryCode: unsure(text()),
    purposeOfPayment: unsure(text()), internalReference: unsure(text()), memo: unsure(text()), invoiceNumber: unsure(text()),
    contractId: unsure(text()), documents: unsure(list(authorizedDocument())),
  }),
);
