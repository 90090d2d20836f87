import { webCrypto } from '../contract/web-crypto.js';
import type { endpoints, EndpointName, ResultOf } from '../contract/endpoints.js';
import { redactBody } from '../contract/redact.js';
import type { Attempt, CorridorError, Outcome } from '../errors/api.js';
import { attemptOf, type ParsedResponse, type ResponseMetadata, type ValidationMode } from './response.js';
import { assertRequestOptions, lowercaseHeaders, type RequestOptions } from './request-options.js';
import {
  assertUnpollutedPrototype,
  buildCustomRequest,
  buildRequest,
  type CallInput,
  type CustomRequest,
  type PreparedRequest,
} from './request.js';
import { attempt, type AttemptOptions, type CallLimits, type OutgoingRequest, type Success } from './attempt.js';
import { repeatsReads } from './runtime.js';
import { type AttemptFailure, leastCertainOutcome, timeoutFailure } from './failures.js';
import type { Permit, RateLimiter, Semaphore } from './limits.js';
import { Deadline, limitsOf } from './deadline.js';
import { type Emit, prefetchCanceled, type CallEvent } from './events.js';
import type { Timing } from './clock.js';

/** How a request is sent if it is not one of the caller's own calls. */
export interface SendMode {
  /** How strictly its response is validated. @default the client's */
  readonly validation?: ValidationMode | undefined;
  /** Whether other requests of the client go first. @default false */
  readonly isBackground?: boolean;
  /** The signal of a prefetched page, which ends with that of the caller. @default that of the options */
  readonly signal?: AbortSignal | undefined;
  /** Whether the caller has checked the options. @default false */
  readonly areOptionsChecked?: boolean;
}

type Response<N extends EndpointName> = ResultOf<(typeof endpoints)[N]>;

/** Sends the requests of a client. */
export interface Sender {
  /** Sends a request to an endpoint of the contract. */
  send<N extends EndpointName>(
    endpoint: N,
    input: CallInput,
    options?: RequestOptions,
    mode?: SendMode,
  ): Promise<ParsedResponse<Response<N>>>;
  /** Validates a call and builds its request. `call` names the call in errors. */
  prepare<N extends EndpointName>(endpoint: N, input: CallInput, call?: string): PreparedRequest<Response<N>>;
  /** Sends a request that is already validated. */
  sendPrepared<T>(request: PreparedRequest<T>, options: RequestOptions, mode?: SendMode): Promise<ParsedResponse<T>>;
  /** Sends a request to an endpoint that the contract does not contain. */
  sendCustom(request: CustomRequest, options?: RequestOptions): Promise<ParsedResponse<unknown>>;
  /** Masks the API key, and personal and account data, in the body of a response. */
  redactBody(body: unknown): unknown;
  /** Limits the retries of the client. */
  readonly budget: RetryBudget;
  /** Whether iteration fetches the next page while the caller processes the current one. */
  readonly prefetch: boolean;
}

/**
 * Creates the functions that validate, sign and send requests, retry them if that is safe, and validate the responses.
 */
export function createSender(options: SenderOptions): Sender {
  const { dialect, budget, prefetch, rules } = options;
  // The schema with which parseResponse validates a response has its type.
  const call = async <T>(
    prepare: () => PreparedRequest<T>,
    callOptions: RequestOptions = {},
    mode: SendMode = {},
  ): Promise<ParsedResponse<T>> => {
    assertUnpollutedPrototype();
    let headers = options.defaultHeaders;
    const { validation = options.validation, isBackground = false, signal, areOptionsChecked = false } = mode;
    if (!areOptionsChecked && hasOptions(callOptions)) assertRequestOptions(callOptions);
    if (callOptions.headers !== undefined) headers = { ...headers, ...lowercaseHeaders(callOptions.headers) };
    const request = { ...prepare(), headers, validation, isBackground };
    const limits = signal === undefined ? callOptions : { ...callOptions, signal };
    return (await requestWithRetries(options, request, limits)) as ParsedResponse<T>;
  };
  return {
    send: (endpoint, input, callOptions, mode) => call(() => buildRequest(endpoint, input, dialect), callOptions, mode),
    prepare(endpoint, input, name) {
      assertUnpollutedPrototype();
      return buildRequest(endpoint, input, dialect, name);
    },
    sendPrepared: (request, callOptions, mode) => call(() => request, callOptions, mode),
    sendCustom: (request, callOptions) => call(() => buildCustomRequest(request), callOptions),
    redactBody: (body) => redactBody(body, rules.createMask()),
    budget,
    prefetch,
  };
}

