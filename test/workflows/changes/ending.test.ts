import { describe, expect, test } from 'vitest';
import { AuthenticationError, InvalidResponseError } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';
import { seconds, minutes, days, follow } from './watched.js';

describe('delays', () => {
  test('double while nothing changes, and reset on a change', async () => {
    const listing = new Listing();
    await follow(
      listing,
      400 * seconds,
      async () => {
        await listing.time.wait(200 * seconds);
        listing.add('fresh');
      },
      { pollInterval: 10 * seconds, maxPollInterval: 60 * seconds },
    );
    expect(listing.pollsAt()).toEqual([0, 10, 30, 70, 130, 190, 250, 260, 280, 320, 380]);
  });

  test('grow while polls fail', async () => {
    const listing = new Listing();
    listing.meddle = (_, index) => (index >= 5 && index < 9 ? new Response(null, { status: 503 }) : undefined);
    await follow(listing, 200 * seconds);
    expect(listing.pollsAt().slice(0, 5)).toEqual([0, 10, 30, 70, 150]);
  });

  test('respect Retry-After of a 429', async () => {
    const listing = new Listing();
    listing.meddle = (_, index) =>
      index === 11 ? new Response(null, { status: 429, headers: { 'retry-after': '400' } }) : undefined;
    await follow(listing, 500 * seconds);
    expect(listing.pollsAt()).toEqual([0, 10, 410, 450]);
  });
});

describe('changes() ends', () => {
  test('at a rejection, which another poll would not fix', async () => {
    const listing = new Listing();
    listing.meddle = (_, index) => (index >= 15 ? new Response(null, { status: 401 }) : undefined);
    await expect(follow(listing, 10 * minutes)).rejects.toThrow(AuthenticationError);
    expect(listing.requests).toHaveLength(16);
  });

  test('after five unusable responses in a row', async () => {
    const listing = new Listing();
    listing.meddle = (_, index) => (index >= 11 ? Response.json({ items: 'none' }) : undefined);
    await expect(follow(listing, 60 * minutes)).rejects.toThrow(InvalidResponseError);
    expect(listing.requests).toHaveLength(16);
  });

  test('not if an expired cursor is rejected: the iteration restarts', async () => {
    const listing = new Listing();
    listing.pageSize = 1;
    for (const id of ['a', 'b']) listing.add(id, 'APPROVED', 1 * days);
    let iterations = 0;
    listing.meddle = ({ cursor }) => {
      if (cursor !== undefined) iterations += 1;
      return cursor !== undefined && iterations % 2 === 0
        ? Response.json({ code: 'cursor_expired' }, { status: 400 })
        : undefined;
    };
    const { lines } = await follow(listing, 10 * minutes, async () => {
      await listing.time.wait(5 * minutes);
      listing.move('a', 'CANCELLED');
    });
    expect(lines).toEqual(['a: APPROVED -> CANCELLED']);
  });

  test('when the caller stops iterating, and sends nothing more', async () => {
    const listing = new Listing();
    listing.add('a', 'APPROVED');
    await listing.time.run(async () => {
      for await (const { payment } of listing
        .client()
        .payments.changes({ since: new Date(listing.time.now() - 1 * minutes) })) {
        expect(payment.id).toBe('a');
        break;
      }
      const sent = listing.requests.length;
      await listing.time.wait(1 * days);
      expect(listing.requests).toHaveLength(sent);
    });
  });

  test('when its signal aborts during a delay', async () => {
    const listing = new Listing();
    const stop = new AbortController();
    await listing.time.run(async () => {
      const feed = listing.client().payments.changes({ signal: stop.signal });
      void listing.time.wait(15 * seconds).then(() => stop.abort(new Error('enough')));
      await expect(feed.next()).rejects.toMatchObject({ name: 'AbortedError', cause: new Error('enough') });
      expect(await feed.next()).toEqual({ done: true, value: undefined });
    });
  });
});
