import { RateLimitError } from '../../errors/api.js';
import { createPagePromise, type ResourceOptions } from '../../core/pagination.js';
import { maxRetryAfter } from '../../transport/retry/retry-policy.js';
import { sleep } from '../../transport/timing/sleep.js';
import type { Timing } from '../../transport/timing/timers.js';
import type { ListPayments } from '../context.js';
import { AdaptiveRate } from './adaptive-rate.js';

// Requests in a row that the platform rejected with 429, each after its own delay.
const maxRejections = 50;

/** What a throttled list needs. */
export interface ThrottledListOptions {
  readonly resource: ResourceOptions;
  readonly timing: Timing;
  /** The name of the call, for messages. */
  readonly endpoint: string;
  /** Called after each call with the number of requests that it sent. */
  readonly onRequests: (count: number) => void;
}

/**
 * Lists payments at the rate that the platform accepts, and retries a page that it rejects with 429 for longer than the
 * client does.
 */
export function createThrottledList({ resource, timing, endpoint, onRequests }: ThrottledListOptions): ListPayments {
  const rate = new AdaptiveRate(timing.elapsed());
  return (params, request) =>
    createPagePromise(resource, 'payments.list', params, request, async (query, each) => {
      for (let rejections = 0; ; rejections += 1) {
        const delay = rate.reserve(timing.elapsed());
        if (delay > 0) await sleep(timing, delay, each.signal, endpoint);
        const sentAt = timing.elapsed();
        try {
          const response = await resource.send('payments.list', { query }, each);
          onRequests(response.attempts.length);
          rate.accept(timing.elapsed());
          if (response.attempts.some(({ status }) => status === 429)) rate.reject(sentAt, timing.elapsed());
          return response;
        } catch (error) {
          if (!(error instanceof RateLimitError)) throw error;
          onRequests(error.attempts.length);
          const { retryAfter = 2 ** Math.min(rejections, 6) } = error;
          if (rejections >= maxRejections || retryAfter * 1_000 > maxRetryAfter) throw error;
          rate.reject(sentAt, timing.elapsed() + retryAfter * 1_000);
        }
      }
    });
}
