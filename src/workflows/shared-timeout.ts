import type { RequestOptions } from '../transport/request-options.js';
import type { Timing } from '../transport/clock.js';

/**
 * Returns request options for several requests that share one timeout, in milliseconds: `totalTimeout` of each is the
 * time that is left.
 */
export function withSharedTimeout(timing: Timing, milliseconds: number, request: RequestOptions): RequestOptions {
  const started = timing.elapsed();
  const { totalTimeout: maxTimeout = milliseconds } = request;
  return {
    ...request,
    get totalTimeout() {
      return Math.max(1, Math.ceil(Math.min(maxTimeout, milliseconds - (timing.elapsed() - started))));
    },
  };
}
