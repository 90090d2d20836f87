import { describe, expect, test } from 'vitest';
import { NotFoundError, type BeneficiaryStatus, type CustomerStatus } from 'corridor-sdk';
import { adapters } from './adapters.ts';

const customerStatuses: readonly CustomerStatus[] = [
  'DRAFT',
  'PENDING_REVIEW',
  'CORRECTION_REQUESTED',
  'APPROVED',
  'REJECTED',
  'SUSPENDED',
];
const beneficiaryStatuses: readonly BeneficiaryStatus[] = [
  'PENDING_REVIEW',
  'CORRECTION_REQUESTED',
  'APPROVED',
  'REJECTED',
  'SUSPENDED',
];

describe.each(adapters)('customers.list over $name', ({ open }) => {
  test('yields each customer of the organization once, newest first', async () => {
    await using stage = await open();
    const added = stage.platform.customers.addMany(7);
    stage.platform.organization({ name: 'Other' }).customers.addMany(3);
    expect(await stage.corridor.customers.list({ limit: 3 }).toArray()).toEqual(added.toReversed());
    expect(stage.platform.requests.to('customers.list').map(({ query }) => query['limit'])).toEqual(['3', '3', '3']);
  });

  test.each(customerStatuses)('filters by the status %s', async (status) => {
    await using stage = await open();
    stage.platform.customers.addMany(12, (index) => ({ status: customerStatuses[index % customerStatuses.length] }));
    const found = await stage.corridor.customers.list({ status }).toArray();
    expect(found.map((customer) => customer.status)).toEqual([status, status]);
  });

  test('returns an empty page if there are no customers', async () => {
    await using stage = await open();
    const page = await stage.corridor.customers.list();
    expect({ ...page }).toEqual({ items: [], nextCursor: null, hasMore: false });
    expect(await page.getNextPage()).toBeUndefined();
  });
});

describe.each(adapters)('customers.get over $name', ({ open }) => {
  test('reads a customer unchanged', async () => {
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

  test('reports that there is no such customer, also for one of another organization', async () => {
    await using stage = await open();
    const others = stage.platform.organization().customers.add();
    for (const id of ['cus_none', others.id]) {
      const error = stage.corridor.customers.get(id);
      await expect(error).rejects.toBeInstanceOf(NotFoundError);
      await expect(error).rejects.toMatchObject({
        status: 404,
        platformCode: 'not_found',
        outcome: 'rejected',
        endpoint: 'customers.get',
      });
    }
  });
});

describe.each(adapters)('customers.activity over $name', ({ open }) => {
  test('returns each change of status', async () => {
    await using stage = await open();
    const { id } = stage.platform.customers.add({ status: 'DRAFT' });
    stage.platform.customers.transition(id, 'PENDING_REVIEW');
    stage.platform.customers.transition(id, 'APPROVED');
    const activity = await stage.corridor.customers.activity(id);
    expect(activity.map(({ eventType, fromStatus, toStatus }) => [eventType, fromStatus, toStatus])).toEqual([
      ['STATUS_CHANGE', 'PENDING_REVIEW', 'APPROVED'],
      ['STATUS_CHANGE', 'DRAFT', 'PENDING_REVIEW'],
    ]);
    expect(activity).toEqual(stage.platform.customers.activity(id));
  });

  test('is empty if nothing happened', async () => {
    await using stage = await open();
    expect(await stage.corridor.customers.activity(stage.platform.customers.add().id)).toEqual([]);
  });

  test('reports that there is no such customer', async () => {
    await using stage = await open();
    await expect(stage.corridor.customers.activity('cus_none')).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe.each(adapters)('customers.beneficiaries over $name', ({ open }) => {
  test('yields those of one customer', async () => {
    await using stage = await open();
    const [first, second] = stage.platform.customers.addMany(2);
    const added = stage.platform.beneficiaries.addMany(5, () => ({ customerId: first?.id }));
    stage.platform.beneficiaries.addMany(2, () => ({ customerId: second?.id }));
    expect(await stage.corridor.customers.beneficiaries(first?.id ?? '', { limit: 2 }).toArray()).toEqual(
      added.toReversed(),
    );
  });

  test.each(beneficiaryStatuses)('filters by the status %s', async (status) => {
    await using stage = await open();
    const customerId = stage.platform.customers.add().id;
    stage.platform.beneficiaries.addMany(10, (index) => ({
      customerId,
      status: beneficiaryStatuses[index % beneficiaryStatuses.length],
    }));
    const found = await stage.corridor.customers.beneficiaries(customerId, { status }).toArray();
    expect(found.map((beneficiary) => beneficiary.status)).toEqual([status, status]);
  });

  test('reports that there is no such customer', async () => {
    await using stage = await open();
    await expect(stage.corridor.customers.beneficiaries('cus_none')).rejects.toBeInstanceOf(NotFoundError);
  });
});
