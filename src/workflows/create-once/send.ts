import { unusableResponse } from '../../core/api-promise.js';
import type { CreatedPayment } from '../../contract/schema/payments.js';
import {
  noteIntent,
  noteRetryable,
  AbortedError,
  ConflictError,
  CorridorError,
  InvalidResponseError,
  type Attempt,
} from '../../errors/api.js';
import type { PaymentCreateIntent, PaymentResult } from '../../contract/intent.js';
import { clockResolution } from '../../transport/clock.js';
import { ignoreErrors } from '../../transport/events.js';
import { release, resolveEntry } from './claim.js';
import { correctedIntent } from './intent.js';
import { changedValues, isNonEmptyString, mismatches, unreadableFields } from './compare.js';
import type { CreateOnceResult, CreateOnceCall } from './call.js';
import { PaymentMismatchError } from '../../errors/payments.js';
import { errorOfSearch, unknownOutcome } from './reconcile.js';
import { platformClockSpread } from '../platform-time.js';
import { latestTimeOf } from '../../contract/schema/time.js';
import { findByIntent } from './search.js';
import type { Drift } from '../../transport/response.js';
import type { WorkflowContext } from '../context.js';

// A third of the time is reserved for the search.
const sendingShare = 2 / 3;
// After a conflict, the search reaches this far into the past, because an earlier call may have created the payment.
const conflictLookBack = 24 * 60 * 60_000;

/** Sends a payment whose quote is claimed, and determines its outcome. */
export async function sendOnce(call: CreateOnceCall, claimed: PaymentCreateIntent): Promise<CreateOnceResult> {
  const { workflow, deadline } = call;
  const ageOf = measureAges(workflow);
  // The responses may show that the machine's clock is wrong.
  const correct = correctedIntent(workflow, claimed);
  const { payment, error, attempts } = await post(call);
  const intent = correct();
  if (payment !== undefined) return confirmCreated(call, intent, payment, attempts, ageOf(payment));
  if (isDefiniteFailure(error)) {
    await release(call, intent, deadline);
    throw error;
  }
  noteIntent(error, intent);
  if (error instanceof AbortedError) {
    // Unlike `create`, this call can be made again.
    noteRetryable(error);
    throw error;
  }

  const isConflict = error instanceof ConflictError;
  const lookBack = isConflict ? conflictLookBack : 0;
  // The window starts now, not when the intent was created: the request may have waited or hung since.
  const lookup = await findByIntent(workflow, {
    intent: correct,
    window: () => call.consistencyWindow,
    deadline,
    extraLookBack: lookBack,
    attempts,
    options: call.options,
  }).catch((failure: unknown) => {
    throw errorOfSearch(call, failure, correct(), attempts);
  });
  if (lookup.outcome === 'created')
    return {
      payment: lookup.payment,
      created: isCreated(ageOf(lookup.payment), isConflict),
      recovered: true,
      attempts,
    };
  const details = { attempts, cause: error, paymentId: reportedPaymentId(error), listError: lookup.error };
  throw unknownOutcome(call, correct(), details, lookBack);
}

/** The result of a POST: the payment, or the error that describes its outcome. */
interface Posted {
  readonly attempts: readonly Attempt[];
  readonly payment?: CreatedPayment;
  readonly error?: unknown;
}

async function post({ workflow, prepared, options, deadline }: CreateOnceCall): Promise<Posted> {
  try {
    const call = deadline.limit(deadline.remaining * sendingShare);
    const mode = { validation: 'observe', areOptionsChecked: true, call } as const;
    const { data, metadata } = await workflow.sender.sendPrepared(prepared, options, mode);
    const { attempts } = metadata;
    const issues = unreadableFields(data);
    if (issues.length === 0) return { payment: data, attempts };
    // The drift was reported already. The list may identify a payment that its response does not.
    const message = ' succeeded, but the response does not identify the payment';
    const body = workflow.sender.redactBody(data);
    return { error: unusableResponse('payments.create', message, issues, metadata, body), attempts };
  } catch (error) {
    return { error, attempts: error instanceof CorridorError ? error.attempts : [] };
  }
}

