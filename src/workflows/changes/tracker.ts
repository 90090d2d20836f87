import type { ListedPayment } from '../../contract/schema/payments.js';
import type { CheckpointData, StoredPayment } from './checkpoint.js';
import { hasEnded } from './payment-lifecycle.js';
import { parseTime } from '../../contract/schema/timestamp.js';
import { createdAtOf } from '../platform-time.js';

// Covers what the next span lists again: up to a second of rounding, and `filterMargin`.
const timestampPrecision = 2_000;

/** The known state of a payment. */
export type KnownPayment = Pick<ListedPayment, 'id' | 'status' | 'createdAt' | 'updatedAt'>;

interface TrackedPayment extends KnownPayment {
  /** The creation time, in milliseconds since the epoch. */
  readonly at: number;
}

/** The times up to or from which payments are known, in milliseconds since the epoch. See `CheckpointData`. */
export interface Watermarks {
  readonly startedAt: number;
  readonly listedUntil: number;
  readonly returnsSince: number;
}

/** A change of a payment; the previous status of a new payment is undefined. */
export interface Change {
  readonly previousStatus: string | undefined;
}

/** Tracks the known state of payments: all open ones, and of the others only those that could be reported twice. */
export class PaymentTracker {
  readonly #consistencyWindow: number;
  #watermarks: Watermarks;
  #known: Map<string, TrackedPayment>;
  // Checkpoints are created lazily, from the last committed state and the changes since.
  #committed: ReadonlyMap<string, TrackedPayment> = new Map();
  #uncommitted: TrackedPayment[] = [];
  // Records that are older than the known state, and the poll that returned them.
  readonly #stale = new Map<string, { readonly status: string; readonly poll: number }>();
  #poll = 0;

  constructor(watermarks: Watermarks, consistencyWindow: number, payments: readonly StoredPayment[] = []) {
    this.#watermarks = watermarks;
    this.#consistencyWindow = consistencyWindow;
    this.#known = new Map(
      payments.map(([id, status, createdAt, updatedAt]) => [
        id,
        { id, status, createdAt, updatedAt, at: createdAtOf({ createdAt }) },
      ]),
    );
    this.#committed = new Map(this.#known);
  }

  get watermarks(): Watermarks {
    return this.#watermarks;
  }

  /** The creation time from which the list must be searched for new payments. */
  get listFrom(): number {
    return Math.max(this.#watermarks.startedAt, this.#watermarks.listedUntil - this.#consistencyWindow);
  }

  /** Starts a poll. */
  startPoll(): void {
    this.#poll += 1;
    for (const [id, { poll }] of this.#stale) if (poll < this.#poll - 1) this.#stale.delete(id);
    this.#commitKnown();
  }

  /** Returns the payments that have not ended. */
  open(): { readonly id: string; readonly at: number }[] {
    return [...this.#known.values()].filter(({ status }) => !hasEnded(status));
  }

  /** Whether the next poll must confirm a state, because its time is earlier than that of the last known one. */
  get isUnconfirmed(): boolean {
    return this.#stale.size > 0;
  }

  /** Records the state of a payment. */
  remember({ id, status, createdAt, updatedAt }: KnownPayment, at: number): void {
    const payment: TrackedPayment = { id, status, createdAt, updatedAt, at };
    this.#known.set(id, payment);
    this.#uncommitted.push(payment);
  }

  /** Compares a payment with its known state and records it. Returns the change, if there is one. */
  evaluate(payment: KnownPayment): Change | undefined {
    const known = this.#known.get(payment.id);
    if (known !== undefined) return this.#evaluateKnown(payment, known);
    const at = createdAtOf(payment);
    const { startedAt, returnsSince } = this.#watermarks;
    const ended = hasEnded(payment.status);
    const isNew = at >= startedAt && (!ended || this.#isRecent(at));
    if (isNew) {
      this.remember(payment, at);
      return { previousStatus: undefined };
    }
    if (!ended) this.remember(payment, at);
    if (payment.status !== 'RETURNED' || at < returnsSince) return undefined;
    // The payment had ended and was forgotten; COMPLETED is the only final status that another one can follow. Assumed:
    //
    this.remember(payment, at);
    return { previousStatus: 'COMPLETED' };
  }

  #evaluateKnown(payment: KnownPayment, known: TrackedPayment): Change | undefined {
    if (payment.status !== known.status && this.#isStale(payment, known)) return undefined;
    this.#stale.delete(payment.id);
    if (payment.status === known.status && payment.updatedAt === known.updatedAt) return undefined;
    this.remember(payment, known.at);
    return payment.status === known.status ? undefined : { previousStatus: known.status };
  }

  // A list can come from an outdated replica. A state that the next poll confirms is accepted, whatever its time.
  #isStale({ id, status, updatedAt }: KnownPayment, known: TrackedPayment): boolean {
    if (!(parseTime(updatedAt) < parseTime(known.updatedAt))) return false;
    const stale = this.#stale.get(id);
    if (stale?.status === status && stale.poll < this.#poll) return false;
    if (stale?.status !== status) this.#stale.set(id, { status, poll: this.#poll });
    return true;
  }

  #isRecent(at: number): boolean {
    return at >= this.#watermarks.listedUntil - this.#consistencyWindow - timestampPrecision;
  }

  /** Advances the watermarks, and forgets payments that have ended and cannot be reported again. */
  commit(to: Partial<Watermarks>): void {
    const { startedAt, listedUntil, returnsSince } = this.#watermarks;
    this.#watermarks = {
      startedAt,
      listedUntil: Math.max(listedUntil, to.listedUntil ?? 0),
      returnsSince: Math.max(returnsSince, to.returnsSince ?? 0),
    };
    for (const [id, payment] of this.#known) if (!this.#isNeeded(payment)) this.#known.delete(id);
    this.#commitKnown();
  }

  // An outdated replica may return a payment that has just ended once more in its earlier state.
  #isNeeded({ status, at, updatedAt }: TrackedPayment): boolean {
    return (
      !hasEnded(status) ||
      this.#isRecent(at) ||
      this.#isRecent(parseTime(updatedAt)) ||
      (status === 'RETURNED' && at >= this.#watermarks.returnsSince)
    );
  }

  #commitKnown(): void {
    this.#committed = new Map(this.#known);
    this.#uncommitted = [];
  }

  /** Returns a function that creates the checkpoint of the current state. */
  checkpoint(): (behind: boolean) => CheckpointData {
    const { startedAt, listedUntil, returnsSince } = this.#watermarks;
    const [committed, uncommitted, length] = [this.#committed, this.#uncommitted, this.#uncommitted.length];
    return (behind) => {
      const known = new Map(committed);
      for (const payment of uncommitted.slice(0, length)) known.set(payment.id, payment);
      const iso = (time: number): string => new Date(time).toISOString();
      return {
        version: 1,
        behind,
        startedAt: iso(startedAt),
        listedUntil: iso(listedUntil),
        returnsSince: iso(returnsSince),
        payments: [...known.values()].map(
          ({ id, status, createdAt, updatedAt }) => [id, status, createdAt, updatedAt] as const,
        ),
      };
    };
  }
}
