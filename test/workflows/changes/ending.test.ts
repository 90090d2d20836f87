import { getEventListeners, once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AbortedError, AuthenticationError, InvalidResponseError, PaginationError } from 'corridor-sdk';
import { openStatuses } from '../../support/open-statuses.ts';
import { Listing } from '../paged-list.ts';
import { seconds, minutes, days, follow } from './watched.ts';

// Without payments, the start reads the open and the recent ones twice, and the returned ones.
const startRequests = 2 * (openStatuses.length + 1) + 1;
const pollRequests = openStatuses.length + 2;

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
    listing.respondWith = (_, index) =>
      index >= startRequests && index < startRequests + 4 ? new Response(null, { status: 503 }) : undefined;
    await follow(listing, 200 * seconds);
    expect(listing.pollsAt().slice(0, 5)).toEqual([0, 10, 30, 70, 150]);
  });

  test.each([
    ['400', 410],
    ['3600', 3_610],
    ['3601', 3_610],
    ['99999999999', 3_610],
  ])('respect Retry-After of a 429, up to an hour: %s', async (retryAfter, polledAt) => {
    const listing = new Listing();
    listing.respondWith = (_, index) =>
      index === startRequests + pollRequests
        ? new Response(null, { status: 429, headers: { 'retry-after': retryAfter } })
        : undefined;
    await follow(listing, polledAt * seconds + 90 * seconds);
    expect(listing.pollsAt()).toEqual([0, 10, polledAt, polledAt + 40]);
  });
});

describe('changes() ends', () => {
  test('at a rejection, which another poll would not fix', async () => {
    const listing = new Listing();
    listing.respondWith = (_, index) => (index >= startRequests + 10 ? new Response(null, { status: 401 }) : undefined);
    await expect(follow(listing, 10 * minutes)).rejects.toThrow(AuthenticationError);
    expect(listing.requests).toHaveLength(startRequests + 11);
  });

  test('after five unusable responses in a row', async () => {
    const listing = new Listing();
    listing.respondWith = (_, index) => (index >= startRequests ? Response.json({ items: 'none' }) : undefined);
    await expect(follow(listing, 60 * minutes)).rejects.toThrow(InvalidResponseError);
    expect(listing.requests).toHaveLength(startRequests + 5);
  });

  test('at once if a list never ends, because another poll would read as much of it', async () => {
    const listing = new Listing();
    listing.respondWith = (_, index) =>
      index >= startRequests ? Response.json({ items: [], nextCursor: String(index), hasMore: true }) : undefined;
    const failing = follow(listing, 60 * minutes);
    await expect(failing).rejects.toThrow(PaginationError);
    await expect(failing).rejects.toThrow(/the list does not end/);
    expect(listing.requests).toHaveLength(startRequests + 101);
  });

  test('not if an expired cursor is rejected: the iteration restarts', async () => {
    const listing = new Listing();
    listing.pageSize = 1;
    for (const id of ['a', 'b']) listing.add(id, 'APPROVED', 1 * days);
    let iterations = 0;
    listing.respondWith = ({ cursor }) => {
      if (cursor !== undefined) iterations += 1;
      return cursor !== undefined && iterations % 5 === 0
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

  test('when its scope ends, and sends nothing more', async () => {
    const listing = new Listing();
    await listing.time.run(async () => {
      {
        await using feed = listing.client().payments.changes();
        void feed.next();
        await listing.time.wait(15 * seconds);
      }
      const sent = listing.requests.length;
      await listing.time.wait(1 * days);
      expect(listing.requests).toHaveLength(sent);
    });
  });

  test('without leaving a listener at its signal', async () => {
    const listing = new Listing();
    listing.add('a', 'APPROVED');
    const { signal } = new AbortController();
    await listing.time.run(async () => {
      const feed = listing.client().payments.changes({ since: '2026-01-01T00:00Z', signal });
      await feed.next();
      expect(getEventListeners(signal, 'abort')).not.toEqual([]);
      await feed.return();
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
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

  test('when it is returned or its stream destroyed, also while nothing changes', async () => {
    const listing = new Listing();
    await listing.time.run(async () => {
      const feed = listing.client().payments.changes();
      const next = feed.next();
      await listing.time.wait(15 * seconds);
      expect(await feed.return()).toEqual({ done: true, value: undefined });
      expect(await next).toEqual({ done: true, value: undefined });
      expect(await feed.next()).toEqual({ done: true, value: undefined });

      const stream = Readable.from(listing.client().payments.changes());
      stream.resume();
      await listing.time.wait(15 * seconds);
      const closed = once(stream, 'close');
      stream.destroy();
      await closed;
      const sent = listing.requests.length;
      await listing.time.wait(1 * days);
      expect(listing.requests).toHaveLength(sent);
    });
  });

  test('during a request, when it is returned', async () => {
    const listing = new Listing();
    listing.latency = 10 * minutes;
    await listing.time.run(async () => {
      const feed = listing.client({ timeout: 60 * minutes, totalTimeout: 60 * minutes }).payments.changes();
      const next = feed.next();
      await listing.time.wait(1 * minutes);
      const before = listing.time.now();
      await feed.return();
      expect(await next).toEqual({ done: true, value: undefined });
      expect(listing.time.now()).toBe(before);
    });
  });

  test('with the error that is thrown into it', async () => {
    const listing = new Listing();
    await listing.time.run(async () => {
      const feed = listing.client().payments.changes();
      const next = feed.next();
      await listing.time.wait(15 * seconds);
      await expect(feed.throw(new Error('enough'))).rejects.toThrow('enough');
      expect(await next).toEqual({ done: true, value: undefined });
    });
  });

  test('when its signal aborts while a change is processed, without another change', async () => {
    const listing = new Listing();
    for (const id of ['a', 'b']) listing.add(id);
    const stop = new AbortController();
    await listing.time.run(async () => {
      const feed = listing.client().payments.changes({ since: '2026-01-01T00:00Z', signal: stop.signal });
      await feed.next();
      stop.abort();
      await expect(feed.next()).rejects.toThrow(AbortedError);
    });
  });
});
