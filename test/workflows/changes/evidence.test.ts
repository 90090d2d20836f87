import { describe, expect, test } from 'vitest';
import {
  AuthenticationError,
  InvalidResponseError,
  type ChangesCheckpoint,
  type Drift,
  type ListedPayment,
} from 'corridor-sdk';
import { line, Listing } from '../paged-list.ts';
import { days, follow, minutes, seconds, storedPayments } from './watched.ts';

const updated = ({ updatedAt }: ListedPayment): number => Date.parse(updatedAt);

describe('a row whose timestamp is', () => {
  const life = async (field: 'createdAt' | 'updatedAt', value: unknown, validation: 'standard' | 'observe') => {
    const listing = new Listing();
    const drifts: Drift[] = [];
    for (const id of ['old', 'damaged']) listing.add(id, 'APPROVED', 3 * days);
    listing.show = (payment) => (payment.id === 'damaged' ? { ...payment, [field]: value } : payment);
    const client = { validation, onDrift: (drift: Drift): unknown => drifts.push(drift) };
    const first = await follow(
      listing,
      20 * minutes,
      async () => {
        await listing.time.wait(10 * minutes);
        for (const id of ['old', 'damaged']) listing.move(id, 'PROCESSING');
      },
      {},
      client,
    );
    expect(first.lines.toSorted()).toEqual(['damaged: APPROVED -> PROCESSING', 'old: APPROVED -> PROCESSING']);
    for (const id of ['old', 'damaged']) listing.move(id, 'COMPLETED');
    const since = JSON.parse(JSON.stringify(first.checkpoint(-1))) as ChangesCheckpoint;
    const { lines } = await follow(listing, 20 * minutes, undefined, { since }, client);
    expect(lines.toSorted()).toEqual(['damaged: PROCESSING -> COMPLETED', 'old: PROCESSING -> COMPLETED']);
    if (value !== 'last Tuesday') expect(drifts.map(({ path }) => path)).toContain(`items[0].${field}`);
  };

  test.each(['createdAt', 'updatedAt'] as const)('null, in %s, is followed as others are', (field) =>
    life(field, null, 'standard'),
  );
  test.each(['createdAt', 'updatedAt'] as const)('no date, in %s, is followed as others are', (field) =>
    life(field, 'last Tuesday', 'standard'),
  );
  test.each([
    ['createdAt', 1_767_225_600],
    ['updatedAt', 1_767_225_600],
    ['createdAt', undefined],
    ['updatedAt', undefined],
  ] as const)('tolerated by `observe`, in %s: %s, is followed as others are', (field, value) =>
    life(field, value, 'observe'),
  );

  test('null in createdAt of a later row keeps the creation time by which the payment is looked up', async () => {
    const listing = new Listing();
    listing.add('open', 'APPROVED', 3 * days);
    const { createdAt } = listing.get('open');
    const { lines, checkpoint } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(10 * minutes);
      listing.show = (payment) => ({ ...payment, createdAt: null as never });
      listing.move('open', 'PROCESSING');
    });
    expect(lines).toEqual(['open: APPROVED -> PROCESSING']);
    expect(storedPayments(checkpoint(-1))).toMatchObject([
      ['open', 'PROCESSING', createdAt, listing.get('open').updatedAt],
    ]);
  });

  test('null in createdAt is reported once, if the payment is new', async () => {
    const listing = new Listing();
    listing.show = (payment) => ({ ...payment, createdAt: null as never });
    const { lines, checkpoint } = await follow(listing, 60 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.add('quick', 'REJECTED');
      listing.add('open');
      await listing.time.wait(40 * minutes);
      listing.move('open', 'CANCELLED');
    });
    expect(lines.toSorted()).toEqual([
      'open: PENDING_REVIEW -> CANCELLED',
      'open: new -> PENDING_REVIEW',
      'quick: new -> REJECTED',
    ]);
    expect((await follow(listing, 20 * minutes, undefined, { since: checkpoint(-1) })).lines).toEqual([]);
  });

  test.each([
    [10, false],
    [10, true],
    [90, false],
    [90, true],
  ] as const)(
    'null in createdAt is reported once by a clock that is %i minutes behind, restarted: %s',
    async (behind, restarts) => {
      const listing = new Listing();
      // Without the Date header, nothing shows that the clock is behind.
      listing.dateAhead = Number.NaN;
      const client = { now: () => listing.time.now() - behind * minutes };
      listing.add('other', 'APPROVED', 1 * minutes);
      listing.add('damaged', 'COMPLETED', 1 * minutes);
      const readable = listing.show;
      listing.show = (payment) => (payment.id === 'damaged' ? { ...payment, createdAt: null as never } : payment);
      const repair = async (): Promise<void> => {
        await listing.time.wait(1 * minutes);
        if (!restarts) listing.show = readable;
      };
      const since = '2026-03-01T08:00:00Z';
      const first = await follow(listing, (restarts ? 1 : 20) * minutes, repair, { since }, client);
      expect(first.lines.toSorted()).toEqual(['damaged: new -> COMPLETED', 'other: new -> APPROVED']);
      listing.show = readable;
      const options = { since: JSON.parse(JSON.stringify(first.checkpoint(-1))) as ChangesCheckpoint };
      expect((await follow(listing, 20 * minutes, undefined, options, client)).lines).toEqual([]);
    },
  );

  test.each([
    { behind: 10, otherAge: 0, isLater: false },
    { behind: 0, otherAge: 10, isLater: true },
  ])('null in createdAt is reported once by three processes, the second $behind minutes behind', async (each) => {
    const listing = new Listing();
    listing.dateAhead = Number.NaN;
    listing.add('damaged', 'COMPLETED', 1 * minutes);
    listing.add('other', 'APPROVED', each.otherAge * minutes);
    const readable = listing.show;
    listing.show = (payment) => (payment.id === 'damaged' ? { ...payment, createdAt: null as never } : payment);
    let since: ChangesCheckpoint | string = '2026-03-01T08:00:00Z';
    const lines: string[] = [];
    const run = async (behind: number, returnWindow: number): Promise<void> => {
      const onCheckpoint = (stored: ChangesCheckpoint) => void (since = JSON.parse(JSON.stringify(stored)));
      const client = { now: () => listing.time.now() - behind * minutes };
      const ran = await follow(listing, 1 * minutes, undefined, { since, returnWindow, onCheckpoint }, client);
      lines.push(...ran.lines);
    };
    await run(0, 1 * days);
    if (each.isLater) listing.add('later', 'APPROVED');
    await run(each.behind, 1 * days);
    listing.show = readable;
    // Before it lists new payments, this one lists those that were returned earlier.
    await run(0, 2 * days);
    expect(lines.filter((text) => text.startsWith('damaged'))).toEqual(['damaged: new -> COMPLETED']);
  });

  test.each([null, { id: 5, status: 'APPROVED' }, { id: '', status: 'APPROVED' }, { id: 'open', status: null }])(
    'in the row %j ends changes(), because the payment cannot be followed',
    async (row) => {
      const listing = new Listing();
      listing.add('open', 'APPROVED', 1 * days);
      listing.show = () => row as never;
      const following = follow(listing, 60 * minutes, undefined, {}, { validation: 'observe' });
      const error: unknown = await following.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error).toMatchObject({
        endpoint: 'payments.list',
        outcome: 'applied',
        issues: [{ path: 'items[]', message: 'must have an id and a status' }],
      });
    },
  );
});

