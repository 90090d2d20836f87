import { isAgendaSnapshot, type AgendaSnapshot } from './agenda.js';
import { isClockState, type ClockState } from './clock.js';
import { isCollectionSnapshot, type CollectionSnapshot } from './collection.js';
import { isPlannedFaults, type PlannedFaults } from './faults.js';
import { isCount, isList, isObject, isTime } from './json.js';
import type { MockSwitches } from './switches.js';

/** The switches that `assume` set; null where one was put back to its default. */
export type AssumedSwitches = { readonly [Name in keyof MockSwitches]?: Exclude<MockSwitches[Name], undefined> | null };

/** How much of a rate limit is used. */
export interface UsedQuota {
  /** When the first request of the span was answered, in milliseconds since the epoch. */
  readonly since: number;
  /** How many were answered since. */
  readonly count: number;
}

/** An organization as plain JSON. */
export interface OrganizationSnapshot {
  /** The organization's id. */
  readonly id: string;
  /** The organization's name. */
  readonly name: string;
  /** The organization's API key. */
  readonly apiKey: string;
  /** The `jti` of used tokens with their `exp`. */
  readonly tokens: readonly (readonly [string, number])[];
  /** What is planned to go wrong. */
  readonly faults: readonly PlannedFaults[];
  /** What it will do by itself. */
  readonly agenda: AgendaSnapshot;
  /** How much of its rate limit is used; absent where there is none. */
  readonly quota?: UsedQuota;
  /** The records by kind. */
  readonly collections: { readonly [kind: string]: CollectionSnapshot<unknown> };
}

/** A platform as plain JSON. */
export interface PlatformSnapshot {
  /** The version of this form. */
  readonly version: 1;
  /** The seed of the platform. */
  readonly seed: string;
  /** Where the clock stood. */
  readonly clock: ClockState;
  /** How many requests were answered. */
  readonly answered: number;
  /** The switches that `assume` set; where this is absent, `restore` leaves them as they are. */
  readonly assumed?: AssumedSwitches;
  /** The organizations, oldest first. */
  readonly organizations: readonly OrganizationSnapshot[];
}

/** Whether something is a snapshot as far as its form tells: it may come from a file, or over the control API. What records hold is not asked. */
export function isSnapshot(value: unknown): boolean {
  if (!isObject(value) || value['version'] !== 1 || typeof value['seed'] !== 'string' || !isClockState(value['clock']) || !isCount(value['answered'])) return false;
  const { assumed, organizations } = value;
  if (assumed !== undefined && !isObject(assumed)) return false;
  return isList(organizations, isOrganizationSnapshot) && organizations.length > 0 && areDistinct(organizations, 'id') && areDistinct(organizations, 'apiKey');
}

type Fields = { readonly [field: string]: unknown };

const areDistinct = (organizations: readonly unknown[], field: string): boolean =>
  new Set(organizations.map((organization) => (organization as Fields)[field])).size === organizations.length;

function isOrganizationSnapshot(value: unknown): boolean {
  if (!isObject(value) || ![value['id'], value['name'], value['apiKey']].every((text) => typeof text === 'string')) return false;
  const { tokens, faults, agenda, collections, quota } = value;
  if (quota !== undefined && !(isObject(quota) && isTime(quota['since']) && isCount(quota['count']))) return false;
  return isList(tokens, isToken) && isList(faults, isPlannedFaults) && isAgendaSnapshot(agenda) && isObject(collections) && Object.values(collections).every(isCollectionSnapshot);
}

const isToken = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isTime(value[1]);
