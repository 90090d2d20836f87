import * as z from 'zod/mini';
import { enumOf, array, memoize, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { parseTime } from '../../contract/schema/time.js';
import { accountShape, type CheckpointAccount } from '../account.js';
import { timeWindow, validateStored } from '../context.js';

/**
 * A position in the changes of payments, as plain JSON: store it, and pass it as `since` to continue. Its fields
 * besides `version` can change at any time.
 */
export type ChangesCheckpoint = {
  /** The format version. */
  readonly version: 1;
  /**
   * Whether changes from before the poll began may still be missing. After a complete poll, it is true if more payments
   * ended since the poll before than one poll looks up, if the list lacks an open payment, or if it shows a payment in
   * a state that may be an earlier one, which a later poll must confirm. Later polls report these changes.
   */
  readonly behind: boolean;
};

/**
 * A payment in its last known state. A timestamp is empty if the platform returned no valid one. `seenAt` is present if
 * a later poll must confirm another state.
 */
export type StoredPayment = readonly [
  id: string,
  status: string,
  createdAt: string,
  updatedAt: string,
  seenAt?: string | undefined,
];

/** The content of a checkpoint. Times are ISO 8601 strings, on the clock of `createdAt` unless noted. */
export interface CheckpointData extends ChangesCheckpoint, CheckpointAccount {
  /** The creation time from which an unknown payment is new. */
  readonly startedAt: string;
  /** Every payment that was created more than `consistencyWindow` before this time was seen. */
  readonly listedUntil: string;
  /** The creation time from which returned payments are known. */
  readonly returnsSince: string;
  /** The longest time from the creation of a payment to its completion that was seen, in milliseconds. */
  readonly longestProcessing?: number | undefined;
  /** The creation time from which payments that have ended are known. */
  readonly endedSince?: string | undefined;
  /** The latest creation time of a payment that was reported as returned and is not known anymore. */
  readonly returnsForgotten?: string | undefined;
  readonly payments: readonly StoredPayment[];
  /** Whether the payments that existed at the start were read; otherwise, whether it starts now or at a time. */
  readonly start: 'done' | 'now' | 'since';
  /** When the payments without a `seenAt` had these states, by the clock of this machine. */
  readonly seenAt: string;
  /** The same time by the platform's clock. */
  readonly platformTime?: string | undefined;
}

// `behind` is for the caller only.
const checkpointData: Schema<Omit<CheckpointData, 'behind'>> = memoize(() => {
  const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));
  const time = withMetadata(z.string().check(z.refine(isTime)), { rule: 'must be an ISO 8601 date-time' });
  const payment = (z.array(z.string()) as unknown as z.ZodMiniType<StoredPayment>).check(
    z.refine(
      ({ length, 2: createdAt, 4: seenAt }) =>
        (length === 4 || length === 5) &&
        (createdAt === '' || !Number.isNaN(parseTime(createdAt))) &&
        (seenAt === undefined || isTime(seenAt)),
    ),
  );
  return z.looseObject({
    version: z.literal(1),
    startedAt: time,
    listedUntil: time,
    returnsSince: time,
    longestProcessing: z.optional(timeWindow()),
    endedSince: z.optional(time),
    returnsForgotten: z.optional(time),
    payments: array(withMetadata(payment, { rule: 'must be an array of id, status, createdAt and updatedAt' })),
    start: enumOf(['done', 'now', 'since']),
    seenAt: time,
    platformTime: z.optional(time),
    ...accountShape(),
  });
});

/** Validates a stored checkpoint. Throws a ConfigurationError if it is damaged or has an unknown version. */
export function readCheckpoint(stored: unknown): CheckpointData {
  return validateStored(checkpointData, stored, {
    kind: 'checkpoint',
    source: 'a checkpoint of payments.changes',
    endpoint: 'payments.changes',
  }) as CheckpointData;
}
