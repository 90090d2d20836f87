import { callOf, listIn, type ApiCall } from '../api-call.js';
import type { Beneficiary, BeneficiaryListQuery } from '../contract/beneficiaries.js';
import type { Customer, CustomerActivity, CustomerListQuery } from '../contract/customers.js';
import type { PageRequest } from '../pages.js';
import type { RequestOptions } from '../transport/request.js';
import { listOf, type ResourceOptions } from './list.js';

/** Customers, their activity and their beneficiaries: `corridor.customers`. */
export class Customers {
  readonly #resource: ResourceOptions;

  /** Made by the client. */
  constructor(resource: ResourceOptions) {
    this.#resource = resource;
  }

  /**
   * Lists the organization's customers; nothing is sent before the list is awaited or iterated.
   *
   * @throws InvalidRequestError where a filter breaks a rule; PaginationError where pages contradict each other; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const [customer] = await corridor.customers.list({ status: 'APPROVED' }).toArray({ max: 1 });
   * console.log(customer?.companyName);
   * ```
   * Calls `GET /api/v1/customers`.
   */
  list(query?: CustomerListQuery, options: RequestOptions = {}): PageRequest<Customer> {
    return listOf(this.#resource, 'customers.list', query, options, (page, each) => this.#resource.send('customers.list', { query: page }, each));
  }

  /**
   * Reads a customer.
   *
   * @throws NotFoundError where the organization has no such customer; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const customer = await corridor.customers.get('cus_1');
   * console.log(customer.companyName, customer.status);
   * ```
   * Calls `GET /api/v1/customers/{id}`.
   */
  get(customerId: string, options: RequestOptions = {}): ApiCall<Customer> {
    return callOf(this.#resource.send('customers.get', { ids: { id: customerId } }, options), (data) => data);
  }

  /**
   * Reads the activity of a customer: every change of its status.
   *
   * @throws NotFoundError where the organization has no such customer; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const entry of await corridor.customers.activity('cus_1')) console.log(entry.createdAt, entry.fromStatus, entry.toStatus);
   * ```
   * Calls `GET /api/v1/customers/{id}/activity`.
   */
  activity(customerId: string, options: RequestOptions = {}): ApiCall<readonly CustomerActivity[]> {
    return callOf(this.#resource.send('customers.activity', { ids: { id: customerId } }, options), (data, info) => listIn('customers.activity', data, 'items', info));
  }

  /**
   * Lists the beneficiaries of a customer; nothing is sent before the list is awaited or iterated.
   *
   * @throws InvalidRequestError where a filter breaks a rule; NotFoundError where the organization has no such customer; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const beneficiary of corridor.customers.beneficiaries('cus_1', { status: 'APPROVED' })) console.log(beneficiary.companyName);
   * ```
   * Calls `GET /api/v1/customers/{customerId}/beneficiaries`.
   */
  beneficiaries(customerId: string, query?: BeneficiaryListQuery, options: RequestOptions = {}): PageRequest<Beneficiary> {
    return listOf(this.#resource, 'customers.beneficiaries', query, options, (page, each) =>
      this.#resource.send('customers.beneficiaries', { ids: { customerId }, query: page }, each));
  }
}
