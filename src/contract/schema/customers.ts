import {
  enumOf,
  requestEnum,
  type UnknownValue,
  id,
  isOneOf,
  sensitiveString,
  statusOf,
  string,
  timestamp,
  type OpenEnum,
  type TransitionTable,
  memoize,
  array,
  optional,
  requestObject,
  strictObject,
  nullish,
  type Schema,
} from './schema.js';
import { cursor, limit } from './page.js';

/**
 * The customer statuses that this version of the SDK knows. The platform may add others.
 *
 * @example
 * ```ts
 * import { customerStatuses } from 'corridor-sdk';
 * const options = customerStatuses.map((value) => ({ value, label: value.replaceAll('_', ' ').toLowerCase() }));
 * ```
 */
export const customerStatuses = [
  'DRAFT',
  'PENDING_REVIEW',
  'CORRECTION_REQUESTED',
  'APPROVED',
  'REJECTED',
  'SUSPENDED',
] as const;
/** A customer status that this version of the SDK knows. A record may have a newer one. */
export type CustomerStatus = (typeof customerStatuses)[number];

/**
 * Checks whether a value is a customer status that this version of the SDK knows.
 *
 * @example
 * ```ts
 * import { isCustomerStatus, type CustomerStatus } from 'corridor-sdk';
 * const column: unknown = 'APPROVED'; // from your database
 * const status: CustomerStatus | undefined = isCustomerStatus(column) ? column : undefined;
 * ```
 */
export const isCustomerStatus = (value: unknown): value is CustomerStatus => isOneOf(customerStatuses, value);

/**
 * The statuses that a customer can have after each status. Assumed: A-10
 *
 * @example
 * ```ts
 * import { customerTransitions } from 'corridor-sdk';
 * const next = customerTransitions['PENDING_REVIEW']; // ['APPROVED', 'CORRECTION_REQUESTED', 'REJECTED']
 * ```
 */
export const customerTransitions: TransitionTable<CustomerStatus> = {
  DRAFT: ['PENDING_REVIEW'],
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_REQUESTED', 'REJECTED'],
  CORRECTION_REQUESTED: ['PENDING_REVIEW', 'REJECTED'],
  APPROVED: ['SUSPENDED'],
  REJECTED: [],
  SUSPENDED: ['APPROVED', 'REJECTED'],
};

/** The kinds of entries in a customer's activity. */
const activityEventTypes = ['STATUS_CHANGE'] as const;
/** A kind of activity entry that this version of the SDK knows. */
export type ActivityEventType = (typeof activityEventTypes)[number];

/** The filters of `customers.list`. */
export interface CustomerListParams {
  /** Returns only customers with this status. */
  readonly status?: CustomerStatus | UnknownValue | undefined;
  /** The page size, 1 to 100. */
  readonly limit?: number | undefined;
  /** The position to continue from: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** A country. */
export interface Country {
  /** Its two-letter ISO 3166 code. */
  readonly alpha2: string;
  /** Its name. */
  readonly name: string;
}

/** A company on whose behalf payments are made. */
export interface Customer {
  /** The customer's id. */
  readonly id: string;
  /** The company's name. */
  readonly companyName: string;
  /** The company's registration number. */
  readonly registrationNumber: string;
  /** The country of incorporation. */
  readonly countryOfIncorporation: Country;
  /** The first line of the address. */
  readonly addressLine1: string;
  /** The second line of the address. */
  readonly addressLine2: string;
  /** The city of the address. */
  readonly city: string;
  /** The state, province or region of the address. */
  readonly stateProvinceRegion: string;
  /** The postal code of the address. */
  readonly postalCode: string;
  /** The country of the address. */
  readonly addressCountry: Country;
  /** The customer's status. */
  readonly status: OpenEnum<CustomerStatus>;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
}

/** An entry of a customer's activity. Every field may be absent or null. */
export interface CustomerActivity {
  /** The entry's id. */
  readonly id?: string | null;
  /** The kind of record that changed. */
  readonly entityType?: string | null;
  /** The record that changed. */
  readonly entityId?: string | null;
  /** The kind of event. */
  readonly eventType?: OpenEnum<ActivityEventType> | null;
  /** The status before. */
  readonly fromStatus?: string | null;
  /** The status after. */
  readonly toStatus?: string | null;
  /** A note. */
  readonly note?: string | null;
  /** The user affected by it. */
  readonly targetUserId?: string | null;
  /** That user's first name. */
  readonly targetUserFirstName?: string | null;
  /** That user's last name. */
  readonly targetUserLastName?: string | null;
  /** The user who did it. */
  readonly createdById?: string | null;
  /** That user's first name. */
  readonly createdByFirstName?: string | null;
  /** That user's last name. */
  readonly createdByLastName?: string | null;
  /** That user's role. */
  readonly createdByRole?: string | null;
  /** When it happened. */
  readonly createdAt?: string | null;
}

/** The envelope of a customer's activity. */
export interface ActivityEnvelope {
  /** The entries. */
  readonly items: readonly CustomerActivity[];
}

/** The filters of the list of customers. Assumed: A-1, their names. */
export const customerListParams: Schema<CustomerListParams> = memoize(() =>
  requestObject<CustomerListParams>({
    status: optional(requestEnum(customerStatuses)),
    limit: optional(limit()),
    cursor: optional(cursor()),
  }),
);

const country = memoize(() => strictObject<Country>({ alpha2: string(), name: string() }));

/** A customer. */
export const customer: Schema<Customer> = memoize(() =>
  strictObject<Customer>({
    id: id(),
    companyName: sensitiveString(),
    registrationNumber: sensitiveString(),
    countryOfIncorporation: country(),
    addressLine1: sensitiveString(),
    addressLine2: sensitiveString(),
    city: sensitiveString(),
    stateProvinceRegion: sensitiveString(),
    postalCode: sensitiveString(),
    addressCountry: country(),
    status: statusOf(customerStatuses),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  }),
);

/** An entry of a customer's activity. */
export const customerActivity: Schema<CustomerActivity> = memoize(() =>
  strictObject<CustomerActivity>({
    id: nullish(string()),
    entityType: nullish(string()),
    entityId: nullish(string()),
    eventType: nullish(enumOf(activityEventTypes)),
    fromStatus: nullish(string()),
    toStatus: nullish(string()),
    note: nullish(sensitiveString()),
    targetUserId: nullish(string()),
    targetUserFirstName: nullish(sensitiveString()),
    targetUserLastName: nullish(sensitiveString()),
    createdById: nullish(string()),
    createdByFirstName: nullish(sensitiveString()),
    createdByLastName: nullish(sensitiveString()),
    createdByRole: nullish(string()),
    createdAt: nullish(timestamp()),
  }),
);

/** A customer's activity. Assumed: A-8, any field of an entry may be absent or null. */
export const activityEnvelope: Schema<ActivityEnvelope> = memoize(() =>
  strictObject<ActivityEnvelope>({ items: array(customerActivity()) }),
);
