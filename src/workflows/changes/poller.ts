import type { ListedPayment, PaymentListParams } from '../../contract/schema/payments.js';
import type { ChangesCheckpoint } from '../../journal/checkpoint-store.js';
import type { CheckpointData } from './checkpoint.js';
import { PaymentTracker, type KnownPayment, type Change } from './tracker.js';
import { lookupsFor } from './lookup.js';
import { openStatuses } from './payment-lifecycle.js';
import { createdAtOf, toFilterEnd, toFilterStart } from '../platform-time.js';
import type { WorkflowContext } from '../context.js';

// New payments are listed in time spans, oldest first, so that the payments of a span can be forgotten after it.
const initialSpan = 60 * 60_000;
const minSpan = 60_000;
const maxSpan = 90 * 24 * 60 * 60_000;
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

/** Iterates over the payments of a list. */
export type ListIterator = (query: PaymentListParams) => AsyncIterable<ListedPayment>;

/** Polls the list of payments for changes. A failed poll can be repeated: changes that it found are kept. */
export class PaymentPoller {
  readonly #workflow: WorkflowContext;
  readonly #iterate: ListIterator;
  readonly #options: PollerOptions;
  #tracker: PaymentTracker | undefined;
  #span = initialSpan;
  // Lookups per payment; the payments with the fewest come first.
  #lookups = new Map<string, number>();
  #isBehind = true;
  // When it was started first: payments that are created while that fails are new.
  #startedAt: number | undefined;

  constructor(context: WorkflowContext, iterate: ListIterator, options: PollerOptions) {
    this.#workflow = context;
    this.#iterate = iterate;
    this.#options = options;
  }

  /** Returns a function that creates the checkpoint of the current position. */
  checkpoint(): () => ChangesCheckpoint {
    const create = this.#requireTracker().checkpoint();
    const isBehind = this.#isBehind;
    return () => create(isBehind);
  }

  /** Continues from a checkpoint. */
  resume({ startedAt, listedUntil, returnsSince, payments }: CheckpointData): void {
    const watermarks = {
      startedAt: Date.parse(startedAt),
      listedUntil: Date.parse(listedUntil),
      returnsSince: Date.parse(returnsSince),
    };
    this.#tracker = new PaymentTracker(watermarks, this.#options.consistencyWindow, payments);
  }

