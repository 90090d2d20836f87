import { currency, id, integer, oneOf, sensitiveText, statusOf, text, timestamp } from './field.js';
import type { Open } from './open.js';
import { cursor, limit } from './page.js';
import { lazily, optional, record, type Schema } from './schema.js';

/** The statuses of a beneficiary. */
export const beneficiaryStatuses = ['PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'] as const;
/** A status of a beneficiary that is known today; records may carry a newer one. */
export type BeneficiaryStatus = (typeof beneficiaryStatuses)[number];

/** Which beneficiaries `customers.beneficiaries` gives. */
export interface BeneficiaryListQuery {
  /** Only beneficiaries of this status. */
  readonly status?: BeneficiaryStatus | undefined;
  /** How many beneficiaries a page holds, 1 to 100. */
  readonly limit?: number | undefined;
  /** Where to go on: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** A company that receives payments of one customer. */
export interface Beneficiary {
  /** The beneficiary's id. */
  readonly id: string;
  /** The customer it belongs to. */
  readonly customerId: string;
  /** The version of this record; grows with every change. */
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
  /** Where the beneficiary stands. */
  readonly status: Open<BeneficiaryStatus>;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
}

/** The filters of the list of beneficiaries. Assumed: A-1, their names. */
export const beneficiaryListQuery: Schema<BeneficiaryListQuery> = lazily(() =>
  record<BeneficiaryListQuery>({ status: optional(oneOf(beneficiaryStatuses)), limit: optional(limit()), cursor: optional(cursor()) }),
);

/** A beneficiary. Assumed: A-22, a null in place of a string is drift. */
export const beneficiary: Schema<Beneficiary> = lazily(() =>
  record<Beneficiary>({
    id: id(), customerId: id(), version: integer(), country: text(), companyName: sensitiveText(), address: sensitiveText(),
    addressStreet: sensitiveText(), addressCity: sensitiveText(), addressProvince: sensitiveText(), zipCode: sensitiveText(),
    currencyCode: currency(), bankName: text(), bankBic: text(), bankCountryCode: text(), bankAddress: text(),
    accountNumber: sensitiveText(), iban: sensitiveText(), wireRoutingNumber: sensitiveText(), achRoutingNumber: sensitiveText(),
    sortCode: sensitiveText(), institutionNumber: sensitiveText(), transitNumber: sensitiveText(), intermediaryBank: text(),
    status: statusOf(beneficiaryStatuses), createdAt: timestamp(), updatedAt: timestamp(),
  }),
);
