import { MockPlatformError } from './error.js';
import { isCount, isList, isObject, isText, isTime } from './json.js';

/** A record in its place: lists are ordered by when it was created, then by the order of adding. Neither changes. */
export interface Row<T> {
  /** The record's id. */
  readonly id: string;
  /** Its number in the order of adding. */
  readonly sequence: number;
  /** When it was created, in milliseconds since the epoch. */
  readonly at: number;
  /** The record. */
  value: T;
}

/** A collection as plain JSON. */
export interface CollectionSnapshot<T> {
  /** The number the next record gets. */
  readonly next: number;
  /** The records, oldest first. */
  readonly rows: readonly Row<T>[];
}

/** Whether something from a snapshot is a collection: its rows in their order, each id and number once. */
export function isCollectionSnapshot(value: unknown): boolean {
  if (!isObject(value) || !isList(value['rows'], isRow) || !isCount(value['next'])) return false;
  const { next } = value;
  const rows = value['rows'] as readonly Row<unknown>[];
  const isInOrder = rows.every((row, index) => row.sequence < next && (index === 0 || isOlder(rows[index - 1] as Row<unknown>, row)));
  return isInOrder && new Set(rows.map(({ id }) => id)).size === rows.length;
}

const isRow = (value: unknown): boolean => isObject(value) && isText(value['id']) && isCount(value['sequence']) && isTime(value['at']) && isObject(value['value']);

type Place = Pick<Row<unknown>, 'at' | 'sequence'>;

const isOlder = (row: Place, than: Place): boolean => row.at < than.at || (row.at === than.at && row.sequence < than.sequence);

/** The records of one kind. */
export class Collection<T> {
  #byId = new Map<string, Row<T>>();
  #rows: Row<T>[] = [];
  #next = 1;

  /** The number the next record gets; numbers of deleted records are not given again. */
  get next(): number {
    return this.#next;
  }

  /** Adds a record. Throws `MockPlatformError` where its id is taken, or none. */
  insert(id: string, at: number, value: T): T {
    // Such an id cannot stand in a URL.
    if (/\p{Surrogate}/u.test(id)) throw new MockPlatformError(`id ${JSON.stringify(id)} holds half a character`);
    if (this.#byId.has(id)) throw new MockPlatformError(`id ${JSON.stringify(id)} is taken`);
    const row: Row<T> = { id, sequence: this.#next++, at, value };
    this.#byId.set(id, row);
    const last = this.#rows.at(-1);
    if (last === undefined || last.at <= at) this.#rows.push(row);
    else this.#rows.splice(this.indexAfter({ at, sequence: row.sequence }), 0, row);
    return value;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id)?.value;
  }

  /** Changes a record that is there; one that is not stays away. */
  update(id: string, change: (value: T) => T): void {
    const row = this.#byId.get(id);
    if (row !== undefined) row.value = change(row.value);
  }

  delete(id: string): boolean {
    const row = this.#byId.get(id);
    if (row === undefined) return false;
    this.#byId.delete(id);
    this.#rows.splice(this.#rows.indexOf(row), 1);
    return true;
  }

  /** The rows, oldest first. */
  rows(): readonly Row<T>[] {
    return this.#rows;
  }

  /** The records, oldest first. */
  values(): T[] {
    return this.#rows.map((row) => row.value);
  }

  /** How many rows are older than a place: where a row of that place stands or would stand. */
  indexAfter(place: Place): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#rows[middle] as Row<T>;
      if (isOlder(row, place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What there is now: the function it gives goes back to that. Numbers given since stay given. */
  savepoint(): () => void {
    const rows = this.#rows.map((row) => ({ ...row }));
    return () => this.restore({ next: this.#next, rows });
  }

  /** Where it stands: the function it gives takes away what was added since, and its numbers, too. Copies nothing. */
  mark(): () => void {
    const next = this.#next;
    return () => {
      if (this.#next !== next) this.restore({ next, rows: this.#rows.filter(({ sequence }) => sequence < next) });
    };
  }

  snapshot(): CollectionSnapshot<T> {
    return { next: this.#next, rows: this.#rows };
  }

  restore(snapshot: CollectionSnapshot<T>): void {
    this.#rows = [...snapshot.rows];
    this.#byId = new Map(this.#rows.map((row) => [row.id, row]));
    this.#next = snapshot.next;
  }
}
