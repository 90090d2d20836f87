import { bindMethods } from '../core/bind-methods.js';
import { toApiPromise, type ApiPromise } from '../core/api-promise.js';
import type {
  CreatedPayment,
  ListedPayment,
  PaymentCreateParams,
  PaymentListParams,
} from '../contract/schema/payments.js';
import { noteIntent } from '../errors/api.js';
import type { PaymentCreateIntent, MismatchedField, ReconcileResult } from '../contract/intent.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { ParsedResponse } from '../transport/response.js';
import { changes, type ChangesOptions, type PaymentChange } from '../workflows/changes/changes.js';
import { preflight, type PaymentIssue } from '../workflows/preflight.js';
import { accountOfCustomer } from '../workflows/account.js';
import type { InFlightPayments } from '../workflows/create-once/create-once.js';
import { find, type PaymentFindParams } from '../workflows/find.js';
import { correctedIntent, createIntent, parseIntent } from '../workflows/create-once/intent.js';
import type { CreateOnceOptions, CreateOnceResult } from '../workflows/create-once/call.js';
import { isNonEmptyString, mismatches, paymentOf, quoteOf } from '../workflows/create-once/compare.js';
import { PaymentMismatchError } from '../errors/payments.js';
import {
  reconcile,
  reconcileOrder,
  type OrderKey,
  type ReconcileOptions,
  type ReconciledOrder,
  reconcilePending,
  type ReconcilePendingOptions,
  type ReconciledIntent,
} from '../workflows/create-once/reconcile.js';
import { isDefiniteFailure, reportChangedValues } from '../workflows/create-once/send.js';
import { acceptPayment, type AcceptOptions } from '../workflows/create-once/accept.js';
import { releaseIntent, type ReleaseOptions, type ReleaseResult } from '../workflows/create-once/release.js';
import { waitForPayment, type PaymentOrId, type PaymentWaitOptions } from '../workflows/wait.js';
import type { WorkflowContext } from '../workflows/context.js';
import { listPages, type PagePromise } from '../core/pagination.js';
import type { PaymentExportParams, PaymentExportSpan } from '../workflows/export/query.js';
import { PaymentExport, type PaymentExportOptions } from '../workflows/export/export.js';
import { planExport, type PlanExportOptions } from '../workflows/export/plan.js';

/** Payments: `corridor.payments`. */
export class Payments {
  readonly #workflow: WorkflowContext;
  readonly #inFlight: InFlightPayments;

  /** @internal */
  constructor(workflow: WorkflowContext, inFlight: InFlightPayments) {
    this.#inFlight = inFlight;
    this.#workflow = workflow;
    const read = 'payments.find({ id })';
    bindMethods(this, { get: read, retrieve: read, fetch: read });
  }

