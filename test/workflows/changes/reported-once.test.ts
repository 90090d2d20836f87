import { describe, expect, test } from 'vitest';
import type { ChangesOptions } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';
import { days, follow, minutes } from './watched.ts';

describe('a return that was reported is not reported again when the time that is searched for returns grows', () => {
  const options: ChangesOptions = { returnWindow: 10 * days, maxPollInterval: 60 * minutes };

  test('because a payment took longer than any other', async () => {
    const listing = new Listing();
    listing.add('slow', 'PROCESSING', 20 * days);
    for (const [index, id] of ['second', 'first'].entries()) listing.add(id, 'PROCESSING', (18 + index) * days);
    const { lines } = await follow(
      listing,
      3 * days,
      async () => {
        await listing.time.wait(30 * minutes);
        for (const id of ['first', 'second']) listing.move(id, 'RETURNED');
        await listing.time.wait(1 * days);
        listing.add('new', 'REJECTED');
        await listing.time.wait(1 * days);
        listing.move('slow', 'COMPLETED');
        // The next poll, which searches a longer time for returns, still knows this payment.
        await listing.time.wait(60 * minutes);
        listing.move('slow', 'RETURNED');
      },
      { ...options, pollInterval: 60 * minutes },
    );
    expect(lines.toSorted()).toEqual([
      'first: PROCESSING -> RETURNED',
      'new: new -> REJECTED',
      'second: PROCESSING -> RETURNED',
      'slow: COMPLETED -> RETURNED',
      'slow: PROCESSING -> COMPLETED',
    ]);
  });

  test('after it had been searched before', async () => {
    const listing = new Listing();
    listing.add('slow', 'PROCESSING', 4 * days);
    listing.add('returned', 'COMPLETED', 9 * days);
    const { lines } = await follow(
      listing,
      6 * days,
      async () => {
        await listing.time.wait(1 * minutes);
        listing.move('returned', 'RETURNED');
        await listing.time.wait(3 * days);
        listing.add('new', 'REJECTED');
        await listing.time.wait(1 * days);
        listing.move('slow', 'COMPLETED');
      },
      options,
    );
    expect(lines).toEqual(['returned: COMPLETED -> RETURNED', 'new: new -> REJECTED', 'slow: PROCESSING -> COMPLETED']);
  });

  test('because changes() continues with a longer returnWindow', async () => {
    const listing = new Listing();
    listing.add('returned', 'PROCESSING', 20 * days);
    const { checkpoint } = await follow(
      listing,
      3 * days,
      async () => {
        await listing.time.wait(1 * minutes);
        await listing.time.wait(1 * days);
        listing.move('returned', 'RETURNED');
        await listing.time.wait(1 * days);
        listing.add('new', 'REJECTED');
      },
      options,
    );
    const { lines } = await follow(listing, 1 * days, undefined, { since: checkpoint(-1), returnWindow: 30 * days });
    expect(lines).toEqual([]);
  });
});

test('a payment that was created exactly at the start of returnWindow is reported as returned once', async () => {
  const listing = new Listing();
  listing.add('within', 'COMPLETED', 10 * days);
  listing.add('before', 'COMPLETED', 10 * days + 1);
  const since = new Date(listing.time.now());
  const { lines } = await follow(
    listing,
    60 * minutes,
    async () => {
      await listing.time.wait(1 * minutes);
      for (const id of ['within', 'before']) listing.change(id, { status: 'RETURNED' });
    },
    { since, returnWindow: 10 * days },
  );
  expect(lines).toEqual(['within: COMPLETED -> RETURNED']);
});

test('a payment that ended is not reported again when changes() continues with a longer consistencyWindow', async () => {
  const listing = new Listing();
  const { lines, checkpoint } = await follow(
    listing,
    60 * minutes,
    async () => {
      await listing.time.wait(1 * minutes);
      listing.add('ended', 'REJECTED');
      await listing.time.wait(20 * minutes);
      listing.add('new', 'REJECTED');
      await listing.time.wait(20 * minutes);
      listing.add('last');
    },
    { consistencyWindow: 1 * minutes },
  );
  expect(lines).toEqual(['ended: new -> REJECTED', 'new: new -> REJECTED', 'last: new -> PENDING_REVIEW']);
  const options = { since: checkpoint(-1), consistencyWindow: 60 * minutes };
  expect((await follow(listing, 60 * minutes, undefined, options)).lines).toEqual([]);
});
