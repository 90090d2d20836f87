import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { AbortedError, type CorridorOptions } from 'corridor-sdk';
import { failureOf } from '../../support/failure-of.ts';
import { customer, scripted, type Scripted } from '../../support/scripted-fetch.ts';

/** A client of a list of `length` pages with two customers each; requests for pages in `hanging` never end. */
function scriptedPages(length: number, options: CorridorOptions = {}, hanging: readonly number[] = []): Scripted {
  return scripted(({ url }) => {
    if (url.pathname.endsWith('/networks')) return { networks: [] };
    const place = Number(url.searchParams.get('cursor') ?? 0);
    if (hanging.includes(place)) return new Promise(() => {});
    const last = place === length - 1;
    return {
      items: [customer(2 * place), customer(2 * place + 1)],
      nextCursor: last ? null : String(place + 1),
      hasMore: !last,
    };
  }, options);
}

const pagesOf = ({ sent }: Scripted): string[] =>
  sent
    .filter(({ url }) => url.pathname.endsWith('/customers'))
    .map(({ url }) => url.searchParams.get('cursor') ?? 'first');

describe('while the caller works on a page', () => {
  test('the next one is fetched, and only that', async () => {
    const list = scriptedPages(4);
    const seen: string[][] = [];
    for await (const page of list.corridor.customers.list().pages()) {
      if (page.hasMore) await vi.waitFor(() => expect(pagesOf(list)).toHaveLength(seen.length + 2));
      await list.corridor.crypto.networks(); // The prefetched page has had its time to be followed by another.
      seen.push(pagesOf(list));
    }
    expect(seen).toEqual([
      ['first', '1'],
      ['first', '1', '2'],
      ['first', '1', '2', '3'],
      ['first', '1', '2', '3'],
    ]);
  });

  test('nothing is fetched with prefetch: false', async () => {
    const list = scriptedPages(3, { prefetch: false });
    const seen: string[][] = [];
    for await (const page of list.corridor.customers.list().pages()) {
      await list.corridor.crypto.networks();
      seen.push(pagesOf(list));
      expect(page.items).toHaveLength(2);
    }
    expect(seen).toEqual([['first'], ['first', '1'], ['first', '1', '2']]);
  });

  test('nothing is fetched by await, next and toArray', async () => {
    const list = scriptedPages(3);
    const first = await list.corridor.customers.list();
    await list.corridor.crypto.networks();
    expect(pagesOf(list)).toEqual(['first']);
    await first.getNextPage();
    await list.corridor.crypto.networks();
    expect(pagesOf(list)).toEqual(['first', '1']);
    await list.corridor.customers.list().toArray({ max: 2 });
    await list.corridor.crypto.networks();
    expect(pagesOf(list)).toEqual(['first', '1', 'first']);
  });
});

describe('an iteration that ends early', () => {
  test('by break cancels the page that was fetched ahead, and sends nothing more', async () => {
    const list = scriptedPages(5, {}, [1]);
    for await (const item of list.corridor.customers.list()) {
      await vi.waitFor(() => expect(pagesOf(list)).toEqual(['first', '1']));
      expect(item.id).toBe('cus_0');
      break;
    }
    await vi.waitFor(() => expect(list.sent[1]?.signal.aborted).toBe(true));
    await list.corridor.crypto.networks();
    expect(pagesOf(list)).toEqual(['first', '1']);
  });

  test('by an error of the caller cancels it, too, and the error is thrown', async () => {
    const list = scriptedPages(5, {}, [1]);
    const mine = new Error('mine');
    const error = await failureOf(
      (async () => {
        for await (const page of list.corridor.customers.list().pages()) {
          await vi.waitFor(() => expect(pagesOf(list)).toHaveLength(page.items.length));
          throw mine;
        }
      })(),
    );
    expect(error).toBe(mine);
    await vi.waitFor(() => expect(list.sent[1]?.signal.aborted).toBe(true));
  });

  test('at once sends no page that it would not cancel', async () => {
    const list = scriptedPages(5, {}, [1]);
    for await (const _ of list.corridor.customers.list()) break;
    await list.corridor.crypto.networks();
    expect(pagesOf(list).length).toBeLessThanOrEqual(2);
    for (const { url, signal } of list.sent) expect(signal.aborted).toBe(url.searchParams.has('cursor'));
  });

  test('by the caller’s signal cancels the request in flight', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    const list = scriptedPages(5, {}, [1]);
    const error = await failureOf(
      (async () => {
        for await (const _ of list.corridor.customers.list({}, { signal: controller.signal })) {
          await vi.waitFor(() => expect(pagesOf(list)).toHaveLength(2));
          controller.abort(reason);
        }
      })(),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: reason, cursor: '1' });
    await vi.waitFor(() => expect(list.sent[1]?.signal.aborted).toBe(true));
  });

  test('by the caller’s signal yields no further page, even if it was prefetched', async () => {
    const controller = new AbortController();
    const list = scriptedPages(5);
    let pages = 0;
    const error = await failureOf(
      (async () => {
        for await (const _ of list.corridor.customers.list({}, { signal: controller.signal }).pages()) {
          pages += 1;
          await vi.waitFor(() => expect(pagesOf(list)).toHaveLength(2));
          await list.corridor.crypto.networks(); // By now the second page is here.
          controller.abort();
        }
      })(),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect([pages, error]).toEqual([1, expect.objectContaining({ cursor: '1' })]);
  });

  test.each([true, false])('before it begins sends nothing (prefetch: %s)', async (prefetch) => {
    const controller = new AbortController();
    const list = scriptedPages(3, { prefetch });
    const page = await list.corridor.customers.list({}, { signal: controller.signal });
    controller.abort();
    const seen: string[] = [];
    const error = await failureOf(
      (async () => {
        for await (const { id } of page) seen.push(id);
      })(),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect([seen, pagesOf(list)]).toEqual([['cus_0', 'cus_1'], ['first']]);
  });

  test.each([true, false])('leaves nothing on the caller’s signal (prefetch: %s)', async (prefetch) => {
    const { signal } = new AbortController();
    const list = scriptedPages(30, { prefetch });
    let seen = 0;
    for await (const _ of list.corridor.customers.list({}, { signal })) {
      seen += 1;
      expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(2);
    }
    for await (const _ of list.corridor.customers.list({}, { signal })) break;
    await vi.waitFor(() => expect(getEventListeners(signal, 'abort')).toEqual([]));
    expect(seen).toBe(60);
  });
});
