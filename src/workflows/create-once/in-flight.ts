import { noteIntent } from '../../errors/base.js';
import { AbortedError, CorridorError, TimeoutError, type ErrorCode } from '../../errors/api.js';
import { CallTimeouts, CallStoppedError, type StopReason } from '../../transport/timing/call-timeouts.js';
import { createOnce } from './index.js';
import type { PaymentCreateIntent } from '../../errors/payments.js';
import { createIntent } from './intent.js';
import type { ServerClock } from '../../transport/timing/server-clock.js';
import { quoteInUse, sameRequest } from './join.js';
import type { CreateOnceResult, CreateOnceContext } from './context.js';
import { unknownOutcome } from './send-once.js';

/** A payment that is being created, which other calls can join. */
interface InFlight {
  readonly call: CreateOnceContext;
  readonly request: PaymentCreateIntent['request'];
  /** Resolves to the intent that holds the quote, when that is known. */
  readonly existing: Promise<PaymentCreateIntent>;
  readonly result: Promise<CreateOnceResult>;
  /** Reports whether the `onIntent` of its own caller failed. */
  failedByCaller(): boolean;
}

/** The payments that a client is creating, by quote: a second call for a quote joins the first one. */
export class InFlightPayments {
  readonly #inFlight = new Map<string, InFlight>();

  /** Creates a payment from a validated request, or joins the call in flight for the same quote. */
  createOnce(context: CreateOnceContext, request: PaymentCreateIntent['request']): Promise<CreateOnceResult> {
    return context.workflow.tracer.trace(
      'payments.createOnce',
      () => this.#createOrJoin(context, request),
      ({ created, recovered }) => ({ created, recovered }),
    );
  }

  async #createOrJoin(context: CreateOnceContext, request: PaymentCreateIntent['request']): Promise<CreateOnceResult> {
    for (;;) {
      const first = this.#inFlight.get(request.paymentQuoteId);
      if (first === undefined) return this.#begin(context, request);
      if (!sameRequest(first.request, request)) throw quoteInUse('that this client is sending');
      const result = await awaitInFlight(context, first);
      if (result !== undefined) return { ...result, created: false };
    }
  }

  #begin(call: CreateOnceContext, request: PaymentCreateIntent['request']): Promise<CreateOnceResult> {
    const { onIntent } = call;
    let failed = false;
    const trackedOnIntent = async (intent: PaymentCreateIntent): Promise<void> => {
      try {
        await onIntent?.(intent);
      } catch (error) {
        failed = true;
        throw error;
      }
    };
    let onIntentKnown: (intent: PaymentCreateIntent) => void = () => {};
    const existing = new Promise<PaymentCreateIntent>((resolve) => (onIntentKnown = resolve));
    const key = request.paymentQuoteId;
    const result = createOnce({ ...call, onIntent: onIntent && trackedOnIntent }, request, (intent) =>
      onIntentKnown(intent),
    ).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, { call, request, existing, result, failedByCaller: () => failed });
    return result;
  }
}

// Errors that the caller of the first call caused and that do not concern other callers: a signal, a time limit, an
// option, a claim.
const callerCausedCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'aborted',
  'timeout',
  'configuration',
  'signing',
  'journal',
  'invalid-request',
]);

/**
 * Waits for the call in flight, within the limits of this call. Returns undefined if that call failed for reasons of
 * its caller, so that this one must try itself.
 */
async function awaitInFlight(context: CreateOnceContext, first: InFlight): Promise<CreateOnceResult | undefined> {
  const { timing, clock } = context.workflow;
  const timeouts = new CallTimeouts(timing, Math.max(1, context.remaining()), context.request.signal);
  let intent: PaymentCreateIntent | undefined;
  const settled = first.result.catch((error: unknown) => {
    if (
      first.failedByCaller() ||
      (error instanceof CorridorError && (callerCausedCodes.has(error.code) || hadLessTime(first.call, context, error)))
    )
      return undefined;
    throw error;
  });
  // The call can fail while this one still waits for its `onIntent`.
  settled.catch(() => {});
  try {
    intent = await timeouts.race(
      Promise.race([
        first.existing,
        first.result.then(
          () => undefined,
          () => undefined,
        ),
      ]),
    );
    if (intent !== undefined) await timeouts.race(passOn(context, intent));
    return await timeouts.race(settled);
  } catch (thrown) {
    throw thrown instanceof CallStoppedError
      ? stoppedError(context, intent ?? olderIntent(first.request, clock), thrown.reason)
      : thrown;
  } finally {
    timeouts.close();
  }
}

function hadLessTime(first: CreateOnceContext, context: CreateOnceContext, error: CorridorError): boolean {
  return (
    error.code === 'payment-outcome-unknown' &&
    (first.totalTimeout < context.totalTimeout || first.consistencyWindow < context.consistencyWindow)
  );
}

async function passOn({ onIntent }: CreateOnceContext, intent: PaymentCreateIntent): Promise<void> {
  await onIntent?.(intent);
}

// Until the claim of the first call has ended, another process may hold the quote, for any time.
function olderIntent(request: PaymentCreateIntent['request'], clock: ServerClock): PaymentCreateIntent {
  return { ...createIntent(request, clock), clockKnown: false };
}

// This call sent nothing, but the call that it joined may have.
function stoppedError(context: CreateOnceContext, intent: PaymentCreateIntent, stop: StopReason): CorridorError {
  const endpoint = 'payments.create';
  const during = 'waiting for the call in flight for the same quote (it is unknown whether the payment was created)';
  if (stop.kind !== 'aborted') {
    const cause = new TimeoutError(
      `${endpoint} exceeded its totalTimeout of ${context.totalTimeout} ms while ${during}`,
      { endpoint, outcome: 'unknown' },
    );
    return unknownOutcome(context, intent, { cause, listChecked: false });
  }
  const error = new AbortedError(`${endpoint} was aborted while ${during}`, {
    endpoint,
    outcome: 'unknown',
    cause: stop.reason,
  });
  noteIntent(error, intent);
  return error;
}
