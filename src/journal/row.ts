import type { StoredIntent } from '../error.js';
import type { JournalRecord, Settlement } from './journal.js';

/** A record as a table keeps it. */
export interface JournalRow {
  /** The intent, as JSON. */
  readonly intent: string;
  /** How it ended; null while that is open. */
  readonly outcome: Settlement['outcome'] | null;
  /** The payment's id, where it was created. */
  readonly paymentId: string | null;
}

/** The record of a row. */
export function recordOf({ intent, outcome, paymentId }: JournalRow): JournalRecord {
  const noted = intentOf(intent);
  if (outcome === null) return { intent: noted };
  return { intent: noted, settlement: outcome === 'created' ? { outcome, paymentId: paymentId ?? '' } : { outcome } };
}

/** The intent of a row. */
export function intentOf(text: string): StoredIntent {
  return JSON.parse(text) as StoredIntent;
}

/** The payment's id that a settlement tells of. */
export function paymentIdOf(settlement: Settlement): string | null {
  return settlement.outcome === 'created' ? settlement.paymentId : null;
}
