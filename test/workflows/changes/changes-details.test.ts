import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  AuthenticationError,
  ConfigurationError,
  InvalidRequestError,
  InvalidResponseError,
  type ChangesCheckpoint,
  type ChangesOptions,
  type PaymentChange,
} from 'corridor-sdk';
import { line, Listing } from '../paged-list.ts';

const seconds = 1_000;
const minutes = 60 * seconds;
const days = 24 * 60 * minutes;

/** The payments that a stored checkpoint contains. */
function storedPayments(
  checkpoint: ChangesCheckpoint | undefined,
): readonly (readonly [id: string, status: string, createdAt: string, updatedAt: string])[] {
  return (
    JSON.parse(JSON.stringify(checkpoint ?? { payments: [] })) as {
      readonly payments: readonly (readonly [string, string, string, string])[];
    }
  ).payments;
}

interface Watched {
  readonly lines: string[];
  /** Creates the checkpoint of the n-th change, counted from the end if n is negative. */
  checkpoint(n: number): ChangesCheckpoint | undefined;
}

/** Polls a list for a period of virtual time, while `happens` changes it. */
async function follow(
  listing: Listing,
  lasts: number,
  happens: () => Promise<void> = () => Promise.resolve(),
  options: ChangesOptions = {},
): Promise<Watched> {
  const lines: string[] = [];
  const changes: PaymentChange[] = [];
  await listing.time.run(async () => {
    const over = new AbortController();
    void listing.time.wait(lasts).then(() => over.abort());
    void happens();
    try {
      for await (const change of listing
        .client()
        .payments.changes({ pollInterval: 10 * seconds, signal: over.signal, ...options })) {
        lines.push(line(change));
        changes.push(change);
      }
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    }
  });
  return { lines, checkpoint: (n) => changes.at(n)?.checkpoint };
}

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

  test('tracks an older payment that the list did not show at first', async () => {
    const listing = new Listing();
    const { lines } = await follow(listing, 10 * minutes, async () => {
      await listing.time.wait(2 * minutes);
      listing.add('hidden', 'APPROVED', 3 * minutes);
      await listing.time.wait(3 * minutes);
      listing.move('hidden', 'PROCESSING');
    });
    expect(lines).toEqual(['hidden: APPROVED -> PROCESSING']);
  });

  test('reports a payment that appears in the list long after its creation', async () => {
    const listing = new Listing();
    const { lines } = await follow(listing, 10 * minutes, async () => {
      await listing.time.wait(5 * minutes);
      listing.add('late', 'REJECTED', 4 * minutes);
    });
    expect(lines).toEqual(['late: new -> REJECTED']);
  });
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
});

