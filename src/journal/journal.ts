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
 * journal never send one payment twice. There is one record per quote. A journal of your own must keep what it has claimed even if
 * the process, the machine or the database ends a moment later.
 */
export interface Journal {
  /**
   * Claims the intent's quote, atomically: true where this caller may send, otherwise the record that stands. A record that
   * ended `not-created` gives way. What this throws refuses the payment, before anything is sent.
   */
  claim(intent: StoredIntent): Promise<true | JournalRecord>;
  /**
   * Notes how the payment of a quote ended. `created` stands for good, whatever was noted before; `not-created` ends a record that is
   * open, and no other. A quote of which there is no record is let be.
   */
  settle(key: string, settlement: Settlement): Promise<void>;
  /** The intents that are not settled, oldest first. */
  open(): Promise<readonly StoredIntent[]>;
}

/** What a journal files an intent under: its quote. */
export function journalKey(intent: StoredIntent): string {
  return String(intent.request['paymentQuoteId']);
}
