import type { Customer, CustomerActivity, CustomerStatus } from '../contract/customers.js';
import type { RequestOptions } from '../transport/request.js';
import { timeOf } from './record-time.js';
import type { WaitOptions } from './wait-for.js';
import { checkWaitOptions, watch } from './watch.js';
import type { WorkflowOptions } from './workflow.js';

/** Reads of a customer, as a workflow makes them. */
export interface CustomerReads {
  readonly get: (customerId: string, options: RequestOptions) => PromiseLike<Customer>;
  readonly activity: (customerId: string, options: RequestOptions) => PromiseLike<readonly CustomerActivity[]>;
}

const endpoint = 'customers.waitForStatus';
// The platform tells its time in whole seconds.
const coarse = 2_000;

/** Looks until a customer is in one of the statuses. */
export async function waitForStatus(workflow: WorkflowOptions, reads: CustomerReads, customerId: string, options: WaitOptions<CustomerStatus>): Promise<Customer> {
  checkWaitOptions(endpoint, options);
  const { until, within, interval, ...request } = options;
  const { timing, clock } = workflow;
  const started = timing.elapsed();
  const look = async (each: RequestOptions) => ({ record: await reads.get(customerId, each), lost: false });
  // What came and went between two looks stands in the activity. Where that cannot be read, what was seen has to do.
  const course = async (seen: readonly string[], each: RequestOptions): Promise<readonly string[]> => {
    const entries = await Promise.resolve(reads.activity(customerId, each)).catch(() => []);
    return joined(seen, entries, clock.now() - (timing.elapsed() - started) - coarse);
  };
  return watch(workflow, { endpoint, what: `customer ${customerId}`, until, within, interval, request }, look, course);
}

/** The statuses from the first that was seen to the last, with those in between that only the activity tells of. */
function joined(seen: readonly string[], entries: readonly CustomerActivity[], from: number): string[] {
  const told = entries
    .map(({ toStatus, createdAt }) => ({ status: toStatus, at: timeOf(createdAt ?? '') }))
    .filter(({ status, at }) => typeof status === 'string' && at >= from)
    .toSorted((one, other) => one.at - other.at)
    .map(({ status }) => status as string);
  const all = told.length < seen.length - 1 ? seen : [...seen.slice(0, 1), ...told, ...seen.slice(-1)];
  return all.filter((status, index) => status !== all[index - 1]);
}
