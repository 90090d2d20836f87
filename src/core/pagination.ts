import { isDate, isPlainObject } from '../contract/objects.js';
import type { EndpointName, endpoints, ResultOf } from '../contract/endpoints.js';
import { noteCursor, InvalidRequestError, PaginationError } from '../errors/api.js';
import { prefetchCanceled } from '../transport/events.js';
import type { RequestOptions } from '../transport/request-options.js';
import { inheritedGetter, type CallInput } from '../transport/request.js';
import type { ParsedResponse } from '../transport/response.js';
import type { Sender, SendMode } from '../transport/call.js';
import { extractArray, toApiResponse, type ApiResponse } from './api-promise.js';

/** A page as the platform returned it. */
export interface RawPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  /** Whether another page follows; absent if the platform does not say. */
  readonly hasMore?: boolean;
}

/** Where the pages of a list come from. */
export interface PageSource<T> extends Pick<Sender, 'prefetch' | 'redactBody'> {
  readonly endpoint: string;
  readonly cursor: string | undefined;
  /** The signal of the whole iteration. */
  readonly signal: AbortSignal | undefined;
  /** The field that identifies an item; undefined if repeated items are kept. */
  readonly idField: string | undefined;
  fetch(cursor: string | undefined, signal: AbortSignal | undefined): Promise<ParsedResponse<RawPage<T>>>;
}

/**
 * One page of a list. Iterate it to get its items and those of all later pages.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * const page = await corridor.customers.list({ limit: 50 });
 * console.log(page.items.length, page.hasMore, page.nextCursor);
 * const second = await page.getNextPage(); // undefined after the last page
 * ```
 */
export class Page<T> implements AsyncIterable<T> {
  readonly #source: PageSource<T>;
  readonly #history: PageHistory;
  /** The records of this page, without those of the page from which it was fetched. */
  readonly items: readonly T[];
  /** The cursor of the next page, to pass as `cursor`; null on the last page. */
  readonly nextCursor: string | null;
  /** Whether another page follows, or may follow: the platform says no, but returned a cursor. */
  readonly hasMore: boolean;
  readonly #isContradictory: boolean;

  /** @internal */
  constructor(raw: RawPage<T>, source: PageSource<T>, history: PageHistory) {
    // A row that was added since the page before moves others to the next page.
    const before = source.idField === undefined ? undefined : history.recent.at(-2);
    this.items = raw.items.filter((item) => before?.rows.has(idOf(item, source) ?? '') !== true);
    // Absent only if `validation` is `observe`.
    this.nextCursor = raw.nextCursor ?? null;
    const hasCursor = (this.nextCursor ?? '') !== '';
    this.#isContradictory = raw.hasMore === false && hasCursor;
    this.hasMore = raw.hasMore === true || hasCursor;
    this.#source = source;
    this.#history = history;
  }

  /**
   * Fetches the next page. Resolves to undefined after the last page.
   *
   * @throws PaginationError if the platform's pages contradict each other, or if its list does not end.
   */
  getNextPage(): Promise<Page<T> | undefined> {
    return this.#fetchNext(this.#source.signal);
  }

  /** Iterates the items of this page and of all later pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) for (const item of page.items) yield item;
  }

  /** Iterates this page and all later pages. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page: Page<T> | undefined = this;
    while (page !== undefined) {
      const current: Page<T> = page;
      const { prefetch, signal } = current.#source;
      const next = prefetch ? prefetchPage(signal, (combined) => current.#fetchNext(combined)) : undefined;
      let resumed = false;
      try {
        yield current;
        resumed = true;
      } finally {
        if (!resumed) next?.cancel();
      }
      // After an abort, discard the prefetched page.
      page = await (signal?.aborted === true ? current.getNextPage() : (next?.page ?? current.getNextPage()));
    }
  }

  async #fetchNext(signal: AbortSignal | undefined): Promise<Page<T> | undefined> {
    const { endpoint } = this.#source;
    if (!this.hasMore) return undefined;
    const cursor = typeof this.nextCursor === 'string' ? this.nextCursor : '';
    const fail = (problem: string): PaginationError =>
      new PaginationError(`${endpoint}: the platform ${problem}. Report this to the platform`, {
        endpoint,
        outcome: 'applied',
      });
    if (this.#isContradictory) throw fail('reports that no page follows (hasMore: false), but returned a nextCursor');
    if (cursor === '') throw fail('reports another page, but returned no cursor for it');
    if (hasPage(this.#history, (page) => page.cursor === cursor)) {
      const error = fail('reports another page, but returned the same cursor again');
      noteCursor(error, cursor);
      throw error;
    }
    return (await fetchPage(this.#source, cursor, signal, this.#history)).data;
  }
}

/**
 * A request for a list. Nothing is sent until you use it: `await` it for the first page, or iterate it for all items.
 * Returning it from an `async` function fetches the first page, as `await` does.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * for await (const payment of corridor.payments.list({ status: 'COMPLETED' })) console.log(payment.id);
 * const newest = await corridor.payments.list().toArray({ max: 500 });
 * ```
 */
export class PagePromise<T> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly #source: PageSource<T>;
  #first: Promise<ParsedResponse<Page<T>>> | undefined;

