import { describe, expect, test } from 'vitest';
import type { ChangesCheckpoint, ChangesOptions } from 'corridor-sdk';
import { line, Listing } from '../paged-list.ts';

const seconds = 1_000;
const minutes = 60 * seconds;
const days = 24 * 60 * minutes;

/** Follows a list while `happens` changes it, and returns the lines of the changes. */
async function follow(listing: Listing, options: ChangesOptions, happens: () => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const stop = new AbortController();
  await listing.time.run(async () => {
    const following = (async () => {
      try {
        for await (const change of listing.client().payments.changes({ ...options, signal: stop.signal }))
          lines.push(line(change));
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      }
    })();
    await happens();
    stop.abort();
    await following;
  });
  return lines;
}

test.each([50, 120, 24 * 60])(
  'a payment that is listed late is reported within a consistency window of %i minutes',
  async (window) => {
    const listing = new Listing();
    const lines: string[] = [];
    let checkpoint: ChangesCheckpoint | undefined;
    const run = (): Promise<void> =>
      listing.time.run(async () => {
        const changes = listing.client().payments.changes({
          once: true,
          consistencyWindow: window * minutes,
          since: checkpoint ?? '2026-02-20T08:00:00Z',
          onCheckpoint: (stored) => {
            checkpoint = stored;
          },
        });
        for await (const change of changes) lines.push(line(change));
      });
    await run();
    await listing.time.run(() => listing.time.wait(10 * minutes));
    listing.add('late', 'COMPLETED', 40 * minutes);
    await run();
    expect(lines).toEqual([expect.stringContaining('late')]);
  },
);

test('payments that are created while the first poll fails are reported', async () => {
  const listing = new Listing();
  const start = listing.time.now();
  listing.add('existing', 'PENDING_REVIEW', 5 * seconds);
  listing.respondWith = () =>
    listing.time.now() - start < 60 * seconds ? new Response('{}', { status: 503 }) : undefined;
  const lines = await follow(listing, {}, async () => {
    await listing.time.wait(20 * seconds);
    listing.add('created');
    listing.add('ended');
    listing.move('ended', 'COMPLETED');
    await listing.time.wait(10 * minutes);
  });
  expect(lines.toSorted()).toEqual([expect.stringContaining('created'), expect.stringContaining('ended')]);
});

describe('a return just before the end of its window', () => {
  test.each([1, 120])('is reported to a consumer that takes %i s for a change', async (duration) => {
    const listing = new Listing();
    listing.add('old', 'COMPLETED', 30 * days - minutes);
    listing.add('other', 'PROCESSING', 1_000 * seconds);
    const lines: string[] = [];
    await listing.time.run(async () => {
      let polls = 0;
      const stop = new AbortController();
      const changes = listing.client().payments.changes({
        signal: stop.signal,
        onCheckpoint: () => {
          polls += 1;
          if (polls === 1) listing.move('other', 'COMPLETED');
          if (polls === 5) stop.abort();
        },
      });
      try {
        for await (const change of changes) {
          lines.push(line(change));
          if (change.payment.id !== 'other') continue;
          listing.move('old', 'RETURNED');
          await listing.time.wait(duration * seconds);
        }
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      }
    });
    expect(lines).toEqual([expect.stringContaining('other'), expect.stringContaining('old')]);
  });
});

test('a signer that fails for a while does not end it', async () => {
  const listing = new Listing();
  listing.add('open', 'PENDING_REVIEW', 5 * seconds);
  let isDown = false;
  const signer = async (): Promise<Uint8Array<ArrayBuffer>> => {
    if (isDown) throw Object.assign(new Error('too many requests'), { name: 'ThrottlingException' });
    return new Uint8Array(256);
  };
  await listing.time.run(async () => {
    const corridor = listing.client({ hooks: {}, signer });
    const changes = corridor.payments.changes({
      since: '2026-02-28T00:00:00Z',
      onCheckpoint: () => {
        if (listing.get('open').status === 'COMPLETED') return;
        isDown = true;
        void listing.time.wait(30 * seconds).then(() => {
          isDown = false;
          listing.move('open', 'COMPLETED');
        });
      },
    });
    const statuses: string[] = [];
    for await (const { payment } of changes) {
      statuses.push(payment.status);
      if (payment.status === 'COMPLETED') break;
    }
    expect(statuses).toEqual(['PENDING_REVIEW', 'COMPLETED']);
  });
});

describe('a payment that moves to a page that was read', () => {
  /** Sorts the list before each page of new payments as the next of `orders` says, and the last one from then on. */
  function sortPages(listing: Listing, orders: readonly string[], beforePage: (page: number) => void = () => {}): void {
    let pages = 0;
    listing.pageSize = 2;
    listing.respondWith = ({ status, createdFrom }) => {
      if (status !== undefined || createdFrom === undefined) return undefined;
      pages += 1;
      beforePage(pages);
      const order = (orders[pages - 1] ?? orders.at(-1) ?? '').split(' ');
      listing.order = (one, other) => order.indexOf(one.id) - order.indexOf(other.id);
      return undefined;
    };
  }

  test('in two readings of a list is reported, because a third finds it', async () => {
    const listing = new Listing();
    for (const id of ['a', 'b', 'c']) listing.add(id, 'COMPLETED', 20 * minutes);
    listing.add('newest', 'COMPLETED');
    const readings = [
      ['newest a b c', 'b c newest a'],
      ['b newest a c', 'c b newest a'],
    ];
    sortPages(listing, [...readings.flat(), 'c b newest a']);
    const lines = await follow(listing, { since: '2026-03-01T08:00:00Z' }, () => listing.time.wait(10 * minutes));
    expect(lines).toHaveLength(4);
  });

  test('is reported if it was created after the first page of the reading, and later payments were seen', async () => {
    const listing = new Listing();
    listing.latency = 5 * seconds;
    for (const id of ['a', 'b', 'c']) listing.add(id, 'COMPLETED', 20 * minutes);
    const moved = 'created a b later c';
    sortPages(listing, ['a b c', moved, moved, 'a b created later c', moved], (page) => {
      if (page !== 2) return;
      listing.add('created', 'COMPLETED', 5 * seconds);
      listing.add('later', 'COMPLETED');
    });
    const options = { since: '2026-03-01T08:00:00Z', consistencyWindow: 0 };
    const lines = await follow(listing, options, () => listing.time.wait(10 * minutes));
    expect(lines).toHaveLength(5);
  });
});
