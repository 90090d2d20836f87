import type { ListedPayment } from '../contract/payments.js';
import type { ChangesCheckpoint, RememberedPayment } from './checkpoint.js';
import { hasEnded } from './payment-course.js';
import { createdAtOf, timeOf } from './record-time.js';

// A time that is shown in whole seconds may be up to a second before the one it stands for.
const coarse = 2_000;

/** What is known of a payment. */
export type KnownPayment = Pick<ListedPayment, 'id' | 'status' | 'createdAt' | 'updatedAt'>;

interface Remembered extends KnownPayment {
  readonly at: number;
}

/** From where a feed knows what, in milliseconds since the epoch. */
export interface Reach {
  readonly from: number;
  readonly seenTo: number;
  readonly returnsFrom: number;
}

/** What a record tells that was not known; `undefined` as the previous status where the payment was not known either. */
export interface News {
  readonly previousStatus: string | undefined;
}

/** What a feed knows of payments: those on their way, and of those that have ended as many as it takes to report none twice. */
export class FollowedPayments {
  readonly #settleWindow: number;
  #reach: Reach;
  #known: Map<string, Remembered>;
  // A checkpoint is written when it is asked for, and may be asked for late: what stood at the last rest, and what came since.
  #stood: ReadonlyMap<string, Remembered> = new Map();
  #since: Remembered[] = [];
  // Records that look older than what is known, and the poll in which they came.
  readonly #doubted = new Map<string, { readonly status: string; readonly poll: number }>();
  #poll = 0;

  constructor(reach: Reach, settleWindow: number, payments: readonly RememberedPayment[] = []) {
    this.#reach = reach;
    this.#settleWindow = settleWindow;
    this.#known = new Map(payments.map(([id, status, createdAt, updatedAt]) => [id, { id, status, createdAt, updatedAt, at: createdAtOf({ createdAt }) }]));
    this.#stood = new Map(this.#known);
  }

  get reach(): Reach {
    return this.#reach;
  }

  /** From where the list has to be walked for payments that are new. */
  get newFrom(): number {
    return Math.max(this.#reach.from, this.#reach.seenTo - this.#settleWindow);
  }

  /** A poll begins. */
  begin(): void {
    this.#poll += 1;
    for (const [id, { poll }] of this.#doubted) if (poll < this.#poll - 1) this.#doubted.delete(id);
    this.#rest();
  }

  /** The payments that are on their way. */
  open(): { readonly id: string; readonly at: number }[] {
    return [...this.#known.values()].filter(({ status }) => !hasEnded(status));
  }

  /** Takes a payment as it is, without news. */
  note({ id, status, createdAt, updatedAt }: KnownPayment, at: number): void {
    const payment: Remembered = { id, status, createdAt, updatedAt, at };
    this.#known.set(id, payment);
    this.#since.push(payment);
  }

  /** Holds a record against what is known; what is new is known from now on. */
  judge(payment: KnownPayment): News | undefined {
    const known = this.#known.get(payment.id);
    if (known !== undefined) return this.#judgeKnown(payment, known);
    const at = createdAtOf(payment);
    const { from, returnsFrom } = this.#reach;
    const ended = hasEnded(payment.status);
    const remembered = at >= from && (!ended || this.#isRecent(at));
    if (remembered) {
      this.note(payment, at);
      return { previousStatus: undefined };
    }
    if (!ended) this.note(payment, at);
    if (payment.status !== 'RETURNED' || at < returnsFrom) return undefined;
    // It had ended and was forgotten, and only one end is followed by another. Assumed: A-17
    this.note(payment, at);
    return { previousStatus: 'COMPLETED' };
  }

  #judgeKnown(payment: KnownPayment, known: Remembered): News | undefined {
    if (payment.status !== known.status && this.#isDoubtful(payment, known)) return undefined;
    this.#doubted.delete(payment.id);
    if (payment.status === known.status && payment.updatedAt === known.updatedAt) return undefined;
    this.note(payment, known.at);
    return payment.status === known.status ? undefined : { previousStatus: known.status };
  }

  // A list may be answered from a copy that is behind; what still holds in the next poll is true, whatever its time says.
  #isDoubtful({ id, status, updatedAt }: KnownPayment, known: Remembered): boolean {
    if (!(timeOf(updatedAt) < timeOf(known.updatedAt))) return false;
    const doubt = this.#doubted.get(id);
    if (doubt?.status === status && doubt.poll < this.#poll) return false;
    if (doubt?.status !== status) this.#doubted.set(id, { status, poll: this.#poll });
    return true;
  }

  #isRecent(at: number): boolean {
    return at >= this.#reach.seenTo - this.#settleWindow - coarse;
  }

  /** Notes how far the feed has come; what has ended and cannot come up again is forgotten. */
  advance(to: Partial<Reach>): void {
    const { from, seenTo, returnsFrom } = this.#reach;
    this.#reach = { from, seenTo: Math.max(seenTo, to.seenTo ?? 0), returnsFrom: Math.max(returnsFrom, to.returnsFrom ?? 0) };
    for (const [id, payment] of this.#known) if (!this.#isNeeded(payment)) this.#known.delete(id);
    this.#rest();
  }

  // One that has just ended may come up once more as it was, out of a copy that is behind.
  #isNeeded({ status, at, updatedAt }: Remembered): boolean {
    return !hasEnded(status) || this.#isRecent(at) || this.#isRecent(timeOf(updatedAt)) || (status === 'RETURNED' && at >= this.#reach.returnsFrom);
  }

  #rest(): void {
    this.#stood = new Map(this.#known);
    this.#since = [];
  }

  /** Where the feed stands now, for a checkpoint that is written when it is asked for. */
  mark(): () => ChangesCheckpoint {
    const { from, seenTo, returnsFrom } = this.#reach;
    const [stood, since, length] = [this.#stood, this.#since, this.#since.length];
    return () => {
      const known = new Map(stood);
      for (const payment of since.slice(0, length)) known.set(payment.id, payment);
      const text = (time: number): string => new Date(time).toISOString();
      return {
        version: 1, from: text(from), seenTo: text(seenTo), returnsFrom: text(returnsFrom),
        payments: [...known.values()].map(({ id, status, createdAt, updatedAt }) => [id, status, createdAt, updatedAt] as const),
      };
    };
  }
}
