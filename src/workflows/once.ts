import type { WithResponse } from '../api-call.js';
import type { CreatedPayment, PaymentCreate } from '../contract/payments.js';
import type { Attempt } from '../errors.js';
import type { RequestOptions } from '../transport/request.js';
import type { PaymentIntent } from './intent.js';
import type { ShownPayment } from './match.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** How `createOnce` ends. */
export interface CreateOnceResult {
  /** The payment. */
  readonly payment: ShownPayment;
  /** Whether this call made it; false where another did: one under way in this client, or one that the journal knew of. */
  readonly created: boolean;
  /** Whether it was found in the list, because no sure answer came. */
  readonly recovered: boolean;
  /** The attempts to create it, first to last. */
  readonly attempts: readonly Attempt[];
}

/** Sends a payment's creation once. */
export type PostPayment = (request: PaymentCreate, options: RequestOptions) => Promise<WithResponse<CreatedPayment>>;

/** What `createOnce` is built from. */
export interface OnceSteps {
  readonly workflow: WorkflowOptions;
  readonly post: PostPayment;
  readonly list: ListPayments;
}

/** One call of `createOnce`. All times are in milliseconds. */
export interface OnceCall extends OnceSteps {
  /** What each request takes; its deadline is set by the step. */
  readonly request: RequestOptions;
  readonly settleWindow: number;
  readonly resend: boolean;
  /** The caller's own store of intents. */
  readonly onIntent: ((intent: PaymentIntent) => void | Promise<void>) | undefined;
  /** How long the call may take in all. */
  readonly deadline: number;
  /** How much of that is left; below 0 where it is overdrawn. */
  left(): number;
}
