import type { MirrorChange } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { nextStatuses } from './platform.ts';
import type { RandomSource } from '../support/random-source.ts';
import type { SyncSettings } from './sync-settings.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

export type Row = Readonly<Record<string, unknown>>;
export type RecordName = MirrorChange['record'];

/** A record and all its states. Times are true times, in milliseconds since the epoch. */
export interface SyncRecord {
  readonly record: RecordName;
  readonly id: string;
  readonly organization: number;
  readonly created: number;
  /** When the lists show it. */
  readonly listed: number;
  /** Its states; each row has its number as `revision`. Undefined after it was deleted. */
  readonly versions: { readonly at: number; readonly row: Row | undefined }[];
  /** Whether a list with a range of creation times shows it. */
  readonly isInRanges: boolean;
}

// Only the shape of the records comes from the mock. Without large fields, a run takes half the time.
const mock = createMockPlatform({ seed: 1 });
const { authorization: _authorization, paymentQuote: _paymentQuote, ...payment } = mock.payments.add();
const shapes: Readonly<Record<RecordName, object>> = {
  customer: mock.customers.add(),
  beneficiary: mock.beneficiaries.add(),
  payment,
};

/** A text in the personal data of every record. */
export const personalText = 'Personal Name';
/** How many requests endless lists respond to in one run: up to ten slices, each of which reads up to 1,000 pages. */
export const maxEndlessRequests = 12_000;

const partyStatuses: readonly string[] = ['PENDING_REVIEW', 'APPROVED', 'REJECTED', 'APPROVED'];
const [second, minute, day] = [1_000, 60_000, 86_400_000];

/** Returns the state of a record at a time; undefined before its creation and after it was deleted. */
export function versionAt({ versions }: SyncRecord, at: number): SyncRecord['versions'][number] | undefined {
  return versions.findLast((version) => version.at <= at);
}

/** A platform with the records of two organizations, which change by themselves. */
export class SyncPlatform {
  readonly records = new Map<string, SyncRecord>();
  /** Whether everything works: no faults, no stale or odd responses. */
  isCalm = false;
  /** Whether the lists of payments have no end. */
  isEndless = false;
  /** The requests to lists without an end. */
  endlessRequests = 0;
  /** The present key of each organization. */
  readonly keys = ['key-of-the-simulation-1', 'other-key-of-the-simulation'];
  readonly #oldKeys = new Map<string, number>();
  readonly #time: VirtualTime;
  readonly #settings: SyncSettings;
  readonly #random: RandomSource;
  readonly #trace: Trace;

