import { MockPlatformError } from '../base/mock-error.js';

/**
 * A record with its position, which never changes; a change of the record replaces the row. Lists are ordered by time
 * of creation, then by sequence number.
 */
export interface Row<T> {
  readonly id: string;
  /** The number of the record in the order of insertion. */
  readonly sequence: number;
  /** The time of creation, in milliseconds since the epoch. */
  readonly at: number;
  readonly value: T;
}

/** A collection as plain JSON. */
export interface CollectionSnapshot<T> {
  /** The sequence number of the next record. */
  readonly next: number;
  /** The records, oldest first. */
  readonly rows: readonly Row<T>[];
}

type Position = Pick<Row<unknown>, 'at' | 'sequence'>;

const isOlder = (row: Position, than: Position): boolean =>
  row.at < than.at || (row.at === than.at && row.sequence < than.sequence);

/** The records of one kind. */
export class Collection<T> {
  readonly #onChange: (id: string) => void;
  #byId = new Map<string, Row<T>>();
  #rows: Row<T>[] = [];
  #next = 1;

  /** Calls a function after a record was changed or deleted. */
  constructor(onChange: (id: string) => void = () => {}) {
    this.#onChange = onChange;
  }

  /** The sequence number of the next record; numbers of deleted records are not reused. */
  get next(): number {
    return this.#next;
  }

  /** Adds a record. Throws `MockPlatformError` if its id already exists or is invalid. */
  insert(id: string, at: number, value: T): T {
    if (!id.isWellFormed())
      throw new MockPlatformError(
        `id ${JSON.stringify(id)} contains a lone surrogate, which a URL cannot encode. Use another id.`,
      );
    if (this.#byId.has(id))
      throw new MockPlatformError(
        `id ${JSON.stringify(id)} already exists. Use another id, or omit it to generate one.`,
      );
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

  /** Changes a record, if it exists. */
  update(id: string, change: (value: T) => T): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    const changed = { ...row, value: change(row.value) };
    this.#byId.set(id, changed);
    this.#rows[this.indexAfter(row)] = changed;
    this.#onChange(id);
  }

  delete(id: string): boolean {
    const row = this.#byId.get(id);
    if (row === undefined) return false;
    this.#byId.delete(id);
    this.#rows.splice(this.indexAfter(row), 1);
    this.#onChange(id);
    return true;
  }

  /** Removes the records for which a function returns true. */
  deleteWhere(isRemoved: (value: T) => boolean): void {
    for (const { id } of this.#rows.filter((row) => isRemoved(row.value))) this.delete(id);
  }

  /** The rows, oldest first. */
  rows(): readonly Row<T>[] {
    return this.#rows;
  }

  /** The records, oldest first. */
  values(): T[] {
    return this.#rows.map((row) => row.value);
  }

  /** Returns the number of rows that are older than a position: the index of a row at that position. */
  indexAfter(position: Position): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#rows[middle] as Row<T>;
      if (isOlder(row, position)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns a function that restores the current records. Sequence numbers assigned since are not reused. */
  savepoint(): () => void {
    const { rows } = this.snapshot();
    return () => this.restore({ next: this.#next, rows });
  }

  /** Removes the records added since a sequence number was the next one, and reuses theirs. */
  removeSince(next: number): void {
    if (this.#next !== next) this.restore({ next, rows: this.#rows.filter(({ sequence }) => sequence < next) });
  }

  snapshot(): CollectionSnapshot<T> {
    return { next: this.#next, rows: [...this.#rows] };
  }

  restore(snapshot: CollectionSnapshot<T>): void {
    this.#rows = [...snapshot.rows];
    this.#byId = new Map(this.#rows.map((row) => [row.id, row]));
    this.#next = snapshot.next;
  }
}
