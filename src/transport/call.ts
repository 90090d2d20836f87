import { owns } from '../contract/own.js';
import type { Answer } from './answer.js';
import { attempt, type AttemptOptions, type Bounds } from './attempt.js';
import { Course } from './course.js';
import type { Failure } from './failures.js';
import type { Gate } from './gate.js';
import { Limits } from './limits.js';
import type { Observe } from './observe.js';
import type { PreparedRequest, RequestOptions } from './request.js';
import { backoff, retryPrice, type RetryBudget } from './retries.js';
import type { Timing } from './timing.js';

/** What a call needs of its client. */
export interface CallOptions extends AttemptOptions {
  readonly timing: Timing;
  readonly budget: RetryBudget;
  readonly gate: Gate;
  readonly bounds: Bounds;
  readonly observe: Observe;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Makes a call: as many attempts as its safety and its limits allow, one answer or one error. */
export async function call(options: CallOptions, request: PreparedRequest, given: RequestOptions): Promise<Answer<unknown>> {
  const bounds: Bounds = {
    timeout: given.timeout ?? options.bounds.timeout,
    deadline: given.deadline ?? options.bounds.deadline,
    retries: given.retries ?? options.bounds.retries,
  };
  const limits = new Limits(options.timing, bounds.deadline, given.signal);
  const place = options.gate.enter();
  const course = new Course(request, bounds, options.observe, options.timing);
  try {
    await course.bounded(limits.run(place.ready), 'waiting for its turn');
    for (;;) {
      const offset = options.clock.offset;
      course.begin();
      const result = course.note(await attempt(options, request, limits, bounds));
      if (owns(result, 'data')) {
        options.budget.refund(course.paid);
        return { ...result, attempts: course.attempts };
      }
      const pause = course.maySignAgain(result, options.clock.explains(offset)) ? 0 : pauseAfter(options, course, result, limits);
      if (pause === undefined) throw course.end(result);
      course.repeat(result, pause);
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
