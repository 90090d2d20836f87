import { functionOf, numberFrom } from '../../contract/option-schemas.js';
import { assertOptions, maxTimerDelay } from '../../transport/request-options.js';
import { claim, release } from './claim.js';
import { isFromFuture } from './evidence.js';
import { idempotencyKey, parseIntent } from './intent.js';
import { CreateOnceCall, UnsentIntents, type CreateOnceOptions, type CreateOnceResult } from './call.js';
import { assertDefined, defineOptions, type WorkflowContext } from '../context.js';
import { isDefiniteFailure, reportChanges, sendOnce } from './send.js';
import { differingFields, mismatches } from './compare.js';
import type { Issue } from '../../contract/issue.js';
import {
  ConfigurationError,
  noteIntent,
  CorridorError,
  type ErrorCode,
  InvalidRequestError,
} from '../../errors/api.js';
import type { PaymentCreateIntent, PaymentResult } from '../../contract/intent.js';
import { hasOptions } from '../../transport/call.js';
import type { CallStoppedError, Deadline } from '../../transport/deadline.js';
import { errorOfSearch, isOfOtherPlatform, unknownOutcome } from './reconcile.js';
import type { CreatedPayment } from '../../contract/schema/payments.js';
import type { PreparedRequest } from '../../transport/request.js';
import { claimedNames, listedFrom, type JournalEntry } from '../../journal/journal.js';
import { ProcessJournal } from '../../journal/process.js';
import { nextDelay, findByIntent } from './search.js';

const optionsSchema = defineOptions<CreateOnceOptions>(
  "must be an object, such as { idempotencyKey: 'order-4711' }",
  () => ({
    idempotencyKey: idempotencyKey(),
    onIntent: functionOf(),
    consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
  }),
);

const endpoint = 'payments.create';

/** A payment that is being created, which other calls can join. */
interface InFlight {
  readonly call: CreateOnceCall;
  readonly result: Promise<CreateOnceResult>;
}

/** The payments that a client is creating, by key and by quote: a second call for one of them joins the first one. */
export class InFlightPayments {
  readonly #inFlight = new Map<string, InFlight>();
  readonly #unsent = new UnsentIntents();
  /** The request that learns the platform's time, if one is on its way. */
  #learning: Promise<unknown> | undefined;

  /** Creates a payment from a validated request, or joins the call in flight for the same key or quote. */
  async createOnce(
    workflow: WorkflowContext,
    prepared: PreparedRequest<CreatedPayment>,
    options: CreateOnceOptions,
  ): Promise<CreateOnceResult> {
    assertCreateOnceOptions(workflow, options);
    const call = new CreateOnceCall(workflow, prepared, options, this.#unsent);
    const name = 'payments.createOnce';
    const create = (): Promise<CreateOnceResult> =>
      this.#createOrJoin(call).catch((error: unknown) => {
        // The failures of its requests are warnings, because the list can show the payment.
        if (error instanceof CorridorError)
          workflow.log('error', `${name}: ${error.code}, outcome ${error.outcome}, retryable ${error.retryable}`);
        throw error;
      });
    return workflow.tracer.trace(name, create, ({ created, recovered }) => ({ created, recovered }));
  }

  async #createOrJoin(call: CreateOnceCall): Promise<CreateOnceResult> {
    const names = claimedNames(call.createIntent());
    for (;;) {
      const first = names.map((name) => this.#inFlight.get(name)).find((other) => other !== undefined);
      if (first === undefined) return this.#begin(call, names);
      assertSameOrder(call, first.call.createIntent(), 'that this client is sending');
      const result = await awaitInFlight(call, first);
      if (result !== undefined) return { ...result, created: false };
    }
  }

  #begin(call: CreateOnceCall, names: readonly string[]): Promise<CreateOnceResult> {
    const sent = this.#learnTime(call).then(() => claimAndSend(call));
    const result = sent.finally(() => {
      for (const name of names) this.#inFlight.delete(name);
      call.resolveSending(undefined);
    });
    for (const name of names) this.#inFlight.set(name, { call, result });
    return result;
  }

  /**
   * Sends one small request if the platform's time is not known and the order is new to the client's journal: an entry
   * whose time no clock proves costs a search of the whole list, and only a person can release it. Whatever becomes of
   * the request, the payment is sent, over the connection that it has opened.
   */
  async #learnTime({ workflow, deadline, idempotencyKey: key, options }: CreateOnceCall): Promise<void> {
    const { sender, clock, journal } = workflow;
    if (key === undefined || journal instanceof ProcessJournal || !clock.isLearnable) return;
    const learn = async (): Promise<void> => {
      // Nothing is sent without a journal, or for an order that it has.
      if (journal.findByKey === undefined || ((await journal.findByKey(key)) ?? undefined) !== undefined) return;
      const limits = { totalTimeout: maxLearningTime, maxRetries: 0, signal: undefined };
      this.#learning ??= sender
        .send('payments.list', { query: { limit: 1 } }, { ...options, ...limits }, { validation: 'observe' })
        .finally(() => (this.#learning = undefined));
      await this.#learning;
    };
    const limit = Math.min(maxLearningTime, deadline.remaining / 10);
    await deadline
      .limit(limit)
      .waitBeforeSending(learn, 'learning the time')
      .catch(() => {});
  }
}

