/** Formats a decimal string with thousands separators, without changing its digits. */
export function formatAmount(amount: string, currencyCode = ''): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(amount) ?? [];
  const grouped = whole === '' ? amount : `${sign}${BigInt(whole).toLocaleString('en')}${fraction}`;
  return currencyCode === '' ? grouped : `${grouped} ${currencyCode}`;
}

/** Formats a status such as `PENDING_REVIEW` as `Pending review`. */
export function formatStatus(status: string): string {
  const words = status.toLowerCase().replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Formats milliseconds: `0.4 ms`, `12 ms`, `1.2 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Formats a span with its two largest units: `2 d 4 h`, `14 min 3 s`. */
export function formatSpan(milliseconds: number): string {
  let rest = Math.max(0, Math.round(milliseconds / 1000) * 1000);
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count} ${unit}`);
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? '0 s' : parts.filter((part) => !part.startsWith('0 ')).join(' ');
}

/** Formats a time as `2026-03-01 09:00:00`, in UTC. */
export function formatTime(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 19).replace('T', ' ');
}

/** Formats the time of day with milliseconds, in UTC. */
export function formatTimeOfDay(time: number): string {
  return new Date(time).toISOString().slice(11, 23);
}

/** Formats a count: `2,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** Formats a count with its noun: `1 request`, `2,000 requests`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
