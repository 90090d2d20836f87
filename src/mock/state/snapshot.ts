import type { StoredRecords } from './record-kinds.js';
import type { ScheduleSnapshot } from './schedule.js';
import type { ClockState } from './clock.js';
import type { CollectionSnapshot } from './collection.js';
import { describeValue } from '../../contract/describe.js';
import type { CryptoCatalog } from '../data/crypto-catalog.js';
import type { FaultPlanSnapshot } from '../faults/fault-plan.js';
import { MockPlatformError } from '../base/mock-error.js';
import type { RegisteredKeys } from '../base/keys.js';
import { deepFreeze } from '../base/freeze.js';
import type { MockBehavior } from '../base/mock-options.js';

/** The behavior that `configure` set; null for an option that was set back to its default. */
type ConfiguredBehavior = {
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
  /** The keys with which requests are accepted; absent if they are those that it was added with. */
  readonly registered?: RegisteredKeys;
  /** The `jti` of used tokens with their `exp`. */
  readonly tokens: readonly (readonly [string, number])[];
  readonly faults: FaultPlanSnapshot;
  readonly schedule: ScheduleSnapshot;
  /** The used part of the rate limit; absent if no request has counted toward one. */
  readonly quota?: UsedQuota;
  /** The crypto networks and payment methods; absent if they are the default ones. */
  readonly crypto?: CryptoCatalog;
  /** The values of sets that tests have added; absent if there are none. */
  readonly addedValues?: readonly string[];
  /** The state of its clock; absent if it has that of the platform. */
  readonly clock?: ClockState;
  /** The behavior that it does not have in common with the platform. */
  readonly behavior: MockBehavior;
  /** The records by kind. */
  readonly collections: Collections;
}

/**
 * The state of a platform as plain JSON, from `snapshot()` and for `restore()`. You can store it in a file. Its
 * other fields are private, and may change in any release.
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

/** The snapshots that this process took or read. They are frozen, so that their records need no copies. */
const taken = new WeakSet<object>();

/** Freezes the content of a snapshot, and adds the version of the format. */
export function toSnapshot<T extends object>(content: T): T & PlatformSnapshot {
  const snapshot = deepFreeze({ ...content, version: 1 as const });
  taken.add(snapshot);
  return snapshot;
}

/** Returns the content of a snapshot. Throws `MockPlatformError` if the value is none of this release. */
export function contentOf<T>(problem: string, fix: string, value: unknown): T {
  if (typeof value === 'object' && value !== null && taken.has(value)) return value as T;
  requireSnapshot(problem, fix, value);
  return structuredClone(value) as T;
}

function requireSnapshot(problem: string, fix: string, value: unknown): void {
  const { version, organizations } = Object(value) as { readonly version?: unknown; readonly organizations?: unknown };
  if (Number.isInteger(version) && version !== 1)
    throw new MockPlatformError(
      `${problem} of this release: its version is ${String(version)} ` +
        '(expected: 1). Use the release of corridor-sdk that wrote it.',
    );
  const isOrganization = (each: unknown): boolean => Object.hasOwn(Object(each) as object, 'collections');
  if (version !== 1 || !Array.isArray(organizations) || !isOrganization(organizations[0]))
    throw new MockPlatformError(`${problem} (received ${describeValue(value)}). ${fix}`);
}

/**
 * Returns the lines of a text file with a snapshot or the state of a server, one record in each, so that it can be
 * larger than the longest string.
 *
 * @example
 * ```ts
 * import { createWriteStream } from 'node:fs';
 * import { Readable } from 'node:stream';
 * import { pipeline } from 'node:stream/promises';
 * import { createMockPlatform, snapshotToLines } from 'corridor-sdk/mock';
 * export async function save(path: string): Promise<void> {
 *   const lines = snapshotToLines(createMockPlatform().snapshot());
 *   await pipeline(Readable.from(lines), createWriteStream(path));
 * }
 * ```
 */
export function* snapshotToLines(snapshot: PlatformSnapshot): Generator<string, void, undefined> {
  const { organizations, ...head } = contentOf<SnapshotFields>(
    'snapshotToLines: this is not a snapshot',
    'Pass one as `snapshot` returned it.',
    snapshot,
  );
  const withCounts = organizations.map(({ collections, ...organization }) => ({
    ...organization,
    collections: Object.fromEntries(
      Object.entries(collections).map(([kind, { next, rows }]) => [kind, { next, rows: rows.length }]),
    ),
  }));
  yield `${JSON.stringify({ ...head, organizations: withCounts })}\n`;
  for (const [organization, { collections }] of organizations.entries())
    for (const [kind, { rows }] of Object.entries(collections))
      for (const row of rows) yield `${JSON.stringify({ organization, kind, row })}\n`;
}

/**
 * Reads the lines of `snapshotToLines`, with or without line breaks. Rejects with `MockPlatformError` if they are not
 * of this release, damaged or not complete.
 *
 * @example
 * ```ts
 * import { createReadStream } from 'node:fs';
 * import { createInterface } from 'node:readline';
 * import { createMockPlatform, snapshotFromLines } from 'corridor-sdk/mock';
 * export async function load(path: string): Promise<void> {
 *   const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
 *   createMockPlatform().restore(await snapshotFromLines(lines));
 * }
 * ```
 */
export async function snapshotFromLines(lines: Iterable<string> | AsyncIterable<string>): Promise<PlatformSnapshot> {
  const [problem, fix] = [
    'snapshotFromLines: these are not the lines of a snapshot',
    'Pass all lines as they were written.',
  ];
  const damaged = (): never => {
    throw new MockPlatformError(`${problem}, because they are damaged or cut off. ${fix}`);
  };
  let head: Head | undefined;
  let missing = 0;
  for await (const text of lines) {
    const part = parsedLine(text) ?? damaged();
    if (head === undefined) {
      requireSnapshot(problem, fix, part);
      head = part as Head;
      for (const { collections } of head.organizations)
        for (const collection of Object.values(collections)) {
          missing += Number(collection.rows);
          collection.rows = [];
        }
    } else {
      const { organization, kind, row } = part as RecordLine;
      const { rows } = head.organizations[organization]?.collections[kind] ?? damaged();
      (rows as unknown[]).push(row);
      missing -= 1;
    }
  }
  return head === undefined || missing !== 0 ? damaged() : toSnapshot(head);
}

/** The first line. */
interface Head {
  readonly organizations: readonly {
    /** The records by kind: in the line, their number. */
    readonly collections: Readonly<Record<string, { rows: number | unknown[] }>>;
  }[];
}

interface RecordLine {
  readonly organization: number;
  readonly kind: string;
  readonly row: unknown;
}

function parsedLine(line: string): object | undefined {
  try {
    return Object(JSON.parse(line)) as object;
  } catch {
    return undefined;
  }
}