describe('a checkpoint', () => {
  test('continues after its change, as plain JSON', async () => {
    const listing = new Listing();
    for (const id of ['a', 'b', 'c', 'd']) listing.add(id, 'APPROVED', 1 * days);
    const { lines, checkpoint } = await follow(listing, 5 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      for (const id of ['a', 'b', 'c', 'd']) listing.move(id, 'REJECTED');
    });
    const since = JSON.parse(JSON.stringify(checkpoint(1))) as ChangesCheckpoint;
    const { lines: resumed } = await follow(listing, 5 * minutes, undefined, { since });
    expect(lines).toHaveLength(4);
    expect(resumed).toEqual(lines.slice(2));
  });

  test('can be read long after later changes', async () => {
    const listing = new Listing();
    const changes: { readonly checkpoint: ChangesCheckpoint }[] = [];
    await listing.time.run(async () => {
      void listing.time.wait(1 * minutes).then(() => listing.add('one'));
      void listing.time.wait(20 * minutes).then(() => listing.add('two'));
      for await (const change of listing.client().payments.changes()) if (changes.push(change) === 2) break;
    });
    expect(changes.map(({ checkpoint }) => storedPayments(checkpoint).map(([id]) => id))).toEqual([
      ['one'],
      ['one', 'two'],
    ]);
  });

  test('is available after every poll, also without changes', async () => {
    const listing = new Listing();
    listing.add('open', 'APPROVED', 1 * days);
    const checkpoints: ChangesCheckpoint[] = [];
    await follow(listing, 1 * minutes, undefined, { onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint) });
    listing.move('open', 'CANCELLED');
    const { lines } = await follow(listing, 1 * minutes, undefined, { since: checkpoints.at(-1) });
    expect(lines).toEqual(['open: APPROVED -> CANCELLED']);
  });

  test('that is never stored does not prevent an abort', async () => {
    const listing = new Listing();
    const stop = new AbortController();
    const reason = new Error('shutting down');
    const began = listing.time.now();
    const storing = () => new Promise<void>(() => void listing.time.wait(1 * minutes).then(() => stop.abort(reason)));
    const error: unknown = await listing.time.run(() =>
      listing
        .client()
        .payments.changes({ signal: stop.signal, onCheckpoint: storing })
        .next()
        .catch((thrown: unknown) => thrown as never),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({
      cause: reason,
      message: 'payments.changes was aborted while its checkpoint was being stored',
    });
    expect(listing.time.now() - began).toBe(1 * minutes);
  });

  test('that cannot be stored ends changes() with that error', async () => {
    const listing = new Listing();
    const full = new Error('the disk is full');
    await expect(
      listing.time.run(() =>
        listing
          .client()
          .payments.changes({ onCheckpoint: () => Promise.reject(full) })
          .next(),
      ),
    ).rejects.toBe(full);
  });

  test.each([
    ['of another version', { version: 2 }, /version/],
    [
      'without its payments',
      {
        version: 1,
        startedAt: '2026-01-01T00:00Z',
        listedUntil: '2026-01-01T00:00Z',
        returnsSince: '2026-01-01T00:00Z',
      },
      /damaged: payments is required: it must be an array/,
    ],
    [
      'with invalid times',
      { version: 1, startedAt: 'then', listedUntil: 'now', returnsSince: '', payments: [] },
      /damaged: startedAt must be/,
    ],
    [
      'with invalid payments',
      {
        version: 1,
        startedAt: '2026-01-01T00:00Z',
        listedUntil: '2026-01-01T00:00Z',
        returnsSince: '2026-01-01T00:00Z',
        payments: [['pay_1']],
      },
      /damaged: payments\[0\] must be/,
    ],
  ])('%s is rejected before anything is sent', async (_, since, message) => {
    const listing = new Listing();
    const error = expect(
      listing
        .client()
        .payments.changes({ since: since as never })
        .next(),
    ).rejects;
    await error.toThrow(ConfigurationError);
    await expect(
      listing
        .client()
        .payments.changes({ since: since as never })
        .next(),
    ).rejects.toThrow(message);
    expect(listing.requests).toEqual([]);
  });
});

describe('completed payments', () => {
  test('are checked for returns for thirty days from their creation', async () => {
    const listing = new Listing();
    listing.add('ancient', 'COMPLETED', 31 * days);
    listing.add('done', 'COMPLETED', 29 * days);
    const { lines } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(10 * minutes);
      listing.move('ancient', 'RETURNED');
      listing.move('done', 'RETURNED');
    });
    expect(lines).toEqual(['done: COMPLETED -> RETURNED']);
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
    // To begin with, the lists of payments on their way and returned; then a poll, with one request more for new
    // payments.
    expect(await requests({}, 0)).toBe(11);
    expect(await requests({}, 2_000)).toBe(11);
    expect(await requests({ returnWindow: 0 }, 2_000)).toBe(9);
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
});

describe('an unknown status', () => {
  test('is reported, and treated as open', async () => {
    const listing = new Listing();
    listing.add('odd', 'APPROVED', 1 * days);
    const { lines, checkpoint } = await follow(listing, 20 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      listing.move('odd', 'ON_HOLD');
      await listing.time.wait(5 * minutes);
      listing.move('odd', 'COMPLETED');
    });
    expect(lines).toEqual(['odd: APPROVED -> ON_HOLD', 'odd: ON_HOLD -> COMPLETED']);
    expect(storedPayments(checkpoint(0)).map(([id, status]) => `${id} ${status}`)).toEqual(['odd ON_HOLD']);
  });
});

