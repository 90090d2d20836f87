/** The statuses after which a read, or the deletion of a document, is retried. */
export const retryableStatusCodes: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

const baseDelay = 200;
const maxDelay = 8_000;

/** The longest `Retry-After` that a workflow waits for, in milliseconds: a longer one is probably wrong. */
export const maxRetryAfter = 60 * 60_000;

/** Returns a random delay before a retry, in milliseconds, up to a limit that doubles with each retry (full jitter). */
export function backoff(retry: number, random: () => number): number {
  return Math.round(random() * Math.min(maxDelay, baseDelay * 2 ** (retry - 1)));
}

/**
 * Returns a random delay from a requested delay up to 50% more, so that clients that were rejected together do not
 * return together. At most 8 seconds and half of the time that remains after the requested delay are added.
 */
export function addJitter(requested: number, remaining: number, random: () => number): number {
  return requested + Math.floor(random() * Math.max(0, Math.min(requested / 2, maxDelay, (remaining - requested) / 2)));
}

/** Returns the delay of a Retry-After header, in milliseconds from now, or undefined if there is no valid header. */
export function retryAfter(headers: Headers, serverNow: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Requires the name of a month, because Date.parse reads "-5" and "0.5" as years.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - serverNow);
}
