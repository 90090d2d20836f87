import type { PageEnvelope } from '../contract/page.js';
import type { Collection, Row } from './collection.js';
import { rowsAfter, type Place } from './list-order.js';
import { fingerprint } from './random.js';
import { Refusal } from './refusal.js';
import type { OrganizationState } from './state.js';

/** Which page of which list. */
export interface PageRequest<T> {
  readonly organization: OrganizationState;
  /** What tells this list from others, so that a cursor of one is refused by another. */
  readonly list: string;
  readonly collection: Collection<T>;
  readonly keep: (value: T, row: Row<T>) => boolean;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

/**
 * A page. A cursor names the place of the last record shown, and the next page goes on after that place: records that are added or
 * deleted between two pages, or change their status, make nothing repeat and nothing be skipped.
 */
export function pageOf<T, Item>(request: PageRequest<T>, show: (value: T) => Item): PageEnvelope<Item> {
  const { organization, collection, keep } = request;
  const limit = request.limit ?? organization.platform.options.pageSize;
  const place = request.cursor === undefined ? undefined : placeOf(request, request.cursor);
  const items: Item[] = [];
  let last: Row<T> | undefined;
  for (const row of rowsAfter(organization, request.list, collection, place)) {
    if (!keep(row.value, row)) continue;
    if (items.length === limit) return { items, nextCursor: cursorOf(request, last as Row<T>), hasMore: true };
    items.push(show(row.value));
    last = row;
  }
  return { items, nextCursor: null, hasMore: false };
}

function cursorOf<T>(request: PageRequest<T>, { at, sequence }: Place): string {
  return encoded(`${at}.${sequence}.${seal(request, at, sequence)}`);
}

function seal<T>({ organization, list }: PageRequest<T>, at: number, sequence: number): string {
  return fingerprint(`${organization.platform.options.seed}/${organization.id}/${list}/${at}/${sequence}`).slice(0, 12);
}

function placeOf<T>(request: PageRequest<T>, cursor: string): Place {
  const [, at = '', sequence = '', told = ''] = /^(-?\d+)\.(\d+)\.(\w+)$/.exec(decoded(cursor)) ?? [];
  const place = { at: Number(at), sequence: Number(sequence) };
  if (told === '' || told !== seal(request, place.at, place.sequence)) {
    const { cursor: path } = request.organization.platform.options.dialect.filters;
    throw new Refusal(400, 'invalid_cursor', 'the cursor is not one that this list gave', [{ path, message: 'must be the nextCursor of an earlier page of this list' }]);
  }
  return place;
}

function encoded(text: string): string {
  return btoa(text).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
}

/** Empty where it is no base64url, or other than we write it: there is one cursor for each place. */
function decoded(cursor: string): string {
  try {
    const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    return encoded(text) === cursor ? text : '';
  } catch {
    return '';
  }
}
