import type { ListedPayment, PaymentListQuery } from '../contract/payments.js';
import type { ChangesCheckpoint } from './checkpoint.js';
import { FollowedPayments, type KnownPayment, type News } from './followed-payments.js';
import { lookupsFor } from './lookup.js';
import { openStatuses } from './payment-course.js';
import { createdAtOf, filterTime } from './record-time.js';
import type { WorkflowOptions } from './workflow.js';

// As many lookups a poll makes; what is left over has its turn in the next.
const mostLookups = 50;
// New payments are walked in spans of time, oldest first, so that what was seen of a span can be forgotten after it.
const firstSpan = 60 * 60_000;
const shortestSpan = 60_000;
const longestSpan = 90 * 24 * 60 * 60_000;
const [fewPayments, tooManyPayments] = [100, 2_000];

/** What a poll found out of one payment. */
export interface Finding extends News {
  readonly payment: ListedPayment;
}

/** How a feed polls, both in milliseconds. */
export interface FeedOptions {
  readonly followCompleted: number;
  readonly settleWindow: number;
}

/** Walks a list of payments. */
export type Walk = (query: PaymentListQuery) => AsyncIterable<ListedPayment>;

/** What follows payments: what it knows of them, and how it learns more. A poll that fails is made again; what it had found out is kept. */
export class Feed {
  readonly #workflow: WorkflowOptions;
  readonly #walk: Walk;
  readonly #options: FeedOptions;
  #followed: FollowedPayments | undefined;
  #span = firstSpan;
  // How often payments were looked up in vain: those that were least have their turn first.
  #inVain = new Map<string, number>();

  constructor(workflow: WorkflowOptions, walk: Walk, options: FeedOptions) {
    this.#workflow = workflow;
    this.#walk = walk;
    this.#options = options;
  }

  /** Where the feed stands now, written when it is asked for. */
  mark(): () => ChangesCheckpoint {
    return this.#begun().mark();
  }

  /** Goes on where an earlier feed stood. */
  resume({ from, seenTo, returnsFrom, payments }: ChangesCheckpoint): void {
    const reach = { from: Date.parse(from), seenTo: Date.parse(seenTo), returnsFrom: Date.parse(returnsFrom) };
    this.#followed = new FollowedPayments(reach, this.#options.settleWindow, payments);
  }

  /** Begins at a time, or now: what was there before is noted, and not told. */
  async start(at: number | undefined): Promise<void> {
    if (this.#followed !== undefined) return;
    const { timing, clock } = this.#workflow;
    const started = timing.elapsed();
    const there: KnownPayment[] = [];
    const take = ({ id, status, createdAt, updatedAt }: ListedPayment): unknown => there.push({ id, status, createdAt, updatedAt });
    for (const status of openStatuses) for await (const payment of this.#walk({ status })) take(payment);
    // By the platform's clock, which the answers have told by now.
    const now = clock.now() - (timing.elapsed() - started);
    const from = at ?? Math.floor(now / 1000) * 1000;
    const returnsFrom = now - this.#options.followCompleted;
    if (this.#options.followCompleted > 0) for await (const payment of this.#walk(returned(returnsFrom))) take(payment);
    const followed = new FollowedPayments({ from, seenTo: from, returnsFrom }, this.#options.settleWindow);
    for (const payment of there) if (createdAtOf(payment) < from) followed.note(payment, createdAtOf(payment));
    this.#followed = followed;
  }

  /** Asks for everything once, and tells what is new. */
  async *poll(): AsyncGenerator<Finding, void, undefined> {
    const { clock } = this.#workflow;
    const { followCompleted } = this.#options;
    const followed = this.#begun();
    followed.begin();
    yield* this.#walkNew(followed);
    const present = new Set<string>();
    const queries: PaymentListQuery[] = openStatuses.map((status) => ({ status }));
    if (followCompleted > 0) queries.push(returned(Math.max(followed.reach.returnsFrom, clock.now() - followCompleted)));
    for (const query of queries) {
      for await (const payment of this.#walk(query)) {
        present.add(payment.id);
        yield* this.#judge(followed, payment);
      }
    }
    yield* this.#lookUp(followed, followed.open().filter(({ id }) => !present.has(id)));
    followed.advance({ returnsFrom: clock.now() - followCompleted });
  }

  async *#walkNew(followed: FollowedPayments): AsyncGenerator<Finding, void, undefined> {
    const { timing, clock } = this.#workflow;
    for (let from = followed.newFrom, last = false; !last; ) {
      const started = timing.elapsed();
      const to = from + this.#span;
      const isBounded = to < clock.now();
      const payments = await this.#collect({ createdFrom: filterTime(from), ...(isBounded ? { createdTo: filterTime(to) } : {}) });
      if (payments === undefined) continue;
      for (const payment of payments.toSorted((one, other) => createdAtOf(one) - createdAtOf(other))) yield* this.#judge(followed, payment);
      // A clock that was off when the walk began has been put right by its answers.
      const began = clock.now() - (timing.elapsed() - started);
      last = !isBounded || to >= began;
      followed.advance({ seenTo: last ? began : to });
      from = followed.reach.seenTo;
    }
  }

  // The payments of a span; nothing where there are too many to hold, and the span is divided.
  async #collect(query: PaymentListQuery): Promise<ListedPayment[] | undefined> {
    const payments: ListedPayment[] = [];
    for await (const payment of this.#walk(query)) {
      payments.push(payment);
      if (payments.length <= tooManyPayments || this.#span <= shortestSpan) continue;
      this.#span = Math.max(shortestSpan, this.#span / 8);
      return undefined;
    }
    if (payments.length < fewPayments) this.#span = Math.min(this.#span * 2, longestSpan);
    return payments;
  }

  // What is on its way, but in none of the lists that were walked: it has ended, moved while they were walked, or is in a status that is not known.
  async *#lookUp(followed: FollowedPayments, gone: readonly { readonly id: string; readonly at: number }[]): AsyncGenerator<Finding, void, undefined> {
    this.#inVain = new Map(gone.map(({ id }) => [id, this.#inVain.get(id) ?? 0]));
    const patience = (id: string): number => this.#inVain.get(id) ?? 0;
    const inTurn = gone.toSorted((one, other) => patience(one.id) - patience(other.id)).slice(0, mostLookups);
    for (const { query, ids } of lookupsFor(inTurn)) {
      const sought = new Set(ids);
      for await (const payment of this.#walk(query)) {
        sought.delete(payment.id);
        yield* this.#judge(followed, payment);
        if (sought.size === 0) break;
      }
      for (const id of ids) this.#inVain.set(id, patience(id) + 1);
    }
  }

  *#judge(followed: FollowedPayments, payment: ListedPayment): Generator<Finding, void, undefined> {
    const news = followed.judge(payment);
    if (news !== undefined) yield { payment, ...news };
  }

  #begun(): FollowedPayments {
    if (this.#followed === undefined) throw new Error('a feed is started or resumed before it polls');
    return this.#followed;
  }
}

function returned(createdFrom: number): PaymentListQuery {
  return { status: 'RETURNED', createdFrom: filterTime(createdFrom) };
}
