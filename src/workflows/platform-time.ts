import { parseTime } from '../contract/schema/time.js';
import { InvalidResponseError } from '../errors/api.js';

/** The creation time of a payment is missing or invalid, or less precise than its use requires. */
export class UnreadableTimeError extends InvalidResponseError {
  constructor(problem: string, rule = 'must be a date-time') {
    const issues = [{ path: 'createdAt', message: rule }];
    super(`payments.list: ${problem}`, { endpoint: 'payments.list', outcome: 'applied', issues });
  }
}

/**
 * Returns the creation time of a payment, in milliseconds since the epoch. Throws if it is invalid, because the list
 * can be searched only by that time.
 */
export function createdAtOf(payment: { readonly createdAt: string }): number {
  const time = parseTime(payment.createdAt);
  if (!Number.isNaN(time)) return time;
  throw new UnreadableTimeError('a payment cannot be looked up, because its createdAt is not a valid date-time');
}

/**
 * How much the clock of `createdAt`, and of the filters that compare it, can differ from the clock of the `Date`
 * header, which may be that of a proxy, in milliseconds. Assumed: A-14
 */
export const platformClockSpread = 60 * 60_000;

// The filters take years of four digits.
/** The earliest time that the filters of the list can have, in milliseconds since the epoch. */
export const earliestFilterTime = Date.parse('0000-01-01T00:00:00Z');
/** The latest time that the filters of the list can have, in milliseconds since the epoch. */
export const latestFilterTime = Date.parse('9999-12-31T23:59:59.999Z');

/** Formats a time for the filters of the list. */
export function toFilterTime(time: number): string {
  return new Date(time).toISOString();
}

/**
 * How much further a search by creation time reaches at both ends, in milliseconds, so that it does not matter whether
 * the platform includes the bounds, and whether it compares seconds or milliseconds. Assumed: A-31
 */
export const filterMargin = 1_000;

/** Formats the start of a search by creation time. The caller compares the creation times itself. */
export function toFilterStart(time: number): string {
  return toFilterTime(Math.max(earliestFilterTime, Math.floor(time / 1_000) * 1_000 - filterMargin));
}

/** Formats the end of a search by creation time. The caller compares the creation times itself. */
export function toFilterEnd(time: number): string {
  return toFilterTime(Math.min(latestFilterTime, Math.ceil(time / 1_000) * 1_000 + filterMargin));
}
