import { MockPlatformError } from '../error.js';
import type { MockOrganization } from '../organization.js';
import type { MockRecords } from '../records/builder.js';
import type { MockClock } from '../store/clock.js';
import type { MockBehavior } from '../behavior.js';
import type { MockScenario, ScenarioFault } from './scenario.js';

/** What a scenario changes. */
export interface ScenarioTarget {
  readonly organization: MockOrganization;
  readonly clock: MockClock;
  readonly configure: (behavior: MockBehavior) => void;
}

/** The kinds of records, in the order in which they are added: a record may name those of the kinds before it. */
const kinds = ['customers', 'beneficiaries', 'persons', 'quotes', 'documents', 'payments', 'tickets'] as const;

/** Adds what a valid scenario contains. */
export function loadScenario({ organization, clock, configure }: ScenarioTarget, scenario: MockScenario): void {
  const { clock: time, behavior, populate, createdPayments, faults = [] } = scenario;
  if (time !== undefined) clock.set(time.now);
  if (time !== undefined && time.isFrozen !== true) clock.resume();
  if (behavior !== undefined) configure(behavior);
  if (populate !== undefined) organization.populate(populate);
  for (const kind of kinds) addRecords(organization, kind, scenario[kind] ?? []);
  if (createdPayments !== undefined)
    organization.payments.scheduleTransitionsOnCreate(createdPayments.statuses, createdPayments.trigger);
  planFaults(organization, faults);
}

interface AnyRecord {
  readonly count?: number | undefined;
  readonly transitions?: { readonly statuses: readonly string[]; readonly trigger: object } | undefined;
}

type AnyRecords = MockRecords<{ readonly id: string }, object> & {
  readonly scheduleTransitions?: (id: string, statuses: readonly string[], trigger: object) => void;
};

function addRecords(organization: MockOrganization, kind: (typeof kinds)[number], items: readonly AnyRecord[]): void {
  const records = organization[kind] as unknown as AnyRecords;
  for (const [index, { count = 1, transitions, ...input }] of items.entries()) {
    try {
      for (const { id } of records.addMany(count, () => input))
        if (transitions !== undefined) records.scheduleTransitions?.(id, transitions.statuses, transitions.trigger);
    } catch (error) {
      throw error instanceof MockPlatformError
        ? new MockPlatformError(`scenarios.load: ${kind}[${index}]: ${error.message}`)
        : error;
    }
  }
}

/** Plans all faults, or none if one is invalid. */
function planFaults({ faults }: MockOrganization, planned: readonly ScenarioFault[]): void {
  const ids: string[] = [];
  try {
    for (const { endpoint, fault, times, probability, duration, when } of planned) {
      const options = when === undefined ? {} : { when };
      if (times !== undefined) ids.push(faults.next(endpoint, fault, { ...options, times }));
      else if (probability !== undefined) ids.push(faults.rate(endpoint, probability, fault, { ...options, duration }));
      else ids.push(faults.always(endpoint, fault, { ...options, duration }));
    }
  } catch (error) {
    for (const id of ids) faults.remove(id);
    throw error;
  }
}
