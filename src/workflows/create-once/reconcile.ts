import { numberFrom } from '../../contract/options.js';
import { assertOptions, maxTimerDelay, type RequestOptions } from '../../transport/request/request-options.js';
import { resolveEntry } from './claim.js';
import { TimeoutError } from '../../errors/api.js';
import type { PaymentCreateIntent, ReconcileResult } from '../../errors/payments.js';
import { defineOptions } from '../workflow-options.js';
import { findByIntent } from './find-by-intent.js';
import type { ListPayments, WorkflowContext } from '../context.js';

/** The options of `payments.reconcile`. */
export interface ReconcileOptions extends RequestOptions {
  /**
   * How long after its intent was created a payment may take to appear in the list, in milliseconds; 0 searches once.
   * If the platform's time was or is unknown, it counts from the start of the call.
   * @default that of the client
   */
  readonly consistencyWindow?: number | undefined;
}

const reconcileOptions = defineOptions<ReconcileOptions>('must be an object, such as { consistencyWindow: 0 }', () => ({
  consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
}));

/**
 * Searches for the payment of an intent until it appears or the consistency window has passed; once if it has passed
 * already. Throws if the total timeout ends first. If the payment exists, resolves the journal's entry. `extraLookBack` extends the first search into the past,
 * in milliseconds.
 */
export async function reconcile(
  context: WorkflowContext,
  list: ListPayments,
  intent: PaymentCreateIntent,
  options: ReconcileOptions,
  extraLookBack = 0,
): Promise<ReconcileResult> {
  assertOptions(reconcileOptions, options);
  const { consistencyWindow = context.consistencyWindow, totalTimeout = context.totalTimeout, ...request } = options;
  const { timing, clock } = context;
  const started = timing.elapsed();
  // The window started when the intent was created. If a clock is unknown, it may have started just now.
  const window = (): number => {
    if (intent.clockKnown !== true || !clock.isKnown) return consistencyWindow;
    const now = clock.now() - (timing.elapsed() - started);
    return Math.max(0, Math.min(Date.parse(intent.createdAt) + consistencyWindow - now, consistencyWindow));
  };
  const lookup = await findByIntent(context, list, {
    intent: () => intent,
    window,
    totalTimeout,
    extraLookBack,
    request,
  });
  if (lookup.outcome === 'created') {
    await resolveEntry(
      context,
      intent,
      { outcome: 'created', paymentId: lookup.payment.id },
      { request, remaining: () => totalTimeout - (timing.elapsed() - started) },
    );
    return { status: 'created', payment: lookup.payment };
  }
  if (lookup.error !== undefined) throw lookup.error;
  if (!lookup.isConclusive)
    throw new TimeoutError(
      `payments.reconcile: the payment is not in the list, but the totalTimeout of ${totalTimeout} ms ends before the consistency window of ${consistencyWindow} ms. Pass a longer totalTimeout, or reconcile later`,
      { endpoint: 'payments.reconcile', outcome: 'unknown' },
    );
  return { status: 'not-found' };
}
