import type { ListedPayment } from '../../contract/schema/payments.js';
import { AbortedError, TimeoutError, type Attempt } from '../../errors/api.js';
import { sleep } from '../../transport/timing/sleep.js';
import type { RequestOptions } from '../../transport/request/request-options.js';
import { DuplicatePaymentError, PaymentMismatchError, type PaymentCreateIntent } from '../../errors/payments.js';
import { mismatches } from './compare-payment.js';
import { IntentMatches, likelyEnd, likelyStart, lookBackOf, provenStart, scanList } from './scan-list.js';
import type { ListPayments, WorkflowContext } from '../context.js';

/** The options of `findByIntent`. All times are in milliseconds. */
export interface FindByIntentOptions {
  /** Returns the intent; its creation time can be corrected by each response. */
  readonly intent: () => PaymentCreateIntent;
  /**
   * Returns how long from the start of the search a payment may take to appear in the list; 0 searches once. It can be
   * corrected by each response.
   */
  readonly window: () => number;
  /** The time limit of the whole search. */
  readonly totalTimeout: number;
  /** Whether to repeat a failed last search while there is time, because the caller needs a conclusive result. */
  readonly retryFinalLookup?: boolean;
  /**
   * Whether the last search reads every part of the list that can contain the payment, not only the likely one. Without
   * that, `not-found` proves nothing. @default true
   */
  readonly isComplete?: boolean;
  /**
   * How much further into the past the first successful search reaches, because an earlier call may have created the
   * payment.
   */
  readonly extraLookBack?: number;
  /** The payment's id, if a journal has it. The search ends when the list shows it. */
  readonly paymentId?: string | undefined;
  /** The attempts to create the payment, for errors. */
  readonly attempts?: readonly Attempt[];
  readonly request: RequestOptions;
}

/** The result of a search. */
export type IntentLookup =
  | { readonly outcome: 'created'; readonly payment: ListedPayment }
  /**
   * `isConclusive`: the window had passed when the last search began, and that search read all payments that can have
   * been created for the intent.
   */
  | { readonly outcome: 'not-found'; readonly isConclusive: boolean; readonly error: unknown };

const firstDelay = 250;
const maxDelay = 5_000;
// A third of the time is reserved for the last search, which must not be cut short.
const pollingShare = 2 / 3;

/** Returns the delay before the next search: exponential backoff, in milliseconds. */
export function nextDelay(previous = 0): number {
  return previous === 0 ? firstDelay : Math.min(previous * 2, maxDelay);
}

/**
 * Searches for the payment of an intent until it appears or the window has passed. Assumed: A-16, the list shows it in
 * time.
 */
export async function findByIntent(
  context: WorkflowContext,
  list: ListPayments,
  {
    intent,
    window,
    totalTimeout,
    retryFinalLookup = false,
    isComplete = true,
    extraLookBack = 0,
    paymentId,
    attempts = [],
    request,
  }: FindByIntentOptions,
): Promise<IntentLookup> {
  const { timing } = context;
  const started = timing.elapsed();
  const elapsed = (): number => timing.elapsed() - started;
  const pollingLimit = totalTimeout * pollingShare;
  const pollingTime = (): number => Math.min(window(), pollingLimit);
  let other: ListedPayment | undefined;
  let lookBack = extraLookBack;
  for (let delay = nextDelay(); ; delay = nextDelay(delay)) {
    const began = elapsed();
    const isFinal = began >= pollingTime();
    const hasPassed = began >= window();
    const { matches, failure: error } = await lookOnce(context, list, {
      intent,
      isComplete: isComplete && isFinal,
      lookBack,
      paymentId,
      totalTimeout: totalTimeout - began,
      request,
    });
    const { exact } = matches;
    if (exact.length > 1) throw new DuplicatePaymentError(intent(), exact, { attempts });
    if (exact[0] !== undefined) return { outcome: 'created', payment: exact[0] };
    if (error === undefined) {
      other = matches.other ?? other;
      lookBack = 0;
    } else if (request.signal?.aborted === true)
      throw error instanceof AbortedError ? error : abortedError(request.signal);
    const retry = error !== undefined && retryFinalLookup && elapsed() < pollingLimit;
    if ((isFinal && !retry) || elapsed() >= totalTimeout) {
      if (other !== undefined)
        throw new PaymentMismatchError(intent(), other, mismatches(intent(), other), { attempts });
      return { outcome: 'not-found', isConclusive: isComplete && hasPassed && error === undefined, error };
    }
    const remaining = (elapsed() < pollingTime() ? pollingTime() : pollingLimit) - elapsed();
    await sleep(timing, Math.max(0, Math.ceil(Math.min(delay, remaining))), request.signal, 'payments.reconcile');
  }
}