  /**
   * Creates a payment and submits it for review.
   *
   * Amounts are decimal strings. The request is validated before it is sent, and is retried only if the platform
   * provably did not process it: it was never sent, or was rejected with 429, or with 401 because of clock skew. An
   * error's `outcome` reports whether the payment can exist; if it can, the error contains the `intent` for
   * `reconcile`. To pay an order once, call `createOnce` with an `idempotencyKey`: it does this for you.
   *
   * @throws InvalidRequestError if a field breaks a rule; nothing was sent.
   * @throws ApiError if the platform rejects the payment; ConnectionError, TimeoutError, AbortedError if there was no
   * response; InvalidResponseError if the response is unusable, but the payment exists; PaymentMismatchError if it
   * shows a payment of another quote, amount, currency, customer or beneficiary.
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
  create(payment: PaymentCreateParams, options: RequestOptions = {}): ApiPromise<CreatedPayment> {
    return toApiPromise(this.#create(payment, options));
  }

  /**
   * Lists the organization's payments. Nothing is sent until you await or iterate the list.
   *
   * `createdFrom` and `createdTo` are ISO 8601 UTC strings that end in Z, or `Date`s; `limit` is the page size, 1 to
   * 100.
   *
   * @throws InvalidRequestError if a filter breaks a rule; PaginationError if pages contradict each other; otherwise
   * the errors of any read.
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
  list(params?: PaymentListParams, options: RequestOptions = {}): PagePromise<ListedPayment> {
    return listPages(this.#workflow.sender, 'payments.list', { query: params }, options, 'id');
  }

  /**
   * Creates a payment exactly once: it sends one POST and, without a definite response, searches the payment list
   * instead of sending another.
   *
   * Pass the id of your order as `idempotencyKey`: the order is then paid once, whatever quotes it is tried with. A
   * second call with the same key or quote joins the one in progress, with its own signal and timeout. With a `journal`
   * (client option), this works across crashes and processes: if another process is creating the payment, the call
   * waits a few seconds, then throws an error with `retryAfterMs`. Before its first payment with a key, a client with a
   * journal reads the platform's time with one small request, whose failure changes nothing. `consistencyWindow` is in
   * milliseconds and counts toward `totalTimeout`.
   *
   * Record the payment once, by its id: if the platform responds with 409 because an earlier run used the quote, this
   * returns the payment of that run, and `created` is false. Drift in the responses is reported by
   * `onDrift` and does not throw, also if `validation` is `strict`.
   *
   * @throws PaymentOutcomeUnknownError if neither the response nor the list shows whether the payment was created;
   * PaymentMismatchError, DuplicatePaymentError if the list shows a conflict; JournalError if the journal fails;
   * otherwise the errors of `create`.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const { payment, recovered } = await corridor.payments.createOnce({
   *   customerId: 'cus_1', beneficiaryId: 'ben_1', paymentQuoteId: 'quo_1', documentIds: ['doc_1'],
   *   amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods', internalReference: 'order-4711',
   * }, { idempotencyKey: 'order-4711' });
   * console.log(payment.id, recovered);
   * ```
   * Calls `POST /api/v1/payment` once, and `GET /api/v1/payment` if needed.
   */
  async createOnce(payment: PaymentCreateParams, options: CreateOnceOptions = {}): Promise<CreateOnceResult> {
    const request = this.#workflow.sender.prepare('payments.create', { body: payment }, 'payments.createOnce');
    return this.#inFlight.createOnce(this.#workflow, request, options);
  }

  /**
   * Finds out whether the payment of a stored intent was created: polls the list until the payment appears or the
   * consistency window has passed since the intent was created; polls once if it has passed already or
   * `consistencyWindow` is 0. For an old intent, it first searches the hour after the intent. If the intent was created
   * while the platform's time was unknown, it reads the whole list before it resolves to `not-found`.
   *
   * Pass `{ idempotencyKey }` to ask for an order by its key alone, without its parameters and without paying: the
   * result is that of `reconcilePending` for the entry of the journal that holds the key, or `unclaimed`.
   *
   * @throws ConfigurationError if the intent is damaged, or if the list does not show the payment, and the account does
   * not have its customer; JournalError if the journal cannot be read for a key; PaymentMismatchError if a payment with
   * different content uses its quote; DuplicatePaymentError if there are two payments; TimeoutError if `totalTimeout`
   * ends before the consistency window or the search; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor, type PaymentCreateIntent } from 'corridor-sdk';
   * const corridor = new Corridor();
   * async function afterCrash(stored: string) {
   *   const intent = JSON.parse(stored) as PaymentCreateIntent;
   *   const result = await corridor.payments.reconcile(intent, { consistencyWindow: 0 });
   *   return result.status === 'created' ? result.payment.id : undefined;
   * }
   * console.log(typeof afterCrash);
   * const order = await corridor.payments.reconcile({ idempotencyKey: 'order-4711' });
   * console.log(order.status === 'created' ? order.payment.id : order.advice);
   * ```
   * Calls `GET /api/v1/payment`, and `GET /api/v1/customers/{id}` if the list does not show the payment.
   */
  reconcile(order: OrderKey, options?: RequestOptions): Promise<ReconciledOrder>;
  reconcile(intent: PaymentCreateIntent, options?: ReconcileOptions): Promise<ReconcileResult>;
  async reconcile(
    target: PaymentCreateIntent | OrderKey,
    options: ReconcileOptions = {},
  ): Promise<ReconcileResult | ReconciledOrder> {
    const name = 'payments.reconcile';
    return this.#workflow.tracer.trace(name, async (): Promise<ReconcileResult | ReconciledOrder> => {
      if (isOrderKey(target)) return reconcileOrder(this.#workflow, target, options);
      const parsed = parseIntent(target);
      const { context } = accountOfCustomer(this.#workflow, name, parsed.request.customerId);
      return reconcile(context, parsed, options);
    });
  }

