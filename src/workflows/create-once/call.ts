import type { CreatedPayment } from '../../contract/schema/payments.js';
import type { Attempt } from '../../errors/api.js';
import type { PaymentCreateIntent, PaymentResult } from '../../contract/intent.js';
import { defaultConsistencyWindow } from '../../journal/journal.js';
import { CallStoppedError, Deadline } from '../../transport/deadline.js';
import type { RequestOptions } from '../../transport/request-options.js';
import type { PreparedRequest } from '../../transport/request.js';
import { accountOfCustomer } from '../account.js';
import type { WorkflowContext } from '../context.js';
import { paymentOf } from './compare.js';
import { createIntent } from './intent.js';

/** The result of `payments.createOnce`. */
export interface CreateOnceResult {
  /**
   * The payment as the platform returned it. Its id, quote, amount, currency and parties match the request, unless a
   * person accepted others (`payments.acceptPayment`); other fields can be missing if the platform breaks the contract.
   * `onDrift` reports both.
   */
  readonly payment: PaymentResult;
  /**
   * Whether this call created the payment, as far as the evidence shows. False if another call of this client or of the
   * journal created it, or if the payment is older than this call: a 409 for a used quote returns the payment that used
   * it. For an idempotency key, it is true at most once. Two calls without a shared journal that use a quote within the
   * same two seconds can both return true, and within the same hour if the platform does not respond with 409.
   */
  readonly created: boolean;
  /** Whether the payment was found in the list, because its creation got no conclusive response. */
  readonly recovered: boolean;
  /** The attempts to create the payment, in order. */
  readonly attempts: readonly Attempt[];
}

/** The options of `payments.createOnce`. */
export interface CreateOnceOptions extends RequestOptions {
  /**
   * The key of the order, 1 to 255 characters, such as its id; it is stored as it is and never sent. Within the
   * journal, a key creates at most one payment, whatever quotes it is tried with: later calls return that payment.
   * Another quote is sent only after the platform rejected the previous one, or after `payments.releaseIntent`. Amount,
   * currency, customer and beneficiary must stay the same. A key that is present and undefined is a ConfigurationError.
   */
  readonly idempotencyKey?: string;
  /**
   * Stores the intent, which is frozen, before anything is sent. It is awaited; if it throws, nothing is sent and
   * `createOnce` throws the same error. If this call joins a call in flight, it receives the intent that that call
   * sends, and an error ends only this call. It is not called if nothing is sent, because another process or an earlier
   * call has sent the payment.
   */
  readonly onIntent?: ((intent: PaymentCreateIntent) => void | Promise<void>) | undefined;
  /**
   * How long a payment may take to appear in the list after its creation got no conclusive response, in milliseconds.
   * It is part of `totalTimeout`, whose last third is reserved for the last search.
   * @default the client's, or else 10_000
   */
  readonly consistencyWindow?: number | undefined;
}

/** One call of `createOnce`, whose time starts when it is created. */
export class CreateOnceCall {
  readonly workflow: WorkflowContext;
  /** The request to send; each time, the same bytes. */
  readonly prepared: PreparedRequest<CreatedPayment>;
  /** The payment that it creates. */
  readonly request: PaymentCreateIntent['request'];
  readonly idempotencyKey: string | undefined;
  /** The options of each request; each step sets its own total timeout. */
  readonly options: RequestOptions;
  readonly consistencyWindow: number;
  /** Stores the intent for the caller. */
  readonly onIntent: CreateOnceOptions['onIntent'];
  /** The limits of the whole call. */
  readonly deadline: Deadline;
  readonly unsent: UnsentIntents;
  /** Resolves to the intent that this call sends, before it is sent; to undefined if the call ends before. */
  readonly sending: Promise<PaymentCreateIntent | undefined>;
  resolveSending: (intent: PaymentCreateIntent | undefined) => void = () => {};
  /** The intent that holds the quote or the key, of this or of another process, when it is known. */
  holder: PaymentCreateIntent | undefined;
  /** Whether the `onIntent` that was passed to this call failed. */
  isFailedByCaller = false;
  readonly #startedAt: number;

  constructor(
    workflow: WorkflowContext,
    prepared: PreparedRequest<CreatedPayment>,
    { idempotencyKey, onIntent, consistencyWindow, totalTimeout, headers, ...options }: CreateOnceOptions,
    unsent: UnsentIntents,
  ) {
    const defaults = workflow.options;
    this.request = paymentOf(prepared);
    // A search in another organization finds nothing, which proves nothing.
    this.workflow = accountOfCustomer(workflow, endpoint, this.request.customerId, true).context;
    this.prepared = { ...prepared, beforeSend: () => this.#assertMaySend() };
    this.idempotencyKey = idempotencyKey;
    // The request may be sent long after the call.
    this.options = headers === undefined ? options : { ...options, headers: { ...headers } };
    this.consistencyWindow = consistencyWindow ?? defaults.consistencyWindow ?? defaultConsistencyWindow;
    this.onIntent = onIntent;
    this.deadline = new Deadline(workflow.timing, {
      endpoint,
      totalTimeout: totalTimeout ?? defaults.totalTimeout,
      signal: options.signal,
    });
    this.unsent = unsent;
    this.sending = new Promise((resolve) => (this.resolveSending = resolve));
    this.#startedAt = workflow.timing.now();
  }

  /** Creates an intent of its payment, as of now. */
  createIntent(): PaymentCreateIntent {
    const { request, workflow, idempotencyKey, consistencyWindow } = this;
    return createIntent(request, workflow, { idempotencyKey, consistencyWindow, sendingTime: this.#sendingTime });
  }

  /**
   * For how long it may still send, by the clock that has advanced further: the elapsed time does not count while a
   * machine is suspended, and the machine's clock can be set.
   */
  get #sendingTime(): number {
    const { deadline, workflow } = this;
    return deadline.totalTimeout - Math.max(deadline.elapsed, workflow.timing.now() - this.#startedAt);
  }

  #assertMaySend(): void {
    if (this.#sendingTime <= 0) throw new CallStoppedError('total-timeout');
  }
}

const endpoint = 'payments.create';

// More of them are not remembered.
const maxUnsent = 10_000;

/** The intents of a client that created no payment, but may be pending in the journal. */
export class UnsentIntents {
  readonly #ids = new Set<string>();
  readonly #unreleased = new Map<string, PaymentCreateIntent>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** One of those whose release the journal has not confirmed. */
  get unreleased(): PaymentCreateIntent | undefined {
    return this.#unreleased.values().next().value;
  }

  add(intent: PaymentCreateIntent): void {
    this.#ids.add(intent.id);
    this.#unreleased.set(intent.id, intent);
    if (this.#ids.size <= maxUnsent) return;
    const [oldest = ''] = this.#ids;
    this.#ids.delete(oldest);
    this.#unreleased.delete(oldest);
  }

  /** The journal has confirmed the release of an intent. */
  confirm(intent: PaymentCreateIntent): void {
    this.#unreleased.delete(intent.id);
  }
}
