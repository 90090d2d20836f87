import { ConfigurationError, type StoredIntent } from '../../errors/api.js';
import type { PaymentCreateIntent } from '../../errors/payments.js';
import type { PreparedRequest } from '../../transport/build-request.js';
import { clockResolution, type ServerClock } from '../../transport/clock.js';
import type { WorkflowContext } from '../context.js';

/** Returns the payment that a request creates, parsed from the bytes that are sent. */
export function paymentOf({ body }: PreparedRequest): PaymentCreateIntent['request'] {
  return JSON.parse(body as string) as PaymentCreateIntent['request'];
}

/**
 * Creates the intent of a request. Freezes the request, which must not be the caller's own object: user code receives
 * the intent before the request is sent.
 */
export function createIntent(request: PaymentCreateIntent['request'], clock: ServerClock): PaymentCreateIntent {
  return deepFreeze({
    version: 1,
    id: crypto.randomUUID(),
    request,
    createdAt: new Date(clock.now()).toISOString(),
    clockOffset: clock.offset,
    clockKnown: clock.isKnown,
  });
}

/**
 * Returns a function that returns an intent that is sent from now on, with a creation time that what is known by then of
 * the platform's clock allows: the first response of a process may show that the machine's clock is wrong, and a search
 * that starts at a later time could miss the payment.
 */
export function correctedIntent(
  { timing, clock }: Pick<WorkflowContext, 'timing' | 'clock'>,
  intent: PaymentCreateIntent,
): () => PaymentCreateIntent {
  const [startedAt, started] = [timing.now(), timing.elapsed()];
  let current = intent;
  return () => {
    if (!clock.isKnown) return current;
    const elapsed = Math.max(0, timing.elapsed() - started);
    // The elapsed time does not count while a machine is suspended, the machine's clock can be set.
    const sinceStart = current.clockKnown === true ? elapsed : Math.max(elapsed, timing.now() - startedAt);
    const sentAt = clock.now() - sinceStart;
    if (current.clockKnown !== true || sentAt + clockResolution < Date.parse(current.createdAt))
      current = deepFreeze({
        ...current,
        createdAt: new Date(sentAt).toISOString(),
        clockOffset: clock.offset,
        clockKnown: true,
      });
    return current;
  };
}

function deepFreeze<T extends object>(value: T): Readonly<T> {
  for (const field of Object.values(value) as unknown[])
    if (typeof field === 'object' && field !== null) deepFreeze(field);
  return Object.freeze(value);
}

// The list's filters accept four-digit years, and a search extends the range by about a day on either side.
const earliest = Date.UTC(1970, 0);
const latest = Date.UTC(9999, 0);

/** Validates a stored intent. Throws a ConfigurationError if it is damaged or has an unknown version. */
export function parseIntent(stored: StoredIntent): PaymentCreateIntent {
  if (typeof stored !== 'object' || stored === null)
    throw new ConfigurationError(
      `the intent must be an object (received ${stored === null ? 'null' : typeof stored}). Pass the intent of onIntent, of an error or of the journal`,
    );
  const { version, id, request, createdAt, clockOffset } = stored;
  const name = describeIntent(id, request?.['paymentQuoteId']);
  if (version === undefined) throw damagedIntentError(name, 'version', '1 (received undefined)');
  if (version !== 1)
    throw new ConfigurationError(
      `${name} has an unsupported version (received ${describeVersion(version)}, expected 1). Update the package`,
    );
  const strings = {
    id,
    createdAt,
    ...Object.fromEntries(requiredStrings.map((field) => [`request.${field}`, request?.[field]])),
  };
  for (const [field, value] of Object.entries(strings))
    if (typeof value !== 'string') throw damagedIntentError(name, field, `a string (received ${typeof value})`);
  const time = Date.parse(createdAt);
  if (!isSupportedDate(time)) throw damagedIntentError(name, 'createdAt', 'an ISO 8601 date-time from 1970 to 9998');
  if (typeof clockOffset !== 'number' || !isSupportedDate(time - clockOffset))
    throw damagedIntentError(
      name,
      'clockOffset',
      'a number of milliseconds for which createdAt - clockOffset is from 1970 to 9998',
    );
  return stored as PaymentCreateIntent;
}

const requiredStrings = ['paymentQuoteId', 'amount', 'currencyCode', 'customerId', 'beneficiaryId'] as const;

const isSupportedDate = (time: number): boolean => time >= earliest && time < latest;

function damagedIntentError(name: string, field: string, rule: string): ConfigurationError {
  return new ConfigurationError(
    `${name} is damaged: ${field} must be ${rule}. Store the complete intent as JSON, and pass it unchanged`,
  );
}

// An unknown version may be any value of untrusted JSON.
function describeVersion(version: unknown): string {
  return typeof version === 'number' ? String(version) : typeof version;
}

function describeIntent(...[id, quote]: readonly unknown[]): string {
  const isShort = (value: unknown): value is string => typeof value === 'string' && value.length <= 64;
  return `the intent${isShort(id) ? ` ${id}` : ''}${isShort(quote) ? ` (quote ${quote})` : ''}`;
}
