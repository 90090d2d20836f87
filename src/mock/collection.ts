import { MockPlatformError } from './error.js';

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

/** The records of one kind. */
export class Collection<T> {
  #byId = new Map<string, Row<T>>();
  #rows: Row<T>[] = [];
  #next = 1;

  /** The number the next record gets; numbers of deleted records are not given again. */
  get next(): number {
    return this.#next;
  }

  /** Adds a record. Throws `MockPlatformError` where its id is taken. */
  insert(id: string, at: number, value: T): T {
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
  indexAfter(place: { readonly at: number; readonly sequence: number }): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#rows[middle] as Row<T>;
      if (row.at < place.at || (row.at === place.at && row.sequence < place.sequence)) low = middle + 1;
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
