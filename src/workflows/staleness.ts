import { isFinalStatus, paymentTransitions } from '../contract/schema/payments.js';
import { canReach } from '../contract/schema/schema.js';
import { parseTime, latestTimeOf } from '../contract/schema/time.js';

/** A state of a record, as a row shows it or as it was stored. A field can be missing or have another type. */
export interface RecordState {
  readonly status?: unknown;
  readonly updatedAt?: unknown;
}

/** What decides about a row whose order is uncertain. */
export interface KnownSince {
  /**
   * How long ago a row showed the known state first, in milliseconds: within a process by `Timing.elapsed`, which never
   * steps, and otherwise by `ageOf`. NaN if it is unknown.
   */
  readonly age: number;
  /** How long a list may show an earlier state of a record, in milliseconds. */
  readonly consistencyWindow: number;
  /**
   * Whether the reading before has shown the same status and it was held back, too: one replica can lag for longer than
   * the window.
   */
  readonly isConfirmed: boolean;
  /** Whether the row equals the state before the known one, which another replica can still show. */
  readonly isPrevious?: boolean;
}

/**
 * Reports whether a row may show an earlier state of a record than the known one, because it comes from a replica that
 * lags: such a row is held back, and a later reading decides. The only rule for this, of `payments.changes` and of
 * mirrors. By the kind of record:
 *
 * - A payment does not leave a final status, except from COMPLETED to RETURNED: a row with another known status is
 *   uncertain whatever its `updatedAt`, and one with a final status that can follow is not. Assumed: A-17
 * - Otherwise, a row with a later `updatedAt` is not earlier. Customers and beneficiaries can leave every status, so
 *   that only this proves it.
 * - If the timestamps do not tell (they are equal, cover the same second, or are unreadable), the status of a payment
 *   does that can follow the known one and not precede it. Assumed: A-10
 * - If the status is the same, a row with an earlier `updatedAt` is uncertain.
 * - If nothing of these tells, a row that equals the state before the known one is uncertain within the consistency
 *   window: fields can change without a new `updatedAt`.
 *
 * What else is uncertain is held back until the known state is older than the consistency window, and two readings have
 * shown it: a replica that lags by less than the window cannot show an earlier state by then.
 */
export function mayBeStale(
  record: 'payment' | 'customer' | 'beneficiary',
  row: RecordState,
  known: RecordState,
  { age, consistencyWindow, isConfirmed, isPrevious = false }: KnownSince,
): boolean {
  const isOld = age >= consistencyWindow;
  if (isOld && isConfirmed) return false;
  const isLater = parseTime(row.updatedAt) >= latestTimeOf(known.updatedAt);
  const isEarlier = parseTime(row.updatedAt) < parseTime(known.updatedAt);
  const [before, after] = [String(known.status), String(row.status)];
  if (before === after) return isEarlier || (isPrevious && !isOld && !isLater);
  if (record !== 'payment') return !isLater;
  const canFollow = canReach(paymentTransitions, before, [after]);
  if (!canFollow && Object.hasOwn(paymentTransitions, after)) return true;
  if (canFollow && isFinalStatus(after)) return false;
  return !isLater && ((isPrevious && !isOld) || isEarlier || !follows(after, before) || follows(before, after));
}

/**
 * Returns how long ago a stored time was at least, in milliseconds, by each clock that it was stored with: a clock can
 * have been set since, or be another machine's, so that the shortest time counts.
 */
export function ageOf(...times: readonly (readonly [storedAt: number, now: number])[]): number {
  return Math.max(0, Math.min(...times.map(([storedAt, now]) => now - storedAt)));
}

// Whether a status can follow another one, directly or not.
function follows(status: string, before: string): boolean {
  const reached = new Set([before]);
  for (const each of reached)
    for (const next of (paymentTransitions as Readonly<Record<string, readonly string[]>>)[each] ?? [])
      reached.add(next);
  return status !== before && reached.has(status);
}
