import { conforms, requestIssues } from '../../contract/check.js';
import type { Schema } from '../../contract/schema.js';
import { MockPlatformError } from '../error.js';
import type { OrganizationState } from '../state.js';

/** Any part of a record. What is absent, or undefined, the mock fills in. */
export type Partially<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** What the caller gave, without what is undefined. */
export function given<T extends object>(input: T): { -readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]: [string, unknown]) => value !== undefined)) as { -readonly [K in keyof T]?: Exclude<T[K], undefined> };
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

/** The milliseconds of a timestamp. Throws `MockPlatformError` where lists could not be ordered by it. */
export function timeOf(call: string, timestamp: string): number {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) throw new MockPlatformError(`${call}: createdAt must be a date-time such as "2026-02-28T09:30:00.000Z"`);
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

/** The records of one kind, as a test makes and reads them. */
export abstract class MockRecords<Out, Input> {
  protected readonly organization: OrganizationState;

  constructor(organization: OrganizationState) {
    this.organization = organization;
  }

  /** Adds a record; what is not given is filled in. Throws `MockPlatformError` naming the field where something given is wrong. */
  abstract add(partial?: Input): Out;

  /** A record; undefined where there is none of that id. */
  abstract get(id: string): Out | undefined;

  /** All records, oldest first. */
  abstract all(): Out[];

  /** Adds several records; the function says what the n-th is given, counted from 0. */
  addMany(count: number, partial?: (index: number) => Input): Out[] {
    return Array.from({ length: count }, (_, index) => this.add(partial?.(index)));
  }
}
