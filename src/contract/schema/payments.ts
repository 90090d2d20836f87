import * as z from 'zod/mini';
import {
  isFinal,
  isOneOf,
  amount,
  literal,
  currency,
  requestEnum,
  type UnknownValue,
  id,
  requestId,
  sensitiveString,
  statusOf,
  string,
  timestamp,
  type OpenEnum,
  type TransitionTable,
  type Unrecognized,
  memoize,
  withMetadata,
  nullable,
  optional,
  requestObject,
  strictObject,
  discriminatedUnion,
  type Schema,
} from './schema.js';
import { paymentAuthorization, type PaymentAuthorization } from './authorization.js';
import { cursor, limit } from './page.js';
import { paymentQuote, type PaymentQuote } from './quotes.js';
import { beneficiaryStatuses, type BeneficiaryStatus } from './beneficiaries.js';
import { customerStatuses, type CustomerStatus } from './customers.js';
import { timestampFilter } from './time.js';

/**
 * The payment statuses that this version of the SDK knows. The platform may add others.
 *
 * @example
 * ```ts
 * import { paymentStatuses } from 'corridor-sdk';
 * const options = paymentStatuses.map((value) => ({ value, label: value.replaceAll('_', ' ').toLowerCase() }));
 * ```
 */
export const paymentStatuses = [
  'PENDING_REVIEW',
  'CORRECTION_NEEDED',
  'APPROVED',
  'PROCESSING',
  'COMPLETED',
  'RETURNED',
  'REJECTED',
  'CANCELLED',
] as const;

/** A payment status that this version of the SDK knows. A record may have a newer one. */
export type PaymentStatus = (typeof paymentStatuses)[number];

/**
 * Checks whether a value is a payment status that this version of the SDK knows.
 *
 * @example
 * ```ts
 * import { isPaymentStatus, type PaymentStatus } from 'corridor-sdk';
 * const column: unknown = 'COMPLETED'; // from your database
 * const status: PaymentStatus | undefined = isPaymentStatus(column) ? column : undefined;
 * ```
 */
export const isPaymentStatus = (value: unknown): value is PaymentStatus => isOneOf(paymentStatuses, value);

/**
 * The currencies that a payment can be made in.
 *
 * @example
 * ```ts
 * import { paymentCurrencies } from 'corridor-sdk';
 * const options = paymentCurrencies.map((value) => `<option>${value}</option>`).join('');
 * ```
 */
export const paymentCurrencies = [
  'USD',
  'BRL',
  'MXN',
  'COP',
  'HKD',
  'CNY',
  'NGN',
  'KES',
  'MWK',
  'ZAR',
  'XOF',
  'XAF',
  'UGX',
  'TZS',
  'ZMW',
  'BWP',
  'SGD',
  'USDT',
  'USDC',
  'DAI',
  'BTC',
] as const;

/** A currency that a payment can be made in. */
export type PaymentCurrency = (typeof paymentCurrencies)[number];

/**
 * Checks whether a value is a currency that a payment can be made in.
 *
 * @example
 * ```ts
 * import { isPaymentCurrency } from 'corridor-sdk';
 * const input: string = 'MXN';
 * if (!isPaymentCurrency(input)) throw new Error(`Payments cannot be made in ${input}.`);
 * ```
 */
export const isPaymentCurrency = (value: unknown): value is PaymentCurrency => isOneOf(paymentCurrencies, value);

const otherDecimals: { readonly [C in PaymentCurrency]?: number } = {
  XOF: 0,
  XAF: 0,
  UGX: 0,
  USDT: 6,
  USDC: 6,
  DAI: 18,
  BTC: 8,
};

/** Returns the decimals of amounts: those of ISO 4217, and of tokens those that most networks have. Assumed: A-18 */
export const currencyDecimals = (code: PaymentCurrency): number => otherDecimals[code] ?? 2;

export const cryptoCurrencies: readonly PaymentCurrency[] = ['USDT', 'USDC', 'DAI', 'BTC'];

