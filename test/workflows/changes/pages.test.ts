import { describe, expect, test } from 'vitest';
import type { ChangesCheckpoint } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';
import { openStatuses } from '../../support/open-statuses.ts';
import { seconds, minutes, days, follow } from './watched.ts';

describe('pages that change during iteration', () => {
  test('neither lose nor repeat a payment', async () => {
    const listing = new Listing();
    listing.pageSize = 2;
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) listing.add(id, 'APPROVED', 1 * days);
    // While the second page is fetched, a payment of the first one leaves the list: the third is now second, and
    // is skipped.
    let approved = 0;
    listing.respondWith = ({ status }) => {
      if (status === 'APPROVED') approved += 1;
      if (status === 'APPROVED' && approved === 5) listing.move('f', 'PROCESSING');
      return undefined;
    };
    const { lines } = await follow(listing, 10 * minutes);
    expect(lines).toEqual(['f: APPROVED -> PROCESSING']);
  });

  test('and lists that change between requests show a payment twice or not at all, which is reported once', async () => {
    const listing = new Listing();
    listing.add('forth', 'APPROVED', 1 * days);
    listing.add('back', 'CORRECTION_NEEDED', 2 * days);
    let polls = 0;
    listing.respondWith = ({ status }) => {
      if (status === 'APPROVED') polls += 1;
      // After the first poll, between the lists: one moves ahead of the iteration, the other behind it.
      if (polls === 3 && status === 'PROCESSING') listing.move('forth', 'PROCESSING');
      if (polls === 3 && status === 'APPROVED') listing.move('back', 'PENDING_REVIEW');
      return undefined;
    };
    const { lines } = await follow(listing, 10 * minutes);
    expect(lines.toSorted()).toEqual(['back: CORRECTION_NEEDED -> PENDING_REVIEW', 'forth: APPROVED -> PROCESSING']);
  });
});

describe('a list from an outdated replica', () => {
  test('does not report a change back and forth', async () => {
    const listing = new Listing();
    listing.add('p', 'APPROVED', 1 * days);
    const before = listing.get('p');
    let stale = false;
    listing.respondWith = ({ status }) => {
      if (status !== 'APPROVED' || !stale) return undefined;
      stale = false;
      return Response.json({ items: [before], nextCursor: null, hasMore: false });
    };
    const { lines } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('p', 'PROCESSING');
      await listing.time.wait(5 * minutes);
      stale = true;
    });
    expect(lines).toEqual(['p: APPROVED -> PROCESSING']);
  });

  test('does not reopen a payment that has just ended', async () => {
    const listing = new Listing();
    listing.add('p', 'PROCESSING', 1 * days);
    const before = listing.get('p');
    let stale = false;
    listing.respondWith = ({ status }) => {
      if (status !== 'PROCESSING' || !stale) return undefined;
      stale = false;
      return Response.json({ items: [before], nextCursor: null, hasMore: false });
    };
    const { lines, checkpoint } = await follow(listing, 4.5 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('p', 'COMPLETED');
      await listing.time.wait(2 * minutes);
      stale = true;
    });
    expect(lines).toEqual(['p: PROCESSING -> COMPLETED']);
    stale = true;
    expect((await follow(listing, 30 * seconds, undefined, { since: checkpoint(0) })).lines).toEqual([]);
  });

  test('is accepted if an earlier time persists', async () => {
    const listing = new Listing();
    listing.add('p', 'APPROVED', 1 * days);
    const { lines } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('p', 'PROCESSING');
      await listing.time.wait(5 * minutes);
      listing.change('p', { status: 'COMPLETED', updatedAt: listing.get('p').createdAt });
    });
    expect(lines).toEqual(['p: APPROVED -> PROCESSING', 'p: PROCESSING -> COMPLETED']);
  });

  test('that lags briefly loses no final state', async () => {
    const listing = new Listing();
    listing.add('p', 'PROCESSING', 1 * days);
    // Removed from its list, and not yet in the list of its new status.
    listing.respondWith = ({ createdTo }) =>
      createdTo !== undefined && listing.time.now() < began + 3 * minutes
        ? Response.json({ items: [], nextCursor: null, hasMore: false })
        : undefined;
    const began = listing.time.now();
    const { lines } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('p', 'COMPLETED');
    });
    expect(lines).toEqual(['p: PROCESSING -> COMPLETED']);
  });
});

