import { functionOf, numberFrom } from '../../contract/options.js';
import { assertOptions, maxTimerDelay, type RequestOptions } from '../../transport/request-options.js';
import { claim, release } from './claim.js';
import { createIntent, idempotencyKey, parseIntent } from './intent.js';
import type { CreateOnceResult, CreateOnceContext } from './context.js';
import { defineOptions, type WorkflowContext } from '../context.js';
import { isDefiniteFailure, sendOnce } from './send.js';
import { differingFields, paymentOf } from './compare.js';
import type { Issue } from '../../contract/issue.js';
import {
  ConfigurationError,
  noteIntent,
  CorridorError,
  type ErrorCode,
  InvalidRequestError,
} from '../../errors/api.js';
import { type PaymentCreateIntent } from '../../contract/intent.js';
import { hasOptions } from '../../transport/call.js';
import { CallStoppedError, Deadline } from '../../transport/deadline.js';
import { errorOfSearch, unknownOutcome } from './reconcile.js';
import type { CreatedPayment } from '../../contract/schema/payments.js';
import type { PreparedRequest } from '../../transport/request.js';
import { defaultConsistencyWindow, heldBy, listedFrom } from '../../journal/journal.js';
import { nextDelay, findByIntent } from './search.js';

/** The options of `payments.createOnce`. */
export interface CreateOnceOptions extends RequestOptions {
  /**
   * The key of the order, 1 to 255 characters, such as its id; it is stored as it is and never sent. Within the
   * journal, a key creates at most one payment, whatever quotes it is tried with: later calls return that payment.
   * Another quote is sent only after the platform rejected the previous one, or after `payments.releaseIntent`. Amount,
   * currency, customer and beneficiary must stay the same.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Stores the intent, which is frozen, before anything is sent. It is awaited; if it throws, nothing is sent and
   * `createOnce` throws the same error. If this call joins a call in flight, it receives the intent that that call
   * sends, and an error ends only this call. It is not called if nothing is sent, because another process or an earlier
   * call has sent the payment.
   */
  readonly onIntent?: ((intent: PaymentCreateIntent) => void | Promise<void>) | undefined;
  /**
   * How long a payment may take to appear in the list after its creation got no conclusive response, in milliseconds.
   * It is part of `totalTimeout`, whose last third is reserved for the last search.
   * @default the client's, or else 10_000
   */
  readonly consistencyWindow?: number | undefined;
}

const optionsSchema = defineOptions<CreateOnceOptions>(
  "must be an object, such as { idempotencyKey: 'order-4711' }",
  () => ({
    idempotencyKey: idempotencyKey(),
    onIntent: functionOf(),
    consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
  }),
);

const endpoint = 'payments.create';

type OnSending = (intent: PaymentCreateIntent | undefined) => void;

/** A call that creates a payment. */
interface CreatingCall extends CreateOnceContext {
  /** Resolves to the intent that this call sends, before it is sent; to undefined if the call ends before. */
  readonly sending: { readonly promise: Promise<PaymentCreateIntent | undefined>; readonly resolve: OnSending };
  /** The intent that holds the quote or the key, of this or of another process, when it is known. */
  holder: PaymentCreateIntent | undefined;
  /** Whether the `onIntent` that was passed to this call failed. */
  isFailedByCaller: boolean;
}

/** A payment that is being created, which other calls can join. */
interface InFlight extends CreatingCall {
  readonly result: Promise<CreateOnceResult>;
}

/** The payments that a client is creating, by key and by quote: a second call for one of them joins the first one. */
export class InFlightPayments {
  readonly #inFlight = new Map<string, InFlight>();
  readonly #unsent = new Set<string>();
  readonly #unreleased = new Map<string, PaymentCreateIntent>();

