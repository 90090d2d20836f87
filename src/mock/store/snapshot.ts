import * as z from 'zod/mini';
import { integerFrom, optionsObject, type OptionsShape } from '../../contract/options.js';
import {
  nonEmptyString,
  string,
  looseObject,
  memoize,
  optional,
  withMetadata,
  type Schema,
  type Shape,
} from '../../contract/schema/schema.js';
import { scheduleSchema, type ScheduleSnapshot } from './schedule.js';
import { clockStateSchema, type ClockState } from './clock.js';
import { collectionSchema, type CollectionSnapshot } from './collection.js';
import { storedSchemas, type StoredRecords } from './stored-schemas.js';
import { cryptoCatalog, type CryptoCatalog } from '../data/crypto-catalog.js';
import { faultPlanSchema, type FaultPlanSnapshot } from '../faults/planned-fault.js';
import { behaviorShape, type MockBehavior } from '../behavior.js';

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