/** Returns whether a call has options, which are checked: most calls have none. */
export function hasOptions(options: unknown): boolean {
  return Object.prototype.toString.call(options) !== '[object Object]' || Object.keys(options as object).length > 0;
}

/** What a sender needs from its client. */
export interface SenderOptions extends RetryLoopOptions {
  readonly validation: ValidationMode;
  /** The headers of every request, with lowercase names. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  readonly prefetch: boolean;
}

/** What a call needs from its client. */
interface RetryLoopOptions extends AttemptOptions {
  readonly timing: Timing;
  readonly budget: RetryBudget;
  /** Undefined if the number of concurrent requests is unlimited. */
  readonly semaphore: Semaphore | undefined;
  readonly rateLimiter: RateLimiter | undefined;
  readonly limits: CallLimits;
  readonly emit: Emit;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

/** Makes a call, with retries if they are safe and within the limits. */
async function requestWithRetries(
  options: RetryLoopOptions,
  request: OutgoingRequest,
  callOptions: RequestOptions,
): Promise<ParsedResponse<unknown>> {
  const { limits, timing, clock, budget, semaphore, rateLimiter } = options;
  const { signal, timeout = limits.timeout, maxRetries = limits.maxRetries } = callOptions;
  const { totalTimeout = limits.totalTimeout, maxRetryAfter = limits.maxRetryAfter } = callOptions;
  const deadline = new Deadline(timing, { endpoint: request.endpoint, ...limitsOf(callOptions, totalTimeout) });
  deadline.open();
  const state = new CallState(request, deadline, maxRetries, options);
  const acquire = async (limit: Semaphore | RateLimiter, during: string): Promise<Permit> => {
    const permit = limit.acquire(request.isBackground);
    try {
      await state.wait(permit.ready, during);
      return permit;
    } catch (error) {
      permit.release();
      throw error;
    }
  };
  const enter = () => semaphore && acquire(semaphore, 'waiting because of the concurrency limit');
  let permit: Permit | undefined;
  try {
    permit = await enter();
    if (signal?.aborted === true) await state.wait(Promise.resolve(), 'being prepared');
    for (;;) {
      if (rateLimiter !== undefined) await acquire(rateLimiter, 'waiting for the rate limit');
      const { offset } = clock;
      const sentAt = timing.elapsed();
      state.startAttempt();
      const result = state.recordAttempt(await attempt(options, request, deadline, timeout));
      if (result.error === undefined) {
        budget.refund(state.spentTokens);
        return { data: result.data, metadata: state.metadataOf(result) };
      }
      if (result.status === 429 && rateLimiter?.rejected(sentAt, result.retryAfter) === true)
        state.recordThrottle(rateLimiter.requestsPerSecond);
      const delay = state.shouldRetryWithNewToken(result, clock.explains(offset))
        ? 0
        : retryDelay(options, state, result, { deadline, maxRetryAfter });
      if (delay === undefined) throw state.toError(result);
      state.recordRetry(result, delay);
      if (delay === 0) continue;
      permit?.release();
      await state.wait(deadline.sleep(delay), 'waiting to retry');
      permit = await enter();
    }
  } finally {
    deadline.close();
    permit?.release();
  }
}

function retryDelay(
  options: RetryLoopOptions,
  state: CallState,
  failure: AttemptFailure,
  { deadline, maxRetryAfter }: { readonly deadline: Deadline; readonly maxRetryAfter: number },
): number | undefined {
  if (!state.shouldRetry(failure) || (failure.retryAfter ?? 0) > maxRetryAfter) return undefined;
  const delay =
    failure.retryAfter === undefined
      ? backoff(state.retries + 1, options.random)
      : addJitter(failure.retryAfter, deadline.remaining, options.random);
  const cost = retryCost(failure.status);
  if (delay >= deadline.remaining || !options.budget.take(cost)) return undefined;
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

/** The state of one call: its attempts and their combined outcome. */
class CallState {
  readonly attempts: Attempt[] = [];
  /** The cost of its retries. */
  spentTokens = 0;
  /** The number of its retries. */
  retries = 0;
  #callId: string | undefined;
  #delay = 0;
  #attemptStarted = 0;
  readonly #request: PreparedRequest;
  readonly #deadline: Deadline;
  readonly #maxRetries: number;
  readonly #options: RetryLoopOptions;
  readonly #outcomes: Outcome[] = [];
  #hasRetriedWithNewToken = false;
  #requestId: string | undefined;

  constructor(request: PreparedRequest, deadline: Deadline, maxRetries: number, options: RetryLoopOptions) {
    this.#request = request;
    this.#deadline = deadline;
    this.#maxRetries = maxRetries;
    this.#options = options;
  }

  /** Starts an attempt and emits its event. */
  startAttempt(): void {
    this.#attemptStarted = this.#options.timing.elapsed();
    this.#options.emit('request', () => this.#event(this.attempts.length + 1));
  }

  /** Records the result of an attempt and emits its event. */
  recordAttempt(result: Success | AttemptFailure): Success | AttemptFailure {
    const { status } = result;
    const errorType = result.error === undefined ? undefined : result.errorType;
    const number = this.attempts.length + 1;
    this.attempts.push(attemptOf(number, { status, errorType }, this.#delay));
    if (status !== undefined) {
      this.#options.emit('response', () => ({
        ...this.#event(number),
        status,
        errorType,
        requestId: result.requestId,
        duration: this.#options.timing.elapsed() - this.#attemptStarted,
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
    if (!isRetryable || this.retries >= this.#maxRetries) return false;
    const { retryMode } = this.#request;
    return (
      retryMode === 'always' ||
      (retryMode === 'if-not-processed' && (outcome === 'not-sent' || (outcome === 'rejected' && status === 429)))
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
    this.#options.emit('retry', () => ({ ...this.#event(this.attempts.length), status, errorType, delay }));
  }

  /** Returns the metadata of the response, whose attempts are those of the whole call. */
  metadataOf(success: Success): ResponseMetadata {
    const { status, headers } = success;
    const { attempts } = this;
    return {
      status,
      headers,
      attempts,
      get requestId() {
        return success.requestId;
      },
    };
  }

  /** Creates the error of the whole call and emits its event. */
  toError(failure: AttemptFailure): CorridorError {
    // Reads have no side effects, so only the last attempt matters.
    const isRead = this.#request.method === 'GET';
    const relevant = isRead ? this.#outcomes.slice(-1) : this.#outcomes;
    const outcome = leastCertainOutcome(relevant);
    const error = failure.error({
      endpoint: this.#request.endpoint,
      outcome,
      attempts: this.attempts,
      requestId: this.#requestId,
      isRead,
    });
    const event = (): CallEvent & { readonly duration: number } => ({
      ...this.#event(this.attempts.length),
      duration: this.#deadline.elapsed,
    });
    if (error.cause === prefetchCanceled) this.#options.emit('cancel', event);
    else
      this.#options.emit('error', () => ({
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
    this.#options.emit('throttle', () => ({ ...this.#event(this.attempts.length), requestsPerSecond }));
  }

  /** Waits between attempts; throws the error of the call if it is aborted or times out meanwhile. */
  wait(work: Promise<void>, during: string): Promise<void> {
    const deadline = this.#deadline;
    return deadline.race(work, (stop) => this.toError(timeoutFailure(deadline, stop, 'not-sent', during)));
  }

  #event(number: number): CallEvent {
    const { endpoint, method, template } = this.#request;
    this.#callId ??= webCrypto().randomUUID();
    return {
      callId: this.#callId,
      endpoint,
      origin: this.#options.origin,
      method,
      pathTemplate: template,
      attempt: number,
    };
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

const baseDelay = 200;
const maxDelay = 8_000;

/** Returns a random delay before a retry, in milliseconds, up to a limit that doubles with each retry (full jitter). */
function backoff(retry: number, random: () => number): number {
  return Math.round(random() * Math.min(maxDelay, baseDelay * 2 ** (retry - 1)));
}

/**
 * Returns a random delay from a requested delay up to 50% more, so that clients that were rejected together do not
 * return together. At most 8 seconds and half of the time that remains after the requested delay are added.
 */
function addJitter(requested: number, remaining: number, random: () => number): number {
  return requested + Math.floor(random() * Math.max(0, Math.min(requested / 2, maxDelay, (remaining - requested) / 2)));
}
