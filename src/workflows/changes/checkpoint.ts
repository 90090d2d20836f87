import * as z from 'zod/mini';
import { array, memoize, withMetadata, type Schema } from '../../contract/schema/schema.js';
import type { ChangesCheckpoint } from '../../journal/checkpoint-store.js';
import { parseTime } from '../../contract/schema/timestamp.js';
import { validateCheckpoint } from '../stored-checkpoint.js';

/** A payment in a checkpoint; `status` and `updatedAt` are those of its last known state. */
export type StoredPayment = readonly [id: string, status: string, createdAt: string, updatedAt: string];

/** The content of a checkpoint. Times are ISO 8601 strings. */
export interface CheckpointData extends ChangesCheckpoint {
  /** When the changes start: older payments are reported only when their status changes. */
  readonly startedAt: string;
  /** The time up to which the list was searched for new payments. */
  readonly listedUntil: string;
  /** The creation time from which returned payments are known. */
  readonly returnsSince: string;
  readonly payments: readonly StoredPayment[];
}

// `behind` is for the caller only.
const checkpointData: Schema<Omit<CheckpointData, 'behind'>> = memoize(() => {
  const time = withMetadata(z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))), {
    rule: 'must be an ISO 8601 date-time',
  });
  const payment = z
    .tuple([z.string(), z.string(), z.string(), z.string()])
    .check(z.refine(([, , createdAt]) => !Number.isNaN(parseTime(createdAt))));
  return z.looseObject({
    version: z.literal(1),
    startedAt: time,
    listedUntil: time,
    returnsSince: time,
    payments: array(withMetadata(payment, { rule: 'must be an array of id, status, createdAt and updatedAt' })),
  });
});

/** Validates a stored checkpoint. Throws a ConfigurationError if it is damaged or has an unknown version. */
export function readCheckpoint(stored: unknown): CheckpointData {
  return validateCheckpoint(checkpointData, stored, 'payments.changes') as CheckpointData;
}
