import type { Collection, Row } from './collection.js';
import { fingerprint } from '../data/random.js';
import type { OrganizationState } from './organization.js';

/** The position of a record: its time of creation and its sequence number. */
export interface Position {
  readonly at: number;
  readonly sequence: number;
}

type Rank = (position: Position) => string;

/** Ranks positions in a stable order that depends on the seed and not on time. */
function shuffled({ platform, id }: OrganizationState, list: string): Rank {
  return ({ sequence }) => fingerprint(`${platform.options.seed}/${id}/${list}/order/${sequence}`);
}

function byRank<T>(rank: Rank, positionOf: (item: T) => Position): (items: readonly T[]) => T[] {
  return (items) =>
    items
      .map((item) => ({ item, rank: rank(positionOf(item)) }))
      .toSorted((left, right) => (left.rank < right.rank ? -1 : 1))
      .map(({ item }) => item);
}

/** Returns the rows of a list in its order, from the start or after a position. Assumed: A-11. */
export function rowsAfter<T>(
  organization: OrganizationState,
  list: string,
  collection: Collection<T>,
  position: Position | undefined,
): Iterable<Row<T>> {
  const rows = collection.rows();
  switch (organization.platform.options.listOrder) {
    case 'newest-first':
      return backwards(rows, position === undefined ? rows.length : collection.indexAfter(position));
    case 'oldest-first':
      return position === undefined
        ? rows
        : rows.slice(collection.indexAfter({ ...position, sequence: position.sequence + 1 }));
    default: {
      const rank = shuffled(organization, list);
      const after = position === undefined ? '' : rank(position);
      return byRank<Row<T>>(rank, (row) => row)(rows.filter((row) => rank(row) > after));
    }
  }
}

function* backwards<T>(rows: readonly Row<T>[], end: number): Generator<Row<T>> {
  for (let index = end - 1; index >= 0; index--) yield rows[index] as Row<T>;
}

/** Sorts a list without pages, passed oldest first, in the order of lists. */
export function inListOrder<T>(organization: OrganizationState, list: string, items: readonly T[]): T[] {
  switch (organization.platform.options.listOrder) {
    case 'newest-first':
      return items.toReversed();
    case 'oldest-first':
      return [...items];
    default:
      return byRank<readonly [number, T]>(shuffled(organization, list), ([sequence]) => ({ at: 0, sequence }))([
        ...items.entries(),
      ]).map(([, item]) => item);
  }
}
