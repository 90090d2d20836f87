import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { InstantDelays } from '../../support/instant-delays.ts';
import { clientOf, payablePayment, platformAtStart, start } from '../fixture.ts';

const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);

describe('listLag', () => {
  test('hides a payment that a request created from the list for a duration', async () => {
    const platform = platformAtStart({ listLag: { seconds: 2 } });
    const corridor = clientOf(platform);
    const added = platform.payments.add();
    const { id } = await corridor.payments.create(payablePayment(platform));
    expect(idsOf(await corridor.payments.list().toArray())).toEqual([added.id]);
    platform.clock.advance({ seconds: 1 });
    expect(idsOf(await corridor.payments.list().toArray())).toEqual([added.id]);
    platform.clock.advance({ seconds: 1 });
    expect(idsOf(await corridor.payments.list().toArray())).toEqual([id, added.id]);
  });

  test('is handled by createOnce if the response was lost', async () => {
    const virtual = new InstantDelays();
    const platform = createMockPlatform({ listLag: { seconds: 1 }, now: virtual.options.now });
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const corridor = new Corridor({ ...platform.clientOptions(), ...virtual.options });
    const { payment, recovered } = await corridor.payments.createOnce(payablePayment(platform), {
      consistencyWindow: 1000,
    });
    expect(recovered).toBe(true);
    expect(idsOf(platform.payments.all())).toEqual([payment.id]);
  });
});

describe('listOrder', () => {
  const withTen = (listOrder: MockPlatformOptions['listOrder'], seed = 1): MockPlatform => {
    const platform = platformAtStart({ listOrder, seed });
    platform.customers.addMany(10, (index) => ({
      id: `cus_${index}`,
      createdAt: new Date(Date.parse(start) + index * 1000).toISOString(),
    }));
    return platform;
  };
  const listIds = async (platform: MockPlatform): Promise<string[]> =>
    idsOf(await clientOf(platform).customers.list({ limit: 3 }).toArray());
  const oldestFirst = Array.from({ length: 10 }, (_, index) => `cus_${index}`);

  test('returns the oldest first, across pages', async () => {
    expect(await listIds(withTen('oldest-first'))).toEqual(oldestFirst);
    expect(await listIds(withTen('newest-first'))).toEqual(oldestFirst.toReversed());
  });

  test('returns every record once in an arbitrary but stable order that depends on the seed', async () => {
    const platform = withTen('shuffled');
    const seen = await listIds(platform);
    expect(seen.toSorted()).toEqual(oldestFirst);
    expect([oldestFirst, oldestFirst.toReversed()]).not.toContainEqual(seen);
    expect(await listIds(platform)).toEqual(seen);
    expect(await listIds(withTen('shuffled'))).toEqual(seen);
    expect(await listIds(withTen('shuffled', 2))).not.toEqual(seen);
  });

  test.each(['oldest-first', 'shuffled'] as const)(
    'repeats and skips no record while others are added (%s)',
    async (listOrder) => {
      const platform = platformAtStart({ listOrder });
      const customer = platform.customers.add();
      const stay = idsOf(platform.beneficiaries.addMany(12, () => ({ customerId: customer.id })));
      const corridor = clientOf(platform);
      const seen: string[] = [];
      for await (const page of corridor.customers.beneficiaries(customer.id, { limit: 4 }).pages()) {
        seen.push(...idsOf(page.items));
        if (seen.length < 20) platform.beneficiaries.add({ customerId: customer.id });
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(stay.filter((id) => !seen.includes(id))).toEqual([]);
    },
  );

  test.each([
    ['newest-first', ['APPROVED', 'PENDING_REVIEW']],
    ['oldest-first', ['PENDING_REVIEW', 'APPROVED']],
  ] as const)('also applies to activities (%s)', async (listOrder, statuses) => {
    const platform = platformAtStart({ listOrder });
    const { id } = platform.customers.add({ status: 'DRAFT' });
    platform.customers.transition(id, 'PENDING_REVIEW');
    platform.customers.transition(id, 'APPROVED');
    const activity = await clientOf(platform).customers.activity(id);
    expect(activity.map(({ toStatus }) => toStatus)).toEqual(statuses);
  });

  test('also shuffles activities', async () => {
    const platform = platformAtStart({ listOrder: 'shuffled' });
    const { id } = platform.customers.add();
    for (let round = 0; round < 6; round++)
      for (const status of ['SUSPENDED', 'APPROVED'] as const) platform.customers.transition(id, status);
    const activity = (await clientOf(platform).customers.activity(id)).map((entry) => entry.id);
    const newestFirst = (platform.customers.activity(id) ?? []).map((entry) => entry.id);
    expect(activity.toSorted()).toEqual(newestFirst.toSorted());
    expect([newestFirst, newestFirst.toReversed()]).not.toContainEqual(activity);
  });
});
