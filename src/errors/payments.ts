import type { MismatchedField, PaymentCreateIntent, PaymentResult, ReconcileResult } from '../contract/intent.js';
import { CorridorError, ServerError, identify, noteIntent, type ErrorDetails } from './api.js';

const endpoint = 'payments.create';

/** The details of a `PaymentOutcomeUnknownError`. */
export interface UnknownOutcomeDetails extends Omit<ErrorDetails, 'outcome'> {
  /** The payment's id, if an unusable response or a journal contains it. */
  readonly paymentId?: string | undefined;
  /** The error of the last read of the list, if that failed. */
  readonly listError?: unknown;
  /** How much of the list was read. @default 'all' */
  readonly listChecked?: 'none' | 'part' | 'all' | undefined;
  /** Why waiting changes nothing, and what a person must do. @default asks the platform for the payment */
  readonly advice?: string | undefined;
}

/**
 * It is unknown whether a payment was created: its creation got no conclusive response, and the payment list did not
 * show it within the consistency window or could not be read (see `listError`). Do not create the payment again: store
 * `intent`, and call `reconcile()` later, here or in another process. If a response or a journal contains the payment's
 * id, and only the list does not show it yet, `paymentId` is set and `outcome` is `applied`. `cause` is the error of
 * the creation. If a process may still send the payment, or the list may still show it or can be read later,
 * `retryAfterMs` is set: call `createOnce` again then. Otherwise a person is needed, and the message says why.
 */
export class PaymentOutcomeUnknownError extends CorridorError {
  readonly #reconcile: () => Promise<ReconcileResult>;
  /** The intent of the payment. */
  declare readonly intent: PaymentCreateIntent;
  /** The payment's id, if it is known that the payment exists. */
  declare readonly paymentId?: string;
  /** Why the list could not be read the last time; absent if it was read, or was not requested. */
  declare readonly listError?: unknown;

  /** @internal */
  constructor(
    intent: PaymentCreateIntent,
    reconcile: () => Promise<ReconcileResult>,
    details: UnknownOutcomeDetails = {},
  ) {
    const { paymentId, listError, listChecked = 'all', retryAfterMs, ...rest } = details;
    const { paymentQuoteId } = intent.request;
    const known =
      paymentId === undefined
        ? `it is unknown whether the payment for quote ${paymentQuoteId} was created`
        : `the payment for quote ${paymentQuoteId} was created as ${paymentId}`;
    const shown = {
      none: 'the payment list was not read',
      part: 'the part of the payment list that was read does not show it',
      all: 'it is not in the payment list',
    }[listChecked];
    const checked =
      listError === undefined
        ? shown
        : 'the payment list could not be read ' +
          `(${listError instanceof CorridorError ? listError.code : typeof listError})`;
    const {
      advice = 'Waiting changes nothing: a person must ask the platform for it, and call ' +
        `payments.releaseIntent(error.intent) only if it has no payment for quote ${paymentQuoteId}`,
    } = details;
    const next =
      retryAfterMs === undefined
        ? advice
        : `Call createOnce with the same order again in ${Math.ceil(retryAfterMs / 1_000)} s (error.retryAfterMs)`;
    const status = details.cause instanceof ServerError ? details.cause.status : undefined;
    const rule =
      status === undefined
        ? ''
        : `. If the platform confirms that a ${status} is never processed, add ${status} to dialect.rejectedStatuses`;
    super(`${endpoint}: ${known}, and ${checked}. Do not pay it in another way. ${next}${rule}`, {
      endpoint,
      ...rest,
      retryAfterMs,
      // A list that could not be read can be read later.
      retryable: retryAfterMs !== undefined || listError !== undefined,
      outcome: paymentId === undefined ? 'unknown' : 'applied',
    });
    noteIntent(this, intent);
    if (paymentId !== undefined) this.paymentId = paymentId;
    if (listError !== undefined) this.listError = listError;
    this.#reconcile = reconcile;
  }

  /** Searches for the payment again. */
  reconcile(): Promise<ReconcileResult> {
    return this.#reconcile();
  }
}
identify(PaymentOutcomeUnknownError, 'PaymentOutcomeUnknownError', 'payment-outcome-unknown');

/** Says how a person releases the intent of an order whose quote another payment has used. */
const releaseDespite = (paymentId: string): string =>
  'If the platform confirms that it is another payment and that the order has none, release the order with ' +
  `payments.releaseIntent(intent, { otherPaymentId: '${paymentId}' }), and pay it with a new quote`;

/** Says how a person decides whether a payment that differs from the request is the payment of the order. */
export const resolveMismatch = (paymentId: string): string =>
  'If it is the payment of the order, call payments.acceptPayment(intent, ' +
  `{ paymentId: '${paymentId}', confirmedBy: 'your name', reason: '…' }). ${releaseDespite(paymentId)}`;

