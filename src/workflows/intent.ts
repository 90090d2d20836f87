import { ConfigurationError, type StoredIntent } from '../errors.js';
import type { PaymentCreate } from '../contract/payments.js';

/** What is about to be sent, noted before it is sent: enough to find out later, in another process too, whether it happened. Plain JSON. */
export interface PaymentIntent extends StoredIntent {
  /** The version of this form. */
  readonly version: 1;
  /** The request, exactly as it is sent. */
  readonly request: PaymentCreate & Readonly<Record<string, unknown>>;
}

/**
 * Notes what is about to be sent; `serverNow` and `offset` are in milliseconds. The request must be a copy of our own: it is frozen,
 * for the intent is handed to others before it is sent.
 */
export function intentFor(request: PaymentIntent['request'], serverNow: number, offset: number): PaymentIntent {
  return frozen({
    version: 1,
    id: crypto.randomUUID(),
    request,
    sentAt: new Date(serverNow).toISOString(),
    offset,
  });
}

function frozen<T extends object>(value: T): Readonly<T> {
  for (const field of Object.values(value) as unknown[]) if (typeof field === 'object' && field !== null) frozen(field);
  return Object.freeze(value);
}

/** Takes an intent back out of storage; refuses what is none. */
export function readIntent(stored: StoredIntent): PaymentIntent {
  const { version, id, request, sentAt, offset } = stored ?? {};
  const name = typeof id === 'string' && id.length <= 64 ? `the intent ${id}` : 'the intent';
  if (version !== 1) throw new ConfigurationError(`${name} is of a version that this package does not know`);
  const texts = [id, sentAt, request?.['paymentQuoteId'], request?.['amount'], request?.['currencyCode'], request?.['customerId'], request?.['beneficiaryId']];
  if (!texts.every((text) => typeof text === 'string') || Number.isNaN(Date.parse(sentAt)) || !Number.isFinite(offset)) {
    throw new ConfigurationError(`${name} is damaged: store and read it as JSON, whole and unchanged`);
  }
  return stored as PaymentIntent;
}
