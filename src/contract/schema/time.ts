import * as z from 'zod/mini';
import { memoize, withMetadata, type Schema } from './schema.js';
import { optionsObject, type OptionsShape } from '../option-schemas.js';

const existingDate =
  '(?:(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29' +
  '|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)' +
  '|02-(?:0[1-9]|1\\d|2[0-8])))';

/** The format of a timestamp filter: an ISO 8601 UTC date-time ending in Z with a date that exists. */
const timestampPattern = new RegExp(`^${existingDate}T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?Z$`);

/** Returns the start of a date, in milliseconds since the epoch; NaN if the date does not exist. */
export function startOf(year: number, month: number, day: number): number {
  const date = new Date(0);
  // Date.UTC reads a year before 100 as one of the 20th century.
  const start = date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? start : Number.NaN;
}

/** Checks whether a string is a timestamp filter. Seconds and fractions are optional. */
export const isTimestamp = (value: string): boolean => timestampPattern.test(value);

// ISO 8601 in its extended and its basic format, and as databases print it, with a space before the time and the zone.
const responsePattern =
  /^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))(?:(?:T|\s+)([01]\d|2[0-4])(?::?([0-5]\d)(?::?([0-5]\d|60))?)?(?:[.,](\d+))?\s*(?:Z|UTC|GMT|([+\-\u2212])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/i;

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
const invalid = { time: Number.NaN, precision: Number.NaN } as const;

/**
 * Parses a timestamp of the platform, in any form of ISO 8601 with a calendar date. `time` is in milliseconds since the
 * epoch; `precision` is 60,000 if the timestamp has only minutes, for example. Both are NaN if it is invalid. A time
 * without a zone is UTC. Assumed: A-7
 */
function parseTimestamp(timestamp: unknown): { readonly time: number; readonly precision: number } {
  const parts = typeof timestamp === 'string' ? responsePattern.exec(timestamp.trim()) : null;
  if (parts === null) return invalid;
  const numberAt = (index: number): number => Number(parts[index] ?? 0);
  const start = startOf(numberAt(1), numberAt(2) || numberAt(4), numberAt(3) || numberAt(5));
  const unit = parts[8] !== undefined ? second : parts[7] !== undefined ? minute : parts[6] !== undefined ? hour : day;
  const fraction = Math.floor(Number(`0.${parts[9] ?? 0}`) * unit);
  const timeOfDay = numberAt(6) * hour + numberAt(7) * minute + numberAt(8) * second + fraction;
  // 24:00 is the end of a day, and a minute with a leap second has 61 seconds.
  if (Number.isNaN(start) || timeOfDay > day) return invalid;
  const zoneOffset = numberAt(11) * hour + numberAt(12) * minute;
  const isWest = parts[10] !== undefined && parts[10] !== '+';
  return {
    time: start + timeOfDay + (isWest ? zoneOffset : -zoneOffset),
    precision: parts[9] === undefined ? unit : 1,
  };
}

/** Parses a timestamp of the platform, in milliseconds since the epoch; NaN if it is invalid. */
export function parseTime(timestamp: unknown): number {
  return parseTimestamp(timestamp).time;
}

/**
 * Returns the latest time that a timestamp can mean, in milliseconds since the epoch: a timestamp in minutes means the
 * whole minute. Returns NaN if it is not an ISO 8601 date.
 */
export function latestTimeOf(timestamp: unknown): number {
  const { time, precision } = parseTimestamp(timestamp);
  return time + precision;
}

/** The rule for a `Date` in a filter. */
export const validDateRule = 'must be a valid Date';

/** A timestamp filter of a list. Assumed: A-14, which time it compares. */
export const timestampFilter: Schema<string> = memoize(() =>
  withMetadata(z.string().check(z.regex(timestampPattern)), {
    rule:
      'must be an ISO 8601 UTC date-time ending in Z with a date that ' +
      'exists, such as "2026-02-28T09:30:00Z", or a valid Date',
  }),
);

/** A duration, as the sum of its fields. */
export interface Duration {
  /** Days of 24 hours. */
  readonly days?: number;
  /** Hours. */
  readonly hours?: number;
  /** Minutes. */
  readonly minutes?: number;
  /** Seconds. */
  readonly seconds?: number;
}

export function durationShape(): OptionsShape<Duration> {
  const count = z.number();
  return { days: count, hours: count, minutes: count, seconds: count };
}

/** A later time could have a year of more than four digits. */
const maxMilliseconds = 1e12;

/** The schema of a duration longer than 0. */
export const positiveDuration: Schema<Duration> = memoize(() =>
  optionsObject<Duration>(
    durationShape(),
    { rule: 'must be a duration greater than 0 and at most 1e9 seconds, such as { minutes: 5 }' },
    (duration) => millisecondsOf(duration) > 0 && millisecondsOf(duration) <= maxMilliseconds,
  ),
);

/** Converts a valid duration to milliseconds. */
export function millisecondsOf({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): number {
  return days * 86_400_000 + hours * 3_600_000 + minutes * 60_000 + seconds * 1000;
}
