import { canReach, type FinalStatuses } from '../../contract/schema/primitives.js';
import { InvalidRequestError } from '../../errors/api.js';
import { sleep } from '../../transport/timing/sleep.js';
import type { RequestOptions } from '../../transport/request/request-options.js';
import { WaitTimeoutError } from '../../errors/payments.js';
import { PollBackoff } from './poll-backoff.js';
import { withSharedTimeout } from '../shared-timeout.js';
import type { WorkflowContext } from '../context.js';

const maxPollInterval = 30_000;
// The last poll can exceed the time limit by this much; without it, a poll that starts late would always fail.
const finalPollReserve = 2_000;

/** The target of a wait. */
export interface WaitTarget {
  readonly endpoint: string;
  /** The record, for messages. */
  readonly description: string;
  readonly until: readonly string[];
  readonly finalStatuses: FinalStatuses;
  /** The longest wait, in milliseconds. */
  readonly maxWait: number;
  /** The first delay between two polls, in milliseconds. */
  readonly pollInterval: number | undefined;
  readonly request: RequestOptions;
}

/**
 * Polls until a record has one of the statuses, or can no longer reach them. Repeats a poll after a transient error. All
 * requests of a poll share the time that is left, plus a short reserve. `completeHistory` adds the statuses between two
 * polls to the history of the timeout error.
 */
export async function pollUntil<T extends { readonly status: string }>(
  context: WorkflowContext,
  target: WaitTarget,
  poll: (request: RequestOptions) => Promise<T | undefined>,
  completeHistory: (statusHistory: readonly string[], request: RequestOptions) => Promise<readonly string[]> = (
    statusHistory,
  ) => Promise.resolve(statusHistory),
): Promise<T> {
  const { endpoint, description, until, finalStatuses, maxWait, pollInterval = 2_000, request } = target;
  if (until.length === 0)
    throw new InvalidRequestError(endpoint, [{ path: 'until', message: 'must have at least one status' }]);
  const { timing } = context;
  const backoff = new PollBackoff(pollInterval, maxPollInterval);
  const started = timing.elapsed();
  const remaining = (): number => maxWait - (timing.elapsed() - started);
  const requestOptions = (): RequestOptions =>
    withSharedTimeout(timing, Math.max(remaining(), finalPollReserve), {
      ...request,
      totalTimeout: request.totalTimeout ?? context.totalTimeout,
    });
  const statusHistory: string[] = [];
  for (;;) {
    let delay: number;
    let cause: unknown;
    try {
      const record = await poll(requestOptions());
      if (record !== undefined && until.includes(record.status)) return record;
      const changed = record !== undefined && record.status !== statusHistory.at(-1);
      if (changed) statusHistory.push(record.status);
      if (record !== undefined && !canReach(finalStatuses, record.status, until))
        throw new WaitTimeoutError(description, { until, maxWait, statusHistory, unreachable: true, endpoint });
      delay = backoff.next(changed);
    } catch (error) {
      delay = backoff.nextAfterError(error);
      cause = error;
    }
    if (remaining() <= 0)
      throw new WaitTimeoutError(description, {
        until,
        maxWait,
        statusHistory: await completeHistory(statusHistory, requestOptions()),
        unreachable: false,
        endpoint,
        cause,
      });
    await sleep(timing, Math.min(delay, remaining()), request.signal, endpoint);
  }
}
