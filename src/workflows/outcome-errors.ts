import { CorridorError, identify, noteIntent, type ErrorDetails } from '../error.js';
import type { PaymentIntent } from './intent.js';
import type { Difference, ShownPayment } from './match.js';

/** What looking for a payment found. */
export type Reconciliation =
  | { readonly outcome: 'created'; readonly payment: ShownPayment }
  | { readonly outcome: 'not-found' };

const endpoint = 'payments.create';

/** What is known of a payment whose outcome is not. */
export interface UnknownOutcomeDetails extends Omit<ErrorDetails, 'outcome'> {
  /** The payment's id, where an answer that could not be used told it, or a journal. */
  readonly paymentId?: string | undefined;
  /** Why the last look at the list failed, where it did. */
  readonly listFailure?: unknown;
  /** Whether the list was asked at all. @default true */
  readonly listAsked?: boolean | undefined;
}

/**
 * Whether a payment was made is not known: no sure answer came, and the list did not show it within the settle window, or could not
 * be read (`listFailure` says why). Do not create it again: store `intent`, and `reconcile()` later, here or in another process. Where
 * only the list lags behind, and an answer or a journal has told the payment's id, `paymentId` holds it and `outcome` is `applied`.
 * `cause` is what came in place of a sure answer.
 */
export class PaymentOutcomeUnknownError extends CorridorError {
  readonly #reconcile: () => Promise<Reconciliation>;
  /** What was sent. */
  declare readonly intent: PaymentIntent;
  /** The payment's id, where it is known that there is one. */
  declare readonly paymentId?: string;
  /** Why the list could not be read when it was last asked; absent where it was read, or not asked. */
  declare readonly listFailure?: unknown;

  static {
    identify(this, 'PaymentOutcomeUnknownError');
  }

  /** Makes the error. */
  constructor(intent: PaymentIntent, reconcile: () => Promise<Reconciliation>, details: UnknownOutcomeDetails = {}) {
    const { paymentId, listFailure, listAsked = true, ...rest } = details;
    const known = paymentId === undefined ? 'whether it was made is not known' : `it was made as ${paymentId}`;
    const read = listFailure === undefined ? 'does not show it' : `could not be read (${listFailure instanceof CorridorError ? listFailure.code : typeof listFailure})`;
    const shown = listAsked ? read : 'was not asked';
    const message = `${endpoint}: of the payment for quote ${intent.request.paymentQuoteId} ${known}, and the list of payments ${shown}. Do not create it again; call reconcile() later`;
    super('payment-outcome-unknown', message, { endpoint, ...rest, outcome: paymentId === undefined ? 'unknown' : 'applied' });
    noteIntent(this, intent);
    if (paymentId !== undefined) this.paymentId = paymentId;
    if (listFailure !== undefined) this.listFailure = listFailure;
    this.#reconcile = reconcile;
  }

  /** Looks once more. */
  reconcile(): Promise<Reconciliation> {
    return this.#reconcile();
  }
}

/**
 * The platform holds a payment against our quote whose content is not what was asked for, or answered with a payment of another
 * quote; `differences` names the fields.
 */
export class PaymentMismatchError extends CorridorError {
  readonly #payment: ShownPayment;
  /** What was sent. */
  declare readonly intent: PaymentIntent;
  /** In which fields the payment differs. */
  readonly differences: readonly Difference[];
  /** The id of the payment that stands. */
  readonly paymentId: string;

  static {
    identify(this, 'PaymentMismatchError');
  }

  /** Makes the error. */
  constructor(intent: PaymentIntent, payment: ShownPayment, differences: readonly Difference[], details: Partial<ErrorDetails> = {}) {
    const { paymentQuoteId } = intent.request;
    const told = differences.includes('paymentQuoteId') ? `${endpoint} was answered with payment ${payment.id} where one for quote ${paymentQuoteId} was asked for; it` : `${endpoint}: quote ${paymentQuoteId} is used by payment ${payment.id}, which`;
    const message = `${told} differs from what was asked for in ${differences.join(', ')}`;
    super('payment-mismatch', message, { endpoint, outcome: 'unknown', ...details });
    noteIntent(this, intent);
    this.#payment = payment;
    this.paymentId = payment.id;
    this.differences = differences;
  }

  /** The payment that stands. It is not printed with the error. */
  get payment(): ShownPayment {
    return this.#payment;
  }
}

/** The platform holds more than one payment that is what was asked for. Talk to the platform before money moves twice. */
export class DuplicatePaymentError extends CorridorError {
  readonly #payments: readonly ShownPayment[];
  /** What was sent. */
  declare readonly intent: PaymentIntent;
  /** The ids of the payments. */
  readonly paymentIds: readonly string[];

  static {
    identify(this, 'DuplicatePaymentError');
  }

  /** Makes the error. */
  constructor(intent: PaymentIntent, payments: readonly ShownPayment[], details: Partial<ErrorDetails> = {}) {
    const ids = payments.map(({ id }) => id);
    super('duplicate-payment', `${endpoint}: the platform holds ${ids.length} payments for quote ${intent.request.paymentQuoteId}: ${ids.join(', ')}`, { endpoint, outcome: 'applied', ...details });
    noteIntent(this, intent);
    this.#payments = payments;
    this.paymentIds = ids;
  }

  /** The payments. They are not printed with the error. */
  get payments(): readonly ShownPayment[] {
    return this.#payments;
  }
}

/** What a wait was for, and how it went. */
export interface WaitDetails {
  /** The statuses of which one was to come about. */
  readonly until: readonly string[];
  /** How long was waited, in milliseconds. */
  readonly within: number;
  /** The statuses that were seen, in order. */
  readonly seen: readonly string[];
  /** Whether none of `until` can come about any more. */
  readonly final: boolean;
  /** What was called. */
  readonly endpoint: string;
  /** Why the last look failed, if it did. */
  readonly cause?: unknown;
}

/** What was waited for did not come about in time, or cannot any more (`final`); `seen` lists the statuses that did come about. */
export class WaitTimeoutError extends CorridorError {
  /** The statuses that were seen, in order; empty where the record never showed up. */
  readonly seen: readonly string[];
  /** Whether what was waited for cannot come about any more: thrown at once, without waiting out the time. */
  readonly final: boolean;

  static {
    identify(this, 'WaitTimeoutError');
  }

  /** Makes the error. */
  constructor(what: string, { until, within, seen, final, endpoint: watched, cause }: WaitDetails) {
    const course = seen.length === 0 ? 'it was not seen at all' : `it was seen as ${seen.join(', then ')}`;
    const told = final ? `cannot become ${until.join(' or ')} any more` : `did not become ${until.join(' or ')} within ${within} ms`;
    super('wait-timeout', `${what} ${told}: ${course}`, { endpoint: watched, outcome: 'rejected', cause });
    this.seen = [...seen];
    this.final = final;
  }
}
