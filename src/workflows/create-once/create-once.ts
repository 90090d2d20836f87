import { functionOf, numberFrom } from '../../contract/options.js';
import { enumOf } from '../../contract/schema/schema.js';
import { assertOptions, maxTimerDelay, type RequestOptions } from '../../transport/request-options.js';
import { claim, resolveEntry } from './claim.js';
import { createIntent, parseIntent, paymentOf } from './intent.js';
import { defaultConsistencyWindow, type CreateOnceResult, type CreateOnceContext } from './context.js';
import { defineOptions, type WorkflowContext } from '../context.js';
import { sendOnce } from './send.js';
import {
  noteIntent,
  CorridorError,
  type ErrorCode,
  InvalidRequestError,
  type PaymentCreateIntent,
} from '../../errors/api.js';
import { Deadline, type CallStoppedError } from '../../transport/deadline.js';
import type { ServerClock } from '../../transport/clock.js';
import { errorOfSearch, unknownOutcome } from './reconcile.js';
import type { CreatedPayment } from '../../contract/schema/payments.js';
import type { PreparedRequest } from '../../transport/build-request.js';
import type { JournalEntry } from '../../journal/journal.js';
import { nextDelay, findByIntent } from './search.js';

/** The options of `payments.createOnce`. */
export interface CreateOnceOptions extends RequestOptions {
  /**
   * Stores the intent, which is frozen, before anything is sent. It is awaited; if it throws, nothing is sent and
   * `createOnce` throws the same error. If this call joins a call in flight, it receives the intent of that call, and
   * an error ends only this call. @default undefined
   */
  readonly onIntent?: ((intent: PaymentCreateIntent) => void | Promise<void>) | undefined;
  /**
   * How long a payment may take to appear in the list after its creation got no conclusive response, in milliseconds.
   * It is part of `totalTimeout`, whose last third is reserved for the last search.
   * @default the client's, or else 10_000
   */
  readonly consistencyWindow?: number | undefined;
  /**
   * `never`: searches for a payment whose outcome is unknown, and does not send it again. `after-consistency-window`:
   * when the consistency window has passed since the creation failed, and the complete list does not show the payment,
   * sends the same bytes again for the same quote. That is safe only if the platform accepts a quote once, or if the
   * window is longer than the platform ever takes to commit and list a payment: ask the platform. @default 'never'
   */
  readonly resend?: 'never' | 'after-consistency-window' | undefined;
}

const optionsSchema = defineOptions<CreateOnceOptions>("must be an object, such as { resend: 'never' }", () => ({
  onIntent: functionOf(),
  consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
  resend: enumOf(['never', 'after-consistency-window']),
}));

type OnIntentKnown = (intent: PaymentCreateIntent | undefined) => void;

/** A call that creates a payment. */
interface CreatingCall extends CreateOnceContext {
  /** Resolves to the intent that holds the quote, when that is known; to undefined if the call ends before. */
  readonly intent: { readonly promise: Promise<PaymentCreateIntent | undefined>; readonly resolve: OnIntentKnown };
  /** Whether the `onIntent` that was passed to this call failed. */
  isFailedByCaller: boolean;
}

/** A payment that is being created, which other calls can join. */
interface InFlight extends CreatingCall {
  readonly result: Promise<CreateOnceResult>;
}

/** The payments that a client is creating, by quote: a second call for a quote joins the first one. */
export class InFlightPayments {
  readonly #inFlight = new Map<string, InFlight>();

