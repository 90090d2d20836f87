import type { ListedPayment, PaymentListParams } from '../../contract/schema/payments.js';
import { parseTime, latestTimeOf } from '../../contract/schema/time.js';
import type { ChangesCheckpoint, CheckpointData } from './checkpoint.js';
import { PaymentTracker, stateOf, type Change, type TrackedPayment, type Watermarks, openStatuses } from './tracker.js';
import { toFilterEnd, toFilterStart } from '../platform-time.js';
import { accountOf, type RunAccount } from '../account.js';
import { ageOf } from '../staleness.js';
import type { WorkflowContext } from '../context.js';
import { iteratePages, listOf, lookupsFor, type LookupTarget } from '../lookup.js';
import type { RequestOptions } from '../../transport/request-options.js';

const day = 24 * 60 * 60_000;
// New payments are listed in time spans, oldest first, so that the payments of a span can be forgotten after it.
const initialSpan = 2 * day;
const minSpan = 60_000;
const maxSpan = 90 * day;
// How far the clock of creation times can be behind, in milliseconds: as far as the client corrects its own clock.
const maxClockSkew = day;
const [fewPayments, tooManyPayments] = [100, 2_000];

/** A payment that changed. */
export interface ObservedChange extends Change {
  readonly payment: ListedPayment;
}

/** The options of a poller, in milliseconds. */
export interface PollerOptions {
  readonly returnWindow: number;
  readonly consistencyWindow: number;
  /** The maximum number of lookups per poll; the next poll continues with the others. */
  readonly maxLookups: number;
}

/** A row of a list, and the state that it shows. */
interface Row {
  readonly payment: ListedPayment;
  readonly state: TrackedPayment;
}

/**
 * Polls the list of payments for changes. A failed start or poll can be repeated: what it found is kept.
 *
 * A row proves that a payment was in a state. That no row shows a payment proves nothing if rows can move while a list
 * is read: between its pages, because their order is not specified, or between the lists of two statuses. So a list is
 * complete only if it is one response, or if reading it again finds no payment that was missed. It is complete up to a
 * creation time that a row has shown, because the clocks of this machine and of `Date` headers may be ahead of it.
 */
export class PaymentPoller {
  readonly #workflow: WorkflowContext;
  readonly #request: RequestOptions;
  readonly #options: PollerOptions;
  #tracker: PaymentTracker | undefined;
  readonly #account: RunAccount;
  // When the changes start, and whether that is now: then payments that were created before it are known by their rows.
  readonly #startsNow: boolean;
  readonly #startTime: () => number;
  // The payments that the start has seen, in their first state, and the creation time from which it lists all of them.
  readonly #existing: Map<string, TrackedPayment>;
  #existingFrom: number | undefined;
  // The payments that were returned before this time are not reported when the window of returns grows.
  #returnsAfter: number | undefined;
  // The latest creation time that a row has shown, and the one up to which the list that was read last is complete.
  #newest = Number.NEGATIVE_INFINITY;
  #completeUntil = Number.NEGATIVE_INFINITY;
  #span = initialSpan;
  // Lookups per payment; the payments with the fewest come first.
  #lookups = new Map<string, number>();
  #isBehind = true;

  /** Continues from a checkpoint, or starts at a time, by default now. */
  constructor(
    context: WorkflowContext,
    request: RequestOptions,
    options: PollerOptions,
    from: CheckpointData | number | undefined,
  ) {
    const isResumed = typeof from === 'object';
    this.#account = accountOf(context, 'payments.changes', isResumed ? from : {});
    this.#workflow = this.#account.context;
    this.#request = request;
    this.#options = options;
    // By the platform's clock, which the first response reports.
    const now = context.clock.presentTime();
    const startedAt = isResumed ? Date.parse(from.startedAt) : from;
    this.#startsNow = isResumed ? from.start === 'now' : from === undefined;
    this.#startTime = startedAt === undefined ? now : () => startedAt;
    const payments = isResumed ? paymentsOf(context, from) : [];
    this.#existing = new Map(payments.map((payment) => [payment.id, payment]));
    if (!isResumed || startedAt === undefined || from.start !== 'done') return;
    const watermarks = {
      startedAt,
      listedUntil: Date.parse(from.listedUntil),
      returnsSince: Date.parse(from.returnsSince),
      longestProcessing: from.longestProcessing ?? 0,
      endedSince: from.endedSince === undefined ? undefined : Date.parse(from.endedSince),
      returnsForgotten: from.returnsForgotten === undefined ? undefined : Date.parse(from.returnsForgotten),
    };
    this.#tracker = this.#createTracker(watermarks, payments);
    this.#returnsAfter = watermarks.listedUntil;
  }

