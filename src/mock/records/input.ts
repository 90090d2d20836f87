import { parsedTime } from '../clock.js';
import { checkedPace, type MockPace, type MovingKind } from '../agenda.js';
import { conforms, requestIssues } from '../../contract/check.js';
import type { Schema } from '../../contract/schema.js';
import { MockPlatformError } from '../error.js';
import type { Collection } from '../collection.js';
import { isObject } from '../json.js';
import type { OrganizationState } from '../state.js';

/** Any part of a record. What is absent, or undefined, the mock fills in. */
export type Partially<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** What the caller gave, without what is undefined. */
export function given<T extends object>(input: T): { -readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]: [string, unknown]) => value !== undefined)) as { -readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Throws `MockPlatformError` where a part that was given is no object with fields: the contract is asked only of what was made of it. */
export function requireObjects(call: string, parts: { readonly [field: string]: unknown }): void {
  for (const [field, value] of Object.entries(parts)) {
    if (value !== undefined && !isObject(value)) throw new MockPlatformError(`${call}: ${field} must be an object; to have one made, leave it out`);
  }
}

/** Throws `MockPlatformError` where a part that was given is no list of objects. */
export function requireLists(call: string, parts: { readonly [field: string]: unknown }): void {
  for (const [field, value] of Object.entries(parts)) {
    if (value === undefined) continue;
    if (!Array.isArray(value)) throw new MockPlatformError(`${call}: ${field} must be a list of objects`);
    const wrong = (value as readonly unknown[]).findIndex((item) => !isObject(item));
    if (wrong !== -1) throw new MockPlatformError(`${call}: ${field}[${wrong}] must be an object`);
  }
}

/** Throws `MockPlatformError` where a record is not exactly as the contract says, with every field that is wrong. */
export function requireConforming<T>(call: string, schema: Schema<T>, record: unknown): asserts record is T {
  if (conforms(schema(), record)) return;
  const issues = requestIssues(schema(), record).map(({ path, message }) => `${path === '' ? 'the record' : path} ${message}`);
  throw new MockPlatformError(`${call}: ${issues.join('; ')}`);
}

/** The time of the mock's clock as records carry it. */
export function timestampNow(organization: OrganizationState): string {
  return new Date(organization.platform.clock.now()).toISOString();
}

/** A time some seconds after another, as records carry it. */
export function secondsAfter(timestamp: string, seconds: number): string {
  return new Date(Date.parse(timestamp) + seconds * 1000).toISOString();
}

/** The milliseconds of a timestamp. Throws `MockPlatformError` where it is none, because lists could not be ordered by it. */
export function timeOf(call: string, timestamp: unknown, field = 'createdAt'): number {
  const at = typeof timestamp === 'string' ? parsedTime(timestamp) : Number.NaN;
  if (Number.isNaN(at)) throw new MockPlatformError(`${call}: ${field} must be a date-time with a zone, such as "2026-02-28T09:30:00.000Z"`);
  return at;
}

/** Throws `MockPlatformError` because a record names another that the organization does not have. */
export function refuseUnknown(call: string, field: string, id: string): never {
  throw new MockPlatformError(`${call}: ${field} ${JSON.stringify(id)} is no record of this organization; add it first, or leave ${field} out`);
}

/** Throws `MockPlatformError` where a record cannot move to a status. */
export function requireMove(call: string, table: { readonly [from: string]: readonly string[] | undefined }, from: string, to: string): void {
  const allowed = Object.hasOwn(table, from) ? (table[from] ?? []) : [];
  if (allowed.includes(to)) return;
  const ways = allowed.length === 0 ? 'it is final' : `from there it moves to ${allowed.join(', ')}`;
  throw new MockPlatformError(`${call}: ${from} does not move to ${to}; ${ways} (options.transitions changes the table)`);
}

/** An organization that has done what it was to do by itself until now. */
export function settled(organization: OrganizationState): OrganizationState {
  organization.settle();
  return organization;
}

/** Plans the statuses that a record of a kind with a table of transitions moves to. Throws `MockPlatformError` where the table does not allow one of them. */
export function planMoves(
  organization: OrganizationState, kind: MovingKind, plan: { readonly id: string; readonly from: string; readonly steps: readonly string[]; readonly pace: MockPace },
): void {
  const { id, from, steps, pace } = plan;
  const { clock, options } = organization.platform;
  requireChain(`${kind}.plan`, options.transitions[kind], [from, ...steps]);
  organization.agenda.plan(kind, id, steps, checkedPace(`${kind}.plan`, pace), clock.now());
}

/** Throws `MockPlatformError` where one status does not move to the next. */
export function requireChain(call: string, table: { readonly [from: string]: readonly string[] | undefined }, statuses: readonly string[]): void {
  for (const [index, status] of statuses.entries()) if (index > 0) requireMove(call, table, statuses[index - 1] ?? '', status);
}

/** The records of one kind, as a test makes and reads them. */
export interface MockRecords<Shown, Input> {
  /**
   * Adds a record; what is not given is filled in, drawn from the seed. Throws `MockPlatformError` naming the field where something
   * given is unknown or wrong; then nothing is added.
   */
  add(partial?: Input): Shown;
  /** Adds several records; the function says what the n-th is given, counted from 0. Throws as `add`; those before stay. */
  addMany(count: number, partial?: (index: number) => Input): Shown[];
  /** A record as it is now; undefined where there is none of that id. */
  get(id: string): Shown | undefined;
  /** All records, oldest first. */
  all(): Shown[];
}

/** How many records one call may add. */
const mostAtOnce = 1_000_000;

/** How the records of one kind are made, found and shown. */
export interface RecordKind<Stored, Shown, Input> {
  /** What messages call the making. */
  readonly call: string;
  readonly create: (organization: OrganizationState, input?: Input) => Stored;
  readonly collection: (organization: OrganizationState) => Collection<Stored>;
  readonly show: (organization: OrganizationState, stored: Stored) => Shown;
}

/** The records of one kind of an organization. */
export function recordsOf<Stored, Shown, Input>(organization: OrganizationState, kind: RecordKind<Stored, Shown, Input>): MockRecords<Shown, Input> {
  const { call, create, collection, show } = kind;
  const add = (partial?: Input): Shown => {
    if (partial !== undefined && !isObject(partial)) throw new MockPlatformError(`${call}: give an object with fields of the record, or nothing`);
    const goBack = settled(organization).mark();
    try {
      return show(organization, create(organization, partial));
    } catch (error) {
      // What was made for it, such as its customer, must not stay behind.
      goBack();
      throw error;
    }
  };
  return {
    add,
    addMany: (count, partial) => {
      if (!Number.isInteger(count) || count < 0 || count > mostAtOnce) throw new MockPlatformError(`addMany: count must be a whole number from 0 to ${mostAtOnce}`);
      if (partial !== undefined && typeof partial !== 'function') throw new MockPlatformError('addMany: give a function of the index, such as (index) => ({ id: `mine_${index}` })');
      return Array.from({ length: count }, (_, index) => add(partial?.(index)));
    },
    get: (id) => {
      const stored = collection(settled(organization)).get(id);
      return stored === undefined ? undefined : show(organization, stored);
    },
    all: () => collection(settled(organization)).values().map((stored) => show(organization, stored)),
  };
}
