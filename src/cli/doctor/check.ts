import { parseHttpDate } from '../../contract/http-date.js';

/** The status of a check; a warning is not a failure. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** The result of one check of `doctor`. */
export interface CheckResult {
  /** The name of the check. */
  readonly check: string;
  /** Its status. */
  readonly status: CheckStatus;
  /** The details of the result; never contains a secret. */
  readonly detail: string;
  /** The suggested fix. */
  readonly remedy?: string;
}

/** Receives the result of each check. */
export type ReportCheck = (result: CheckResult) => Promise<void>;

/** The accuracy of a Date header in milliseconds: it has whole seconds and is delayed by the network. */
const resolution = 2_000;
const minReportedOffset = 10_000;
/** The client corrects a clock skew of up to one day. */
const maxCorrectableOffset = 86_400_000;

/**
 * Returns by how many milliseconds a platform's clock is ahead of this machine's, by the `Date` header of a response: 0
 * if the clocks can agree, otherwise the middle of what is possible; undefined without the header, and from a cache.
 */
export function clockOffset(headers: Headers, startedAt: number, endedAt: number): number | undefined {
  const date = parseHttpDate(headers.get('date'), endedAt);
  if (Number.isNaN(date) || headers.has('age')) return undefined;
  // The header omits the fraction of its second, and is of any moment of the request.
  const [least, most] = [date - endedAt, date + 1000 - startedAt];
  return least <= 0 && most >= 0 ? 0 : (least + most) / 2;
}

/** Describes the offset of the platform's clock, in milliseconds; undefined if no response had one. */
export function describeClock(offset: number | undefined): CheckResult {
  const check = 'clock';
  if (offset === undefined)
    return {
      check,
      status: 'warning',
      detail: 'the response has no Date header, so the difference cannot be measured or corrected',
      remedy: 'Keep the clock of this machine accurate: tokens are valid for one minute',
    };
  const off = Math.abs(offset);
  if (off < resolution) return { check, status: 'ok', detail: "in sync with the platform's" };
  const detail = `${formatDuration(off)} ${offset > 0 ? 'behind' : 'ahead of'} the platform's`;
  const remedy =
    'Set the clock of this machine, preferably with NTP (timedatectl set-ntp true, or your system settings)';
  if (off > maxCorrectableOffset)
    return { check, status: 'failed', detail: `${detail}, which is more than the client corrects`, remedy };
  return off < minReportedOffset
    ? { check, status: 'ok', detail: `${detail}, which the client corrects` }
    : { check, status: 'warning', detail: `${detail}; the client corrects it after its first request`, remedy };
}

/** Formats a duration in its largest unit. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
