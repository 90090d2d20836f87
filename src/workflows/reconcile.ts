import type { RequestOptions } from '../transport/request.js';
import { settle } from './claim.js';
import type { PaymentIntent } from './intent.js';
import type { Reconciliation } from './outcome-errors.js';
import { checkMilliseconds } from './pace.js';
import { search } from './search.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** How a payment is looked for. */
export interface ReconcileOptions extends RequestOptions {
  /** How long after it was sent a payment may take to show up in the list, in milliseconds; 0 looks once. @default 10_000 */
  readonly settleWindow?: number | undefined;
}

/** How long after it was sent a payment may take to show up, where nothing else is said. */
export const defaultSettleWindow = 10_000;

/**
 * Looks for the payment of an intent until it shows up or its settle window has passed; once, where it has passed already. A journal
 * that has the intent learns of the payment. `earlier` is how much further back the first look reaches.
 */
export async function reconcile(workflow: WorkflowOptions, list: ListPayments, intent: PaymentIntent, options: ReconcileOptions, earlier = 0): Promise<Reconciliation> {
  const { settleWindow = defaultSettleWindow, deadline = workflow.deadline, ...request } = options;
  checkMilliseconds('payments.reconcile', { settleWindow }, 0);
  checkMilliseconds('payments.reconcile', { deadline });
  // By the clock, for the intent may be an old one; but a clock that is off must not make this last for hours.
  const left = Date.parse(intent.sentAt) + settleWindow - workflow.clock.now();
  const window = Math.max(0, Math.min(left, settleWindow));
  const started = workflow.timing.elapsed();
  const finding = await search(workflow, list, { intent, window, deadline, earlier, request });
  if (finding.outcome === 'created') {
    await settle(workflow, intent, { outcome: 'created', paymentId: finding.payment.id }, { request, left: () => deadline - (workflow.timing.elapsed() - started) });
    return finding;
  }
  if (finding.failure !== undefined) throw finding.failure;
  return { outcome: 'not-found' };
}
