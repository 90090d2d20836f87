import { describe, expect, test } from 'vitest';
import { AbortedError, type ChangesCheckpoint, type ListedPayment } from 'corridor-sdk';
import { deterministic } from '../../simulation/determinism.ts';
import { RandomSource } from '../../support/random-source.ts';
import { line, Listing } from '../paged-list.ts';
import { days, follow, minutes, seconds } from './watched.ts';

describe('a row from a replica that lags', () => {
  // The second poll after a change in the same second shows the payment as it was before.
  const followLag = async (rows: number): Promise<string[]> => {
    const listing = new Listing({ bounds: 'inclusive', precision: 'seconds' });
    listing.add('p', 'PENDING_REVIEW', 1 * days);
    let left = 0;
    let before = listing.get('p');
    listing.respondWith = ({ status }) => {
      if (status !== before.status || left === 0) return undefined;
      left -= 1;
      return Response.json({ items: [before], nextCursor: null, hasMore: false });
    };
    const { lines } = await follow(listing, 30 * minutes, async () => {
      await listing.time.wait(60_100);
      listing.move('p', 'APPROVED');
      before = listing.get('p');
      await listing.time.wait(200);
      listing.move('p', 'PROCESSING');
      await listing.time.wait(50 * seconds);
      left = rows;
    });
    return lines;
  };

  test.each([1, 2, 3])('with an updatedAt in seconds yields no earlier status, %i times', async (rows) => {
    expect(await followLag(rows)).toEqual(['p: PENDING_REVIEW -> PROCESSING']);
  });

  test('does not hide a later status of the same second', async () => {
    const listing = new Listing({ bounds: 'inclusive', precision: 'seconds' });
    listing.add('p', 'PENDING_REVIEW', 1 * days);
    const at = listing.get('p').updatedAt;
    const checkpoints: ChangesCheckpoint[] = [];
    const { lines } = await follow(
      listing,
      30 * minutes,
      async () => {
        await listing.time.wait(1 * minutes);
        listing.change('p', { status: 'CORRECTION_NEEDED', updatedAt: at });
        await listing.time.wait(15 * minutes);
        listing.change('p', { status: 'REJECTED', updatedAt: at });
      },
      { onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint) },
    );
    expect(lines).toEqual(['p: PENDING_REVIEW -> CORRECTION_NEEDED', 'p: CORRECTION_NEEDED -> REJECTED']);
    expect(checkpoints.some(({ behind }) => behind)).toBe(true);
    expect(checkpoints.at(-1)?.behind).toBe(false);
  });

  test('does not hide a later status of the same second from a job that runs every minute', async () => {
    const listing = new Listing({ bounds: 'inclusive', precision: 'seconds' });
    listing.add('p', 'CORRECTION_NEEDED', 1 * days);
    const at = listing.get('p').updatedAt;
    let since: ChangesCheckpoint | undefined;
    const onCheckpoint = (checkpoint: ChangesCheckpoint): void =>
      void (since = JSON.parse(JSON.stringify(checkpoint)) as ChangesCheckpoint);
    const job = async (): Promise<string[]> =>
      (await follow(listing, 5 * minutes, undefined, { since, once: true, onCheckpoint })).lines;
    expect(await job()).toEqual([]);
    listing.change('p', { status: 'PENDING_REVIEW', updatedAt: at });
    const lines: string[] = [];
    for (let runs = 0; runs < 8; runs += 1) {
      await listing.time.run(() => listing.time.wait(1 * minutes));
      lines.push(...(await job()));
    }
    expect(lines).toEqual(['p: CORRECTION_NEEDED -> PENDING_REVIEW']);
    expect(since?.behind).toBe(false);
  });
});

