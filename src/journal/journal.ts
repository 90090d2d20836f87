import type { PaymentCreateIntent } from '../contract/intent.js';

/** The outcome of an intent. */
export type IntentResolution =
  | { readonly outcome: 'created'; readonly paymentId: string }
  /** The request was not sent, was rejected, or was released: its quote and its key can be used again. */
  | { readonly outcome: 'not-created' };

/** The entry of one intent in a journal. */
export interface JournalEntry {
  /** The intent. */
  readonly intent: PaymentCreateIntent;
  /** The outcome; absent while the entry is pending. */
  readonly resolution?: IntentResolution | undefined;
}

/**
 * A write-ahead log for `payments.createOnce`: intents are stored before they are sent, so that a crash loses nothing
 * and processes that share a journal never send a payment twice. There is one entry per intent. An entry *holds* its
 * quote and its idempotency key until it is resolved as `not-created`; one entry at a time holds a quote or a key. A
 * custom journal must keep a claim even if the process, the machine or the database fails immediately afterwards. Test
 * it with the contract of `corridor-sdk/journal/testing`.
 */
export interface Journal {
  /**
   * Whether `claim` also claims the intent's `idempotencyKey`. Otherwise `createOnce` rejects calls with a key.
   * @default false
   */
  readonly supportsIdempotencyKeys?: boolean | undefined;
  /**
   * Claims the intent's quote and, if it has one, its `idempotencyKey`, atomically over both, also for calls without a
   * key or with another one. A claim never expires. Returns true if this caller may send,
   * otherwise the entry that prevents it, the first of: the created entry with its key or its quote, the entry of
   * the same intent (same `id`), whatever its resolution, the pending entry with its key, the one with its quote. If
   * `claim` throws, it is called once more with the same intent; if that fails too, nothing is sent.
   */
  claim(intent: PaymentCreateIntent): Promise<true | JournalEntry>;
  /**
   * Returns the entry that holds a key, the created one before a pending one; undefined if there is none. It changes
   * nothing. `payments.reconcile({ idempotencyKey })` needs it, and `createOnce` to learn the platform's time first.
   */
  findByKey?(idempotencyKey: string): Promise<JournalEntry | undefined>;
  /**
   * Stores the outcome of the intent with this `id`. `not-created` resolves a pending entry only; if there is no entry,
   * it prevents that the intent is claimed later, because its claim may be on its way. `created` is permanent: it also
   * resolves an entry that is `not-created`, and no later claim for its quote or its key succeeds. If there is no entry,
   * `created` stores one, also if another intent holds the quote or the key, and returns false: the journal has lost
   * claims, as by a failover, which the client reports to its `logger`. `created` of an intent whose `accepted` has the
   * same payment replaces the stored intent, also if the entry is `created` with that payment.
   */
  resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<boolean | void>;
  /**
   * Returns the intents of pending entries, oldest first. A damaged entry must not hide the others: return an intent
   * with its `id`, its key, its quote and, as `createdAt`, the time of its claim or an empty string. It can be released
   * only by a person.
   */
  listPending(): Promise<readonly PaymentCreateIntent[]>;
}

/** A journal that can be in memory. Its clients warn once, at the first key. */
export interface InMemoryJournal extends Journal {
  /** Absent if it is not in memory, or not used yet. */
  readonly inMemory: { hasWarned: boolean } | undefined;
}

/** Returns the names that an intent claims: that of its key, if it has one, and that of its quote. */
export function claimedNames({
  idempotencyKey,
  request,
}: Pick<PaymentCreateIntent, 'idempotencyKey' | 'request'>): string[] {
  return [
    ...(idempotencyKey === undefined ? [] : [`key ${idempotencyKey}`]),
    `quote ${String(request.paymentQuoteId)}`,
  ];
}

/** Returns whether a person accepted the payment of a resolution, so that the intent replaces the stored one. */
export function isAcceptance({ accepted }: PaymentCreateIntent, resolution: IntentResolution): boolean {
  return resolution.outcome === 'created' && accepted?.paymentId === resolution.paymentId;
}

/** The default of `consistencyWindow` of `createOnce` and `reconcile`, in milliseconds. */
export const defaultConsistencyWindow = 10_000;

/** How much the clocks of two processes can differ, in milliseconds. */
const processClockSpread = 5 * 60_000;

/**
 * Returns the time from which on the payment of an intent can no longer be created, by the platform's clock and with a
 * margin for the clocks of processes: its process no longer sends it, and the list shows it if it exists.
 */
export function releasableFrom(intent: PaymentCreateIntent, consistencyWindow?: number): number {
  return listedFrom(intent, consistencyWindow) + processClockSpread;
}

/**
 * Returns the time from which on the list shows the payment of an intent if it exists, by the clock of its process.
 * `consistencyWindow` is the client's, in milliseconds; the longer one counts.
 */
export function listedFrom(
  { sendUntil, createdAt, ...intent }: PaymentCreateIntent,
  consistencyWindow?: number,
): number {
  return Date.parse(sendUntil ?? createdAt) + longerWindow(intent, consistencyWindow);
}

/** Returns the longer of the consistency windows of an intent and of a client, in milliseconds. */
export function longerWindow(
  { consistencyWindow = 0 }: Pick<PaymentCreateIntent, 'consistencyWindow'>,
  own: number = defaultConsistencyWindow,
): number {
  return Math.max(consistencyWindow, own);
}
