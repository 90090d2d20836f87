import { pageSize } from '../contract/schema/page.js';
import type { PaymentListParams } from '../contract/schema/payments.js';
import { parseTime } from '../contract/schema/time.js';
import {
  ConfigurationError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  PaginationError,
} from '../errors/api.js';
import { listPages, type PagePromise } from '../core/pagination.js';
import { idOf, type HeldRecord, type Mirror, type MirrorDifference, type MirrorState } from './mirror.js';
import type { Scan, SyncState } from './tables.js';
import { keyOf, MirrorWriter, type WriterOptions } from './writer.js';
import type { ClockReading } from '../transport/clock.js';
import type { RequestOptions } from '../transport/request-options.js';
import { hasStoredRecord, type StoredRecords } from '../workflows/account.js';
import { openStatuses } from '../workflows/changes/tracker.js';
import type { WorkflowContext } from '../workflows/context.js';
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

const day = 24 * 60 * 60_000;
// How far the clock of creation times can be ahead, in milliseconds: as far as the client corrects its own clock.
const maxClockSkew = day;
// The payments of one step of a pass, and those that a response to a lookup should have at most.
const [paymentsPerStep, paymentsPerLookup] = [1_000, 80];
// A poll looks up this many groups of payments that ended; the next poll continues with the others.
const maxLookups = 50;
// A pass is finished in this part of its interval, without the longest delay between polls, so that it is never late.
const partOfInterval = 0.9;
const maxReadings = 5;
// The customers, and the payments, that are requested at most to verify another API key.
const recordsToVerify = 3;

// A row that breaks the contract must not keep the others out of a mirror.
const mode = { validation: 'observe', isBackground: true } as const;

/** The passes over many records, in the order in which a poll continues them. */
type PassName = keyof SyncState['scans'];
const passNames: readonly PassName[] = ['recent', 'older', 'beneficiaries'];

// What the time as of which payments in progress were read depends on.
type OpenPart = keyof NonNullable<SyncState['reached']>;
const openParts: readonly OpenPart[] = ['new', 'listed', 'others'];

/** The options of a run. */
export interface SyncRunOptions {
  /** In milliseconds. */
  readonly consistencyWindow: number;
  readonly recentWindow: number;
  /** How often each part is read, in milliseconds. */
  readonly intervals: Readonly<Record<keyof SyncState['parts'], number>>;
  readonly concurrency: number;
  readonly once: boolean;
  readonly full: boolean;
  /** Whether the customers are read, also if they are not due. */
  readonly readsCustomers: boolean;
  readonly dryRun: boolean;
  readonly request: RequestOptions;
  /** Called after each batch with its records, and the differences that it had. */
  readonly onBatch: WriterOptions['onBatch'];
}

type Fields = Readonly<Record<string, unknown>>;
type Pages = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;

/** A payment of the mirror, and its creation time; null if that cannot be read. */
interface KnownPayment {
  readonly id: string;
  readonly at: number | null;
}

/**
 * Reads the platform and brings the mirror up to date, as the process of one epoch. A row proves that a record was in a
 * state. That no row shows a record proves nothing until a second, complete reading does not show it either, because
 * rows can move between the pages and the lists that are read.
 */
export class SyncRun {
  readonly #context: WorkflowContext;
  readonly #writer: MirrorWriter;
  readonly #options: SyncRunOptions;
  #hasReadCustomers = false;
  // What the clocks have shown since the last response, before this machine's was set.
  #clocks: ClockReading;
  // The ranges of creation times whose payments have changed while they were read: more than what was seen may be in
  // them.
  readonly #unstable: TimeRange[] = [];
  // The customers whose beneficiaries could not be read.
  #unreadable = 0;

