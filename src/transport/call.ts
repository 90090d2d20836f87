import type { Attempt, CorridorError, Outcome } from '../errors.js';
import type { Answer } from './answer.js';
import { attempt, type AttemptOptions, type Bounds, type Success } from './attempt.js';
import { combined, stoppedFailure, type Failure } from './failures.js';
import type { Gate } from './gate.js';
import { Limits, Stopped } from './limits.js';
import type { PreparedRequest, RequestOptions } from './request.js';
import { checkLimits } from './request.js';
import { backoff, retryPrice, type RetryBudget } from './retries.js';
import type { Timing } from './timing.js';

/** What a call needs of its client. */
export interface CallOptions extends AttemptOptions {
  readonly timing: Timing;
  readonly budget: RetryBudget;
  readonly gate: Gate;
  readonly bounds: Bounds;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Makes a call: as many attempts as its safety and its limits allow, one answer or one error. */
export async function call(options: CallOptions, request: PreparedRequest, given: RequestOptions): Promise<Answer<unknown>> {
  checkLimits(given);
  const bounds: Bounds = {
    timeout: given.timeout ?? options.bounds.timeout,
    deadline: given.deadline ?? options.bounds.deadline,
    retries: given.retries ?? options.bounds.retries,
  };
  const limits = new Limits(options.timing, bounds.deadline, given.signal);
  const place = options.gate.enter();
  const course = new Course(request, bounds);
  try {
    await course.bounded(limits.run(place.ready), 'waiting for its turn');
    for (;;) {
      const offset = options.clock.offset;
      const result = course.note(await attempt(options, request, limits, bounds));
      if ('data' in result) {
        options.budget.refund(course.paid);
        return { ...result, attempts: course.attempts };
      }
      const pause = course.explainedByClock(result, options.clock.explains(offset)) ? 0 : pauseAfter(options, course, result, limits);
      if (pause === undefined) throw course.end(result);
      course.wait = pause;
      if (pause > 0) await course.bounded(limits.pause(pause), 'waiting to try again');
    }
  } finally {
    limits.close();
    place.leave();
  }
}

function pauseAfter(options: CallOptions, course: Course, failure: Failure, limits: Limits): number | undefined {
  if (!course.mayRepeat(failure)) return undefined;
  const pause = failure.retryAfter ?? backoff(course.retries + 1, options.random);
  const price = retryPrice(failure.status);
  if (pause >= limits.remaining || !options.budget.take(price)) return undefined;
  course.retries += 1;
  course.paid += price;
  return pause;
}

/** The course of one call: its attempts and what they tell together. */
class Course {
  readonly attempts: Attempt[] = [];
  /** What its retries cost. */
  paid = 0;
  /** How many retries it made. */
  retries = 0;
  /** How long was waited before the next attempt. */
  wait = 0;
  readonly #request: PreparedRequest;
  readonly #bounds: Bounds;
  readonly #outcomes: Outcome[] = [];
  #resigned = false;
  #requestId: string | undefined;

  constructor(request: PreparedRequest, bounds: Bounds) {
    this.#request = request;
    this.#bounds = bounds;
  }

  /** Notes an attempt. */
  note(result: Success | Failure): Success | Failure {
    const { status } = result;
    const fault = 'data' in result ? undefined : result.fault;
    const number = this.attempts.length + 1;
    this.attempts.push({ number, ...(status === undefined ? {} : { status }), ...(fault === undefined ? {} : { fault }), wait: this.wait });
    if ('data' in result) return result;
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

  /** Whether a refused token is to be signed once more, because a clock that was off explains the refusal. */
  explainedByClock({ status, outcome }: Failure, explained: boolean): boolean {
    if (status !== 401 || outcome !== 'rejected' || !explained || this.#resigned || this.#request.repeat === 'never') return false;
    this.#resigned = true;
    return true;
  }

  /** The error the whole call ends with. */
  end(failure: Failure): CorridorError {
    const outcome = combined(this.#outcomes.length === 0 ? [failure.outcome] : this.#outcomes);
    return failure.error({ endpoint: this.#request.endpoint, outcome, attempts: this.attempts, requestId: this.#requestId });
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

  // Assumed: A-20. The first deletion's answer was lost, the second finds nothing: it is deleted.
  #alreadyDeleted({ status, headers, requestId }: Failure): Success | undefined {
    const lost = this.#request.method === 'DELETE' && this.#outcomes.includes('unknown');
    return lost && status === 404 && headers !== undefined ? { data: undefined, status, headers, requestId } : undefined;
  }
}
