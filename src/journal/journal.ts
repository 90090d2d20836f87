import { type PaymentCreateIntent, ConfigurationError } from '../errors/api.js';

/** The outcome of an intent. */
export type IntentResolution =
  | { readonly outcome: 'created'; readonly paymentId: string }
  /** The request was not sent or was rejected: the quote can be used again. */
  | { readonly outcome: 'not-created' };

/** The entry of one payment in a journal. */
export interface JournalEntry {
  /** The intent. */
  readonly intent: PaymentCreateIntent;
  /** The outcome; absent while the entry is pending. */
  readonly resolution?: IntentResolution | undefined;
}

/**
 * A write-ahead log for `payments.createOnce`: intents are stored before they are sent, so that a crash loses nothing
 * and processes that share a journal never send a payment twice. There is one entry per quote. A custom journal must
 * keep a claim even if the process, the machine or the database fails immediately afterwards.
 */
export interface Journal {
  /**
   * Claims the intent's quote atomically. Returns true if this caller may send, otherwise the existing entry. An entry
   * that was resolved as `not-created` is replaced, unless it is the entry of the same intent (same `id`), which is
   * returned. If `claim` throws, it is called once more with the same intent; if that fails too, nothing is sent.
   */
  claim(intent: PaymentCreateIntent): Promise<true | JournalEntry>;
  /**
   * Stores the outcome of an intent. `not-created` resolves the entry only if it is pending and contains this intent
   * (same quote and same `id`). `created` is permanent for the quote: it also resolves an entry of another intent,
   * whose intent it replaces, but does not change an entry that is `created` already. Quotes without an entry are
   * ignored.
   */
  resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void>;
  /**
   * Returns the intents of pending entries, oldest first. A damaged entry must not hide the others: return an intent
   * with its `id`, its quote and an empty `createdAt` for it, which `payments.reconcilePending` reports.
   */
  listPending(): Promise<readonly PaymentCreateIntent[]>;
}

/** Returns the key of an intent in a journal: its quote. */
export function journalKey(intent: PaymentCreateIntent): string {
  return String(intent.request.paymentQuoteId);
}

/**
 * Releases the quote of a pending intent, so that it can be used again. Does nothing if the entry is resolved or if
 * another intent has claimed the quote since, so you can call it twice or from several processes.
 *
 * Call it only if you are certain that the payment of this intent was not created and that its process no longer runs:
 * the next `createOnce` for the quote sends a payment.
 *
 * @throws ConfigurationError if the intent has no `id` or no `paymentQuoteId`, or the journal has no `resolve`. Errors
 * of the journal are thrown unchanged.
 * @example
 * ```ts
 * import { Corridor, MemoryJournal, releaseIntent } from 'corridor-sdk';
 * const journal = new MemoryJournal(); // the journal of your client
 * const corridor = new Corridor({ journal });
 * async function releaseConfirmed(intentId: string) { // the platform's support confirmed that no payment exists
 *   for (const { intent, status } of await corridor.payments.reconcilePending()) {
 *     if (intent.id === intentId && status === 'not-found') await releaseIntent(journal, intent);
 *   }
 * }
 * await releaseConfirmed('e58ed763-928c-4155-bee9-fdbaaadc15f3');
 * ```
 */
export async function releaseIntent(journal: Pick<Journal, 'resolve'>, intent: PaymentCreateIntent): Promise<void> {
  if (typeof (journal as Partial<Journal> | null)?.resolve !== 'function')
    throw new ConfigurationError(
      'releaseIntent: journal must have a function "resolve". Pass the journal of your client',
    );
  const { id, request } = (intent ?? {}) as Partial<PaymentCreateIntent>;
  for (const [field, value] of Object.entries({ id, 'request.paymentQuoteId': request?.paymentQuoteId })) {
    if (typeof value !== 'string' || value === '')
      throw new ConfigurationError(
        `releaseIntent: ${field} of the intent must be a non-empty string (received ${typeof value}). Pass the intent that reconcilePending() or the error returned`,
      );
  }
  await journal.resolve(intent, { outcome: 'not-created' });
}
