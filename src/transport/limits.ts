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

/**
 * A token bucket. A response with 429 stops it until the platform accepts requests again, and halves its rate, which
 * then grows back to the limit (additive increase, multiplicative decrease).
 */
export class RateLimiter {
  readonly #timing: Timing;
  /** The limit, in requests per millisecond. */
  readonly #limit: number;
  readonly #burst: number;
  readonly #waiting = new Set<() => void>();
  readonly #background = new Set<() => void>();
  #rate: number;
  #tokens: number;
  #updatedAt: number;
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  #cancel = (): void => {};

  constructor(timing: Timing, { requests, per, burst = 1 }: RateLimit) {
    this.#timing = timing;
    this.#limit = requests / millisecondsOf(per);
    this.#rate = this.#limit;
    this.#burst = burst;
    this.#tokens = burst;
    this.#updatedAt = timing.elapsed();
  }

  /** The current rate, in requests per second. */
  get requestsPerSecond(): number {
    return this.#rate * 1_000;
  }

  /** Requests a permit to send one request now. Requests of the background wait for all others. */
  acquire(isBackground: boolean): Permit {
    const queue = isBackground ? this.#background : this.#waiting;
    let grant = (): void => {};
    const ready = new Promise<void>((resolve) => (grant = resolve));
    queue.add(grant);
    this.#grant();
    const release = (): void => {
      queue.delete(grant);
      if (this.#waiting.size + this.#background.size > 0) return;
      this.#cancel();
      this.#isScheduled = false;
    };
    return { ready, release };
  }

  /**
   * Lowers the rate after a response with 429 to a request, and stops for a delay in milliseconds, at most a minute.
   * Returns whether the rate changed: requests that were sent before it was last lowered do not lower it again.
   */
  lower(sentAt: number, delay: number | undefined): boolean {
    this.#refill();
    const now = this.#timing.elapsed();
    this.#blockedUntil = Math.max(this.#blockedUntil, now + Math.min(delay ?? 0, recoveryTime));
    if (sentAt < this.#loweredAt) return false;
    this.#tokens = 0;
    this.#rate = Math.max(this.#limit * lowestShare, this.#rate / 2);
    this.#loweredAt = now;
    return true;
  }

  #grant(): void {
    this.#refill();
    while (this.#tokens >= 1 && this.#timing.elapsed() >= this.#blockedUntil) {
      const queue = this.#waiting.size > 0 ? this.#waiting : this.#background;
      const [next] = queue;
      if (next === undefined) return;
      queue.delete(next);
      this.#tokens -= 1;
      next();
    }
    if (this.#isScheduled || this.#waiting.size + this.#background.size === 0) return;
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
    this.#tokens = Math.min(this.#burst, this.#tokens + passed * this.#rate);
    this.#rate = Math.min(this.#limit, this.#rate + (this.#limit * passed) / recoveryTime);
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

/** Limits the number of concurrent requests; further requests wait in order, those of the background after all others. */
export class Semaphore {
  readonly #capacity: number;
  readonly #waiting = new Set<() => void>();
  readonly #background = new Set<() => void>();
  #acquired = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Requests a permit. */
  acquire(isBackground = false): Permit {
    const queue = isBackground ? this.#background : this.#waiting;
    let isGranted = this.#acquired < this.#capacity;
    if (isGranted) this.#acquired += 1;
    let grant = (): void => {};
    const ready = isGranted
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          grant = () => {
            isGranted = true;
            resolve();
          };
          queue.add(grant);
        });
    const release = (): void => {
      queue.delete(grant);
      if (!isGranted) return;
      isGranted = false;
      const others = this.#waiting.size > 0 ? this.#waiting : this.#background;
      const [next] = others;
      if (next === undefined) this.#acquired -= 1;
      else {
        others.delete(next);
        next();
      }
    };
    return { ready, release };
  }
}
