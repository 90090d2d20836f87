import { describe, expect, test } from 'vitest';
import type { ChangesOptions } from 'corridor-sdk';
import { openStatuses } from '../../support/open-statuses.ts';
import { Listing } from '../paged-list.ts';
import { seconds, minutes, days, storedPayments, follow } from './watched.ts';

describe('completed payments', () => {
  test('before the start are checked for returns for 180 days from their creation', async () => {
    const listing = new Listing();
    listing.add('ancient', 'COMPLETED', 190 * days);
    listing.add('done', 'COMPLETED', 179 * days);
    const { lines } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(10 * minutes);
      listing.move('ancient', 'RETURNED');
      listing.move('done', 'RETURNED');
    });
    expect(lines).toEqual(['done: COMPLETED -> RETURNED']);
  });

  test('are checked for returns from their completion, also across a restart', async () => {
    const listing = new Listing();
    listing.add('slow', 'PROCESSING', 1 * days);
    const options = { returnWindow: 10 * days, maxPollInterval: 6 * 60 * minutes };
    const { lines, checkpoint } = await follow(
      listing,
      14 * days,
      async () => {
        await listing.time.wait(12 * days);
        listing.move('slow', 'COMPLETED');
      },
      options,
    );
    const happens = async (): Promise<void> => {
      await listing.time.wait(7 * days);
      listing.move('slow', 'RETURNED');
    };
    const { lines: resumed } = await follow(listing, 8 * days, happens, { ...options, since: checkpoint(-1) });
    expect([lines, resumed]).toEqual([['slow: PROCESSING -> COMPLETED'], ['slow: COMPLETED -> RETURNED']]);
  });

  test('are reported as returned once, also across a restart', async () => {
    const listing = new Listing();
    for (const id of ['first', 'second']) listing.add(id, 'COMPLETED', 3 * days);
    const { lines, checkpoint } = await follow(listing, 5 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('first', 'RETURNED');
    });
    listing.move('second', 'RETURNED');
    const { lines: resumed } = await follow(listing, 5 * minutes, undefined, { since: checkpoint(-1) });
    expect([lines, resumed]).toEqual([['first: COMPLETED -> RETURNED'], ['second: COMPLETED -> RETURNED']]);
  });

  test('cost one request per poll, and none if returnWindow is 0', async () => {
    const requests = async (options: ChangesOptions, completed: number): Promise<number> => {
      const listing = new Listing();
      for (let index = 0; index < completed; index += 1) listing.add(`p${index}`, 'COMPLETED', 2 * days);
      await follow(listing, 5 * seconds, undefined, options);
      return listing.requests.length;
    };
    // The start reads open and recent payments twice, and returned ones; then a poll reads each list once.
    const lists = openStatuses.length + 1;
    expect(await requests({}, 0)).toBe(3 * lists + 2);
    expect(await requests({}, 2_000)).toBe(3 * lists + 2);
    expect(await requests({ returnWindow: 0 }, 2_000)).toBe(3 * lists);
  });

  test('that were not tracked before are not reported when returnWindow grows', async () => {
    const listing = new Listing();
    listing.add('open', 'APPROVED', 1 * days);
    listing.add('returned', 'RETURNED', 2 * days);
    const { checkpoint } = await follow(
      listing,
      5 * minutes,
      async () => {
        await listing.time.wait(1 * minutes);
        listing.move('open', 'PROCESSING');
      },
      { returnWindow: 0 },
    );
    expect((await follow(listing, 5 * minutes, undefined, { since: checkpoint(-1) })).lines).toEqual([]);
  });

  test('are checked in a longer returnWindow when changes() continues with one', async () => {
    const listing = new Listing();
    for (const id of ['before', 'between', 'after']) listing.add(id, 'COMPLETED', 200 * days);
    listing.add('open', 'APPROVED', 1 * days);
    listing.change('before', {
      status: 'RETURNED',
      updatedAt: new Date(listing.time.now() - 2 * days).toISOString(),
    });
    const { checkpoint } = await follow(listing, 5 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('open', 'PROCESSING');
    });
    listing.move('between', 'RETURNED');
    const happens = async (): Promise<void> => {
      await listing.time.wait(1 * minutes);
      listing.move('after', 'RETURNED');
    };
    const options = { since: checkpoint(-1), returnWindow: 240 * days };
    const { lines } = await follow(listing, 5 * minutes, happens, options);
    expect(lines).toEqual(['between: COMPLETED -> RETURNED', 'after: COMPLETED -> RETURNED']);
  });

  test('are reported if they are returned during the start', async () => {
    const listing = new Listing();
    for (const id of ['before', 'during']) listing.add(id, 'COMPLETED', 3 * days);
    listing.move('before', 'RETURNED');
    await listing.time.run(() => listing.time.wait(10 * seconds));
    listing.respondWith = (_, index) => {
      if (index === 1) listing.move('during', 'RETURNED');
      return undefined;
    };
    expect((await follow(listing, 5 * minutes)).lines).toEqual(['during: COMPLETED -> RETURNED']);
  });
});

describe('an unknown status', () => {
  test('is reported, and treated as open', async () => {
    const listing = new Listing();
    listing.add('odd', 'APPROVED', 1 * days);
    const { lines, checkpoint } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('odd', 'STATUS_OF_TESTS');
      await listing.time.wait(5 * minutes);
      listing.move('odd', 'COMPLETED');
    });
    expect(lines).toEqual(['odd: APPROVED -> STATUS_OF_TESTS', 'odd: STATUS_OF_TESTS -> COMPLETED']);
    expect(storedPayments(checkpoint(0)).map(([id, status]) => `${id} ${status}`)).toEqual(['odd STATUS_OF_TESTS']);
  });
});