  /** Whether a checkpoint can be created: the account must be verified, and a start needs the platform's clock. */
  get hasPosition(): boolean {
    const isStarted = this.#tracker !== undefined || !this.#startsNow || this.#workflow.clock.isKnown;
    return this.#account.fingerprint !== undefined && isStarted;
  }

  /** Returns a function that creates the checkpoint of the current position. */
  checkpoint(): () => ChangesCheckpoint {
    const isDone = this.#tracker !== undefined;
    const time = this.#startTime();
    const startOnly = { startedAt: time, listedUntil: time, returnsSince: time, longestProcessing: 0 };
    const tracker = this.#tracker ?? this.#createTracker(startOnly, [...this.#existing.values()]);
    const create = tracker.checkpoint();
    const progress = {
      ...this.#account.checkpoint,
      behind: this.#isBehind,
      start: isDone ? 'done' : this.#startsNow ? 'now' : 'since',
    } as const;
    return () => create(progress);
  }

  // Reads the payments that exist, so that their changes are reported. Does nothing if they were read.
  async #start(): Promise<PaymentTracker> {
    if (this.#account.fingerprint === undefined) {
      await this.#account.verify(this.#request);
      await this.#account.findCustomer(this.#request);
    }
    const tracker = (this.#tracker ??= await this.#trackExisting());
    await this.#extendReturns(tracker);
    return tracker;
  }

  async #trackExisting(): Promise<PaymentTracker> {
    for await (const { state } of this.#readAll(() => this.#existingLists(), this.#startTime)) {
      const known = this.#existing.get(state.id);
      // Of a later row, only the creation time counts: its status may be a change.
      if (known === undefined) this.#existing.set(state.id, state);
      else if (known.createdAt === '')
        this.#existing.set(state.id, { ...known, createdAt: state.createdAt, at: state.at });
    }
    const time = this.#startTime();
    const { consistencyWindow } = this.#options;
    const startedAt = this.#startsNow ? this.#recentFrom() : time;
    const listedUntil = this.#startsNow ? startedAt + consistencyWindow : time;
    // Those created since then are new. Those whose creation time is unknown are not, because they were here before.
    // `time` can be before `startedAt`, if the clock was set back meanwhile.
    const existing = [...this.#existing.values()].filter(
      ({ createdAt, at }) => createdAt === '' || at < startedAt || (this.#startsNow && latestTimeOf(createdAt) <= time),
    );
    this.#returnsAfter = time;
    return this.#createTracker({ startedAt, listedUntil, returnsSince: startedAt, longestProcessing: 0 }, existing);
  }

  *#existingLists(): Generator<PaymentListParams, void, undefined> {
    for (const status of openStatuses) yield { status };
    if (this.#startsNow) yield { createdFrom: toFilterStart(this.#recentFrom()) };
  }

