import { functionOf, numberFrom } from '../../contract/options.js';
import { enumOf } from '../../contract/schema/schema.js';
import { assertOptions, maxTimerDelay, validateHeaders, type RequestOptions } from '../../transport/request-options.js';
import { claim, resolveEntry } from './claim.js';
import type { PaymentCreateIntent } from '../../errors/payments.js';
import { createIntent, parseIntent } from './intent.js';
import type { CreateOnceResult, CreateOnceContext, CreateOnceDependencies } from './context.js';
import { defineOptions } from '../context.js';
import { sendOnce } from './send.js';
import { noteIntent, AbortedError, CorridorError, type ErrorCode, InvalidRequestError } from '../../errors/api.js';
import { Deadline, type CallStoppedError } from '../../transport/deadline.js';
import type { ServerClock } from '../../transport/clock.js';
import { abortedSearch, unknownOutcome } from './reconcile.js';
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
   * @default that of the client
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

const createOnceOptions = defineOptions<CreateOnceOptions>("must be an object, such as { resend: 'never' }", () => ({
  onIntent: functionOf(),
  consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
  resend: enumOf(['never', 'after-consistency-window']),
}));

/** Validates the options of a call and starts its total timeout. */
export function createOnceContext(dependencies: CreateOnceDependencies, options: CreateOnceOptions): CreateOnceContext {
  assertOptions(createOnceOptions, options);
  const {
    onIntent,
    consistencyWindow = dependencies.workflow.consistencyWindow,
    resend = 'never',
    ...requestOptions
  } = options;
  const { timing } = dependencies.workflow;
  const { totalTimeout = dependencies.workflow.totalTimeout, headers, ...request } = requestOptions;
  // A copy: the request may be sent long after the call.
  const sentHeaders = validateHeaders('payments.create', headers);
  return {
    ...dependencies,
    request: { ...request, headers: sentHeaders },
    consistencyWindow,
    resend: resend !== 'never',
    onIntent,
    deadline: new Deadline(timing, { endpoint: 'payments.create', totalTimeout, signal: request.signal }),
  };
}

