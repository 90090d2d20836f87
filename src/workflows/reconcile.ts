import type { ListedPayment } from '../contract/payments.js';
import { AbortedError } from '../errors.js';
import { pause } from '../transport/pause.js';
import type { RequestOptions } from '../transport/request.js';
import type { PaymentIntent } from './intent.js';
import { differences, usesQuoteOf } from './match.js';
import { DuplicatePaymentError, PaymentMismatchError, type Reconciliation } from './outcome-errors.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** How a payment is looked for. */
export interface ReconcileOptions extends RequestOptions {
  /** How long after it was sent a payment may take to show up in the list, in milliseconds; 0 looks once. @default 10_000 */
  readonly settleWindow?: number | undefined;
}

/** How long after it was sent a payment may take to show up, where nothing else is said. */
export const defaultSettleWindow = 10_000;
// Clocks differ, and what the list filters by is the platform's.
const margin = 5 * 60_000;
const firstPause = 250;
const longestPause = 5_000;

/** Looks for the payment of an intent until it shows up or its settle window has passed; once, where it has passed already. Assumed: A-16, the list shows it in time. */
export async function reconcile(workflow: WorkflowOptions, list: ListPayments, intent: PaymentIntent, options: ReconcileOptions): Promise<Reconciliation> {
  const { timing, clock } = workflow;
  const { settleWindow = defaultSettleWindow, ...request } = options;
  const until = Date.parse(intent.sentAt) + settleWindow;
  const started = timing.elapsed();
  // Of a deadline that was given, a third stays for the last look: it must not be cut short.
  const left = (): number => Math.min(until - clock.now(), (options.deadline ?? workflow.deadline) - (timing.elapsed() - started));
  for (let wait = firstPause; ; wait = Math.min(wait * 2, longestPause)) {
    const look = await lookOnce(list, intent, request);
    if ('found' in look && look.found !== undefined) return { outcome: 'created', payment: look.found };
    if (left() <= 0) return conclude(intent, look);
    await pause(timing, Math.min(wait, left()), options.signal, 'payments.reconcile');
  }
}

/** What the list shows of an intent. */
export interface Look {
  /** The payment that is what was asked for. */
  readonly found?: ListedPayment | undefined;
  /** A payment against our quote that is not what was asked for. */
  readonly other?: ListedPayment | undefined;
  /** Why the list could not be read. */
  readonly failure?: unknown;
}

async function lookOnce(list: ListPayments, intent: PaymentIntent, request: RequestOptions): Promise<Look> {
  const ours: ListedPayment[] = [];
  try {
    for await (const payment of list(since([intent]), request)) if (usesQuoteOf(intent, payment)) ours.push(payment);
  } catch (failure) {
    // A list that fails says nothing of the payment: the next look may fare better.
    if (failure instanceof AbortedError) throw failure;
    return { failure };
  }
  return lookAt(intent, ours);
}

/** Weighs the payments that stand against an intent's quote. */
function lookAt(intent: PaymentIntent, ours: readonly ListedPayment[]): Look {
  const byId = new Map(ours.map((payment) => [payment.id, payment]));
  const exact = [...byId.values()].filter((payment) => differences(intent, payment).length === 0);
  if (exact.length > 1) throw new DuplicatePaymentError(intent, exact);
  return { found: exact[0], other: ours[0] };
}

/** The verdict when the last look has found nothing. */
function conclude(intent: PaymentIntent, { other, failure }: Look): Reconciliation {
  if (other !== undefined) throw new PaymentMismatchError(intent, other, differences(intent, other));
  if (failure !== undefined) throw failure;
  return { outcome: 'not-found' };
}

/** The filter that certainly shows the payments of these intents; no status, for they may have moved on. */
export function since(intents: readonly PaymentIntent[]): { readonly createdFrom: string; readonly limit: number } {
  const earliest = Math.min(...intents.map(({ sentAt }) => Date.parse(sentAt)));
  return { createdFrom: new Date(earliest - margin).toISOString(), limit: 100 };
}
