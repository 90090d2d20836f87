import { pageSize } from '../contract/schema/page.js';
import type { PaymentListParams } from '../contract/schema/payments.js';
import { parseTime } from '../contract/schema/time.js';
import { NotFoundError } from '../errors/api.js';
import { listPages, type PagePromise } from '../core/pagination.js';
import { idOf, type MirrorDifference } from './mirror.js';
import type { MirrorPartName, Pass, RecordName } from './tables.js';
import type { MirrorWriter, SyncSettings } from './writer.js';
import { openStatuses } from '../workflows/changes/tracker.js';
import { unusableRow, type WorkflowContext } from '../workflows/context.js';
import { PaymentExport } from '../workflows/export/export.js';
import type { TimeRange } from '../workflows/export/spans.js';
import type { ExportCheckpoint } from '../workflows/export/checkpoint.js';
import { lookupListOf } from '../workflows/lookup.js';
import { ageOf } from '../workflows/staleness.js';
import {
  earliestFilterTime,
  filterMargin,
  latestFilterTime,
  platformClockSpread,
  toFilterStart,
  toFilterTime,
  UnreadableTimeError,
} from '../workflows/platform-time.js';

/** What a slice of a part has read, beside the cursor of the part. */
interface Reading {
  /** If the round has ended: every record was read at this time or later; undefined if some may not have been. */
  readonly ended?: { readonly asOf: number | undefined; readonly isRepeated?: boolean };
  /** When the next slice is due, if the round goes on: at once if it is not spread over the interval. */
  readonly due?: number;
}

/** A part of the records. */
export interface Part {
  readonly name: MirrorPartName;
  /** Whether it is read at every poll. */
  readonly isPolled: boolean;
  /** Reads the next slice. */
  read(reader: PartReader): Promise<Reading>;
  /** Reads a slice again that could not be read, if the others do not wait for it. */
  retry?(reader: PartReader, slice: string): Promise<unknown>;
}

const paymentsPart = (name: 'recent' | 'older'): Part => ({
  name,
  isPolled: false,
  read: (reader) => reader.payments(name),
  retry: (reader, slice) => reader.paymentsOf(name, slice),
});

/** The parts, in the order in which those are read that are due at the same time. */
export const parts: readonly Part[] = [
  // All customers. A slice is the list, with the beneficiaries of the customers that changed or whose payments did.
  // Complete: a further reading of the list shows no more, and those that it does not show do not exist.
  { name: 'customers', isPolled: false, read: (reader) => reader.customers() },
  // The payments that were created since the last poll. Complete: the range did not change while it was read.
  { name: 'new', isPolled: true, read: (reader) => reader.newPayments() },
  // The payments in progress, and those that were returned within 30 days. A slice is a list for each status, and 50
  // groups of payments that no list shows. Complete: every payment in progress of the mirror was seen or looked up.
  { name: 'open', isPolled: true, read: (reader) => reader.openPayments() },
  // The payments of the recent window, and the older ones. A slice is 1,000 of them by creation time. Complete: no range
  // changed while it was read, and what a range does not show was looked up twice.
  paymentsPart('recent'),
  paymentsPart('older'),
  // The beneficiaries of each customer. A slice is the lists of as many customers as requests run at once. Complete: a
  // further reading of a list shows no more; one that no list shows in two rounds is missing.
  {
    name: 'beneficiaries',
    isPolled: false,
    read: (reader) => reader.beneficiaries(),
    retry: (reader, customer) => reader.beneficiariesOf(customer),
  },
];

const day = 24 * 60 * 60_000;
// How far the clock of creation times can be ahead, in milliseconds: as far as the client corrects its own clock.
const maxClockSkew = day;
// The payments of one slice, also of the first round, which knows none, and those that a response to a lookup should
// have at most.
const [paymentsPerSlice, firstPaymentsPerSlice, paymentsPerLookup] = [1_000, 10_000, 80];
// A poll looks up this many groups of payments that ended; the next poll continues with the others.
const maxLookups = 50;
// A round is finished in this part of its interval, without the longest delay between polls, so that it is never late.
const partOfInterval = 0.9;
const maxReadings = 5;
// How long after its creation a completed payment can be returned and is seen by the next poll; later, by the next
// round.
const returnWindow = 30 * day;
const maxOthers = 10;
// Payments are kept together in a slice if they were created within this time, in milliseconds: filters may compare
// seconds, and reach a second further.
const instantMargin = 3_000;

