import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  Corridor,
  CorridorError,
  PaginationError,
  ServerError,
  type Customer,
  type PagePromise,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../../support/failure-of.ts';
import { scripted, type Scripted, customer } from '../../support/scripted-fetch.ts';
import { page, three, cursors, scriptedPages, numbersOf, collect } from './scripted-pages.ts';

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
    expect((await failureOf(collect(corridor.customers.list()))).cursor).toBeUndefined();
    expect((await failureOf(collect(corridor.customers.list({ cursor: 'x' })))).cursor).toBe('x');
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

describe('the end of a list', () => {
  test('is not an empty page', async () => {
    const list = scriptedPages([page([1], 'b'), page([], 'c'), page([2], null)]);
    expect(numbersOf(await collect(list.corridor.customers.list()))).toEqual([1, 2]);
  });

  test('is not proven by hasMore: false with a cursor: toArray throws, and hasMore is true', async () => {
    const list = scriptedPages([page([1], 'b'), page([2], 'c', false), page([3], null)]);
    const error = await failureOf(list.corridor.customers.list().toArray(), PaginationError);
    expect(error.message).toContain('no page follows (hasMore: false), but returned a nextCursor');
    expect([error.cursor, list.sent.length]).toEqual([undefined, 2]);
    expect(await list.corridor.customers.list({ cursor: 'b' })).toMatchObject({ hasMore: true, nextCursor: 'c' });
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
        'customers.list: the platform reports another page, but returned the same cursor again. Report this to the platform',
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

  const neverEnding = [
    ['pages are empty', () => []],
    ['pages repeat one record', () => [1]],
    ['records repeat after 30 pages', (place: number) => [place % 30]],
    ['records repeat after 700 pages', (place: number) => [place % 700]],
  ] as const;
  const readings = [
    ['for await', (list: PagePromise<Customer>) => collect(list)],
    ['toArray', (list: PagePromise<Customer>) => list.toArray()],
    ['pages', (list: PagePromise<Customer>) => collect(list.pages())],
  ] as const;

  test.each(neverEnding.flatMap(([name, rows]) => readings.map(([how, read]) => [name, how, rows, read] as const)))(
    'a list whose %s, each with another cursor, is read a bounded number of times with %s',
    async (_name, _how, rows, read) => {
      const { corridor, sent } = scripted(
        ({ url }, index) => {
          if (index > 5_000) throw new Error('iteration does not end');
          const place = Number(url.searchParams.get('cursor') ?? 0);
          return page(rows(place), String(place + 1));
        },
        { prefetch: false, maxRetries: 0 },
      );
      const error = await failureOf(read(corridor.customers.list()));
      expect(error).toBeInstanceOf(PaginationError);
      expect(error).toMatchObject({
        code: 'pagination',
        endpoint: 'customers.list',
        message: expect.stringMatching(
          /^customers\.list: the list does not end: 101 pages in a row have no new record \(the last one has [01] in all\), .* Report this to the platform, or read a part of the list with its filters$/,
        ),
      });
      expect(error).not.toHaveProperty('cursor');
      expect(sent.length).toBeLessThanOrEqual(3 * 700 + 101);
    },
  );

  test('a hundred pages without a new record do not end a list', async () => {
    const { corridor } = scripted(
      ({ url }) => {
        const place = Number(url.searchParams.get('cursor') ?? 0);
        return page(place % 101 === 0 ? [place] : [], place === 404 ? null : String(place + 1));
      },
      { prefetch: false },
    );
    expect(numbersOf(await corridor.customers.list().toArray())).toEqual([0, 101, 202, 303, 404]);
  });

  test('the next page can be read again after it failed, and a page is not its own predecessor', async () => {
    const { corridor } = scripted(({ url }) => {
      const place = Number(url.searchParams.get('cursor') ?? 0);
      return page([place], String(place + 1));
    });
    const first = await corridor.customers.list();
    for (let time = 0; time < 300; time += 1) expect(numbersOf((await first.getNextPage())?.items ?? [])).toEqual([1]);
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
