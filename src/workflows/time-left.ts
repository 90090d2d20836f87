import type { RequestOptions } from '../transport/request.js';
import type { Timing } from '../transport/timing.js';

/** Options of requests that all together may take so many milliseconds: each begins with what is left of them as its deadline. */
export function together(timing: Timing, milliseconds: number, request: RequestOptions): RequestOptions {
  const started = timing.elapsed();
  const { deadline: longest = milliseconds } = request;
  return {
    ...request,
    get deadline() {
      return Math.max(1, Math.ceil(Math.min(longest, milliseconds - (timing.elapsed() - started))));
    },
  };
}
