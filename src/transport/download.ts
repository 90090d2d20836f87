import { CorridorError } from '../errors.js';
import type { Bounds } from './attempt.js';
import { discard } from './body.js';
import { connectionFailure, statusFailure, stoppedFailure, type Failure } from './failures.js';
import type { ResolvedDialect } from '../contract/dialect.js';
import { Limits, Stopped } from './limits.js';
import type { RequestOptions } from './request.js';
import { passingStatuses, retryAfter } from './retries.js';
import type { Timing } from './timing.js';

/** Has a signed URL located, and fetches it in what is left of the deadline; `endpoint` names the call in errors. */
export type Download = (endpoint: string, locate: (options: RequestOptions) => PromiseLike<{ readonly url: string }>, options: RequestOptions) => Promise<Response>;

/** What downloads need of their client. */
export interface DownloadOptions {
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly timing: Timing;
  readonly dialect: ResolvedDialect;
  readonly bounds: Bounds;
}

/** Fetches signed URLs: no credential of ours is at hand here, so none can leak. The URL itself is a secret and stands in no error. */
export function createDownload(options: DownloadOptions): Download {
  return async (endpoint, locate, given) => {
    const started = options.timing.elapsed();
    const { url } = await locate(given);
    const bounds = { ...options.bounds, timeout: given.timeout ?? options.bounds.timeout, deadline: given.deadline ?? options.bounds.deadline };
    const limits = new Limits(options.timing, Math.max(1, bounds.deadline - (options.timing.elapsed() - started)), given.signal);
    const fail = (failure: Failure): never => {
      const attempts = [{ number: 1, ...(failure.status === undefined ? {} : { status: failure.status }), ...(failure.fault === undefined ? {} : { fault: failure.fault }), wait: 0 }];
      throw failure.error({ endpoint, outcome: failure.outcome, attempts });
    };
    try {
      const timeout = limits.begin(bounds.timeout);
      // The body outlives this call: the caller's own signal still reaches it.
      const signal = given.signal === undefined ? timeout : AbortSignal.any([timeout, given.signal]);
      const fetch = options.fetch ?? globalThis.fetch;
      const response = await limits.run(fetch(url, { method: 'GET', redirect: 'follow', credentials: 'omit', referrerPolicy: 'no-referrer', signal }));
      if (response.ok) return response;
      discard(response);
      const { status, headers } = response;
      return fail(statusFailure({
        status, headers, body: undefined, requestId: undefined, retryAfter: retryAfter(headers, options.timing.now()), hint: hintFor(status), scrub: String,
      }, options.dialect));
    } catch (thrown) {
      if (thrown instanceof Stopped) return fail(stoppedFailure(thrown.stop, 'unknown', bounds, 'waiting for the file'));
      if (thrown instanceof CorridorError) throw thrown;
      return fail(connectionFailure(thrown, 'the signed URL', 'unknown'));
    } finally {
      limits.close();
    }
  };
}

function hintFor(status: number): string {
  return status < 500 && !passingStatuses.has(status) ? 'the signed URL was refused; it may have expired' : 'the file could not be had for now; try again later';
}
