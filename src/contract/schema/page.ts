import * as z from 'zod/mini';
import { boolean, id, memoize, array, withMetadata, nullable, strictObject, type Schema } from './schema.js';
import { integerFrom } from '../option-schemas.js';

/** The envelope of a page of payments, customers or beneficiaries. */
export interface PageEnvelope<T> {
  /** The records of this page. */
  readonly items: readonly T[];
  /** The `cursor` of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** Whether there is another page. */
  readonly hasMore: boolean;
}

/** The envelope of a page of screening history, which has no `hasMore`. */
export interface HistoryEnvelope<T> {
  /** The records of this page. */
  readonly items: readonly T[];
  /** The `cursor` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export function pageOf<T>(item: Schema<T>): Schema<PageEnvelope<T>> {
  return memoize(() =>
    strictObject<PageEnvelope<T>>({ items: array(item()), nextCursor: nullable(id()), hasMore: boolean() }),
  );
}

/** Creates the schema of a page without `hasMore`. */
export function historyOf<T>(item: Schema<T>): Schema<HistoryEnvelope<T>> {
  return memoize(() => strictObject<HistoryEnvelope<T>>({ items: array(item()), nextCursor: nullable(id()) }));
}

export const pageSize = { smallest: 1, largest: 100, default: 25 } as const;

/** The statuses with which a platform rejects a cursor. */
export const cursorRejections: readonly number[] = [400, 404, 422];

export const limit: Schema<number> = memoize(() =>
  integerFrom(pageSize.smallest, pageSize.largest, '', { fix: 'For more, iterate over the list' }),
);

/** The cursor in a request. It must not be empty. Assumed: A-23. */
export const cursor: Schema<string> = memoize(() =>
  withMetadata(z.string().check(z.minLength(1)), {
    rule: 'must be the nextCursor of an earlier page (null means that was the last page)',
  }),
);