  /** Creates a payment from a validated request, or joins the call in flight for the same quote. */
  async createOnce(
    workflow: WorkflowContext,
    prepared: PreparedRequest<CreatedPayment>,
    createOnceOptions: CreateOnceOptions,
  ): Promise<CreateOnceResult> {
    assertOptions(optionsSchema, createOnceOptions);
    const {
      onIntent,
      consistencyWindow = workflow.consistencyWindow ?? defaultConsistencyWindow,
      resend = 'never',
      totalTimeout = workflow.totalTimeout,
      ...options
    } = createOnceOptions;
    const context: CreateOnceContext = {
      workflow,
      prepared,
      request: paymentOf(prepared),
      // The request may be sent long after the call.
      options: { ...options, headers: { ...options.headers } },
      consistencyWindow,
      resend: resend !== 'never',
      onIntent,
      deadline: new Deadline(workflow.timing, { endpoint: 'payments.create', totalTimeout, signal: options.signal }),
    };
    return workflow.tracer.trace(
      'payments.createOnce',
      () => this.#createOrJoin(context),
      ({ created, recovered }) => ({ created, recovered }),
    );
  }

  async #createOrJoin(context: CreateOnceContext): Promise<CreateOnceResult> {
    const { request } = context;
    for (;;) {
      const first = this.#inFlight.get(request.paymentQuoteId);
      if (first === undefined) return this.#begin(context);
      if (!sameRequest(first.request, request)) throw quoteInUse('that this client is sending');
      const result = await awaitInFlight(context, first);
      if (result !== undefined) return { ...result, created: false };
    }
  }

  #begin(context: CreateOnceContext): Promise<CreateOnceResult> {
    const { paymentQuoteId } = context.request;
    let resolve: OnIntentKnown = () => {};
    const promise = new Promise<PaymentCreateIntent | undefined>((onKnown) => (resolve = onKnown));
    const call: CreatingCall = { ...context, intent: { promise, resolve }, isFailedByCaller: false };
    const result = claimAndSend(call).finally(() => {
      this.#inFlight.delete(paymentQuoteId);
      call.intent.resolve(undefined);
    });
    this.#inFlight.set(paymentQuoteId, Object.assign(call, { result }));
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
  const { deadline, workflow, onIntent } = context;
  const settled = first.result.catch((error: unknown) => {
    if (first.isFailedByCaller) return undefined;
    if (error instanceof CorridorError && (callerCausedCodes.has(error.code) || hadLessTime(first, context, error)))
      return undefined;
    throw error;
  });
  // The call can fail while this one still waits for its `onIntent`.
  settled.catch(() => {});
  const toError = (known?: PaymentCreateIntent) => (stop: CallStoppedError) =>
    stoppedError(context, known ?? olderIntent(first.request, workflow.clock), stop);
  const intent = await deadline.race(first.intent.promise, toError());
  const passOn = async (): Promise<void> => intent && onIntent?.(intent);
  await deadline.race(passOn(), toError(intent));
  return deadline.race(settled, toError(intent));
}

function hadLessTime(first: CreateOnceContext, context: CreateOnceContext, error: CorridorError): boolean {
  return (
    error.code === 'payment-outcome-unknown' &&
    (first.deadline.totalTimeout < context.deadline.totalTimeout || first.consistencyWindow < context.consistencyWindow)
  );
}

// Until the claim of the first call has ended, another process may hold the quote, for any time.
function olderIntent(request: PaymentCreateIntent['request'], clock: ServerClock): PaymentCreateIntent {
  return { ...createIntent(request, clock), clockKnown: false };
}

// This call sent nothing, but the call that it joined may have.
function stoppedError(context: CreateOnceContext, intent: PaymentCreateIntent, stop: CallStoppedError): CorridorError {
  const during = 'waiting for the call in flight for the same quote (it is unknown whether the payment was created)';
  const error = context.deadline.error(stop, during, { outcome: 'unknown' });
  if (stop.kind !== 'aborted') return unknownOutcome(context, intent, { cause: error, listChecked: false });
  noteIntent(error, intent);
  return error;
}

/** Claims the quote of a validated request, sends the request once, and determines the outcome. */
async function claimAndSend(call: CreatingCall): Promise<CreateOnceResult> {
  const intent = createIntent(call.request, call.workflow.clock);
  const existing = await claim(call.workflow, intent, call.deadline);
  return existing === true ? sendClaimed(call, intent) : awaitOtherAttempt(call, existing);
}

