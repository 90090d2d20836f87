import type { Customer, CustomerStatus } from '../contract/customers.js';
import { Customers } from '../resources/customers.js';
import type { ResourceOptions } from '../resources/list.js';
import type { WaitOptions } from './wait-for.js';
import { waitForStatus } from './wait-for-status.js';
import type { WorkflowOptions } from './workflow.js';

/** Customers, with what the platform lacks and partners need: `corridor.customers`. */
export class CustomersWithWorkflows extends Customers {
  readonly #workflow: WorkflowOptions;

  /** Made by the client. */
  constructor(resource: ResourceOptions, workflow: WorkflowOptions) {
    super(resource);
    this.#workflow = workflow;
  }

  /**
   * Waits until a customer is in one of the statuses, and resolves to it; at once where it is already.
   *
   * `within` and `interval` are in milliseconds. Only the status in which a look finds the customer counts: one that came and went
   * between two looks is not waited for, but the error lists it, because the activity tells of it. One request per look.
   *
   * @throws WaitTimeoutError where none of the statuses came about in time; `seen` lists those that did. NotFoundError where the organization has no such customer; a read that fails otherwise is made again.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const customer = await corridor.customers.waitForStatus('cus_1', { until: ['APPROVED', 'REJECTED'], within: 60 * 60_000 });
   * console.log(customer.status);
   * ```
   * Calls `GET /api/v1/customers/{id}`, and where the time is up `GET /api/v1/customers/{id}/activity`.
   */
  async waitForStatus(customerId: string, options: WaitOptions<CustomerStatus>): Promise<Customer> {
    const get = (id: string, each: Parameters<Customers['get']>[1]) => this.get(id, each);
    const activity = (id: string, each: Parameters<Customers['activity']>[1]) => this.activity(id, each);
    return waitForStatus(this.#workflow, { get, activity }, customerId, options);
  }
}
