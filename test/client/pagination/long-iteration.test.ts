import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';

/** Adds payments that share their records, so that adding many is fast. */
function addPayments(platform: MockPlatform, count: number): string[] {
  const customerId = platform.customers.add().id;
  const beneficiaryId = platform.beneficiaries.add({ customerId }).id;
  const documentIds = [platform.documents.add({ customerId }).id];
  return platform.payments
    .addMany(count, () => ({ customerId, beneficiaryId, documentIds, paymentQuoteId: null }))
    .map(({ id }) => id);
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

describe('a list of 10,000 payments', () => {
  test('is iterated once each, in order, with the memory of a few pages', async () => {
    const platform = createMockPlatform();
    const added = addPayments(platform, 10_000);
    const corridor = new Corridor(platform.clientOptions());
    const collect = collector();
    const seen: string[] = [];
    const pages: WeakRef<object>[] = [];
    const alive: number[] = [];
    for await (const page of corridor.payments.list({ limit: 100 }).pages()) {
      pages.push(new WeakRef(page.items));
      seen.push(...page.items.map(({ id }) => id));
      if (pages.length % 20 !== 0) continue;
      await new Promise((resolve) => setImmediate(resolve)); // Until then, weak references hold on.
      collect();
      alive.push(pages.filter((reference) => reference.deref() !== undefined).length);
    }
    expect(seen).toEqual(added.toReversed());
    expect(pages).toHaveLength(100);
    expect(alive).toHaveLength(5);
    expect(Math.max(...alive)).toBeLessThanOrEqual(3);
  }, 180_000);

  test('can be iterated by for await', async () => {
    const platform = createMockPlatform();
    const added = addPayments(platform, 10_000);
    const corridor = new Corridor(platform.clientOptions());
    const seen: string[] = [];
    for await (const { id } of corridor.payments.list({ limit: 100 })) seen.push(id);
    expect(seen).toEqual(added.toReversed());
  }, 180_000);
});

describe('a record that is added between two pages', () => {
  test.each([true, false])('causes no skip and no repeat (prefetch: %s)', async (prefetch) => {
    const platform = createMockPlatform();
    const added = addPayments(platform, 30).toReversed();
    const corridor = new Corridor({ ...platform.clientOptions(), prefetch });
    const seen: string[] = [];
    for await (const page of corridor.payments.list({ limit: 4 }).pages()) {
      seen.push(...page.items.map(({ id }) => id));
      addPayments(platform, 3);
    }
    expect(seen).toEqual(added);
  });

  test('causes neither in a list of beneficiaries', async () => {
    const platform = createMockPlatform();
    const { id: customerId } = platform.customers.add();
    const added = platform.beneficiaries
      .addMany(12, () => ({ customerId }))
      .map(({ id }) => id)
      .toReversed();
    const corridor = new Corridor(platform.clientOptions());
    const seen: string[] = [];
    for await (const page of corridor.customers.beneficiaries(customerId, { limit: 5 }).pages()) {
      seen.push(...page.items.map(({ id }) => id));
      platform.beneficiaries.add({ customerId });
    }
    expect(seen).toEqual(added);
  });
});