async function sendClaimed(call: CreatingCall, intent: PaymentCreateIntent): Promise<CreateOnceResult> {
  const { workflow, onIntent, deadline } = call;
  call.intent.resolve(intent);
  try {
    if (onIntent !== undefined) await deadline.waitBeforeSending(async () => onIntent(intent), 'waiting for onIntent');
  } catch (error) {
    call.isFailedByCaller = true;
    await resolveEntry(workflow, intent, { outcome: 'not-created' }, deadline);
    throw error;
  }
  return sendOnce(call, intent);
}

// The first rounds read only the journal: the other process has most likely just started, and will resolve its entry.
const journalOnlyRounds = 2;

/**
 * Joins a payment that another process, or an earlier run of this one, has claimed. Searches for it as long as that
 * process may still be sending it, and sends it only after the journal reports that it was not created.
 */
async function awaitOtherAttempt(call: CreatingCall, existing: JournalEntry): Promise<CreateOnceResult> {
  const { workflow, request, deadline } = call;
  let entry = existing;
  for (let [round, delay] = [1, nextDelay()]; ; [round, delay] = [round + 1, nextDelay(delay)]) {
    const first = parseIntent(entry.intent);
    call.intent.resolve(first);
    if (!sameRequest(first.request, request)) throw quoteInUse('in the journal');
    try {
      const isLast = isExpired(call, first);
      if (isLast || entry.resolution !== undefined || round > journalOnlyRounds) {
        const result = await searchOnce(call, entry, first, isLast);
        if (result !== undefined) return result;
      }
      await deadline.sleep(delay);
    } catch (error) {
      throw errorOfSearch(call, error, first);
    }
    const intent = createIntent(request, workflow.clock);
    // A journal that hangs must not use up the time of the last search.
    const withoutReserve = deadline.limit(deadline.remaining - searchReserve(call));
    const next = await claim(workflow, intent, withoutReserve).catch(() => entry);
    if (next === true) return sendClaimed(call, intent);
    entry = next;
  }
}

async function searchOnce(
  context: CreateOnceContext,
  { resolution }: JournalEntry,
  first: PaymentCreateIntent,
  isLast: boolean,
): Promise<CreateOnceResult | undefined> {
  const { workflow, options, deadline } = context;
  const paymentId = resolution?.outcome === 'created' ? resolution.paymentId : undefined;
  const search = { intent: () => first, window: () => 0, isComplete: isLast, deadline, paymentId, options };
  const lookup = await findByIntent(workflow, search);
  if (lookup.outcome === 'created') return { payment: lookup.payment, created: false, recovered: true, attempts: [] };
  if (isLast) throw unknownOutcome(context, first, { cause: lookup.error, listError: lookup.error, paymentId });
  return undefined;
}

/** Creates the error about a quote that belongs to another request. */
function quoteInUse(where: string): InvalidRequestError {
  const message = `is the quote of a different payment request ${where}. If this is the same order, pass the original request, or reconcile it: a new quote could pay it twice. Pass a new quote only for another order`;
  return new InvalidRequestError('payments.create', [{ path: 'paymentQuoteId', message }]);
}

// The other process is assumed to have the same total timeout; after that and the consistency window, no payment is
// expected.
function isExpired(context: CreateOnceContext, first: PaymentCreateIntent): boolean {
  const { deadline, consistencyWindow } = context;
  return (
    context.workflow.clock.now() >= Date.parse(first.createdAt) + deadline.totalTimeout + consistencyWindow ||
    deadline.remaining <= searchReserve(context)
  );
}

function searchReserve({ deadline }: CreateOnceContext): number {
  return deadline.totalTimeout / 3;
}

/** Reports whether two requests are for the same payment. */
function sameRequest(one: object, other: object): boolean {
  const serialize = (request: object): string =>
    JSON.stringify(
      Object.entries<unknown>({ ...request })
        // A field that is null is the same as one that is absent.
        .filter(([, value]) => value !== null)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return serialize(one) === serialize(other);
}
