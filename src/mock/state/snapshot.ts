import { isPlainObject } from '../../contract/options.js';
import type { StoredRecords } from './records.js';
import type { ScheduleSnapshot } from './schedule.js';
import type { ClockState } from './clock.js';
import type { CollectionSnapshot } from './collection.js';
import { describeValue } from '../../contract/validate.js';
import type { CryptoCatalog } from '../data/crypto-catalog.js';
import { fingerprint } from '../data/random.js';
import type { FaultPlanSnapshot } from '../faults/fault-plan.js';
import { MockPlatformError } from '../base/error.js';
import type { MockBehavior } from '../base/options.js';

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

type Collections = { readonly [Kind in keyof StoredRecords]?: CollectionSnapshot<StoredRecords[Kind]> };

/** An organization as plain JSON. */
export interface OrganizationSnapshot {
  /** The number of organizations that were added before it. */
  readonly index: number;
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
  /** The state of its clock; absent if it has that of the platform. */
  readonly clock?: ClockState;
  /** The behavior that it does not have in common with the platform; absent if there is none. */
  readonly behavior?: ConfiguredBehavior;
  /** The records by kind. */
  readonly collections: Collections;
}

/**
 * The state of a platform as plain JSON, from `snapshot()` and for `restore()`. You can store it in a file. Its
 * other fields are private: `restore` rejects an edited snapshot, and they may change in any release.
 */
export interface PlatformSnapshot {
  /** The version of the format. */
  readonly version: 1;
}

/** The fields of a snapshot. */
export interface SnapshotFields {
  readonly seed: string;
  readonly clock: ClockState;
  readonly requestCount: number;
  /** The number of organizations that were added, those that were removed included. */
  readonly organizationCount: number;
  readonly configured: ConfiguredBehavior;
  /** The organizations, oldest first. */
  readonly organizations: readonly OrganizationSnapshot[];
}

/** Returns a hash of plain JSON. It stays the same if a database stores the JSON with its fields in another order. */
const hashOf = (content: object): string => fingerprint(JSON.stringify(content, sortFields));

function sortFields(_name: string, value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Adds the version of the format, which changes with the fields, and a hash, by which `requireSealed` detects changes. */
export function seal<T extends object>(content: T): T & PlatformSnapshot {
  return { version: 1, hash: hashOf(content), ...content };
}

/**
 * Throws `MockPlatformError` unless a value is what `seal` returned, or a copy of it. Nothing else is validated: only
 * `seal` knows the content.
 */
export function requireSealed(problem: string, fix: string, value: unknown): void {
  const { version, hash, ...content } = Object(value) as { readonly version?: unknown; readonly hash?: unknown };
  if (Number.isInteger(version) && version !== 1)
    throw new MockPlatformError(
      `${problem} of this release: its version is ${String(version)} (expected: 1). Use the release of corridor-sdk that wrote it.`,
    );
  if (typeof hash !== 'string') throw new MockPlatformError(`${problem} (received ${describeValue(value)}). ${fix}`);
  if (hash !== hashOf(content))
    throw new MockPlatformError(
      `${problem}, because it was edited or damaged: its content does not match its hash. ${fix}`,
    );
}
