/** Statuses after which a read, or the deletion of a document, is tried again. */
export const passingStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

const shortest = 200;
const longest = 8_000;

/** A pause before a further attempt, in milliseconds: anything up to a bound that doubles, so that clients spread out. */
export function backoff(retry: number, random: () => number): number {
  return Math.round(random() * Math.min(longest, shortest * 2 ** (retry - 1)));
}

/** What a Retry-After header asks for, in milliseconds from now; undefined where it says nothing that can be read. */
export function retryAfter(headers: Headers, serverNow: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Only a date with a month's name: Date.parse takes "-5" and "0.5" for years.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - serverNow);
}

const capacity = 500;

/**
 * How many retries a client may still make: each costs, each success pays back. Where everything fails it runs dry, and calls
 * go out once only: a platform in trouble gets no threefold load.
 */
export class RetryBudget {
  #tokens = capacity;

  /** Takes the price of a retry; false where it cannot be paid. */
  take(price: number): boolean {
    if (this.#tokens < price) return false;
    this.#tokens -= price;
    return true;
  }

  /** Pays back: what the call's retries took, or a little for a call that needed none. */
  refund(paid: number): void {
    this.#tokens = Math.min(capacity, this.#tokens + Math.max(1, paid));
  }
}

/** What a retry costs: less where the platform itself asked for it. */
export function retryPrice(status: number | undefined): number {
  return status === 429 ? 5 : 10;
}
