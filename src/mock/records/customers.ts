import {
  customer,
  type Customer,
  type CustomerActivity,
  type CustomerStatus,
} from '../../contract/schema/customers.js';
import { memoize, type UnknownValue } from '../../contract/schema/schema.js';
import { companyName, streetAddress, personName, type PersonName } from '../data/names.js';
import { customerCountries } from '../data/countries.js';
import { type OrganizationState, freeQuote } from '../state/platform-state.js';
import { deepFreeze, omitUndefined } from '../base/freeze.js';
import type { Unmarked } from '../base/unknown-values.js';
import type { StoredCustomer } from '../state/record-kinds.js';
import {
  inputOf,
  requireRules,
  requireUnused,
  statusRecordsOf,
  timestampNow,
  unknownRecord,
  type MockRecords,
  type MockTransitions,
  type RecordKind,
  type PartialInput,
} from './builder.js';
import type { Random } from '../data/random.js';

/** The input of `customers.add`. */
export interface MockCustomerInput extends PartialInput<Omit<Customer, 'status'>> {
  /** The status. @default 'APPROVED' */
  readonly status?: CustomerStatus | UnknownValue | undefined;
}

/** The schema of the input. */
export const customerInput = memoize(() => inputOf(customer()));

const call = 'customers.add';

/** Creates and stores a customer. */
export function createCustomer(
  organization: OrganizationState,
  input: Unmarked<MockCustomerInput> = {},
): StoredCustomer {
  const random = organization.random('customers', organization.customers.next);
  const id = random.id('cus_');
  const profile = random.pick(customerCountries);
  const city = random.pick(profile.cities);
  const createdAt = input.createdAt ?? timestampNow(organization);
  const record = {
    id,
    companyName: companyName(random, profile),
    registrationNumber: `${profile.country.alpha2}-${random.digits(8)}`,
    countryOfIncorporation: profile.country,
    addressLine1: streetAddress(random),
    addressLine2: random.chance(0.5) ? `Floor ${random.int(2, 30)}` : '',
    city: city.name,
    stateProvinceRegion: city.province,
    postalCode: city.postalCode,
    addressCountry: profile.country,
    status: 'APPROVED',
    createdAt,
    updatedAt: createdAt,
    ...omitUndefined(input),
  };
  requireRules(organization, call, record);
  return organization.customers.insert(record.id, Date.parse(record.createdAt), { record, activity: [] });
}

/**
 * Returns the id of the customer that a record belongs to. Creates a customer if the id is undefined; throws
 * `MockPlatformError` if it does not exist.
 */
export function resolveCustomerId(
  organization: OrganizationState,
  caller: string,
  customerId: string | undefined,
  createdAt: string,
): string {
  if (customerId === undefined) return createCustomer(organization, { createdAt }).record.id;
  return organization.customers.get(customerId)?.record.id ?? unknownRecord(caller, 'customerId', customerId);
}

function activityEntry(
  organization: OrganizationState,
  before: Customer,
  status: string,
  count: number,
  at: string,
): CustomerActivity {
  const random = organization.random(`activity/${before.id}`, count);
  const isSubmission = status === 'PENDING_REVIEW';
  const user = staffMember(organization, isSubmission ? 'submitter' : 'reviewer', random);
  return {
    id: random.id('act_'),
    entityType: 'CUSTOMER',
    entityId: before.id,
    eventType: 'STATUS_CHANGE',
    fromStatus: before.status,
    toStatus: status,
    note: null,
    targetUserId: null,
    targetUserFirstName: null,
    targetUserLastName: null,
    createdById: user.id,
    createdByFirstName: user.first,
    createdByLastName: user.last,
    createdByRole: user.role,
    createdAt: at,
  };
}

/**
 * The customers of an organization.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const customer = platform.customers.add({ companyName: 'Acme Ltd', status: 'PENDING_REVIEW' });
 * platform.customers.transition(customer.id, 'APPROVED'); // adds an entry to the customer's activity
 * ```
 */
export interface MockCustomers
  extends MockRecords<Customer, MockCustomerInput>, MockTransitions<Customer, CustomerStatus> {
  /** Returns a customer's activity, newest first; undefined if the customer does not exist. */
  activity(id: string): CustomerActivity[] | undefined;
}

/** Returns a customer with other fields. A change of its status is recorded in its activity. */
export function changeCustomer(
  organization: OrganizationState,
  { record: before, activity }: StoredCustomer,
  partial: Unmarked<MockCustomerInput>,
): StoredCustomer {
  const record = { ...before, updatedAt: timestampNow(organization), ...omitUndefined(partial) };
  if (record.status === before.status) return { record, activity };
  const entry = activityEntry(organization, before, record.status, activity.length, record.updatedAt);
  return { record, activity: [...activity, entry] };
}

/** Removes all records of a customer. Throws `MockPlatformError` if a payment of another customer needs one of them. */
function releaseCustomer(organization: OrganizationState, id: string): void {
  const { payments, beneficiaries, quotes, documents, persons } = organization;
  requireUnused(organization, 'customers.remove', `a record of ${id}`, ({ record }) => {
    const { beneficiaryId, paymentQuoteId } = record;
    const owners = [beneficiaries.get(beneficiaryId)?.record.customerId, quotes.get(paymentQuoteId ?? '')?.customerId];
    return record.customerId !== id && owners.includes(id);
  });
  for (const { record } of payments.values()) if (record.customerId === id) freeQuote(organization, record);
  for (const owned of [payments, beneficiaries]) owned.deleteWhere(({ record }) => record.customerId === id);
  for (const owned of [quotes, documents, persons]) owned.deleteWhere(({ customerId }) => customerId === id);
}

/** How customers are created, changed and removed. */
export const customerKind: RecordKind<'customers', Customer, MockCustomerInput> = {
  name: 'customers',
  input: customerInput,
  create: createCustomer,
  toView: (_, { record }) => record,
  change: changeCustomer,
  release: releaseCustomer,
};

/** Creates the public interface of the customers. */
export function customerRecords(organization: OrganizationState): MockCustomers {
  return {
    ...statusRecordsOf(organization, customerKind),
    activity: (id) => {
      const activity = organization.customers.get(id)?.activity.toReversed();
      return activity === undefined ? undefined : deepFreeze(activity);
    },
  };
}

/** A user who works on the records of an organization. */
export interface StaffMember extends PersonName {
  readonly id: string;
  readonly role: string;
}

/** Who submits records, and who reviews them. */
const roles = { submitter: 'PARTNER_SUBMITTER', reviewer: 'COMPLIANCE_REVIEWER' } as const;

/** Returns one of the three users with a role. A user has the same id and name everywhere. */
export function staffMember(organization: OrganizationState, role: keyof typeof roles, random: Random): StaffMember {
  const user = organization.random(`staff/${role}`, random.int(1, 3));
  return { id: user.id('usr_'), role: roles[role], ...personName(user) };
}