  /**
   * Reconciles many intents in one iteration of the list: `intents`, or the pending ones of the journal. Iterates the
   * whole list if it does not find the payment of an intent that was created while the platform's time was unknown.
   * Call it on startup. `totalTimeout`, in milliseconds, and `signal` apply to the whole call: the journal and all
   * pages of the list.
   *
   * It returns a result for each intent, also if the platform is down: one that could not be read, or whose part of the
   * list could not, is `unknown`, with the `error`. Payments that were found are resolved in the journal.
   *
   * @throws JournalError if the journal cannot be read; TimeoutError if it does not respond within `totalTimeout`;
   * AbortedError if `signal` ends the call.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const { intent, status } of await corridor.payments.reconcilePending()) console.log(intent.id, status);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async reconcilePending(options: ReconcilePendingOptions = {}): Promise<ReconciledIntent[]> {
    const run = () => reconcilePending(this.#workflow, options);
    return this.#workflow.tracer.trace('payments.reconcilePending', run);
  }

  /**
   * Releases the quote and the idempotency key of a pending intent, so that the next `createOnce` sends a payment. Call
   * it only after the platform has confirmed that it has no payment for the quote.
   *
   * It searches for the payment first: if the list shows it, resolves to `created`, and nothing is released. Does
   * nothing if the intent is released already, so that you can call it twice or from several processes; it resolves to
   * `held` if another intent has claimed its quote or its key since. An intent that is damaged proves neither that its
   * process has ended nor what to search for besides its quote, and one with `clockKnown: false` not that its process
   * has ended: they need `confirmedBy`.
   *
   * @throws InvalidRequestError if the process of the intent may still send it (`intent.sendUntil`, plus
   * `consistencyWindow` and five minutes for clocks that differ), or if the journal has a payment for its quote or its
   * key; ConfigurationError if the intent is not one, or is damaged and nobody confirmed it;
   * PaymentMismatchError if another payment uses the quote, unless it is `otherPaymentId`; DuplicatePaymentError if the
   * list shows two payments; JournalError if the journal fails; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * async function releaseConfirmed(intentId: string) { // the platform's support confirmed that no payment exists
   *   for (const { intent, status } of await corridor.payments.reconcilePending())
   *     if (intent.id === intentId && status === 'not-found') await corridor.payments.releaseIntent(intent);
   * }
   * await releaseConfirmed('e58ed763-928c-4155-bee9-fdbaaadc15f3');
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async releaseIntent(intent: PaymentCreateIntent, options: ReleaseOptions = {}): Promise<ReleaseResult> {
    const run = () => releaseIntent(this.#workflow, intent, options);
    return this.#workflow.tracer.trace('payments.releaseIntent', run);
  }

  /**
   * Accepts a payment that uses the quote of an intent, but differs from its request, as the payment of the order: for
   * example, if the platform rounds amounts or generates references. Call it instead of `releaseIntent` after a
   * `PaymentMismatchError` or a result `mismatch`, if a person has confirmed it. The journal stores `confirmedBy` and
   * `reason`, and `createOnce` then returns the payment, and reports to `onDrift` what differs. You can call it twice.
   *
   * @throws InvalidRequestError if the list shows no payment with this id and the quote of the intent, or if the journal
   * has another payment for its quote or its key; ConfigurationError if an option is missing or the intent is not one;
   * DuplicatePaymentError if the list also shows the payment that was requested; JournalError if the journal fails;
   * otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * async function acceptConfirmed(paymentId: string, reason: string) { // the platform's support confirmed it
   *   for (const result of await corridor.payments.reconcilePending())
   *     if (result.status === 'mismatch' && result.payment.id === paymentId)
   *       await corridor.payments.acceptPayment(result.intent, { paymentId, confirmedBy: 'Ada', reason });
   * }
   * await acceptConfirmed('pay_1', 'ticket 4711: the platform rounded the amount');
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async acceptPayment(intent: PaymentCreateIntent, options: AcceptOptions): Promise<ListedPayment> {
    const run = () => acceptPayment(this.#workflow, intent, options);
    return this.#workflow.tracer.trace('payments.acceptPayment', run);
  }

  /**
   * Finds one payment by its id, its quote or your reference; resolves to undefined if there is none. The platform has
   * no such endpoint: this iterates the list until the payment appears, so pass `createdFrom` if you can.
   * `totalTimeout` applies to the whole iteration.
   *
   * @throws InvalidRequestError if no search field is set, or an unknown one; TimeoutError if the iteration takes
   * longer than `totalTimeout`; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const payment = await corridor.payments.find({
   *   internalReference: 'order-4711',
   *   createdFrom: '2026-01-01T00:00Z',
   * });
   * console.log(payment?.status);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async find(params: PaymentFindParams, options: RequestOptions = {}): Promise<ListedPayment | undefined> {
    return this.#workflow.tracer.trace('payments.find', () => find(this.#workflow, params, options));
  }

  /**
   * Follows payments by polling: yields each new payment and each change of a payment's status since it was last seen,
   * once. The platform has no webhooks. Iteration ends only when you leave the loop, when `signal` aborts
   * (AbortedError), or with an error that another poll would not resolve.
   *
   * Store the `checkpoint` of a change after you process the change (or one per poll, with `onCheckpoint`), and pass it
   * as `since` after a restart. Delivery is at least once: no change is lost, and a change whose checkpoint was not
   * stored is yielded again. A change that is reversed between two polls is not visible.
   *
   * A poll sends one request for each status that is not final and two more, one per hundred payments in progress, and
   * one per payment that ended since the previous poll. Times are in milliseconds.
   *
   * @throws InvalidRequestError if `since` or a status is invalid; ConfigurationError if another option is, or if the
   * checkpoint is damaged; an ApiError (401, 403, …) as any read; InvalidResponseError, PaginationError if five
   * consecutive polls end with one.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const changes = corridor.payments.changes({ since: '2026-01-01T00:00Z' });
   * for await (const { payment, previousStatus, checkpoint } of changes) {
   *   console.log(payment.id, previousStatus, payment.status, checkpoint.version);
   *   break;
   * }
   * ```
   * Calls `GET /api/v1/payment`.
   */
  changes(options: ChangesOptions = {}): AsyncGenerator<PaymentChange, void, undefined> {
    return changes(this.#workflow, options);
  }

  /**
   * Waits until a payment has one of the statuses and resolves to the payment; at once if it already has one.
   *
   * Pass the payment itself if you have it: each poll then sends one request. An id alone must be searched for first,
   * among the payments in progress and once in the whole list (`createdFrom` narrows it). `maxWait` and `pollInterval`
   * are in milliseconds. The wait ends early if the payment reaches another final status (REJECTED, for example, if you
   * wait for COMPLETED).
   *
   * @throws WaitTimeoutError if the payment reaches none of the statuses in time, or can no longer reach one
   * (`unreachable`); `statusHistory` lists the statuses that it had. InvalidRequestError if a status is misspelled;
   * ConfigurationError if another option is invalid. Failed reads are retried.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const done = await corridor.payments.waitForStatus('pay_2', {
   *   until: ['COMPLETED', 'REJECTED'],
   *   maxWait: 60 * 60_000,
   * });
   * console.log(done.status);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async waitForStatus(payment: PaymentOrId, options: PaymentWaitOptions): Promise<ListedPayment> {
    const run = () => waitForPayment(this.#workflow, payment, options);
    return this.#workflow.tracer.trace('payments.waitForStatus', run);
  }

  /**
   * Checks a payment before money moves, without creating anything: fields that break a rule, a customer that does not
   * exist or is not APPROVED, a beneficiary that is not the customer's or is not APPROVED. Resolves to an empty array
   * if there are no issues.
   *
   * It reads the customer, and its beneficiaries until it finds the one of the payment. Quotes and documents cannot be
   * read, so the platform may still reject the payment because of them.
   *
   * @throws the errors of any read. An invalid request does not throw: it results in issues.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const issues = await corridor.payments.preflight({
   *   customerId: 'cus_1', beneficiaryId: 'ben_1', paymentQuoteId: 'quo_1', documentIds: ['doc_1'],
   *   amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods',
   * });
   * for (const { path, message, code } of issues) console.log(code, path, message);
   * ```
   * Calls `GET /api/v1/customers/{id}` and `GET /api/v1/customers/{customerId}/beneficiaries`.
   */
  async preflight(payment: PaymentCreateParams, options: RequestOptions = {}): Promise<PaymentIssue[]> {
    const run = () => preflight(this.#workflow, payment, options);
    return this.#workflow.tracer.trace('payments.preflight', run);
  }

  async #create(payment: PaymentCreateParams, options: RequestOptions): Promise<ParsedResponse<CreatedPayment>> {
    const { sender, clock } = this.#workflow;
    const prepared = sender.prepare('payments.create', { body: payment });
    const request = paymentOf(prepared);
    const started = clock.read();
    // Only errors need it.
    const intent = (): PaymentCreateIntent => {
      const created = createIntent(request, this.#workflow, this.#workflow.options, started);
      return correctedIntent(this.#workflow, created, started)();
    };
    const response = await sender.sendPrepared(prepared, options).catch((error: unknown) => {
      if (!isDefiniteFailure(error)) noteIntent(error, intent());
      throw error;
    });
    const { data } = response;
    const differing = findDifferences(request, data);
    if (differing.length === 0) {
      reportChangedValues(this.#workflow, request, data);
      return response;
    }
    const { attempts, requestId } = response.metadata;
    throw new PaymentMismatchError(intent(), data, differing, { outcome: 'applied', attempts, requestId });
  }

  /**
   * Exports the payments of a time range, read with several concurrent requests. Nothing is sent until you iterate the
   * export, or its `pages()`.
   *
   * It yields each payment that the platform lists and whose `createdAt` is in the range exactly once; without
   * `createdTo`, the range ends `consistencyWindow` before the platform's time. Pass a checkpoint to continue after a
   * crash: only the pages that were being processed are repeated. A slow consumer stops the requests. Responses with
   * 429 lower the rate of its requests. Requests of the same client that do not belong to an export go first.
   *
   * @throws InvalidRequestError if a filter breaks a rule; ConfigurationError if an option is invalid, or if the
   * checkpoint belongs to another export; InvalidResponseError if a payment is outside of the requested time range;
   * otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const payment of corridor.payments.export({ createdFrom: '2026-01-01T00:00Z' }, { concurrency: 8 })) {
   *   console.log(payment.id, payment.createdAt);
   * }
   * ```
   * Calls `GET /api/v1/payment`.
   */
  export(params: PaymentExportParams = {}, options: PaymentExportOptions = {}): PaymentExport {
    return new PaymentExport(this.#workflow, params, options);
  }

  /**
   * Splits an export into spans: queries for `export`, as plain JSON, so that a queue can distribute them over
   * machines. Each payment belongs to one span. Sends one request per span, and one for each time that it splits a
   * span.
   *
   * @throws InvalidRequestError if a filter breaks a rule; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for (const span of await corridor.payments.planExport({ createdFrom: '2026-01-01T00:00Z' }))
   *   for await (const payment of corridor.payments.export(span)) console.log(payment.id);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async planExport(params: PaymentExportParams = {}, options: PlanExportOptions = {}): Promise<PaymentExportSpan[]> {
    return planExport(this.#workflow, params, options);
  }
}

const isOrderKey = (target: PaymentCreateIntent | OrderKey): target is OrderKey =>
  Object.hasOwn(Object(target) as object, 'idempotencyKey') && !Object.hasOwn(target, 'id');

/** Returns the fields in which the response to a creation shows another payment than the requested one. */
function findDifferences(request: PaymentCreateIntent['request'], data: CreatedPayment): MismatchedField[] {
  const payment = Object(data) as CreatedPayment;
  // With the validation `observe`, any field can be absent.
  return mismatches({ request }, payment).filter(
    (field) =>
      field !== 'internalReference' && isNonEmptyString(field === 'paymentQuoteId' ? quoteOf(payment) : payment[field]),
  );
}
