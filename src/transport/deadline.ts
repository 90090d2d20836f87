import { AbortedError, TimeoutError, type ErrorDetails, type Outcome } from '../errors/api.js';
import type { Timing } from './clock.js';

/** Why a call was stopped; `cause` is the reason of the caller's signal. */
type Stop = Pick<CallStoppedError, 'kind' | 'cause'>;

/** Thrown if a call is aborted or times out. */
export class CallStoppedError extends Error {
  /** `timeout` ends only the current attempt. */
  readonly kind: 'aborted' | 'timeout' | 'total-timeout';

  constructor(kind: CallStoppedError['kind'], cause?: unknown) {
    super(kind, { cause });
    this.kind = kind;
  }
}

/** The time that a call has left for the requests that are parts of it, in milliseconds. */
export interface TimeLeft {
  readonly remaining: number;
  /** The `totalTimeout` of the caller, for messages. */
  readonly wholeTimeout: number;
}

/** The limits of one call, and its name for messages. */
export interface DeadlineOptions {
  readonly endpoint: string;
  /** In milliseconds. @default unlimited */
  readonly totalTimeout?: number | undefined;
  /**
   * The `totalTimeout` of the caller, for messages, if this is the limit of a part of the call. @default totalTimeout
   */
  readonly wholeTimeout?: number | undefined;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The time limit of one call, whose time starts when it is created, and the caller's signal. Everything that the call
 * awaits goes through it, so that it ends as soon as a limit is reached, even if the work never ends. A timer and a
 * listener exist only during a race, or from `open` to `close`.
 */
export class Deadline implements TimeLeft {
  readonly endpoint: string;
  /** In milliseconds. */
  readonly totalTimeout: number;
  readonly wholeTimeout: number;
  readonly #timing: Timing;
  readonly #signal: AbortSignal | undefined;
  readonly #started: number;
  readonly #races = new Set<(stop: CallStoppedError) => void>();
  readonly #onAbort = (): void => this.#stop(new CallStoppedError('aborted', this.#signal?.reason));
  #isOpen = false;
  #isArmed = false;
  #cancelTotalTimeout = (): void => {};
  #timeout = Number.POSITIVE_INFINITY;
  #cancelTimeout = (): void => {};
  #controller: AbortController | undefined;
  #stopped: CallStoppedError | undefined;

  constructor(timing: Timing, options: DeadlineOptions) {
    const { endpoint, totalTimeout = Number.POSITIVE_INFINITY, wholeTimeout = totalTimeout, signal } = options;
    this.#timing = timing;
    this.endpoint = endpoint;
    this.totalTimeout = totalTimeout;
    this.wholeTimeout = wholeTimeout;
    this.#signal = signal;
    this.#started = timing.elapsed();
  }

  /** The time since the call began, in milliseconds. */
  get elapsed(): number {
    return this.#timing.elapsed() - this.#started;
  }

  /** The remainder of the total timeout, in milliseconds; negative if it is exceeded. */
  get remaining(): number {
    return Math.min(this.totalTimeout, this.totalTimeout - this.elapsed);
  }

