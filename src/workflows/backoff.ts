import { EndlessListError } from '../core/pagination.js';
import { isTransientStatus, TransientSigningError } from '../transport/transient.js';
import { ApiError, CorridorError, RateLimitError, type ErrorCode } from '../errors/api.js';

/** The longest `Retry-After` that a workflow waits for, in milliseconds: a longer one is probably wrong. */
export const maxRetryAfter = 60 * 60_000;

// This many invalid responses in a row are treated as permanent.
const maxInvalidResponses = 5;

const transientCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['connection', 'timeout']);

/** The delay between two polls: doubles while nothing changes or polls fail, and resets on a change. */
export class PollBackoff {
  readonly #min: number;
  readonly #max: number;
  readonly #maxRetryAfter: number;
  #delay: number | undefined;
  #invalidResponses = 0;

  /** Takes the shortest and the longest delay, and the longest `Retry-After` to wait for, in milliseconds. */
  constructor(min: number, max: number, longestRetryAfter: number) {
    this.#min = min;
    this.#max = Math.max(min, max);
    this.#maxRetryAfter = longestRetryAfter;
  }

  /** Returns the delay after a poll, in milliseconds. */
  next(hasChanged: boolean): number {
    this.#invalidResponses = 0;
    if (hasChanged) this.#delay = undefined;
    return this.#increase();
  }

  /** Returns the delay after a failed poll, in milliseconds. Throws the error if it is not transient. */
  nextAfterError(error: unknown): number {
    if (!this.#isTransient(error)) throw error;
    const { retryAfterMs = 0 } = error instanceof ApiError ? error : {};
    if (retryAfterMs > this.#maxRetryAfter) throw error;
    const requested = error instanceof RateLimitError ? retryAfterMs : 0;
    return Math.max(this.#increase(), Math.min(requested, maxRetryAfter));
  }

  /** Returns the delay after a failure that always passes, in milliseconds. */
  nextAfterFailure(): number {
    return this.#increase();
  }

  #increase(): number {
    this.#delay = this.#delay === undefined ? this.#min : Math.min(this.#delay * 2, this.#max);
    return this.#delay;
  }

  #isTransient(error: unknown): boolean {
    if (isTransient(error)) return true;
    if (!(error instanceof CorridorError) || !isInvalidResponse(error) || error instanceof EndlessListError)
      return false;
    this.#invalidResponses += 1;
    return this.#invalidResponses < maxInvalidResponses;
  }
}

/** Returns whether the failure of a read can pass. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof TransientSigningError ||
    (error instanceof CorridorError && transientCodes.has(error.code)) ||
    (error instanceof ApiError && isTransientStatus(error.status))
  );
}

// If a page after the first one is rejected, its cursor has expired; the next poll starts from the first page.
function isInvalidResponse(error: CorridorError): boolean {
  return (
    error.code === 'invalid-response' ||
    error.code === 'pagination' ||
    (error instanceof ApiError && error.cursor !== undefined && error.status !== 401 && error.status !== 403)
  );
}
