import type { BeneficiaryStatus } from '../../../contract/schema/beneficiaries.js';
import type { Customer, CustomerStatus } from '../../../contract/schema/customers.js';
import type { Random } from '../../data/random.js';
import { createBeneficiary } from '../beneficiaries.js';
import { createCustomer, setCustomerStatus } from '../customers.js';
import { createPerson } from '../persons.js';
import type { OrganizationState } from '../../store/organization.js';

/** An array with at least one item. */
export type NonEmptyList<T> = readonly [T, ...T[]];

/** The customers of a populated organization. */
export interface PopulatedCustomers {
  /** Those that are approved. */
  readonly payers: NonEmptyList<Customer>;
  /** Those that were reviewed but are not approved now. */
  readonly others: readonly Customer[];
}

const day = 86_400_000;
const hour = 3_600_000;

// Allowed by the transition tables, because each step is an entry of the customer's activity.
const customerHistories: NonEmptyList<NonEmptyList<CustomerStatus>> = [
  ['DRAFT', 'PENDING_REVIEW', 'APPROVED'],
  ['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'PENDING_REVIEW', 'APPROVED'],
  ['DRAFT'],
  ['DRAFT', 'PENDING_REVIEW', 'APPROVED'],
  ['DRAFT', 'PENDING_REVIEW'],
  ['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED'],
  ['DRAFT', 'PENDING_REVIEW', 'REJECTED'],
  ['DRAFT', 'PENDING_REVIEW', 'APPROVED', 'SUSPENDED'],
];

const beneficiaryHistories: NonEmptyList<NonEmptyList<BeneficiaryStatus>> = [
  ['PENDING_REVIEW', 'APPROVED'],
  ['PENDING_REVIEW', 'APPROVED'],
  ['PENDING_REVIEW'],
  ['PENDING_REVIEW', 'CORRECTION_REQUESTED', 'PENDING_REVIEW', 'APPROVED'],
  ['PENDING_REVIEW', 'CORRECTION_REQUESTED'],
  ['PENDING_REVIEW', 'APPROVED'],
  ['PENDING_REVIEW', 'REJECTED'],
  ['PENDING_REVIEW', 'APPROVED', 'SUSPENDED'],
];

const timestamp = (at: number): string => new Date(at).toISOString();

/** Adds customers that are one to two years old, with the activity that led to their status. */
export function populateCustomers(
  organization: OrganizationState,
  random: Random,
  now: number,
  count: number,
): PopulatedCustomers {
  const customers = Array.from({ length: count }, (_, index) => {
    const statuses = customerHistories[index % customerHistories.length] ?? customerHistories[0];
    let at = now - random.int(400, 700) * day;
    let { record } = createCustomer(organization, { status: statuses[0], createdAt: timestamp(at) });
    for (const status of statuses.slice(1))
      record = setCustomerStatus(organization, record.id, status, timestamp((at += random.int(2, 96) * hour)));
    return record;
  });
  const [first, ...more] = customers.filter(({ status }) => status === 'APPROVED');
  return {
    payers: [first ?? createCustomer(organization, { createdAt: timestamp(now - 400 * day) }).record, ...more],
    others: customers.filter(({ status }) => status !== 'APPROVED' && status !== 'DRAFT'),
  };
}

/** Adds beneficiaries that are older than all payments: first an approved one for each payer. */
export function populateBeneficiaries(
  organization: OrganizationState,
  random: Random,
  now: number,
  { payers, others }: PopulatedCustomers,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const payer = payers[index];
    const statuses =
      payer === undefined
        ? (beneficiaryHistories[index % beneficiaryHistories.length] ?? beneficiaryHistories[0])
        : beneficiaryHistories[0];
    const owner = payer ?? random.pick([...payers, ...others] as unknown as NonEmptyList<Customer>);
    const createdAt = now - random.int(200, 360) * day;
    const changes = Array.from({ length: statuses.length - 1 }, () => random.int(2, 96) * hour);
    createBeneficiary(organization, {
      customerId: owner.id,
      status: statuses.at(-1),
      version: statuses.length,
      createdAt: timestamp(createdAt),
      updatedAt: timestamp(changes.reduce((sum, change) => sum + change, createdAt)),
    });
  }
}

/** Adds persons that were screened every month. Open matches hold only customers that do not pay. */
export function populatePersons(
  organization: OrganizationState,
  random: Random,
  now: number,
  { payers, others }: PopulatedCustomers,
  count: number,
): void {
  const [firstOther, ...moreOthers] = others;
  for (let index = 0; index < count; index++) {
    const isHeld = index % 5 === 4 && firstOther !== undefined;
    const owner = isHeld ? random.pick([firstOther, ...moreOthers]) : random.pick(payers);
    const screening = isHeld
      ? { openMatches: [{}] }
      : { openMatches: [], previouslyCleared: index % 3 === 0 ? [{}] : [] };
    const lastRun = now - random.int(0, 29 * day);
    createPerson(organization, { customerId: owner.id, runs: random.int(2, 8), screening }, timestamp(lastRun));
  }
}
