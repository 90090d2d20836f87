import type { PageEnvelope } from '../../contract/schema/pagination.js';
import type { Collection, Row } from './collection.js';
import { rowsAfter, type Position } from './list-order.js';
import { fingerprint } from '../data/random.js';
import { reject } from '../http/http-error.js';
import type { OrganizationState } from './organization.js';

/** The list and the page to return. */
export interface PaginateOptions<T> {
  readonly organization: OrganizationState;
  /** The name of the list, so that it rejects the cursors of other lists. */
  readonly list: string;
  readonly collection: Collection<T>;
  readonly keep: (value: T, row: Row<T>) => boolean;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

/**
 * Returns a page. A cursor encodes the position of the last record on its page, so that no record is repeated or
 * skipped when records are added, deleted or changed between two pages. Throws an `HttpError` if the cursor is not from
 * this list.
 */
export function paginate<T, Item>(request: PaginateOptions<T>, show: (value: T) => Item): PageEnvelope<Item> {
  const { organization, collection, keep } = request;
  const limit = request.limit ?? organization.platform.options.pageSize;
  const position = request.cursor === undefined ? undefined : decodeCursor(request, request.cursor);
  const items: Item[] = [];
  let last: Row<T> | undefined;
  for (const row of rowsAfter(organization, request.list, collection, position)) {
    if (!keep(row.value, row)) continue;
    if (items.length === limit) return { items, nextCursor: encodeCursor(request, last as Row<T>), hasMore: true };
    items.push(show(row.value));
    last = row;
  }
  return { items, nextCursor: null, hasMore: false };
}

function encodeCursor<T>(request: PaginateOptions<T>, { at, sequence }: Position): string {
  return encoded(`${at}.${sequence}.${cursorSignature(request, at, sequence)}`);
}

function cursorSignature<T>({ organization, list }: PaginateOptions<T>, at: number, sequence: number): string {
  return fingerprint(`${organization.platform.options.seed}/${organization.id}/${list}/${at}/${sequence}`).slice(0, 12);
}

function decodeCursor<T>(request: PaginateOptions<T>, cursor: string): Position {
  const [, at = '', sequence = '', signature = ''] = /^(-?\d+)\.(\d+)\.(\w+)$/.exec(decoded(cursor)) ?? [];
  const position = { at: Number(at), sequence: Number(sequence) };
  if (signature === '' || signature !== cursorSignature(request, position.at, position.sequence)) {
    const { cursor: path } = request.organization.platform.options.dialect.filterNames;
    return reject('invalid_cursor', 'the cursor is not from this list', [
      { path, message: 'must be the nextCursor of an earlier page of this list' },
    ]);
  }
  return position;
}

function encoded(text: string): string {
  return btoa(text).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
}

/** Decodes base64url; returns an empty string if the cursor is not in the form that `encoded` writes. */
function decoded(cursor: string): string {
  try {
    const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    return encoded(text) === cursor ? text : '';
  } catch {
    return '';
  }
}
