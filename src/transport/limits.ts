import { millisecondsOf, type Duration } from '../contract/schema/time.js';
import type { Timing } from './clock.js';

/**
 * The rate at which a client may send requests: `{ requests: 100, per: { minutes: 1 } }`. Requests are spread evenly
 * over the time.
 */
export interface RateLimit {
  /** The number of requests. */
  readonly requests: number;
  /** The duration in which they may be sent: the sum of its fields. */
  readonly per: Duration;
  /** The number of requests that may be sent at once after a pause. @default 1 */
  readonly burst?: number | undefined;
}

// A 429 stops the client for this time at most, because the platform may mean one call and not all of them. A lowered
// rate returns to the limit within the same time, in equal steps.
const recoveryTime = 60_000;
const lowestShare = 1 / 64;
// Without a limit, a 429 lowers the rate to this part of the rate that the platform accepted in the last seconds.
const acceptedShare = 0.95;
const measuredTime = 10_000;
const maxMeasured = 1_000;

/**
 * A token bucket. A response with 429 stops it until the platform accepts requests again, and lowers its rate, which
 * then grows again: back to the limit or, without a limit, ever faster from the rate that the platform accepted
 * (additive increase, multiplicative decrease).
 */
export class RateLimiter {
  readonly #timing: Timing;
  /** The limit, in requests per millisecond; infinite without a limit. */
  readonly #limit: number;
  readonly #burst: number;
  readonly #maxBlock: number;
  readonly #queue = new Queue();
  readonly #started: number;
  /** When the last requests were accepted. */
  readonly #accepted: number[] = [];
  /** The rate when it was last lowered, and for how long it has grown since. */
  #lowered: number;
  #grown = 0;
  // With a limit, at most a burst remains of it.
  #tokens = Number.POSITIVE_INFINITY;
  #updatedAt: number;
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  #cancel = (): void => {};

  /** A 429 stops it for at most `maxBlock` milliseconds. */
  constructor(timing: Timing, limit: RateLimit | undefined, maxBlock = recoveryTime) {
    this.#timing = timing;
    this.#limit = limit === undefined ? Number.POSITIVE_INFINITY : limit.requests / millisecondsOf(limit.per);
    this.#burst = limit?.burst ?? 1;
    this.#maxBlock = maxBlock;
    this.#lowered = this.#limit;
    this.#started = timing.elapsed();
    this.#updatedAt = this.#started;
  }

  /** The current rate, in requests per second. */
  get requestsPerSecond(): number {
    return this.#rate * 1_000;
  }

  // Requests per millisecond.
  get #rate(): number {
    if (this.#limit !== Number.POSITIVE_INFINITY)
      return Math.min(this.#limit, this.#lowered + (this.#limit * this.#grown) / recoveryTime);
    const seconds = this.#grown / 1_000;
    return this.#lowered * (1 + seconds / 100 + (seconds / 30) ** 3);
  }

  /** Requests a permit to send one request now. Requests of the background wait for all others. */
  acquire(isBackground: boolean): Permit {
    const { ready, leave } = this.#queue.join(isBackground);
    this.#grant();
    const release = (): void => {
      leave();
      if (!this.#queue.isEmpty) return;
      this.#cancel();
      this.#isScheduled = false;
    };
    return { ready, release };
  }

  /** Records that the platform accepted a request. */
  accept(): void {
    if (this.#accepted.push(this.#timing.elapsed()) > maxMeasured) this.#accepted.shift();
  }

  /**
   * Lowers the rate after a response with 429 to a request, and stops for a delay in milliseconds, at most `maxBlock`.
   * Returns whether the rate changed: requests that were sent before it was last lowered do not lower it again.
   */
  lower(sentAt: number, delay: number | undefined): boolean {
    this.#refill();
    const now = this.#timing.elapsed();
    const blockedUntil = now + Math.min(delay ?? 0, this.#maxBlock);
    this.#blockedUntil = Math.max(this.#blockedUntil, blockedUntil);
    if (sentAt < this.#loweredAt) return false;
    this.#lowered =
      this.#limit === Number.POSITIVE_INFINITY
        ? acceptedShare * this.#acceptedRate(blockedUntil)
        : Math.max(this.#limit * lowestShare, this.#rate / 2);
    this.#tokens = 0;
    this.#grown = 0;
    this.#loweredAt = now;
    return true;
  }

  #acceptedRate(until: number): number {
    const earliest = this.#accepted.length < maxMeasured ? this.#started : (this.#accepted[0] ?? 0);
    const since = Math.max(earliest, until - measuredTime);
    const count = this.#accepted.filter((time) => time >= since).length;
    return Math.max(1, count) / Math.max(1, until - since);
  }

  #grant(): void {
    this.#refill();
    while (this.#tokens >= 1 && this.#timing.elapsed() >= this.#blockedUntil) {
      if (!this.#queue.grantNext()) return;
      this.#tokens -= 1;
    }
    if (this.#isScheduled || this.#queue.isEmpty) return;
    this.#isScheduled = true;
    const delay = Math.max(
      (1 - this.#tokens) / this.#rate,
      this.#blockedUntil - this.#timing.elapsed(),
      // A timer can fire slightly early.
      1,
    );
    this.#cancel = this.#timing.after(Math.min(Math.ceil(delay), 2_147_483_647), () => {
      this.#isScheduled = false;
      this.#grant();
    });
  }

  #refill(): void {
    const now = this.#timing.elapsed();
    const passed = Math.max(0, now - Math.max(this.#updatedAt, Math.min(now, this.#blockedUntil)));
    if (this.#lowered !== Number.POSITIVE_INFINITY)
      this.#tokens = Math.min(this.#burst, this.#tokens + passed * this.#rate);
    this.#grown += passed;
    this.#updatedAt = now;
  }
}

/** The right to send one request. */
export interface Permit {
  /** Resolves when the request may be sent. */
  readonly ready: Promise<void>;
  /** Releases the permit, whether or not it was granted; further calls have no effect. */
  release(): void;
}

/** The requests that wait for a permit, in order; those of the background after all others. */
class Queue {
  readonly #waiting = new Set<() => void>();
  readonly #background = new Set<() => void>();

  get isEmpty(): boolean {
    return this.#waiting.size + this.#background.size === 0;
  }

  /** Adds a request. `leave` removes it and returns whether it was still waiting. */
  join(isBackground: boolean): { readonly ready: Promise<void>; readonly leave: () => boolean } {
    const requests = isBackground ? this.#background : this.#waiting;
    let grant = (): void => {};
    const ready = new Promise<void>((resolve) => (grant = resolve));
    requests.add(grant);
    return { ready, leave: () => requests.delete(grant) };
  }

  /** Grants the next request its permit. Returns false if none waits. */
  grantNext(): boolean {
    const requests = this.#waiting.size > 0 ? this.#waiting : this.#background;
    const [next] = requests;
    if (next === undefined) return false;
    requests.delete(next);
    next();
    return true;
  }
}

/** Limits the number of concurrent requests; further requests wait in order, those of the background after all others. */
export class Semaphore {
  readonly #capacity: number;
  readonly #queue = new Queue();
  #acquired = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Requests a permit. */
  acquire(isBackground: boolean): Permit {
    const { ready, leave } = this.#queue.join(isBackground);
    if (this.#acquired < this.#capacity && this.#queue.grantNext()) this.#acquired += 1;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      if (!leave() && !this.#queue.grantNext()) this.#acquired -= 1;
    };
    return { ready, release };
  }
}