describe('a list whose rows are all stale', () => {
  // From a time after the last change, all lists show the payment in the statuses, one per poll.
  const followStatuses = async (statuses: readonly string[]): Promise<string[]> => {
    const listing = new Listing();
    listing.add('p', 'PROCESSING', 1 * days);
    const { createdAt } = listing.get('p');
    let shown: readonly string[] = [];
    let first = 0;
    listing.respondWith = ({ status, at }) => {
      if (shown.length === 0) return undefined;
      first ||= at;
      const now = shown[(at - first) / (10 * seconds)] ?? 'PROCESSING';
      const items = status === undefined || status === now ? [{ ...listing.get('p'), status: now }] : [];
      return Response.json({ items, nextCursor: null, hasMore: false });
    };
    const { lines } = await follow(
      listing,
      30 * minutes,
      async () => {
        await listing.time.wait(10 * minutes);
        listing.change('p', { updatedAt: createdAt });
        shown = statuses;
      },
      { maxPollInterval: 10 * seconds },
    );
    return lines;
  };

  test('yields no status that only one poll has seen', async () => {
    expect(await followStatuses(['APPROVED', 'PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'APPROVED'])).toEqual([]);
  });

  test('yields no status if another list of each poll shows the known one', async () => {
    const listing = new Listing();
    listing.add('p', 'PROCESSING', 1 * days);
    listing.respondWith = ({ status }) =>
      status === 'APPROVED' && listing.time.now() - start > 10 * minutes
        ? Response.json({ items: [{ ...listing.get('p'), status }], nextCursor: null, hasMore: false })
        : undefined;
    const start = listing.time.now();
    expect((await follow(listing, 30 * minutes)).lines).toEqual([]);
  });

  test('yields a status that two polls have seen', async () => {
    expect(await followStatuses(['PENDING_REVIEW', 'APPROVED', 'APPROVED'])).toEqual([
      'p: PROCESSING -> APPROVED',
      'p: APPROVED -> PROCESSING',
    ]);
  });
});

test('a payment that leaves a final status after all is reported with that status as the previous one', async () => {
  const listing = new Listing();
  listing.add('p', 'PROCESSING', 3 * days);
  // The payment is not known anymore at the end of a poll, unless its new status is to be confirmed.
  listing.latency = 5 * seconds;
  const { lines } = await follow(
    listing,
    30 * minutes,
    async () => {
      await listing.time.wait(5 * minutes);
      listing.move('p', 'COMPLETED');
      await listing.time.wait(3 * minutes);
      listing.move('p', 'PROCESSING');
    },
    { pollInterval: 1, maxPollInterval: 1, consistencyWindow: 245 * seconds },
  );
  expect(lines).toEqual(['p: PROCESSING -> COMPLETED', 'p: COMPLETED -> PROCESSING']);
});

test('a payment without an updatedAt that had ended when it appeared is not reported in an earlier status', async () => {
  const listing = new Listing();
  listing.add('p', 'COMPLETED', 3 * days);
  listing.add('later', 'REJECTED');
  listing.change('p', { updatedAt: null as never });
  let isStale = false;
  listing.respondWith = ({ status }) => {
    if (!isStale || status !== 'PROCESSING') return undefined;
    isStale = false;
    return Response.json({ items: [{ ...listing.get('p'), status }], nextCursor: null, hasMore: false });
  };
  const { lines } = await follow(
    listing,
    30 * minutes,
    async () => {
      await listing.time.wait(1 * minutes);
      isStale = true;
    },
    { since: new Date(listing.time.now() - 5 * days) },
  );
  expect([lines, isStale]).toEqual([['p: new -> COMPLETED', 'later: new -> REJECTED'], false]);
});

describe('a list whose updatedAt does not change', () => {
  // Requests of a status list the payment as it was before, once, so many minutes after it ended.
  const followLife = async (lagAfter: number, age: number): Promise<string[]> => {
    const listing = new Listing();
    if (age > 0) listing.add('p', 'PENDING_REVIEW', age);
    let stale: ListedPayment | undefined;
    listing.respondWith = ({ status }) => {
      if (stale === undefined || status !== stale.status) return undefined;
      const items = [stale];
      stale = undefined;
      return Response.json({ items, nextCursor: null, hasMore: false });
    };
    const { lines } = await follow(
      listing,
      30 * minutes,
      async () => {
        await listing.time.wait(1 * minutes);
        if (age === 0) listing.add('p', 'PENDING_REVIEW');
        await listing.time.wait(2 * minutes);
        const before = listing.get('p');
        for (const status of ['APPROVED', 'PROCESSING', 'COMPLETED']) {
          listing.change('p', { status });
          await listing.time.wait(11 * seconds);
        }
        await listing.time.wait(lagAfter);
        // The list is complete up to a later time.
        listing.add('other', 'REJECTED');
        await listing.time.wait(15 * seconds);
        stale = before;
        await listing.time.wait(10 * minutes);
        expect(stale).toBeUndefined();
      },
      { maxPollInterval: 10 * seconds },
    );
    return lines.filter((each) => each.startsWith('p'));
  };

  const life = ['p: PENDING_REVIEW -> APPROVED', 'p: APPROVED -> PROCESSING', 'p: PROCESSING -> COMPLETED'];

  test.each([0, 1, 4])('reports each status once, %i minutes before a replica lags', async (minutesAfter) => {
    expect(await followLife(minutesAfter * minutes, 0)).toEqual(['p: new -> PENDING_REVIEW', ...life]);
    expect(await followLife(minutesAfter * minutes, 10 * days)).toEqual(life);
  });
});

test('a payment that ended is not new in the poll in which a replica shows it as it was, and a later one', async () => {
  const listing = new Listing();
  const { lines } = await follow(
    listing,
    40 * minutes,
    async () => {
      await listing.time.wait(1 * minutes);
      listing.add('p', 'PROCESSING');
      await listing.time.wait(15 * seconds);
      const before = listing.get('p');
      listing.move('p', 'COMPLETED');
      await listing.time.wait(20 * minutes);
      const ended = listing.get('p');
      listing.change('p', before);
      listing.add('later');
      // One poll.
      await listing.time.wait(10 * seconds);
      listing.change('p', ended);
    },
    { maxPollInterval: 10 * seconds },
  );
  expect(lines).toEqual(['p: new -> PROCESSING', 'p: PROCESSING -> COMPLETED', 'later: new -> PENDING_REVIEW']);
});

describe('a clock that is set', () => {
  // The list shows an earlier state twice, four minutes after a change and just after the clock of the machine was set.
  const followStep = async (step: number, restart: 'never' | 'before' | 'meanwhile'): Promise<string[]> => {
    const listing = new Listing({ bounds: 'inclusive', precision: 'seconds' });
    listing.add('p', 'PENDING_REVIEW', 1 * days);
    let ahead = 0;
    let stale: ListedPayment | undefined;
    listing.respondWith = ({ status }) =>
      stale !== undefined && stale.status === status
        ? Response.json(
            { items: [stale], nextCursor: null, hasMore: false },
            { headers: { date: new Date(listing.time.now()).toUTCString() } },
          )
        : undefined;
    const client = { now: () => listing.time.now() + ahead, sleep: undefined };
    const lines: string[] = [];
    let since: ChangesCheckpoint | undefined;
    const run = async (duration: number): Promise<void> => {
      const stop = new AbortController();
      void listing.time.wait(duration).then(() => stop.abort());
      const options = {
        since,
        maxPollInterval: 10 * seconds,
        signal: stop.signal,
        onCheckpoint: (stored: ChangesCheckpoint): void => void (since = structuredClone(stored)),
      };
      const changes = listing.client(client).payments.changes(options);
      try {
        for await (const change of changes) lines.push(line(change));
      } catch (error) {
        if (!(error instanceof AbortedError)) throw error;
      }
    };
    await deterministic(listing.time, new RandomSource(1), async () => {
      void (async () => {
        await listing.time.wait(1 * minutes);
        const before = listing.get('p');
        listing.move('p', 'COMPLETED');
        await listing.time.wait(4 * minutes);
        ahead = step;
        stale = before;
        await listing.time.wait(25 * seconds);
        stale = undefined;
      })();
      if (restart === 'before') await run(3 * minutes);
      if (restart === 'meanwhile') {
        await run(5 * minutes - 1);
        await listing.time.wait(2);
      }
      await run(10 * minutes);
    });
    return lines;
  };

  test('back while the start is read, without a Date header, hides no change', async () => {
    const listing = new Listing();
    listing.dateAhead = Number.NaN;
    listing.add('open', 'APPROVED', 10 * minutes);
    listing.add('recent', 'APPROVED', 1 * seconds);
    let behind = 0;
    listing.respondWith = (_, index) => {
      if (index === 6) behind = 90 * minutes;
      // After the start, and before the first poll.
      if (index === 10) listing.move('open', 'COMPLETED');
      return undefined;
    };
    const client = listing.client({ now: () => listing.time.now() - behind, sleep: undefined });
    const lines: string[] = [];
    await deterministic(listing.time, new RandomSource(1), async () => {
      for await (const change of client.payments.changes({ once: true })) lines.push(line(change));
    });
    expect(lines).toContain('open: APPROVED -> COMPLETED');
  });

  test.each([1, -1, 5])('by %i hours does not make an earlier status a change', async (hours) => {
    for (const restart of ['never', 'before', 'meanwhile'] as const)
      expect(await followStep(hours * 60 * minutes, restart)).toEqual(['p: PENDING_REVIEW -> COMPLETED']);
  });
});