  // The creation time from which the start lists all payments. The open ones show how far the clock of creation times
  // is behind the platform's clock.
  #recentFrom(): number {
    const time = this.#startTime();
    const newest = Math.max(time - maxClockSkew, Math.min(time, this.#newest));
    return (this.#existingFrom ??= Math.max(0, newest - this.#options.consistencyWindow));
  }

  // Reads the returned payments of a window that is longer than the one of the checkpoint.
  async #extendReturns(tracker: PaymentTracker): Promise<void> {
    const { returnsSince } = tracker.watermarks;
    const from = this.#returnsFrom(tracker.watermarks);
    if (from >= returnsSince) return;
    const query = { ...returnedSince(from), createdTo: toFilterEnd(returnsSince) };
    for await (const { state } of this.#readAll(
      () => [query],
      () => returnsSince,
    )) {
      tracker.rememberReturned(state, latestTimeOf(state.updatedAt) >= (this.#returnsAfter ?? 0));
    }
    tracker.commit({ returnsSince: from });
  }

  // The window starts when a payment is completed, but the list can only be filtered by creation.
  #returnsFrom({ listedUntil, longestProcessing }: Watermarks): number {
    const { returnWindow } = this.#options;
    return returnWindow === 0 ? listedUntil : Math.max(0, listedUntil - returnWindow - longestProcessing);
  }

  /** Polls once, and yields each change. */
  async *poll(): AsyncGenerator<ObservedChange, void, undefined> {
    const tracker = await this.#start();
    tracker.startPoll();
    this.#isBehind = true;
    const returnsFrom = this.#returnsFrom(tracker.watermarks);
    yield* this.#listNew(tracker);
    const listed = new Set<string>();
    const queries: PaymentListParams[] = openStatuses.map((status) => ({ status }));
    const { returnsSince } = tracker.watermarks;
    if (this.#options.returnWindow > 0) queries.push(returnedSince(returnsSince));
    for (const query of queries)
      for await (const page of this.#readRows(query))
        for (const row of page) {
          listed.add(row.state.id);
          yield* this.#evaluate(tracker, row);
        }
    yield* this.#lookUp(
      tracker,
      tracker.open().filter(({ id }) => !listed.has(id)),
    );
    tracker.commit({ returnsSince: Math.max(returnsSince, returnsFrom) });
  }

  async *#listNew(tracker: PaymentTracker): AsyncGenerator<ObservedChange, void, undefined> {
    const { clock } = this.#workflow;
    for (let from = tracker.listFrom, isLast = false; !isLast;) {
      const started = this.#workflow.clock.presentTime();
      const to = from + this.#span;
      const isBounded = to < clock.now();
      const rows = await this.#collect({
        createdFrom: toFilterStart(from),
        ...(isBounded ? { createdTo: toFilterEnd(to) } : {}),
      });
      if (rows === undefined) continue;
      const completeUntil = isBounded ? Math.min(to, this.#completeUntil) : this.#completeUntil;
      for (const row of rows.toSorted((one, other) => one.state.at - other.state.at))
        yield* this.#evaluate(tracker, row);
      // The responses may have corrected the clock since the span was started.
      isLast = !isBounded || to >= started();
      tracker.commit({ listedUntil: Math.max(tracker.watermarks.listedUntil, completeUntil) });
      from = to;
    }
  }

  // Returns the payments of a span; undefined if there are too many, after making the span shorter.
  async #collect(query: PaymentListParams): Promise<Row[] | undefined> {
    const rows = new Map<string, Row>();
    for await (const row of this.#readAll(() => [query])) {
      rows.set(row.state.id, row);
      if (rows.size <= tooManyPayments || this.#span <= minSpan) continue;
      this.#span = Math.max(minSpan, this.#span / 8);
      return undefined;
    }
    if (rows.size < fewPayments) this.#span = Math.min(this.#span * 2, maxSpan);
    return [...rows.values()];
  }

