import { base64url } from 'jose';
import type { PageEnvelope } from '../../contract/schema/page.js';
import type { Collection, Row } from './collection.js';
import { fingerprint } from '../data/random.js';
import { reject } from '../wire/http-error.js';
import type { OrganizationState } from './platform-state.js';

/** The list and the page to return. */
export interface PaginateOptions<T> {
  readonly organization: OrganizationState;
  /** The name of the list, so that it rejects the cursors of other lists. */
  readonly list: string;
  readonly collection: Collection<T>;
  readonly keep: (value: T, row: Row<T>) => boolean;
  readonly query: { readonly limit?: number | undefined; readonly cursor?: string | undefined };
}

/**
 * Returns a page. A cursor encodes the position of the last record on its page, so that no record is repeated or
 * skipped when records are added, deleted or changed between two pages. Throws an `HttpError` if the cursor is not from
 * this list.
 */
export function paginate<T, Item>(request: PaginateOptions<T>, show: (value: T) => Item): PageEnvelope<Item> {
  const { organization, collection, keep } = request;
  const { limit = organization.options.pageSize, cursor } = request.query;
  const position = cursor === undefined ? undefined : decodeCursor(request, cursor);
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
  return base64url.encode(`${at}.${sequence}.${cursorSignature(request, at, sequence)}`);
}

function cursorSignature<T>({ organization, list }: PaginateOptions<T>, at: number, sequence: number): string {
  return fingerprint(`${organization.options.seed}/${organization.id}/${list}/${at}/${sequence}`).slice(0, 12);
}

function decodeCursor<T>(request: PaginateOptions<T>, cursor: string): Position {
  const [, at = '', sequence = '', signature = ''] = /^(-?\d+)\.(\d+)\.(\w+)$/.exec(decoded(cursor)) ?? [];
  const position = { at: Number(at), sequence: Number(sequence) };
  if (signature === '' || signature !== cursorSignature(request, position.at, position.sequence)) {
    const { cursor: path } = request.organization.options.dialect.filterNames;
    return reject('invalid_cursor', 'the cursor is not from this list', [
      { path, message: 'must be the nextCursor of an earlier page of this list' },
    ]);
  }
  return position;
}

/** Decodes base64url; returns an empty string if the cursor is not in the form that `paginate` writes. */
function decoded(cursor: string): string {
  try {
    const text = new TextDecoder().decode(base64url.decode(cursor));
    return base64url.encode(text) === cursor ? text : '';
  } catch {
    return '';
  }
}

/** The position of a record: its time of creation and its sequence number. */
type Position = Pick<Row<unknown>, 'at' | 'sequence'>;

/** Returns the place of a record in a shuffled list: a stable order that depends on the seed and not on time. */
function rankOf({ options, id }: OrganizationState, list: string, sequence: number): string {
  return fingerprint(`${options.seed}/${id}/${list}/order/${sequence}`);
}

/** Returns the rows of a list in its order, from the start or after a position. Assumed: A-11. */
function rowsAfter<T>(
  organization: OrganizationState,
  list: string,
  collection: Collection<T>,
  position: Position | undefined,
): Iterable<Row<T>> {
  const rows = collection.rows();
  switch (organization.options.listOrder) {
    case 'newest-first':
      return backwards(rows, position === undefined ? rows.length : collection.indexAfter(position));
    case 'oldest-first':
      return position === undefined
        ? rows
        : rows.slice(collection.indexAfter({ ...position, sequence: position.sequence + 1 }));
    default: {
      const after = position === undefined ? '' : rankOf(organization, list, position.sequence);
      return byRank(rows, ({ sequence }) => rankOf(organization, list, sequence))
        .filter(({ rank }) => rank > after)
        .map(({ item }) => item);
    }
  }
}

interface Ranked<T> {
  readonly item: T;
  readonly rank: string;
}

/** Sorts items by their ranks. */
function byRank<T>(items: readonly T[], rank: (item: T, index: number) => string): Ranked<T>[] {
  return items
    .map((item, index) => ({ item, rank: rank(item, index) }))
    .toSorted((left, right) => (left.rank < right.rank ? -1 : 1));
}

function* backwards<T>(rows: readonly Row<T>[], end: number): Generator<Row<T>> {
  for (let index = end - 1; index >= 0; index--) yield rows[index] as Row<T>;
}

/** Sorts a list without pages, passed oldest first, in the order of lists. */
export function inListOrder<T>(organization: OrganizationState, list: string, items: readonly T[]): readonly T[] {
  const { listOrder } = organization.options;
  if (listOrder === 'shuffled')
    return byRank(items, (_, sequence) => rankOf(organization, list, sequence)).map(({ item }) => item);
  return listOrder === 'newest-first' ? items.toReversed() : items;
}
