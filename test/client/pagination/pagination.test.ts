import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  Corridor,
  CorridorError,
  InvalidRequestError,
  Page,
  PaginationError,
  ServerError,
  type Customer,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../../simulation/failure.js';
import { customer, scripted, type Scripted, type Sent } from '../scripted-fetch.js';

interface Envelope {
  readonly items: readonly Customer[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

const page = (numbers: readonly number[], nextCursor: string | null, hasMore = nextCursor !== null): Envelope => ({
  items: numbers.map(customer),
  nextCursor,
  hasMore,
});
const three = [page([1, 2], 'b'), page([3, 4], 'c'), page([5], null)];
const cursors = ['', 'b', 'c', 'd', 'e'];

/** A client of a list of these pages, each under its cursor: none, then 'b', 'c', … */
function scriptedPages(pages: readonly unknown[], prefetch = false): Scripted {
  const placeOf = ({ url }: Sent): number => cursors.indexOf(url.searchParams.get('cursor') ?? '');
  return scripted((sent) => pages[placeOf(sent)], { prefetch });
}

const numbersOf = (items: readonly Customer[]): number[] => items.map(({ id }) => Number(id.slice(4)));
const requestedCursors = ({ sent }: Scripted): (string | null)[] =>
  sent.map(({ url }) => url.searchParams.get('cursor'));

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

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

describe('an error during iteration', () => {
  test('contains the cursor of the failed page, from which iteration can resume', async () => {
    const platform = createMockPlatform();
    const added = platform.customers.addMany(10).toReversed();
    let failing = true;
    const corridor = new Corridor({
      ...platform.clientOptions(),
      maxRetries: 0,
      fetch: (input, init) =>
        failing && platform.requests.length === 2
          ? Promise.resolve(new Response('', { status: 503 }))
          : platform.fetch(input, init),
    });
    const seen: string[] = [];
    const iterate = async (cursor?: string): Promise<void> => {
      for await (const { id } of corridor.customers.list({ cursor, limit: 3 })) seen.push(id);
    };
    const error = await failureOf(iterate());
    expect(error).toBeInstanceOf(ServerError);
    expect(seen).toHaveLength(6);
    failing = false;
    await iterate((error as ServerError).cursor);
    expect(seen).toEqual(added.map(({ id }) => id));
  });

  /** Iterates as documented: resumes from the last complete page, up to three times. */
  async function iterateOn(list: Scripted, seen: Customer[]): Promise<void> {
    let cursor: string | undefined;
    for (let tries = 1; ; tries += 1) {
      try {
        for await (const { items, nextCursor } of list.corridor.customers.list({ cursor }).pages()) {
          seen.push(...items);
          cursor = nextCursor ?? undefined;
        }
        return;
      } catch (error) {
        if (
          !(error instanceof CorridorError) ||
          error instanceof PaginationError ||
          error.outcome === 'rejected' ||
          tries === 3
        )
          throw error;
      }
    }
  }

  test('does not lose the failed page: the cursor of the last page requests it again', async () => {
    const failures = [new Response('', { status: 503 }), new Response('', { status: 503 })];
    const list = scripted(
      ({ url }) => {
        const cursor = url.searchParams.get('cursor') ?? '';
        return (cursor === 'c' ? failures.pop() : undefined) ?? three[cursors.indexOf(cursor)];
      },
      { maxRetries: 0 },
    );
    const seen: Customer[] = [];
    await iterateOn(list, seen);
    expect(numbersOf(seen)).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    ['a circle', page([3], 'b')],
    ['no cursor', page([3], '', true)],
  ])('repeats nothing if pages contradict each other (%s)', async (_name, last) => {
    const list = scriptedPages([page([1], 'b'), page([2], 'c'), last], true);
    const seen: Customer[] = [];
    expect(await failureOf(iterateOn(list, seen))).toBeInstanceOf(PaginationError);
    expect(numbersOf(seen)).toEqual([1, 2, 3]);
  });

  test('on the first page contains the first cursor, if there is one', async () => {
    const { corridor } = scripted(() => new Response('', { status: 500 }), { maxRetries: 0 });
    expect(((await failureOf(collect(corridor.customers.list()))) as CorridorError).cursor).toBeUndefined();
    expect(((await failureOf(collect(corridor.customers.list({ cursor: 'x' })))) as CorridorError).cursor).toBe('x');
    expect(await failureOf(collect(corridor.customers.list({ cursor: null as unknown as string })))).not.toHaveProperty(
      'cursor',
    );
  });

  test('is thrown after the items before it, also if the page was prefetched', async () => {
    const { corridor } = scripted((_, index) => (index === 0 ? page([1, 2], 'b') : new Response('', { status: 500 })), {
      maxRetries: 0,
      prefetch: true,
    });
    const seen: Customer[] = [];
    const error = await failureOf(
      (async () => {
        for await (const item of corridor.customers.list()) seen.push(item);
      })(),
    );
    expect(numbersOf(seen)).toEqual([1, 2]);
    expect(error).toMatchObject({ code: 'server', cursor: 'b' });
  });

  test('caused by the caller’s signal ends the iteration', async () => {
    const controller = new AbortController();
    const list = scriptedPages(three);
    const seen: Customer[] = [];
    const error = await failureOf(
      (async () => {
        for await (const item of list.corridor.customers.list({}, { signal: controller.signal })) {
          seen.push(item);
          controller.abort(new Error('enough'));
        }
      })(),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cursor: 'b' });
    expect([numbersOf(seen), list.sent.length]).toEqual([[1, 2], 1]);
  });
});