  constructor(time: VirtualTime, settings: SyncSettings, random: RandomSource, trace: Trace) {
    this.#time = time;
    this.#settings = settings;
    this.#random = random;
    this.#trace = trace;
    for (const organization of [0, 1]) {
      const age = (): number => random.below(random.pick([30 * minute, 200 * day]));
      for (let count = random.below(settings.customers); count > -1; count -= 1)
        this.#add('customer', organization, { age: age() });
      for (let count = random.below(2 * settings.customers); count > 0; count -= 1)
        this.#add('beneficiary', organization, { age: age() });
      const instant = settings.instants ? age() : undefined;
      for (let count = random.below(settings.payments); count > 0; count -= 1)
        this.#add('payment', organization, {
          age: instant !== undefined && random.hits(0.7) ? instant : age(),
          status: random.pick([...Object.keys(nextStatuses), 'COMPLETED', 'COMPLETED', 'RETURNED']),
        });
    }
  }

  /** Changes records until a time. */
  async live(until: number): Promise<void> {
    const { changeInterval, instants } = this.#settings;
    const random = this.#random;
    for (;;) {
      await this.#time.wait(-Math.log(1 - random.next()) * changeInterval);
      if (this.#time.now() >= until) return;
      if (instants && random.hits(0.03))
        for (let count = 10 + random.below(20); count > 0; count -= 1) this.#add('payment', 0, {});
      else if (random.hits(0.25))
        this.#add(random.pick(['payment', 'payment', 'payment', 'beneficiary', 'customer']), 0);
      else this.#change();
    }
  }

  /** Replaces the key of the organization by a new one. */
  rotateKey(): void {
    this.#oldKeys.set(String(this.keys[0]), 0);
    this.keys[0] = `key-of-the-simulation-${this.#oldKeys.size + 1}`;
    this.#trace.add('platform', 'replaces the API key');
  }

  /** The records of the organization that exists, deleted ones included. */
  get own(): readonly SyncRecord[] {
    return [...this.records.values()].filter(({ organization }) => organization === 0);
  }

  /** Responds to a request. */
  respond(url: URL, key: string | null): { readonly status: number; readonly body: unknown } {
    const organization =
      this.keys.indexOf(String(key)) === -1 ? this.#oldKeys.get(String(key)) : this.keys.indexOf(String(key));
    if (organization === undefined) return { status: 401, body: { code: 'unauthorized', message: 'Wrong key' } };
    const [, , , name, customer, beneficiaries] = url.pathname.split('/');
    const seenAt = this.#view();
    if (name === 'customers' && customer !== undefined) {
      const found = this.#visible('customer', organization, seenAt).find(
        ({ row }) => row['id'] === decodeURIComponent(customer),
      );
      if (found === undefined) return { status: 404, body: { code: 'not_found', message: 'No such customer' } };
      if (beneficiaries === undefined) return { status: 200, body: found.row };
      const { trouble } = this.#settings;
      const isFirst = this.own.find(({ record }) => record === 'customer')?.id === found.row['id'];
      if (trouble !== undefined && !this.isCalm && isFirst)
        return { status: trouble, body: { code: 'failed', message: 'failed' } };
    }
    const record = name === 'payment' ? 'payment' : beneficiaries === undefined ? 'customer' : 'beneficiary';
    const rows = this.#visible(record, organization, seenAt).filter(
      ({ each, row }) =>
        (record !== 'beneficiary' || row['customerId'] === customer) && isSelected(each, row, url.searchParams),
    );
    return { status: 200, body: this.#page(record, rows, url.searchParams) };
  }

  #page(record: RecordName, rows: readonly Shown[], query: URLSearchParams): Row {
    const { pageSize, cursors, sort, unstorableRows, endlessLists } = this.#settings;
    const random = this.#random;
    const sorted = rows
      .map(({ row }) => ({ row, key: `${String(sort === 'id' ? row['id'] : row[sort])} ${String(row['id'])}` }))
      .toSorted((one, other) => (one.key < other.key ? 1 : -1));
    const cursor = query.get('cursor');
    const isEndless = this.isEndless && !this.isCalm && record === 'payment';
    const start =
      cursor === null || isEndless
        ? 0
        : cursors === 'offset'
          ? Number(cursor)
          : sorted.filter(({ key }) => key >= cursor).length;
    const end = start + Math.min(pageSize, Number(query.get('limit') ?? 25));
    const items: unknown[] = sorted.slice(start, end).map(({ row }) => row);
    if (!this.isCalm && random.hits(unstorableRows))
      items.push(random.pick([{ id: '' }, null, { id: 'pay\0' }, { id: 'x'.repeat(600) }, 7]));
    if (isEndless) {
      this.endlessRequests += 1;
      return {
        items: endlessLists === 'empty pages' ? [] : items,
        nextCursor: `endless-${this.endlessRequests}`,
        hasMore: true,
      };
    }
    const hasMore = end < sorted.length;
    return { items, nextCursor: hasMore ? (cursors === 'offset' ? String(end) : sorted[end - 1]?.key) : null, hasMore };
  }

  #visible(record: RecordName, organization: number, seenAt: (each: SyncRecord) => number): readonly Shown[] {
    return [...this.records.values()].flatMap((each) => {
      if (each.record !== record || each.organization !== organization) return [];
      const at = seenAt(each);
      const row = each.listed <= at ? versionAt(each, at)?.row : undefined;
      if (row === undefined) return [];
      // It is signed again for every response.
      const receiptUrl = record === 'payment' ? { receiptUrl: `https://files.example/${each.id}?signature=${at}` } : {};
      return [{ each, row: { ...row, ...receiptUrl } }];
    });
  }

  /** Returns the time at which a response shows each record: now, an earlier time, or for some rows before a change. */
  #view(): (each: SyncRecord) => number {
    const { staleness } = this.#settings;
    const now = this.#time.now();
    if (this.isCalm || staleness === 0) return () => now;
    const kind = this.#random.pick(['now', 'now', 'earlier', 'mixed']);
    const earlier = now - this.#random.below(staleness);
    if (kind !== 'mixed') return () => (kind === 'now' ? now : earlier);
    return ({ versions }) => {
      const changed = versions.at(-1)?.at ?? 0;
      return changed > now - staleness && versions.length > 1 && this.#random.hits(0.3) ? changed - 1 : now;
    };
  }

  #add(
    record: RecordName,
    organization: number,
    { age = 0, status = record === 'payment' ? 'PENDING_REVIEW' : 'APPROVED' }: { age?: number; status?: string } = {},
  ): void {
    const { lag, oddRecords } = this.#settings;
    const random = this.#random;
    const created = Math.floor(this.#time.now() - age);
    const id = `${record.slice(0, 3)}_${organization}_${this.records.size + 1}`;
    const customers = [...this.records.values()].filter(
      (each) =>
        each.record === 'customer' && each.organization === organization && each.versions.at(-1)?.row !== undefined,
    );
    const at = age === 0 ? created : created + Math.floor(random.below(Math.min(age, day)));
    const odd: Row = oddRecords && random.hits(0.2) ? random.pick(oddFields[record]) : {};
    const row: Row = {
      ...shapes[record],
      id,
      status,
      ...(record === 'customer' ? {} : { customerId: customers.length === 0 ? 'cus_none' : random.pick(customers).id }),
      ...(record === 'payment' ? {} : { companyName: personalText }),
      createdAt: new Date(created).toISOString(),
      updatedAt: new Date(at).toISOString(),
      revision: 1,
      ...odd,
    };
    const listed = created + (age === 0 ? random.below(lag) : 0);
    const isInRanges = !Number.isNaN(Date.parse(String(row['createdAt'])));
    this.records.set(`${record}:${id}`, {
      record,
      id,
      organization,
      created,
      listed,
      versions: [{ at: created, row }],
      isInRanges,
    });
    if (organization === 0) this.#trace.add('platform', `${id} ${status} ${JSON.stringify(odd)}`);
  }

  #change(): void {
    const random = this.#random;
    const { unknownStatuses, quietChanges } = this.#settings;
    const alive = this.own.filter(({ versions }) => versions.at(-1)?.row !== undefined);
    const open = alive.filter(({ versions }) => Object.hasOwn(nextStatuses, String(versions.at(-1)?.row?.['status'])));
    const changed = random.pick(open.length > 0 && random.hits(0.7) ? open : alive);
    const before = changed?.versions.at(-1);
    if (changed === undefined || before?.row === undefined) return;
    const at = Math.max(Math.floor(this.#time.now()), before.at + 1);
    if (random.hits(0.05)) {
      // The last customer stays, by which another key can be recognized.
      if (changed.record === 'customer') return;
      changed.versions.push({ at, row: undefined });
      this.#trace.add('platform', `deletes ${changed.id}`);
      return;
    }
    const status = String(before.row['status']);
    const next = (changed.record === 'payment' ? (nextStatuses[status] ?? []) : partyStatuses).filter(
      (each) => unknownStatuses || each !== 'ON_HOLD',
    );
    const customers = this.own.filter((each) => each.record === 'customer');
    const moved = changed.record === 'beneficiary' && random.hits(0.1) ? { customerId: random.pick(customers).id } : {};
    // Readings tell two states without a new `updatedAt` apart only if the state before is known by then.
    const isQuiet = quietChanges && random.hits(0.5) && at - before.at > 3 * minute;
    const row: Row = {
      ...before.row,
      ...moved,
      ...(next.length > 0 && random.hits(0.7) && !isQuiet ? { status: random.pick(next) } : {}),
      ...(isQuiet ? {} : { updatedAt: new Date(at).toISOString() }),
      revision: changed.versions.length + 1,
    };
    changed.versions.push({ at, row });
    this.#trace.add(
      'platform',
      `${changed.id} ${status} -> ${String(row['status'])}, revision ${String(row['revision'])}`,
    );
  }
}

