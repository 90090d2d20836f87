import { MockPlatformError, requireValid } from '../base/mock-error.js';
import type { MockBehavior } from '../base/mock-options.js';
import type { MockFaults } from '../faults/fault-plan.js';
import type { MockRecords } from '../records/builder.js';
import type { MockPayments } from '../records/payments.js';
import type { PopulateSizes } from '../records/populate.js';
import type { MockClock } from '../state/clock.js';
import { type MockScenario, scenarioSchemas } from './scenario.js';
import { copyOf } from '../base/freeze.js';
import { withUnknownTexts } from '../base/unknown-values.js';
import { recordKinds, type RecordKindName } from '../state/record-kinds.js';
import type { PlatformState } from '../state/platform-state.js';

/** The organization that a scenario is loaded into. */
interface ScenarioTarget extends Readonly<Record<RecordKindName, unknown>> {
  readonly clock: MockClock;
  readonly payments: MockPayments;
  readonly faults: MockFaults;
  configure(behavior: MockBehavior): void;
  populate(sizes: PopulateSizes): void;
}

/** Throws `MockPlatformError` if a scenario has an unknown field or one of another type. */
function requireScenario(
  call: string,
  { options: { records } }: PlatformState,
  scenario: unknown,
): asserts scenario is MockScenario {
  requireValid(call, scenarioSchemas[records], withUnknownTexts(scenario), 'the scenario');
}

/** Adds what a valid scenario contains. */
function loadScenario(organization: ScenarioTarget, scenario: MockScenario): void {
  const { clock: time, behavior, populate, createdPayments } = scenario;
  if (time !== undefined) within('clock', () => organization.clock.set(time.now));
  if (time !== undefined && time.isFrozen !== true) organization.clock.resume();
  if (behavior !== undefined) organization.configure(behavior);
  if (populate !== undefined) organization.populate(populate);
  for (const kind of recordKinds) addRecords(organization, kind, scenario[kind] ?? []);
  if (createdPayments !== undefined)
    organization.payments.scheduleTransitionsOnCreate(createdPayments.statuses, createdPayments.trigger);
  planFaults(organization, scenario);
}

interface AnyRecord {
  readonly count?: number | undefined;
  readonly transitions?: { readonly statuses: readonly unknown[]; readonly trigger: object } | undefined;
}

type AnyRecords = MockRecords<{ readonly id: string }, object> & {
  readonly scheduleTransitions?: (id: string, statuses: readonly unknown[], trigger: object) => void;
};

function addRecords(organization: ScenarioTarget, kind: RecordKindName, items: readonly AnyRecord[]): void {
  const records = organization[kind] as unknown as AnyRecords;
  for (const [index, { count = 1, transitions, ...input }] of items.entries())
    within(`${kind}[${index}]`, () => {
      for (const { id } of records.addMany(count, () => input))
        if (transitions !== undefined) records.scheduleTransitions?.(id, transitions.statuses, transitions.trigger);
    });
}

/** Runs a function that adds a part of a scenario, which the message of a `MockPlatformError` names. */
function within(part: string, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    throw error instanceof MockPlatformError
      ? new MockPlatformError(`scenarios.load: ${part}: ${error.message}`)
      : error;
  }
}

function planFaults({ faults }: ScenarioTarget, { faults: planned = [], responses = [] }: MockScenario): void {
  for (const [index, { endpoint, fault, probability, ...options }] of planned.entries())
    within(`faults[${index}]`, () => {
      if (probability !== undefined) faults.rate(endpoint, probability, fault, options);
      else if (options.times === undefined) faults.always(endpoint, fault, options);
      else faults.next(endpoint, fault, options);
    });
  for (const [index, { endpoint, ...response }] of responses.entries())
    within(`responses[${index}]`, () => faults.respond(endpoint, response));
}