describe('a start that fails in the middle', () => {
  // Two pages of open payments, of which the second one is not returned at first.
  const failing = (failures: number, status: number): Listing => {
    const listing = new Listing();
    listing.pageSize = 2;
    for (const id of ['a', 'b', 'c']) listing.add(id, 'PROCESSING', 1 * days);
    let left = failures;
    listing.respondWith = ({ cursor }) => {
      if (cursor === undefined || left === 0) return undefined;
      left -= 1;
      return new Response(null, { status });
    };
    return listing;
  };

  test('reports what changes before it is repeated', async () => {
    const listing = failing(2, 503);
    const { lines } = await follow(listing, 10 * minutes, async () => {
      await listing.time.wait(5 * seconds);
      listing.move('c', 'COMPLETED');
    });
    expect(lines).toEqual(['c: PROCESSING -> COMPLETED']);
  });

  test.each([{}, { since: '2026-02-28T20:00:00Z' }])(
    'and ends stores what it has seen, so that the next process reports what has changed: %j',
    async (options) => {
      const listing = failing(1, 401);
      let stored = '';
      const onCheckpoint = (checkpoint: ChangesCheckpoint): void => void (stored = JSON.stringify(checkpoint));
      const first = follow(listing, 10 * minutes, undefined, { ...options, onCheckpoint });
      await expect(first).rejects.toThrow(AuthenticationError);
      listing.move('c', 'COMPLETED');
      listing.add('created');
      await listing.time.run(() => listing.time.wait(1 * minutes));
      const since = JSON.parse(stored) as ChangesCheckpoint;
      expect(since.behind).toBe(true);
      const { lines } = await follow(listing, 10 * minutes, undefined, { since });
      expect(lines.toSorted()).toEqual(['c: PROCESSING -> COMPLETED', 'created: new -> PENDING_REVIEW']);
    },
  );
});

test.each([
  [0, {}],
  [1, { since: '2026-02-28T20:00:00Z' }],
])('a start that no platform responds to stores %i checkpoints: %j', async (count, options) => {
  const listing = new Listing();
  listing.respondWith = () => new Response(null, { status: 503 });
  const stored: ChangesCheckpoint[] = [];
  const onCheckpoint = (checkpoint: ChangesCheckpoint): void => void stored.push(checkpoint);
  await follow(listing, 5 * seconds, undefined, { ...options, onCheckpoint });
  expect(stored).toHaveLength(count);
});