interface Shown {
  readonly each: SyncRecord;
  readonly row: Row;
}

const oddFields: Readonly<Record<RecordName, readonly Row[]>> = {
  payment: [
    { createdAt: null },
    { createdAt: 'yesterday' },
    { createdAt: '0001-01-01T00:00:00.000Z' },
    { createdAt: '1969-12-31T23:59:59.000Z' },
    { customerId: '' },
    { customerId: '..' },
    { memo: 'a\0b\uD800' },
    { status: 'Y'.repeat(600) },
    { internalReference: { companyName: personalText } },
  ],
  customer: [{ createdAt: null }, { memo: 'a\0b' }],
  beneficiary: [{ createdAt: null }, { memo: 'a\0b' }],
};

function isSelected({ isInRanges }: SyncRecord, row: Row, query: URLSearchParams): boolean {
  const [status, from, to] = [query.get('status'), query.get('createdFrom'), query.get('createdTo')];
  const createdAt = Date.parse(String(row['createdAt']));
  return (
    (status === null || row['status'] === status) &&
    ((from === null && to === null) || isInRanges) &&
    (from === null || createdAt >= Date.parse(from)) &&
    (to === null || createdAt <= Date.parse(to))
  );
}

/** The time after which a list shows what has happened, whatever replica responds. */
export const settleTime = ({ lag, staleness, latency }: SyncSettings): number =>
  lag + staleness + 2 * latency + 5 * second;