// How long a call waits at most to learn the platform's time, in milliseconds.
const maxLearningTime = 2_000;

function assertCreateOnceOptions({ journal }: WorkflowContext, options: CreateOnceOptions): void {
  if (hasOptions(options)) assertOptions(optionsSchema, options);
  assertDefined('payments.createOnce', options, ['idempotencyKey']);
  if (options.idempotencyKey !== undefined && journal.supportsIdempotencyKeys !== true)
    throw new ConfigurationError(
      'idempotencyKey requires a journal that claims keys, but the journal of this client has no ' +
        'supportsIdempotencyKeys: true. Pass a SqliteJournal or a PostgresJournal, or claim keys in ' +
        'your journal: see the contract of corridor-sdk/journal/testing',
    );
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
async function awaitInFlight(
  call: CreateOnceCall,
  { call: first, result }: InFlight,
): Promise<CreateOnceResult | undefined> {
  const { deadline, onIntent, request } = call;
  const settled = result.catch((error: unknown) => {
    if (first.isFailedByCaller || (error instanceof CorridorError && callerCausedCodes.has(error.code)))
      return undefined;
    // A quote that was rejected says nothing about another one.
    if (isDefiniteFailure(error) && first.request.paymentQuoteId !== request.paymentQuoteId) return undefined;
    throw error;
  });
  // The call can fail while this one still waits for its `onIntent`.
  settled.catch(() => {});
  const toError = (stop: CallStoppedError) => stoppedError(call, first.holder ?? olderIntent(first), stop);
  const intent = await deadline.race(first.sending, toError);
  const passOn = async (): Promise<void> => intent && onIntent?.(intent);
  await deadline.race(passOn(), toError);
  return deadline.race(settled, toError);
}

// Until the claim of the first call has ended, another process may hold the quote, for any time.
function olderIntent(first: CreateOnceCall): PaymentCreateIntent {
  return { ...first.createIntent(), clockKnown: false };
}

// This call sent nothing, but the call that it joined may have.
function stoppedError(call: CreateOnceCall, intent: PaymentCreateIntent, stop: CallStoppedError): CorridorError {
  const during = 'waiting for the call in flight for the same payment (it is unknown whether the payment was created)';
  const error = call.deadline.error(stop, during, { outcome: 'unknown' });
  if (stop.kind !== 'aborted') return unknownOutcome(call, intent, { cause: error, listChecked: 'none' });
  noteIntent(error, intent);
  return error;
}

// How long a call waits at most for a payment that another process is creating, and then for a list or a journal that
// does not respond, in milliseconds.
const maxWait = 5_000;

/**
 * Claims the key and the quote of a request, sends it once, and determines the outcome. docs/exactly-once.md has the
 * states.
 */
async function claimAndSend(call: CreateOnceCall): Promise<CreateOnceResult> {
  const intent = call.createIntent();
  const claimed = await claim(call, intent, call.deadline);
  return claimed === true ? sendClaimed(call, intent) : awaitEntry(call, claimed);
}

/**
 * Searches for the payment of an entry that another call, possibly of another process, has claimed, and sends only
 * after the journal reports that it was not created.
 */
async function awaitEntry(call: CreateOnceCall, claimed: JournalEntry): Promise<CreateOnceResult> {
  const { deadline } = call;
  const waiting = deadline.limit(Math.min(2 * maxWait, deadline.remaining));
  const waitTime = Math.min(maxWait, deadline.remaining / 2);
  const limit = (): Deadline => waiting.limit(Math.max(1, Math.min(waitTime, waiting.remaining)));
  let entry = claimed;
  for (let delay = nextDelay(); ; delay = nextDelay(delay)) {
    const first = readEntry(call, entry);
    try {
      const payment = await findFirst(call, first, limit, () => waiting.elapsed >= waitTime);
      if (payment !== undefined) return { payment, created: false, recovered: true, attempts: [] };
      await deadline.sleep(Math.min(delay, waitTime - waiting.elapsed));
    } catch (error) {
      throw errorOfSearch(call, error, first.intent);
    }
    const intent = call.createIntent();
    const before = entry;
    // A journal that fails or hangs now changes nothing.
    const found = await claim(call, intent, limit()).catch(() => before);
    if (found === true) return sendClaimed(call, intent);
    entry = found;
  }
}

/** The intent of another call that has claimed the same order, and the id of its payment, if it is known. */
interface FirstIntent {
  readonly intent: PaymentCreateIntent;
  readonly paymentId: string | undefined;
}

/** Returns the intent of an entry. If it is damaged, only a person knows whether its payment exists. */
function readEntry(call: CreateOnceCall, { intent: stored, resolution }: JournalEntry): FirstIntent {
  const paymentId = resolution?.outcome === 'created' ? resolution.paymentId : undefined;
  try {
    call.holder = parseIntent(stored);
  } catch (cause) {
    const advice =
      `Waiting changes nothing: ${(cause as Error).message}. A person must ask the platform ` +
      'whether it has the payment; payments.releaseIntent releases the entry';
    const damaged = { ...stored, request: Object(stored.request) as PaymentCreateIntent['request'] };
    throw unknownOutcome(call, damaged, { cause, paymentId, listChecked: 'none', retryAfterMs: undefined, advice });
  }
  assertSamePlatform(call, call.holder);
  assertSameOrder(call, call.holder, 'in the journal');
  return { intent: call.holder, paymentId };
}

/**
 * Searches for the payment of another call. Throws if it was not found although it would be listed by now, or if the
 * time to wait for it has passed.
 */
async function findFirst(
  call: CreateOnceCall,
  { intent, paymentId }: FirstIntent,
  limit: () => Deadline,
  hasWaited: () => boolean,
): Promise<PaymentResult | undefined> {
  const { workflow, deadline, consistencyWindow, options } = call;
  const { clock } = workflow;
  // Waiting for a time that a wrong clock stored changes nothing.
  const isSettled = (): boolean => isFromFuture(intent, clock) || listedFrom(intent, consistencyWindow) <= clock.now();
  const wasSettled = isSettled();
  // A payment that exists, whose time no clock proves, can be anywhere in the list.
  const isComplete = wasSettled || (paymentId !== undefined && intent.clockKnown !== true);
  const search = { intent: () => intent, window: () => 0, isComplete, paymentId, options };
  const lookup = await findByIntent(workflow, { ...search, deadline: wasSettled ? deadline : limit() });
  if (lookup.outcome === 'created') {
    reportChanges(workflow, 'payments.list', mismatches(intent, lookup.payment));
    return lookup.payment;
  }
  // The responses may show that the machine's clock was wrong.
  if (!(wasSettled && isSettled()) && !hasWaited()) return undefined;
  const { error } = lookup;
  const listChecked = isComplete ? 'all' : 'part';
  throw unknownOutcome(call, intent, { cause: error, listError: error, listChecked, paymentId });
}

async function sendClaimed(call: CreateOnceCall, intent: PaymentCreateIntent): Promise<CreateOnceResult> {
  const { onIntent, deadline } = call;
  call.holder = intent;
  call.resolveSending(intent);
  try {
    if (onIntent !== undefined) await deadline.waitBeforeSending(async () => onIntent(intent), 'waiting for onIntent');
  } catch (error) {
    call.isFailedByCaller = true;
    await release(call, intent, deadline);
    throw error;
  }
  return sendOnce(call, intent);
}

// The list of this platform proves nothing about a payment of another one.
function assertSamePlatform({ workflow }: CreateOnceCall, intent: PaymentCreateIntent): void {
  if (isOfOtherPlatform(workflow, intent))
    throw new ConfigurationError(
      `payments.createOnce: the journal has this order as a payment at ${intent.platform}, and this client uses ` +
        `${workflow.options.baseUrl}. Use one journal for each platform`,
      { endpoint },
    );
}

/** Throws an InvalidRequestError unless a call is for the payment of an intent: of its key, or of its quote. */
function assertSameOrder(
  { request, idempotencyKey: key }: CreateOnceCall,
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
