import { MockPlatformError, requireValid } from '../base/error.js';
import type { MockOrganization } from './organization.js';
import type { MockRecords } from '../records/builder.js';
import { type MockScenario, scenarioSchema } from './scenario.js';
import { copyOf } from '../base/freeze.js';
import type { PlatformState } from '../state/platform.js';

/** The kinds of records, in the order in which they are added: a record may name those of the kinds before it. */
const kinds = ['customers', 'beneficiaries', 'persons', 'quotes', 'documents', 'payments', 'tickets'] as const;

/** Adds what a valid scenario contains. */
function loadScenario(state: PlatformState, organization: MockOrganization, scenario: MockScenario): void {
  const { clock: time, behavior, populate, createdPayments } = scenario;
  if (time !== undefined) state.clock.set(time.now);
  if (time !== undefined && time.isFrozen !== true) state.clock.resume();
  if (behavior !== undefined) state.configure(behavior);
  if (populate !== undefined) organization.populate(populate);
  for (const kind of kinds) addRecords(organization, kind, scenario[kind] ?? []);
  if (createdPayments !== undefined)
    organization.payments.scheduleTransitionsOnCreate(createdPayments.statuses, createdPayments.trigger);
  planFaults(organization, scenario);
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

/** Plans all faults and responses, or none if one is invalid. */
function planFaults(organization: MockOrganization, { faults: planned = [], responses = [] }: MockScenario): void {
  const { faults } = organization;
  const ids: string[] = [];
  try {
    for (const { endpoint, fault, times, probability, duration, when } of planned) {
      const options = when === undefined ? {} : { when };
      if (times !== undefined) ids.push(faults.next(endpoint, fault, { ...options, times }));
      else if (probability !== undefined) ids.push(faults.rate(endpoint, probability, fault, { ...options, duration }));
      else ids.push(faults.always(endpoint, fault, { ...options, duration }));
    }
    for (const { endpoint, when, ...response } of responses)
      ids.push(organization.respond(endpoint, { ...response, ...(when !== undefined && { when }) }));
  } catch (error) {
    for (const id of ids) faults.remove(id);
    throw error;
  }
}

/** The scenarios of the package, by name. */
export const mockScenarios = {
  'first-payment': {
    description:
      'A customer, a beneficiary, a quote of 1250.00 MXN and an invoice, ready for a payment. Payments that you create are approved after one minute, processed after two and completed after three.',
    behavior: { quoteLifetime: 604_800 },
    customers: [{ id: 'cus_first', companyName: 'Northwind Imports Ltd' }],
    beneficiaries: [
      { id: 'ben_first', customerId: 'cus_first', currencyCode: 'MXN', companyName: 'Talleres Robles SA' },
    ],
    quotes: [{ id: 'quo_first', customerId: 'cus_first', paymentAmount: '1250.00', paymentCurrencyCode: 'MXN' }],
    documents: [{ id: 'doc_first', customerId: 'cus_first' }],
    createdPayments: { statuses: ['APPROVED', 'PROCESSING', 'COMPLETED'], trigger: { every: { minutes: 1 } } },
  },
  'screening-hold': {
    description:
      'A payment stays in PENDING_REVIEW, because a director of its customer has an open screening match. Clear the match and approve the payment to continue.',
    customers: [{ id: 'cus_held', companyName: 'Halcyon Trading Ltd' }],
    persons: [{ id: 'per_held', customerId: 'cus_held', screening: { previouslyCleared: [] } }],
    payments: [{ id: 'pay_held', customerId: 'cus_held', status: 'PENDING_REVIEW', currencyCode: 'MXN' }],
  },
  'returned-payout': {
    description:
      'A payment is in PROCESSING. After an hour, the bank of its beneficiary returns it; a support ticket asks about the account.',
    customers: [{ id: 'cus_returned', companyName: 'Meridian Textiles Ltd' }],
    payments: [
      {
        id: 'pay_returned',
        customerId: 'cus_returned',
        status: 'PROCESSING',
        currencyCode: 'ZAR',
        transitions: { statuses: ['RETURNED'], trigger: { every: { hours: 1 } } },
      },
    ],
    tickets: [
      {
        id: 'tic_returned',
        subject: 'Payment pay_returned: the account of the beneficiary',
        replies: [{ bodyText: 'The bank reports that the account is closed. Please check the account number.' }],
      },
    ],
  },
  outage: {
    description:
      'The platform is down: the first create loses its response after the payment was made, and every other request gets a 503 until you clear the faults.',
    populate: { customers: 3, beneficiaries: 3, persons: 3, payments: 20, quotes: 0, documents: 0, tickets: 0 },
    faults: [
      { endpoint: 'payments.create', fault: { kind: 'reset-after-commit' }, times: 1 },
      { endpoint: '*', fault: { kind: 'status', status: 503 } },
    ],
  },
  'month-end': {
    description:
      '5,000 payments of one customer are in PROCESSING and complete after an hour; one in ten lists takes half a second longer.',
    customers: [{ id: 'cus_month_end', companyName: 'Atlas Payroll Services Ltd' }],
    payments: [
      {
        customerId: 'cus_month_end',
        status: 'PROCESSING',
        count: 5000,
        transitions: { statuses: ['COMPLETED'], trigger: { every: { hours: 1 } } },
      },
    ],
    faults: [{ endpoint: 'payments.list', fault: { kind: 'slow', delay: 500 }, probability: 0.1 }],
  },
} as const satisfies Readonly<Record<string, MockScenario>>;

/** The name of a scenario of the package. */
export type MockScenarioName = keyof typeof mockScenarios;

/**
 * The scenarios of a platform: those of the package, and those that you add.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * platform.scenarios.load('returned-payout');
 * platform.clock.advance({ hours: 1 });
 * console.log(platform.payments.get('pay_returned')?.status); // RETURNED
 * ```
 */
export interface MockScenarios {
  /** Returns the names of all scenarios, with their descriptions. */
  list(): { readonly name: string; readonly description: string }[];
  /**
   * Adds a scenario, which `load` and the control API then accept by its name. Throws `MockPlatformError` if it is
   * invalid or the name already exists.
   */
  add(name: string, scenario: MockScenario): void;
  /**
   * Adds the records, faults and scheduled changes of a scenario to the first organization, and sets the clock and the
   * behavior if the scenario has them. Throws `MockPlatformError` if the scenario is unknown or invalid; then nothing is
   * changed.
   */
  load(scenario: MockScenario | MockScenarioName | (string & {})): void;
}

/** Creates the scenarios of a platform, which are loaded into an organization. */
export function createScenarios(state: PlatformState, organization: MockOrganization): MockScenarios {
  const byName = new Map<string, MockScenario>(Object.entries(mockScenarios));
  return {
    list: () => [...byName].map(([name, { description = '' }]) => ({ name, description })),
    add: (name, scenario) => {
      requireValid('scenarios.add', scenarioSchema, scenario, 'the scenario');
      if (byName.has(name))
        throw new MockPlatformError(
          `scenarios.add: the name ${JSON.stringify(name)} already exists. Pass another one.`,
        );
      byName.set(name, copyOf(scenario));
    },
    load: (scenario) => {
      const loaded: unknown = typeof scenario === 'string' ? byName.get(scenario) : scenario;
      if (loaded === undefined)
        throw new MockPlatformError(
          `scenarios.load: unknown scenario ${JSON.stringify(scenario)} (expected: ${[...byName.keys()].join(', ')})`,
        );
      requireValid('scenarios.load', scenarioSchema, loaded, 'the scenario');
      const rollBack = state.savepoint();
      try {
        loadScenario(state, organization, loaded);
      } catch (error) {
        rollBack();
        throw error;
      }
    },
  };
}
