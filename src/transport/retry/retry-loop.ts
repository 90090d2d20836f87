import type { ParsedResponse } from '../response/parse-response.js';
import { attempt, type AttemptOptions, type CallLimits } from './attempt.js';
import { CallState } from './call-state.js';
import type { AttemptFailure } from '../map-error.js';
import type { Semaphore } from '../timing/semaphore.js';
import type { RateLimiter } from '../timing/rate-limit.js';
import { CallTimeouts } from '../timing/call-timeouts.js';
import type { Emit } from '../events.js';
import type { RequestOptions } from '../request/request-options.js';
import type { OutgoingRequest } from '../signed-fetch.js';
import { addJitter, backoff } from './retry-policy.js';
import type { Timing } from '../timing/timers.js';

/** What a call needs from its client. */
export interface RetryLoopOptions extends AttemptOptions {
  readonly timing: Timing;
  readonly budget: RetryBudget;
  /** Undefined if the number of concurrent requests is unlimited. */
  readonly semaphore: Semaphore | undefined;
  readonly rateLimiter: RateLimiter | undefined;
  /** Whether other requests of the client go first. @default false */
  readonly isBackground?: boolean;
  readonly limits: CallLimits;
  readonly emit: Emit;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

/** Makes a call, with retries if they are safe and within the limits. */
export async function requestWithRetries(
  options: RetryLoopOptions,
  request: OutgoingRequest,
  callOptions: RequestOptions,
): Promise<ParsedResponse<unknown>> {
  const limits: CallLimits = {
    timeout: callOptions.timeout ?? options.limits.timeout,
    totalTimeout: callOptions.totalTimeout ?? options.limits.totalTimeout,
    maxRetries: callOptions.maxRetries ?? options.limits.maxRetries,
  };
  const timeouts = new CallTimeouts(options.timing, limits.totalTimeout, callOptions.signal);
  let permit = options.semaphore?.acquire(options.isBackground);
  const state = new CallState(request, limits, options);
  try {
    if (permit !== undefined) await state.race(timeouts.race(permit.ready), 'waiting because of the concurrency limit');
    else if (callOptions.signal?.aborted === true) await state.race(timeouts.race(Promise.resolve()), 'being prepared');
    for (;;) {
      if (options.rateLimiter !== undefined) await waitForRate(options, state, timeouts);
      const offset = options.clock.offset;
      const sentAt = options.timing.elapsed();
      state.startAttempt();
      const result = state.recordAttempt(await attempt(options, request, timeouts, limits));
      if (result.error === undefined) {
        options.budget.refund(state.spentTokens);
        const { data, status, headers, requestId } = result;
        return { data, status, headers, requestId, attempts: state.attempts };
      }
      lowerRate(options, state, result, sentAt);
      const delay = state.shouldRetryWithNewToken(result, options.clock.explains(offset))
        ? 0
        : retryDelay(options, state, result, timeouts);
      if (delay === undefined) throw state.toError(result);
      state.recordRetry(result, delay);
      if (delay === 0) continue;
      permit?.release();
      await state.race(timeouts.sleep(delay), 'waiting to retry');
      permit = options.semaphore?.acquire(options.isBackground);
      if (permit !== undefined)
        await state.race(timeouts.race(permit.ready), 'waiting because of the concurrency limit');
    }
  } finally {
    timeouts.close();
    permit?.release();
  }
}

async function waitForRate(
  { rateLimiter, isBackground = false }: RetryLoopOptions,
  state: CallState,
  timeouts: CallTimeouts,
): Promise<void> {
  const permit = rateLimiter?.acquire(isBackground);
  if (permit === undefined) return;
  try {
    await state.race(timeouts.race(permit.ready), 'waiting for the rate limit');
  } finally {
    permit.release();
  }
}

function lowerRate(
  { rateLimiter }: RetryLoopOptions,
  state: CallState,
  { status, retryAfter }: AttemptFailure,
  sentAt: number,
): void {
  if (rateLimiter === undefined || status !== 429 || !rateLimiter.lower(sentAt, retryAfter)) return;
  state.recordThrottle(rateLimiter.requestsPerSecond);
}

function retryDelay(
  options: RetryLoopOptions,
  state: CallState,
  failure: AttemptFailure,
  timeouts: CallTimeouts,
): number | undefined {
  if (!state.shouldRetry(failure)) return undefined;
  const delay =
    failure.retryAfter === undefined
      ? backoff(state.retries + 1, options.random)
      : addJitter(failure.retryAfter, timeouts.remaining, options.random);
  const cost = retryCost(failure.status);
  if (delay >= timeouts.remaining || !options.budget.take(cost)) return undefined;
  state.retries += 1;
  state.spentTokens += cost;
  return delay;
}

const capacity = 500;

/**
 * Limits the retries of a client: each retry has a cost, and each success pays back. If every call fails, the budget
 * runs out and calls are sent once only, so that an overloaded platform does not get three times the load.
 */
export class RetryBudget {
  #tokens = capacity;

  /** Takes the cost of a retry; returns false if the budget is too low. */
  take(cost: number): boolean {
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Pays back the cost of a call's retries, or 1 for a call without retries. */
  refund(cost: number): void {
    this.#tokens = Math.min(capacity, this.#tokens + Math.max(1, cost));
  }
}

/** Returns the cost of a retry: less if the platform requested it. */
function retryCost(status: number | undefined): number {
  return status === 429 ? 5 : 10;
}