describe('payments that move while the start reads the lists', () => {
  // One that is created after `since` is reported first; meanwhile, the payment that moved ends.
  const followMoves = async (listing: Listing): Promise<string[]> => {
    const lines: string[] = [];
    listing.add('recent', 'COMPLETED');
    await listing.time.run(async () => {
      const since = new Date(listing.time.now() - 1 * minutes);
      for await (const change of listing.client().payments.changes({ since, once: true })) {
        lines.push(line(change));
        if (change.payment.id === 'recent') listing.move('moved', 'REJECTED');
      }
    });
    return lines;
  };

  test('to a list that was read already are followed', async () => {
    const listing = new Listing();
    listing.add('moved', 'CORRECTION_NEEDED', 1 * days);
    listing.respondWith = ({ status }, index) => {
      if (status === 'CORRECTION_NEEDED' && index < 4) listing.move('moved', 'PENDING_REVIEW');
      return undefined;
    };
    expect(await followMoves(listing)).toContainEqual(expect.stringMatching(/^moved: \w+ -> REJECTED$/));
  });

  test('to a page that was read already are followed', async () => {
    const listing = new Listing();
    listing.pageSize = 2;
    for (const id of ['moved', 'b', 'a']) listing.add(id, 'APPROVED', 1 * days);
    listing.respondWith = ({ cursor }, index) => {
      if (cursor !== undefined && index < 6) listing.move('a', 'PROCESSING');
      return undefined;
    };
    expect(await followMoves(listing)).toContainEqual(expect.stringMatching(/^moved: \w+ -> REJECTED$/));
  });
});

describe('a list that is sorted by updatedAt', () => {
  test.each([
    ['newest', -1, 3],
    ['newest', -1, 1],
    ['oldest', 1, 2],
    ['oldest', 1, 1],
  ] as const)('%s first loses no payment (%i, %i)', async (_, sign, every) => {
    const listing = new Listing();
    listing.pageSize = 5;
    listing.latency = 20;
    listing.order = (one, other) => sign * (updated(one) - updated(other));
    const ids = Array.from({ length: 42 }, (__, index) => `pay${index}`);
    for (const [index, id] of ids.entries()) listing.add(id, 'PROCESSING', (60 + index) * minutes);
    const waiting = [...ids];
    listing.respondWith = (_request, index) => {
      // Each response moves one payment to another page.
      const id = index % every === 0 ? waiting.pop() : undefined;
      if (id !== undefined) listing.move(id, 'COMPLETED');
      return undefined;
    };
    const final = new Map<string, string>();
    let stored: ChangesCheckpoint | undefined;
    for (let run = 0; run < 30 && stored?.behind !== false; run += 1)
      await listing.time.run(async () => {
        const changes = listing.client().payments.changes({
          since: stored ?? new Date(listing.time.now() - 1 * days),
          once: true,
          onCheckpoint: (checkpoint) => void (stored = checkpoint),
        });
        for await (const { payment } of changes) final.set(payment.id, payment.status);
      });
    const since = stored;
    const { lines } = await follow(listing, 60 * minutes, undefined, { since });
    for (const text of lines) final.set(text.split(':')[0] ?? '', text.split(' ').at(-1) ?? '');
    expect(Object.fromEntries(final)).toEqual(Object.fromEntries(ids.map((id) => [id, 'COMPLETED'])));
  });
});

describe('a Date header that is ahead of the creation times', () => {
  // Seen in a list of all payments only, because it ends between two polls.
  const addQuick = async (listing: Listing, id: string): Promise<void> => {
    listing.add(id);
    await listing.time.wait(1 * seconds);
    listing.move(id, 'REJECTED');
  };

  test.each([0, 4, 5, 11, 17, 18])('by an hour in response %i loses no payment', async (bad) => {
    const listing = new Listing();
    listing.add('open', 'APPROVED', 2 * minutes);
    listing.respondWith = (_, index) => {
      listing.dateAhead = index === bad ? 60 * minutes : 0;
      return undefined;
    };
    const { lines } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(5 * minutes);
      await addQuick(listing, 'first');
      await listing.time.wait(6 * minutes);
      await addQuick(listing, 'second');
    });
    expect(lines).toEqual(['first: new -> REJECTED', 'second: new -> REJECTED']);
  });

  test.each([
    [8, 0],
    [8, 5],
    [600, 5],
    [-600, 5],
  ])('by %i s at all times loses no payment with a consistencyWindow of %i s', async (ahead, window) => {
    const listing = new Listing();
    listing.dateAhead = ahead * seconds;
    const { lines } = await follow(
      listing,
      20 * minutes,
      async () => {
        await listing.time.wait(4_300);
        for (let count = 0; count < 5; count += 1) {
          await listing.time.wait(119_000);
          await addQuick(listing, `pay${count}`);
        }
      },
      { consistencyWindow: window * seconds, maxPollInterval: 10 * seconds },
    );
    expect(lines).toEqual(Array.from({ length: 5 }, (_, count) => `pay${count}: new -> REJECTED`));
  });
});
