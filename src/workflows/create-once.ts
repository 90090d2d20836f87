import type { CreatedPayment, PaymentCreate } from '../contract/payments.js';
import type { WithResponse } from '../api-call.js';
import { AbortedError, ConfigurationError, CorridorError, InvalidRequestError, type Attempt, type StoredIntent } from '../errors.js';
import { noteIntent } from '../error.js';
import { journalKey, type Journal, type JournalRecord, type Settlement } from '../journal/journal.js';
import { checkedPayment, type RequestOptions } from '../transport/request.js';
import { intentFor, readIntent, type PaymentIntent } from './intent.js';
import type { ShownPayment } from './match.js';
import { PaymentOutcomeUnknownError, type Reconciliation } from './outcome-errors.js';
import { defaultSettleWindow, reconcile } from './reconcile.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** How a payment is created exactly once. */
export interface CreateOnceOptions extends RequestOptions {
  /** Stores the intent before anything is sent; awaited. What it throws is thrown, and nothing was sent. @default none */
  readonly onIntent?: ((intent: PaymentIntent) => void | Promise<void>) | undefined;
  /** How long after it was sent a payment may take to show up in the list, in milliseconds. @default 10_000 */
  readonly settleWindow?: number | undefined;
  /**
   * `never`: a payment whose outcome is unknown is looked for, and not sent again. `after-settle-window`: once the settle window has
   * passed and the list does not show it, the same bytes are sent again, against the same quote. That is safe only where the
   * platform uses a quote once, or where the window is longer than the platform ever takes to commit a payment and to list it:
   * ask the platform. @default 'never'
   */
  readonly resend?: 'never' | 'after-settle-window' | undefined;
}

/** How `createOnce` ends. */
export interface CreateOnceResult {
  /** The payment. */
  readonly payment: ShownPayment;
  /** Whether this call made it; false where the journal knew of it before. */
  readonly created: boolean;
  /** Whether it was found in the list, because no sure answer came. */
  readonly recovered: boolean;
  /** The attempts to create it, first to last. */
  readonly attempts: readonly Attempt[];
}

/** Sends a payment's creation once. */
export type PostPayment = (request: PaymentCreate, options: RequestOptions) => Promise<WithResponse<CreatedPayment>>;

interface Steps {
  readonly workflow: WorkflowOptions;
  readonly post: PostPayment;
  readonly list: ListPayments;
}

/** Checks, notes, sends once, and finds out what became of it. */
export async function createOnce(steps: Steps, given: PaymentCreate, options: CreateOnceOptions): Promise<CreateOnceResult> {
  const { clock, dialect, journal } = steps.workflow;
  const request = checkedPayment(given, dialect);
  const intent = intentFor(request, clock.now(), clock.offset);
  const standing = await claim(journal, intent);
  if (standing !== true) return joinStanding(steps, intent, standing, options);
  try {
    await options.onIntent?.(intent);
  } catch (error) {
    await settle(journal, intent, { outcome: 'not-created' });
    throw error;
  }
  return sendClaimed(steps, intent, options);
}

async function claim(journal: Journal, intent: PaymentIntent): Promise<true | JournalRecord> {
  try {
    return await journal.claim(intent);
  } catch (error) {
    throw new ConfigurationError(`payments.createOnce: the journal could not be reached (${error instanceof Error ? error.name : typeof error}), so nothing was sent`, { endpoint: 'payments.create', cause: error });
  }
}

// The payment is as it is: a journal that fails now must not turn it into an error. The record stays open, and recover() settles it.
async function settle(journal: Journal, intent: StoredIntent, settlement: Settlement): Promise<void> {
  await journal.settle(journalKey(intent), settlement).catch(() => {});
}