/** A payment that is being created, which other calls can join. */
interface InFlight {
  readonly call: CreateOnceContext;
  readonly request: PaymentCreateIntent['request'];
  /** Resolves to the intent that holds the quote, when that is known. */
  readonly existing: Promise<PaymentCreateIntent>;
  readonly result: Promise<CreateOnceResult>;
  /** Reports whether the `onIntent` that was passed to this call failed. */
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
    const result = claimAndSend({ ...call, onIntent: onIntent && trackedOnIntent }, request, (intent) =>
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
  const { deadline, workflow } = context;
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
  const toError = (known?: PaymentCreateIntent) => (stop: CallStoppedError) =>
    stoppedError(context, known ?? olderIntent(first.request, workflow.clock), stop);
  const ended = first.result.then(
    () => undefined,
    () => undefined,
  );
  const intent = await deadline.race(Promise.race([first.existing, ended]), toError());
  if (intent !== undefined) await deadline.race(passOn(context, intent), toError(intent));
  return deadline.race(settled, toError(intent));
}

function hadLessTime(first: CreateOnceContext, context: CreateOnceContext, error: CorridorError): boolean {
  return (
    error.code === 'payment-outcome-unknown' &&
    (first.deadline.totalTimeout < context.deadline.totalTimeout || first.consistencyWindow < context.consistencyWindow)
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
function stoppedError(context: CreateOnceContext, intent: PaymentCreateIntent, stop: CallStoppedError): CorridorError {
  const during = 'waiting for the call in flight for the same quote (it is unknown whether the payment was created)';
  const error = context.deadline.error(stop, during, { outcome: 'unknown' });
  if (stop.kind !== 'aborted') return unknownOutcome(context, intent, { cause: error, listChecked: false });
  noteIntent(error, intent);
  return error;
}

/**
 * Claims the quote of a validated request, sends the request once, and determines the outcome. Calls `onIntentKnown`
 * with the intent that holds the quote: that of this call or that of the existing journal entry.
 */
async function claimAndSend(
  context: CreateOnceContext,
  request: PaymentCreateIntent['request'],
  onIntentKnown: (intent: PaymentCreateIntent) => void,
): Promise<CreateOnceResult> {
  const { clock } = context.workflow;
  const newIntent = (): PaymentCreateIntent => createIntent(request, clock);
  const send = async (intent: PaymentCreateIntent): Promise<CreateOnceResult> => {
    onIntentKnown(intent);
    await notifyIntent(context, intent);
    return sendOnce(context, intent);
  };
  const intent = newIntent();
  const existing = await claim(context, intent);
  if (existing === true) return send(intent);
  onIntentKnown(parseIntent(existing.intent));
  return awaitOtherAttempt(context, existing, { newIntent, send });
}

async function notifyIntent(context: CreateOnceContext, intent: PaymentCreateIntent): Promise<void> {
  const { onIntent, deadline } = context;
  if (onIntent === undefined) return;
  try {
    await deadline.waitBeforeSending(async () => onIntent(intent), 'waiting for onIntent');
  } catch (error) {
    await resolveEntry(context.workflow, intent, { outcome: 'not-created' }, deadline);
    throw error;
  }
}

// The first rounds read only the journal: the other process has most likely just started, and will resolve its entry.
const journalOnlyRounds = 2;

/** Creates and sends a new intent after the quote was released. */
interface TakeOver {
  newIntent(): PaymentCreateIntent;
  send(intent: PaymentCreateIntent): Promise<CreateOnceResult>;
}

/**
 * Joins a payment that another process, or an earlier run of this one, has claimed. Searches for it as long as that
 * process may still be sending it, and sends it only after the journal reports that it was not created.
 */
async function awaitOtherAttempt(
  context: CreateOnceContext,
  existing: JournalEntry,
  { newIntent, send }: TakeOver,
): Promise<CreateOnceResult> {
  const { deadline } = context;
  let entry = existing;
  for (let [round, delay] = [1, nextDelay()]; ; [round, delay] = [round + 1, nextDelay(delay)]) {
    const first = parseMatchingIntent(entry, newIntent());
    try {
      const isLast = isExpired(context, first);
      if (isLast || entry.resolution !== undefined || round > journalOnlyRounds) {
        const result = await searchOnce(context, entry, first, isLast);
        if (result !== undefined) return result;
      }
      await deadline.sleep(delay);
    } catch (error) {
      throw error instanceof AbortedError ? abortedSearch(context, error, first) : error;
    }
    const intent = newIntent();
    // A journal that hangs must not use up the time of the last search.
    const withoutReserve = deadline.limit(deadline.remaining - searchReserve(context));
    const next = await claim({ ...context, deadline: withoutReserve }, intent).catch(() => entry);
    if (next === true) return send(intent);
    entry = next;
  }
}

async function searchOnce(
  context: CreateOnceContext,
  { resolution }: JournalEntry,
  first: PaymentCreateIntent,
  isLast: boolean,
): Promise<CreateOnceResult | undefined> {
  const { workflow, list, request, deadline } = context;
  const paymentId = resolution?.outcome === 'created' ? resolution.paymentId : undefined;
  const lookup = await findByIntent(workflow, list, {
    intent: () => first,
    window: () => 0,
    isComplete: isLast,
    deadline,
    paymentId,
    request,
  });
  if (lookup.outcome === 'created') {
    await resolveEntry(workflow, first, { outcome: 'created', paymentId: lookup.payment.id }, deadline);
    return { payment: lookup.payment, created: false, recovered: true, attempts: [] };
  }
  if (isLast) throw unknownOutcome(context, first, { cause: lookup.error, listError: lookup.error, paymentId });
  return undefined;
}

function parseMatchingIntent(entry: JournalEntry, intent: PaymentCreateIntent): PaymentCreateIntent {
  const first = parseIntent(entry.intent);
  if (sameRequest(first.request, intent.request)) return first;
  throw quoteInUse('in the journal');
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