  /** Creates a payment from a validated request, or joins the call in flight for the same key or quote. */
  async createOnce(
    workflow: WorkflowContext,
    prepared: PreparedRequest<CreatedPayment>,
    createOnceOptions: CreateOnceOptions,
  ): Promise<CreateOnceResult> {
    if (hasOptions(createOnceOptions)) assertOptions(optionsSchema, createOnceOptions);
    const {
      idempotencyKey: key,
      onIntent,
      consistencyWindow = workflow.options.consistencyWindow ?? defaultConsistencyWindow,
      totalTimeout = workflow.options.totalTimeout,
      ...options
    } = createOnceOptions;
    if (key !== undefined && workflow.journal.supportsIdempotencyKeys !== true)
      throw new ConfigurationError(
        'idempotencyKey requires a journal that claims keys, but the journal of this client has no ' +
          'supportsIdempotencyKeys: true. Pass a SqliteJournal or a PostgresJournal, or claim keys in ' +
          'your journal: see the contract of corridor-sdk/journal/testing',
      );
    const deadline = new Deadline(workflow.timing, { endpoint, totalTimeout, signal: options.signal });
    const startedAt = workflow.timing.now();
    const sendingTime = (): number => totalTimeout - Math.max(deadline.elapsed, workflow.timing.now() - startedAt);
    const beforeSend = (): void => {
      if (sendingTime() <= 0) throw new CallStoppedError('total-timeout');
    };
    const context: CreateOnceContext = {
      workflow,
      prepared: { ...prepared, beforeSend },
      request: paymentOf(prepared),
      idempotencyKey: key,
      // The request may be sent long after the call.
      options: { ...options, ...(options.headers && { headers: { ...options.headers } }) },
      consistencyWindow,
      onIntent,
      deadline,
      sendingTime,
      unsent: this.#unsent,
      unreleased: this.#unreleased,
    };
    return workflow.tracer.trace(
      'payments.createOnce',
      () => this.#createOrJoin(context),
      ({ created, recovered }) => ({ created, recovered }),
    );
  }

  async #createOrJoin(context: CreateOnceContext): Promise<CreateOnceResult> {
    for (;;) {
      const first = heldBy(intentOf(context))
        .map((name) => this.#inFlight.get(name))
        .find((call) => call !== undefined);
      if (first === undefined) return this.#begin(context);
      assertSameOrder(context, intentOf(first), 'that this client is sending');
      const result = await awaitInFlight(context, first);
      if (result !== undefined) return { ...result, created: false };
    }
  }

  #begin(context: CreateOnceContext): Promise<CreateOnceResult> {
    const names = heldBy(intentOf(context));
    let resolve: OnSending = () => {};
    const promise = new Promise<PaymentCreateIntent | undefined>((onSending) => (resolve = onSending));
    const call: CreatingCall = {
      ...context,
      sending: { promise, resolve },
      holder: undefined,
      isFailedByCaller: false,
    };
    const result = claimAndSend(call).finally(() => {
      for (const name of names) this.#inFlight.delete(name);
      resolve(undefined);
    });
    for (const name of names) this.#inFlight.set(name, Object.assign(call, { result }));
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
  const { deadline, onIntent } = context;
  const settled = first.result.catch((error: unknown) => {
    if (first.isFailedByCaller || (error instanceof CorridorError && callerCausedCodes.has(error.code)))
      return undefined;
    // A quote that was rejected says nothing about another one.
    if (isDefiniteFailure(error) && first.request.paymentQuoteId !== context.request.paymentQuoteId) return undefined;
    throw error;
  });
  // The call can fail while this one still waits for its `onIntent`.
  settled.catch(() => {});
  const toError = (stop: CallStoppedError) => stoppedError(context, first.holder ?? olderIntent(first), stop);
  const intent = await deadline.race(first.sending.promise, toError);
  const passOn = async (): Promise<void> => intent && onIntent?.(intent);
  await deadline.race(passOn(), toError);
  return deadline.race(settled, toError);
}

function intentOf({ request, workflow, sendingTime, ...details }: CreateOnceContext): PaymentCreateIntent {
  return createIntent(request, workflow, { ...details, sendingTime: sendingTime() });
}

// Until the claim of the first call has ended, another process may hold the quote, for any time.
function olderIntent(first: CreateOnceContext): PaymentCreateIntent {
  return { ...intentOf(first), clockKnown: false };
}

// This call sent nothing, but the call that it joined may have.
function stoppedError(context: CreateOnceContext, intent: PaymentCreateIntent, stop: CallStoppedError): CorridorError {
  const during = 'waiting for the call in flight for the same payment (it is unknown whether the payment was created)';
  const error = context.deadline.error(stop, during, { outcome: 'unknown' });
  if (stop.kind !== 'aborted') return unknownOutcome(context, intent, { cause: error, listChecked: 'none' });
  noteIntent(error, intent);
  return error;
}

// How long a call waits at most for a payment that another process is creating, and then for a list or a journal that
// does not respond, in milliseconds.
const maxWait = 5_000;

/**
 * Claims the key and the quote of a request, sends it once, and determines the outcome. If another call, possibly of
 * another process, holds them, searches for its payment, and sends only after the journal reports that it was not
 * created. docs/exactly-once.md has the states.
 */