  /** @internal */
  constructor(source: PageSource<T>) {
    this.#source = source;
  }

  /** Makes it a `Promise` for TypeScript. */
  get [Symbol.toStringTag](): string {
    return 'PagePromise';
  }

  /** @internal */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    // For console.log of Node: a list looks like an array that is already fetched.
    const state = this.#first === undefined ? 'nothing was sent' : 'its first page was requested';
    return `PagePromise of ${this.#source.endpoint}: ${state}. Await it for the first page, or iterate it with for await`;
  }

  /** Fetches the first page, once, no matter how often it is awaited. */
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetchOnce()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }

  /** Fetches the first page and handles its rejection, as `Promise.prototype.catch` does. */
  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(undefined, onRejected);
  }

  /** Fetches the first page and calls back in either case, as `Promise.prototype.finally` does. */
  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onFinally);
  }

  /** Resolves to the first page together with status, headers, request id and attempts. */
  withResponse(): Promise<ApiResponse<Page<T>>> {
    return this.#fetchOnce().then(toApiResponse);
  }

  /** Iterates all items, page by page. Each iteration starts again at the first page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) for (const item of page.items) yield item;
  }

  /** Iterates all pages. Each iteration starts again at the first page. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    yield* (await this.#fetchFirst()).data.pages();
  }

  /**
   * Returns all items as an array, or the first `max` items. Fetches only the pages that this needs.
   *
   * @throws InvalidRequestError if `max` is not an integer of 0 or more.
   */
  async toArray(options: { readonly max?: number | undefined } = {}): Promise<T[]> {
    const { max = Number.POSITIVE_INFINITY } = Object(options) as typeof options;
    if (Object(options) !== options || !(Number.isInteger(max) || max === Number.POSITIVE_INFINITY) || max < 0) {
      const message = 'must be an integer of 0 or more, in an object such as { max: 500 }';
      throw new InvalidRequestError(this.#source.endpoint, [{ path: 'max', message }]);
    }
    const items: T[] = [];
    let page: Page<T> | undefined;
    while (items.length < max) {
      page = page === undefined ? (await this.#fetchFirst()).data : await page.getNextPage();
      if (page === undefined) break;
      for (const item of page.items) if (items.push(item) >= max) break;
    }
    return items;
  }

  #fetchOnce(): Promise<ParsedResponse<Page<T>>> {
    return (this.#first ??= this.#fetchFirst());
  }

  #fetchFirst(): Promise<ParsedResponse<Page<T>>> {
    const { cursor, signal } = this.#source;
    return fetchPage(this.#source, cursor, signal, { recent: [], saved: [], steps: 0, withoutNew: 0 });
  }
}

/**
 * Creates the `PagePromise` of a list endpoint; `fetch` calls the endpoint. With `idField`, a page does not repeat the
 * items of the page before. Pages in the background are not prefetched.
 */
export function createPagePromise<T, Q extends { readonly cursor?: string | undefined }>(
  sender: Sender,
  endpoint: EndpointName,
  params: Q | undefined,
  options: RequestOptions,
  fetch: (params: Q, options: RequestOptions, signal: AbortSignal | undefined) => Promise<ParsedResponse<RawPage<T>>>,
  { idField, isBackground = false }: { readonly idField?: keyof T & string; readonly isBackground?: boolean } = {},
): PagePromise<T> {
  const filters = copyFields(params);
  const firstCursor = filters?.cursor;
  // Null options are rejected when the call is made, as those of any other call.
  const ownSignal = (options as RequestOptions | null)?.signal;
  return new PagePromise<T>({
    endpoint,
    cursor: firstCursor,
    signal: ownSignal,
    idField,
    prefetch: sender.prefetch && !isBackground,
    redactBody: sender.redactBody,
    fetch: (cursor, signal) =>
      fetch((cursor === firstCursor ? (filters ?? {}) : { ...filters, cursor }) as Q, options, signal),
  });
}

type ItemOf<N extends EndpointName> =
  ResultOf<(typeof endpoints)[N]> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** Creates the `PagePromise` of a call to a list endpoint. */
export function listPages<N extends EndpointName, Q extends { readonly cursor?: string | undefined }>(
  sender: Sender,
  endpoint: N,
  { ids = {}, query }: { readonly ids?: CallInput['ids']; readonly query: Q | undefined },
  options: RequestOptions,
  idField: keyof ItemOf<N> & string,
  mode: SendMode = {},
): PagePromise<ItemOf<N>> {
  const fetch = (page: Q, each: RequestOptions, signal: AbortSignal | undefined) =>
    sender.send(endpoint, { ids, query: page }, each, { ...mode, signal }) as Promise<
      ParsedResponse<RawPage<ItemOf<N>>>
    >;
  return createPagePromise(sender, endpoint, query, options, fetch, { ...mode, idField });
}

/**
 * Copies parameters or options, so that later mutations of the object, or of a Date in it, cannot affect iteration. An
 * invalid value, which throws on first use, is not copied.
 */
export function copyFields<Q>(query: Q): Q {
  if (!isPlainObject(query) || inheritedGetter(query) !== undefined) return query;
  const fields = Object.entries(query as object).map(([name, value]: [string, unknown]) => [
    name,
    isDate(value) ? new Date(value.getTime()) : value,
  ]);
  return Object.fromEntries(fields) as Q;
}

async function fetchPage<T>(
  source: PageSource<T>,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
  before: PageHistory,
): Promise<ParsedResponse<Page<T>>> {
  try {
    const { data, metadata } = await source.fetch(cursor, signal);
    const items = extractArray(source.endpoint, data, 'items', metadata, source);
    // A row without an id is identified by its content.
    const rows = new Set(items.map((item) => idOf(item, source) ?? JSON.stringify(item)));
    const history = addPage(before, { cursor, rows });
    if (history.withoutNew > maxPagesWithoutNew)
      throw new EndlessListError(
        `${source.endpoint}: the list does not end: ${history.withoutNew} pages in a row have no ` +
          `new record (the last one has ${items.length} in all), and each has another cursor. Report ` +
          'this to the platform, or read a part of the list with its filters',
        { endpoint: source.endpoint, outcome: 'applied' },
      );
    return { data: new Page({ ...data, items }, source, history), metadata };
  } catch (error) {
    if (!(error instanceof EndlessListError)) noteCursor(error, cursor);
    throw error;
  }
}

// A row can be any value, which is reported as drift.
function idOf(item: unknown, { idField = 'id' }: Pick<PageSource<unknown>, 'idField'>): string | undefined {
  const value = (Object(item) as Readonly<Record<string, unknown>>)[idField];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Fetches a page that may not be needed: `cancel` aborts the request, which frees its socket. */
function prefetchPage<T>(
  signal: AbortSignal | undefined,
  fetch: (signal: AbortSignal) => Promise<Page<T> | undefined>,
) {
  const { controller, unlink } = linkController(signal);
  const page = fetch(controller.signal).finally(unlink);
  // An error surfaces when the caller requests this page. Until then it is no unhandled rejection.
  page.catch(() => {});
  return { page, cancel: () => controller.abort(prefetchCanceled) };
}

/** The abort reason of a generator whose consumer has ended it. */
export const iterationEnded: unique symbol = Symbol('the consumer ended the iteration');

/** Makes a consumer that ends a generator abort what it waits for: otherwise it would end only after its next value. */
export function abortAtEnd<T>(
  values: AsyncGenerator<T, void, undefined>,
  stop: AbortController,
): AsyncGenerator<T, void, undefined> {
  const [end, fail] = [values.return.bind(values), values.throw.bind(values)];
  values.return = (value) => {
    stop.abort(iterationEnded);
    return end(value);
  };
  values.throw = (error: unknown) => {
    stop.abort(iterationEnded);
    return fail(error);
  };
  // Generators of Node 22 have no disposal.
  values[Symbol.asyncDispose] = async () => void (await values.return());
  return values;
}

/** Makes a controller abort when a signal does, until `unlink` removes the listener. */
export function linkController(signal: AbortSignal | undefined, controller = new AbortController()) {
  const forward = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) forward();
  signal?.addEventListener('abort', forward);
  return { controller, unlink: () => signal?.removeEventListener('abort', forward) };
}

/**
 * The pages of a list show no new record, although each has a new cursor. To read the list again at once would take as
 * many requests.
 */
export class EndlessListError extends PaginationError {}

// Pages in a row without a new record, after which a list is taken for one that never ends.
const maxPagesWithoutNew = 100;
// Pages whose cursors and records are remembered: more than those.
const exactWindow = 128;

interface ReadPage {
  readonly cursor: string | undefined;
  /** The ids of its records. */
  readonly rows: ReadonlySet<string>;
}

/**
 * The pages that led to a page, and itself, to detect those that repeat, in constant memory: the last ones, and as many
 * that are replaced after 1, 2, 4, 8 … pages, as in Brent's cycle detection, to find longer cycles.
 */
interface PageHistory {
  readonly recent: readonly ReadPage[];
  readonly saved: readonly ReadPage[];
  readonly steps: number;
  /** How many of the last pages had no record that was not on an earlier one. */
  readonly withoutNew: number;
}

function hasPage({ recent, saved }: PageHistory, matches: (page: ReadPage) => boolean): boolean {
  return recent.some(matches) || saved.some(matches);
}

function addPage(before: PageHistory, page: ReadPage): PageHistory {
  const isKnown = [...page.rows].every((row) => hasPage(before, ({ rows }) => rows.has(row)));
  const steps = before.steps + 1;
  const recent = [...before.recent.slice(1 - exactWindow), page];
  const isPowerOfTwo = Number.isInteger(Math.log2(steps));
  return {
    recent,
    saved: isPowerOfTwo ? recent : before.saved,
    steps,
    withoutNew: isKnown ? before.withoutNew + 1 : 0,
  };
}
