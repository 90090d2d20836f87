import { bindMethods } from '../core/bind-methods.js';
import { toApiPromise, type ApiPromise } from '../core/api-promise.js';
import type { PersonScreening, ScreeningHistoryParams, ScreeningRun } from '../contract/schema/screening.js';
import type { Sender } from '../transport/call.js';
import type { RequestOptions } from '../transport/request-options.js';
import { listPages, type PagePromise } from '../core/pagination.js';

/** Screening of persons: `corridor.screening`. */
export class Screening {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
    bindMethods(this, { retrieve: 'screening.get(customerId, personId)' });
  }

  /**
   * Reads the screening result of a customer's person.
   *
   * @throws NotFoundError if the organization has no such customer or person; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { subject, openMatches } = await corridor.screening.get('cus_1', 'per_1');
   * if (subject.paymentHold) console.log(`payments are held: ${openMatches.length} open matches`);
   * ```
   * Calls `GET /api/v1/customers/{customerId}/persons/{personId}/screening`.
   */
  get(customerId: string, personId: string, options: RequestOptions = {}): ApiPromise<PersonScreening> {
    return toApiPromise(this.#sender.send('screening.get', { ids: { customerId, personId } }, options));
  }

  /**
   * Lists the screening runs of a person. Nothing is sent until you await or iterate the list.
   *
   * @throws InvalidRequestError if a filter breaks a rule; NotFoundError if the organization has no such customer or
   * person; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const run of corridor.screening.history('cus_1', 'per_1')) console.log(run.createdAt, run.matchCount);
   * ```
   * Calls `GET /api/v1/customers/{customerId}/persons/{personId}/screening/history`.
   */
  history(
    customerId: string,
    personId: string,
    params?: ScreeningHistoryParams,
    options: RequestOptions = {},
  ): PagePromise<ScreeningRun> {
    const input = { ids: { customerId, personId }, query: params };
    return listPages(this.#sender, 'screening.history', input, options, 'screeningId');
  }
}
