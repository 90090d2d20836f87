import type { PaymentCreateIntent } from '../contract/intent.js';
import type { JournalEntry, IntentResolution } from './journal.js';

/** A row of the journal's table. */
export interface JournalRow {
  /** The intent's id. A column, as are the quote and the key: statements must not depend on the JSON being valid. */
  readonly intentId: string;
  readonly quote: string;
  readonly idempotencyKey: string | null;
  /** The intent, as JSON. */
  readonly intent: string;
  /** The outcome; null while the entry is pending. */
  readonly outcome: IntentResolution['outcome'] | null;
  /** The payment's id, if it was created. */
  readonly paymentId: string | null;
  /** When it was claimed, by the clock of the database: an ISO 8601 string; null or another string if it is damaged. */
  readonly claimedAt: string | null;
}

/**
 * Returns the columns of a row, for a statement that reads it. All are texts: what a driver makes of other types
 * depends on its settings and on those of the session. `claimedAt` is the SQL of the time as ISO 8601.
 */
export const rowColumns = (claimedAt: string): string =>
  'intent_id as "intentId", quote, idempotency_key as "idempotencyKey", intent, ' +
  `outcome, payment_id as "paymentId", ${claimedAt} as "claimedAt"`;

/** The names of these columns. */
export const rowNames = ['intentId', 'quote', 'idempotencyKey', 'intent', 'outcome', 'paymentId', 'claimedAt'] as const;

/** Returns the values of the columns of a new entry: the intent's id, its quote, its key and the intent as JSON. */
export function toValues(intent: PaymentCreateIntent): [id: string, quote: string, key: string | null, text: string] {
  const { id, request, idempotencyKey = null } = intent;
  return [id, String(request.paymentQuoteId), idempotencyKey, JSON.stringify(intent)];
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
export function toIntent({ intentId, quote, idempotencyKey, intent, claimedAt }: JournalRow): PaymentCreateIntent {
  const stored = parseJson(intent);
  const isIntact =
    stored?.id === intentId &&
    String(stored.request?.paymentQuoteId) === quote &&
    (stored.idempotencyKey ?? null) === idempotencyKey;
  if (isIntact) return stored as PaymentCreateIntent;
  const key = idempotencyKey === null ? {} : { idempotencyKey };
  const request = { paymentQuoteId: quote } as PaymentCreateIntent['request'];
  const time = new Date(claimedAt ?? '');
  const createdAt = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  return { version: 1, id: intentId, ...key, request, createdAt, clockOffset: 0 };
}

function parseJson(text: string): Partial<PaymentCreateIntent> | null | undefined {
  try {
    return JSON.parse(text) as Partial<PaymentCreateIntent> | null;
  } catch {
    // It is damaged.
  }
  return undefined;
}
