import { bindMethods } from '../core/bind-methods.js';
import { mapResponse, extractArray, toApiPromise, type ApiPromise } from '../core/api-promise.js';
import type { Beneficiary, BeneficiaryListParams, BeneficiaryStatus } from '../contract/schema/beneficiaries.js';
import type { Customer, CustomerActivity, CustomerListParams, CustomerStatus } from '../contract/schema/customers.js';
import type { RequestOptions } from '../transport/request-options.js';
import { waitForBeneficiary, waitForCustomer, type WaitOptions } from '../workflows/wait.js';
import type { WorkflowContext } from '../workflows/context.js';
import { listPages, type PagePromise } from '../core/pagination.js';

/** Customers, their activity and their beneficiaries: `corridor.customers`. */
export class Customers {
  readonly #workflow: WorkflowContext;

  /** @internal */
  constructor(workflow: WorkflowContext) {
    this.#workflow = workflow;
    const read = 'customers.get(id)';
    bindMethods(this, { retrieve: read, fetch: read });
  }

  /**
   * Lists the organization's customers. Nothing is sent until you await or iterate the list.
   *
   * @throws InvalidRequestError if a filter breaks a rule; PaginationError if pages contradict each other; otherwise
   * the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const [customer] = await corridor.customers.list({ status: 'APPROVED' }).toArray({ max: 1 });
   * console.log(customer?.companyName);
   * ```
   * Calls `GET /api/v1/customers`.
   */
  list(params?: CustomerListParams, options: RequestOptions = {}): PagePromise<Customer> {
    return listPages(this.#workflow.sender, 'customers.list', { query: params }, options, 'id');
  }

  /**
   * Reads a customer.
   *
   * @throws NotFoundError if the organization has no such customer; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const customer = await corridor.customers.get('cus_1');
   * console.log(customer.companyName, customer.status);
   * ```
   * Calls `GET /api/v1/customers/{id}`.
   */
  get(customerId: string, options: RequestOptions = {}): ApiPromise<Customer> {
    return toApiPromise(this.#workflow.sender.send('customers.get', { ids: { id: customerId } }, options));
  }

  /**
   * Reads the activity of a customer: all changes of its status.
   *
   * @throws NotFoundError if the organization has no such customer; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const entry of await corridor.customers.activity('cus_1'))
   *   console.log(entry.createdAt, entry.fromStatus, entry.toStatus);
   * ```
   * Calls `GET /api/v1/customers/{id}/activity`.
   */
  activity(customerId: string, options: RequestOptions = {}): ApiPromise<readonly CustomerActivity[]> {
    return mapResponse(
      this.#workflow.sender.send('customers.activity', { ids: { id: customerId } }, options),
      (data, metadata) => extractArray('customers.activity', data, 'items', metadata, this.#workflow.sender),
    );
  }

  /**
   * Lists the beneficiaries of a customer. Nothing is sent until you await or iterate the list.
   *
   * @throws InvalidRequestError if a filter breaks a rule; NotFoundError if the organization has no such customer;
   * otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const beneficiary of corridor.customers.beneficiaries('cus_1', { status: 'APPROVED' }))
   *   console.log(beneficiary.companyName);
   * ```
   * Calls `GET /api/v1/customers/{customerId}/beneficiaries`.
   */
  beneficiaries(
    customerId: string,
    params?: BeneficiaryListParams,
    options: RequestOptions = {},
  ): PagePromise<Beneficiary> {
    const input = { ids: { customerId }, query: params };
    return listPages(this.#workflow.sender, 'customers.beneficiaries', input, options, 'id');
  }

  /**
   * Waits until a customer has one of the statuses and resolves to the customer; at once if it already has one.
   *
   * `maxWait` and `pollInterval` are in milliseconds. Only the status that a poll finds counts: `activity` lists those
   * that were reached and left between two polls. Each poll sends one request. The wait ends early if the customer is
   * REJECTED and you wait for another status.
   *
   * @throws WaitTimeoutError if the customer reaches none of the statuses in time, or can no longer reach one
   * (`unreachable`); `statusHistory` lists the statuses that were observed. InvalidRequestError if a status is
   * misspelled; ConfigurationError if another option is invalid; NotFoundError if the organization has no such
   * customer. Other failed reads are retried.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const customer = await corridor.customers.waitForStatus('cus_1', {
   *   until: ['APPROVED', 'REJECTED'],
   *   maxWait: 60 * 60_000,
   * });
   * console.log(customer.status);
   * ```
   * Calls `GET /api/v1/customers/{id}`.
   */
  async waitForStatus(customerId: string, options: WaitOptions<CustomerStatus>): Promise<Customer> {
    const run = () => waitForCustomer(this.#workflow, customerId, options);
    return this.#workflow.tracer.trace('customers.waitForStatus', run);
  }

  /**
   * Waits until a beneficiary of a customer has one of the statuses and resolves to the beneficiary; at once if it
   * already has one.
   *
   * `maxWait` and `pollInterval` are in milliseconds. Each poll reads the customer's beneficiaries until it finds this
   * one. The wait ends early if the beneficiary is REJECTED and you wait for another status.
   *
   * @throws WaitTimeoutError if the beneficiary reaches none of the statuses in time, is not found, or can no longer
   * reach one (`unreachable`); `statusHistory` lists the statuses that were observed. InvalidRequestError if a status
   * is misspelled; ConfigurationError if another option is invalid; NotFoundError if the organization has no such
   * customer. Other failed reads are retried.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const options = { until: ['APPROVED', 'REJECTED'], maxWait: 60 * 60_000 } as const;
   * const beneficiary = await corridor.customers.waitForBeneficiaryStatus('cus_1', 'ben_1', options);
   * console.log(beneficiary.status);
   * ```
   * Calls `GET /api/v1/customers/{customerId}/beneficiaries`.
   */
  async waitForBeneficiaryStatus(
    customerId: string,
    beneficiaryId: string,
    options: WaitOptions<BeneficiaryStatus>,
  ): Promise<Beneficiary> {
    const run = () => waitForBeneficiary(this.#workflow, customerId, beneficiaryId, options);
    return this.#workflow.tracer.trace('customers.waitForBeneficiaryStatus', run);
  }
}
