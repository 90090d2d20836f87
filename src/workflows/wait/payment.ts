import type { ListedPayment, Payment, PaymentListParams } from '../../contract/schema/payments.js';
import { finalStatuses, paymentStatuses, type PaymentStatus } from '../../contract/schema/payment-enums.js';
import { InvalidRequestError } from '../../errors/api.js';
import { assertOptions, type RequestOptions } from '../../transport/request/request-options.js';
import { lookupsFor, iterate } from '../changes/lookup.js';
import { openStatuses } from '../changes/payment-lifecycle.js';
import { resolveStatuses } from '../known-statuses.js';
import { createdAtOf, toFilterTime } from '../platform-time.js';
import { unchecked } from '../workflow-options.js';
import { pollUntil } from './poll-until.js';
import { defineWaitOptions, type WaitOptions } from './wait-options.js';
import type { ListPayments, WorkflowContext } from '../context.js';

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

const paymentWaitOptions = defineWaitOptions<PaymentWaitOptions>(() => ({ createdFrom: unchecked() }));

const endpoint = 'payments.waitForStatus';
// Covers a payment created just before the wait, because clocks differ and the list can lag.
const recentPeriod = 5 * 60_000;

/** Polls a payment until it has one of the statuses, or can no longer reach them. */
export async function waitForPayment(
  context: WorkflowContext,
  list: ListPayments,
  payment: PaymentOrId,
  options: PaymentWaitOptions,
): Promise<ListedPayment> {
  assertOptions(paymentWaitOptions, options);
  const { until: statuses, maxWait, pollInterval, createdFrom, ...request } = options;
  const until = resolveStatuses(endpoint, 'until', statuses, paymentStatuses);
  const id = typeof payment === 'string' ? payment : payment?.id;
  if (typeof id !== 'string' || id === '')
    throw new InvalidRequestError(endpoint, [
      {
        path: 'payment',
        message: `must be a payment or its id (received ${id === '' ? 'an empty string' : typeof id})`,
      },
    ]);
  const search = new PaymentSearch(
    context,
    list,
    id,
    typeof payment === 'string' ? undefined : createdAtOf(payment),
    createdFrom,
  );
  return pollUntil(
    context,
    { endpoint, description: `payment ${id}`, until, finalStatuses, maxWait, pollInterval, request },
    (each) => search.find(each),
  );
}

/** Finds one payment repeatedly; by its creation time when that is known. */
class PaymentSearch {
  readonly #list: ListPayments;
  readonly #id: string;
  readonly #queries: () => PaymentListParams[];
  #at: number | undefined;
  #fullQuery: PaymentListParams | undefined = {};

  constructor(
    context: WorkflowContext,
    list: ListPayments,
    id: string,
    at: number | undefined,
    createdFrom: string | Date | undefined,
  ) {
    this.#list = list;
    this.#id = id;
    this.#at = at;
    const { clock, timing } = context;
    const started = timing.elapsed();
    // Computed for each poll: the first response may correct the clock.
    const recentStart = (): number => clock.now() - (timing.elapsed() - started) - recentPeriod;
    this.#queries = () =>
      createdFrom === undefined
        ? [{ createdFrom: toFilterTime(recentStart()) }, ...openStatuses.map((status) => ({ status }))]
        : [{ createdFrom }];
    if (createdFrom !== undefined) this.#fullQuery = undefined;
  }

  async find(request: RequestOptions): Promise<ListedPayment | undefined> {
    const queries =
      this.#at === undefined ? this.#queries() : lookupsFor([{ id: this.#id, at: this.#at }]).map(({ query }) => query);
    for (const query of queries) {
      const found = await this.#findIn(query, request);
      if (found !== undefined) return found;
    }
    // The whole history is read only once; a payment that appears later is recent or open.
    if (this.#at !== undefined || this.#fullQuery === undefined) return undefined;
    const found = await this.#findIn(this.#fullQuery, request);
    this.#fullQuery = undefined;
    return found;
  }

  async #findIn(query: PaymentListParams, request: RequestOptions): Promise<ListedPayment | undefined> {
    for await (const payment of iterate(this.#list, query, request)) {
      if (payment.id !== this.#id) continue;
      this.#at = createdAtOf(payment);
      return payment;
    }
    return undefined;
  }
}