describe('pages that change during iteration', () => {
  test('neither lose nor repeat a payment', async () => {
    const listing = new Listing();
    listing.pageSize = 2;
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) listing.add(id, 'APPROVED', 1 * days);
    // While the second page is fetched, a payment of the first one leaves the list: the third is now second, and
    // is skipped.
    let approved = 0;
    listing.meddle = ({ status }) => {
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
    listing.meddle = ({ status }) => {
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
    listing.meddle = ({ status }) => {
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
    listing.meddle = ({ status }) => {
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
    listing.meddle = ({ createdTo }) =>
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

  test('that are invalid end changes(), because a payment could not be looked up', async () => {
    await expect(life(rewritten(() => 'last Tuesday'))).rejects.toThrow(/createdAt is not a valid date-time/);
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
    expect([second, third, fourth]).toEqual([56, 56, 26]);
  });

  test('are shared by payments that were created within ten seconds of each other', async () => {
    const listing = new Listing();
    const ids = Array.from({ length: 40 }, (_, index) => `p${index}`);
    for (const [index, id] of ids.entries()) listing.add(id, 'PROCESSING', 10 * days - index * 9 * seconds);
    await follow(listing, 15 * seconds, async () => {
      await listing.time.wait(5 * seconds);
      for (const id of ids) listing.move(id, 'COMPLETED');
    });
    expect(listing.requests.filter(({ createdTo }) => createdTo !== undefined)).toHaveLength(1);
  });
});

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

describe('options', () => {
  test('statuses: only changes to these are reported, and the previous status is the last known one', async () => {
    const listing = new Listing();
    listing.add('p', 'APPROVED', 1 * days);
    const { lines } = await follow(
      listing,
      20 * minutes,
      async () => {
        await listing.time.wait(1 * minutes);
        listing.move('p', 'PROCESSING');
        await listing.time.wait(5 * minutes);
        listing.move('p', 'COMPLETED');
      },
      { statuses: ['COMPLETED'] },
    );
    expect(lines).toEqual(['p: PROCESSING -> COMPLETED']);
  });

  test('statuses: one that this version does not know, if it is marked as unknown', async () => {
    const listing = new Listing();
    listing.add('p', 'APPROVED', 1 * days);
    const { lines } = await follow(
      listing,
      20 * minutes,
      async () => {
        await listing.time.wait(1 * minutes);
        listing.move('p', 'ON_HOLD');
      },
      { statuses: ['COMPLETED', { status: 'ON_HOLD', unknown: true }] },
    );
    expect(lines).toEqual(['p: APPROVED -> ON_HOLD']);
  });

  test.each([
    ['since', { since: 'yesterday' }],
    ['since', { since: '2026-02-29T00:00Z' }],
    ['since', { since: new Date('never') }],
    ['pollInterval', { pollInterval: 0 }],
    ['maxPollInterval', { maxPollInterval: Number.NaN }],
    ['returnWindow', { returnWindow: -1 }],
    ['consistencyWindow', { consistencyWindow: '5m' as never }],
    ['statuses', { statuses: 'NOT_COMPLETED' as never }],
    ['statuses[0]', { statuses: [7 as never] }],
    ['statuses[1]', { statuses: ['COMPLETED', 'COMPLETE' as never] }],
    ['onCheckpoint', { onCheckpoint: 'store' as never }],
  ] satisfies [string, ChangesOptions][])(
    'an invalid %s is rejected before anything is sent',
    async (path, options) => {
      const listing = new Listing();
      const error = await listing
        .client()
        .payments.changes(options)
        .next()
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).issues.map((issue) => issue.path)).toEqual([path]);
      expect(listing.requests).toEqual([]);
    },
  );

  test.each([[null], ['2026-01-01T00:00Z']])(
    '%s instead of an object is rejected before anything is sent',
    async (options) => {
      const listing = new Listing();
      await expect(
        listing
          .client()
          .payments.changes(options as never)
          .next(),
      ).rejects.toThrow(
        'payments.changes was not sent: options must be an object, such as { since: checkpoint } (received ' +
          (options === null ? 'null' : 'string') +
          ')',
      );
      expect(listing.requests).toEqual([]);
    },
  );

  test('that are unknown are rejected', async () => {
    const listing = new Listing();
    await expect(
      listing
        .client()
        .payments.changes({ intervall: 5 } as ChangesOptions)
        .next(),
    ).rejects.toThrow(/intervall/);
    expect(listing.requests).toEqual([]);
  });
});
