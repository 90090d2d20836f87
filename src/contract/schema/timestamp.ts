import * as z from 'zod/mini';
import { memoize, withMetadata, type Schema } from './schema.js';

/** The format of a timestamp filter. `isTimestamp` also checks that the date exists. */
export const timestampPattern = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?Z$/;

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

const daysInMonth = (year: number, month: number): number => {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};

/**
 * Checks whether a string is an ISO 8601 UTC date-time ending in Z with a date that exists. Seconds and fractions are
 * optional.
 */
export function isTimestamp(value: string): boolean {
  const match = timestampPattern.exec(value);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/**
 * Parses a timestamp of the platform, in milliseconds since the epoch; NaN if it is invalid. A time without a zone is
 * UTC. Assumed: A-7
 */
export function parseTime(timestamp: string): number {
  const iso = timestamp.trim().replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
  return Date.parse(/T[\d:.]+$/.test(iso) ? `${iso}Z` : iso);
}

/** A timestamp filter of a list. Assumed: A-14, which time it compares. */
export const timestampFilter: Schema<string> = memoize(() =>
  withMetadata(z.string().check(z.refine(isTimestamp)), {
    rule: 'must be an ISO 8601 UTC date-time ending in Z with a date that exists, such as "2026-02-28T09:30:00Z", or a valid Date',
  }),
);
