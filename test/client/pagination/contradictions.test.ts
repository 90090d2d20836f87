import { describe, expect, test } from 'vitest';
import { CorridorError, PaginationError, type Customer } from 'corridor-sdk';
import { failureOf } from '../../simulation/failure.js';
import { customer, scripted } from '../scripted-fetch.js';
import { page, scriptedPages, numbersOf, collect } from './scripted-pages.js';

describe('the end of a list', () => {
  test('is not an empty page', async () => {
    const list = scriptedPages([page([1], 'b'), page([], 'c'), page([2], null)]);
    expect(numbersOf(await collect(list.corridor.customers.list()))).toEqual([1, 2]);
  });

  test('is hasMore: false, even with a cursor', async () => {
    const list = scriptedPages([page([1], 'b'), page([2], 'c', false), page([3], null)]);
    expect(numbersOf(await collect(list.corridor.customers.list()))).toEqual([1, 2]);
    expect(list.sent).toHaveLength(2);
  });

  test('is nextCursor: null if there is no hasMore', async () => {
    const run = (n: number) => ({
      screeningId: `scr_${n}`,
      matchCount: 0,
      dataVersion: '1',
      createdAt: '2026-01-01T00:00:00Z',
      errorMessage: '',
    });
    const list = scriptedPages([
      { items: [run(1)], nextCursor: 'b' },
      { items: [], nextCursor: 'c' },
      { items: [run(2)], nextCursor: null },
    ]);
    const pages = await collect(list.corridor.screening.history('cus_1', 'per_1').pages());
    expect(pages.map(({ items, hasMore }) => [items.map(({ screeningId }) => screeningId), hasMore])).toEqual([
      [['scr_1'], true],
      [[], true],
      [['scr_2'], false],
    ]);
  });
});

describe('pages that contradict each other', () => {
  test.each([null, ''])('more is said to follow, but the cursor is %j', async (nextCursor) => {
    const list = scriptedPages([page([1], 'b'), page([2], nextCursor, true)]);
    const seen: Customer[] = [];
    const error = await failureOf(
      (async () => {
        for await (const item of list.corridor.customers.list()) seen.push(item);
      })(),
    );
    expect(error).toBeInstanceOf(PaginationError);
    expect(error).toMatchObject({
      code: 'pagination',
      outcome: 'applied',
      endpoint: 'customers.list',
      message:
        'customers.list: the platform reports another page, but returned no cursor for it. Report this to the platform',
    });
    expect(numbersOf(seen)).toEqual([1, 2]);
  });

  test('a cursor is repeated', async () => {
    const list = scriptedPages([page([1], 'b'), page([2], 'c'), page([3], 'b')]);
    const error = await failureOf(list.corridor.customers.list().toArray());
    expect(error).toBeInstanceOf(PaginationError);
    expect(error).toMatchObject({
      cursor: 'b',
      message:
        'customers.list: the platform returned the same cursor again, so iteration would never end. Report this to the platform',
    });
    expect(list.sent).toHaveLength(3);
  });

  test('the first cursor of the iteration repeats', async () => {
    const list = scriptedPages([page([], null), page([1], 'b')]);
    expect(await failureOf(collect(list.corridor.customers.list({ cursor: 'b' })))).toMatchObject({
      cursor: 'b',
      code: 'pagination',
    });
    expect(list.sent).toHaveLength(1);
  });

  test('a circle is found however long it is', async () => {
    const length = 300;
    const { corridor, sent } = scripted(
      ({ url }, index) => {
        if (index > 5_000) throw new Error('iteration does not end');
        const place = Number(url.searchParams.get('cursor') ?? 0);
        return page([place], String(place === 500 ? 500 - length + 1 : place + 1));
      },
      { prefetch: false, maxRetries: 0 },
    );
    expect(await failureOf(corridor.customers.list().toArray())).toBeInstanceOf(PaginationError);
    expect(sent.length).toBeLessThan(500 + 3 * length);
  });

  test('a long list of different cursors is not a cycle', async () => {
    const { corridor } = scripted(
      ({ url }) => {
        const place = Number(url.searchParams.get('cursor') ?? 0);
        return page([place], place === 999 ? null : String(place + 1));
      },
      { prefetch: false },
    );
    expect(numbersOf(await corridor.customers.list().toArray())).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index),
    );
  });

  test('a response that is not a page throws, even with validation: observe', async () => {
    for (const body of [
      null,
      [],
      'text',
      { customers: [] },
      { items: null, nextCursor: null, hasMore: false },
      { items: {}, nextCursor: null, hasMore: false },
    ]) {
      const { corridor } = scripted(() => Response.json(body), { validation: 'observe' });
      const error = await failureOf(corridor.customers.list());
      expect(error).toBeInstanceOf(CorridorError);
      expect(error).toMatchObject({
        code: 'invalid-response',
        outcome: 'applied',
        endpoint: 'customers.list',
        issues: [{ path: 'items', message: 'must be an array' }],
      });
    }
  });

  test('a page without a cursor is the last one with validation: observe', async () => {
    const { corridor } = scripted(() => ({ items: [customer(1)] }), { validation: 'observe' });
    const only = await corridor.customers.list();
    expect([only.nextCursor, only.hasMore, await only.getNextPage()]).toEqual([null, false, undefined]);
  });
});
