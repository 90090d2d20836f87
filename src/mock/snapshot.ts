import type { AgendaSnapshot } from './agenda.js';
import type { ClockState } from './clock.js';
import type { CollectionSnapshot } from './collection.js';
import type { PlannedFaults } from './faults.js';

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
  /** The organizations, oldest first. */
  readonly organizations: readonly OrganizationSnapshot[];
}

const isObject = (value: unknown): value is { readonly [field: string]: unknown } => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether something is a snapshot as far as its outline tells: it may come from a file, or over the control API. */
export function isSnapshot(value: unknown): boolean {
  if (!isObject(value) || value['version'] !== 1 || !isObject(value['clock']) || typeof value['answered'] !== 'number') return false;
  const { organizations } = value;
  return Array.isArray(organizations) && organizations.every(isOrganizationSnapshot);
}

function isOrganizationSnapshot(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value['tokens']) || !Array.isArray(value['faults'])) return false;
  const { agenda, collections, quota } = value;
  if (quota !== undefined && (!isObject(quota) || typeof quota['since'] !== 'number' || typeof quota['count'] !== 'number')) return false;
  if (!isObject(agenda) || !Array.isArray(agenda['calls']) || !Array.isArray(agenda['plans']) || !isObject(collections)) return false;
  return Object.values(collections).every((collection) => isObject(collection) && Array.isArray(collection['rows']));
}
