import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { InvalidRequestError, Page, Corridor } from 'corridor-sdk';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { type Scripted, customer, scripted } from '../../support/scripted-fetch.ts';
import { three, scriptedPages, numbersOf, collect, page } from './scripted-pages.ts';

const requestedCursors = ({ sent }: Scripted): (string | null)[] =>
  sent.map(({ url }) => url.searchParams.get('cursor'));

test('a list that is printed says what it is, and that nothing was sent', async () => {
  const { corridor, sent } = scriptedPages(three);
  const list = corridor.customers.list();

  expect(inspect(list)).toBe(
    'PagePromise of customers.list: nothing was sent. Await it for the first page, or iterate it with for await',
  );
  expect(sent).toHaveLength(0);
  await list;
  expect(inspect({ list })).toContain('PagePromise of customers.list: its first page was requested.');
});

describe('a list', () => {
  test('sends nothing before it is used', async () => {
    const list = scriptedPages(three);
    list.corridor.customers.list();
    list.corridor.customers.list().pages();
    list.corridor.customers.list()[Symbol.asyncIterator]();
    await Promise.resolve();
    expect(list.sent).toEqual([]);
  });

  test('awaited sends one request and returns the first page', async () => {
    const list = scriptedPages(three);
    const first = await list.corridor.customers.list();
    expect(first).toBeInstanceOf(Page);
    expect([numbersOf(first.items), first.nextCursor, first.hasMore]).toEqual([[1, 2], 'b', true]);
    expect(requestedCursors(list)).toEqual([null]);
  });

  test('awaited several times sends one request all the same', async () => {
    const list = scriptedPages(three);
    const request = list.corridor.customers.list();
    const [a, b] = await Promise.all([request, request]);
    const { data, status } = await request.withResponse();
    expect([a === b, a === data, a === (await request), status]).toEqual([true, true, true, 200]);
    expect(list.sent).toHaveLength(1);
  });

  test('behaves as a promise', async () => {
    const list = scriptedPages(three);
    expect(await list.corridor.customers.list().then(({ items }) => items.length)).toBe(2);
    const settled: string[] = [];
    expect(await list.corridor.customers.list().finally(() => settled.push('done'))).toBeInstanceOf(Page);
    expect(
      await list.corridor.customers.list({ limit: 0 }).catch((error: unknown) => error instanceof InvalidRequestError),
    ).toBe(true);
    expect(await list.corridor.customers.list({ limit: 0 }).then(undefined, () => 'rejected')).toBe('rejected');
    await expect(
      list.corridor.customers.list({ limit: 0 }).finally(() => settled.push('failed')),
    ).rejects.toBeInstanceOf(InvalidRequestError);
    expect(settled).toEqual(['done', 'failed']);
  });

  test('iterated yields all items, in order', async () => {
    const list = scriptedPages(three);
    expect(numbersOf(await collect(list.corridor.customers.list()))).toEqual([1, 2, 3, 4, 5]);
    expect(requestedCursors(list)).toEqual([null, 'b', 'c']);
  });

  test('iterated twice starts again at the first page', async () => {
    const list = scriptedPages(three);
    const request = list.corridor.customers.list();
    expect(await collect(request)).toEqual(await collect(request));
    expect(list.sent).toHaveLength(6);
  });

  test('keeps its filters from page to page', async () => {
    const list = scriptedPages(three);
    await collect(list.corridor.customers.list({ status: 'APPROVED', limit: 2 }));
    expect(list.sent.map(({ url }) => url.search)).toEqual([
      '?status=APPROVED&limit=2',
      '?status=APPROVED&limit=2&cursor=b',
      '?status=APPROVED&limit=2&cursor=c',
    ]);
  });

  test('yields its pages', async () => {
    const pages = await collect(scriptedPages(three).corridor.customers.list().pages());
    expect(pages.map(({ items }) => numbersOf(items))).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('continues from a cursor', async () => {
    const list = scriptedPages(three);
    expect(numbersOf(await collect(list.corridor.customers.list({ cursor: 'b' })))).toEqual([3, 4, 5]);
    expect(requestedCursors(list)).toEqual(['b', 'c']);
  });
});

describe('toArray', () => {
  test('returns all items', async () => {
    expect(numbersOf(await scriptedPages(three).corridor.customers.list().toArray())).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [6, 3],
    [1_000_000, 3],
    [Number.POSITIVE_INFINITY, 3],
    [undefined, 3],
  ])('with max %s fetches %i pages', async (max, pages) => {
    const list = scriptedPages(three, true);
    const items = await list.corridor.customers.list().toArray({ max });
    expect(items).toHaveLength(Math.min(5, max ?? 5));
    expect(list.sent).toHaveLength(pages);
  });

  test.each([[null], [500], ['all']])('rejects %s instead of options', async (options) => {
    const list = scriptedPages(three);
    await expect(list.corridor.customers.list().toArray(options as never)).rejects.toThrow(
      'customers.list was not sent: max must be an integer of 0 or more, in an object such as { max: 500 }',
    );
    expect(list.sent).toEqual([]);
  });

  test.each([[-1], [1.5], [Number.NaN], ['5'], [null], [Number.NEGATIVE_INFINITY]])('rejects max %s', async (max) => {
    const list = scriptedPages(three);
    await expect(list.corridor.customers.list().toArray({ max: max as number })).rejects.toThrow(
      'customers.list was not sent: max must be an integer of 0 or more, in an object such as { max: 500 }',
    );
    expect(list.sent).toEqual([]);
  });
});

describe('a page', () => {
  test('returns the next one, and undefined after the last', async () => {
    const list = scriptedPages(three);
    const first = await list.corridor.customers.list();
    const second = await first.getNextPage();
    const third = await second?.getNextPage();
    expect([second, third].map((each) => numbersOf(each?.items ?? []))).toEqual([[3, 4], [5]]);
    expect([third?.hasMore, third?.nextCursor, await third?.getNextPage()]).toEqual([false, null, undefined]);
    expect(list.sent).toHaveLength(3);
  });

  test('can be iterated, from its own items onward', async () => {
    const list = scriptedPages(three);
    const second = await (await list.corridor.customers.list()).getNextPage();
    expect(second === undefined ? [] : numbersOf(await collect(second))).toEqual([3, 4, 5]);
    expect(requestedCursors(list)).toEqual([null, 'b', 'c']);
  });

  test('yields itself and the pages that follow', async () => {
    const first = await scriptedPages(three).corridor.customers.list();
    const pages = await collect(first.pages());
    expect(pages[0]).toBe(first);
    expect(pages).toHaveLength(3);
  });
});

/** Adds payments that share their records, so that adding many is fast. */
function addPayments(platform: MockPlatform, count: number): string[] {
  const customerId = platform.customers.add().id;
  const beneficiaryId = platform.beneficiaries.add({ customerId }).id;
  const documentIds = [platform.documents.add({ customerId }).id];
  return platform.payments
    .addMany(count, () => ({ customerId, beneficiaryId, documentIds, paymentQuoteId: null }))
    .map(({ id }) => id);
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

describe('a list of 10,000 payments', () => {
  test('is iterated once each, in order, with the memory of a few pages', async () => {
    const platform = createMockPlatform();
    const added = addPayments(platform, 10_000);
    const corridor = new Corridor(platform.clientOptions());
    const collect = collector();
    const seen: string[] = [];
    const pages: WeakRef<object>[] = [];
    const alive: number[] = [];
    for await (const page of corridor.payments.list({ limit: 100 }).pages()) {
      pages.push(new WeakRef(page.items));
      seen.push(...page.items.map(({ id }) => id));
      if (pages.length % 20 !== 0) continue;
      await new Promise((resolve) => setImmediate(resolve)); // Until then, weak references hold on.
      collect();
      alive.push(pages.filter((reference) => reference.deref() !== undefined).length);
    }
    expect(seen).toEqual(added.toReversed());
    expect(pages).toHaveLength(100);
    expect(alive).toHaveLength(5);
    expect(Math.max(...alive)).toBeLessThanOrEqual(3);
  }, 180_000);
});

describe('a record that is added between two pages', () => {
  test.each([true, false])('causes no skip and no repeat (prefetch: %s)', async (prefetch) => {
    const platform = createMockPlatform();
    const added = addPayments(platform, 30).toReversed();
    const corridor = new Corridor({ ...platform.clientOptions(), prefetch });
    const seen: string[] = [];
    for await (const page of corridor.payments.list({ limit: 4 }).pages()) {
      seen.push(...page.items.map(({ id }) => id));
      addPayments(platform, 3);
    }
    expect(seen).toEqual(added);
  });
});

/** A list, newest first, whose cursors are a number of rows. `added` customers are created before each page. */
function offsetList(rows: number, added: number, prefetch: boolean): Scripted & { readonly expected: number[] } {
  let newest = rows;
  const list = scripted(
    ({ url }) => {
      const [offset, limit] = ['cursor', 'limit'].map((name) => Number(url.searchParams.get(name) ?? 0)) as [
        number,
        number,
      ];
      if (offset > 0) newest += added;
      const all = Array.from({ length: newest }, (_, index) => newest - index);
      const end = offset + limit;
      return page(all.slice(offset, end), end < newest ? String(end) : null);
    },
    { prefetch },
  );
  return { ...list, expected: Array.from({ length: rows }, (_, index) => rows - index) };
}

describe.each([true, false])('while records are added to a list with offset cursors (prefetch: %s)', (prefetch) => {
  test.each([1, 7, 10])('%i before each page, it yields each item once', async (added) => {
    const { corridor, expected } = offsetList(95, added, prefetch);
    expect(numbersOf(await collect(corridor.customers.list({ limit: 20 })))).toEqual(expected);
  });

  test('its pages have each item once', async () => {
    const { corridor, expected } = offsetList(95, 7, prefetch);
    const pages = await collect(corridor.customers.list({ limit: 20 }).pages());
    expect(numbersOf(pages.flatMap(({ items }) => items))).toEqual(expected);
  });

  test('toArray returns as many different items as requested', async () => {
    const { corridor, expected } = offsetList(95, 7, prefetch);
    expect(numbersOf(await corridor.customers.list({ limit: 20 }).toArray({ max: 60 }))).toEqual(expected.slice(0, 60));
  });
});

test('a page with only items of the page before is empty, and does not end the list', async () => {
  const list = scriptedPages([page([1, 2], 'b'), page([1, 2], 'c'), page([2, 3], null)]);
  const pages = await collect(list.corridor.customers.list().pages());
  expect(pages.map(({ items, hasMore }) => [numbersOf(items), hasMore])).toEqual([
    [[1, 2], true],
    [[], true],
    [[3], false],
  ]);
});

test('a page that continues from a stored cursor has all its items', async () => {
  const list = scriptedPages([page([1, 2], 'b'), page([2, 3], null)]);
  const first = await list.corridor.customers.list();
  expect(numbersOf((await list.corridor.customers.list({ cursor: first.nextCursor ?? '' })).items)).toEqual([2, 3]);
});

test('screening runs are compared by their screeningId', async () => {
  const run = (screeningId: string) => ({
    screeningId,
    matchCount: 0,
    dataVersion: '1',
    createdAt: '2026-01-01T00:00:00Z',
    errorMessage: '',
  });
  const list = scriptedPages([
    { items: [run('scr_1'), run('scr_2')], nextCursor: 'b' },
    { items: [run('scr_2'), run('scr_3')], nextCursor: null },
  ]);
  const runs = await collect(list.corridor.screening.history('cus_1', 'per_1'));
  expect(runs.map(({ screeningId }) => screeningId)).toEqual(['scr_1', 'scr_2', 'scr_3']);
});

test('rows without a usable id are never taken for repeated ones', async () => {
  const rows = [
    null,
    'text',
    5,
    {},
    { ...customer(1), id: null },
    { ...customer(1), id: 7 },
    { ...customer(1), id: '' },
  ];
  const bodies = [
    { items: rows, nextCursor: 'b', hasMore: true },
    { items: rows, nextCursor: null, hasMore: false },
  ];
  const { corridor } = scripted(({ url }) => bodies[url.searchParams.has('cursor') ? 1 : 0], { validation: 'observe' });
  expect(await corridor.customers.list().toArray()).toEqual([...rows, ...rows]);
});
