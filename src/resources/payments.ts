import { callOf, type ApiCall } from '../api-call.js';
import type { CreatedPayment, ListedPayment, PaymentCreate, PaymentListQuery } from '../contract/payments.js';
import type { PageRequest } from '../pages.js';
import type { RequestOptions } from '../transport/request.js';
import { listOf, type ResourceOptions } from './list.js';

/** Payments: `corridor.payments`. */
export class Payments {
  readonly #resource: ResourceOptions;

  /** Made by the client. */
  constructor(resource: ResourceOptions) {
    this.#resource = resource;
  }

  /**
   * Creates a payment and submits it for review.
   *
   * Amounts are decimal strings. The request is checked before it leaves, and is sent again only where the platform provably did
   * not take it (it never left, or was refused with 429). An error's `outcome` says whether the payment can exist.
   *
   * @throws InvalidRequestError where a field breaks a rule; nothing was sent.
   * @throws ApiError where the platform refuses; ConnectionError, TimeoutError, AbortedError where no answer came; InvalidResponseError where the answer is unusable, but the payment exists.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const customerId = 'cus_1', beneficiaryId = 'ben_1', paymentQuoteId = 'quo_1', invoiceId = 'doc_1';
   * const payment = await corridor.payments.create({
   *   customerId, beneficiaryId, paymentQuoteId, documentIds: [invoiceId],
   *   amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods', internalReference: 'order-4711',
   * });
   * console.log(payment.id, payment.status);
   * ```
   * Calls `POST /api/v1/payment`.
   */
  create(payment: PaymentCreate, options: RequestOptions = {}): ApiCall<CreatedPayment> {
    return callOf(this.#resource.send('payments.create', { body: payment }, options), (data) => data);
  }

  /**
   * Lists the organization's payments; nothing is sent before the list is awaited or iterated.
   *
   * `createdFrom` and `createdTo` are ISO 8601 UTC texts ending in Z, or `Date`s; `limit` is the page size, 1 to 100.
   *
   * @throws InvalidRequestError where a filter breaks a rule; PaginationError where pages contradict each other; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const payment of corridor.payments.list({ status: 'COMPLETED', createdFrom: '2026-01-01T00:00Z' })) {
   *   console.log(payment.id, payment.amount, payment.currencyCode);
   * }
   * ```
   * Calls `GET /api/v1/payment`.
   */
  list(query?: PaymentListQuery, options: RequestOptions = {}): PageRequest<ListedPayment> {
    return listOf(this.#resource, 'payments.list', query, options, (page, each) => this.#resource.send('payments.list', { query: page }, each));
  }
}
