import { apiCall, type ApiCall, type WithResponse } from '../api-call.js';
import type { CreatedPayment, ListedPayment, PaymentCreate } from '../contract/payments.js';
import { noteIntent } from '../error.js';
import { CorridorError, type StoredIntent } from '../errors.js';
import { Customers } from '../resources/customers.js';
import type { ResourceOptions } from '../resources/list.js';
import { Payments } from '../resources/payments.js';
import { checkedPayment, type RequestOptions } from '../transport/request.js';
import { changes, type ChangesOptions, type PaymentChange } from './changes.js';
import { check, type PaymentProblem } from './check.js';
import { onceCall, type CreateOnceOptions } from './create-once.js';
import { find, type FindQuery } from './find.js';
import { intentFor, readIntent } from './intent.js';
import type { CreateOnceResult } from './once.js';
import type { Reconciliation } from './outcome-errors.js';
import { reconcile, type ReconcileOptions } from './reconcile.js';
import { recover, type Recovery } from './recover.js';
import { PaymentsUnderWay } from './under-way.js';
import { waitFor, type PaymentOrId, type WaitForOptions } from './wait-for.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** Payments, with what the platform lacks and partners need: `corridor.payments`. */
export class PaymentsWithWorkflows extends Payments {
  readonly #workflow: WorkflowOptions;
  readonly #underWay = new PaymentsUnderWay();
  readonly #customers: Customers;
  readonly #list: ListPayments = (query, options) => this.list(query, options);

  /** Made by the client. */
  constructor(resource: ResourceOptions, workflow: WorkflowOptions) {
    super(resource);
    this.#workflow = workflow;
    this.#customers = new Customers(resource);
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
    return apiCall(this.#create(payment, options));
  }

  /**
   * Creates a payment exactly once: one POST, and where no sure answer comes, a look for the payment in the list instead of another POST.
   *
   * A second call with the same quote joins the one that is under way, by its own signal and deadline. With a `journal` (client
   * option), that holds across crashes and processes too. `settleWindow` is in milliseconds and lies inside `deadline`.
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
    const post = (body: PaymentCreate, each: RequestOptions) => super.create(body, each).withResponse();
    return this.#underWay.createOnce(onceCall({ workflow: this.#workflow, post, list: this.#list }, options), request);
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
   * @throws ConfigurationError where the journal or an intent cannot be read, which it names once it has settled the others; otherwise as any read.
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
   * list is walked until the payment shows up, so give `createdFrom` where you can. `deadline` is that of the whole walk.
   *
   * @throws InvalidRequestError where no mark is given, or an unknown one; TimeoutError where the walk takes longer than its deadline; otherwise as any read.
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
    return find(this.#workflow, this.#list, query, options);
  }

  /**
   * Follows payments by polling: tells every new payment, and every change of a payment's status since it was last seen, once each.
   * The platform has no webhooks. It ends only when you break off, when `signal` aborts (AbortedError), or at an error that another
   * poll would not mend.
   *
   * Store the `checkpoint` of a change once you have dealt with it (or take one per poll by `onCheckpoint`), and give it back as
   * `since`: no change is lost or told twice over a restart. What happens and is undone between two polls cannot be seen. A poll costs
   * about 6 requests, one more per hundred payments on their way, and one per payment that has ended since the poll before.
   * Times are in milliseconds.
   *
   * @throws InvalidRequestError where an option is wrong; ConfigurationError where the checkpoint is damaged; a refusal (401, 403, …) as any read; InvalidResponseError, PaginationError where five polls in a row end with one.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const { payment, previousStatus, checkpoint } of corridor.payments.changes({ since: '2026-01-01T00:00Z' })) {
   *   console.log(payment.id, previousStatus, payment.status, checkpoint.payments.length);
   *   break;
   * }
   * ```
   * Calls `GET /api/v1/payment`.
   */
  changes(options: ChangesOptions = {}): AsyncGenerator<PaymentChange, void, undefined> {
    return changes(this.#workflow, this.#list, options);
  }

  /**
   * Waits until a payment has come to one of the statuses, and resolves to it; at once where it is there already.
   *
   * Give the payment itself where you have it: one request per look then. Of an id alone, the payment has to be searched for first,
   * among those on their way and once in the whole list (`createdFrom` narrows that). `within` and `interval` are in milliseconds. A
   * payment that has ended otherwise (REJECTED, say, when you wait for COMPLETED) is not waited for any longer.
   *
   * @throws WaitTimeoutError where none of the statuses came about in time, or none can any more (`final`); `seen` lists those that did. A read that fails is made again.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const done = await corridor.payments.waitFor('pay_2', { until: ['COMPLETED', 'REJECTED'], within: 60 * 60_000 });
   * console.log(done.status);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async waitFor(payment: PaymentOrId, options: WaitForOptions): Promise<ListedPayment> {
    return waitFor(this.#workflow, this.#list, payment, options);
  }

  /**
   * Looks for problems of a payment before money moves, without creating anything: fields that break a rule, a customer that is not
   * there or not APPROVED, a beneficiary that is not this customer's or not APPROVED. An empty list where there is none.
   *
   * It reads the customer, and its beneficiaries until the one is found. Quote and documents cannot be read, so that the platform may
   * still refuse the payment for them.
   *
   * @throws as any read, where the platform cannot be asked; a wrong request is a list of problems, and no error.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const problems = await corridor.payments.check({
   *   customerId: 'cus_1', beneficiaryId: 'ben_1', paymentQuoteId: 'quo_1', documentIds: ['doc_1'],
   *   amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods',
   * });
   * for (const { path, message, code } of problems) console.log(code, path, message);
   * ```
   * Calls `GET /api/v1/customers/{id}` and `GET /api/v1/customers/{customerId}/beneficiaries`.
   */
  async check(payment: PaymentCreate, options: RequestOptions = {}): Promise<PaymentProblem[]> {
    const reads = {
      customer: (customerId: string, each: RequestOptions) => this.#customers.get(customerId, each),
      beneficiaries: (customerId: string, each: RequestOptions) => this.#customers.beneficiaries(customerId, { limit: 100 }, each),
    };
    return check(this.#workflow, reads, payment, options);
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
