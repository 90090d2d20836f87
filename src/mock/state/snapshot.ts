import * as z from 'zod/mini';
import { beneficiary } from '../../contract/schema/beneficiaries.js';
import { customer } from '../../contract/schema/customers.js';
import { custom, integerFrom, optionsObject, type OptionsShape } from '../../contract/options.js';
import { listedPayment } from '../../contract/schema/payments.js';
import {
  boolean,
  string,
  array,
  memoize,
  nullable,
  optional,
  type Schema,
  nonEmptyString,
  looseObject,
  withMetadata,
  type Shape,
} from '../../contract/schema/schema.js';
import { paymentQuote } from '../../contract/schema/quotes.js';
import { personScreening, screeningRun } from '../../contract/schema/screening.js';
import type {
  StoredBeneficiary,
  StoredCustomer,
  StoredDocument,
  StoredPayment,
  StoredPerson,
  StoredQuote,
  StoredRun,
  StoredTicket,
} from './records.js';
import { scheduleSchema, type ScheduleSnapshot } from './schedule.js';
import { clockStateSchema, type ClockState } from './clock.js';
import { collectionSchema, type CollectionSnapshot } from './collection.js';
import { cryptoCatalog, type CryptoCatalog } from '../data/crypto-catalog.js';
import { faultPlanSchema, type FaultPlanSnapshot } from '../faults/fault-plan.js';
import { behaviorShape, type MockBehavior } from '../base/options.js';

/** The records that an organization stores, by kind. */
export interface StoredRecords {
  readonly customers: StoredCustomer;
  readonly beneficiaries: StoredBeneficiary;
  readonly persons: StoredPerson;
  readonly runs: StoredRun;
  readonly documents: StoredDocument;
  readonly quotes: StoredQuote;
  readonly payments: StoredPayment;
  readonly tickets: StoredTicket;
}

/** Returns the schema of a record without fields that the mock computes when it is read. */
function without(schema: z.ZodMiniType, ...fields: readonly string[]): z.ZodMiniType {
  const mask = Object.fromEntries(fields.map((field) => [field, true]));
  return z.omit(schema as z.ZodMiniObject, mask as Readonly<Record<string, true>>) as z.ZodMiniType;
}

function isBase64(value: unknown): boolean {
  try {
    return typeof value === 'string' && atob(value).length >= 0;
  } catch {
    return false;
  }
}

const file = {
  fileName: string(),
  contentType: string(),
  content: z.nullable(custom<string>(isBase64, { rule: 'must be base64' })),
};
const objects = (): z.ZodMiniType => array(z.looseObject({}));

/** The schemas of stored records in a snapshot: what the mock reads of them later. */
const storedSchemas: { readonly [Kind in keyof StoredRecords]: Schema<unknown> } = {
  customers: memoize(() => z.looseObject({ record: customer(), activity: objects() })),
  beneficiaries: memoize(() => z.looseObject({ record: beneficiary() })),
  persons: memoize(() =>
    z.looseObject({ id: string(), customerId: string(), screening: without(personScreening(), 'historyCount') }),
  ),
  runs: memoize(() => z.looseObject({ personId: string(), record: screeningRun() })),
  documents: memoize(() =>
    z.looseObject({ id: string(), customerId: string(), kind: string(), createdAt: string(), ...file }),
  ),
  quotes: memoize(() => z.looseObject({ record: paymentQuote(), customerId: string() })),
  payments: memoize(() =>
    z.looseObject({
      record: without(listedPayment(), 'customer', 'beneficiary', 'authorization', 'receiptUrl'),
      authorization: z.looseObject({}),
      documentIds: array(string()),
      requested: boolean(),
      unlistedReads: optional(integerFrom(0)),
      history: optional(array(z.looseObject({ status: string(), at: string() }))),
      receiptUrl: optional(nullable(string())),
    }),
  ),
  tickets: memoize(() =>
    z.looseObject({
      id: string(),
      subject: string(),
      status: string(),
      createdAt: string(),
      attachments: array(z.looseObject({ id: string(), ...file })),
      replies: objects(),
    }),
  ),
};

