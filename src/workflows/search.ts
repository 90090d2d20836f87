import type { ListedPayment } from '../contract/payments.js';
import { AbortedError, TimeoutError, type Attempt } from '../errors.js';
import type { ServerClock } from '../transport/clock.js';
import { pause } from '../transport/pause.js';
import type { RequestOptions } from '../transport/request.js';
import type { PaymentIntent } from './intent.js';
import { differences, usesQuoteOf } from './match.js';
import { DuplicatePaymentError, PaymentMismatchError } from './outcome-errors.js';
import { filterTime } from './record-time.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** How the payment of an intent is searched for. All times are in milliseconds. */
export interface Search {
  readonly intent: PaymentIntent;
  /** How long from now a payment may take to show up in the list; 0 looks once. */
  readonly window: number;
  /** How long the search may take in all. */
  readonly deadline: number;
  /** Whether a last look that fails is made again while there is time, because nothing less than certainty will do. */
  readonly insistent?: boolean;
  /** How much further back the first look that succeeds reaches, because the payment may have been made by an earlier call. */
  readonly earlier?: number;
  /** The payment's id, where a journal has it: a look ends where that shows up. */
  readonly paymentId?: string | undefined;
  /** The attempts to create the payment, for errors. */
  readonly attempts?: readonly Attempt[];
  readonly request: RequestOptions;
}

/** What a search came to. */
export type Finding =
  | { readonly outcome: 'created'; readonly payment: ListedPayment }
  /** `certain`: the window had passed when the last look began, and that look saw the list to its end. */
  | { readonly outcome: 'not-found'; readonly certain: boolean; readonly failure: unknown };

const firstPause = 250;
const longestPause = 5_000;
// Of the time there is, a third stays for the last look: it must not be cut short.
const pollingShare = 2 / 3;
// Clocks differ, and what the list filters by is the platform's.
const margin = 5 * 60_000;

/** Pauses between looks: short at first, then longer and longer. */
export function nextPause(last = 0): number {
  return last === 0 ? firstPause : Math.min(last * 2, longestPause);
}

/** Looks for the payment of an intent until it shows up or its window has passed. Assumed: A-16, the list shows it in time. */
export async function search(workflow: WorkflowOptions, list: ListPayments, { intent, window, deadline, insistent = false, earlier = 0, paymentId, attempts = [], request }: Search): Promise<Finding> {
  const { timing } = workflow;
  const started = timing.elapsed();
  const passed = (): number => timing.elapsed() - started;
  const longest = deadline * pollingShare;
  const polling = Math.min(window, longest);
  let other: ListedPayment | undefined;
  let back = earlier;
  for (let wait = nextPause(); ; wait = nextPause(wait)) {
    const began = passed();
    const look = await lookOnce(workflow, list, { intent, back, paymentId, deadline: deadline - began, request });
    if ('failure' in look) {
      if (request.signal?.aborted === true) throw look.failure;
    } else {
      if (look.exact.length > 1) throw new DuplicatePaymentError(intent, look.exact, { attempts });
      if (look.exact[0] !== undefined) return { outcome: 'created', payment: look.exact[0] };
      other = look.other ?? other;
      back = 0;
    }
    const failure = 'failure' in look ? look.failure : undefined;
    const again = failure !== undefined && insistent && passed() < longest;
    if ((began >= polling && !again) || passed() >= deadline) {
      if (other !== undefined) throw new PaymentMismatchError(intent, other, differences(intent, other), { attempts });
      return { outcome: 'not-found', certain: began >= window && failure === undefined, failure };
    }
    const left = (passed() < polling ? polling : longest) - passed();
    await pause(timing, Math.max(0, Math.ceil(Math.min(wait, left))), request.signal, 'payments.reconcile');
  }
}

interface LookRequest {
  readonly intent: PaymentIntent;
  /** How much further back than usual it reaches. */
  readonly back: number;
  readonly paymentId: string | undefined;
  readonly deadline: number;
  readonly request: RequestOptions;
}

/** What one look at the list saw of an intent, or why it saw nothing. */
type Look =
  | { readonly exact: readonly ListedPayment[]; readonly other: ListedPayment | undefined }
  | { readonly failure: unknown };

// A list that fails says nothing of the payment: the next look may fare better.
async function lookOnce(workflow: WorkflowOptions, list: ListPayments, { intent, back, paymentId, deadline, request }: LookRequest): Promise<Look> {
  const byId = new Map<string, ListedPayment>();
  try {
    await within(workflow, deadline, request.signal, async (signal) => {
      const query = since([intent], workflow.clock, back);
      for await (const payment of list(query, { ...request, signal, deadline: Math.max(1, deadline) })) {
        if (usesQuoteOf(intent, payment)) byId.set(payment.id, payment);
        if (payment.id === paymentId) break;
      }
    });
    const ours = [...byId.values()];
    return { exact: ours.filter((payment) => differences(intent, payment).length === 0), other: ours[0] };
  } catch (failure) {
    return { failure };
  }
}

/** Does work that may take so long; its signal aborts then, or with the caller's. */
async function within(workflow: WorkflowOptions, milliseconds: number, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const late = new TimeoutError('payments.list was not done within the deadline', { endpoint: 'payments.list', outcome: 'unknown' });
  const forward = (): void => controller.abort(signal?.reason);
  const cancel = workflow.timing.after(Math.max(1, milliseconds), () => controller.abort(late));
  if (signal?.aborted === true) forward();
  signal?.addEventListener('abort', forward);
  try {
    await work(controller.signal);
  } catch (error) {
    throw error instanceof AbortedError && error.cause === late ? late : error;
  } finally {
    cancel();
    signal?.removeEventListener('abort', forward);
  }
}

/**
 * The filter that certainly shows the payments of these intents; no status, for they may have moved on. When an intent was noted,
 * the platform's clock may not have been known yet, or may have been told wrongly: of what that clock was said to show, what it is
 * known to show since, and what ours showed, the earliest counts.
 */
export function since(intents: readonly PaymentIntent[], clock: ServerClock, back = 0): { readonly createdFrom: string; readonly limit: number } {
  const times = intents.flatMap(({ sentAt, offset }) => {
    const ours = Date.parse(sentAt) - offset;
    return [Date.parse(sentAt), ours, ours + clock.offset];
  });
  return { createdFrom: filterTime(times.reduce((one, other) => Math.min(one, other)) - margin - back), limit: 100 };
}
