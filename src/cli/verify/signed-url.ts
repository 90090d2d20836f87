import { fieldsOf, timeOf } from './session.js';

/** The query parameters with which well-known stores say for how many seconds a URL is valid. */
const lifetimeParameters = ['X-Amz-Expires', 'X-Goog-Expires'];
/** Those that contain the time at which it expires, in seconds or milliseconds since the epoch or as ISO 8601. */
const expiryParameters = ['Expires', 'expires', 'se', 'exp'];

/**
 * Returns for how many seconds a URL is valid, by its parameters or the other fields of the body; undefined if neither
 * shows it. `at` is the time of the response in milliseconds.
 */
export function lifetimeOf(url: string, at: number, body?: unknown): number | undefined {
  const { searchParams } = new URL(url);
  const [lifetime] = lifetimeParameters.flatMap((name) => searchParams.get(name) ?? []);
  if (lifetime !== undefined) return Number(lifetime);
  const times = [
    ...Object.values(fieldsOf(body)).map(timeOf),
    ...expiryParameters.map((name) => expiryOf(searchParams.get(name) ?? '')),
  ];
  const expiry = times.find((time) => time !== undefined && time > at);
  if (expiry === undefined) return undefined;
  // The Date header has whole seconds, and is not of the very moment at which the URL was signed.
  const seconds = Math.floor((expiry - at) / 1000);
  const usual = Math.round(seconds / 5) * 5;
  return Math.abs(seconds - usual) <= 1 ? usual : seconds;
}

function expiryOf(text: string): number | undefined {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  return /^\d{13}$/.test(text) ? Number(text) : timeOf(text);
}
