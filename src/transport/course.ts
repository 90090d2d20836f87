import { owns } from '../contract/own.js';
import type { Attempt, CorridorError, Outcome } from '../errors.js';
import type { Bounds, Success } from './attempt.js';
import { combined, stoppedFailure, type Failure } from './failures.js';
import { Stopped } from './limits.js';
import type { CallEvent, Observe } from './observe.js';
import type { PreparedRequest } from './request.js';
import { resending } from './runtime.js';
import type { Timing } from './timing.js';
import { unwanted } from './unwanted.js';

/** The course of one call: its attempts and what they tell together. */
export class Course {
  readonly attempts: Attempt[] = [];
  /** What its retries cost. */
  paid = 0;
  /** How many retries it made. */
  retries = 0;
  readonly #call = crypto.randomUUID();
  #wait = 0;
  readonly #started: number;
  #attemptStarted = 0;
  readonly #observe: Observe;
  readonly #timing: Timing;
  readonly #request: PreparedRequest;
  readonly #bounds: Bounds;
  readonly #outcomes: Outcome[] = [];
  #resigned = false;
  #requestId: string | undefined;

  constructor(request: PreparedRequest, bounds: Bounds, observe: Observe, timing: Timing) {
    this.#request = request;
    this.#bounds = bounds;
    this.#observe = observe;
    this.#timing = timing;
    this.#started = timing.elapsed();
  }

  /** An attempt begins. */
  begin(): void {
    this.#attemptStarted = this.#timing.elapsed();
    this.#observe({ type: 'request', ...this.#event(this.attempts.length + 1) });
  }

  /** Notes an attempt. */
  note(result: Success | Failure): Success | Failure {
    const { status } = result;
    const fault = owns(result, 'data') ? undefined : result.fault;
    const number = this.attempts.length + 1;
    this.attempts.push({ number, ...(status === undefined ? {} : { status }), ...(fault === undefined ? {} : { fault }), wait: this.#wait });
    if (status !== undefined) {
      const duration = this.#timing.elapsed() - this.#attemptStarted;
      this.#observe({ type: 'response', ...this.#event(number), status, fault, requestId: result.requestId, duration });
    }
    if (owns(result, 'data')) return result;
    this.#requestId = result.requestId ?? this.#requestId;
    const deleted = this.#alreadyDeleted(result);
    this.#outcomes.push(result.outcome);
    return deleted ?? result;
  }

  /** Whether another attempt is safe, may help, and is left. */
  mayRepeat({ passing, outcome, status }: Failure): boolean {
    if (!passing || this.retries >= this.#bounds.retries) return false;
    const { repeat } = this.#request;
    return repeat === 'always' || (repeat === 'if-not-taken' && (outcome === 'not-sent' || (outcome === 'rejected' && status === 429)));
  }

  /**
   * Whether a refused token is to be signed once more: because a clock that was off explains the refusal, or because the runtime itself
   * may have sent it twice.
   */
  maySignAgain({ status, outcome }: Failure, explained: boolean): boolean {
    const { repeat } = this.#request;
    if (status !== 401 || outcome !== 'rejected' || this.#resigned || repeat === 'never') return false;
    if (!explained && !(repeat === 'always' && resending().reads)) return false;
    this.#resigned = true;
    return true;
  }

  /** Another attempt follows, after so many milliseconds. */
  repeat({ status, fault }: Failure, wait: number): void {
    this.#wait = wait;
    this.#observe({ type: 'retry', ...this.#event(this.attempts.length), status, fault, wait });
  }

  /** The error the whole call ends with. */
  end(failure: Failure): CorridorError {
    // A read leaves nothing behind: its last attempt alone speaks.
    const earlier = this.#request.method === 'GET' ? this.#outcomes.slice(-1) : this.#outcomes;
    const outcome = combined(earlier.length === 0 ? [failure.outcome] : earlier);
    const error = failure.error({ endpoint: this.#request.endpoint, outcome, attempts: this.attempts, requestId: this.#requestId });
    const event = { ...this.#event(this.attempts.length), duration: this.#timing.elapsed() - this.#started };
    if (error.cause === unwanted) this.#observe({ type: 'cancel', ...event });
    else this.#observe({ type: 'error', ...event, code: error.code, outcome, status: failure.status, requestId: this.#requestId });
    return error;
  }

  /** Waits between attempts; a limit that is reached ends the call. */
  async bounded(work: Promise<void>, during: string): Promise<void> {
    try {
      await work;
    } catch (thrown) {
      if (!(thrown instanceof Stopped)) throw thrown;
      throw this.end(stoppedFailure(thrown.stop, 'not-sent', this.#bounds, during));
    }
  }

  #event(attempt: number): CallEvent {
    const { endpoint, method, template } = this.#request;
    return { call: this.#call, endpoint, method, path: template, attempt };
  }

  // Assumed: A-20. The first deletion's answer was lost, the second finds nothing: it is deleted.
  #alreadyDeleted({ status, headers, requestId }: Failure): Success | undefined {
    const lost = this.#request.method === 'DELETE' && this.#outcomes.includes('unknown');
    return lost && status === 404 && headers !== undefined ? { data: undefined, status, headers, requestId } : undefined;
  }
}
