import { listIn, type WithResponse } from './api-call.js';
import { noteCursor } from './error.js';
import { InvalidRequestError, PaginationError } from './errors.js';
import type { Answer } from './transport/answer.js';
import { unwanted } from './transport/unwanted.js';
import { start, type Trail } from './trail.js';

/** A page as it came. */
export interface RawPage<T> {
  /** Its records. */
  readonly items: readonly T[];
  /** Where the next page begins. */
  readonly nextCursor: string | null;
  /** Whether another page follows; absent where the platform does not say. */
  readonly hasMore?: boolean;
}

/** How the pages of a list are had. */
export interface PageSource<T> {
  /** The endpoint, for messages. */
  readonly endpoint: string;
  /** Where the walk begins. */
  readonly cursor: string | undefined;
  /** The signal of the whole walk. */
  readonly signal: AbortSignal | undefined;
  /** Whether the next page is fetched while the caller works on this one. */
  readonly prefetch: boolean;
  /** Fetches one page. */
  fetch(cursor: string | undefined, signal: AbortSignal | undefined): Promise<Answer<RawPage<T>>>;
}

/**
 * One page of a list. It can itself be iterated, from its own items onward.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * const page = await corridor.customers.list({ limit: 50 });
 * console.log(page.items.length, page.hasMore, page.nextCursor);
 * const second = await page.next(); // undefined after the last page
 * ```
 */
export class Page<T> implements AsyncIterable<T> {
  readonly #source: PageSource<T>;
  readonly #trail: Trail;
  /** The records of this page. */
  readonly items: readonly T[];
  /** What to pass as `cursor` to go on after this page; null on the last one. */
  readonly nextCursor: string | null;
  /** Whether another page follows. */
  readonly hasMore: boolean;

  /** Wraps a page that came. @internal */
  constructor(raw: RawPage<T>, source: PageSource<T>, trail: Trail) {
    this.items = raw.items;
    // Absent only where validation merely observes.
    this.nextCursor = raw.nextCursor ?? null;
    this.hasMore = raw.hasMore ?? this.nextCursor !== null;
    this.#source = source;
    this.#trail = trail;
  }

  /**
   * Fetches the next page; undefined after the last one.
   *
   * @throws PaginationError where the platform's pages contradict each other.
   */
  next(): Promise<Page<T> | undefined> {
    return this.#fetchNext(this.#source.signal);
  }

  /** The items of this page and of all that follow. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** This page and all that follow. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page: Page<T> | undefined = this;
    while (page !== undefined) {
      const current: Page<T> = page;
      const { prefetch, signal } = current.#source;
      const ahead = prefetch ? fetchAhead(signal, (either) => current.#fetchNext(either)) : undefined;
      let wanted = false;
      try {
        yield current;
        wanted = true;
      } finally {
        if (!wanted) ahead?.cancel();
      }
      // Whoever aborted the walk wants no further page, not even one that has come already.
      page = await (signal?.aborted === true ? current.next() : (ahead?.page ?? current.next()));
    }
  }

  async #fetchNext(signal: AbortSignal | undefined): Promise<Page<T> | undefined> {
    const { endpoint } = this.#source;
    if (!this.hasMore) return undefined;
    if (typeof this.nextCursor !== 'string' || this.nextCursor === '') {
      throw new PaginationError(`${endpoint}: the platform says that more follows, but gives no cursor to go on with`, { endpoint, outcome: 'applied' });
    }
    const trail = this.#trail.follow(this.nextCursor);
    if (trail === undefined) {
      const error = new PaginationError(`${endpoint}: the platform gave the same cursor again; the walk would go in a circle`, { endpoint, outcome: 'applied' });
      noteCursor(error, this.nextCursor);
      throw error;
    }
    return (await fetchPage(this.#source, this.nextCursor, signal, trail)).data;
  }
}

/**
 * A list that was asked for, and of which nothing is fetched before it is used: `await` it for the first page, iterate it for all items.
 * Handing it through an `async` function fetches the first page, as `await` does.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * for await (const payment of corridor.payments.list({ status: 'COMPLETED' })) console.log(payment.id);
 * const newest = await corridor.payments.list().toArray({ max: 500 });
 * ```
 */
export class PageRequest<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #source: PageSource<T>;
  #first: Promise<WithResponse<Page<T>>> | undefined;

  /** Notes what is to be fetched. @internal */
  constructor(source: PageSource<T>) {
    this.#source = source;
  }

  /** Fetches the first page; once, however often it is awaited. */
  then<A = Page<T>, B = never>(onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null, onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.withResponse().then(({ data }) => data).then(onFulfilled, onRejected);
  }

  /** As of any promise. */
  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(undefined, onRejected);
  }

  /** As of any promise. */
  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onFinally);
  }

  /** The first page together with status, headers, request id and attempts. */
  withResponse(): Promise<WithResponse<Page<T>>> {
    return (this.#first ??= this.#fetchFirst());
  }

  /** All items, page after page. Each iteration is a walk of its own, from the start. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** All pages. Each iteration is a walk of its own, from the start. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    yield* (await this.#fetchFirst()).data.pages();
  }

  /**
   * All items as an array, or the first `max` of them; no more pages are fetched than that takes.
   *
   * @throws InvalidRequestError where `max` is not a whole number of 0 or more.
   */
  async toArray(options: { readonly max?: number | undefined } = {}): Promise<T[]> {
    if (Object(options) !== options) {
      throw new InvalidRequestError(this.#source.endpoint, [{ path: 'options', message: 'must be an object, such as { max: 500 }' }]);
    }
    const { max = Number.POSITIVE_INFINITY } = options;
    if (!(Number.isInteger(max) || max === Number.POSITIVE_INFINITY) || max < 0) {
      throw new InvalidRequestError(this.#source.endpoint, [{ path: 'max', message: 'must be a whole number of 0 or more' }]);
    }
    const items: T[] = [];
    let page: Page<T> | undefined;
    while (items.length < max) {
      page = page === undefined ? (await this.#fetchFirst()).data : await page.next();
      if (page === undefined) break;
      for (const item of page.items) if (items.push(item) >= max) break;
    }
    return items;
  }

  #fetchFirst(): Promise<WithResponse<Page<T>>> {
    const { cursor, signal } = this.#source;
    return fetchPage(this.#source, cursor, signal, start(cursor));
  }
}

async function fetchPage<T>(source: PageSource<T>, cursor: string | undefined, signal: AbortSignal | undefined, trail: Trail): Promise<WithResponse<Page<T>>> {
  try {
    const { data, ...info } = await source.fetch(cursor, signal);
    const items = listIn(source.endpoint, data, 'items', info);
    return { data: new Page({ ...data, items }, source, trail), ...info };
  } catch (error) {
    noteCursor(error, cursor);
    throw error;
  }
}

interface Ahead<T> {
  readonly page: Promise<Page<T> | undefined>;
  /** Nobody wants the page any more: its socket is freed. */
  cancel(): void;
}

function fetchAhead<T>(signal: AbortSignal | undefined, fetch: (signal: AbortSignal) => Promise<Page<T> | undefined>): Ahead<T> {
  const controller = new AbortController();
  const forward = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) forward();
  signal?.addEventListener('abort', forward);
  const page = fetch(controller.signal).finally(() => signal?.removeEventListener('abort', forward));
  // An error is heard when the caller asks for this page, and not before.
  page.catch(() => {});
  return { page, cancel: () => controller.abort(unwanted) };
}