/**
 * Returns whether a payment with this status is at its end: `COMPLETED`, `RETURNED`, `REJECTED` or `CANCELLED`. A
 * `COMPLETED` payment can still become `RETURNED`, when the beneficiary's bank sends the money back. Any other status,
 * also one that this version of the SDK does not know, is not final.
 *
 * @example
 * ```ts
 * import { Corridor, isFinalStatus } from 'corridor-sdk';
 * const corridor = new Corridor();
 * for await (const { id, status } of corridor.payments.list()) if (!isFinalStatus(status)) console.log(id, status);
 * ```
 */
export const isFinalStatus = (status: OpenEnum<PaymentStatus>): boolean => isFinal(paymentTransitions, status);

/**
 * The statuses that a payment can have after each status. Assumed: A-10
 *
 * @example
 * ```ts
 * import { paymentTransitions } from 'corridor-sdk';
 * const next = paymentTransitions['APPROVED']; // ['PROCESSING', 'CANCELLED']
 * ```
 */
export const paymentTransitions: TransitionTable<PaymentStatus> = {
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_NEEDED', 'REJECTED', 'CANCELLED'],
  CORRECTION_NEEDED: ['PENDING_REVIEW', 'REJECTED', 'CANCELLED'],
  APPROVED: ['PROCESSING', 'CANCELLED'],
  PROCESSING: ['COMPLETED', 'RETURNED'],
  COMPLETED: ['RETURNED'], // Assumed: A-17
  RETURNED: [],
  REJECTED: [],
  CANCELLED: [],
};

/** The longest memo, in Unicode code points. Assumed: A-19, the unit. */
const maxMemoLength = 64;

