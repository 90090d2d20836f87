import { id, oneOf, sensitiveText, statusOf, text, timestamp } from './field.js';
import type { Open } from './open.js';
import { cursor, limit } from './page.js';
import { lazily, list, optional, record, unsure, type Schema } from './schema.js';

/** The statuses of a customer. */
export const customerStatuses = ['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'] as const;
/** A status of a customer that is known today; records may carry a newer one. */
export type CustomerStatus = (typeof customerStatuses)[number];

/** The kinds of entries in a customer's activity. */
const activityEventTypes = ['STATUS_CHANGE'] as const;
/** A kind of entry in a customer's activity that is known today. */
export type ActivityEventType = (typeof activityEventTypes)[number];

/** Which customers `customers.list` gives. */
export interface CustomerListQuery {
  /** Only customers of this status. */
  readonly status?: CustomerStatus | undefined;
  /** How many customers a page holds, 1 to 100. */
  readonly limit?: number | undefined;
  /** Where to go on: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** A country. */
export interface Country {
  /** Its ISO 3166 code of two letters. */
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
  /** Where the company is incorporated. */
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
  /** Where the customer stands. */
  readonly status: Open<CustomerStatus>;
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
  /** What happened. */
  readonly eventType?: Open<ActivityEventType> | null;
  /** The status before. */
  readonly fromStatus?: string | null;
  /** The status after. */
  readonly toStatus?: string | null;
  /** A note. */
  readonly note?: string | null;
  /** The user it happened to. */
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
export const customerListQuery: Schema<CustomerListQuery> = lazily(() =>
  record<CustomerListQuery>({ status: optional(oneOf(customerStatuses)), limit: optional(limit()), cursor: optional(cursor()) }),
);

const country = lazily(() => record<Country>({ alpha2: text(), name: text() }));

/** A customer. */
export const customer: Schema<Customer> = lazily(() =>
  record<Customer>({
    id: id(), companyName: sensitiveText(), registrationNumber: sensitiveText(), countryOfIncorporation: country(),
    addressLine1: sensitiveText(), addressLine2: sensitiveText(), city: sensitiveText(), stateProvinceRegion: sensitiveText(),
    postalCode: sensitiveText(), addressCountry: country(), status: statusOf(customerStatuses), createdAt: timestamp(),
    updatedAt: timestamp(),
  }),
);

const customerActivity = lazily(() =>
  record<CustomerActivity>({
    id: unsure(text()), entityType: unsure(text()), entityId: unsure(text()), eventType: unsure(oneOf(activityEventTypes)),
    fromStatus: unsure(text()), toStatus: unsure(text()), note: unsure(sensitiveText()), targetUserId: unsure(text()),
    targetUserFirstName: unsure(sensitiveText()), targetUserLastName: unsure(sensitiveText()), createdById: unsure(text()),
    createdByFirstName: unsure(sensitiveText()), createdByLastName: unsure(sensitiveText()), createdByRole: unsure(text()),
    createdAt: unsure(timestamp()),
  }),
);

/** A customer's activity. Assumed: A-8, any field of an entry may be absent or null. */
export const activityEnvelope: Schema<ActivityEnvelope> = lazily(() => record<ActivityEnvelope>({ items: list(customerActivity()) }));