// A row that breaks the contract must not keep the others out of a mirror.
export const mode = { validation: 'observe', isBackground: true } as const;

type Fields = Readonly<Record<string, unknown>>;
type Pages = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;
type PassName = 'recent' | 'older' | 'beneficiaries';

/** A payment of the mirror, and its creation time; null if that cannot be read. */
interface KnownPayment {
  readonly id: string;
  readonly at: number | null;
}

/** The run that a reader reads for. */
export interface ReaderRun {
  /** The platform's time. */
  now(): number;
  /** Returns a function that returns the present time by that clock, as far as later responses correct it. */
  startTime(): () => number;
  /** Reads a slice. A failure of it is its problem, and makes the result false. */
  attempt(part: MirrorPartName, slice: string | null, read: () => Promise<unknown>): Promise<boolean>;
}

/**
 * Reads the parts of a platform's records into a mirror. A row proves that a record was in a state. That no row shows a
 * record proves nothing until a second, complete reading does not show it either, because rows can move between the
 * pages and the lists that are read.
 */
export class PartReader {
  readonly #context: WorkflowContext;
  readonly #writer: MirrorWriter;
  readonly #options: SyncSettings;
  readonly #run: ReaderRun;
  // The ranges of creation times whose payments have changed while they were read: more than what was seen may be in
  // them.
  readonly #unstable: TimeRange[] = [];
  // Whether the beneficiaries are read a second time at once.
  #isRepeated = false;
  // Whether a fill that did not end has stored records, which may be gone.
  readonly #hasStored: boolean;

  constructor(context: WorkflowContext, writer: MirrorWriter, options: SyncSettings, run: ReaderRun) {
    this.#context = context;
    this.#writer = writer;
    this.#options = options;
    this.#run = run;
    this.#hasStored = writer.last.position > 0;
  }

