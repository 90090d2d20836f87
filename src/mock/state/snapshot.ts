import { isPlainObject } from '../../contract/objects.js';
import type { StoredRecords } from './record-kinds.js';
import type { ScheduleSnapshot } from './schedule.js';
import type { ClockState } from './clock.js';
import type { CollectionSnapshot } from './collection.js';
import { describeValue } from '../../contract/describe.js';
import type { CryptoCatalog } from '../data/crypto-catalog.js';
import { fingerprint } from '../data/random.js';
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

/** Returns the parts of a state, the records one by one, because all of them together can exceed the longest string. */
function* partsOf(content: object): Generator<object> {
  const { organizations, ...head } = content as Partial<SnapshotFields>;
  yield {
    ...head,
    organizations: organizations?.map(({ collections, ...organization }) => ({
      ...organization,
      collections: Object.fromEntries(
        Object.entries(collections).map(([kind, { next }]) => [kind, { next, rows: [] }]),
      ),
    })),
  };
  for (const [organization, { collections }] of (organizations ?? []).entries())
    for (const [kind, { rows }] of Object.entries(collections).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      for (const row of rows) yield { organization, kind, row };
}

/** Returns a hash of a state. It stays the same if a database stores the JSON with its fields in another order. */
function hashOf(content: object): string {
  let hash = '';
  for (const part of partsOf(content)) hash = fingerprint(hash + JSON.stringify(part, sortFields));
  return hash;
}

function sortFields(_name: string, value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The states that this process took or read, which are frozen and need no validation. */
const sealed = new WeakSet<object>();

/**
 * Freezes the content of a state, and adds the version of the format, which changes with the fields, and a hash, by
 * which `contentOf` detects changes. The hash is computed when it is read, as `JSON.stringify` does.
 */
export function seal<T extends object>(content: T): T & PlatformSnapshot {
  deepFreeze(content);
  let hash: string | undefined;
  const get = (): string => (hash ??= hashOf(content));
  const state = Object.freeze(
    Object.defineProperty({ version: 1 as const, ...content }, 'hash', { enumerable: true, get }),
  );
  sealed.add(state);
  return state;
}

/** Returns the fields of a state without computing its hash. */
export function unsealed<T extends object>(state: T): Omit<T, 'version' | 'hash'> {
  const fields = Object.keys(state).filter((name) => name !== 'version' && name !== 'hash') as (keyof T)[];
  return Object.fromEntries(fields.map((name) => [name, state[name]])) as Omit<T, 'version' | 'hash'>;
}

/**
 * Returns the content of a state. Throws `MockPlatformError` unless it is what `seal` returned, or a copy of it.
 * Nothing else is validated: only `seal` knows the content.
 */
export function contentOf<T>(problem: string, fix: string, value: unknown): T {
  if (typeof value === 'object' && value !== null && sealed.has(value)) return value as T;
  const { version, hash, ...content } = Object(value) as { readonly version?: unknown; readonly hash?: unknown };
  requireVersion(problem, version);
  if (typeof hash !== 'string') throw new MockPlatformError(`${problem} (received ${describeValue(value)}). ${fix}`);
  if (hash !== hashOf(content)) edited(problem, fix);
  return structuredClone(content) as T;
}

function requireVersion(problem: string, version: unknown): void {
  if (Number.isInteger(version) && version !== 1)
    throw new MockPlatformError(
      `${problem} of this release: its version is ${String(version)} ` +
        '(expected: 1). Use the release of corridor-sdk that wrote it.',
    );
}

function edited(problem: string, fix: string): never {
  throw new MockPlatformError(
    `${problem}, because it was edited or damaged: its content does not match its hash. ${fix}`,
  );
}

/**
 * Returns the lines of a text file with a snapshot or the state of a server, one record in each, so that it can be
 * larger than the longest string. Throws `MockPlatformError` at the first line if it was edited.
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
  const content = contentOf<object>(
    'snapshotToLines: this is not a snapshot',
    'Pass one as `snapshot` returned it.',
    snapshot,
  );
  let hash = '';
  for (const part of partsOf({ version: 1, ...unsealed(content) })) {
    const line = JSON.stringify(part);
    hash = fingerprint(hash + line);
    yield `${line}\n`;
  }
  yield `${JSON.stringify({ hash })}\n`;
}

/**
 * Reads the lines of `snapshotToLines`, with or without line breaks. Rejects with `MockPlatformError` if they are not
 * of this release, or were edited or cut off.
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
  const share = sharing();
  let head: (SnapshotFields & PlatformSnapshot) | undefined;
  let [hash, isComplete] = ['', false];
  for await (const text of lines) {
    const line = text.replace(/\r?\n$/, '');
    const part = parsedLine(line) ?? edited(problem, fix);
    if (head === undefined) {
      head = part as SnapshotFields & PlatformSnapshot;
      requireVersion(problem, head.version);
      if (!Array.isArray(head.organizations)) throw new MockPlatformError(`${problem}. ${fix}`);
    } else if (typeof part.hash === 'string') {
      if (part.hash !== hash || isComplete) edited(problem, fix);
      isComplete = true;
    } else {
      const collections = head.organizations[part.organization ?? -1]?.collections as StoredCollections | undefined;
      const rows = collections?.[part.kind ?? ''] ?? edited(problem, fix);
      rows.rows.push(share('row', part.row));
    }
    hash = fingerprint(hash + line);
  }
  return isComplete && head !== undefined ? seal(unsealed(head)) : edited(problem, fix);
}

/** The most values of a field that `sharing` keeps: a field with more, such as `id`, hardly repeats any. */
const maxShared = 5000;

/**
 * Returns a function that replaces texts and objects by equal ones that it got before as the same field, such as the
 * destination of payments to one beneficiary: parsed records take as little memory as added ones.
 */
function sharing(): (field: string, value: unknown) => unknown {
  type Known = Map<string, Map<string, unknown>>;
  const [texts, objects]: [Known, Known] = [new Map(), new Map()];
  const first = (known: Known, field: string, value: unknown, keyOf: (value: unknown) => string): unknown => {
    const values = known.get(field) ?? new Map<string, unknown>();
    known.set(field, values);
    if (values.size === maxShared) return value;
    const key = keyOf(value);
    if (!values.has(key)) values.set(key, value);
    return values.get(key);
  };
  const share = (field: string, value: unknown): unknown => {
    if (typeof value === 'string') return first(texts, field, value, String);
    if (Array.isArray(value)) return value.map((item: unknown) => share(field, item));
    if (!isPlainObject(value)) return value;
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) fields[name] = share(name, fields[name]);
    return first(objects, field, value, JSON.stringify);
  };
  return share;
}

type StoredCollections = Readonly<Record<string, { readonly rows: unknown[] }>>;

interface Line {
  readonly organization?: number;
  readonly kind?: string;
  readonly row?: unknown;
  readonly hash?: unknown;
}

function parsedLine(line: string): Line | undefined {
  try {
    return Object(JSON.parse(line)) as Line;
  } catch {
    return undefined;
  }
}
