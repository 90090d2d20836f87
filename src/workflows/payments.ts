import { ApiCall, type WithResponse } from '../api-call.js';
import type { CreatedPayment, ListedPayment, PaymentCreate } from '../contract/payments.js';
import { noteIntent } from '../error.js';
import { CorridorError, InvalidRequestError, type StoredIntent } from '../errors.js';
import type { ResourceOptions } from '../resources/list.js';
import { Payments } from '../resources/payments.js';
import { checkedPayment, type RequestOptions } from '../transport/request.js';
import { createOnce, sameRequest, type CreateOnceOptions, type CreateOnceResult } from './create-once.js';
import { find, type FindQuery } from './find.js';
import { intentFor, readIntent } from './intent.js';
import type { Reconciliation } from './outcome-errors.js';
import { reconcile, type ReconcileOptions } from './reconcile.js';
import { recover, type Recovery } from './recover.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

interface InFlight {
  readonly request: PaymentCreate;
  readonly result: Promise<CreateOnceResult>;
}

/** Payments, with what the platform lacks and partners need: `corridor.payments`. */
export class PaymentsWithWorkflows extends Payments {
  readonly #workflow: WorkflowOptions;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #list: ListPayments = (query, options) => this.list(query, options);

  /** Made by the client. */
  constructor(resource: ResourceOptions, workflow: WorkflowOptions) {
    super(resource);
    this.#workflow = workflow;
  }

  /**
   * Creates a payment and submits it for review.
   *
   * Amounts are decimal strings. The request is checked before it leaves, and is sent again only where the platform provably did
   * not take it (it never left, or was refused with 429). An error's `outcome` says whether the payment can exist; where it can, the
   * error carries the `intent` for `reconcile`. To have that done for you, use `createOnce`.
   *
   * @throws InvalidRequestError where a field breaks a rule; nothing was sent.
   * @throws ApiError where the platform refuses; ConnectionError, TimeoutError, AbortedError where no answer came; InvalidResponseError where the answer is unusable, but the payment exists.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const payment = await corridor.payments.create({
   *   customerId: 'cus_1', beneficiaryId: 'ben_1', paymentQuoteId: 'quo_1', documentIds: ['doc_1'],
   *   amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods', internalReference: 'order-4711',
   * });
   * console.log(payment.id, payment.status);
   * ```
   * Calls `POST /api/v1/payment`.
   */
  override create(payment: PaymentCreate, options: RequestOptions = {}): ApiCall<CreatedPayment> {
    return new ApiCall(this.#create(payment, options));
  }

  /**
   * Creates a payment exactly once: one POST, and where no sure answer comes, a look for the payment in the list instead of another POST.
   *
   * A second call with the same quote joins the one that is under way. With a `journal` (client option), that holds across crashes
   * and processes too. `settleWindow` is in milliseconds and lies inside `deadline`.
   *
   * @throws PaymentOutcomeUnknownError where neither answer nor list tell; PaymentMismatchError, DuplicatePaymentError where the list tells of trouble; a refusal as of `create`.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { payment, recovered } = await corridor.payments.createOnce({
   *   customerId: 'cus_1', beneficiaryId: 'ben_1', paymentQuoteId: 'quo_1', documentIds: ['doc_1'],
   *   amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods', internalReference: 'order-4711',
   * });
   * console.log(payment.id, recovered);
   * ```
   * Calls `POST /api/v1/payment` once, and `GET /api/v1/payment` where that is needed.
   */
  async createOnce(payment: PaymentCreate, options: CreateOnceOptions = {}): Promise<CreateOnceResult> {
    const request = checkedPayment(payment, this.#workflow.dialect);
    const key = request.paymentQuoteId;
    const underWay = this.#inFlight.get(key);
    if (underWay !== undefined) {
      if (sameRequest(underWay.request, request)) return underWay.result;
      throw new InvalidRequestError('payments.create', [{ path: 'paymentQuoteId', message: 'is the quote of another payment that is under way in this client, with a different request' }]);
    }
    const post = (body: PaymentCreate, each: RequestOptions) => super.create(body, each).withResponse();
    const result = createOnce({ workflow: this.#workflow, post, list: this.#list }, request, options).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, { request, result });
    return result;
  }

  /**
   * Finds out whether the payment of a stored intent was made: looks until it shows up in the list, or its settle window has
   * passed since it was sent; once, where that has passed already or `settleWindow` is 0.
   *
   * @throws PaymentMismatchError where its quote is used by a payment of other content; DuplicatePaymentError where there are two; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor, type StoredIntent } from 'corridor-sdk';
   * const corridor = new Corridor();
   * async function afterCrash(stored: string) {
   *   const result = await corridor.payments.reconcile(JSON.parse(stored) as StoredIntent, { settleWindow: 0 });
   *   return result.outcome === 'created' ? result.payment.id : undefined;
   * }
   * console.log(typeof afterCrash);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async reconcile(intent: StoredIntent, options: ReconcileOptions = {}): Promise<Reconciliation> {
    return reconcile(this.#workflow, this.#list, readIntent(intent), options);
  }

  /**
   * Finds out what became of many intents in one walk of the list: those given, or those the journal has open. Call it on start.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const recovery of await corridor.payments.recover()) console.log(recovery.intent.id, recovery.outcome);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async recover(intents?: readonly StoredIntent[], options: RequestOptions = {}): Promise<Recovery[]> {
    return recover(this.#workflow, this.#list, intents, options);
  }

  /**
   * Finds one payment by its id, its quote or your reference; undefined where there is none. The platform has no such endpoint: the
   * list is walked until the payment shows up, so give `createdFrom` where you can.
   *
   * @throws InvalidRequestError where no mark is given, or an unknown one; otherwise as any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const payment = await corridor.payments.find({ internalReference: 'order-4711', createdFrom: '2026-01-01T00:00Z' });
   * console.log(payment?.status);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async find(query: FindQuery, options: RequestOptions = {}): Promise<ListedPayment | undefined> {
    return find(this.#list, query, options);
  }

  async #create(payment: PaymentCreate, options: RequestOptions): Promise<WithResponse<CreatedPayment>> {
    const { clock, dialect } = this.#workflow;
    // What the caller gave is read once: what is noted is what is sent.
    const intent = intentFor(checkedPayment(payment, dialect), clock.now(), clock.offset);
    try {
      return await super.create(intent.request, options).withResponse();
    } catch (error) {
      if (error instanceof CorridorError && (error.outcome === 'unknown' || error.outcome === 'applied')) noteIntent(error, intent);
      throw error;
    }
  }
}
