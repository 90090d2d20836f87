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

/** A token bucket. A response with 429 stops it until the platform accepts requests again, and lowers its rate. */
export abstract class RateLimiter {
  protected readonly timing: Timing;
  readonly #burst: number;
  readonly #maxBlock: number;
  readonly #queue = new Queue();
  // At most a burst remains of it when the rate is finite.
  #tokens = Number.POSITIVE_INFINITY;
  /** For how long the rate has grown since it was last lowered. */
  #grown = 0;
  #updatedAt: number;
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  #cancel = (): void => {};

  /** A 429 stops it for at most `maxBlock` milliseconds. */
  constructor(timing: Timing, burst: number, maxBlock: number) {
    this.timing = timing;
    this.#burst = burst;
    this.#maxBlock = maxBlock;
    this.#updatedAt = timing.elapsed();
  }

  /** Returns the requests per millisecond a time in milliseconds after the rate was last lowered. */
  protected abstract rateAfter(grown: number): number;

  /** Lowers a rate, in requests per millisecond. A delay that the platform requested ends at `blockedUntil`. */
  protected abstract lower(rate: number, blockedUntil: number): void;

  /** The current rate, in requests per second. */
  get requestsPerSecond(): number {
    return this.rateAfter(this.#grown) * 1_000;
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

  /**
   * Records a response with 429 to a request: lowers the rate, and stops for a delay in milliseconds, at most
   * `maxBlock`. Returns whether the rate changed: requests that were sent before it was last lowered do not lower it
   * again.
   */
  rejected(sentAt: number, delay: number | undefined): boolean {
    this.#refill();
    const now = this.timing.elapsed();
    const blockedUntil = now + Math.min(delay ?? 0, this.#maxBlock);
    this.#blockedUntil = Math.max(this.#blockedUntil, blockedUntil);
    if (sentAt < this.#loweredAt) return false;
    this.lower(this.rateAfter(this.#grown), blockedUntil);
    this.#tokens = 0;
    this.#grown = 0;
    this.#loweredAt = now;
    return true;
  }

  #grant(): void {
    this.#refill();
    while (this.#tokens >= 1 && this.timing.elapsed() >= this.#blockedUntil) {
      if (!this.#queue.grantNext()) return;
      this.#tokens -= 1;
    }
    if (this.#isScheduled || this.#queue.isEmpty) return;
    this.#isScheduled = true;
    const delay = Math.max(
      (1 - this.#tokens) / this.rateAfter(this.#grown),
      this.#blockedUntil - this.timing.elapsed(),
      // A timer can fire slightly early.
      1,
    );
    this.#cancel = this.timing.after(Math.min(Math.ceil(delay), 2_147_483_647), () => {
      this.#isScheduled = false;
      this.#grant();
    });
  }

  #refill(): void {
    const now = this.timing.elapsed();
    const passed = Math.max(0, now - Math.max(this.#updatedAt, Math.min(now, this.#blockedUntil)));
    const rate = this.rateAfter(this.#grown);
    if (rate !== Number.POSITIVE_INFINITY) this.#tokens = Math.min(this.#burst, this.#tokens + passed * rate);
    this.#grown += passed;
    this.#updatedAt = now;
  }
}

/** Limits requests to a fixed rate. After a 429, the rate is halved, and grows back to the limit. */
export class FixedRateLimiter extends RateLimiter {
  /** In requests per millisecond, as the rate when it was last lowered. */
  readonly #limit: number;
  #lowered: number;

  constructor(timing: Timing, { requests, per, burst = 1 }: RateLimit) {
    super(timing, burst, recoveryTime);
    this.#limit = requests / millisecondsOf(per);
    this.#lowered = this.#limit;
  }

  protected override rateAfter(grown: number): number {
    return Math.min(this.#limit, this.#lowered + (this.#limit * grown) / recoveryTime);
  }

  protected override lower(rate: number): void {
    this.#lowered = Math.max(this.#limit * lowestShare, rate / 2);
  }
}

/**
 * Limits requests to the rate that the platform accepts: unlimited until the first 429, which lowers it to the rate
 * that was accepted until then. It then grows ever faster (additive increase, multiplicative decrease).
 */
export class AdaptiveRateLimiter extends RateLimiter {
  readonly #started = this.timing.elapsed();
  /** When the last requests were accepted. */
  readonly #accepted: number[] = [];
  #lowered = Number.POSITIVE_INFINITY;

  /** A 429 stops it for at most `maxBlock` milliseconds. */
  constructor(timing: Timing, maxBlock: number) {
    super(timing, 1, maxBlock);
  }

  /** Records that the platform accepted a request. */
  accepted(): void {
    if (this.#accepted.push(this.timing.elapsed()) > maxMeasured) this.#accepted.shift();
  }

  protected override rateAfter(grown: number): number {
    const seconds = grown / 1_000;
    return this.#lowered * (1 + seconds / 100 + (seconds / 30) ** 3);
  }

  protected override lower(_rate: number, blockedUntil: number): void {
    const earliest = this.#accepted.length < maxMeasured ? this.#started : (this.#accepted[0] ?? 0);
    const since = Math.max(earliest, blockedUntil - measuredTime);
    const count = this.#accepted.filter((time) => time >= since).length;
    this.#lowered = (acceptedShare * Math.max(1, count)) / Math.max(1, blockedUntil - since);
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

/**
 * Limits the number of concurrent requests; further requests wait in order, those of the background after all others.
 */
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
