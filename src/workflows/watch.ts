import { InvalidRequestError } from '../errors.js';
import { pause } from '../transport/pause.js';
import type { RequestOptions } from '../transport/request.js';
import { WaitTimeoutError } from './outcome-errors.js';
import { checkMilliseconds, Pace } from './pace.js';
import { together } from './time-left.js';
import type { WorkflowOptions } from './workflow.js';

const longestInterval = 30_000;
// What the last look may take beyond the time that was given: cut off at once, it would tell nothing.
const lastLook = 2_000;

/** What is waited for. */
export interface Awaited {
  readonly endpoint: string;
  /** What is watched, for messages. */
  readonly what: string;
  readonly until: readonly string[];
  /** In milliseconds. */
  readonly within: number;
  /** In milliseconds. */
  readonly interval: number | undefined;
  readonly request: RequestOptions;
}

/** What a look saw; nothing where the record did not show up. `lost` where it cannot come to what is waited for any more. */
export interface Sight<T> {
  readonly record: T | undefined;
  readonly lost: boolean;
}

/** Refuses a wait of which nothing says what it is for. */
export function checkWaitOptions(endpoint: string, options: unknown): void {
  if (Object(options) === options) return;
  throw new InvalidRequestError(endpoint, [{ path: 'options', message: "must be an object that says what is waited for and how long, such as { until: ['APPROVED'], within: 60_000 }" }]);
}

/**
 * Looks until a record has come to one of the statuses. A look that fails is made again, where another may fare better; none outlasts
 * the time that is left by more than a moment, however many requests it makes. `course` tells the statuses that were seen more fully
 * than the looks did.
 */
export async function watch<T extends { readonly status: string }>(
  workflow: WorkflowOptions,
  awaited: Awaited,
  look: (request: RequestOptions) => Promise<Sight<T>>,
  course: (seen: readonly string[], request: RequestOptions) => Promise<readonly string[]> = (seen) => Promise.resolve(seen),
): Promise<T> {
  const { endpoint, what, until, within, interval = 2_000, request } = awaited;
  if (!Array.isArray(until) || until.length === 0 || !until.every((status: unknown) => typeof status === 'string' && status !== '')) {
    throw new InvalidRequestError(endpoint, [{ path: 'until', message: 'must be a list of at least 1 status' }]);
  }
  checkMilliseconds(endpoint, { within, interval });
  const { timing } = workflow;
  const pace = new Pace(interval, longestInterval);
  const started = timing.elapsed();
  const left = (): number => within - (timing.elapsed() - started);
  const bounded = (): RequestOptions => together(timing, Math.max(left(), lastLook), { ...request, deadline: request.deadline ?? workflow.deadline });
  const seen: string[] = [];
  for (;;) {
    let wait: number;
    let cause: unknown;
    try {
      const { record, lost } = await look(bounded());
      if (record !== undefined && until.includes(record.status)) return record;
      const changed = record !== undefined && record.status !== seen.at(-1);
      if (changed) seen.push(record.status);
      if (lost) throw new WaitTimeoutError(what, { until, within, seen, final: true, endpoint });
      wait = pace.after(changed);
    } catch (error) {
      wait = pace.afterFailure(error);
      cause = error;
    }
    if (left() <= 0) throw new WaitTimeoutError(what, { until, within, seen: await course(seen, bounded()), final: false, endpoint, cause });
    await pause(timing, Math.min(wait, left()), request.signal, endpoint);
  }
}
