import * as z from 'zod/mini';
import { paymentAuthorization, type PaymentAuthorization } from './authorization.js';
import { amount, constant, currency, id, oneOf, requestId, sensitiveText, statusOf, text, timestamp } from './field.js';
import type { ResolvedDialect } from './dialect.js';
import type { Open, Unrecognized } from './open.js';
import { cursor, limit } from './page.js';
import { paymentQuote, type PaymentQuote } from './quotes.js';
import { lazily, mean, nullable, optional, record, variants, type Schema } from './schema.js';
import { beneficiaryStatuses, type BeneficiaryStatus } from './beneficiaries.js';
import { customerStatuses, type CustomerStatus } from './customers.js';
import { timestampFilter } from './timestamp.js';

/** The statuses of a payment. */
export const paymentStatuses = [
  'PENDING_REVIEW', 'CORRECTION_NEEDED', 'APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED', 'REJECTED', 'CANCELLED',
] as const;
/** A status of a payment that is known today; records may carry a newer one. */
export type PaymentStatus = (typeof paymentStatuses)[number];

/** The currencies a payment can be made in. */
const paymentCurrencies = [
  'USD', 'BRL', 'MXN', 'COP', 'HKD', 'CNY', 'NGN', 'KES', 'MWK', 'ZAR', 'XOF', 'XAF', 'UGX', 'TZS', 'ZMW', 'BWP', 'SGD',
  'USDT', 'USDC', 'DAI', 'BTC',
] as const;
/** A currency a payment can be made in. */
export type PaymentCurrency = (typeof paymentCurrencies)[number];

/** The longest memo, in Unicode code points. Assumed: A-19, the unit. */
const memoLength = 64;

/** What `payments.create` sends. */
export interface PaymentCreate {
  /** The customer making the payment. */
  readonly customerId: string;
  /** The beneficiary receiving the payment. */
  readonly beneficiaryId: string;
  /** The amount, a decimal string such as `"1250.00"`. */
  readonly amount: string;
  /** The currency of the amount. */
  readonly currencyCode: PaymentCurrency;
  /** Your own reference; make it unique per payment. */
  readonly internalReference?: string | null | undefined;
  /** The number of the invoice. */
  readonly invoiceNumber?: string | undefined;
  /** What the payment is for; at least 1 character. */
  readonly purposeOfPayment: string;
  /** A note of at most 64 characters. */
  readonly memo?: string | null | undefined;
  /** The ids of uploaded documents, at least one; an invoice is required. */
  readonly documentIds: readonly string[];
  /** The id of the active quote the payment is made against. */
  readonly paymentQuoteId: string;
}

