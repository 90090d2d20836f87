import {
  currency,
  requestEnum,
  type UnknownValue,
  id,
  integer,
  isOneOf,
  sensitiveString,
  statusOf,
  string,
  timestamp,
  type OpenEnum,
  type TransitionTable,
  memoize,
  optional,
  requestObject,
  strictObject,
  type Schema,
} from './schema.js';
import { cursor, limit } from './page.js';

/**
 * The beneficiary statuses that this version of the SDK knows. The platform may add others.
 *
 * @example
 * ```ts
 * import { beneficiaryStatuses } from 'corridor-sdk';
 * const options = beneficiaryStatuses.map((value) => ({ value, label: value.replaceAll('_', ' ').toLowerCase() }));
 * ```
 */
export const beneficiaryStatuses = [
  'PENDING_REVIEW',
  'CORRECTION_REQUESTED',
  'APPROVED',
  'REJECTED',
  'SUSPENDED',
] as const;
/** A beneficiary status that this version of the SDK knows. A record may have a newer one. */
export type BeneficiaryStatus = (typeof beneficiaryStatuses)[number];

/**
 * Checks whether a value is a beneficiary status that this version of the SDK knows.
 *
 * @example
 * ```ts
 * import { isBeneficiaryStatus, type BeneficiaryStatus } from 'corridor-sdk';
 * const column: unknown = 'APPROVED'; // from your database
 * const status: BeneficiaryStatus | undefined = isBeneficiaryStatus(column) ? column : undefined;
 * ```
 */
export const isBeneficiaryStatus = (value: unknown): value is BeneficiaryStatus => isOneOf(beneficiaryStatuses, value);

/**
 * The statuses that a beneficiary can have after each status. Assumed: A-10
 *
 * @example
 * ```ts
 * import { beneficiaryTransitions } from 'corridor-sdk';
 * const next = beneficiaryTransitions['SUSPENDED']; // ['APPROVED', 'REJECTED']
 * ```
 */
export const beneficiaryTransitions: TransitionTable<BeneficiaryStatus> = {
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_REQUESTED', 'REJECTED'],
  CORRECTION_REQUESTED: ['PENDING_REVIEW', 'REJECTED'],
  APPROVED: ['SUSPENDED'],
  REJECTED: [],
  SUSPENDED: ['APPROVED', 'REJECTED'],
};

/** The filters of `customers.beneficiaries`. */
export interface BeneficiaryListParams {
  /** Returns only beneficiaries with this status. */
  readonly status?: BeneficiaryStatus | UnknownValue | undefined;
  /** The page size, 1 to 100. */
  readonly limit?: number | undefined;
  /** The position to continue from: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** A company that receives payments of one customer. */
export interface Beneficiary {
  /** The beneficiary's id. */
  readonly id: string;
  /** The customer it belongs to. */
  readonly customerId: string;
  /** The version of this record; increases with every change. */
  readonly version: number;
  /** The company's country. */
  readonly country: string;
  /** The company's name. */
  readonly companyName: string;
  /** The address. */
  readonly address: string;
  /** The street of the address. */
  readonly addressStreet: string;
  /** The city of the address. */
  readonly addressCity: string;
  /** The province of the address. */
  readonly addressProvince: string;
  /** The postal code of the address. */
  readonly zipCode: string;
  /** The account's currency. */
  readonly currencyCode: string;
  /** The bank's name. */
  readonly bankName: string;
  /** The bank's BIC. */
  readonly bankBic: string;
  /** The bank's country. */
  readonly bankCountryCode: string;
  /** The bank's address. */
  readonly bankAddress: string;
  /** The account's number. */
  readonly accountNumber: string;
  /** The account's IBAN. */
  readonly iban: string;
  /** The routing number for wires. */
  readonly wireRoutingNumber: string;
  /** The routing number for ACH. */
  readonly achRoutingNumber: string;
  /** The sort code. */
  readonly sortCode: string;
  /** The institution number. */
  readonly institutionNumber: string;
  /** The transit number. */
  readonly transitNumber: string;
  /** The intermediary bank. */
  readonly intermediaryBank: string;
  /** The beneficiary's status. */
  readonly status: OpenEnum<BeneficiaryStatus>;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
}

/** The filters of the list of beneficiaries. Assumed: A-1, their names. */
export const beneficiaryListParams: Schema<BeneficiaryListParams> = memoize(() =>
  requestObject<BeneficiaryListParams>({
    status: optional(requestEnum(beneficiaryStatuses)),
    limit: optional(limit()),
    cursor: optional(cursor()),
  }),
);

/** A beneficiary. Assumed: A-22, a null in place of a string is drift. */
export const beneficiary: Schema<Beneficiary> = memoize(() =>
  strictObject<Beneficiary>({
    id: id(),
    customerId: id(),
    version: integer(),
    country: string(),
    companyName: sensitiveString(),
    address: sensitiveString(),
    addressStreet: sensitiveString(),
    addressCity: sensitiveString(),
    addressProvince: sensitiveString(),
    zipCode: sensitiveString(),
    currencyCode: currency(),
    bankName: string(),
    bankBic: string(),
    bankCountryCode: string(),
    bankAddress: string(),
    accountNumber: sensitiveString(),
    iban: sensitiveString(),
    wireRoutingNumber: sensitiveString(),
    achRoutingNumber: sensitiveString(),
    sortCode: sensitiveString(),
    institutionNumber: sensitiveString(),
    transitNumber: sensitiveString(),
    intermediaryBank: string(),
    status: statusOf(beneficiaryStatuses),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  }),
);
