import type { Attempt, CorridorError, Outcome } from '../../errors/api.js';
import type { CallLimits, Success } from './attempt.js';
import { leastCertainOutcome, timeoutFailure, type AttemptFailure } from '../map-error.js';
import { CallStoppedError } from '../timing/call-timeouts.js';
import { prefetchCanceled, type CallEvent, type Emit } from '../events.js';
import type { PreparedRequest } from '../request/build-request.js';
import { repeatsReads } from './runtime-resends.js';
import type { Timing } from '../timing/timers.js';

/** The state of one call: its attempts and their combined outcome. */
export class CallState {
  readonly attempts: Attempt[] = [];
  /** The cost of its retries. */
  spentTokens = 0;
  /** The number of its retries. */
  retries = 0;
  #callId: string | undefined;
  #delay = 0;
  readonly #started: number;
  #attemptStarted = 0;
  readonly #emit: Emit;
  readonly #timing: Timing;
  readonly #request: PreparedRequest;
  readonly #limits: CallLimits;
  readonly #origin: string;
  readonly #outcomes: Outcome[] = [];
  #hasRetriedWithNewToken = false;
  #requestId: string | undefined;

  constructor(
    request: PreparedRequest,
    limits: CallLimits,
    { emit, timing, origin }: { readonly emit: Emit; readonly timing: Timing; readonly origin: string },
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#origin = origin;
    this.#emit = emit;
    this.#timing = timing;
    this.#started = timing.elapsed();
  }

  /** Starts an attempt and emits its event. */
  startAttempt(): void {
    this.#attemptStarted = this.#timing.elapsed();
    this.#emit('request', () => this.#event(this.attempts.length + 1));
  }

  /** Records the result of an attempt and emits its event. */
  recordAttempt(result: Success | AttemptFailure): Success | AttemptFailure {
    const { status } = result;
    const errorType = result.error === undefined ? undefined : result.errorType;
    const attempt = this.attempts.length + 1;
    this.attempts.push({
      attempt,
      ...(status === undefined ? {} : { status }),
      ...(errorType === undefined ? {} : { errorType }),
      delay: this.#delay,
    });
    if (status !== undefined) {
      this.#emit('response', () => ({
        ...this.#event(attempt),
        status,
        errorType,
        requestId: result.requestId,
        duration: this.#timing.elapsed() - this.#attemptStarted,
      }));
    }
    if (result.error === undefined) return result;
    this.#requestId = result.requestId ?? this.#requestId;
    const success = this.#asDeleted(result);
    this.#outcomes.push(result.outcome);
    return success ?? result;
  }

  /** Returns whether another attempt is safe, may succeed and is within `maxRetries`. */
  shouldRetry({ isRetryable, outcome, status }: AttemptFailure): boolean {
    if (!isRetryable || this.retries >= this.#limits.maxRetries) return false;
    const { retryMode } = this.#request;
    return (
      retryMode === 'always' ||
      (retryMode === 'if-not-taken' && (outcome === 'not-sent' || (outcome === 'rejected' && status === 429)))
    );
  }

  /**
   * Returns whether to retry with a new token after a 401: because clock skew explains the rejection, or because the
   * runtime itself may have sent the token twice.
   */
  shouldRetryWithNewToken({ status, outcome }: AttemptFailure, isExplained: boolean): boolean {
    const { retryMode } = this.#request;
    if (status !== 401 || outcome !== 'rejected' || this.#hasRetriedWithNewToken || retryMode === 'never') return false;
    if (!isExplained && !(retryMode === 'always' && repeatsReads())) return false;
    this.#hasRetriedWithNewToken = true;
    return true;
  }

  /** Records that another attempt follows after a delay in milliseconds, and emits its event. */
  recordRetry({ status, errorType }: AttemptFailure, delay: number): void {
    this.#delay = delay;
    this.#emit('retry', () => ({ ...this.#event(this.attempts.length), status, errorType, delay }));
  }

  /** Creates the error of the whole call and emits its event. */
  toError(failure: AttemptFailure): CorridorError {
    // Reads have no side effects, so only the last attempt matters.
    const isRead = this.#request.method === 'GET';
    const relevant = isRead ? this.#outcomes.slice(-1) : this.#outcomes;
    const outcome = leastCertainOutcome(relevant.length === 0 ? [failure.outcome] : relevant);
    const error = failure.error({
      endpoint: this.#request.endpoint,
      outcome,
      attempts: this.attempts,
      requestId: this.#requestId,
      isRead,
    });
    const event = (): CallEvent & { readonly duration: number } => ({
      ...this.#event(this.attempts.length),
      duration: this.#timing.elapsed() - this.#started,
    });
    if (error.cause === prefetchCanceled) this.#emit('cancel', event);
    else
      this.#emit('error', () => ({
        ...event(),
        code: error.code,
        outcome,
        status: failure.status,
        requestId: this.#requestId,
      }));
    return error;
  }

  /** Emits the event that the rate limit was lowered. */
  recordThrottle(requestsPerSecond: number): void {
    this.#emit('throttle', () => ({ ...this.#event(this.attempts.length), requestsPerSecond }));
  }

  /** Waits between attempts; throws the error of the call if it is aborted or times out meanwhile. */
  async race(work: Promise<void>, during: string): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof CallStoppedError)) throw error;
      throw this.toError(timeoutFailure(error.reason, 'not-sent', this.#limits, during));
    }
  }

  #event(attempt: number): CallEvent {
    const { endpoint, method, template } = this.#request;
    this.#callId ??= crypto.randomUUID();
    return { callId: this.#callId, endpoint, origin: this.#origin, method, pathTemplate: template, attempt };
  }

  // Assumed: A-20. If the response of the first deletion was lost, a 404 for the second means that the record is
  // deleted.
  #asDeleted({ status, headers, requestId }: AttemptFailure): Success | undefined {
    const mayBeDeleted = this.#request.method === 'DELETE' && this.#outcomes.includes('unknown');
    return mayBeDeleted && status === 404 && headers !== undefined
      ? { data: undefined, status, headers, requestId, error: undefined }
      : undefined;
  }
}