/** Which payments `payments.list` gives. */
export interface PaymentListQuery {
  /** Only payments of this status. */
  readonly status?: PaymentStatus | undefined;
  /** Only payments created at or after this time: an ISO 8601 UTC text ending in Z, or a `Date`. */
  readonly createdFrom?: string | Date | undefined;
  /** Only payments created at or before this time: an ISO 8601 UTC text ending in Z, or a `Date`. */
  readonly createdTo?: string | Date | undefined;
  /** How many payments a page holds, 1 to 100. */
  readonly limit?: number | undefined;
  /** Where to go on: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** The customer of a payment, in short. */
export interface PaymentCustomer {
  /** The company's name. */
  readonly companyName: string;
  /** The customer's status. */
  readonly status: Open<CustomerStatus>;
  /** The organization the customer belongs to. */
  readonly orgId?: string;
}

/** The beneficiary of a payment, in short. */
export interface PaymentBeneficiary {
  /** The company's name. */
  readonly companyName: string;
  /** The BIC of its bank. */
  readonly bankBic: string;
  /** The beneficiary's status. */
  readonly status: Open<BeneficiaryStatus>;
}

/** A payment funded from a bank account. */
export interface BankAccountFunding {
  /** Tells this variant. */
  readonly type: 'BANK_ACCOUNT';
  /** The account. */
  readonly bankAccountId: string;
  /** The bank's name. */
  readonly bankName: string;
  /** The account's country. */
  readonly countryCode: string;
  /** The account's currency. */
  readonly currencyCode: string;
  /** The account's number. */
  readonly accountNumber: string | null;
  /** The account's IBAN. */
  readonly iban: string | null;
}

/** A payment funded in crypto. */
export interface CryptoFunding {
  /** Tells this variant. */
  readonly type: 'CRYPTO';
  /** The token's symbol. */
  readonly symbol: string;
  /** The network. */
  readonly network: string | null;
  /** How far the funding is. */
  readonly fundingStatus: string | null;
}

/** A funding of a kind this version of the SDK does not know. */
export interface UnrecognizedFunding {
  /** A value that is not known yet. */
  readonly type: Unrecognized;
  /** Whatever the platform sent. */
  readonly [field: string]: unknown;
}

/** Where the money of a payment comes from; `type` tells the variant. */
export type SourceFunding = BankAccountFunding | CryptoFunding | UnrecognizedFunding;

/** How a payment is paid out. */
export interface PaymentRail {
  /** The method. */
  readonly method: string;
  /** The country it pays out in. */
  readonly countryCode: string;
}

/** A payment. Amounts are decimal strings, timestamps are kept as the platform sent them. */
export interface Payment {
  /** The payment's id. */
  readonly id: string;
  /** The customer making the payment. */
  readonly customerId: string;
  /** The beneficiary receiving the payment. */
  readonly beneficiaryId: string;
  /** The amount. */
  readonly amount: string;
  /** The currency of the amount. */
  readonly currencyCode: string;
  /** Your own reference. */
  readonly internalReference: string | null;
  /** The number of the invoice. */
  readonly invoiceNumber: string | null;
  /** What the payment is for. */
  readonly purposeOfPayment: string;
  /** The note. */
  readonly memo: string | null;
  /** The token, of a payment funded in crypto. */
  readonly paymentToken: string | null;
  /** The network, of a payment funded in crypto. */
  readonly paymentNetwork: string | null;
  /** The quote the payment was made against. */
  readonly paymentQuoteId: string | null;
  /** Where the payment stands. */
  readonly status: Open<PaymentStatus>;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** The customer, in short. */
  readonly customer: PaymentCustomer;
  /** The beneficiary, in short. */
  readonly beneficiary: PaymentBeneficiary;
  /** Where the money comes from. */
  readonly sourceFunding: SourceFunding | null;
  /** How it is paid out. */
  readonly rail: PaymentRail | null;
  /** The receipt. */
  readonly receiptUrl: string | null;
}

/** A payment as `payments.create` answers it: with its quote. */
export interface CreatedPayment extends Payment {
  /** The quote the payment was made against. */
  readonly paymentQuote: PaymentQuote;
}

/** A payment as `payments.list` gives it: with what was authorized. */
export interface ListedPayment extends Payment {
  /** What was authorized. */
  readonly authorization: PaymentAuthorization;
}

/** A new payment, as it is sent; the dialect says what its amount looks like. */
export function paymentCreate(dialect: ResolvedDialect): z.ZodMiniType<PaymentCreate> {
  const built = creates.get(dialect.amount) ?? buildPaymentCreate(dialect.amount);
  creates.set(dialect.amount, built);
  return built;
}

const creates = new WeakMap<RegExp, z.ZodMiniType<PaymentCreate>>();

function buildPaymentCreate(pattern: RegExp): z.ZodMiniType<PaymentCreate> {
  return record<PaymentCreate>({
    customerId: requestId(),
    beneficiaryId: requestId(),
    amount: mean(z.string().check(z.regex(pattern)), { rule: `must be a decimal string such as "1250.00" (${pattern.source})` }), // Assumed: A-18
    currencyCode: oneOf(paymentCurrencies),
    internalReference: optional(nullable(text())),
    invoiceNumber: optional(text()),
    purposeOfPayment: mean(z.string().check(z.minLength(1)), { rule: 'must be a string of at least 1 character' }),
    memo: optional(nullable(mean(z.string().check(z.maxLength(memoLength)), { rule: `must be a string of at most ${memoLength} characters, or null` }))),
    documentIds: mean(z.array(requestId()).check(z.minLength(1)), { rule: 'must be a list of at least 1 document id' }),
    paymentQuoteId: requestId(),
  });
}

/** The filters of the list of payments. Assumed: A-1, their names. */
export const paymentListQuery: Schema<Omit<PaymentListQuery, 'createdFrom' | 'createdTo'> & { readonly createdFrom?: string; readonly createdTo?: string }> = lazily(() =>
  record({
    status: optional(oneOf(paymentStatuses)), createdFrom: optional(timestampFilter()), createdTo: optional(timestampFilter()),
    limit: optional(limit()), cursor: optional(cursor()),
  }),
);

const sourceFunding = lazily(() =>
  variants<SourceFunding>('type', [
    record<BankAccountFunding>({
      type: constant('BANK_ACCOUNT'), bankAccountId: id(), bankName: text(), countryCode: text(), currencyCode: currency(),
      accountNumber: nullable(sensitiveText()), iban: nullable(sensitiveText()),
    }),
    record<CryptoFunding>({ type: constant('CRYPTO'), symbol: text(), network: nullable(text()), fundingStatus: nullable(text()) }),
  ]),
);

const common = () => ({
  id: id(), customerId: id(), beneficiaryId: id(), amount: amount(), currencyCode: currency(),
  internalReference: nullable(text()), invoiceNumber: nullable(text()), purposeOfPayment: text(), memo: nullable(text()),
  paymentToken: nullable(text()), paymentNetwork: nullable(text()), paymentQuoteId: nullable(id()),
  status: statusOf(paymentStatuses), createdAt: timestamp(), updatedAt: timestamp(),
  customer: record<PaymentCustomer>({
    companyName: sensitiveText(),
    status: statusOf(customerStatuses), // Assumed: A-25
    orgId: optional(text()),
  }),
  beneficiary: record<PaymentBeneficiary>({
    companyName: sensitiveText(), bankBic: text(),
    status: statusOf(beneficiaryStatuses), // Assumed: A-25
  }),
  sourceFunding: nullable(sourceFunding()),
  rail: nullable(record<PaymentRail>({ method: text(), countryCode: text() })),
  receiptUrl: nullable(mean(z.string(), { sensitive: true })),
});

/** A payment as the creating call answers it. */
export const createdPayment: Schema<CreatedPayment> = lazily(() =>
  record<CreatedPayment>({ ...common(), paymentQuote: paymentQuote() }),
);

/** A payment as the list gives it. */
export const listedPayment: Schema<ListedPayment> = lazily(() =>
  record<ListedPayment>({ ...common(), authorization: paymentAuthorization() }),
);
