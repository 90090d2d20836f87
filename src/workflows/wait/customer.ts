import {
  customerStatuses,
  finalCustomerStatuses,
  type Customer,
  type CustomerActivity,
  type CustomerStatus,
} from '../../contract/schema/customers.js';
import { assertOptions, type RequestOptions } from '../../transport/request/request-options.js';
import { resolveStatuses } from '../known-statuses.js';
import { parseTime } from '../../contract/schema/timestamp.js';
import { pollUntil } from './poll-until.js';
import { defineWaitOptions, type WaitOptions } from './wait-options.js';
import type { WorkflowContext } from '../context.js';

/** Reads a customer and its activity. */
export interface CustomerReads {
  readonly get: (customerId: string, options: RequestOptions) => PromiseLike<Customer>;
  readonly activity: (customerId: string, options: RequestOptions) => PromiseLike<readonly CustomerActivity[]>;
}

const customerWaitOptions = defineWaitOptions<WaitOptions<CustomerStatus>>(() => ({}));

const endpoint = 'customers.waitForStatus';
// The platform's clock is known in whole seconds.
const timestampPrecision = 2_000;

/** Polls a customer until it has one of the statuses, or can no longer reach them. */
export async function waitForCustomer(
  context: WorkflowContext,
  reads: CustomerReads,
  customerId: string,
  options: WaitOptions<CustomerStatus>,
): Promise<Customer> {
  assertOptions(customerWaitOptions, options);
  const { until: statuses, maxWait, pollInterval, ...request } = options;
  const until = resolveStatuses(endpoint, 'until', statuses, customerStatuses);
  const { timing, clock } = context;
  const started = timing.elapsed();
  // The activity contains the statuses between two polls. If it cannot be read, the observed ones are used.
  const completeHistory = async (
    statusHistory: readonly string[],
    each: RequestOptions,
  ): Promise<readonly string[]> => {
    const entries = await Promise.resolve(reads.activity(customerId, each)).catch(() => []);
    return mergeHistory(statusHistory, entries, clock.now() - (timing.elapsed() - started) - timestampPrecision);
  };
  return pollUntil(
    context,
    {
      endpoint,
      description: `customer ${customerId}`,
      until,
      finalStatuses: finalCustomerStatuses,
      maxWait,
      pollInterval,
      request,
    },
    async (each) => reads.get(customerId, each),
    completeHistory,
  );
}

/** Merges the observed statuses with those of the activity in between. */
function mergeHistory(statusHistory: readonly string[], entries: readonly CustomerActivity[], from: number): string[] {
  const recorded = entries
    .map(({ toStatus, createdAt }) => ({ status: toStatus, at: parseTime(createdAt) }))
    .filter(({ status, at }) => typeof status === 'string' && at >= from)
    .toSorted((one, other) => one.at - other.at)
    .map(({ status }) => status as string);
  const merged =
    recorded.length < statusHistory.length - 1
      ? statusHistory
      : [...statusHistory.slice(0, 1), ...recorded, ...statusHistory.slice(-1)];
  return merged.filter((status, index) => status !== merged[index - 1]);
}
