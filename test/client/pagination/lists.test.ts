import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { InvalidRequestError, Page } from 'corridor-sdk';
import type { Scripted } from '../scripted-fetch.js';
import { three, scriptedPages, numbersOf, collect } from './scripted-pages.js';

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
      'customers.list was not sent: options must be an object, such as { max: 500 }',
    );
    expect(list.sent).toEqual([]);
  });

  test.each([[-1], [1.5], [Number.NaN], ['5'], [null], [Number.NEGATIVE_INFINITY]])('rejects max %s', async (max) => {
    const list = scriptedPages(three);
    await expect(list.corridor.customers.list().toArray({ max: max as number })).rejects.toThrow(
      'customers.list was not sent: max must be an integer of 0 or more',
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
