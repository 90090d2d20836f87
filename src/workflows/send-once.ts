import type { CreatedPayment } from '../contract/payments.js';
import { noteIntent } from '../error.js';
import { AbortedError, ConflictError, CorridorError, InvalidResponseError, type Attempt } from '../errors.js';
import { isStillClaimed, settle } from './claim.js';
import type { PaymentIntent } from './intent.js';
import { differences } from './match.js';
import type { CreateOnceResult, OnceCall } from './once.js';
import { PaymentMismatchError, PaymentOutcomeUnknownError, type UnknownOutcomeDetails } from './outcome-errors.js';
import { reconcile } from './reconcile.js';
import { search, type Finding } from './search.js';

// Of the time there is, a third stays to look for the payment.
const sendingShare = 2 / 3;
// So far back a payment is looked for that the platform says clashes with ours: an earlier call may have made it.
const conflictReach = 24 * 60 * 60_000;

/** Sends a payment whose quote is claimed, and finds out what became of it. */
export async function sendOnce(call: OnceCall, intent: PaymentIntent): Promise<CreateOnceResult> {
  const { workflow } = call;
  const attempts: Attempt[] = [];
  for (let number = 1; ; number += 1) {
    const answer = await post(call, intent);
    attempts.push(...answer.attempts);
    if ('payment' in answer) return made(call, intent, answer.payment, attempts);
    const { error } = answer;
    if (number === 1 && isDefinite(error)) {
      await settle(workflow, intent, { outcome: 'not-created' }, call);
      throw error;
    }
    noteIntent(error, intent);
    if (error instanceof AbortedError) throw number === 1 ? error : aborted(error, intent, attempts);

    const earlier = error instanceof ConflictError ? conflictReach : 0;
    const finding = await find(call, intent, attempts, earlier);
    if (finding.outcome === 'created') {
      await settle(workflow, intent, { outcome: 'created', paymentId: finding.payment.id }, call);
      return { payment: finding.payment, created: true, recovered: true, attempts };
    }
    if (!(await maySendAgain(call, intent, error, finding))) throw unknownOutcome(call, intent, { attempts, cause: error, paymentId: toldId(error), listFailure: finding.failure }, earlier);
  }
}

type Posted = { readonly attempts: readonly Attempt[] } & ({ readonly payment: CreatedPayment } | { readonly error: unknown });

async function post(call: OnceCall, intent: PaymentIntent): Promise<Posted> {
  try {
    const { data, attempts, requestId } = await call.post(intent.request, { ...call.request, deadline: Math.max(1, call.left() * sendingShare) });
    if (typeof (data as CreatedPayment | null)?.id === 'string' && data.id !== '') return { payment: data, attempts };
    // Only where validation merely observes.
    const issues = [{ path: 'id', message: 'is required: it must be a non-empty string' }];
    const message = 'payments.create was answered, but the answer names no payment';
    return { error: new InvalidResponseError(message, { endpoint: 'payments.create', outcome: 'applied', attempts, requestId, issues, body: data }), attempts };
  } catch (error) {
    return { error, attempts: error instanceof CorridorError ? error.attempts : [] };
  }
}

async function made(call: OnceCall, intent: PaymentIntent, payment: CreatedPayment, attempts: readonly Attempt[]): Promise<CreateOnceResult> {
  const differing = differences(intent, payment);
  // A platform may answer with the payment that stands against the quote, whatever was asked for.
  if (differing.length > 0) throw new PaymentMismatchError(intent, payment, differing, { outcome: 'applied', attempts });
  await settle(call.workflow, intent, { outcome: 'created', paymentId: payment.id }, call);
  return { payment, created: true, recovered: false, attempts };
}

// It never left, or the platform refused it. That is said of one POST: where one went before, nothing is definite.
function isDefinite(error: unknown): boolean {
  return error instanceof CorridorError && (error.outcome === 'not-sent' || error.outcome === 'rejected');
}

async function find(call: OnceCall, intent: PaymentIntent, attempts: readonly Attempt[], earlier: number): Promise<Finding> {
  const { workflow, list, settleWindow, request } = call;
  try {
    // From now, and not from when it was noted: until then it may have waited to be sent, or hung.
    return await search(workflow, list, { intent, window: settleWindow, deadline: Math.max(1, call.left()), insistent: call.resend, earlier, attempts, request });
  } catch (error) {
    throw error instanceof AbortedError ? aborted(error, intent, attempts) : error;
  }
}

// What was aborted later than the first POST: what it says of its own request is not the whole truth.
function aborted({ cause }: AbortedError, intent: PaymentIntent, attempts: readonly Attempt[]): AbortedError {
  const message = 'payments.create was aborted while looking for the payment (whether it was taken is not known)';
  const error = new AbortedError(message, { endpoint: 'payments.create', outcome: 'unknown', attempts, cause });
  noteIntent(error, intent);
  return error;
}

// Only where the caller allows it, the whole window has passed, the list was read to its end after that, and nothing speaks of a payment.
async function maySendAgain(call: OnceCall, intent: PaymentIntent, error: unknown, finding: Finding): Promise<boolean> {
  if (!call.resend || finding.outcome === 'created' || !finding.certain || call.left() <= call.settleWindow) return false;
  if (!(error instanceof CorridorError) || error instanceof ConflictError || error.outcome === 'applied') return false;
  if (error.outcome === 'rejected' && error.code !== 'rate-limit') return false;
  return isStillClaimed(call, intent);
}

/** The payment's id in an answer that could not be used otherwise. */
function toldId(error: unknown): string | undefined {
  if (!(error instanceof InvalidResponseError) || error.outcome !== 'applied') return undefined;
  const { id } = (typeof error.body === 'object' && error.body !== null ? error.body : {}) as { readonly id?: unknown };
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The error of a payment that nobody can tell of. */
export function unknownOutcome(call: OnceCall, intent: PaymentIntent, details: UnknownOutcomeDetails, earlier = 0): PaymentOutcomeUnknownError {
  const { workflow, list, settleWindow } = call;
  const { signal: _signal, ...request } = call.request;
  const { cause } = details;
  const again = () => reconcile(workflow, list, intent, { ...request, settleWindow }, earlier);
  return new PaymentOutcomeUnknownError(intent, again, { requestId: cause instanceof CorridorError ? cause.requestId : undefined, ...details });
}
