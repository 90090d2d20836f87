import type { StoredIntent } from '../errors/api.js';
import type { JournalEntry, IntentResolution } from './journal.js';

/** A row of the journal's table. */
export interface JournalRow {
  /** The quote. */
  readonly key: string;
  /** The intent's id. A column, because statements must not depend on the JSON being valid. */
  readonly intentId: string;
  /** The intent, as JSON. */
  readonly intent: string;
  /** The outcome; null while the entry is pending. */
  readonly outcome: IntentResolution['outcome'] | null;
  /** The payment's id, if it was created. */
  readonly paymentId: string | null;
}

/** Parses the entry of a row. */
export function toEntry(row: JournalRow): JournalEntry {
  const intent = toIntent(row);
  const { outcome, paymentId } = row;
  if (outcome === null) return { intent };
  return { intent, resolution: outcome === 'created' ? { outcome, paymentId: paymentId ?? '' } : { outcome } };
}

/**
 * Parses the intent of a row. A damaged intent is replaced by the columns, so that it does not hide the others and can
 * be released.
 */
export function toIntent({ key, intentId, intent }: Pick<JournalRow, 'key' | 'intentId' | 'intent'>): StoredIntent {
  const stored = parseJson(intent);
  if (stored?.id === intentId && String(stored.request?.['paymentQuoteId']) === key) return stored as StoredIntent;
  return { version: 1, id: intentId, request: { paymentQuoteId: key }, createdAt: '', clockOffset: 0 };
}

function parseJson(text: string): Partial<StoredIntent> | null {
  try {
    return JSON.parse(text) as Partial<StoredIntent> | null;
  } catch {
    return null;
  }
}

/** Returns the payment's id of a resolution. */
export function resolvedPaymentId(resolution: IntentResolution): string | null {
  return resolution.outcome === 'created' ? resolution.paymentId : null;
}