/** The behavior that `configure` set; null for an option that was set back to its default. */
export type ConfiguredBehavior = {
  readonly [Name in keyof MockBehavior]?: Exclude<MockBehavior[Name], undefined> | null;
};

/** The used part of a rate limit. */
export interface UsedQuota {
  /** The time of the first request in the current window, in milliseconds since the epoch. */
  readonly since: number;
  /** The number of requests in the current window. */
  readonly count: number;
}

/** The kinds of records that an organization stores. */
export const collectionNames = Object.keys(storedSchemas) as (keyof StoredRecords)[];

type Collections = { readonly [Kind in keyof StoredRecords]?: CollectionSnapshot<StoredRecords[Kind]> };

/** An organization as plain JSON. */
export interface OrganizationSnapshot {
  /** The number of organizations that were added before it. @default its position in the snapshot */
  readonly index?: number;
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  /** The `jti` of used tokens with their `exp`. */
  readonly tokens: readonly (readonly [string, number])[];
  readonly faults: FaultPlanSnapshot;
  readonly schedule: ScheduleSnapshot;
  /** The used part of the rate limit; absent if no request has counted toward one. */
  readonly quota?: UsedQuota;
  /** The crypto networks and payment methods; absent if they are the default ones. */
  readonly crypto?: CryptoCatalog;
  /** The records by kind. */
  readonly collections: Collections;
}

/**
 * The state of a platform as plain JSON, from `snapshot()` and for `restore()`. You can store it in a file; its fields
 * other than `version` may change in any release.
 */
export interface PlatformSnapshot {
  /** The version of the format. */
  readonly version: 1;
}

/** The fields of a snapshot. */
export interface SnapshotFields extends PlatformSnapshot {
  readonly seed: string;
  readonly clock: ClockState;
  readonly requestCount: number;
  /** The number of organizations that were added, those that were removed included. @default the number of organizations */
  readonly organizationCount?: number;
  /** The behavior that `configure` set; if absent, `restore` leaves the behavior as it is. */
  readonly configured?: ConfiguredBehavior;
  /** The organizations, oldest first. */
  readonly organizations: readonly OrganizationSnapshot[];
}

/** The schema of a snapshot: it may come from a file or the control API. */
export const snapshotSchema: Schema<SnapshotFields> = memoize(() =>
  looseObject<SnapshotFields>({
    version: z.literal(1),
    seed: string(),
    clock: clockStateSchema(),
    requestCount: count(),
    organizationCount: optional(count()),
    configured: optional(configuredBehavior()),
    organizations: withMetadata(
      z.array(organizationSchema()).check(
        z.minLength(1),
        z.refine((all) => areDistinct(all, 'id') && areDistinct(all, 'apiKey')),
      ),
      { rule: 'must be an array of organizations with different ids and API keys' },
    ),
  }),
);

function configuredBehavior(): z.ZodMiniType<ConfiguredBehavior> {
  const shape = Object.entries(behaviorShape()).map(([name, schema]) => [name, z.nullable(schema)]);
  return optionsObject<ConfiguredBehavior>(Object.fromEntries(shape) as OptionsShape<ConfiguredBehavior>);
}

function organizationSchema(): z.ZodMiniType<OrganizationSnapshot> {
  return looseObject<OrganizationSnapshot>({
    index: optional(count()),
    id: nonEmptyString(),
    name: nonEmptyString(),
    apiKey: nonEmptyString({ sensitive: true }),
    tokens: z.array(z.tuple([z.string(), z.number()])),
    faults: faultPlanSchema(),
    schedule: scheduleSchema(),
    crypto: optional(cryptoCatalog()),
    quota: optional(looseObject<UsedQuota>({ since: z.number(), count: count() })),
    collections: looseObject<Collections>(
      Object.fromEntries(
        collectionNames.map((kind) => [kind, optional(collectionSchema<unknown>(storedSchemas[kind]()))]),
      ) as Shape<Collections>,
    ),
  });
}

const count = (): z.ZodMiniType<number> => integerFrom(0);

const areDistinct = (organizations: readonly OrganizationSnapshot[], field: 'id' | 'apiKey'): boolean =>
  new Set(organizations.map((organization) => organization[field])).size === organizations.length;
