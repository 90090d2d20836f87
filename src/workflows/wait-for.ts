import type { Open } from '../contract/open.js';
import type { ListedPayment, Payment, PaymentListQuery, PaymentStatus } from '../contract/payments.js';
import { InvalidRequestError } from '../errors.js';
import type { RequestOptions } from '../transport/request.js';
import { lookupsFor, walk } from './lookup.js';
import { canStillBecome, openStatuses } from './payment-course.js';
import { createdAtOf, filterTime } from './record-time.js';
import { checkWaitOptions, watch } from './watch.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** What is waited for, and for how long. */
export interface WaitOptions<Status extends string> extends RequestOptions {
  /** The statuses of which one is to come about. */
  readonly until: readonly Open<Status>[];
  /** How long is waited, in milliseconds; the last look may take up to two seconds longer, and so may reading the activity of a customer. `deadline` is that of each request. */
  readonly within: number;
  /** The pause between two looks, in milliseconds; it doubles while nothing happens, up to half a minute. @default 2_000 */
  readonly interval?: number | undefined;
}

/** What is waited for of a payment. */
export interface WaitForOptions extends WaitOptions<PaymentStatus> {
  /** Created at or after this time: an ISO 8601 UTC text ending in Z, or a `Date`. Narrows the search for a payment of which only the id is given. */
  readonly createdFrom?: string | Date | undefined;
}

/** A payment, or its id. The record saves the search: its `createdAt` says where in the list it stands. */
export type PaymentOrId = string | Pick<Payment, 'id' | 'createdAt'>;

const endpoint = 'payments.waitFor';
// A payment made just before the wait began; clocks differ, and the list may lag.
const justNow = 5 * 60_000;

/** Looks until a payment has come to one of the statuses, or cannot any more. */
export async function waitFor(workflow: WorkflowOptions, list: ListPayments, payment: PaymentOrId, options: WaitForOptions): Promise<ListedPayment> {
  checkWaitOptions(endpoint, options);
  const { until, within, interval, createdFrom, ...request } = options;
  const id = typeof payment === 'string' ? payment : payment?.id;
  if (typeof id !== 'string' || id === '') throw new InvalidRequestError(endpoint, [{ path: 'payment', message: 'must be a payment or the id of one' }]);
  const search = new Search(workflow, list, id, typeof payment === 'string' ? undefined : createdAtOf(payment), createdFrom);
  return watch(workflow, { endpoint, what: `payment ${id}`, until, within, interval, request }, async (each) => {
    const record = await search.look(each);
    return { record, lost: record !== undefined && !canStillBecome(record.status, until) };
  });
}

/** Looks for one payment, over and over: where it was created, once that is known. */
class Search {
  readonly #list: ListPayments;
  readonly #id: string;
  readonly #wide: PaymentListQuery[];
  #at: number | undefined;
  #all: PaymentListQuery | undefined = {};

  constructor(workflow: WorkflowOptions, list: ListPayments, id: string, at: number | undefined, createdFrom: string | Date | undefined) {
    this.#list = list;
    this.#id = id;
    this.#at = at;
    this.#wide = createdFrom === undefined ? [{ createdFrom: filterTime(workflow.clock.now() - justNow) }, ...openStatuses.map((status) => ({ status }))] : [{ createdFrom }];
    if (createdFrom !== undefined) this.#all = undefined;
  }

  async look(request: RequestOptions): Promise<ListedPayment | undefined> {
    const queries = this.#at === undefined ? this.#wide : lookupsFor([{ id: this.#id, at: this.#at }]).map(({ query }) => query);
    for (const query of queries) {
      const found = await this.#lookIn(query, request);
      if (found !== undefined) return found;
    }
    // The whole history is walked once: what is not in there, and comes later, is new.
    if (this.#at !== undefined || this.#all === undefined) return undefined;
    const found = await this.#lookIn(this.#all, request);
    this.#all = undefined;
    return found;
  }

  async #lookIn(query: PaymentListQuery, request: RequestOptions): Promise<ListedPayment | undefined> {
    for await (const payment of walk(this.#list, query, request)) {
      if (payment.id !== this.#id) continue;
      this.#at = createdAtOf(payment);
      return payment;
    }
    return undefined;
  }
}
