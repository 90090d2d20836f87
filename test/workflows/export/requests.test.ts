import { expect, test } from 'vitest';
import type { ListedPayment, PaymentExportOptions } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';
import { day, minute } from './export-fixture.ts';

// How long before the end of the month each of a thousand payments was created, oldest first.
const ages = {
  evenly: (index: number) => 30 * day - Math.floor((index * 30 * day) / 1_000),
  'in twenty bursts': (index: number) => 30 * day - Math.floor(index / 50) * day - (index % 50) * minute,
  'on the last day': (index: number) => day - Math.floor((index * day) / 1_000),
  'more and more often': (index: number) => Math.floor(30 * day * (1 - index / 1_000) ** 3),
};

const hashOf = ({ id }: ListedPayment): number => (Number(id.slice(1)) * 7_919) % 10_007;
const orders = {
  'newest first': undefined,
  'oldest first': (one: ListedPayment, other: ListedPayment) => (one.createdAt < other.createdAt ? -1 : 1),
  shuffled: (one: ListedPayment, other: ListedPayment) => hashOf(one) - hashOf(other),
};

function listOf(created: keyof typeof ages, order: keyof typeof orders): Listing {
  const listing = new Listing();
  listing.latency = 10;
  listing.order = orders[order];
  // Less to validate.
  listing.show = ({ id, status, createdAt, updatedAt }) => ({ id, status, createdAt, updatedAt }) as never;
  for (let index = 0; index < 1_000; index += 1) listing.add(`p${index}`, 'COMPLETED', ages[created](index));
  return listing;
}

const month = ({ time }: Listing) => ({
  createdFrom: new Date(time.now() - 31 * day),
  createdTo: new Date(time.now()),
});

// A page has a hundred payments.
test.each([
  ['evenly', 'newest first', 13, 14, 15],
  ['evenly', 'oldest first', 12, 14, 15],
  ['evenly', 'shuffled', 19, 29, 29],
  ['in twenty bursts', 'newest first', 13, 14, 15],
  ['in twenty bursts', 'oldest first', 34, 35, 35],
  ['in twenty bursts', 'shuffled', 21, 22, 22],
  ['on the last day', 'newest first', 15, 21, 40],
  ['on the last day', 'oldest first', 12, 14, 15],
  ['on the last day', 'shuffled', 58, 34, 35],
  ['more and more often', 'newest first', 20, 25, 24],
  ['more and more often', 'oldest first', 27, 24, 24],
  ['more and more often', 'shuffled', 32, 30, 30],
] as const)(
  'a thousand payments that were created %s, in a list that is %s, are exported once with %i requests, one after another, %i at the same time, and %i in the order of creation',
  async (created, order, inTurn, atOnce, sorted) => {
    const settings: readonly (readonly [PaymentExportOptions, number])[] = [
      [{ concurrency: 1 }, inTurn],
      [{}, atOnce],
      [{ order: 'created' }, sorted],
    ];
    for (const [options, most] of settings) {
      const listing = listOf(created, order);
      const exported: ListedPayment[] = [];
      await listing.time.run(async () => {
        const { payments } = listing.client({ validation: 'observe' });
        for await (const payment of payments.export(month(listing), options)) exported.push(payment);
      });
      expect(new Set(exported.map(({ id }) => id)).size).toBe(1_000);
      expect(exported).toHaveLength(1_000);
      expect(listing.requests.length).toBeLessThanOrEqual(most);
      if (options.order !== 'created') continue;
      const times = exported.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted());
    }
  },
);

test.each([
  ['evenly', 'newest first', 6, 7],
  ['evenly', 'oldest first', 6, 7],
  ['evenly', 'shuffled', 6, 65],
  ['in twenty bursts', 'newest first', 5, 7],
  ['in twenty bursts', 'shuffled', 5, 49],
  ['on the last day', 'newest first', 6, 27],
  ['on the last day', 'oldest first', 6, 18],
  ['on the last day', 'shuffled', 6, 33],
  ['more and more often', 'newest first', 6, 33],
  ['more and more often', 'oldest first', 3, 5],
  ['more and more often', 'shuffled', 6, 41],
] as const)(
  'a thousand payments that were created %s, in a list that is %s, are planned in %i spans of 200, with %i requests',
  async (created, order, spans, requests) => {
    const listing = listOf(created, order);
    const { payments } = listing.client({ validation: 'observe' });
    const plan = await listing.time.run(() => payments.planExport(month(listing), { spanSize: 200 }));
    expect(plan).toHaveLength(spans);
    expect(listing.requests.length).toBeLessThanOrEqual(requests);
  },
);

test.each([700, 900, 1_000])(
  'two thousand payments of one instant are read twice, and not again with others that are %i ms apart',
  async (distance) => {
    const listing = listOf('evenly', 'newest first');
    for (let index = 0; index < 2_000; index += 1) listing.add(`i${index}`, 'COMPLETED', 5 * day);
    for (let index = 0; index < 1_000; index += 1)
      listing.add(`n${index}`, 'COMPLETED', 5 * day + (index - 500) * distance);
    const exported = new Set<string>();
    await listing.time.run(async () => {
      const { payments } = listing.client({ validation: 'observe' });
      for await (const { id } of payments.export(month(listing))) exported.add(id);
    });
    expect(exported.size).toBe(4_000);
    // The pages of the instant, and those of the others.
    expect(listing.requests.length).toBeLessThanOrEqual(2 * 20 + 70);
  },
);
