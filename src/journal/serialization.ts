import type { PaymentCreateIntent } from '../errors/api.js';
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
export function toIntent({
  key,
  intentId,
  intent,
}: Pick<JournalRow, 'key' | 'intentId' | 'intent'>): PaymentCreateIntent {
  const stored = parseJson(intent);
  if (stored?.id === intentId && String(stored.request?.paymentQuoteId) === key) return stored as PaymentCreateIntent;
  const request = { paymentQuoteId: key } as PaymentCreateIntent['request'];
  return { version: 1, id: intentId, request, createdAt: '', clockOffset: 0 };
}

function parseJson(text: string): Partial<PaymentCreateIntent> | null {
  try {
    return JSON.parse(text) as Partial<PaymentCreateIntent> | null;
  } catch {
    return null;
  }
}

/** Returns the payment's id of a resolution. */
export function resolvedPaymentId(resolution: IntentResolution): string | null {
  return resolution.outcome === 'created' ? resolution.paymentId : null;
}