  /** Returns a deadline that starts now, with another total timeout in milliseconds, for a part of the call. */
  limit(totalTimeout: number): Deadline {
    const { endpoint, wholeTimeout } = this;
    return new Deadline(this.#timing, { endpoint, totalTimeout, wholeTimeout, signal: this.#signal });
  }

  /** Starts to observe the limits, until `close`, for a call with many races. Otherwise each race does so itself. */
  open(): void {
    this.#isOpen = true;
    this.#arm(this.totalTimeout);
  }

  /** Removes the timer and the listener that `open` added. */
  close(): void {
    this.#isOpen = false;
    this.#disarm();
  }

  /** Starts an attempt, which `endAttempt` ends; the returned signal aborts it. */
  startAttempt(timeout: number): AbortSignal {
    this.#controller = new AbortController();
    if (this.#stopped !== undefined) this.#controller.abort();
    this.#timeout = timeout;
    this.#cancelTimeout = this.#timing.after(timeout, () => this.#stop(new CallStoppedError('timeout')));
    return this.#controller.signal;
  }

  /** Ends an attempt: its timeout stops only the attempt, and the other limits stop the call. */
  endAttempt(): void {
    this.#cancelTimeout();
    if (this.#stopped?.kind === 'timeout') this.#stopped = undefined;
  }

  /** Waits for work, or rejects as soon as a limit is reached, by default with the `CallStoppedError`. */
  race<T>(work: PromiseLike<T>, toError: (stop: CallStoppedError) => Error = (stop) => stop): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        this.#races.delete(onStop);
        this.#disarm();
      };
      const onStop = (stop: CallStoppedError): void => {
        end();
        reject(toError(stop));
      };
      if (!this.#isArmed) this.#arm(this.remaining);
      work.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
      if (this.#stopped === undefined) this.#races.add(onStop);
      else onStop(this.#stopped);
    });
  }

  /** Waits for work, or rejects with the error of the call as soon as a limit is reached. */
  wait<T>(work: PromiseLike<T>, during: string, outcome: Outcome = 'unknown'): Promise<T> {
    return this.race(work, (stop) => this.error(stop, during, { outcome }));
  }

  /** Starts work that precedes all requests, unless the caller has aborted, and waits for it. */
  async waitBeforeSending<T>(work: () => Promise<T>, during: string): Promise<T> {
    const phase = `${during} (nothing was sent)`;
    // Callers can abort right after the call.
    await Promise.resolve();
    this.throwIfAborted(phase, 'not-sent');
    return this.wait(work(), phase, 'not-sent');
  }

  /** Throws the error of the call if the caller has aborted. */
  throwIfAborted(during: string, outcome: Outcome = 'unknown'): void {
    if (this.#signal?.aborted === true)
      throw this.error({ kind: 'aborted', cause: this.#signal.reason }, during, { outcome });
  }

  /** Pauses for a number of milliseconds, at most for the time that is left. Rejects if the caller aborts. */
  async sleep(milliseconds: number): Promise<void> {
    let cancel = (): void => {};
    const elapsed = new Promise<void>((resolve) => {
      cancel = this.#timing.after(Math.max(0, Math.min(milliseconds, this.remaining)), resolve, 'delay');
    });
    try {
      await this.limit(Number.POSITIVE_INFINITY).wait(elapsed, 'waiting');
    } finally {
      cancel();
    }
  }

  /** Creates the error of a call that was stopped while something happened. */
  error({ kind, cause }: Stop, during: string, details: ErrorDetails): AbortedError | TimeoutError {
    const { endpoint } = this;
    if (kind === 'aborted')
      return new AbortedError(`${endpoint} was aborted while ${during}`, { endpoint, ...details, cause });
    const limit = kind === 'timeout' ? `timeout of ${this.#timeout} ms` : `totalTimeout of ${this.wholeTimeout} ms`;
    return new TimeoutError(`${endpoint} exceeded its ${limit} while ${during}`, { endpoint, ...details });
  }

  /**
   * Returns the error of the whole call if `error` is that of a request for which no time was left; otherwise `error`.
   * The message begins with the failure, and the advice follows the total timeout.
   */
  errorOfCall(error: unknown, failure: string, advice: string): unknown {
    // A timer can fire slightly early.
    if (!(error instanceof TimeoutError) || this.remaining > 1) return error;
    const { endpoint } = this;
    const { outcome, attempts } = error;
    const message = `${endpoint} ${failure} within its totalTimeout of ${this.wholeTimeout} ms${advice}`;
    return new TimeoutError(message, { endpoint, outcome, attempts, cause: error });
  }

  #arm(remaining: number): void {
    this.#isArmed = true;
    if (remaining !== Number.POSITIVE_INFINITY)
      this.#cancelTotalTimeout = this.#timing.after(Math.max(1, remaining), () =>
        this.#stop(new CallStoppedError('total-timeout')),
      );
    if (this.#signal?.aborted === true) this.#onAbort();
    else this.#signal?.addEventListener('abort', this.#onAbort);
  }

  #disarm(): void {
    if (this.#isOpen || this.#races.size > 0) return;
    this.#isArmed = false;
    this.#cancelTotalTimeout();
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #stop(stop: CallStoppedError): void {
    if (this.#stopped !== undefined && this.#stopped.kind !== 'timeout') return;
    this.#stopped = stop;
    for (const onStop of this.#races) onStop(stop);
    this.#controller?.abort();
  }
}
