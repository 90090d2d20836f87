import {
  isFinalStatus,
  paymentStatuses,
  type ListedPayment,
  type PaymentStatus,
} from '../../contract/schema/payments.js';
import type { CheckpointData } from './checkpoint.js';
import { parseTime } from '../../contract/schema/time.js';
import { unusableRow, type WorkflowContext } from '../context.js';
import type { LookupTarget } from '../lookup.js';
import { toFilterTime } from '../platform-time.js';
import { mayBeStale } from '../staleness.js';

// Covers what the next span lists again: up to a second of rounding, and `filterMargin`.
const timestampPrecision = 2_000;

/** The state of a payment in one row of a list. A timestamp is empty if the row has no valid one. */
export interface PaymentState {
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A payment in its last known state. */
export interface TrackedPayment extends PaymentState {
  /** The creation time, or a later time if that is unknown, in milliseconds since the epoch. */
  readonly at: number;
  /** When a row showed this state first, by `Timing.elapsed`. */
  readonly seenAt: number;
  /** Whether it was never seen in another state. */
  readonly isFirst?: boolean;
}

/** The times up to or from which payments are known, in milliseconds since the epoch. See `CheckpointData`. */
export interface Watermarks {
  readonly startedAt: number;
  readonly listedUntil: number;
  readonly returnsSince: number;
  readonly longestProcessing: number;
  readonly endedSince?: number | undefined;
  readonly returnsForgotten?: number | undefined;
}

const day = 24 * 60 * 60_000;

/** A change of a payment; the previous status of a new payment is undefined. */
export interface Change {
  readonly previousStatus: string | undefined;
}

/**
 * Reads the state of a payment from a row. Depending on the validation mode, any of its fields can be missing or have
 * another type. Throws if the payment cannot be identified.
 */
export function stateOf(row: unknown): PaymentState {
  const { id, status, createdAt, updatedAt } = Object(row) as Partial<Record<keyof ListedPayment, unknown>>;
  if (typeof id === 'string' && id !== '' && typeof status === 'string')
    return { id, status, createdAt: validTime(createdAt), updatedAt: validTime(updatedAt) };
  throw unusableRow(
    'a payment has no id or no status, so that its changes cannot be followed. Report the response to the platform',
    [{ path: 'items[]', message: 'must have an id and a status' }],
  );
}

function validTime(timestamp: unknown): string {
  return typeof timestamp === 'string' && !Number.isNaN(parseTime(timestamp)) ? timestamp : '';
}

/**
 * Tracks the known state of payments: all open ones, and of the others only those that could be reported twice.
 *
 * A payment that is not known is new if it was created since the start, because each payment that was seen is known,
 * and is forgotten only when it has ended and the list is no longer searched for its creation time.
 */
export class PaymentTracker {
  readonly #workflow: Pick<WorkflowContext, 'timing' | 'clock'>;
  readonly #consistencyWindow: number;
  #watermarks: Watermarks & { readonly endedSince: number };
  readonly #known: Map<string, TrackedPayment>;
  // Checkpoints are created lazily, from the last committed state and the changes since.
  #committed: ReadonlyMap<string, TrackedPayment>;
  #uncommitted: TrackedPayment[] = [];
  // The statuses of rows that may be older than the known state, of this poll and of the one before.
  #unconfirmed = new Map<string, string>();
  #unconfirmedBefore: ReadonlyMap<string, string> = new Map();

  constructor(
    workflow: Pick<WorkflowContext, 'timing' | 'clock'>,
    watermarks: Watermarks,
    consistencyWindow: number,
    payments: readonly TrackedPayment[],
  ) {
    this.#workflow = workflow;
    this.#consistencyWindow = consistencyWindow;
    this.#watermarks = this.#advance(watermarks);
    this.#known = new Map(payments.map((payment) => [payment.id, payment]));
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
    this.#unconfirmedBefore = this.#unconfirmed;
    this.#unconfirmed = new Map();
    this.#commitKnown();
  }