  /** Reads all customers, and the beneficiaries of those that changed or whose payments did. */
  async customers(): Promise<Reading> {
    const started = this.#run.startTime();
    const customers = await this.#listCustomers();
    if (customers === undefined) return {};
    if (this.#writer.state.filledAt !== undefined) await this.#changedBeneficiaries(customers);
    return { ended: { asOf: started() } };
  }

  // Returns the ids of all customers, or undefined if their list cannot be read.
  async #listCustomers(): Promise<ReadonlySet<string> | undefined> {
    const known = new Map((await this.#writer.query('customers')).map((row) => [String(row['id']), toKnown(row).at]));
    let rows: ReadonlyMap<string, unknown> = new Map();
    const isRead = await this.#run.attempt('customers', null, async () => {
      rows = await this.#readAll(() => this.#partyPages(), new Set(known.keys()));
      await this.#writer.apply('customer', [...rows.values()]);
    });
    if (!isRead) return undefined;
    // A replica that lags may not know a new customer.
    const border = this.#now() - this.#options.consistencyWindow;
    const unseen = [...known].filter(([id]) => !rows.has(id));
    await this.#forEach(unseen, ([id, at]) =>
      this.#run.attempt('customers', id, async () => {
        const customer = await this.#getCustomer(id);
        const isMissing = customer === undefined && Number(at) < border;
        await this.#writer.apply('customer', customer === undefined ? [] : [customer], isMissing ? [id] : []);
      }),
    );
    return new Set([...known.keys(), ...rows.keys()]);
  }

  /**
   * Reads the payments that were created since the last poll, in whatever status they are by now. A list may show one
   * later, so that earlier ones are read again: at every poll if one response has them, otherwise when the window is
   * over.
   */
  async newPayments(): Promise<Reading> {
    const started = this.#run.startTime();
    const { timing } = this.#context;
    const { consistencyWindow } = this.#options;
    const at = timing.now();
    // What was created before is read by the first rounds of the other parts, and creation times can be of another
    // clock than the one that is known.
    const first = Math.floor(started() - platformClockSpread);
    const begun = { listedUntil: first, created: { until: first, at, platformAt: started() } };
    const { listedUntil, created } = this.#writer.state.parts.new?.cursor ?? begun;
    // If it cannot be read, the next poll begins here.
    this.#writer.savePart('new', { cursor: { listedUntil, created } });
    // The clock of creation times shows at least this: what it has shown before, and the time that has passed since.
    const until = created.until + ageOf([created.at, at], [created.platformAt, started()]);
    const earliest = (): number => started() - platformClockSpread;
    const to = Math.floor(this.#now()) + maxClockSkew;
    const isLong = async (from: number): Promise<boolean> =>
      (await this.#writer.query('slice', from - filterMargin, to, paymentsPerLookup)).length > 0;
    const rereadFrom = secondBefore(listedUntil - consistencyWindow);
    const isRereadDue = until - listedUntil >= 2 * consistencyWindow;
    let from = Math.min(rereadFrom, secondBefore(earliest() - consistencyWindow));
    if (await isLong(from))
      from = isRereadDue || !(await isLong(rereadFrom)) ? rereadFrom : secondBefore(created.until);

    const unstable = this.#unstable.length;
    let newest = until;
    const isRead = await this.#run.attempt('new', null, () =>
      this.#range(from, to, (row) => {
        const time = parseTime(row['createdAt']);
        // The clock that wrote it may be wrong. Otherwise, it has shown this time by now.
        if (time <= this.#now()) newest = Math.max(newest, time - (this.#now() - started()));
      }),
    );
    if (!isRead) return {};
    const unread = this.#unstable.slice(unstable);
    newest = Math.floor(Math.min(Math.max(newest, earliest()), ...unread.map((range) => range.from)));
    const nextUntil = from <= rereadFrom ? newest : listedUntil;
    const nextCreated = { until: newest, at, platformAt: started() };
    this.#writer.savePart('new', { cursor: { listedUntil: nextUntil, created: nextCreated } });
    return { ended: { asOf: unread.length === 0 ? started() : undefined } };
  }

  /** Reads the payments in progress. */
  async openPayments(): Promise<Reading> {
    const started = this.#run.startTime();
    const open = await this.#writer.query('open');
    const listOf = new Map<string, PaymentListParams>();
    const moved = new Set<string>();
    const returnedSince = toFilterStart(this.#now() - returnWindow);
    const queries: PaymentListParams[] = openStatuses.map((status) => ({ status }));
    await this.#forEach([...queries, { status: 'RETURNED', createdFrom: returnedSince } as const], (query) =>
      this.#run.attempt('open', String(query.status), async () => {
        for await (const rows of this.#pages(query)) {
          assertFiltered(rows, query);
          for (const row of rows) {
            const id = idOf(row) ?? '';
            if ((listOf.get(id) ?? query) !== query) moved.add(id);
            listOf.set(id, query);
          }
          await this.#writer.apply('payment', rows);
        }
      }),
    );
    // A payment in two of these lists has changed meanwhile, and their responses have no order.
    const unseen = open.filter(({ id }) => !listOf.has(String(id)) || moved.has(String(id)));
    // Those that a list should have shown have changed. Others, in statuses that this version does not know, are never
    // in such a list, and must not keep those waiting: a poll continues behind those of the poll before.
    const isListed = ({ status }: Fields): boolean => openStatuses.some((each) => each === status);
    const listed = unseen.filter(isListed).map(toKnown);
    const before = this.#writer.state.parts.open?.cursor ?? {};
    const limit = this.#options.once ? Number.POSITIVE_INFINITY : maxLookups;
    // Without a creation time, only the whole list shows them, which is too long for a poll: the older part reads it.
    const others = unseen
      .filter((row) => !isListed(row))
      .map(toKnown)
      .filter(({ at }) => at !== null && at > (before.at ?? Number.NEGATIVE_INFINITY));
    let isRead = false;
    await this.#run.attempt('open', 'lookups', async () => {
      const unstable = this.#unstable.length;
      const isComplete = (await this.#lookUp(listed, limit)).length === listed.length;
      const done = await this.#lookUp(others, limit);
      isRead = isComplete && this.#unstable.length === unstable;
      const since = before.since ?? started();
      const cursor =
        done.length < others.length
          ? { asOf: before.asOf, at: Math.max(...done.map(({ at }) => Number(at))), since }
          : { asOf: isRead ? since : before.asOf };
      this.#writer.savePart('open', { cursor });
    });
    return { ended: { asOf: isRead ? this.#writer.state.parts.open?.cursor?.asOf : undefined } };
  }

  /** Reads the next payments of a round. The first one, which knows none, is one export, and its cursor a position. */
  async payments(name: 'recent' | 'older'): Promise<Reading> {
    const pass = this.#passOf(name);
    const unstable = this.#unstable.length;
    const from = Number(pass.at);
    let [end, count, { checkpoint }] = [pass.to, 0, pass];
    const next = (): Pass => {
      const isUnstable = pass.isUnstable === true || this.#unstable.length > unstable;
      return { ...pass, isUnstable, done: pass.done + count, checkpoint };
    };
    if (this.#writer.partOf(name).round > 0) {
      end = await this.#sliceEnd(from, pass.to, paymentsPerSlice, instantMargin);
      count = await this.paymentsOf(name, `${new Date(from).toISOString()}/${new Date(end).toISOString()}`);
      if (end >= pass.to && name === 'older') await this.paymentsOf(name, 'lookups');
    } else {
      const isRead = await this.#run.attempt(name, null, async () => {
        for await (const page of this.#exported(from, end, pass.startedAt, checkpoint)) {
          await this.#writer.apply('payment', page.items);
          count += page.items.length;
          checkpoint = page.checkpoint;
          this.#writer.savePart(name, { cursor: next() });
          if (count >= firstPaymentsPerSlice) return void (end = from);
        }
      });
      if (!isRead) return {};
    }
    return this.#after(name, { ...next(), at: end }, end >= pass.to);
  }

  /** Reads a range of payments, or those that no range has. Returns how many rows the range has. */
  async paymentsOf(name: 'recent' | 'older', slice: string): Promise<number> {
    const [from, to] = slice.split('/').map((time) => Date.parse(time));
    let count = 0;
    await this.#run.attempt(name, slice, async () => {
      if (to === undefined) await this.#lookUp((await this.#writer.query('untimed')).map(toKnown));
      else await this.#range(Number(from), to, () => (count += 1));
    });
    return count;
  }

  /** Reads the beneficiaries of the next customers of a round, by id. */
  async beneficiaries(): Promise<Reading> {
    const pass = this.#passOf('beneficiaries');
    const { concurrency } = this.#options;
    const rows = await this.#writer.query('nextCustomers', String(pass.at), concurrency);
    const customers = rows.map(({ id }) => String(id));
    await this.#forEach(customers, (each) => this.beneficiariesOf(each));
    const next = { ...pass, at: customers.at(-1) ?? '', done: pass.done + customers.length };
    if (customers.length === concurrency) return this.#after('beneficiaries', next, false);
    const { problems = {} } = this.#writer.state;
    if (Object.values(problems).every(({ part }) => part !== 'beneficiaries'))
      await this.#endBeneficiaries(this.#writer.partOf('beneficiaries').round);
    return this.#after('beneficiaries', next, true);
  }

  /** Reads the beneficiaries of a customer. */
  async beneficiariesOf(customer: string): Promise<boolean> {
    return this.#run.attempt('beneficiaries', customer, async () => {
      const known = new Set((await this.#writer.query('beneficiaries', customer)).map(({ id }) => String(id)));
      const rows = await this.#readBeneficiaries(customer, known);
      await this.#writer.apply('beneficiary', [...rows.values()], [], customer);
      this.#saveUnseen(
        rows.keys(),
        [...known].filter((id) => !rows.has(id)),
      );
    });
  }

  #passOf(name: PassName): Pass {
    const { cursor = this.#firstPass(name, 0) } = this.#writer.partOf(name);
    return cursor as Pass;
  }

  // The start of a round. To count its records, a table would be read whole: it has about those of the last one.
  #firstPass(name: PassName, spread: number): Pass {
    const { recentWindow, intervals } = this.#options;
    const startedAt = this.#now();
    const border = Math.floor(startedAt - recentWindow);
    // Payments leave the recent window while the older ones are read, but not in the first round, which reads them after
    // those.
    const isFirst = spread === 0 && this.#writer.partOf(name).round === 0;
    const isAfter = isFirst && this.#writer.partOf('recent').cursor !== undefined;
    const olderTo = isAfter ? border : border + intervals.older;
    const [at, to] = name === 'recent' ? [border, latestFilterTime] : [earliestFilterTime, olderTo];
    return { startedAt, at: name === 'beneficiaries' ? '' : at, to, spread, done: 0 };
  }

  // Saves what a slice of a round has read.
  #after(name: PassName, pass: Pass, isEnd: boolean): Reading {
    const { intervals, concurrency } = this.#options;
    const { state } = this.#writer;
    const isBeneficiaries = name === 'beneficiaries';
    // What the first of two rounds that are read at once has not seen is decided by the second one: of payments, the
    // first round of a mirror looks for none.
    const isUnseen = isBeneficiaries
      ? !this.#isRepeated && Object.keys(state.unseen ?? {}).length > 0
      : this.#options.full && this.#hasStored && this.#writer.partOf(name).round === 0;
    const isRepeated = isEnd && pass.spread === 0 && isUnseen;
    this.#isRepeated ||= isBeneficiaries && isRepeated;
    const available = partOfInterval * Math.max(1, intervals[name] - intervals.open);
    const next = isEnd ? this.#firstPass(name, isRepeated ? 0 : available / Math.max(1, pass.done)) : pass;
    this.#writer.savePart(name, { cursor: next });
    const share = next.spread * (next.done + (isBeneficiaries ? concurrency : paymentsPerSlice));
    const due = next.spread === 0 ? this.#now() : next.startedAt + Math.min(available, share);
    if (!isEnd) return { due };
    // A round reads the beneficiaries of known customers: not of those that were added since they were read.
    const customersAsOf = state.parts.customers?.asOf ?? Number.NaN;
    const asOf = isBeneficiaries ? Math.min(pass.startedAt, customersAsOf) : pass.startedAt;
    const isUnknown = pass.isUnstable === true || Number.isNaN(asOf);
    return { due, ended: { asOf: isUnknown ? undefined : asOf, isRepeated } };
  }

  // A beneficiary that no list has shown in a whole round is missing.
  async #endBeneficiaries(round: number): Promise<void> {
    const missing = Object.entries(this.#writer.state.unseen ?? {}).filter(([, since]) => since < round);
    const ids = missing.map(([id]) => id);
    if (ids.length > 0) await this.#writer.apply('beneficiary', [], ids);
    this.#saveUnseen(ids, []);
  }

  /**
   * Reads the records once more that a dry run has found to differ. Returns those that still do, if the mirror did not
   * change meanwhile.
   */
  async confirm(): Promise<readonly MirrorDifference[]> {
    const { differences } = this.#writer;
    let pending = new Map(differences);
    const confirmed: MirrorDifference[] = [];
    for (let reading = 0; reading < maxReadings && pending.size > 0; reading += 1) {
      differences.clear();
      const of = (kind: RecordName): MirrorDifference[] =>
        [...pending.values()].filter(({ record }) => record === kind);
      if (of('customer').length > 0) await this.#listCustomers();
      const customers = new Set(of('beneficiary').map(({ customer }) => String(customer)));
      await this.#forEach(customers, (customer) => this.beneficiariesOf(customer));
      await this.#endBeneficiaries(Number.POSITIVE_INFINITY);
      await this.#run.attempt('open', 'lookups', () => this.#lookUp(of('payment')));
      const again = [...differences].filter(([key]) => pending.has(key));
      const isSame = ([key, { position }]: (typeof again)[number]): boolean => pending.get(key)?.position === position;
      confirmed.push(...again.filter(isSame).map(([, difference]) => difference));
      pending = new Map(again.filter((each) => !isSame(each)));
    }
    return confirmed;
  }

  async #getCustomer(id: string): Promise<unknown> {
    try {
      return (await this.#context.sender.send('customers.get', { ids: { id } }, this.#options.request, mode)).data;
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  // The beneficiaries of customers that changed, or whose payments did, since these were read.
  async #changedBeneficiaries(customers: ReadonlySet<string>): Promise<void> {
    const position = this.#writer.last.position;
    const since = this.#writer.state.beneficiariesRead ?? 0;
    const rows = await this.#writer.query('toRead', since, since);
    // A dry run has not written the customers that are new. A payment can have another one, which does not exist.
    const found = [...this.#writer.differences.values()].filter(({ record }) => record === 'customer');
    const changed = new Set([...rows, ...found].map(({ id }) => String(id)));
    await this.#forEach(
      [...changed].filter((id) => customers.has(id)),
      (customer) => this.beneficiariesOf(customer),
    );
    this.#writer.save({ beneficiariesRead: position });
  }

  // A beneficiary that the list of its customer does not show may have moved to another customer, so that it is missing
  // only after a round over all customers that has begun since.
  #saveUnseen(shown: Iterable<string>, unseen: readonly string[]): void {
    const next = new Map(Object.entries(this.#writer.state.unseen ?? {}));
    const { round } = this.#writer.partOf('beneficiaries');
    for (const id of shown) next.delete(id);
    for (const id of unseen) if (!next.has(id)) next.set(id, round);
    this.#writer.save({ unseen: Object.fromEntries(next) });
  }

  async #readBeneficiaries(customer: string, known: ReadonlySet<string>): Promise<ReadonlyMap<string, unknown>> {
    try {
      return await this.#readAll(() => this.#partyPages(customer), known);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      const found = await this.#getCustomer(customer);
      const age = this.#now() - parseTime((Object(found) as Fields)['createdAt']);
      // A replica that lags does not know a new customer, such as maybe one without a readable creation time.
      if (found !== undefined && age >= this.#options.consistencyWindow) throw error;
      return new Map();
    }
  }

  // Looks up payments by their creation time. Those that two readings do not show are no longer listed.
  // Returns the payments that were looked up.
  async #lookUp(payments: readonly KnownPayment[], limit = Number.POSITIVE_INFINITY): Promise<readonly KnownPayment[]> {
    const seen = new Set<string>();
    const read = async (range: Pages): Promise<void> => {
      for await (const rows of range) {
        for (const row of rows) seen.add(idOf(row) ?? '');
        await this.#writer.apply('payment', rows);
      }
    };
    const unseen = (those: readonly KnownPayment[]): KnownPayment[] => those.filter(({ id }) => !seen.has(id));
    const lookedUp = await this.#readGroups(payments, read, limit);
    // A list that lags may not show a new payment.
    const border = this.#now() - this.#options.consistencyWindow;
    const suspects = unseen(lookedUp).filter(({ at }) => Number(at) < border && !this.#isUnstable(at));
    await this.#readGroups(suspects, read);
    const missing = unseen(suspects).filter(({ at }) => !this.#isUnstable(at));
    const ids = missing.map(({ id }) => id);
    if (ids.length > 0) await this.#writer.apply('payment', [], ids);
    return lookedUp;
  }

  #isUnstable(at: number | null): boolean {
    return this.#unstable.some(({ from, to }) => at !== null && at >= from && at < to);
  }

  // Reads payments that were created about the same time together. Returns those of the groups that were read.
  async #readGroups(
    payments: readonly KnownPayment[],
    read: (range: Pages) => Promise<void>,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<readonly KnownPayment[]> {
    let rest = payments.filter(({ at }) => at !== null).toSorted((one, other) => Number(one.at) - Number(other.at));
    // Only the whole list shows a payment whose creation time cannot be read.
    const done = payments.filter(({ at }) => at === null);
    if (done.length > 0) await read(this.#pages({}));
    for (let groups = 0; groups < limit; groups += 1) {
      const [first] = rest;
      if (first === undefined) break;
      const from = Number(first.at);
      const end = await this.#sliceEnd(from, latestFilterTime, paymentsPerLookup);
      const group = rest.filter(({ at }) => Number(at) < end);
      rest = rest.slice(group.length);
      await read(this.#inRange(from, Number(group.at(-1)?.at) + 1));
      done.push(...group);
    }
    return done;
  }

  // Reads a range of creation times. Payments of the mirror that it does not show are looked up.
  async #range(from: number, to: number, onRow: (row: Fields) => void = () => {}): Promise<void> {
    const known = (await this.#writer.query('known', from, to)).map(toKnown);
    const seen = new Set<string>();
    for await (const rows of this.#inRange(from, to)) {
      for (const row of rows) {
        seen.add(idOf(row) ?? '');
        onRow(Object(row) as Fields);
      }
      await this.#writer.apply('payment', rows);
    }
    await this.#lookUp(known.filter(({ id, at }) => !seen.has(id) && !this.#isUnstable(at)));
  }

  async *#inRange(from: number, to: number): AsyncGenerator<readonly unknown[], void, undefined> {
    for await (const { items } of this.#exported(from, to, this.#now())) yield items;
  }

  // Reads a range of creation times. Hardly any payment is dated later than `now`, and an empty time must not be split.
  async *#exported(from: number, to: number, now: number, checkpoint?: unknown) {
    const border = Math.floor(now) + maxClockSkew;
    const ends = from < border && border < to ? [border, to] : [to];
    let last = checkpoint;
    for (const [index, end] of ends.entries())
      for await (const page of this.#export(
        queryOf(index === 0 ? from : border, end),
        index === 0 ? last : undefined,
      )) {
        if (index === 0) last = page.checkpoint;
        yield { items: page.items, checkpoint: last };
      }
  }

  async *#export(query: { readonly createdFrom?: string; readonly createdTo: string }, checkpoint: unknown) {
    const { concurrency, consistencyWindow, request } = this.#options;
    const options = { ...request, concurrency, consistencyWindow, checkpoint: checkpoint as ExportCheckpoint };
    // Rows that belong to no time range: none keeps the others out.
    const unassigned: unknown[] = [];
    const handlers = {
      onUnassigned: (row: unknown) => unassigned.push(row),
      onUnstable: (span: TimeRange) => this.#unstable.push(span),
    };
    try {
      const pages = new PaymentExport(this.#context, query, options, handlers).pages();
      for await (const { items, checkpoint: next } of pages)
        yield { items: [...items, ...unassigned.splice(0)], checkpoint: next as unknown };
      if (unassigned.length > 0) yield { items: unassigned, checkpoint };
    } catch (error) {
      if (!(error instanceof UnreadableTimeError)) throw error;
      // An export needs the creation times. Without them, only the whole list shows all payments.
      const pages = (): Pages => this.#pages(query.createdFrom === undefined ? {} : query);
      for await (const page of this.#readings(pages, new Set())) yield { items: page, checkpoint };
    }
  }

  #pages(query: PaymentListParams): Pages {
    const { request } = this.#options;
    return pagesOf(lookupListOf(this.#context.sender, mode)({ limit: pageSize.largest, ...query }, request));
  }

  // The customers, or the beneficiaries of one.
  #partyPages(customerId?: string): Pages {
    const { sender } = this.#context;
    const { request } = this.#options;
    const query = largestPage;
    if (customerId === undefined) return pagesOf(listPages(sender, 'customers.list', { query }, request, 'id', mode));
    const input = { ids: { customerId }, query };
    return pagesOf(listPages(sender, 'customers.beneficiaries', input, request, 'id', mode));
  }

  async #readAll(pages: () => Pages, known: ReadonlySet<string>): Promise<ReadonlyMap<string, unknown>> {
    const rows = new Map<string, unknown>();
    for await (const page of this.#readings(pages, known)) for (const row of page) rows.set(idOf(row) ?? '', row);
    return rows;
  }

  // Reads a list until it is complete: until one response has it all, or a further reading shows no more, because rows
  // can move between pages. A record that is known and not shown is worth a further reading, too.
  async *#readings(
    pages: () => Pages,
    known: ReadonlySet<string>,
  ): AsyncGenerator<readonly unknown[], void, undefined> {
    const seen = new Set<string>();
    for (let reading = 1; reading <= maxReadings; reading += 1) {
      let [responses, hasNew] = [0, false];
      for await (const page of pages()) {
        responses += 1;
        for (const row of page) {
          const id = idOf(row) ?? '';
          hasNew ||= !seen.has(id) && !known.has(id);
          seen.add(id);
        }
        yield page;
      }
      const isComplete = [...known].every((id) => seen.has(id));
      if (isComplete ? responses === 1 || !hasNew : reading > 1 && !hasNew) break;
    }
  }

  // Returns the creation time up to which about `count` payments were created. `margin` keeps payments of one instant in
  // one slice: the filters reach further than a range.
  async #sliceEnd(from: number, to: number, count: number, margin = 0): Promise<number> {
    const [row] = await this.#writer.query('slice', from, to, count);
    // At least a millisecond, in which all these payments may have been created.
    return row === undefined ? to : Math.min(to, Math.max(from + 1, Number(row['created_time']) + margin));
  }

  // Works on several at once. Waits for those that have begun before it rejects.
  async #forEach<T>(all: Iterable<T>, read: (each: T) => Promise<unknown>): Promise<void> {
    // The loop that rejects ends the generator, and with it the others.
    const left = (function* () {
      yield* all;
    })();
    const worker = async (): Promise<void> => {
      for (const each of left) await read(each);
    };
    const workers = await Promise.allSettled(Array.from({ length: this.#options.concurrency }, worker));
    for (const result of workers) if (result.status === 'rejected') throw result.reason;
  }

  #now(): number {
    return this.#run.now();
  }
}

const largestPage: { readonly limit: number; readonly cursor?: string | undefined } = { limit: pageSize.largest };

// A creation time can have whole seconds, and the clocks of several machines hardly differ.
const secondBefore = (time: number): number => Math.max(0, Math.floor(time / 1_000 - 1) * 1_000);

// Without a start, the list shows payments that were created before the filters can say.
function queryOf(from: number, to: number): { readonly createdFrom?: string; readonly createdTo: string } {
  const createdTo = toFilterTime(to - 1);
  return from <= earliestFilterTime ? { createdTo } : { createdFrom: toFilterTime(from), createdTo };
}

function toKnown({ id, created_time: at }: Fields): KnownPayment {
  return { id: String(id), at: at === null ? null : Number(at) };
}

async function* pagesOf<T>(list: PagePromise<T>): AsyncGenerator<readonly T[], void, undefined> {
  for await (const { items } of list.pages()) yield items;
}

// A status can change between the filter and the response, but not those of a whole page.
function assertFiltered(rows: readonly unknown[], { status }: PaymentListParams): void {
  const others = rows.filter((row) => (Object(row) as Fields)['status'] !== status);
  if (others.length > rows.length / 2 && others.length > maxOthers)
    throw unusableRow(
      `the platform ignores the filter status: a list of ${status} has ${others.length} payments of other statuses. ` +
        'Check dialect.filterNames',
      [{ path: 'status', message: 'must be the status of the filter' }],
    );
}
