import type { Collection, Row } from './collection.js';
import { fingerprint } from './random.js';
import type { OrganizationState } from './state.js';

/** Where a record stands: when it was created, and its number in the order of adding. */
export interface Place {
  readonly at: number;
  readonly sequence: number;
}

type Rank = (place: Place) => string;

/** Where a record stands in an order that has nothing to do with time, follows from the seed, and stays. */
function shuffled({ platform, id }: OrganizationState, list: string): Rank {
  return ({ sequence }) => fingerprint(`${platform.options.seed}/${id}/${list}/order/${sequence}`);
}

function byRank<T>(rank: Rank, placeOf: (item: T) => Place): (items: readonly T[]) => T[] {
  return (items) => items.map((item) => ({ item, rank: rank(placeOf(item)) })).toSorted((left, right) => (left.rank < right.rank ? -1 : 1)).map(({ item }) => item);
}

/** The rows of a list in its order, from the start or after a place. Assumed: A-11. */
export function rowsAfter<T>(organization: OrganizationState, list: string, collection: Collection<T>, place: Place | undefined): Iterable<Row<T>> {
  const rows = collection.rows();
  switch (organization.platform.options.listOrder) {
    case 'newest-first': return backwards(rows, place === undefined ? rows.length : collection.indexAfter(place));
    case 'oldest-first': return place === undefined ? rows : rows.slice(collection.indexAfter({ ...place, sequence: place.sequence + 1 }));
    default: {
      const rank = shuffled(organization, list);
      const after = place === undefined ? '' : rank(place);
      return byRank<Row<T>>(rank, (row) => row)(rows.filter((row) => rank(row) > after));
    }
  }
}

function* backwards<T>(rows: readonly Row<T>[], end: number): Generator<Row<T>> {
  for (let index = end - 1; index >= 0; index--) yield rows[index] as Row<T>;
}

/** A list that has no pages, given oldest first, in the order of lists. */
export function inListOrder<T>(organization: OrganizationState, list: string, items: readonly T[]): T[] {
  switch (organization.platform.options.listOrder) {
    case 'newest-first': return items.toReversed();
    case 'oldest-first': return [...items];
    default: return byRank<readonly [number, T]>(shuffled(organization, list), ([sequence]) => ({ at: 0, sequence }))([...items.entries()]).map(([, item]) => item);
  }
}