  constructor(context: WorkflowContext, mirror: Mirror, options: SyncRunOptions, state: MirrorState) {
    const { consistencyWindow, dryRun, intervals, request, onBatch } = options;
    // What was not seen for longer than a full pass takes is gone.
    const limits = { consistencyWindow, memory: 2 * intervals.older };
    const now = (): number => this.#now();
    this.#context = context;
    this.#options = options;
    this.#clocks = context.clock.read();
    this.#writer = new MirrorWriter(
      context,
      mirror,
      { ...limits, dryRun, signal: request.signal, now, onBatch },
      state,
    );
  }

  /** The records that may be stale, and are not written. */
  get heldBack(): readonly HeldRecord[] {
    return this.#writer.heldBack;
  }

  /** Renews the lease, and stores how far the passes are. */
  renew(): Promise<void> {
    return this.#writer.renew();
  }

  /**
   * Stores how far the passes are and, if it is known, after which delay the next poll is due, and lets others work.
   */
  release(delay: number | undefined, signal: AbortSignal): Promise<void> {
    return this.#writer.release(delay, signal);
  }

  /**
   * Verifies that the account is the one that the mirror belongs to: by its API key, or by a record that is stored and
   * that another key shows, too.
   */
  async verifyAccount(): Promise<void> {
    const { authenticator, options } = this.#context;
    const account = await authenticator.fingerprint(await authenticator.apiKey(), options.baseUrl);
    if (account === this.#writer.state.account) return;
    const customers = (await this.#writer.query('someCustomers', recordsToVerify)).map(({ id }) => String(id));
    const payments = (await this.#writer.query('somePayments', recordsToVerify)).map(toKnown);
    if (customers.length + payments.length === 0) {
      // What was read of another account, which had no record, says nothing of this one.
      if (!this.#options.dryRun) this.#writer.reset();
    } else {
      const stored: StoredRecords = {
        customers,
        payments: payments.flatMap(({ at }) => at ?? []),
        has: async (record, rows) => {
          const ids = JSON.stringify(rows.flatMap((row) => idOf(row) ?? []));
          return (await this.#writer.query(`stored_${record}`, ids)).length > 0;
        },
      };
      if (!(await hasStoredRecord(this.#context.sender, stored, this.#options.request, mode)))
        throw new ConfigurationError(
          'corridor.sync: the mirror belongs to another organization: the API key is not the one that it was ' +
            'filled with, and the platform lists none of its customers and payments for it. Pass the key of ' +
            'the organization of the mirror, or use one mirror per platform and organization',
          { endpoint },
        );
    }
    this.#writer.save({ account });
  }

  /** Fills the mirror, or continues to. */
  async fill(): Promise<void> {
    if (this.#writer.state.filledAt !== undefined) return;
    if (this.#writer.state.fill === undefined) {
      const started = this.#startTime();
      await this.#customers(started);
      this.#writer.save({
        fill: {
          startedAt: started(),
          // Creation times can be of another clock than the one that is known.
          listedUntil: Math.floor(this.#now() - platformClockSpread),
          until: this.#now() + maxClockSkew,
          customer: '',
        },
      });
    }
    // Payments that are created while it fills can be in a part that was read already: the first poll lists them.
    const { startedAt, listedUntil, until } = this.#fillState;
    for (
      let customer: string | undefined;
      (customer = await this.#beneficiariesAfter(this.#fillState.customer)) !== undefined;
    )
      this.#writer.save({ fill: { ...this.#fillState, customer } });
    const stored = this.#fillState.payments as ExportCheckpoint | undefined;
    for await (const { items, checkpoint } of this.#exported({ createdTo: toFilterTime(until) }, stored))
      await this.#writer.apply('payment', items, [], { fill: { ...this.#fillState, payments: checkpoint } });
    this.#writer.endFill();
    // No pass has more payments than were filled.
    const customers = (await this.#writer.query('customers')).length;
    for (const name of passNames)
      this.#startScan(name, startedAt, name === 'beneficiaries' ? customers : this.#writer.sequence);
    const filled = passNames.map((name) => [name, { asOf: startedAt, due: startedAt + this.#options.intervals[name] }]);
    const parts = { ...this.#writer.state.parts, ...(Object.fromEntries(filled) as SyncState['parts']) };
    const filledAt = this.#now();
    const [filledSequence, beneficiariesRead] = [this.#writer.sequence, this.#writer.position];
    this.#writer.save({ filledAt, filledSequence, listedUntil, beneficiariesRead, parts, lastFullPass: filledAt });
  }

  /** Reads what is due, or everything. Writes the differences as changes. */
  async poll(): Promise<void> {
    const { full, readsCustomers, intervals } = this.#options;
    const started = this.#startTime();
    const dueIn = (this.#writer.state.parts.customers?.due ?? started()) - started();
    this.#writer.isVerifying = true;
    // A clock that was set back must not stop the passes.
    if ((readsCustomers && !this.#hasReadCustomers) || dueIn <= 0 || dueIn > intervals.customers) {
      await this.#customers(started);
      await this.#changedBeneficiaries();
    }
    this.#writer.isVerifying = full;
    await this.#newPayments(started);
    await this.#openPayments(started);
    const { reached = {} } = this.#writer.state;
    const asOf = Math.min(...openParts.map((name) => reached[name]?.asOf ?? Number.NEGATIVE_INFINITY));
    if (Number.isFinite(asOf)) this.#part('open', asOf);
    this.#writer.isVerifying = true;
    for (const name of passNames) {
      if (full) this.#startScan(name, started(), this.#writer.state.scans[name]?.total ?? 0);
      await this.#scan(name);
    }
  }

  /** Reads records that differ once more. Returns those that still do, if the mirror did not change meanwhile. */
  async confirm(found: readonly MirrorDifference[]): Promise<readonly MirrorDifference[]> {
    let pending = found;
    const confirmed: MirrorDifference[] = [];
    for (let reading = 0; reading < maxReadings; reading += 1) {
      const positions = new Map(pending.map((difference) => [keyOf(difference), difference.position]));
      const isSame = (difference: MirrorDifference): boolean =>
        positions.get(keyOf(difference)) === difference.position;
      const again = await this.#readAgain(pending);
      confirmed.push(...again.filter(isSame));
      pending = again.filter((difference) => !isSame(difference));
    }
    return confirmed;
  }

  async #readAgain(found: readonly MirrorDifference[]): Promise<readonly MirrorDifference[]> {
    const differences: MirrorDifference[] = [];
    for (const record of ['customer', 'beneficiary', 'payment'] as const) {
      const ids = found.filter((each) => each.record === record).map(({ id }) => id);
      if (ids.length === 0) continue;
      const stored = await this.#writer.query(`stored_${record}`, JSON.stringify(ids));
      const known = new Map(stored.map((row) => [String(row['id']), row]));
      const rows = new Map<string, unknown>();
      const add = async (pages: Pages): Promise<void> => {
        for await (const page of pages) for (const row of page) rows.set(idOf(row) ?? '', row);
      };
      const shown = (id: string): Fields => this.#writer.shown.get(keyOf({ record, id })) ?? {};
      if (record === 'customer') await add(this.#customerPages());
      if (record === 'beneficiary') {
        const customers = ids.map((id) => known.get(id)?.['customer_id'] ?? shown(id)['customerId']);
        for (const customer of new Set(customers.map(String)))
          await add([[...(await this.#readBeneficiaries(customer, new Set())).values()]]);
      }
      if (record === 'payment') {
        const payments = ids.map((id): KnownPayment => {
          const row = known.get(id);
          return row === undefined ? { id, at: parseTime(shown(id)['createdAt']) || null } : toKnown(row);
        });
        await this.#readGroups(payments, add);
      }
      const values = ids.flatMap((id) => (rows.has(id) ? [rows.get(id) as Fields] : []));
      const missing = ids.filter((id) => !rows.has(id));
      differences.push(...(await this.#writer.compare({ record, values, missing })));
    }
    return differences;
  }

  async #customers(started: () => number): Promise<void> {
    const known = new Map((await this.#writer.query('customers')).map((row) => [String(row['id']), toKnown(row).at]));
    const rows = await this.#readAll(() => this.#customerPages(), new Set(known.keys()));
    const missing: string[] = [];
    const found: unknown[] = [];
    // A replica that lags may not know a new customer.
    const border = this.#now() - this.#options.consistencyWindow;
    for (const [id, at] of known) {
      if (rows.has(id)) continue;
      const customer = await this.#getCustomer(id);
      if (customer !== undefined) found.push(customer);
      else if (Number(at) < border) missing.push(id);
    }
    await this.#writer.apply('customer', [...rows.values(), ...found], missing);
    this.#part('customers', started());
    this.#hasReadCustomers = true;
  }

  async #getCustomer(id: string): Promise<unknown> {
    try {
      return (await this.#context.sender.send('customers.get', { ids: { id } }, this.#options.request, mode)).data;
    } catch (error) {
      // No path can contain the id.
      if (error instanceof NotFoundError || error instanceof InvalidRequestError) return undefined;
      throw error;
    }
  }

  // The beneficiaries of customers that changed, or whose payments did, since these were read.
  async #changedBeneficiaries(): Promise<void> {
    const position = this.#writer.position;
    const since = this.#writer.state.beneficiariesRead ?? 0;
    const rows = await this.#writer.query('toRead', since, since);
    // A dry run has not written the customers that are new.
    const shown = [...this.#writer.shown.keys()].flatMap((key) => (key.startsWith('customer:') ? key.slice(9) : []));
    const changed = rows.map(({ id }) => String(id));
    await this.#forEach(new Set([...changed, ...shown]), (customer) => this.#beneficiariesOf(customer));
    this.#writer.save({ beneficiariesRead: position });
  }

  async #beneficiariesOf(customer: string): Promise<void> {
    const known = new Set((await this.#writer.query('beneficiaries', customer)).map(({ id }) => String(id)));
    const rows = await this.#readBeneficiaries(customer, known).catch((error: unknown) => {
      if (!(error instanceof InvalidRequestError || error instanceof PaginationError)) throw error;
      this.#writer.addUnstored(
        'beneficiary',
        customer,
        `the beneficiaries of this customer cannot be read: ${error.message}`,
      );
    });
    if (rows === undefined) {
      this.#unreadable += 1;
      return;
    }
    this.#writer.removeUnstored('beneficiary', customer);
    await this.#writer.apply('beneficiary', [...rows.values()], [], {}, customer);
    this.#saveUnseen(
      rows.keys(),
      [...known].filter((id) => !rows.has(id)),
    );
  }

  // A beneficiary that the list of its customer does not show may have moved to another customer, so that it is missing
  // only after a pass over all customers that has begun since.
  #saveUnseen(shown: Iterable<string>, unseen: readonly string[]): void {
    const next = new Map(Object.entries(this.#writer.state.unseen ?? {}));
    const round = this.#writer.state.scans.beneficiaries?.round ?? 0;
    for (const id of shown) next.delete(id);
    for (const id of unseen) if (!next.has(id)) next.set(id, round);
    this.#writer.save({ unseen: Object.fromEntries(next) });
  }

  async #applyUnseen({ round }: Scan): Promise<void> {
    const missing = Object.entries(this.#writer.state.unseen ?? {}).filter(([, since]) => since < round);
    const ids = missing.map(([id]) => id);
    if (ids.length > 0) await this.#writer.apply('beneficiary', [], ids);
    this.#saveUnseen(ids, []);
  }

  async #readBeneficiaries(customer: string, known: ReadonlySet<string>): Promise<ReadonlyMap<string, unknown>> {
    try {
      return await this.#readAll(() => this.#beneficiaryPages(customer), known);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      const found = await this.#getCustomer(customer);
      const age = this.#now() - parseTime((Object(found) as Fields)['createdAt']);
      // A replica that lags does not know a new customer, such as maybe one without a readable creation time.
      if (found !== undefined && age >= this.#options.consistencyWindow) throw error;
      return new Map();
    }
  }

  // `total` is about how many records the pass will read: to count them, a table would be read whole.
  #startScan(name: PassName, startedAt: number, total: number): void {
    const { recentWindow, intervals } = this.#options;
    const border = Math.floor(this.#now() - recentWindow);
    // Payments leave the recent window while the older ones are read.
    const [from, to] = name === 'recent' ? [border, latestFilterTime] : [earliestFilterTime, border + intervals.older];
    const cursor = name === 'beneficiaries' ? '' : from;
    const round = (this.#writer.state.scans[name]?.round ?? 0) + 1;
    const scan: Scan = { startedAt, cursor, total, done: 0, to, round };
    this.#writer.save({ scans: { ...this.#writer.state.scans, [name]: scan } });
  }

  // Continues a pass as far as it must have come by now. Starts the next one when it has ended.
  async #scan(name: PassName): Promise<void> {
    const { intervals } = this.#options;
    const available = partOfInterval * Math.max(1, intervals[name] - intervals.open);
    const size = name === 'beneficiaries' ? this.#options.concurrency : paymentsPerStep;
    let isLast = name !== 'beneficiaries' || !this.#options.full;
    for (;;) {
      const scan = this.#writer.state.scans[name] as Scan;
      const elapsed = Math.abs(this.#now() - scan.startedAt) / available;
      const part = Math.min(1, (scan.done + size) / Math.max(1, scan.total));
      if (!this.#options.full && part > elapsed) return;
      const unstable = this.#unstable.length + this.#unreadable;
      const cursor = await (name === 'beneficiaries'
        ? this.#beneficiariesAfter(String(scan.cursor))
        : this.#scanPayments(scan));
      if (cursor === undefined) {
        if (name === 'older') await this.#lookUp((await this.#writer.query('untimed')).map(toKnown));
        if (scan.isPartial !== true) {
          if (name === 'beneficiaries') await this.#applyUnseen(scan);
          // A pass reads the beneficiaries of known customers: not of those that were added since they were read.
          const known = name === 'beneficiaries' ? (this.#writer.state.parts.customers?.asOf ?? 0) : scan.startedAt;
          this.#part(name, Math.min(scan.startedAt, known));
          if (name === 'older') this.#writer.save({ lastFullPass: this.#now() });
        }
        this.#startScan(name, this.#now(), scan.done);
        // What this pass has not seen is decided by a second one.
        if (isLast || Object.keys(this.#writer.state.unseen ?? {}).length === 0) return;
        isLast = true;
        continue;
      }
      const isPartial = scan.isPartial === true || this.#unstable.length + this.#unreadable > unstable;
      const next = { ...scan, cursor, done: scan.done + size, isPartial };
      this.#writer.save({ scans: { ...this.#writer.state.scans, [name]: next } });
    }
  }

  // Reads the beneficiaries of the next customers by id. Returns the last one; undefined if there are no more.
  async #beneficiariesAfter(customer: string): Promise<string | undefined> {
    const rows = await this.#writer.query('nextCustomers', customer, this.#options.concurrency);
    const customers = rows.map(({ id }) => String(id));
    await this.#forEach(customers, (each) => this.#beneficiariesOf(each));
    return customers.at(-1);
  }

  async #scanPayments({ cursor, to }: Scan): Promise<number | undefined> {
    if (Number(cursor) >= to) return undefined;
    const next = await this.#sliceEnd(Number(cursor), to, paymentsPerStep);
    await this.#range(Number(cursor), next);
    return next;
  }

  // The payments that were created since the last poll, in whatever status they are by now. A list may show one later,
  // so that earlier ones are read again: at every poll if one response has them, otherwise when the window is over.
  async #newPayments(started: () => number): Promise<void> {
    const { timing } = this.#context;
    const { consistencyWindow } = this.#options;
    const { listedUntil = 0, created = { until: listedUntil, at: Infinity, platformAt: Infinity } } =
      this.#writer.state;
    const at = timing.now();
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
    await this.#range(from, to, (row) => {
      const time = parseTime(row['createdAt']);
      // The clock that wrote it may be wrong. Otherwise, it has shown this time by now.
      if (time <= this.#now()) newest = Math.max(newest, time - (this.#now() - started()));
    });
    const unread = this.#unstable.slice(unstable);
    if (unread.length === 0) this.#reached('new', { asOf: started() });
    newest = Math.floor(Math.min(Math.max(newest, earliest()), ...unread.map((range) => range.from)));
    this.#writer.save({ created: { until: newest, at, platformAt: started() } });
    if (from <= rereadFrom) this.#writer.save({ listedUntil: newest });
  }

  async #openPayments(started: () => number): Promise<void> {
    const open = await this.#writer.query('open');
    const listOf = new Map<string, PaymentListParams>();
    const moved = new Set<string>();
    const returnedSince = toFilterStart(this.#now() - returnWindow);
    const queries: PaymentListParams[] = openStatuses.map((status) => ({ status }));
    await this.#forEach([...queries, { status: 'RETURNED', createdFrom: returnedSince } as const], async (query) => {
      for await (const rows of this.#pages(query)) {
        assertFiltered(rows, query);
        for (const row of rows) {
          const id = idOf(row) ?? '';
          if ((listOf.get(id) ?? query) !== query) moved.add(id);
          listOf.set(id, query);
        }
        await this.#writer.apply('payment', rows);
      }
    });
    // A payment in two of these lists has changed meanwhile, and their responses have no order.
    const unseen = open.filter(({ id }) => !listOf.has(String(id)) || moved.has(String(id)));
    // Those that a list should have shown have changed. Others, in statuses that this version does not know, are never
    // in such a list, and must not keep those waiting.
    const isListed = ({ status }: Fields): boolean => openStatuses.some((each) => each === status);
    await this.#lookUpNext('listed', unseen.filter(isListed).map(toKnown), started);
    const others = unseen.filter((row) => !isListed(row)).map(toKnown);
    // The whole list is too long to be read at every poll.
    const { once, intervals } = this.#options;
    const isDue = once || Math.abs(started() - (this.#writer.state.wholeListAt ?? 0)) >= intervals.recent;
    await this.#lookUpNext('others', isDue ? others : others.filter(({ at }) => at !== null), started);
  }

  // Looks up as many payments as a poll may. The next poll continues behind them, and begins again after the last one.
  async #lookUpNext(name: OpenPart, payments: readonly KnownPayment[], started: () => number): Promise<void> {
    const { asOf, cursor, since = started() } = this.#writer.state.reached?.[name] ?? {};
    const next = payments.filter(({ at }) => cursor === undefined || at === null || at > cursor);
    const unstable = this.#unstable.length;
    const done = await this.#lookUp(next, this.#options.once ? Number.POSITIVE_INFINITY : maxLookups);
    const isComplete = this.#unstable.length === unstable;
    if (done.length < next.length)
      this.#reached(name, { asOf, cursor: Math.max(...done.map(({ at }) => Number(at))), since });
    else this.#reached(name, { asOf: isComplete ? since : asOf });
  }

  #reached(name: OpenPart, part: { asOf: number | undefined; cursor?: number; since?: number }): void {
    this.#writer.save({ reached: { ...this.#writer.state.reached, [name]: part } });
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
    if (missing.length > 0)
      await this.#writer.apply(
        'payment',
        [],
        missing.map(({ id }) => id),
      );
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
    if (done.length > 0) {
      await read(this.#pages({}));
      this.#writer.save({ wholeListAt: this.#now() });
    }
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
    // Hardly any payment is dated later, and an empty time must not be split.
    const border = Math.floor(this.#now()) + maxClockSkew;
    const ranges: readonly (readonly [start: number, end: number])[] =
      from < border && to > border
        ? [
            [from, border],
            [border, to],
          ]
        : [[from, to]];
    for (const [start, end] of ranges)
      for await (const rows of this.#inRange(start, end)) {
        for (const row of rows) {
          seen.add(idOf(row) ?? '');
          onRow(Object(row) as Fields);
        }
        await this.#writer.apply('payment', rows);
      }
    await this.#lookUp(known.filter(({ id, at }) => !seen.has(id) && !this.#isUnstable(at)));
  }

  async *#inRange(from: number, to: number): AsyncGenerator<readonly unknown[], void, undefined> {
    const createdTo = toFilterTime(to - 1);
    // Without a start, the list shows payments that were created before the filters can say.
    const query = from <= earliestFilterTime ? { createdTo } : { createdFrom: toFilterTime(from), createdTo };
    for await (const { items } of this.#exported(query)) yield items;
  }

  async *#exported(
    query: { readonly createdFrom?: string; readonly createdTo: string },
    checkpoint?: ExportCheckpoint,
  ) {
    const { concurrency, consistencyWindow, request } = this.#options;
    const options = { ...request, concurrency, consistencyWindow, checkpoint };
    // Rows that belong to no time range: none keeps the others out.
    const unassigned: unknown[] = [];
    const handlers = {
      onUnassigned: (row: unknown) => unassigned.push(row),
      onUnstable: (span: TimeRange) => this.#unstable.push(span),
    };
    try {
      for await (const { items, checkpoint: next } of new PaymentExport(
        this.#context,
        query,
        options,
        handlers,
      ).pages())
        yield { items: [...items, ...unassigned.splice(0)], checkpoint: next };
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

  #customerPages(): Pages {
    const { request } = this.#options;
    return pagesOf(listPages(this.#context.sender, 'customers.list', { query: largestPage }, request, 'id', mode));
  }

  #beneficiaryPages(customerId: string): Pages {
    const { request } = this.#options;
    const input = { ids: { customerId }, query: largestPage };
    return pagesOf(listPages(this.#context.sender, 'customers.beneficiaries', input, request, 'id', mode));
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

  async #sliceEnd(from: number, to: number, count: number): Promise<number> {
    const [row] = await this.#writer.query('slice', from, to, count);
    // At least a millisecond, in which all these payments may have been created.
    return row === undefined ? to : Math.max(from + 1, Number(row['created_time']));
  }

  // Works on several at once. Waits for those that have begun before it rejects.
  async #forEach<T>(all: Iterable<T>, work: (each: T) => Promise<void>): Promise<void> {
    const left = new Set(all);
    const worker = async (): Promise<void> => {
      for (const each of left) {
        left.delete(each);
        await work(each).catch((error: unknown) => {
          left.clear();
          throw error;
        });
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: this.#options.concurrency }, worker));
    for (const result of workers) if (result.status === 'rejected') throw result.reason;
  }

  #part(name: keyof SyncState['parts'], asOf: number): void {
    const due = asOf + this.#options.intervals[name];
    this.#writer.save({ parts: { ...this.#writer.state.parts, [name]: { asOf, due } } });
  }

  // The platform's time, so that a clock of this machine that is wrong, or set meanwhile, is not in the state.
  #now(): number {
    const clocks = this.#context.clock.read();
    if (clocks.isKnown) this.#clocks = clocks;
    return this.#clocks.now + (clocks.elapsed - this.#clocks.elapsed);
  }

  // Returns a function that returns the present time by that clock, as far as later responses correct it.
  #startTime(): () => number {
    const { timing } = this.#context;
    const started = timing.elapsed();
    return () => this.#now() - (timing.elapsed() - started);
  }

  get #fillState(): NonNullable<SyncState['fill']> {
    return this.#writer.state.fill as NonNullable<SyncState['fill']>;
  }
}

const endpoint = 'sync';
const largestPage: { readonly limit: number; readonly cursor?: string | undefined } = { limit: pageSize.largest };
// How long after its creation a completed payment can be returned and is seen by the next poll; later, by the next
// pass.
const returnWindow = 30 * day;

// A creation time can have whole seconds, and the clocks of several machines hardly differ.
const secondBefore = (time: number): number => Math.max(0, Math.floor(time / 1_000 - 1) * 1_000);

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
    throw new InvalidResponseError(
      `payments.list: the platform ignores the filter status: a list of ${status} ` +
        `has ${others.length} payments of other statuses. Check dialect.filterNames`,
      {
        endpoint: 'payments.list',
        outcome: 'applied',
        issues: [{ path: 'status', message: 'must be the status of the filter' }],
      },
    );
}

const maxOthers = 10;