  // Yields the rows of lists. Reads them again, unless they are one response, until a reading shows no payment that
  // existed before, by default before the reading that did not show it.
  async *#readAll(
    queries: () => Iterable<PaymentListParams>,
    existedUntil?: () => number,
  ): AsyncGenerator<Row, void, undefined> {
    const ids = new Set<string>();
    let completeUntil = Number.NEGATIVE_INFINITY;
    for (let readings = 1, isComplete = false; !isComplete; readings += 1) {
      let [responses, isMissing, newest] = [0, false, completeUntil];
      for (const query of queries())
        for await (const page of this.#readRows(query)) {
          responses += 1;
          // What was created after the first response may be missing from the others.
          if (responses === 1) newest = this.#newest;
          for (const row of page) {
            const { id, at } = row.state;
            if (!ids.has(id) && at <= (existedUntil?.() ?? completeUntil)) isMissing = true;
            ids.add(id);
            yield row;
          }
        }
      isComplete = responses === 1 || (readings > 1 && !isMissing);
      this.#completeUntil = responses === 1 ? newest : completeUntil;
      completeUntil = newest;
    }
  }

  async *#readRows(query: PaymentListParams): AsyncGenerator<Row[], void, undefined> {
    const { timing, clock } = this.#workflow;
    for await (const page of iteratePages(listOf(this.#workflow.sender), query, this.#request)) {
      const [now, seenAt] = [clock.now(), timing.elapsed()];
      // The clock of this machine can be behind that of creation times, which has shown `listedUntil`.
      const latest = Math.max(now, this.#tracker?.watermarks.listedUntil ?? now);
      yield page.map((payment) => {
        const state = stateOf(payment);
        const at = parseTime(state.createdAt);
        if (at <= now) this.#newest = Math.max(this.#newest, at);
        return { payment, state: { ...state, at: Number.isNaN(at) ? latest : at, seenAt } };
      });
    }
  }

  // Looks up open payments that were in none of the lists: they ended, changed their status meanwhile, or have an
  // unknown status.
  async *#lookUp(
    tracker: PaymentTracker,
    missing: readonly LookupTarget[],
  ): AsyncGenerator<ObservedChange, void, undefined> {
    this.#lookups = new Map(missing.map(({ id }) => [id, this.#lookups.get(id) ?? 0]));
    const lookupsOf = (id: string): number => this.#lookups.get(id) ?? 0;
    const sorted = missing.toSorted((one, other) => lookupsOf(one.id) - lookupsOf(other.id));
    const next = sorted.slice(0, this.#options.maxLookups);
    let isComplete = sorted.slice(next.length).every(({ id }) => lookupsOf(id) > 0);
    for (const { query, ids } of lookupsFor(next)) {
      const pending = new Set(ids);
      for await (const page of this.#readRows(query)) {
        for (const row of page) if (pending.delete(row.state.id)) yield* this.#evaluate(tracker, row);
        if (pending.size === 0) break;
      }
      for (const id of ids) this.#lookups.set(id, lookupsOf(id) + 1);
      if (pending.size > 0) isComplete = false;
    }
    this.#isBehind = !isComplete || tracker.isUnconfirmed;
  }

  *#evaluate(tracker: PaymentTracker, { payment, state }: Row): Generator<ObservedChange, void, undefined> {
    const change = tracker.evaluate(state);
    if (change !== undefined) yield { payment, ...change };
  }

  #createTracker(watermarks: Watermarks, payments: readonly TrackedPayment[]): PaymentTracker {
    return new PaymentTracker(this.#workflow, watermarks, this.#options.consistencyWindow, payments);
  }
}

function returnedSince(createdFrom: number): PaymentListParams {
  return { status: 'RETURNED', createdFrom: toFilterStart(createdFrom) };
}

// The states of a checkpoint are at least as old as its clocks show, once a response has reported the platform's.
function paymentsOf(context: WorkflowContext, checkpoint: CheckpointData): TrackedPayment[] {
  const { timing } = context;
  const [now, elapsed, platformTime] = [timing.now(), timing.elapsed(), context.clock.presentTime()];
  const storedAt = Date.parse(checkpoint.seenAt);
  const storedPlatformTime = Date.parse(checkpoint.platformTime ?? '');
  const age = (): number =>
    ageOf(
      [storedAt, now],
      ...(Number.isNaN(storedPlatformTime) ? [] : [[storedPlatformTime, platformTime()] as const]),
    );
  return checkpoint.payments.map(([id, status, createdAt, updatedAt, seen = checkpoint.seenAt]) => ({
    id,
    status,
    createdAt,
    updatedAt,
    at: createdAt === '' ? Math.max(Date.parse(seen), Date.parse(checkpoint.listedUntil)) : parseTime(createdAt),
    get seenAt() {
      return elapsed - age() - ageOf([Date.parse(seen), storedAt]);
    },
  }));
}