async function joinStanding(steps: Steps, intent: PaymentIntent, standing: JournalRecord, options: CreateOnceOptions): Promise<CreateOnceResult> {
  const first = readIntent(standing.intent);
  if (!sameRequest(first.request, intent.request)) {
    throw new InvalidRequestError('payments.create', [{ path: 'paymentQuoteId', message: 'is the quote of another payment that the journal holds, with a different request' }]);
  }
  const found = await look(steps, first, [], options);
  await settle(steps.workflow.journal, first, { outcome: 'created', paymentId: found.id });
  return { payment: found, created: false, recovered: true, attempts: [] };
}

async function sendClaimed(steps: Steps, intent: PaymentIntent, options: CreateOnceOptions): Promise<CreateOnceResult> {
  const { workflow, post } = steps;
  const started = workflow.timing.elapsed();
  const deadline = options.deadline ?? workflow.deadline;
  const left = (): number => deadline - (workflow.timing.elapsed() - started);
  const { onIntent: _onIntent, settleWindow = defaultSettleWindow, resend = 'never', ...each } = options;
  const attempts: Attempt[] = [];
  for (let current = intent; ; current = { ...intent, sentAt: new Date(workflow.clock.now()).toISOString() }) {
    try {
      const { data, attempts: made } = await post(intent.request, { ...each, deadline: left() });
      await settle(workflow.journal, intent, { outcome: 'created', paymentId: data.id });
      return { payment: data, created: true, recovered: false, attempts: [...attempts, ...made] };
    } catch (error) {
      noteIntent(error, intent);
      if (error instanceof CorridorError) attempts.push(...error.attempts);
      await passOnDefinite(workflow.journal, intent, error, current === intent);
    }
    const result = await lookFor(steps, current, { ...each, settleWindow, deadline: Math.max(1, left()) });
    if (result.outcome === 'created') {
      await settle(workflow.journal, intent, { outcome: 'created', paymentId: result.payment.id });
      return { payment: result.payment, created: true, recovered: true, attempts };
    }
    if (resend === 'never' || left() <= settleWindow) throw unknown(steps, intent, attempts, options);
  }
}

// A refusal is definite only as long as no attempt before it may have been taken: a quote that is used once refuses its second use.
async function passOnDefinite(journal: Journal, intent: PaymentIntent, error: unknown, first: boolean): Promise<void> {
  if (!(error instanceof CorridorError)) throw error;
  if (error instanceof AbortedError && error.outcome !== 'not-sent') throw error;
  if (!first || (error.outcome !== 'not-sent' && error.outcome !== 'rejected')) return;
  await settle(journal, intent, { outcome: 'not-created' });
  throw error;
}

async function look(steps: Steps, intent: PaymentIntent, attempts: readonly Attempt[], options: CreateOnceOptions): Promise<ShownPayment> {
  const { onIntent: _onIntent, resend: _resend, ...each } = options;
  const result = await lookFor(steps, intent, each);
  if (result.outcome === 'created') return result.payment;
  throw unknown(steps, intent, attempts, options);
}

// A list that cannot be read leaves the outcome as unknown as it was.
async function lookFor(steps: Steps, intent: PaymentIntent, options: RequestOptions & { readonly settleWindow?: number | undefined }): Promise<Reconciliation> {
  try {
    return await reconcile(steps.workflow, steps.list, intent, options);
  } catch (error) {
    if (error instanceof CorridorError && ['payment-mismatch', 'duplicate-payment'].includes(error.code)) throw error;
    noteIntent(error, intent);
    if (error instanceof AbortedError) throw error;
    return { outcome: 'not-found' };
  }
}

function unknown(steps: Steps, intent: PaymentIntent, attempts: readonly Attempt[], options: CreateOnceOptions): PaymentOutcomeUnknownError {
  const { settleWindow, timeout, retries, headers } = options;
  const again = (): Promise<Reconciliation> => reconcile(steps.workflow, steps.list, intent, { settleWindow, timeout, retries, headers });
  return new PaymentOutcomeUnknownError(intent, again, { attempts });
}

/** Whether two requests ask for the same payment. */
export function sameRequest(one: object, other: object): boolean {
  const plain = (request: object): string => JSON.stringify(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return plain(one) === plain(other);
}
