import { startOf } from './schema/time.js';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;
// Frameworks also write UTC and a zone of zeros.
const utc = String.raw`(?:GMT|UTC|[+-]0000)`;

/** The three formats of RFC 9110, section 5.6.7: IMF-fixdate, that of RFC 850, and that of asctime, which is UTC too. */
const formats = [
  String.raw`[A-Z][a-z]+, (?<day>\d\d) ${month} (?<year>\d{4}) ${time} ${utc}`,
  String.raw`[A-Z][a-z]+, (?<day>\d\d)-${month}-(?<year>\d\d) ${time} ${utc}`,
  String.raw`[A-Z][a-z]+ ${month} +(?<day>\d{1,2}) ${time} (?<year>\d{4})`,
].map((format) => new RegExp(`^${format}$`));

/**
 * Parses the date of a header, in milliseconds since the epoch; NaN if it has no format of HTTP or does not exist.
 * `now` decides the century of a year with two digits, which is at most 50 years later.
 */
export function parseHttpDate(text: string | null, now: number): number {
  const parts = formats.map((format) => format.exec(text ?? '')?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return Number.NaN;
  const numberOf = (name: string): number => Number(parts[name]);
  const latestYear = new Date(now).getUTCFullYear() + 50;
  const year = numberOf('year');
  const fullYear = parts['year']?.length === 2 ? year + 100 * Math.floor((latestYear - year) / 100) : year;
  const seconds = numberOf('hour') * 3_600 + numberOf('minute') * 60 + numberOf('second');
  return startOf(fullYear, months.indexOf(parts['month'] ?? '') + 1, numberOf('day')) + seconds * 1_000;
}

/**
 * Parses a `Retry-After`, which is a number of seconds or a date, as milliseconds from `now`, at least 0; undefined if
 * it is neither.
 */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text ?? '')) return Number(text) * 1_000;
  const date = parseHttpDate(text, now);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
