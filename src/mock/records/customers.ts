import { customer, type Customer, type CustomerActivity, type CustomerStatus } from '../../contract/customers.js';
import type { MockPace } from '../agenda.js';
import { companyName, personName, streetAddress } from '../names.js';
import { customerPlaces } from '../places.js';
import type { OrganizationState } from '../state.js';
import type { StoredCustomer } from '../stored.js';
import { given, planMoves, recordsOf, refuseUnknown, requireConforming, requireMove, settled, timeOf, timestampNow, type MockRecords, type Partially } from './input.js';

/** What `customers.add` takes. */
export type MockCustomerInput = Partially<Omit<Customer, 'status'>> & { readonly status?: CustomerStatus | undefined };

const call = 'customers.add';

/** Makes a customer and puts it into the state. */
export function createCustomer(organization: OrganizationState, input: MockCustomerInput = {}): StoredCustomer {
  const random = organization.random('customers', organization.customers.next);
  const id = `cus_${random.letters(16)}`;
  const place = random.pick(customerPlaces);
  const city = random.pick(place.cities);
  const createdAt = input.createdAt ?? timestampNow(organization);
  const record = {
    id,
    companyName: companyName(random, place),
    registrationNumber: `${place.country.alpha2}-${random.digits(8)}`,
    countryOfIncorporation: place.country,
    addressLine1: streetAddress(random),
    addressLine2: random.chance(0.5) ? `Floor ${random.whole(2, 30)}` : '',
    city: city.name,
    stateProvinceRegion: city.province,
    postalCode: city.postalCode,
    addressCountry: place.country,
    status: 'APPROVED',
    createdAt,
    updatedAt: createdAt,
    ...given(input),
  };
  requireConforming(call, customer, record);
  return organization.customers.insert(record.id, timeOf(call, record.createdAt), { record, activity: [] });
}

/** The customer a record belongs to: the one named, which must be there, or one that is made. */
export function ownerOf(organization: OrganizationState, caller: string, customerId: string | undefined, createdAt: string): string {
  if (customerId === undefined) return createCustomer(organization, { createdAt }).record.id;
  return organization.customers.get(customerId)?.record.id ?? refuseUnknown(caller, 'customerId', customerId);
}

/** Moves a customer wherever to, and writes that into its activity. */
export function moveCustomer(organization: OrganizationState, id: string, status: CustomerStatus, at: string): Customer {
  const stored = organization.customers.get(id) ?? refuseUnknown('customers.transition', 'id', id);
  const record: Customer = { ...stored.record, status, updatedAt: at };
  const entry = activityEntry(organization, stored.record, status, stored.activity.length, at);
  organization.customers.update(id, () => ({ record, activity: [...stored.activity, entry] }));
  return record;
}

function activityEntry(organization: OrganizationState, before: Customer, status: CustomerStatus, count: number, at: string): CustomerActivity {
  const random = organization.random(`activity/${before.id}`, count);
  const reviewer = personName(random);
  return {
    id: `act_${random.letters(16)}`,
    entityType: 'CUSTOMER',
    entityId: before.id,
    eventType: 'STATUS_CHANGE',
    fromStatus: before.status,
    toStatus: status,
    note: null,
    targetUserId: null,
    targetUserFirstName: null,
    targetUserLastName: null,
    createdById: `usr_${random.letters(16)}`,
    createdByFirstName: reviewer.first,
    createdByLastName: reviewer.last,
    createdByRole: 'COMPLIANCE_REVIEWER',
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
 * platform.customers.transition(customer.id, 'APPROVED'); // stands in the customer's activity
 * ```
 */
export interface MockCustomers extends MockRecords<Customer, MockCustomerInput> {
  /** A customer's activity, newest first; undefined where there is no such customer. */
  activity(id: string): CustomerActivity[] | undefined;
  /** Moves a customer to a status, which its activity records. Throws `MockPlatformError` where the table does not allow that. */
  transition(id: string, status: CustomerStatus): Customer;
  /**
   * Lets a customer move by itself, one status after another, as the mock's clock passes or as the customer is read; each step stands
   * in its activity. A new plan replaces the one before; no statuses end it. Throws `MockPlatformError` where the table does not
   * allow a step.
   */
  plan(id: string, statuses: readonly CustomerStatus[], pace: MockPace): void;
}

/** Moves a customer as far as the table allows. */
export function transitionCustomer(organization: OrganizationState, id: string, status: CustomerStatus): Customer {
  const { record } = organization.customers.get(id) ?? refuseUnknown('customers.transition', 'id', id);
  requireMove('customers.transition', organization.platform.options.transitions.customers, record.status, status);
  return moveCustomer(organization, id, status, timestampNow(organization));
}

/** The customers of an organization. */
export function customerRecords(organization: OrganizationState): MockCustomers {
  return {
    ...recordsOf(organization, { call, create: createCustomer, collection: ({ customers }) => customers, show: (_, { record }) => record }),
    activity: (id) => settled(organization).customers.get(id)?.activity.toReversed(),
    transition: (id, status) => transitionCustomer(settled(organization), id, status),
    plan: (id, steps, pace) => {
      const { record } = settled(organization).customers.get(id) ?? refuseUnknown('customers.plan', 'id', id);
      planMoves(organization, 'customers', { id, from: record.status, steps, pace });
    },
  };
}