// The signal can abort after a page has failed: the outcome of that page is not the outcome of the payment.
function abortedError(signal: AbortSignal): AbortedError {
  const message = 'payments.reconcile was aborted while searching (it is unknown whether the payment was created)';
  return new AbortedError(message, {
    endpoint: 'payments.reconcile',
    outcome: 'unknown',
    cause: signal.reason as unknown,
  });
}

interface LookupRequest {
  readonly intent: () => PaymentCreateIntent;
  /** Whether it reads every part of the list that can contain the payment, not only the likely one. */
  readonly isComplete: boolean;
  /** How much further into the past than usual it reaches. */
  readonly lookBack: number;
  readonly paymentId: string | undefined;
  readonly totalTimeout: number;
  readonly request: RequestOptions;
}

/** What one search found, also if it failed before the end of the list. */
interface LookupResult {
  readonly matches: IntentMatches;
  /** Why the search does not prove that there is no payment. */
  readonly failure: unknown;
}

// A list that fails proves nothing about the payments that it did not show, and the next search may succeed.
async function lookOnce(
  context: WorkflowContext,
  list: ListPayments,
  { intent, isComplete, lookBack, paymentId, totalTimeout, request }: LookupRequest,
): Promise<LookupResult> {
  const { clock } = context;
  const matches = new IntentMatches(intent(), paymentId);
  const visit = (row: unknown): boolean => {
    matches.add(row);
    return paymentId !== undefined && (row as ListedPayment | null)?.id === paymentId;
  };
  try {
    await withTimeout(context, totalTimeout, request.signal, async (signal) => {
      const options = { ...request, signal, totalTimeout: Math.max(1, totalTimeout) };
      // Finds the payment of an old intent in a request or two, instead of reading all newer payments.
      const to = likelyEnd(intent(), clock);
      if (to !== undefined || !isComplete)
        await scanList(list, { from: () => likelyStart(intent(), clock) - lookBack, to, request: options }, visit);
      if (!isComplete || matches.exact.length > 0) return;
      const extra = lookBack + lookBackOf(intent(), clock);
      const from = (): number | undefined => {
        const start = provenStart(intent(), clock);
        return start === undefined ? undefined : start - extra;
      };
      await scanList(list, { from, request: options }, visit);
    });
    return { matches, failure: matches.unreadable };
  } catch (failure) {
    return { matches, failure };
  }
}

/** Runs work with a signal that aborts after a timeout or with the caller's signal. */
async function withTimeout(
  context: WorkflowContext,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const timeoutError = new TimeoutError('payments.list exceeded the time that was left of totalTimeout', {
    endpoint: 'payments.list',
    outcome: 'unknown',
  });
  const forward = (): void => controller.abort(signal?.reason);
  const cancel = context.timing.after(Math.max(1, milliseconds), () => controller.abort(timeoutError));
  if (signal?.aborted === true) forward();
  signal?.addEventListener('abort', forward);
  try {
    await work(controller.signal);
  } catch (error) {
    throw error instanceof AbortedError && error.cause === timeoutError ? timeoutError : error;
  } finally {
    cancel();
    signal?.removeEventListener('abort', forward);
  }
}
