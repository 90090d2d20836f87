import { assertResponse, type CallLimits, discard } from './attempt.js';
import { runtimeSupport } from './runtime.js';
import { CorridorError } from '../errors/api.js';
import { connectionFailure, maySucceedLater, statusFailure, timeoutFailure, type AttemptFailure } from './failures.js';
import { isTransientStatus } from './transient.js';
import type { ResolvedDialect } from '../contract/dialect.js';
import { CallStoppedError, Deadline } from './deadline.js';
import { attemptOf } from './response.js';
import { assertRequestOptions, type RequestOptions } from './request-options.js';
import type { ServerClock, Timing } from './clock.js';

/**
 * Gets a signed URL from `locate` and fetches it within what remains of the total timeout; `endpoint` names the call in
 * errors.
 */
export type Download = (
  endpoint: string,
  locate: (options: RequestOptions) => PromiseLike<{ readonly url: string }>,
  options: RequestOptions,
) => Promise<Response>;

/** What downloads need from their client. */
export interface DownloadOptions {
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly timing: Timing;
  readonly clock: ServerClock;
  readonly dialect: ResolvedDialect;
  readonly limits: CallLimits;
}

/**
 * Creates the function that fetches signed URLs. It has no access to credentials, so it cannot leak any. The URL is a
 * secret and appears in no error.
 */
export function createDownload(options: DownloadOptions): Download {
  return async (endpoint, locate, callOptions) => {
    assertRequestOptions(callOptions);
    const { timeout = options.limits.timeout, totalTimeout = options.limits.totalTimeout, signal } = callOptions;
    const deadline = new Deadline(options.timing, { endpoint, totalTimeout, signal });
    const { url } = await locate(callOptions);
    const fail = (failure: AttemptFailure): never => {
      const attempts = [attemptOf(1, failure, 0)];
      const { outcome } = failure;
      throw failure.error({ endpoint, outcome, retryable: maySucceedLater(failure), attempts, isRead: true });
    };
    try {
      const attemptSignal = deadline.startAttempt(timeout);
      const fetch = options.fetch ?? globalThis.fetch;
      const response = await deadline.race(
        fetch(url, {
          method: 'GET',
          redirect: 'follow',
          credentials: 'omit',
          referrerPolicy: 'no-referrer',
          signal: combineSignals(attemptSignal, signal),
          ...runtimeSupport().cache,
        }),
      );
      assertResponse(response);
      if (response.ok) return response;
      discard(response);
      const { status, headers } = response;
      return fail(
        statusFailure({ status, headers, now: options.clock.now(), fix: downloadFix(status) }, options.dialect),
      );
    } catch (error) {
      if (error instanceof CallStoppedError)
        return fail(timeoutFailure(deadline, error, 'unknown', 'waiting for the file'));
      if (error instanceof CorridorError) throw error;
      return fail(connectionFailure(error, { known: 'unknown', hasResponse: false }));
    } finally {
      deadline.endAttempt();
    }
  };
}

// The body outlives the call, and the caller's own signal must still abort it.
function combineSignals(attempt: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? attempt : AbortSignal.any([attempt, nativeSignal(signal)]);
}

/** One for each signal of another realm or of a library, because their listeners are never removed. */
const nativeSignals = new WeakMap<AbortSignal, AbortSignal>();

/** Returns a signal that `AbortSignal.any()` accepts. */
function nativeSignal(signal: AbortSignal): AbortSignal {
  const known = signal instanceof AbortSignal ? signal : nativeSignals.get(signal);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signal.addEventListener('abort', () => controller.abort(signal.reason));
  nativeSignals.set(signal, controller.signal);
  return controller.signal;
}

function downloadFix(status: number): string {
  return status >= 500 || isTransientStatus(status)
    ? 'repeat the call later, because the file is temporarily unavailable'
    : 'repeat the call to request a new signed URL, because this one may have expired';
}
