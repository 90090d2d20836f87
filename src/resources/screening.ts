import { callOf, type ApiCall } from '../api-call.js';
import type { PersonScreening, ScreeningHistoryQuery, ScreeningRun } from '../contract/screening.js';
import type { PageRequest } from '../pages.js';
import type { RequestOptions } from '../transport/request.js';
import { listOf, type ResourceOptions } from './list.js';

/** Screening of persons: `corridor.screening`. */
export class Screening {
  readonly #resource: ResourceOptions;

  /** Made by the client. */
  constructor(resource: ResourceOptions) {
    this.#resource = resource;
  }

  /**
   * Reads the screening result of a person of a customer.
   *
   * @throws NotFoundError where the organization has no such customer or person; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { subject, openMatches } = await corridor.screening.get('cus_1', 'per_1');
   * if (subject.paymentHold) console.log(`payments are held: ${openMatches.length} open matches`);
   * ```
   * Calls `GET /api/v1/customers/{customerId}/persons/{personId}/screening`.
   */
  get(customerId: string, personId: string, options: RequestOptions = {}): ApiCall<PersonScreening> {
    return callOf(this.#resource.send('screening.get', { ids: { customerId, personId } }, options), (data) => data);
  }

  /**
   * Lists the screening runs of a person; nothing is sent before the list is awaited or iterated.
   *
   * @throws InvalidRequestError where a filter breaks a rule; NotFoundError where the organization has no such customer or person; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const run of corridor.screening.history('cus_1', 'per_1')) console.log(run.createdAt, run.matchCount);
   * ```
   * Calls `GET /api/v1/customers/{customerId}/persons/{personId}/screening/history`.
   */
  history(customerId: string, personId: string, query?: ScreeningHistoryQuery, options: RequestOptions = {}): PageRequest<ScreeningRun> {
    return listOf(this.#resource, 'screening.history', query, options, (page, each) =>
      this.#resource.send('screening.history', { ids: { customerId, personId }, query: page }, each));
  }
}
