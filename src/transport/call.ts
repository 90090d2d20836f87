import { webCrypto } from '../contract/web-crypto.js';
import type { endpoints, EndpointName, ResultOf } from '../contract/endpoints.js';
import { redactBody } from '../contract/redact.js';
import type { Attempt, CorridorError, Outcome } from '../errors/api.js';
import { attemptOf, type ParsedResponse, type ValidationMode } from './response.js';
import { assertRequestOptions, lowercaseHeaders, type RequestOptions } from './request-options.js';
import {
  assertUnpollutedPrototype,
  buildCustomRequest,
  buildRequest,
  type CallInput,
  type CustomRequest,
  type PreparedRequest,
} from './request.js';
import {
  attempt,
  type AttemptOptions,
  type CallLimits,
  type OutgoingRequest,
  type SelectKey,
  type Success,
} from './attempt.js';
import { repeatsReads } from './runtime.js';
import { type AttemptFailure, leastCertainOutcome, maySucceedLater, timeoutFailure } from './failures.js';
import type { Permit, RateLimiter, Semaphore } from './limits.js';
import { Deadline, type TimeLeft } from './deadline.js';
import { type Emit, prefetchCanceled, type CallEvent } from './events.js';
import type { Timing } from './clock.js';

/** How a request is sent if it is not one of the caller's own calls. */
export interface SendMode {
  /** How strictly its response is validated. @default the client's */
  readonly validation?: ValidationMode | undefined;
  /** Whether other requests of the client go first. @default false */
  readonly isBackground?: boolean;
  /** The call that it is a part of, whose time limits it, in place of the client's `totalTimeout`. */
  readonly call?: TimeLeft | undefined;
  /** The signal of a prefetched page, which ends with that of the caller. @default that of the options */
  readonly signal?: AbortSignal | undefined;
  /** Whether the caller has checked the options. @default false */
  readonly areOptionsChecked?: boolean;
  /** Whether the contract does not contain the endpoint. @default false */
  readonly isCustom?: boolean;
  /** Whether the call can go on if the request fails, which is then logged as a warning. @default false */
  readonly isOptional?: boolean;
  /** Receives the API key of each attempt, and returns the one to send, or throws, so that nothing is sent. */
  readonly selectKey?: SelectKey | undefined;
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
    const { selectKey, isOptional = false } = mode;
    if (!areOptionsChecked && hasOptions(callOptions)) assertRequestOptions(callOptions, mode.isCustom !== true);
    if (callOptions.headers !== undefined) headers = { ...headers, ...lowercaseHeaders(callOptions.headers) };
    const request = { ...prepare(), headers, validation, isBackground, selectKey, isOptional };
    const limits = signal === undefined ? callOptions : { ...callOptions, signal };
    return (await requestWithRetries(options, request, limits, mode.call)) as ParsedResponse<T>;
  };
  return {
    send: (endpoint, input, callOptions, mode) => call(() => buildRequest(endpoint, input, dialect), callOptions, mode),
    prepare(endpoint, input, name) {
      assertUnpollutedPrototype();
      return buildRequest(endpoint, input, dialect, name);
    },
    sendPrepared: (request, callOptions, mode) => call(() => request, callOptions, mode),
    sendCustom: (request, callOptions) => call(() => buildCustomRequest(request), callOptions, { isCustom: true }),
    redactBody: (body) => redactBody(body, rules.createMask()),
    budget,
    prefetch,
  };
}

