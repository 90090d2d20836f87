import { describe, expect, test } from 'vitest';
import { customer, scripted, type Scripted } from '../scripted-fetch.js';
import { collect, numbersOf, page, scriptedPages } from './scripted-pages.js';

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
