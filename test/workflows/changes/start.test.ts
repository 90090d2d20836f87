import { describe, expect, test } from 'vitest';
import type { ChangesCheckpoint } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';
import { seconds, minutes, days, storedPayments, follow } from './watched.ts';

describe('changes() without a start', () => {
  test('reports new payments and changes, but not existing payments', async () => {
    const listing = new Listing();
    listing.add('old', 'COMPLETED', 5 * minutes);
    listing.add('open', 'APPROVED', 40 * days);
    const { lines } = await follow(listing, 10 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.add('fresh');
      listing.move('open', 'PROCESSING');
      await listing.time.wait(4 * minutes);
      listing.move('open', 'COMPLETED');
    });
    expect(lines).toEqual([
      'fresh: new -> PENDING_REVIEW',
      'open: APPROVED -> PROCESSING',
      'open: PROCESSING -> COMPLETED',
    ]);
  });

  test('reports a payment that ended before it was seen open', async () => {
    const listing = new Listing();
    const { lines } = await follow(listing, 5 * minutes, async () => {
      await listing.time.wait(45 * seconds);
      listing.add('quick');
      await listing.time.wait(1 * seconds);
      listing.move('quick', 'COMPLETED');
    });
    expect(lines).toEqual(['quick: new -> COMPLETED']);
  });

  test('reports a payment that the list did not show at first as new', async () => {
    const listing = new Listing();
    const { lines } = await follow(listing, 10 * minutes, async () => {
      await listing.time.wait(2 * minutes);
      listing.add('hidden', 'APPROVED', 3 * minutes);
      await listing.time.wait(3 * minutes);
      listing.move('hidden', 'PROCESSING');
    });
    expect(lines).toEqual(['hidden: new -> APPROVED', 'hidden: APPROVED -> PROCESSING']);
  });

  test('reports a payment that appears in the list long after its creation', async () => {
    const listing = new Listing();
    const { lines } = await follow(listing, 10 * minutes, async () => {
      await listing.time.wait(5 * minutes);
      listing.add('late', 'REJECTED', 4 * minutes);
    });
    expect(lines).toEqual(['late: new -> REJECTED']);
  });

  test.each([
    ['right', 0, 'milliseconds', 1],
    ['behind', 20 * minutes, 'milliseconds', 1_050],
    ['right', 0, 'seconds', 1_101],
  ] as const)(
    'tells earlier payments from new ones by a clock that is %s (by %i ms) and times in %s, from %i ms before on',
    async (_, behind, precision, age) => {
      const listing = new Listing({ bounds: 'inclusive', precision });
      await listing.time.run(() => listing.time.wait(2_100));
      // The first response is created at the end of the second that its Date shows.
      listing.latency = 445;
      listing.add('earlier', 'APPROVED', age);
      const happens = async (): Promise<void> => {
        await listing.time.wait(1);
        listing.add('new');
      };
      const client = { now: () => listing.time.now() - behind };
      const { lines } = await follow(listing, 1 * minutes, happens, {}, client);
      expect(lines).toEqual(['new: new -> PENDING_REVIEW']);
    },
  );
});

describe('changes() since a time', () => {
  test('reports all payments created since once, oldest first, whatever their status', async () => {
    const listing = new Listing();
    for (let day = 100; day > 0; day -= 1)
      listing.add(`p${day}`, day % 7 === 0 ? 'PROCESSING' : 'COMPLETED', day * days);
    const since = new Date(listing.time.now() - 50.5 * days);
    const { lines, checkpoint } = await follow(listing, 5 * minutes, undefined, { since });
    expect(lines).toHaveLength(50);
    expect(new Set(lines).size).toBe(50);
    expect(lines.slice(0, 3)).toEqual(['p50: new -> COMPLETED', 'p49: new -> PROCESSING', 'p48: new -> COMPLETED']);
    expect(lines.at(-1)).toBe('p1: new -> COMPLETED');
    // Those on their way are all that is left to remember, the older ones among them.
    expect(storedPayments(checkpoint(-1)).filter(([, status]) => status === 'PROCESSING')).toHaveLength(14);
  });

  test('stores open payments, and only the last few of ten thousand that ended', async () => {
    const listing = new Listing();
    for (let index = 10_000; index > 0; index -= 1)
      listing.add(`p${index}`, index % 1_000 === 0 ? 'APPROVED' : 'COMPLETED', index * 2 * minutes);
    const checkpoints: ChangesCheckpoint[] = [];
    const onCheckpoint = (checkpoint: ChangesCheckpoint): void => void checkpoints.push(checkpoint);
    const { lines } = await follow(listing, 1 * minutes, undefined, {
      since: new Date(listing.time.now() - 15 * days),
      onCheckpoint,
    });
    expect(lines).toHaveLength(10_000);
    expect(storedPayments(checkpoints[0]).length).toBeLessThan(15);
  });

  test('splits a time span with too many payments', async () => {
    const listing = new Listing();
    for (let index = 12_000; index > 0; index -= 1)
      listing.add(`p${index}`, 'COMPLETED', 2 * days + index * 6 * seconds);
    const { lines, checkpoint } = await follow(listing, 1 * minutes, undefined, {
      since: new Date(listing.time.now() - 60 * days),
    });
    expect(new Set(lines).size).toBe(12_000);
    expect(lines).toHaveLength(12_000);
    expect(
      Math.max(...Array.from({ length: 120 }, (_, index) => storedPayments(checkpoint(index * 100)).length)),
    ).toBeLessThan(2_200);
  });

  test.each([
    ['two thousand payments at once, if they were created within two days', 2_000, 1 * days, [2 * days]],
    ['shorter time spans if there are more', 2_001, 1 * days, [2 * days, days / 4]],
    ['at least a minute at once', 2_001, 1 * seconds, [2 * days, days / 4, days / 32, 338 * seconds, 1 * minutes]],
  ])('reads %s', async (_, count, within, spans) => {
    const listing = new Listing();
    const first = listing.time.now() - 10 * days;
    for (let index = 0; index < count; index += 1)
      listing.add(`p${index}`, 'COMPLETED', 10 * days - (index * within) / count);
    listing.show = ({ id, status, createdAt, updatedAt }) => ({ id, status, createdAt, updatedAt }) as never;
    const changes = listing.client({ validation: 'observe' }).payments.changes({ since: new Date(first) });
    await listing.time.run(() => changes.next());
    await changes.return();
    const ends = listing.requests.flatMap(({ status, createdTo }) =>
      status !== undefined || createdTo === undefined ? [] : [Date.parse(createdTo) - 1 * seconds],
    );
    expect([...new Set(ends)].map((end) => end - first)).toEqual(spans);
  });
});
