// After a 429, requests are sent at this part of the rate that the platform accepted in the last seconds.
const decrease = 0.95;
const measuredTime = 10_000;
const maxMeasured = 1_000;

/**
 * The rate at which the platform accepts requests: unlimited until it responds with 429, then lowered to the rate that
 * it accepted, and raised with time, slowly at first (additive increase, multiplicative decrease). Times are in
 * milliseconds.
 */
export class AdaptiveRate {
  /** Requests per millisecond, when it was last lowered. */
  #rate = Number.POSITIVE_INFINITY;
  readonly #start: number;
  #loweredAt: number;
  /** When the last requests were accepted. */
  #accepted: number[] = [];
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(now: number) {
    this.#start = now;
    this.#loweredAt = now;
  }

  /** Reserves the next request, and returns how long to wait before it. */
  reserve(now: number): number {
    const at = Math.max(now, this.#nextAt);
    const seconds = Math.max(0, at - this.#loweredAt) / 1_000;
    const growth = 1 + seconds / 100 + (seconds / 30) ** 3;
    this.#nextAt = at + 1 / (this.#rate * growth);
    return at - now;
  }

  /** Records that the platform accepted a request. */
  accept(now: number): void {
    if (this.#accepted.push(now) > maxMeasured) this.#accepted.shift();
  }

  /**
   * Records that the platform rejected a request with 429, and when it may be sent again. A request that was sent before
   * the rate was last lowered does not lower it again.
   */
  reject(sentAt: number, retryAt: number): void {
    this.#nextAt = Math.max(this.#nextAt, retryAt);
    if (sentAt < this.#loweredAt) return;
    const since = Math.max(
      this.#start,
      retryAt - measuredTime,
      this.#accepted.length < maxMeasured ? 0 : (this.#accepted[0] ?? 0),
    );
    const count = this.#accepted.filter((time) => time >= since).length;
    this.#rate = (decrease * Math.max(1, count)) / Math.max(1, retryAt - since);
    this.#loweredAt = retryAt;
  }
}