async function claimAndSend(call: CreatingCall): Promise<CreateOnceResult> {
  const { workflow, deadline, consistencyWindow, options } = call;
  let intent = intentOf(call);
  let claimed = await claim(call, intent, deadline);
  const waiting = deadline.limit(Math.min(2 * maxWait, deadline.remaining));
  const waitTime = Math.min(maxWait, deadline.remaining / 2);
  const limit = (): Deadline => waiting.limit(Math.max(1, Math.min(waitTime, waiting.remaining)));
  for (let delay = nextDelay(); claimed !== true; delay = nextDelay(delay)) {
    const entry = claimed;
    const paymentId = entry.resolution?.outcome === 'created' ? entry.resolution.paymentId : undefined;
    const first = readIntent(call, entry.intent, paymentId);
    call.holder = first;
    assertSameOrder(call, first, 'in the journal');
    const isSettled = (): boolean => listedFrom(first, consistencyWindow) <= workflow.clock.now();
    const wasSettled = isSettled();
    // A payment that exists, whose time no clock proves, can be anywhere in the list.
    const isComplete = wasSettled || (paymentId !== undefined && first.clockKnown !== true);
    const search = { intent: () => first, window: () => 0, isComplete, paymentId, options };
    try {
      const lookup = await findByIntent(workflow, { ...search, deadline: wasSettled ? deadline : limit() });
      if (lookup.outcome === 'created')
        return { payment: lookup.payment, created: false, recovered: true, attempts: [] };
      // The responses may show that the machine's clock was wrong.
      if ((wasSettled && isSettled()) || waiting.elapsed >= waitTime) {
        const { error } = lookup;
        const listChecked = isComplete ? 'all' : 'part';
        throw unknownOutcome(call, first, { cause: error, listError: error, listChecked, paymentId });
      }
      await deadline.sleep(Math.min(delay, waitTime - waiting.elapsed));
    } catch (error) {
      throw errorOfSearch(call, error, first);
    }
    intent = intentOf(call);
    // A journal that fails or hangs now changes nothing.
    claimed = await claim(call, intent, limit()).catch(() => entry);
  }
  return sendClaimed(call, intent);
}

/** Returns the intent of an entry. If it is damaged, only a person knows whether its payment exists. */
function readIntent(call: CreatingCall, stored: PaymentCreateIntent, paymentId?: string): PaymentCreateIntent {
  try {
    return parseIntent(stored);
  } catch (cause) {
    const advice =
      `Waiting changes nothing: ${(cause as Error).message}. A person must ask the platform ` +
      'whether it has the payment; payments.releaseIntent releases the entry';
    const damaged = { ...stored, request: Object(stored.request) as PaymentCreateIntent['request'] };
    throw unknownOutcome(call, damaged, { cause, paymentId, listChecked: 'none', retryAfter: undefined, advice });
  }
}

async function sendClaimed(call: CreatingCall, intent: PaymentCreateIntent): Promise<CreateOnceResult> {
  const { onIntent, deadline } = call;
  call.holder = intent;
  call.sending.resolve(intent);
  try {
    if (onIntent !== undefined) await deadline.waitBeforeSending(async () => onIntent(intent), 'waiting for onIntent');
  } catch (error) {
    call.isFailedByCaller = true;
    await release(call, intent, deadline);
    throw error;
  }
  return sendOnce(call, intent);
}

/** Throws an InvalidRequestError unless a call is for the payment of an intent: of its key, or of its quote. */
function assertSameOrder(
  { request, idempotencyKey: key }: CreateOnceContext,
  first: PaymentCreateIntent,
  where: string,
): void {
  if (first.idempotencyKey !== key)
    throw invalid([
      {
        path: 'idempotencyKey',
        message:
          'must be the key with which its quote was used first, by a ' +
          `payment ${where} ${first.idempotencyKey === undefined ? 'without a key' : 'with another key'}. Pass ` +
          'the same key, or a new quote for another order',
      },
    ]);
  if (key === undefined) {
    if (!sameRequest(first.request, request)) throw quoteInUse(where);
    return;
  }
  const fields = differingFields(first.request, request);
  if (fields.length > 0)
    throw invalid(
      fields.map((path) => ({
        path,
        message:
          `differs from the payment ${where} with the same idempotencyKey. Pass ` +
          'the original value, or another key for another order',
      })),
    );
}

const invalid = (issues: readonly Issue[]): InvalidRequestError => new InvalidRequestError(endpoint, issues);

/** Creates the error about a quote that belongs to another request. */
function quoteInUse(where: string): InvalidRequestError {
  const message =
    `is the quote of a different payment request ${where}. If this is the same order, pass the original ` +
    'request, or reconcile it: a new quote could pay it twice. Pass a new quote only for another order';
  return invalid([{ path: 'paymentQuoteId', message }]);
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