/** The body of `payments.create`. */
export interface PaymentCreateParams {
  /** The customer making the payment. */
  readonly customerId: string;
  /** The beneficiary receiving the payment. */
  readonly beneficiaryId: string;
  /** The amount, a decimal string such as `"1250.00"`. */
  readonly amount: string;
  /** The currency of the amount. */
  readonly currencyCode: PaymentCurrency | UnknownValue;
  /** Your own reference; make it unique per payment. Without it, or with null, the payment has none. */
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

/** The request of a payment as it is sent: a currency that `unknownValue` marked is its text. */
export type PaymentCreateRequest = {
  readonly [Field in keyof PaymentCreateParams]: Exclude<PaymentCreateParams[Field], undefined | UnknownValue>;
};

/** The filters of `payments.list`. */
export interface PaymentListParams {
  /** Returns only payments with this status. */
  readonly status?: PaymentStatus | UnknownValue | undefined;
  /** Returns only payments created at or after this time: an ISO 8601 UTC string ending in Z, or a `Date`. */
  readonly createdFrom?: string | Date | undefined;
  /** Returns only payments created at or before this time: an ISO 8601 UTC string ending in Z, or a `Date`. */
  readonly createdTo?: string | Date | undefined;
  /** The page size, 1 to 100. */
  readonly limit?: number | undefined;
  /** The position to continue from: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** The summary of a payment's customer. */
export interface PaymentCustomer {
  /** The company's name. */
  readonly companyName: string;
  /** The customer's status. */
  readonly status: OpenEnum<CustomerStatus>;
  /** The organization the customer belongs to. */
  readonly orgId?: string;
}

/** The summary of a payment's beneficiary. */
export interface PaymentBeneficiary {
  /** The company's name. */
  readonly companyName: string;
  /** The BIC of its bank. */
  readonly bankBic: string;
  /** The beneficiary's status. */
  readonly status: OpenEnum<BeneficiaryStatus>;
}

/** A payment funded from a bank account. */
export interface BankAccountFunding {
  /** The discriminant of this variant. */
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
  /** The discriminant of this variant. */
  readonly type: 'CRYPTO';
  /** The token's symbol. */
  readonly symbol: string;
  /** The network. */
  readonly network: string | null;
  /** The status of the funding. */
  readonly fundingStatus: string | null;
}

/** A funding of a kind this version of the SDK does not know. */
export interface UnrecognizedFunding {
  /** A value that this version of the SDK does not know. */
  readonly type: Unrecognized;
  /** The fields that the platform sent. */
  readonly [field: string]: unknown;
}

/** The source of a payment's funds; `type` is the discriminant. */
export type SourceFunding = BankAccountFunding | CryptoFunding | UnrecognizedFunding;

/** The payout method of a payment. */
export interface PaymentRail {
  /** The method. */
  readonly method: string;
  /** The country of the payout. */
  readonly countryCode: string;
}

/** A payment. Amounts are decimal strings; timestamps are strings as the platform sent them. */
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
  /** Your own reference; null if the payment has none. */
  readonly internalReference: string | null;
  /** The number of the invoice. */
  readonly invoiceNumber: string | null;
  /** What the payment is for. */
  readonly purposeOfPayment: string;
  /** The note. */
  readonly memo: string | null;
  /** The token of a payment funded in crypto. */
  readonly paymentToken: string | null;
  /** The network of a payment funded in crypto. */
  readonly paymentNetwork: string | null;
  /** The quote the payment was made against. */
  readonly paymentQuoteId: string | null;
  /** The payment's status. */
  readonly status: OpenEnum<PaymentStatus>;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** The customer's summary. */
  readonly customer: PaymentCustomer;
  /** The beneficiary's summary. */
  readonly beneficiary: PaymentBeneficiary;
  /** The source of the funds. */
  readonly sourceFunding: SourceFunding | null;
  /** The payout method. */
  readonly rail: PaymentRail | null;
  /** The URL of the receipt. */
  readonly receiptUrl: string | null;
}

/** A payment returned by `payments.create`, with its quote. */
export interface CreatedPayment extends Payment {
  /** The quote the payment was made against. */
  readonly paymentQuote: PaymentQuote;
}

/** A payment returned by `payments.list`, with its authorization. */
export interface ListedPayment extends Payment {
  /** The snapshot of what was authorized. */
  readonly authorization: PaymentAuthorization;
}

/** The format of an amount in a request. */
export interface AmountFormat {
  /** The number of decimals of every amount. @default any number, in fiat currencies at most those of the currency */
  readonly decimals?: number;
  /** What separates the decimals. @default '.' */
  readonly separator?: '.' | ',';
}

/** Returns the schema of a new payment, with the amount format of the dialect. */
export function paymentCreateParams({
  amountFormat,
}: {
  readonly amountFormat: AmountFormat;
}): z.ZodMiniType<PaymentCreateRequest> {
  const key = JSON.stringify(amountFormat);
  const built = paramsByFormat.get(key) ?? buildPaymentCreateParams(amountFormat);
  paramsByFormat.set(key, built);
  return built;
}

const paramsByFormat = new Map<string, z.ZodMiniType<PaymentCreateRequest>>();

const fromCents = 'From an integer of cents, pass amounts.fromMinorUnits(BigInt(cents), currencyCode)';

function buildPaymentCreateParams({ decimals, separator = '.' }: AmountFormat): z.ZodMiniType<PaymentCreateRequest> {
  const fraction = `${separator === '.' ? '\\.' : separator}\\d`;
  const end = decimals === undefined ? `(${fraction}+)?` : decimals === 0 ? '' : `${fraction}{${decimals}}`;
  const example = decimals === 0 ? '1250' : `1250${separator}${'0'.repeat(decimals ?? 2)}`;
  const params = requestObject<PaymentCreateParams>({
    customerId: requestId(),
    beneficiaryId: requestId(),
    // Assumed: A-18
    amount: withMetadata(z.string().check(z.regex(new RegExp(`^\\d+${end}$`))), {
      rule: `must be a decimal string such as "${example}"`,
      ...(decimals === undefined && separator === '.' ? { fix: fromCents } : {}),
    }),
    currencyCode: requestEnum(paymentCurrencies),
    internalReference: optional(nullable(string())),
    invoiceNumber: optional(string()),
    purposeOfPayment: withMetadata(z.string().check(z.minLength(1)), {
      rule: 'must be a string of at least 1 character',
    }),
    memo: optional(
      nullable(
        withMetadata(z.string().check(z.maxLength(maxMemoLength)), {
          rule: `must be a string of at most ${maxMemoLength} characters, or null`,
        }),
      ),
    ),
    documentIds: withMetadata(z.array(requestId()).check(z.minLength(1)), {
      rule: 'must be an array of at least 1 document id',
    }),
    paymentQuoteId: requestId(),
  }) as z.ZodMiniType<PaymentCreateRequest>;
  const rule = (value: unknown): string | undefined =>
    amountRule(value as PaymentCreateRequest, decimals === undefined);
  return params.check(
    z.refine((value) => rule(value) === undefined, { path: ['amount'], error: ({ input }) => rule(input) }),
  );
}

/** Returns the rule that an amount in a currency breaks; undefined if it breaks none. Assumed: A-18 */
function amountRule(
  { amount: value, currencyCode }: PaymentCreateRequest,
  limitsDecimals: boolean,
): string | undefined {
  // A schema without all fields of the request has this rule, too.
  if (typeof value !== 'string') return undefined;
  if (!/[1-9]/.test(value)) return 'must not be zero';
  // A format of the dialect says itself how many decimals there are.
  if (!limitsDecimals || !isPaymentCurrency(currencyCode) || cryptoCurrencies.includes(currencyCode)) return undefined;
  const largest = currencyDecimals(currencyCode);
  const { length } = withoutZeros(value.split(/[.,]/)[1] ?? '');
  return length > largest
    ? 'must have ' +
        `${largest === 0 ? 'no decimals' : `at most ${largest} decimals`} ` +
        `in ${currencyCode} (received ${length})`
    : undefined;
}

/** Removes the zeros at the end of decimals, in linear time: a partner's user may have written the amount. */
export function withoutZeros(decimals: string): string {
  let end = decimals.length;
  while (end > 0 && decimals[end - 1] === '0') end -= 1;
  return decimals.slice(0, end);
}

/** The filters of payments, for lists and exports. */
export const paymentFilters = () => ({
  status: optional(requestEnum(paymentStatuses)),
  createdFrom: optional(timestampFilter()),
  createdTo: optional(timestampFilter()),
});

/** The query of the list of payments. Assumed: A-1, the names of its filters. */
export const paymentListParams: Schema<
  Omit<PaymentListParams, 'createdFrom' | 'createdTo'> & { readonly createdFrom?: string; readonly createdTo?: string }
> = memoize(() =>
  requestObject({
    ...paymentFilters(),
    limit: optional(limit()),
    cursor: optional(cursor()),
  }),
);

const sourceFunding = memoize(() =>
  discriminatedUnion<SourceFunding>('type', [
    strictObject<BankAccountFunding>({
      type: literal('BANK_ACCOUNT'),
      bankAccountId: id(),
      bankName: string(),
      countryCode: string(),
      currencyCode: currency(),
      accountNumber: nullable(sensitiveString()),
      iban: nullable(sensitiveString()),
    }),
    strictObject<CryptoFunding>({
      type: literal('CRYPTO'),
      symbol: string(),
      network: nullable(string()),
      fundingStatus: nullable(string()),
    }),
  ]),
);

const common = () => ({
  id: id(),
  customerId: id(),
  beneficiaryId: id(),
  amount: amount(),
  currencyCode: currency(),
  internalReference: nullable(string()),
  invoiceNumber: nullable(string()),
  purposeOfPayment: string(),
  memo: nullable(string()),
  paymentToken: nullable(string()),
  paymentNetwork: nullable(string()),
  paymentQuoteId: nullable(id()),
  status: statusOf(paymentStatuses),
  createdAt: timestamp(),
  updatedAt: timestamp(),
  customer: strictObject<PaymentCustomer>({
    companyName: sensitiveString(),
    status: statusOf(customerStatuses), // Assumed: A-25
    orgId: optional(string()),
  }),
  beneficiary: strictObject<PaymentBeneficiary>({
    companyName: sensitiveString(),
    bankBic: string(),
    status: statusOf(beneficiaryStatuses), // Assumed: A-25
  }),
  sourceFunding: nullable(sourceFunding()),
  rail: nullable(strictObject<PaymentRail>({ method: string(), countryCode: string() })),
  receiptUrl: nullable(withMetadata(z.string(), { sensitive: true })),
});

/** What each endpoint returns of a payment. */
export const payment: Schema<Payment> = /* @__PURE__ */ memoize(() => strictObject<Payment>(common()));

/** A payment returned by `payments.create`. */
export const createdPayment: Schema<CreatedPayment> = memoize(() =>
  strictObject<CreatedPayment>({ ...common(), paymentQuote: paymentQuote() }),
);

/** A payment returned by `payments.list`. */
export const listedPayment: Schema<ListedPayment> = memoize(() =>
  strictObject<ListedPayment>({ ...common(), authorization: paymentAuthorization() }),
);
