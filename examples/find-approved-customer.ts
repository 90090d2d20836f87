import { Corridor, type Customer } from 'corridor-sdk';

/** Finds the newest approved customer whose name contains a text; reads pages only until it is found. */
export async function findApprovedCustomer(corridor: Corridor, name = ''): Promise<Customer | undefined> {
  for await (const customer of corridor.customers.list({ status: 'APPROVED' })) {
    if (customer.companyName.toLowerCase().includes(name.toLowerCase())) return customer;
  }
  return undefined;
}

// node examples/find-approved-customer.ts [name]
if (import.meta.main) console.log(await findApprovedCustomer(new Corridor(), process.argv[2]));