/** The scenarios of the package, by name. */
export const mockScenarios = {
  'first-payment': {
    description:
      'The records of the programs in the guides: a customer, a beneficiary, a quote of 1250.00 USD and ' +
      'an invoice, ready for a payment, and a person and a ticket. Payments that you create are ' +
      'approved after one minute, processed after two and completed after three.',
    behavior: { quoteLifetime: 604_800 },
    customers: [{ id: 'cus_1', companyName: 'Northwind Imports Ltd' }],
    beneficiaries: [{ id: 'ben_1', customerId: 'cus_1', currencyCode: 'USD', companyName: 'Lakeside Components LLC' }],
    quotes: [{ id: 'quo_1', customerId: 'cus_1', paymentAmount: '1250.00', paymentCurrencyCode: 'USD' }],
    documents: [{ id: 'doc_1', customerId: 'cus_1' }],
    persons: [{ id: 'per_1', customerId: 'cus_1' }],
    tickets: [{ id: 'tic_1', attachments: [{ id: 'att_1' }] }],
    createdPayments: { statuses: ['APPROVED', 'PROCESSING', 'COMPLETED'], trigger: { every: { minutes: 1 } } },
  },
  'screening-hold': {
    description:
      'A payment stays in PENDING_REVIEW, because a director of its customer has an open ' +
      'screening match. Clear the match and approve the payment to continue.',
    customers: [{ id: 'cus_held', companyName: 'Halcyon Trading Ltd' }],
    persons: [{ id: 'per_held', customerId: 'cus_held', screening: { previouslyCleared: [] } }],
    payments: [{ id: 'pay_held', customerId: 'cus_held', status: 'PENDING_REVIEW', currencyCode: 'MXN' }],
  },
  'returned-payout': {
    description:
      'A payment is in PROCESSING. After an hour, the bank of its beneficiary ' +
      'returns it; a support ticket asks about the account.',
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
      'The platform is down: the first create loses its response after the payment was ' +
      'made, and every other request gets a 503 until you clear the faults.',
    populate: { customers: 3, beneficiaries: 3, persons: 3, payments: 20, quotes: 0, documents: 0, tickets: 0 },
    faults: [
      { endpoint: 'payments.create', fault: { kind: 'reset-after-commit' }, times: 1 },
      { endpoint: '*', fault: { kind: 'status', status: 503 } },
    ],
  },
  'month-end': {
    description:
      '5,000 payments of one customer are in PROCESSING and complete after an ' +
      'hour; one in ten lists takes half a second longer.',
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
 * The scenarios of a platform: those of the package, and those that you add. Each organization loads them for itself.
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
   * Adds a scenario, which `load` and the control API then accept by its name. Throws `MockPlatformError` if a field is
   * unknown or of another type, or if the name already exists; `load` checks the rest.
   */
  add(name: string, scenario: MockScenario): void;
  /**
   * Adds the records, faults, responses and scheduled changes of a scenario to the organization, and sets its clock and
   * its behavior, which may be those of the platform, if the scenario has them. Throws `MockPlatformError` if the
   * scenario is unknown or invalid; then nothing is changed.
   */
  load(scenario: MockScenario | MockScenarioName | (string & {})): void;
}

/** The scenarios of platforms by name. */
const scenariosOf = new WeakMap<PlatformState, Map<string, MockScenario>>();

/** Creates the scenarios of an organization. */
export function createScenarios(platform: PlatformState, organization: ScenarioTarget): MockScenarios {
  const byName = scenariosOf.get(platform) ?? new Map<string, MockScenario>(Object.entries(mockScenarios));
  scenariosOf.set(platform, byName);
  return {
    list: () => [...byName].map(([name, { description = '' }]) => ({ name, description })),
    add: (name, scenario) => {
      requireScenario('scenarios.add', platform, scenario);
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
      requireScenario('scenarios.load', platform, loaded);
      const rollBack = platform.savepoint();
      try {
        loadScenario(organization, loaded);
      } catch (error) {
        rollBack();
        throw error;
      }
    },
  };
}