  /** Returns the payments that have not ended. */
  open(): LookupTarget[] {
    return [...this.#known.values()]
      .filter(({ status }) => !isFinalStatus(status))
      .map(({ id, createdAt, at }) => ({ id, at: createdAt === '' ? undefined : at }));
  }

  /** Whether a later poll must confirm a state, because it may be older than the known one. */
  get isUnconfirmed(): boolean {
    return this.#unconfirmed.size > 0;
  }

  /** Records the state of a payment. */
  remember(payment: TrackedPayment): void {
    this.#known.set(payment.id, payment);
    this.#uncommitted.push(payment);
  }

  /** Records a returned payment that is not known. If it was returned later, `evaluate` reports it, but never again. */
  rememberReturned(payment: TrackedPayment, isLater: boolean): void {
    const { returnsForgotten = Number.NEGATIVE_INFINITY } = this.#watermarks;
    if (!this.#known.has(payment.id) && (!isLater || payment.at <= returnsForgotten)) this.remember(payment);
  }

  /** Compares a payment with its known state and records it. Returns the change, if there is one. */
  evaluate(row: TrackedPayment): Change | undefined {
    const { status, at } = row;
    const known = this.#known.get(row.id);
    if (known !== undefined) return this.#evaluateKnown(row, known);
    const { startedAt, returnsSince } = this.#watermarks;
    const ended = isFinalStatus(status);
    const isNew = at >= startedAt && (!ended || this.#isRecent(at));
    // A payment that had ended and was forgotten; COMPLETED is the only final status that another one can follow.
    // Assumed: A-17
    const isReturned = !isNew && status === 'RETURNED' && at >= returnsSince;
    if (isNew || isReturned || !ended) this.remember({ ...row, isFirst: true });
    if (isNew) this.#noteProcessing(row);
    if (isNew) return { previousStatus: undefined };
    return isReturned ? { previousStatus: 'COMPLETED' } : undefined;
  }

  #evaluateKnown(row: TrackedPayment, known: TrackedPayment): Change | undefined {
    const isLater = parseTime(row.updatedAt) > parseTime(known.updatedAt);
    const isOther = row.status !== known.status;
    const since = {
      age: row.seenAt - known.seenAt,
      consistencyWindow: this.#consistencyWindow,
      isConfirmed: this.#unconfirmedBefore.get(row.id) === row.status,
    };
    if (isOther && mayBeStale('payment', row, known, since)) {
      this.#unconfirmed.set(row.id, row.status);
      return undefined;
    }
    this.#unconfirmed.delete(row.id);
    const { createdAt, at } = known;
    if (isOther || isLater) this.remember(row.createdAt === '' ? { ...row, createdAt, at } : row);
    // An earlier row had none.
    else if (createdAt === '' && row.createdAt !== '')
      this.remember({ ...known, createdAt: row.createdAt, at: row.at });
    if (isOther) this.#noteProcessing({ ...row, createdAt, at });
    return isOther ? { previousStatus: known.status } : undefined;
  }

  // In whole days, because the list of returns is read again whenever this grows.
  #noteProcessing({ status, createdAt, at, updatedAt }: TrackedPayment): void {
    if (status !== 'COMPLETED' || createdAt === '') return;
    const now = this.#workflow.clock.now();
    const completedAt = updatedAt === '' ? now : Math.min(parseTime(updatedAt), now + day);
    const { longestProcessing } = this.#watermarks;
    const processing = Math.max(longestProcessing, Math.ceil((completedAt - at) / day) * day);
    this.#watermarks = { ...this.#watermarks, longestProcessing: processing };
  }

  // Never earlier than before, also if the consistency window is longer than that of the checkpoint.
  #advance(watermarks: Watermarks): Watermarks & { readonly endedSince: number } {
    const { listedUntil, endedSince = Number.NEGATIVE_INFINITY } = watermarks;
    const since = listedUntil - this.#consistencyWindow - timestampPrecision;
    return { ...watermarks, endedSince: Math.max(endedSince, since) };
  }

  #isRecent(at: number): boolean {
    return at >= this.#watermarks.endedSince;
  }

  /** Sets watermarks, and forgets payments that have ended and cannot be reported again. */
  commit(to: Partial<Watermarks>): void {
    this.#watermarks = this.#advance({ ...this.#watermarks, ...to });
    for (const [id, payment] of this.#known) if (!this.#isNeeded(payment)) this.#forget(id, payment);
    this.#commitKnown();
  }

  #forget(id: string, { status, at }: TrackedPayment): void {
    this.#known.delete(id);
    const { returnsForgotten = at } = this.#watermarks;
    if (status === 'RETURNED')
      this.#watermarks = { ...this.#watermarks, returnsForgotten: Math.max(returnsForgotten, at) };
  }

  // A replica that lags behind may return a payment that has just ended once more in its earlier state. Of one that had
  // ended before it was seen, only `updatedAt` shows when.
  #isNeeded({ id, status, at, updatedAt, seenAt, isFirst = false }: TrackedPayment): boolean {
    return (
      !isFinalStatus(status) ||
      this.#isRecent(at) ||
      (isFirst && updatedAt !== ''
        ? this.#isRecent(parseTime(updatedAt))
        : this.#workflow.timing.elapsed() - seenAt < this.#consistencyWindow) ||
      this.#unconfirmed.has(id) ||
      this.#unconfirmedBefore.has(id) ||
      (status === 'RETURNED' && at >= this.#watermarks.returnsSince)
    );
  }

  #commitKnown(): void {
    this.#committed = new Map(this.#known);
    this.#uncommitted = [];
  }

  /** Returns a function that creates the checkpoint of the current state. */
  checkpoint(): (progress: Pick<CheckpointData, 'behind' | 'start' | 'account' | 'seen'>) => CheckpointData {
    const { startedAt, listedUntil, returnsSince, longestProcessing, endedSince, returnsForgotten } = this.#watermarks;
    const [committed, uncommitted, length] = [this.#committed, this.#uncommitted, this.#uncommitted.length];
    const unconfirmed = new Set([...this.#unconfirmedBefore.keys(), ...this.#unconfirmed.keys()]);
    const { timing, clock } = this.#workflow;
    const [now, elapsed, platformTime] = [timing.now(), timing.elapsed(), clock.now()];
    return (progress) => {
      const known = new Map(committed);
      for (const payment of uncommitted.slice(0, length)) known.set(payment.id, payment);
      return {
        version: 1,
        ...progress,
        startedAt: toFilterTime(startedAt),
        listedUntil: toFilterTime(listedUntil),
        returnsSince: toFilterTime(returnsSince),
        longestProcessing,
        endedSince: toFilterTime(endedSince),
        ...(returnsForgotten === undefined ? {} : { returnsForgotten: toFilterTime(returnsForgotten) }),
        payments: [...known.values()].map(({ id, status, createdAt, updatedAt, seenAt }) =>
          unconfirmed.has(id)
            ? [id, status, createdAt, updatedAt, toFilterTime(now - (elapsed - seenAt))]
            : [id, status, createdAt, updatedAt],
        ),
        seenAt: toFilterTime(now),
        platformTime: toFilterTime(platformTime),
      };
    };
  }
}

/** The statuses of open payments, in the usual order. */
export const openStatuses: readonly PaymentStatus[] = paymentStatuses.filter((status) => !isFinalStatus(status));
