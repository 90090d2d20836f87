import * as z from 'zod/mini';
import {
  type ListedPayment,
  type Payment,
  type PaymentListParams,
  paymentTransitions,
  type PaymentStatus,
} from '../contract/schema/payments.js';
import { InvalidRequestError } from '../errors/api.js';
import { assertOptions, type RequestOptions } from '../transport/request-options.js';
import { accountOfCustomer, RunAccount, seenPayment } from './account.js';
import { lookupsFor, iteratePages, lookupListOf } from './lookup.js';
import { openStatuses } from './changes/tracker.js';
import { resolveStatuses, unchecked, type WorkflowContext, defineOptions, delayOption } from './context.js';
import { createdAtOf, toFilterTime } from './platform-time.js';
import { customerTransitions, type Customer, type CustomerStatus } from '../contract/schema/customers.js';
import { canReach, memoize, requestId, type Transitions, type UnknownValue } from '../contract/schema/schema.js';
import {
  beneficiaryTransitions,
  type Beneficiary,
  type BeneficiaryListParams,
  type BeneficiaryStatus,
} from '../contract/schema/beneficiaries.js';
import { pageSize } from '../contract/schema/page.js';
import { listPages } from '../core/pagination.js';
import { senderWithin, type Sender } from '../transport/call.js';
import { copyAndValidate } from '../transport/request.js';
import { Deadline } from '../transport/deadline.js';
import { WaitTimeoutError } from '../errors/payments.js';
import { PollBackoff } from './backoff.js';
import type { OptionsShape } from '../contract/option-schemas.js';

/** The options of `waitForStatus`. */
export interface WaitOptions<Status extends string> extends RequestOptions {
  /**
   * The statuses to wait for; the first one that is reached ends the wait. `unknownValue('ON_HOLD')` is one that this
   * version does not know.
   */
  readonly until: readonly (Status | UnknownValue)[];
  /**
   * The longest wait, in milliseconds. The last poll can take up to two seconds longer. `totalTimeout` applies to each
   * request.
   */
  readonly maxWait: number;
  /**
   * The delay between two polls, in milliseconds. It doubles while the status does not change, up to 30 seconds.
   * @default 2_000
   */
  readonly pollInterval?: number | undefined;
}

const waitRule = "must be an object with until and maxWait, such as { until: ['APPROVED'], maxWait: 60_000 }";
const hasMaxWait = ({ maxWait }: Partial<WaitOptions<string>>): boolean => maxWait !== undefined;

function waitShape<Status extends string>(): OptionsShape<Omit<WaitOptions<Status>, keyof RequestOptions>> {
  return { until: unchecked(), maxWait: delayOption(), pollInterval: delayOption() };
}

/** The options of `payments.waitForStatus`. */
export interface PaymentWaitOptions extends WaitOptions<PaymentStatus> {
  /**
   * The earliest creation time: an ISO 8601 UTC string ending in Z, or a `Date`. Limits the search if you pass only an
   * id.
   */
  readonly createdFrom?: string | Date | undefined;
}

/** A payment or its id. Pass the payment if you have it: its `createdAt` makes the lookup faster. */
export type PaymentOrId = string | Pick<Payment, 'id' | 'createdAt'>;

const paymentWaitOptions = defineOptions<PaymentWaitOptions>(
  waitRule,
  () => ({ ...waitShape<PaymentStatus>(), createdFrom: unchecked() }),
  hasMaxWait,
);

// Covers a payment created just before the wait, because clocks differ and the list can lag.
const recentPeriod = 5 * 60_000;

/** Polls a payment until it has one of the statuses, or can no longer reach them. */
export async function waitForPayment(
  context: WorkflowContext,
  payment: PaymentOrId,
  options: PaymentWaitOptions,
): Promise<ListedPayment> {
  assertOptions(paymentWaitOptions, options);
  const { createdFrom, ...waitOptions } = options;
  const id = typeof payment === 'string' ? payment : payment?.id;
  if (typeof id !== 'string' || id === '')
    throw new InvalidRequestError('payments.waitForStatus', [
      {
        path: 'payment',
        message: `must be a payment or its id (received ${id === '' ? 'an empty string' : typeof id})`,
      },
    ]);
  // Computed for each poll: the first response may correct the clock.
  const started = context.clock.presentTime();
  const endpoint = 'payments.waitForStatus';
  const { sender } = new RunAccount(context, { endpoint, seen: seenPayment([payment]) });
  let at = typeof payment === 'string' ? undefined : createdAtOf(payment);
  let isHistoryRead = createdFrom !== undefined;
  const poll = async (own: Sender, each: RequestOptions): Promise<ListedPayment | undefined> => {
    const recent = { createdFrom: toFilterTime(started() - recentPeriod) };
    const queries: PaymentListParams[] =
      at !== undefined
        ? lookupsFor([{ id, at }]).map(({ query }) => query)
        : createdFrom === undefined
          ? [recent, ...openStatuses.map((status) => ({ status }))]
          : [{ createdFrom }];
    // The whole history is read only once; a payment that appears later is recent or open.
    if (at === undefined && !isHistoryRead) queries.push({});
    for (const query of queries)
      for await (const page of iteratePages(lookupListOf(own), query, each)) {
        const found = page.find((row) => Object(row) === row && row.id === id);
        if (found === undefined) continue;
        at = createdAtOf(found);
        return found;
      }
    isHistoryRead = true;
    return undefined;
  };
  const target = { sender, endpoint, description: `payment ${id}`, transitions: paymentTransitions };
  return pollUntil(context, target, waitOptions, poll);
}

