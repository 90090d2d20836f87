import { Corridor, type Beneficiary, type Customer, type CustomerActivity } from 'corridor-sdk';

/** Everything about a customer. */
export interface CustomerFile {
  readonly customer: Customer;
  /** Every change of its status. */
  readonly activity: readonly CustomerActivity[];
  /** The beneficiaries that can be paid. */
  readonly beneficiaries: readonly Beneficiary[];
}

/** Reads a customer, its activity and its approved beneficiaries, all at once. */
export async function readCustomer(corridor: Corridor, customerId: string): Promise<CustomerFile> {
  const [customer, activity, beneficiaries] = await Promise.all([
    corridor.customers.get(customerId),
    corridor.customers.activity(customerId),
    corridor.customers.beneficiaries(customerId, { status: 'APPROVED', limit: 100 }).toArray(),
  ]);
  return { customer, activity, beneficiaries };
}

// node examples/read-customer.ts <customer id>
if (import.meta.main) console.log(await readCustomer(new Corridor(), process.argv[2] ?? ''));
