import * as z from 'zod/mini';
import { optionsObject, type OptionsShape } from '../options.js';
import { memoize, type Schema } from './schema.js';

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

/** Returns the schemas of the units of a duration. */
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