const statusWaitOptions = defineOptions<WaitOptions<string>>(waitRule, () => waitShape(), hasMaxWait);

/** Polls a customer until it has one of the statuses, or can no longer reach them. */
export async function waitForCustomer(
  context: WorkflowContext,
  customerId: string,
  options: WaitOptions<CustomerStatus>,
): Promise<Customer> {
  assertOptions(statusWaitOptions, options);
  const endpoint = 'customers.waitForStatus';
  const { sender } = accountOfCustomer(context, endpoint, customerId);
  const target = { sender, endpoint, description: `customer ${customerId}`, transitions: customerTransitions };
  return pollUntil(context, target, options, async (own, each) => {
    const { data } = await own.send('customers.get', { ids: { id: customerId } }, each);
    return data;
  });
}

/** Polls a beneficiary until it has one of the statuses, or can no longer reach them. */
export async function waitForBeneficiary(
  context: WorkflowContext,
  customerId: string,
  beneficiaryId: string,
  options: WaitOptions<BeneficiaryStatus>,
): Promise<Beneficiary> {
  const endpoint = 'customers.waitForBeneficiaryStatus';
  assertOptions(statusWaitOptions, options);
  copyAndValidate(endpoint, beneficiaryTarget(), { beneficiaryId }, 'reject');
  const { sender } = accountOfCustomer(context, endpoint, customerId);
  const target = { sender, endpoint, description: `beneficiary ${beneficiaryId}`, transitions: beneficiaryTransitions };
  const query: BeneficiaryListParams = { limit: pageSize.largest };
  const input = { ids: { customerId }, query };
  return pollUntil(context, target, options, async (own, each) => {
    for await (const beneficiary of listPages(own, 'customers.beneficiaries', input, each, 'id'))
      if (beneficiary.id === beneficiaryId) return beneficiary;
    return undefined;
  });
}

const beneficiaryTarget = memoize(() => z.object({ beneficiaryId: requestId() }));

const maxPollInterval = 30_000;
// The last poll can exceed the time limit by this much; without it, a poll that starts late would always fail.
const finalPollReserve = 2_000;

/** The target of a wait. */
interface WaitTarget {
  readonly sender: Sender;
  readonly endpoint: string;
  /** The record, for messages. */
  readonly description: string;
  /** The statuses that are known, and those that can follow each. */
  readonly transitions: Transitions;
}

/**
 * Polls until a record has one of the statuses, or can no longer reach them. Repeats a poll after a transient error.
 * All requests of a poll share the time that is left, plus a short reserve.
 */
async function pollUntil<T extends { readonly status: string }>(
  context: WorkflowContext,
  { sender, endpoint, description, transitions }: WaitTarget,
  { until: wanted, maxWait, pollInterval = 2_000, ...request }: WaitOptions<string>,
  poll: (sender: Sender, request: RequestOptions) => Promise<T | undefined>,
): Promise<T> {
  const statuses = Object.keys(transitions) as [string, ...string[]];
  const until = resolveStatuses(endpoint, 'until', wanted, statuses);
  if (until.length === 0)
    throw new InvalidRequestError(endpoint, [{ path: 'until', message: 'must have at least one status' }]);
  const backoff = new PollBackoff(
    pollInterval,
    maxPollInterval,
    request.maxRetryAfter ?? context.options.maxRetryAfter,
  );
  const { totalTimeout = context.options.totalTimeout, signal } = request;
  const deadline = new Deadline(context.timing, { endpoint, totalTimeout: maxWait, signal });
  const statusHistory: string[] = [];
  for (;;) {
    let delay: number;
    let cause: unknown;
    try {
      const whole = deadline.limit(Math.max(deadline.remaining, finalPollReserve));
      const record = await poll(senderWithin(sender, whole), { ...request, totalTimeout });
      if (record !== undefined && until.includes(record.status)) return record;
      const changed = record !== undefined && record.status !== statusHistory.at(-1);
      if (changed) statusHistory.push(record.status);
      if (record !== undefined && !canReach(transitions, record.status, until))
        throw new WaitTimeoutError(description, { until, maxWait, statusHistory, unreachable: true, endpoint });
      delay = backoff.next(changed);
    } catch (error) {
      delay = backoff.nextAfterError(error);
      cause = error;
    }
    if (deadline.remaining <= 0)
      throw new WaitTimeoutError(description, { until, maxWait, statusHistory, unreachable: false, endpoint, cause });
    await deadline.sleep(delay);
  }
}
