import { webCrypto } from '../../contract/web-crypto.js';
import * as z from 'zod/mini';
import { custom, numberFrom } from '../../contract/option-schemas.js';
import { memoize, string, withMetadata, type Schema } from '../../contract/schema/schema.js';
import type { PaymentCreateIntent } from '../../contract/intent.js';
import { clockResolution, type ClockReading } from '../../transport/clock.js';
import { maxTimerDelay } from '../../transport/request-options.js';
import { validateStored, type WorkflowContext } from '../context.js';

/** What an intent has besides its request. `sendingTime` is for how long its process may send it, in milliseconds. */
interface IntentDetails {
  readonly idempotencyKey?: string | undefined;
  readonly sendingTime?: number | undefined;
  readonly consistencyWindow?: number | undefined;
}

/**
 * Creates the intent of a request, as of a reading of the clocks. Freezes the request, which must not be the caller's
 * own object: user code receives the intent before the request is sent.
 */
export function createIntent(
  request: PaymentCreateIntent['request'],
  { clock, options }: Pick<WorkflowContext, 'clock' | 'options'>,
  { idempotencyKey, sendingTime, consistencyWindow }: IntentDetails = {},
  { now, offset, isKnown }: ClockReading = clock.read(),
): PaymentCreateIntent {
  return deepFreeze({
    version: 1,
    id: webCrypto().randomUUID(),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    request,
    ...(sendingTime === undefined ? {} : { sendUntil: new Date(now + sendingTime).toISOString() }),
    createdAt: new Date(now).toISOString(),
    clockOffset: offset,
    clockKnown: isKnown,
    platform: options.baseUrl,
    ...(consistencyWindow === undefined ? {} : { consistencyWindow }),
  });
}

/**
 * Returns a function that returns an intent that is sent from a reading of the clocks on, with a creation time that
 * what is known by then of the platform's clock allows: the first response of a process may show that the machine's
 * clock is wrong, and a search that starts at a later time could miss the payment.
 */
export function correctedIntent(
  { timing, clock }: Pick<WorkflowContext, 'timing' | 'clock'>,
  intent: PaymentCreateIntent,
  started: ClockReading = clock.read(),
): () => PaymentCreateIntent {
  let current = intent;
  return () => {
    if (!clock.isKnown) return current;
    const elapsed = Math.max(0, timing.elapsed() - started.elapsed);
    // The elapsed time does not count while a machine is suspended, the machine's clock can be set.
    const sinceStart = current.clockKnown === true ? elapsed : Math.max(elapsed, timing.now() - started.machine);
    const sentAt = clock.now() - sinceStart;
    if (current.clockKnown !== true || sentAt + clockResolution < Date.parse(current.createdAt))
      current = deepFreeze({
        ...current,
        createdAt: new Date(sentAt).toISOString(),
        ...(current.sendUntil === undefined
          ? {}
          : {
              sendUntil: new Date(sentAt + Date.parse(current.sendUntil) - Date.parse(current.createdAt)).toISOString(),
            }),
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

/** The schema of an idempotency key. Databases cannot store every string unchanged. */
export const idempotencyKey: Schema<string> = memoize(() =>
  custom((key) => typeof key === 'string' && /^.{1,255}$/su.test(key) && key.isWellFormed() && !key.includes('\0'), {
    rule: 'must be a string of 1 to 255 characters, such as the id of the order, without NUL',
  }),
);

const storedIntent = memoize(() => {
  const request = { paymentQuoteId: string(), amount: string(), currencyCode: string() };
  const time = z.string().check(z.refine((text) => isSupportedDate(Date.parse(text))));
  const dateTime = withMetadata(time, { rule: 'must be an ISO 8601 date-time from 1970 to 9998' });
  return withMetadata(
    z
      .looseObject({
        version: z.literal(1),
        id: string(),
        idempotencyKey: z.optional(idempotencyKey()),
        sendUntil: z.optional(dateTime),
        request: z.looseObject({ ...request, customerId: string(), beneficiaryId: string() }),
        createdAt: dateTime,
        clockOffset: z.number(),
        consistencyWindow: z.optional(numberFrom(0, maxTimerDelay)),
        platform: z.optional(string()),
      })
      .check(z.refine(({ createdAt, clockOffset }) => isSupportedDate(Date.parse(createdAt) - clockOffset))),
    { rule: 'must have a clockOffset for which createdAt - clockOffset is from 1970 to 9998' },
  );
});

// The list's filters accept four-digit years, and a search extends the range by about a day on either side.
const [earliest, latest] = [Date.UTC(1970, 0), Date.UTC(9999, 0)];

function isSupportedDate(time: number): boolean {
  return time >= earliest && time < latest;
}

/** Validates a stored intent. Throws a ConfigurationError if it is damaged or has an unknown version. */
export function parseIntent(stored: PaymentCreateIntent): PaymentCreateIntent {
  const { id, request } = Object(stored) as Partial<PaymentCreateIntent>;
  const isShort = (value: unknown): value is string => typeof value === 'string' && value.length <= 64;
  const quote: unknown = request?.paymentQuoteId;
  const name = `the intent${isShort(id) ? ` ${id}` : ''}${isShort(quote) ? ` (quote ${quote})` : ''}`;
  const source = 'the intent of onIntent, of an error or of the journal';
  validateStored<unknown>(storedIntent, stored, { kind: 'intent', name, source });
  return stored as PaymentCreateIntent;
}
