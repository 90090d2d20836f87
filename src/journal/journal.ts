import type { StoredIntent } from '../error.js';

/** How an intent ended. */
export type Settlement =
  | { readonly outcome: 'created'; readonly paymentId: string }
  /** It never left, or the platform refused it: the quote may be tried again. */
  | { readonly outcome: 'not-created' };

/** What a journal holds of one payment. */
export interface JournalRecord {
  /** What was about to be sent. */
  readonly intent: StoredIntent;
  /** How it ended; absent while that is open. */
  readonly settlement?: Settlement | undefined;
}

/**
 * Where `payments.createOnce` notes what it is about to send, so that a crash loses nothing and several processes that share a
 * journal never send one payment twice. There is one record per quote.
 */
export interface Journal {
  /**
   * Claims the intent's quote, atomically: true where this caller may send, otherwise the record that stands. A record that
   * ended `not-created` gives way.
   */
  claim(intent: StoredIntent): Promise<true | JournalRecord>;
  /** Notes how the payment of a quote ended. */
  settle(key: string, settlement: Settlement): Promise<void>;
  /** The intents that are not settled. */
  open(): Promise<readonly StoredIntent[]>;
}

/** What a journal files an intent under: its quote. */
export function journalKey(intent: StoredIntent): string {
  return String(intent.request['paymentQuoteId']);
}
