import { Corridor, type CorridorOptions, type ListedPayment, type PaymentStatus } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { VirtualTime, virtualOptions } from '../../simulation/virtual-time.ts';
import { unchecked } from '../../client/scripted-fetch.ts';

const [template] = (() => {
  const platform = createMockPlatform();
  platform.payments.add();
  return platform.payments.all();
})();

/** How the list of a platform works. */
export interface ListRules {
  /** What a cursor contains: a number of rows, the id of the last row, or its place in the order. */
  readonly cursor: 'offset' | 'id' | 'position';
  readonly sort: 'createdAt' | 'updatedAt';
  readonly direction: 'ascending' | 'descending';
  /** The largest page. */
  readonly pageSize: number;
  /** The filters that the platform ignores. */
  readonly ignores: 'nothing' | 'status' | 'created';
}

/** The list of the simplest platform that loses payments between pages. */
export const offsetRules: ListRules = {
  cursor: 'offset',
  sort: 'createdAt',
  direction: 'descending',
  pageSize: 100,
  ignores: 'nothing',
};

interface Row {
  readonly id: string;
  readonly createdAt: number;
  status: string;
  updatedAt: number;
  /** Whether it existed, with the same status, all the time. */
  isStable: boolean;
}

const iso = (time: number): string => new Date(time).toISOString();

/** The rows of a list of payments that change between its pages, and how a platform cuts them into pages. */
export class ChangingPlatform {
  readonly time = new VirtualTime();
  readonly rows = new Map<string, Row>();
  readonly requests: URL[] = [];
  /** Called before each request; can respond in the platform's place. */
  meddle: (url: URL) => Response | undefined | void = () => {};
  /** Changes the records of a page. */
  show: (record: ListedPayment) => unknown = (record) => record;
  withoutCursors = false;
  readonly #rules: ListRules;
  #added = 0;

  constructor(rules: ListRules) {
    this.#rules = rules;
  }

  add(createdAt: number, status: string, { updatedAt = createdAt, isStable = true }: Partial<Row> = {}): Row {
    // Ids have another order than creation times.
    this.#added += 1;
    const id = `pay_${((this.#added * 7_919) % 100_003).toString(36)}`;
    const row = { id, createdAt, updatedAt, status, isStable };
    this.rows.set(id, row);
    return row;
  }

  /** Changes a payment, by default only the time of its last change. */
  touch(row: Row, status = row.status): void {
    row.isStable &&= status === row.status;
    row.status = status;
    row.updatedAt = this.time.now();
  }

  remove(row: Row): void {
    this.rows.delete(row.id);
  }

  /** The ids of the payments that had this status in this time range all the time, sorted. */
  stable(from: number, to: number, status?: string): string[] {
    return [...this.rows.values()]
      .filter((row) => row.isStable && row.createdAt >= from && row.createdAt <= to)
      .filter((row) => status === undefined || row.status === status)
      .map(({ id }) => id)
      .toSorted();
  }

  client(options: CorridorOptions = {}): Corridor {
    const fetch: typeof globalThis.fetch = async (input) => {
      const url = new URL(String(input));
      this.requests.push(url);
      await this.time.wait(20);
      return this.meddle(url) ?? this.respond(url);
    };
    return new Corridor({ ...unchecked, ...virtualOptions(this.time, fetch), ...options });
  }

  respond({ searchParams }: URL): Response {
    const { ignores, pageSize } = this.#rules;
    const [from, to] = [searchParams.get('createdFrom'), searchParams.get('createdTo')];
    const status = searchParams.get('status');
    const cursor = searchParams.get('cursor');
    const listed = [...this.rows.values()]
      .filter((row) => ignores === 'status' || status === null || row.status === status)
      .filter((row) => ignores === 'created' || from === null || row.createdAt >= Date.parse(from))
      .filter((row) => ignores === 'created' || to === null || row.createdAt <= Date.parse(to))
      .toSorted(this.#compare);
    const start = cursor === null ? 0 : this.#startOf(listed, cursor);
    if (start === undefined) return Response.json({ code: 'unknown_cursor' }, { status: 404 });
    const items = listed.slice(start, start + Math.min(pageSize, Number(searchParams.get('limit') ?? 25)));
    const hasMore = start + items.length < listed.length;
    const last = items.at(-1);
    const nextCursor =
      hasMore && last !== undefined && !this.withoutCursors ? this.#cursorAfter(last, start + items.length) : null;
    const date = new Date(this.time.now()).toUTCString();
    return Response.json(
      { items: items.map((row) => this.show(this.#record(row))), nextCursor, hasMore },
      { headers: { date } },
    );
  }

  readonly #compare = (one: Row, other: Row): number => {
    const { sort, direction } = this.#rules;
    const difference = one[sort] - other[sort] || (one.id < other.id ? -1 : 1);
    return direction === 'ascending' ? difference : -difference;
  };

  #cursorAfter(last: Row, offset: number): string {
    const { cursor, sort } = this.#rules;
    return cursor === 'offset' ? String(offset) : cursor === 'id' ? last.id : `${last[sort]}|${last.id}`;
  }

  #startOf(listed: readonly Row[], cursor: string): number | undefined {
    if (this.#rules.cursor === 'offset') return Number(cursor);
    const [place, id = ''] = cursor.split('|');
    const time = Number(place);
    const last =
      this.#rules.cursor === 'id' ? this.rows.get(cursor) : ({ id, createdAt: time, updatedAt: time } as Row);
    if (last === undefined) return undefined;
    const start = listed.findIndex((row) => row.id !== last.id && this.#compare(row, last) > 0);
    return start === -1 ? listed.length : start;
  }

  #record({ id, createdAt, updatedAt, status }: Row): ListedPayment {
    const times = { createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
    return { ...template, id, ...times, status: status as PaymentStatus } as ListedPayment;
  }
}
