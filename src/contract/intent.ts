import type { PaymentAuthorization } from './schema/authorization.js';
import type { Payment, PaymentCreateRequest } from './schema/payments.js';
import type { PaymentQuote } from './schema/quotes.js';

/**
 * A payment that was about to be created, recorded before it is sent, from which any process can find out later whether
 * the payment exists: pass it to `payments.reconcile`. Plain JSON.
 */
export type PaymentCreateIntent = {
  /** The version of this format. */
  readonly version: 1;
  /** The unique id of this intent. */
  readonly id: string;
  /** The key of the order, if one was passed; the platform never receives it. */
  readonly idempotencyKey?: string;
  /** The request, exactly as it is sent. */
  readonly request: PaymentCreateRequest;
  /**
   * Until when the process that created the intent may send it, by the clock of `createdAt`, as an ISO 8601 UTC string;
   * absent if nothing limits that, as in the intents of `payments.create`, or if nothing was sent.
   */
  readonly sendUntil?: string;
  /** When the intent was created, by the platform's clock, as an ISO 8601 UTC string. */
  readonly createdAt: string;
  /** How far the platform's clock was ahead of the local clock, in milliseconds. */
  readonly clockOffset: number;
  /**
   * Whether a response had reported the platform's time. If not, `createdAt` may be wrong by any time: only the whole
   * list shows that there is no payment, and only a person can release the intent. @default false
   */
  readonly clockKnown?: boolean;
  /**
   * The `consistencyWindow` of the call that created the intent, in milliseconds. Later calls wait at least as long
   * before they take the payment for not created. @default that of the later call
   */
  readonly consistencyWindow?: number;
  /** The base URL of the platform that it was sent to. @default unknown */
  readonly platform?: string;
  /**
   * False if provably nothing was sent, as in the intent of a `JournalError`: it can be released at once.
   * @default unknown
   */
  readonly sent?: false;
  /** The payment that a person accepted as the one of this intent, although it differs from the request. */
  readonly accepted?: AcceptedPayment;
};

/** A payment that a person accepted with `payments.acceptPayment`. */
export type AcceptedPayment = {
  /** The payment's id. */
  readonly paymentId: string;
  /** The person who confirms that it is the payment of the order. */
  readonly confirmedBy: string;
  /** Why it is, such as a ticket of the platform's support. */
  readonly reason: string;
};

/** A payment as the platform returned it, with the details that only some endpoints return. */
export interface PaymentResult extends Payment {
  /** The quote; present if the payment comes from the response to its creation. */
  readonly paymentQuote?: PaymentQuote;
  /** The authorization; present if the payment comes from the list. */
  readonly authorization?: PaymentAuthorization;
}

/** A field whose value differs between a payment and the request. */
export type MismatchedField =
  | 'paymentQuoteId'
  | 'amount'
  | 'currencyCode'
  | 'customerId'
  | 'beneficiaryId'
  | 'internalReference';

/**
 * The result of searching for the payment of an intent. `not-found` means only that the list does not show the payment:
 * until `sendUntil`, its process may still send it.
 */
export type ReconcileResult =
  | { readonly status: 'created'; readonly payment: PaymentResult }
  | { readonly status: 'not-found' };