/** Returns a sender whose requests are parts of a call: they share the time that it has left. */
export function senderWithin(sender: Sender, call: TimeLeft): Sender {
  return {
    ...sender,
    send: (endpoint, input, options, mode) => sender.send(endpoint, input, options, { call, ...mode }),
    sendPrepared: (request, options, mode) => sender.sendPrepared(request, options, { call, ...mode }),
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
  whole: TimeLeft | undefined,
): Promise<ParsedResponse<unknown>> {
  const { limits, timing, clock, budget, semaphore, rateLimiter } = options;
  const { signal, timeout = limits.timeout, maxRetries = limits.maxRetries } = callOptions;
  const { maxRetryAfter = limits.maxRetryAfter } = callOptions;
  const deadline = new Deadline(timing, {
    endpoint: request.endpoint,
    totalTimeout: totalTimeoutOf(callOptions, limits, whole),
    wholeTimeout: whole?.wholeTimeout,
    signal,
  });
  deadline.open();
  const state = new CallState();
  const reporter = createReporter(options, request, state);
  const fail = (failure: AttemptFailure): CorridorError => {
    const error = state.toError(request, failure);
    reporter.error(error, failure, deadline.elapsed);
    return error;
  };
  const wait = (work: Promise<void>, during: string): Promise<void> =>
    deadline.race(work, (stop) => fail(timeoutFailure(deadline, stop, 'not-sent', during)));
  const acquire = async (limit: Semaphore | RateLimiter, during: string): Promise<Permit> => {
    const permit = limit.acquire(request.isBackground);
    try {
      await wait(permit.ready, during);
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
    if (signal?.aborted === true) await wait(Promise.resolve(), 'being prepared');
    for (;;) {
      if (rateLimiter !== undefined) await acquire(rateLimiter, 'waiting for the rate limit');
      const { offset } = clock;
      const sentAt = timing.elapsed();
      reporter.request();
      const result = toDeletion(request, state, await attempt(options, request, deadline, timeout));
      state.addAttempt(result);
      reporter.response(result, timing.elapsed() - sentAt);
      if (result.error === undefined) {
        budget.refund(state.spentTokens);
        // Not a copy, which would mask the request id.
        return { data: result.data, metadata: Object.assign(result, { attempts: state.attempts }) };
      }
      if (result.status === 429 && rateLimiter?.rejected(sentAt, result.retryAfterMs) === true)
        reporter.throttle(rateLimiter.requestsPerSecond);
      let delay: number | undefined = 0;
      if (shouldRetryWithNewToken(request, state, result, clock.explains(offset))) state.hasRetriedWithNewToken = true;
      else delay = takeRetry(options, request, state, result, { deadline, maxRetries, maxRetryAfter });
      if (delay === undefined) throw fail(result);
      state.delay = delay;
      reporter.retry(result, delay);
      if (delay === 0) continue;
      permit?.release();
      await wait(deadline.sleep(delay), 'waiting to retry');
      permit = await enter();
    }
  } finally {
    deadline.close();
    permit?.release();
  }
}

/** Returns the total timeout of a request, which may be a part of a call, in milliseconds. */
function totalTimeoutOf({ totalTimeout }: RequestOptions, limits: CallLimits, whole: TimeLeft | undefined): number {
  if (whole === undefined) return totalTimeout ?? limits.totalTimeout;
  return Math.max(1, Math.ceil(Math.min(totalTimeout ?? Number.POSITIVE_INFINITY, whole.remaining)));
}

interface RetryLimits {
  readonly deadline: Deadline;
  readonly maxRetries: number;
  readonly maxRetryAfter: number;
}

/** Returns the delay before another attempt, whose cost it takes from the budget; undefined if there must be none. */
function takeRetry(
  { budget, random }: RetryLoopOptions,
  request: PreparedRequest,
  state: CallState,
  failure: AttemptFailure,
  { deadline, maxRetries, maxRetryAfter }: RetryLimits,
): number | undefined {
  const { retryAfterMs, status } = failure;
  if (state.retries >= maxRetries || !isRetrySafe(request, failure) || (retryAfterMs ?? 0) > maxRetryAfter)
    return undefined;
  const delay =
    retryAfterMs === undefined
      ? backoff(state.retries + 1, random)
      : addJitter(retryAfterMs, deadline.remaining, random);
  const cost = retryCost(status);
  if (delay >= deadline.remaining || !budget.take(cost)) return undefined;
  state.retries += 1;
  state.spentTokens += cost;
  return delay;
}

/** Returns whether another attempt is safe and may succeed. */
function isRetrySafe({ retryMode }: PreparedRequest, { isRetryable, outcome, status }: AttemptFailure): boolean {
  return (
    isRetryable &&
    (retryMode === 'always' ||
      (retryMode === 'if-not-processed' && (outcome === 'not-sent' || (outcome === 'rejected' && status === 429))))
  );
}

/**
 * Returns whether to retry with a new token after a 401: because clock skew explains the rejection, or because the
 * runtime itself may have sent the token twice.
 */
function shouldRetryWithNewToken(
  { retryMode }: PreparedRequest,
  { hasRetriedWithNewToken }: CallState,
  { status, outcome }: AttemptFailure,
  isExplained: boolean,
): boolean {
  if (status !== 401 || outcome !== 'rejected' || hasRetriedWithNewToken || retryMode === 'never') return false;
  return isExplained || (retryMode === 'always' && repeatsReads());
}

// Assumed: A-20. If the response of the first deletion was lost, a 404 for the second means that the record is deleted.
function toDeletion(
  { method }: PreparedRequest,
  state: CallState,
  result: Success | AttemptFailure,
): Success | AttemptFailure {
  if (result.error === undefined || method !== 'DELETE' || result.status !== 404 || !state.isAnyUnknown) return result;
  const { status, headers, requestId } = result;
  return headers === undefined ? result : { data: undefined, status, headers, requestId, error: undefined };
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

/** What one call has gone through. */
class CallState {
  readonly attempts: Attempt[] = [];
  /** The number of its retries. */
  retries = 0;
  /** The cost of its retries. */
  spentTokens = 0;
  /** The delay before the next attempt, in milliseconds. */
  delay = 0;
  hasRetriedWithNewToken = false;
  /** The outcomes of the attempts that failed. */
  readonly #outcomes: Outcome[] = [];
  #requestId: string | undefined;

  /** Whether one of the attempts may have taken effect. */
  get isAnyUnknown(): boolean {
    return this.#outcomes.includes('unknown');
  }

  addAttempt(result: Success | AttemptFailure): void {
    const { status } = result;
    const errorType = result.error === undefined ? undefined : result.errorType;
    this.attempts.push(attemptOf(this.attempts.length + 1, { status, errorType }, this.delay));
    if (result.error === undefined) return;
    this.#outcomes.push(result.outcome);
    this.#requestId = result.requestId ?? this.#requestId;
  }

  /** Creates the error of the whole call. */
  toError({ endpoint, method }: PreparedRequest, failure: AttemptFailure): CorridorError {
    // Reads have no side effects, so only the last attempt matters.
    const isRead = method === 'GET';
    const outcome = leastCertainOutcome(isRead ? this.#outcomes.slice(-1) : this.#outcomes);
    const isRepeatable = isRead || method === 'DELETE' || outcome === 'not-sent' || outcome === 'rejected';
    const retryable = isRepeatable && maySucceedLater(failure);
    return failure.error({ endpoint, outcome, retryable, attempts: this.attempts, requestId: this.#requestId, isRead });
  }
}

/** Returns functions that emit the events of one call. */
function createReporter({ emit, origin }: RetryLoopOptions, request: OutgoingRequest, state: CallState) {
  const { endpoint, method, template: pathTemplate, isOptional } = request;
  let callId: string | undefined;
  const event = (number = state.attempts.length): CallEvent => {
    callId ??= webCrypto().randomUUID();
    return { callId, endpoint, origin, method, pathTemplate, attempt: number };
  };
  return {
    /** An attempt begins, which the state does not have yet. */
    request: () => emit('request', () => event(state.attempts.length + 1)),
    /** The last attempt has ended, with a response or without. */
    response(result: Success | AttemptFailure, duration: number): void {
      const { status } = result;
      if (status === undefined) return;
      const errorType = result.error === undefined ? undefined : result.errorType;
      emit('response', () => ({ ...event(), status, errorType, requestId: result.requestId, duration }));
    },
    /** Another attempt follows after a delay. */
    retry: ({ status, errorType }: AttemptFailure, delay: number) =>
      emit('retry', () => ({ ...event(), status, errorType, delay })),
    /** The rate limit was lowered. */
    throttle: (requestsPerSecond: number) => emit('throttle', () => ({ ...event(), requestsPerSecond })),
    /** The call failed. */
    error(error: CorridorError, { status }: AttemptFailure, duration: number): void {
      const { code, outcome, retryable, requestId, cause } = error;
      if (cause === prefetchCanceled) emit('cancel', () => ({ ...event(), duration }));
      else {
        const fields = () => ({ ...event(), code, outcome, retryable, status, requestId, duration });
        emit('error', fields, isOptional ? 'warn' : undefined);
      }
    },
  };
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