/**
 * The platform used the quote for a payment that differs from the request, or responded with a payment of another
 * quote; `mismatches` lists the fields that differ. A person decides whether it is the payment of the order
 * (`payments.acceptPayment`) or not (`payments.releaseIntent`).
 */
export class PaymentMismatchError extends CorridorError {
  readonly #payment: PaymentResult;
  /** The intent of the payment. */
  declare readonly intent: PaymentCreateIntent;
  /** The fields in which the payment differs from the request. */
  readonly mismatches: readonly MismatchedField[];
  /** The id of the payment that the platform returned. */
  readonly paymentId: string;

  /** @internal */
  constructor(
    intent: PaymentCreateIntent,
    payment: PaymentResult,
    mismatches: readonly MismatchedField[],
    details: Partial<ErrorDetails> = {},
  ) {
    const { paymentQuoteId } = intent.request;
    const isOfOtherQuote = mismatches.includes('paymentQuoteId');
    const found = isOfOtherQuote
      ? `${endpoint}: the response to the payment for quote ${paymentQuoteId} shows payment ${payment.id}, which`
      : `${endpoint}: quote ${paymentQuoteId} is used by payment ${payment.id}, which`;
    super(
      `${found} differs from the request in ${mismatches.join(', ')}. Compare the payment with ` +
        `your records before you create another. ${(isOfOtherQuote ? releaseDespite : resolveMismatch)(payment.id)}`,
      { endpoint, outcome: 'unknown', ...details },
    );
    noteIntent(this, intent);
    this.#payment = payment;
    this.paymentId = payment.id;
    this.mismatches = mismatches;
  }

  /** The payment that the platform returned. It is not printed with the error. */
  get payment(): PaymentResult {
    return this.#payment;
  }
}
identify(PaymentMismatchError, 'PaymentMismatchError', 'payment-mismatch');

/** The platform has more than one payment that matches the request. Contact the platform before money moves twice. */
export class DuplicatePaymentError extends CorridorError {
  readonly #payments: readonly PaymentResult[];
  /** The intent of the payment. */
  declare readonly intent: PaymentCreateIntent;
  /** The ids of the payments. */
  readonly paymentIds: readonly string[];

  /** @internal */
  constructor(intent: PaymentCreateIntent, payments: readonly PaymentResult[], details: Partial<ErrorDetails> = {}) {
    const ids = payments.map(({ id }) => id);
    super(
      `${endpoint}: the platform has ${ids.length} payments for ` +
        `quote ${intent.request.paymentQuoteId}: ${ids.join(', ')}. Contact the platform before ` +
        'money moves twice',
      { endpoint, outcome: 'applied', ...details },
    );
    noteIntent(this, intent);
    this.#payments = payments;
    this.paymentIds = ids;
  }

  /** The payments. They are not printed with the error. */
  get payments(): readonly PaymentResult[] {
    return this.#payments;
  }
}
identify(DuplicatePaymentError, 'DuplicatePaymentError', 'duplicate-payment');

/** The details of a `WaitTimeoutError`. */
export interface WaitDetails {
  /** The statuses that the call waited for. */
  readonly until: readonly string[];
  /** The longest wait, in milliseconds. */
  readonly maxWait: number;
  /** The statuses that were observed, in order. */
  readonly statusHistory: readonly string[];
  /** Whether the record can no longer reach any of `until`. */
  readonly unreachable: boolean;
  /** The method that was called. */
  readonly endpoint: string;
  /** The error of the last poll, if that failed. */
  readonly cause?: unknown;
}

/** A record did not reach any of the statuses in time, or can no longer reach them (`unreachable`). */
export class WaitTimeoutError extends CorridorError {
  /** The statuses that were observed, in order; empty if the record was not found. */
  readonly statusHistory: readonly string[];
  /** Whether the record can no longer reach any of the statuses. The error is then thrown immediately. */
  readonly unreachable: boolean;

  /** @internal */
  constructor(record: string, { until, maxWait, statusHistory, unreachable, endpoint: method, cause }: WaitDetails) {
    const missing = cause === undefined ? 'it was not found' : 'it was not found, and the last search for it failed';
    const observed = statusHistory.length === 0 ? missing : `its status was ${statusHistory.join(', then ')}`;
    const reason = unreachable
      ? `can no longer become ${until.join(' or ')}`
      : `did not become ${until.join(' or ')} within ${maxWait} ms`;
    super(`${record} ${reason}: ${observed}`, {
      endpoint: method,
      outcome: 'rejected',
      retryable: !unreachable,
      cause,
    });
    this.statusHistory = [...statusHistory];
    this.unreachable = unreachable;
  }
}
identify(WaitTimeoutError, 'WaitTimeoutError', 'wait-timeout');