async function confirmCreated(
  call: CreateOnceCall,
  intent: PaymentCreateIntent,
  payment: CreatedPayment,
  attempts: readonly Attempt[],
  age: PaymentAge,
): Promise<CreateOnceResult> {
  // The platform may return the payment that already uses the quote, whatever was requested. A new payment is ours,
  // whatever its reference.
  const differing = mismatches(intent, payment).filter((field) => field !== 'internalReference' || !age.isNew);
  if (differing.length > 0)
    throw new PaymentMismatchError(intent, payment, differing, { outcome: 'applied', attempts });
  const { workflow, deadline } = call;
  reportChangedValues(workflow, intent.request, payment);
  await resolveEntry(workflow, intent, { outcome: 'created', paymentId: payment.id }, deadline);
  return { payment, created: isCreated(age, false), recovered: false, attempts };
}

/** Reports the fields in which the response to a creation differs in form only from the request. */
export function reportChangedValues(
  workflow: WorkflowContext,
  request: PaymentCreateIntent['request'],
  payment: CreatedPayment,
): void {
  reportChanges(workflow, 'payments.create', changedValues(request, Object(payment) as CreatedPayment));
}

/** Reports fields of a payment that differ from the request. */
export function reportChanges(
  { options: { onDrift } }: WorkflowContext,
  endpoint: Drift['endpoint'],
  paths: readonly string[],
): void {
  for (const path of paths) ignoreErrors(() => onDrift?.({ endpoint, path, kind: 'changed-value' }));
}

/** How long before this call a payment was created, in milliseconds; NaN if it is unknown. */
interface PaymentAge {
  /** By the platform's clock and by the machine's clock, whichever is less. */
  readonly byBoth: number;
  /**
   * By whichever of them is more; infinite if the platform's clock shows that it cannot be the clock of `createdAt`.
   */
  readonly atMost: number;
  /** Whether no clock shows that the payment is older. */
  readonly isNew: boolean;
}

// If no response contained the platform's time, the machine's clock is compared with this tolerance.
const unknownOffset = 5 * 60_000;

/**
 * Records the current time, with which payments are compared later. The platform's clock is read later, because
 * responses correct it.
 */
function measureAges(workflow: WorkflowContext): (payment: PaymentResult) => PaymentAge {
  const [startedAt, platformStart] = [workflow.timing.now(), workflow.clock.presentTime()];
  return ({ createdAt }) => {
    const latest = latestTimeOf(createdAt);
    const byMachine = startedAt - latest;
    if (!workflow.clock.isKnown) return { byBoth: Number.NaN, atMost: Number.NaN, isNew: !(byMachine > unknownOffset) };
    const byPlatform = platformStart() - latest;
    const byBoth = Math.min(byPlatform, byMachine);
    const isFromFuture = latest - workflow.clock.now() > clockResolution;
    const atMost = isFromFuture ? Number.POSITIVE_INFINITY : Math.max(byPlatform, byMachine);
    return { byBoth, atMost, isNew: !(byBoth > clockResolution) };
  };
}

/**
 * Reports whether this call created a payment. After a conflict, another call most likely did, so the payment must be
 * new. Otherwise this call did, unless the payment is older than the clocks of the `Date` header and of `createdAt` can
 * differ.
 */
function isCreated({ byBoth, atMost }: PaymentAge, isConflict: boolean): boolean {
  return isConflict ? atMost <= clockResolution : !(byBoth > platformClockSpread);
}

/** Reports whether a request was not sent or was rejected. */
export function isDefiniteFailure(error: unknown): boolean {
  return error instanceof CorridorError && (error.outcome === 'not-sent' || error.outcome === 'rejected');
}

/** Returns the payment's id from an otherwise unusable response. */
function reportedPaymentId(error: unknown): string | undefined {
  if (!(error instanceof InvalidResponseError)) return undefined;
  const { id } = Object(error.body) as { readonly id?: unknown };
  return isNonEmptyString(id) ? id : undefined;
}
