import { describe, expect, test } from 'vitest';
import { AbortedError, Corridor, CorridorError, PaginationError, ServerError, type Customer } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../../simulation/failure.js';
import { scripted, type Scripted } from '../scripted-fetch.js';
import { page, three, cursors, scriptedPages, numbersOf, collect } from './scripted-pages.js';

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
