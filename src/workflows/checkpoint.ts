import { ConfigurationError } from '../errors.js';
import { timeOf } from './record-time.js';

/** A payment that a feed remembers: its id, the status it was last seen in, when it was created, and when it last changed. */
export type RememberedPayment = readonly [id: string, status: string, createdAt: string, updatedAt: string];

/**
 * Where `payments.changes` stands: plain JSON, to be stored and given back as `since`. It grows with the payments that are on their
 * way; beside them it holds those created or ended in the last settle window, and those returned that are still followed.
 */
export interface ChangesCheckpoint {
  /** The version of this form. */
  readonly version: 1;
  /** Where the feed began: payments created before are reported when they change, and not for being there. */
  readonly from: string;
  /** Up to where the list was walked for new payments. */
  readonly seenTo: string;
  /** From where returns of completed payments are known. */
  readonly returnsFrom: string;
  /** The payments that are remembered. */
  readonly payments: readonly RememberedPayment[];
}

/** Takes a checkpoint back out of storage; refuses what is none. */
export function readCheckpoint(stored: unknown): ChangesCheckpoint {
  const { version, from, seenTo, returnsFrom, payments } = (stored ?? {}) as Partial<Record<keyof ChangesCheckpoint, unknown>>;
  if (version !== 1) throw new ConfigurationError('the checkpoint is of a version that this package does not know');
  const isTime = (time: unknown): boolean => typeof time === 'string' && !Number.isNaN(Date.parse(time));
  if (![from, seenTo, returnsFrom].every(isTime) || !Array.isArray(payments) || !payments.every(isRemembered)) {
    throw new ConfigurationError('the checkpoint is damaged: store and read it as JSON, whole and unchanged');
  }
  return stored as ChangesCheckpoint;
}

function isRemembered(payment: unknown): boolean {
  return Array.isArray(payment) && payment.length === 4 && payment.every((part: unknown) => typeof part === 'string') && !Number.isNaN(timeOf(String(payment[2])));
}
