import type { AgendaSnapshot } from './agenda.js';
import type { ClockState } from './clock.js';
import type { CollectionSnapshot } from './collection.js';
import type { PlannedFaults } from './faults.js';

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
