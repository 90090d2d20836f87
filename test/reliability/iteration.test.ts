import { describe, expect, it } from 'vitest';
import { PaginationError, type CorridorError } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { clientOf, FaultServer, json, type Responder } from '../support/fault-server.ts';
import { InstantDelays } from '../support/instant-delays.ts';

const run = (number: number) => ({
  screeningId: `run_${number}`,
  matchCount: 0,
  dataVersion: 'v1',
  createdAt: '2026-01-01T00:00:00Z',
  errorMessage: '',
});
const template = createMockPlatform({ seed: 1 }).customers.add({ status: 'APPROVED' });
const customer = (id: string) => ({ ...template, id });
const cursorOf = (url: string): string | null => new URL(url, 'http://x').searchParams.get('cursor');

interface RawPage {
  readonly ids: readonly string[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** Pages of customers by the cursor that asks for them; the first by ''. */
const pagesBy =
  (pages: Readonly<Record<string, RawPage>>): Responder =>
  (response, { url }) => {
    const page = pages[cursorOf(url) ?? ''];
    if (page === undefined) json(response, 400, { code: 'bad_cursor' });
    else json(response, 200, { items: page.ids.map(customer), nextCursor: page.nextCursor, hasMore: page.hasMore });
  };

/** Iterates over all customers; returns their ids and the error that ended the iteration. */
async function iterate(server: FaultServer): Promise<{ ids: string[]; error: CorridorError | undefined }> {
  const ids: string[] = [];
  try {
    for await (const { id } of clientOf(server, new InstantDelays().options).customers.list()) ids.push(id);
  } catch (error) {
    return { ids, error: error as CorridorError };
  }
  return { ids, error: undefined };
}

describe('iteration over a list', () => {
  it('the same cursor twice: ends with an error after the items so far', async () => {
    await using server = await new FaultServer(
      pagesBy({
        '': { ids: ['a'], nextCursor: 'A', hasMore: true },
        A: { ids: ['b'], nextCursor: 'A', hasMore: true },
      }),
    ).listen();
    const { ids, error } = await iterate(server);
    expect(ids).toEqual(['a', 'b']);
    expect(error).toBeInstanceOf(PaginationError);
    expect(error?.cursor).toBe('A');
    expect(server.received).toHaveLength(2);
  });

  it('a cycle of two cursors: ends with an error', async () => {
    await using server = await new FaultServer(
      pagesBy({
        '': { ids: ['a'], nextCursor: 'A', hasMore: true },
        A: { ids: ['b'], nextCursor: 'B', hasMore: true },
        B: { ids: ['c'], nextCursor: 'A', hasMore: true },
      }),
    ).listen();
    const { ids, error } = await iterate(server);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(error).toBeInstanceOf(PaginationError);
  });

  it('a cycle longer than the exact history: ends with an error, too', async () => {
    let pages = 0;
    await using server = await new FaultServer((response) => {
      pages += 1;
      json(response, 200, { items: [], nextCursor: `cursor-${pages % 100}`, hasMore: true });
    }).listen();
    const { error } = await iterate(server);
    expect(error).toBeInstanceOf(PaginationError);
    expect(pages).toBeLessThan(400);
  });

  it.each([
    ['hasMore without a cursor', { nextCursor: null, hasMore: true }],
    ['hasMore false with a cursor', { nextCursor: 'A', hasMore: false }],
  ])('%s: an error after the items', async (_, end) => {
    await using server = await new FaultServer(pagesBy({ '': { ids: ['a'], ...end } })).listen();
    const { ids, error } = await iterate(server);
    expect(ids).toEqual(['a']);
    expect(error).toBeInstanceOf(PaginationError);
    expect(server.received).toHaveLength(1);
  });

  it('endpoint 8, without hasMore: a null cursor is the end', async () => {
    await using server = await new FaultServer((response, { url }) =>
      json(
        response,
        200,
        cursorOf(url) === null ? { items: [run(1)], nextCursor: 'A' } : { items: [run(2)], nextCursor: null },
      ),
    ).listen();
    const runs = await clientOf(server).screening.history('cus_1', 'per_1').toArray();
    expect(runs.map(({ screeningId }) => screeningId)).toEqual(['run_1', 'run_2']);
  });

  it('an empty page with a cursor: iteration continues', async () => {
    await using server = await new FaultServer(
      pagesBy({ '': { ids: [], nextCursor: 'A', hasMore: true }, A: { ids: ['b'], nextCursor: null, hasMore: false } }),
    ).listen();
    expect((await iterate(server)).ids).toEqual(['b']);
  });

  it("a list without end: the caller's limit stops it", async () => {
    let pages = 0;
    await using server = await new FaultServer((response) => {
      pages += 1;
      json(response, 200, { items: [customer(`cus_${pages}`)], nextCursor: `cursor-${pages}`, hasMore: true });
    }).listen();
    expect(await clientOf(server).customers.list().toArray({ max: 20 })).toHaveLength(20);
    expect(pages).toBe(20);
  });

  it('an item on two neighboring pages is yielded once', async () => {
    await using server = await new FaultServer(
      pagesBy({
        '': { ids: ['a', 'b'], nextCursor: 'A', hasMore: true },
        A: { ids: ['b', 'c'], nextCursor: null, hasMore: false },
      }),
    ).listen();
    expect((await iterate(server)).ids).toEqual(['a', 'b', 'c']);
  });

  it('a page that fails temporarily is retried', async () => {
    const pages = pagesBy({
      '': { ids: ['a'], nextCursor: 'A', hasMore: true },
      A: { ids: ['b'], nextCursor: null, hasMore: false },
    });
    await using server = await new FaultServer((response, received, number) =>
      number === 2 ? response.socket?.resetAndDestroy() : pages(response, received, number),
    ).listen();
    expect((await iterate(server)).ids).toEqual(['a', 'b']);
  });

  it('a page that fails permanently: the error has the cursor to resume from', async () => {
    const good = pagesBy({
      '': { ids: ['a'], nextCursor: 'A', hasMore: true },
      A: { ids: ['b'], nextCursor: null, hasMore: false },
    });
    await using server = await new FaultServer((response, received, number) =>
      cursorOf(received.url) === 'A' ? json(response, 500, {}) : good(response, received, number),
    ).listen();
    const { ids, error } = await iterate(server);
    expect(ids).toEqual(['a']);
    server.respond = good;
    const rest = await clientOf(server).customers.list({ cursor: error?.cursor }).toArray();
    expect(rest.map(({ id }) => id)).toEqual(['b']);
  });

  it('break: no further request, and the prefetched page frees its socket', async () => {
    let closed = 0;
    await using server = await new FaultServer((response, received, number) => {
      if (number === 1)
        return pagesBy({ '': { ids: ['a'], nextCursor: 'A', hasMore: true } })(response, received, number);
      response.on('close', () => (closed += 1));
    }).listen();
    for await (const { id } of clientOf(server).customers.list()) {
      expect(id).toBe('a');
      await expect.poll(() => server.received.length).toBe(2);
      break;
    }
    await expect.poll(() => closed).toBe(1);
    expect(server.received).toHaveLength(2);
  });
});
