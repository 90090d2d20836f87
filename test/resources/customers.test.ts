import { describe, expect, test } from 'vitest';
import { NotFoundError, type BeneficiaryStatus, type CustomerStatus } from 'corridor-sdk';
import { carriers } from './carriers.js';

const customerStatuses: readonly CustomerStatus[] = ['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'];
const beneficiaryStatuses: readonly BeneficiaryStatus[] = ['PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'];

describe.each(carriers)('customers.list over $name', ({ open }) => {
  test('gives every customer of the organization once, newest first', async () => {
    await using stage = await open();
    const added = stage.platform.customers.addMany(7);
    stage.platform.organization({ name: 'Other' }).customers.addMany(3);
    expect(await stage.corridor.customers.list({ limit: 3 }).toArray()).toEqual(added.toReversed());
    expect(stage.platform.requests.of('customers.list').map(({ query }) => query['limit'])).toEqual(['3', '3', '3']);
  });

  test.each(customerStatuses)('filters by the status %s', async (status) => {
    await using stage = await open();
    stage.platform.customers.addMany(12, (index) => ({ status: customerStatuses[index % customerStatuses.length] }));
    const found = await stage.corridor.customers.list({ status }).toArray();
    expect(found.map((customer) => customer.status)).toEqual([status, status]);
  });

  test('gives an empty page where there is none', async () => {
    await using stage = await open();
    const page = await stage.corridor.customers.list();
    expect({ ...page }).toEqual({ items: [], nextCursor: null, hasMore: false });
    expect(await page.next()).toBeUndefined();
  });
});

describe.each(carriers)('customers.get over $name', ({ open }) => {
  test('reads a customer as it is kept', async () => {
    await using stage = await open();
    const customer = stage.platform.customers.add({ companyName: 'Änderung & Söhne 株式会社', status: 'SUSPENDED' });
    expect(await stage.corridor.customers.get(customer.id)).toEqual(customer);
  });

  test('reads one whose id needs to be encoded', async () => {
    await using stage = await open();
    const id = 'a/b?c=d#e %2F..é';
    stage.platform.customers.add({ id });
    expect((await stage.corridor.customers.get(id)).id).toBe(id);
  });

  test('says that there is none, also of one that is another organization’s', async () => {
    await using stage = await open();
    const others = stage.platform.organization().customers.add();
    for (const id of ['cus_none', others.id]) {
      const refusal = stage.corridor.customers.get(id);
      await expect(refusal).rejects.toBeInstanceOf(NotFoundError);
      await expect(refusal).rejects.toMatchObject({ status: 404, platformCode: 'not_found', outcome: 'rejected', endpoint: 'customers.get' });
    }
  });
});

describe.each(carriers)('customers.activity over $name', ({ open }) => {
  test('tells of every change of status', async () => {
    await using stage = await open();
    const { id } = stage.platform.customers.add({ status: 'DRAFT' });
    stage.platform.customers.transition(id, 'PENDING_REVIEW');
    stage.platform.customers.transition(id, 'APPROVED');
    const activity = await stage.corridor.customers.activity(id);
    expect(activity.map(({ eventType, fromStatus, toStatus }) => [eventType, fromStatus, toStatus])).toEqual([
      ['STATUS_CHANGE', 'PENDING_REVIEW', 'APPROVED'], ['STATUS_CHANGE', 'DRAFT', 'PENDING_REVIEW'],
    ]);
    expect(activity).toEqual(stage.platform.customers.activity(id));
  });

  test('is empty where nothing happened', async () => {
    await using stage = await open();
    expect(await stage.corridor.customers.activity(stage.platform.customers.add().id)).toEqual([]);
  });

  test('says that there is no such customer', async () => {
    await using stage = await open();
    await expect(stage.corridor.customers.activity('cus_none')).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe.each(carriers)('customers.beneficiaries over $name', ({ open }) => {
  test('gives those of one customer', async () => {
    await using stage = await open();
    const [first, second] = stage.platform.customers.addMany(2);
    const added = stage.platform.beneficiaries.addMany(5, () => ({ customerId: first?.id }));
    stage.platform.beneficiaries.addMany(2, () => ({ customerId: second?.id }));
    expect(await stage.corridor.customers.beneficiaries(first?.id ?? '', { limit: 2 }).toArray()).toEqual(added.toReversed());
  });

  test.each(beneficiaryStatuses)('filters by the status %s', async (status) => {
    await using stage = await open();
    const customerId = stage.platform.customers.add().id;
    stage.platform.beneficiaries.addMany(10, (index) => ({ customerId, status: beneficiaryStatuses[index % beneficiaryStatuses.length] }));
    const found = await stage.corridor.customers.beneficiaries(customerId, { status }).toArray();
    expect(found.map((beneficiary) => beneficiary.status)).toEqual([status, status]);
  });

  test('says that there is no such customer', async () => {
    await using stage = await open();
    await expect(stage.corridor.customers.beneficiaries('cus_none')).rejects.toBeInstanceOf(NotFoundError);
  });
});
