import { customer, type Customer, type CustomerActivity, type CustomerStatus } from '../../contract/customers.js';
import { companyName, personName, streetAddress } from '../names.js';
import { customerPlaces } from '../places.js';
import type { OrganizationState } from '../state.js';
import { given, MockRecords, refuseUnknown, requireConforming, requireMove, timeOf, timestampNow, type Partially } from './input.js';

/** What `customers.add` takes. */
export type MockCustomerInput = Partially<Omit<Customer, 'status'>> & { readonly status?: CustomerStatus | undefined };

const call = 'customers.add';

/** Makes a customer and puts it into the state. */
export function createCustomer(organization: OrganizationState, input: MockCustomerInput = {}): Customer {
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
  organization.customers.insert(record.id, timeOf(call, record.createdAt), { record, activity: [] });
  return record;
}

/** Moves a customer and writes that into its activity. */
export function moveCustomer(organization: OrganizationState, id: string, status: CustomerStatus, at: string): Customer {
  const stored = organization.customers.get(id) ?? refuseUnknown('customers.transition', 'id', id);
  requireMove('customers.transition', organization.platform.options.transitions.customers, stored.record.status, status);
  const record: Customer = { ...stored.record, status, updatedAt: at };
  requireConforming('customers.transition', customer, record);
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
export class MockCustomers extends MockRecords<Customer, MockCustomerInput> {
  override add(partial?: MockCustomerInput): Customer {
    return createCustomer(this.organization, partial);
  }

  override get(id: string): Customer | undefined {
    return this.organization.customers.get(id)?.record;
  }

  override all(): Customer[] {
    return this.organization.customers.values().map(({ record }) => record);
  }

  /** A customer's activity, newest first; undefined where there is no such customer. */
  activity(id: string): CustomerActivity[] | undefined {
    return this.organization.customers.get(id)?.activity.toReversed();
  }

  /** Moves a customer to a status, which its activity records. Throws `MockPlatformError` where the table does not allow that. */
  transition(id: string, status: CustomerStatus): Customer {
    return moveCustomer(this.organization, id, status, timestampNow(this.organization));
  }
}