describe('times', () => {
  const life = async (listing: Listing): Promise<string[]> => {
    listing.add('old', 'APPROVED', 1 * days);
    const { lines } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(61_234);
      listing.add('fresh');
      await listing.time.wait(5 * minutes);
      listing.move('old', 'CANCELLED');
      listing.move('fresh', 'REJECTED');
    });
    return lines;
  };
  const expected = ['fresh: new -> PENDING_REVIEW', 'old: APPROVED -> CANCELLED', 'fresh: PENDING_REVIEW -> REJECTED'];
  const rewritten = (rewrite: (time: string) => string): Listing => {
    const listing = new Listing();
    listing.show = (payment) => ({
      ...payment,
      createdAt: rewrite(payment.createdAt),
      updatedAt: rewrite(payment.updatedAt),
    });
    return listing;
  };

  test.each([
    ['in whole seconds', (time: string) => time.replace(/\.\d+/, '')],
    [
      'in whole seconds, without a zone, as databases write them',
      (time: string) => time.replace(/\.\d+Z/, '').replace('T', ' '),
    ],
    ['with an offset', (time: string) => time.replace('Z', '+00:00')],
    ['in microseconds', (time: string) => time.replace('Z', '999Z')],
  ])('can be returned %s', async (_, rewrite) => {
    expect((await life(rewritten(rewrite))).toSorted()).toEqual(expected.toSorted());
  });
});

describe('lookups', () => {
  test('are at most fifty per poll; the next poll continues', async () => {
    const listing = new Listing();
    const ids = Array.from({ length: 120 }, (_, index) => `p${index}`);
    for (const [index, id] of ids.entries()) listing.add(id, 'PROCESSING', 10 * days - index * minutes);
    const { lines } = await follow(listing, 5 * minutes, async () => {
      await listing.time.wait(5 * seconds);
      for (const id of ids) listing.move(id, 'COMPLETED');
    });
    expect(lines.toSorted()).toEqual(ids.map((id) => `${id}: PROCESSING -> COMPLETED`).toSorted());
    const [, second = 0, third = 0, fourth = 0] = listing
      .pollsAt()
      .map(
        (at) =>
          listing.requests.filter((request) => (request.at - (listing.requests[0]?.at ?? 0)) / seconds === at).length,
      );
    // The third reads the returns once more, because the longest time to completion has grown.
    const idle = openStatuses.length + 2;
    expect([second, third, fourth]).toEqual([50 + idle, 50 + idle + 1, 20 + idle]);
  });

  test('take turns if more than fifty payments have an unknown status, which no list shows', async () => {
    const listing = new Listing();
    const ids = Array.from({ length: 60 }, (_, index) => `p${index}`);
    for (const [index, id] of ids.entries()) listing.add(id, 'PROCESSING', 10 * days - index * minutes);
    const behind: boolean[] = [];
    const onCheckpoint = (checkpoint: ChangesCheckpoint): void => void behind.push(checkpoint.behind);
    const happens = async (): Promise<void> => {
      await listing.time.wait(5 * seconds);
      for (const id of ids) listing.move(id, 'STATUS_OF_TESTS');
      await listing.time.wait(20 * seconds);
      listing.move('p59', 'COMPLETED');
    };
    const { lines } = await follow(listing, 55 * seconds, happens, { onCheckpoint, maxPollInterval: 10 * seconds });
    const expected = [...ids.map((id) => `${id}: PROCESSING -> STATUS_OF_TESTS`), 'p59: STATUS_OF_TESTS -> COMPLETED'];
    expect(lines.toSorted()).toEqual(expected.toSorted());
    expect(behind).toEqual([false, true, false, false, false, false]);
  });

  test('are shared by payments that were created within ten seconds of each other', async () => {
    const listing = new Listing();
    const ids = Array.from({ length: 40 }, (_, index) => `p${index}`);
    for (const [index, id] of ids.entries()) listing.add(id, 'PROCESSING', 10 * days - index * 9 * seconds);
    await follow(listing, 15 * seconds, async () => {
      await listing.time.wait(5 * seconds);
      for (const id of ids) listing.move(id, 'COMPLETED');
    });
    expect(
      listing.requests.filter(({ status, createdTo }) => status === undefined && createdTo !== undefined),
    ).toHaveLength(1);
  });
});
