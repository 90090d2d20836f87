import { numberFrom } from '../../contract/options.js';
import { maxTimerDelay, type RequestOptions } from '../../transport/request/request-options.js';
import { resolveEntry } from './claim.js';
import type { PaymentCreateIntent, ReconcileResult } from '../../errors/payments.js';
import { assertOptions, defineOptions } from '../workflow-options.js';
import { findByIntent } from './find-by-intent.js';
import type { ListPayments, WorkflowContext } from '../context.js';

/** The options of `payments.reconcile`. */
export interface ReconcileOptions extends RequestOptions {
  /**
   * How long after its intent was created a payment may take to appear in the list, in milliseconds; 0 searches once.
   * @default that of the client
   */
  readonly consistencyWindow?: number | undefined;
}

const reconcileOptions = defineOptions<ReconcileOptions>('must be an object, such as { consistencyWindow: 0 }', () => ({
  consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
}));

/**
 * Searches for the payment of an intent until it appears or the consistency window has passed; once if it has passed
 * already. If the payment exists, resolves the journal's entry. `extraLookBack` extends the first search into the past,
 * in milliseconds.
 */
export async function reconcile(
  context: WorkflowContext,
  list: ListPayments,
  intent: PaymentCreateIntent,
  options: ReconcileOptions,
  extraLookBack = 0,
): Promise<ReconcileResult> {
  assertOptions('payments.reconcile', reconcileOptions, options);
  const { consistencyWindow = context.consistencyWindow, totalTimeout = context.totalTimeout, ...request } = options;
  // The window started when the intent was created; a wrong clock must not extend it.
  const remaining = Date.parse(intent.createdAt) + consistencyWindow - context.clock.now();
  const window = Math.max(0, Math.min(remaining, consistencyWindow));
  const started = context.timing.elapsed();
  const lookup = await findByIntent(context, list, { intent, window, totalTimeout, extraLookBack, request });
  if (lookup.outcome === 'created') {
    await resolveEntry(
      context,
      intent,
      { outcome: 'created', paymentId: lookup.payment.id },
      { request, remaining: () => totalTimeout - (context.timing.elapsed() - started) },
    );
    return { status: 'created', payment: lookup.payment };
  }
  if (lookup.error !== undefined) throw lookup.error;
  return { status: 'not-found' };
}