  /** Starts at a time, by default now. Payments that existed before are remembered, not reported. */
  async start(since: number | undefined): Promise<void> {
    if (this.#tracker !== undefined) return;
    const { timing, clock } = this.#workflow;
    const started = (this.#startedAt ??= timing.elapsed());
    const existing: KnownPayment[] = [];
    const add = ({ id, status, createdAt, updatedAt }: ListedPayment): unknown =>
      existing.push({ id, status, createdAt, updatedAt });
    for (const status of openStatuses) for await (const payment of this.#iterate({ status })) add(payment);
    // By the platform's clock, which is known from the responses by now.
    const now = clock.now() - (timing.elapsed() - started);
    const startedAt = since ?? Math.floor(now / 1000) * 1000;
    const returnsSince = now - this.#options.returnWindow;
    if (this.#options.returnWindow > 0)
      for await (const payment of this.#iterate(returnedSince(returnsSince))) add(payment);
    const tracker = new PaymentTracker(
      { startedAt, listedUntil: startedAt, returnsSince },
      this.#options.consistencyWindow,
    );
    for (const payment of existing)
      if (createdAtOf(payment) < startedAt) tracker.remember(payment, createdAtOf(payment));
    this.#tracker = tracker;
  }

  /** Polls once, and yields each change. */
  async *poll(): AsyncGenerator<ObservedChange, void, undefined> {
    const { timing, clock } = this.#workflow;
    const { returnWindow } = this.#options;
    const started = timing.elapsed();
    const tracker = this.#requireTracker();
    tracker.startPoll();
    this.#isBehind = true;
    yield* this.#listNew(tracker);
    const listed = new Set<string>();
    const queries: PaymentListParams[] = openStatuses.map((status) => ({ status }));
    // The start of the window at the previous poll: a payment can have been returned just after it.
    if (returnWindow > 0) queries.push(returnedSince(tracker.watermarks.returnsSince));
    for (const query of queries) {
      for await (const payment of this.#iterate(query)) {
        listed.add(payment.id);
        yield* this.#evaluate(tracker, payment);
      }
    }
    yield* this.#lookUp(
      tracker,
      tracker.open().filter(({ id }) => !listed.has(id)),
    );
    tracker.commit({ returnsSince: clock.now() - (timing.elapsed() - started) - returnWindow });
  }

  async *#listNew(tracker: PaymentTracker): AsyncGenerator<ObservedChange, void, undefined> {
    const { timing, clock } = this.#workflow;
    for (let from = tracker.listFrom, isLast = false; !isLast;) {
      const started = timing.elapsed();
      const to = from + this.#span;
      const isBounded = to < clock.now();
      const payments = await this.#collect({
        createdFrom: toFilterStart(from),
        ...(isBounded ? { createdTo: toFilterEnd(to) } : {}),
      });
      if (payments === undefined) continue;
      for (const payment of payments.toSorted((one, other) => createdAtOf(one) - createdAtOf(other)))
        yield* this.#evaluate(tracker, payment);
      // The responses may have corrected the clock since the span was started.
      const began = clock.now() - (timing.elapsed() - started);
      isLast = !isBounded || to >= began;
      tracker.commit({ listedUntil: isLast ? began : to });
      from = to;
    }
  }

  // Returns the payments of a span; undefined if there are too many, after making the span shorter.
  async #collect(query: PaymentListParams): Promise<ListedPayment[] | undefined> {
    const payments: ListedPayment[] = [];
    for await (const payment of this.#iterate(query)) {
      payments.push(payment);
      if (payments.length <= tooManyPayments || this.#span <= minSpan) continue;
      this.#span = Math.max(minSpan, this.#span / 8);
      return undefined;
    }
    if (payments.length < fewPayments) this.#span = Math.min(this.#span * 2, maxSpan);
    return payments;
  }

  // Looks up open payments that were in none of the lists: they ended, changed their status meanwhile, or have an
  // unknown status.
  async *#lookUp(
    tracker: PaymentTracker,
    missing: readonly { readonly id: string; readonly at: number }[],
  ): AsyncGenerator<ObservedChange, void, undefined> {
    this.#lookups = new Map(missing.map(({ id }) => [id, this.#lookups.get(id) ?? 0]));
    const lookupsOf = (id: string): number => this.#lookups.get(id) ?? 0;
    const sorted = missing.toSorted((one, other) => lookupsOf(one.id) - lookupsOf(other.id));
    const next = sorted.slice(0, this.#options.maxLookups);
    let isComplete = sorted.slice(next.length).every(({ id }) => lookupsOf(id) > 0);
    for (const { query, ids } of lookupsFor(next)) {
      const pending = new Set(ids);
      for await (const payment of this.#iterate(query)) {
        pending.delete(payment.id);
        yield* this.#evaluate(tracker, payment);
        if (pending.size === 0) break;
      }
      for (const id of ids) this.#lookups.set(id, lookupsOf(id) + 1);
      if (pending.size > 0) isComplete = false;
    }
    this.#isBehind = !isComplete || tracker.isUnconfirmed;
  }

  *#evaluate(tracker: PaymentTracker, payment: ListedPayment): Generator<ObservedChange, void, undefined> {
    const change = tracker.evaluate(payment);
    if (change !== undefined) yield { payment, ...change };
  }

  #requireTracker(): PaymentTracker {
    if (this.#tracker === undefined) throw new Error('call start() or resume() before poll()');
    return this.#tracker;
  }
}

function returnedSince(createdFrom: number): PaymentListParams {
  return { status: 'RETURNED', createdFrom: toFilterStart(createdFrom) };
}
