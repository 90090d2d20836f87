import * as z from 'zod/mini';
import { flag, id } from './field.js';
import { lazily, list, mean, nullable, record, type Schema } from './schema.js';

/** The envelope of a page of payments, customers or beneficiaries. */
export interface PageEnvelope<T> {
  /** The records of this page. */
  readonly items: readonly T[];
  /** What to send as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
  /** Whether another page follows. */
  readonly hasMore: boolean;
}

/** The envelope of a page of screening history, which has no `hasMore`. */
export interface HistoryEnvelope<T> {
  /** The records of this page. */
  readonly items: readonly T[];
  /** What to send as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** The schema of a page. */
export function pageOf<T>(item: Schema<T>): Schema<PageEnvelope<T>> {
  return lazily(() => record<PageEnvelope<T>>({ items: list(item()), nextCursor: nullable(id()), hasMore: flag() }));
}

/** The schema of a page without `hasMore`. */
export function historyOf<T>(item: Schema<T>): Schema<HistoryEnvelope<T>> {
  return lazily(() => record<HistoryEnvelope<T>>({ items: list(item()), nextCursor: nullable(id()) }));
}

/** The page size a list accepts. */
export const pageSize = { smallest: 1, largest: 100, default: 25 } as const;

/** The page size in a request. */
export const limit: Schema<number> = lazily(() =>
  mean(z.int().check(z.gte(pageSize.smallest), z.lte(pageSize.largest)), {
    rule: `must be a whole number from ${pageSize.smallest} to ${pageSize.largest}`,
  }),
);

/** The cursor in a request. An empty one is refused. Assumed: A-23. */
export const cursor: Schema<string> = lazily(() =>
  mean(z.string().check(z.minLength(1)), { rule: 'must be the nextCursor of an earlier page (null means that was the last page)' }),
);
