import * as z from 'zod/mini';
import {
  noteIntent,
  AbortedError,
  ApiError,
  type Attempt,
  CorridorError,
  TimeoutError,
  ConfigurationError,
} from '../../errors/api.js';
import type { PaymentCreateIntent, ReconcileResult, MismatchedField, PaymentResult } from '../../contract/intent.js';
import { PaymentOutcomeUnknownError, resolveMismatch, type UnknownOutcomeDetails } from '../../errors/payments.js';
import type { CreateOnceCall } from './call.js';
import { custom, numberFrom } from '../../contract/option-schemas.js';
import {
  assertOptions,
  assertRequestOptions,
  maxTimerDelay,
  type RequestOptions,
} from '../../transport/request-options.js';
import { senderWithin } from '../../transport/call.js';
import { copyAndValidate } from '../../transport/request.js';
import { resolveEntry } from './claim.js';
import { assertDefined, defineOptions, type WorkflowContext } from '../context.js';
import { lookupListOf } from '../lookup.js';
import {
  findByIntent,
  type FindByIntentOptions,
  likelyStart,
  lookBackOf,
  provenStart,
  scanList,
  IntentMatches,
  searching,
} from './search.js';
import { JournalError, wrapJournalFailure } from '../../errors/journal.js';
import { Deadline } from '../../transport/deadline.js';
import { hasCustomer, RunAccount } from '../account.js';
import { isTransient } from '../backoff.js';
import { isFromFuture, isReleasable, releaseByPerson, unprovenTime } from './evidence.js';
import { idempotencyKey, parseIntent } from './intent.js';
import { defaultConsistencyWindow, listedFrom, longerWindow, releasableFrom } from '../../journal/journal.js';
import { isNonEmptyString, mismatches, quoteOf } from './compare.js';
import type { ListedPayment } from '../../contract/schema/payments.js';
import { memoize } from '../../contract/schema/schema.js';

/** The options of `payments.reconcile`. */
export interface ReconcileOptions extends RequestOptions {
  /**
   * How long after its intent was created a payment may take to appear in the list, in milliseconds; 0 searches once,
   * and otherwise that of the intent counts if it is longer. If the platform's time was or is unknown, it counts from
   * the start of the call.
   * @default the client's, or else 10_000
   */
  readonly consistencyWindow?: number | undefined;
}

const reconcileOptions = defineOptions<ReconcileOptions>('must be an object, such as { consistencyWindow: 0 }', () => ({
  consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
}));

/**
 * Searches for the payment of an intent until it appears or the consistency window has passed; once if it has passed
 * already. Throws if the total timeout ends first. If the payment exists, resolves the journal's entry. `extraLookBack`
 * extends the first search into the past, in milliseconds. The payment `otherPaymentId` is ignored.
 * Throws a ConfigurationError if the account does not have the customer of a payment that the list does not show, unless
 * `isAccountKnown`.
 */
export async function reconcile(
  context: WorkflowContext,
  intent: PaymentCreateIntent,
  options: ReconcileOptions,
  {
    extraLookBack,
    otherPaymentId,
    isAccountKnown = false,
  }: Pick<FindByIntentOptions, 'extraLookBack' | 'otherPaymentId'> & { readonly isAccountKnown?: boolean } = {},
): Promise<ReconcileResult> {
  assertOptions(reconcileOptions, options);
  const {
    consistencyWindow: own = context.options.consistencyWindow ?? defaultConsistencyWindow,
    totalTimeout = context.options.totalTimeout,
    ...request
  } = options;
  const consistencyWindow = own === 0 ? 0 : longerWindow(intent, own);
  const { timing, clock } = context;
  const deadline = new Deadline(timing, { endpoint: 'payments.reconcile', totalTimeout, signal: request.signal });
  // The window started when the intent was created. If a clock is unknown, it may have started just now.
  const window = (): number => {
    if (unprovenTime(intent, clock) !== undefined) return consistencyWindow;
    const now = clock.now() - deadline.elapsed;
    return Math.max(0, Math.min(Date.parse(intent.createdAt) + consistencyWindow - now, consistencyWindow));
  };
  const lookup = await findByIntent(context, {
    intent: () => intent,
    window,
    deadline,
    extraLookBack,
    otherPaymentId,
    options: request,
  });
  if (lookup.outcome === 'created') return { status: 'created', payment: lookup.payment };
  if (lookup.error !== undefined) throw lookup.error;
  if (!lookup.hasPassed)
    throw new TimeoutError(
      `payments.reconcile: the payment is not in the list, but the totalTimeout of ${totalTimeout} ms ends ` +
        `before the consistency window of ${consistencyWindow} ms. Pass a longer totalTimeout, or reconcile later`,
      { endpoint: 'payments.reconcile', outcome: 'unknown' },
    );
  const other = isAccountKnown ? undefined : await findOtherAccount(context, intent, deadline, request);
  if (other === undefined) return { status: 'not-found' };
  const name = 'payments.reconcile';
  throw new ConfigurationError(`${name}: the list does not show the payment, which proves nothing. ${other}`, {
    endpoint: name,
  });
}

/** The key of an order, to ask for its payment without the order. */
export interface OrderKey {
  /** The key that `createOnce` was called with. */
  readonly idempotencyKey: string;
}

/** What became of an order. */
export type ReconciledOrder =
  | ReconciledIntent
  /** No entry of the journal holds the key: it was never used, or nothing was sent, rejected or released. */
  | { readonly status: 'unclaimed'; readonly advice: string };

const orderKey = memoize(() => z.strictObject({ idempotencyKey: idempotencyKey() }));

/** Searches for the payment of an order by its key, and resolves the journal's entry if the list shows it. */
export async function reconcileOrder(
  workflow: WorkflowContext,
  order: OrderKey,
  options: RequestOptions,
): Promise<ReconciledOrder> {
  const name = 'payments.reconcile';
  const { idempotencyKey: key } = copyAndValidate(name, orderKey(), order, 'reject');
  assertRequestOptions(options);
  const { journal, timing } = workflow;
  if (journal.supportsIdempotencyKeys !== true || journal.findByKey === undefined)
    throw new ConfigurationError(`${name}: the journal of this client has no findByKey(). Add it to your journal`, {
      endpoint: name,
    });
  const { totalTimeout = workflow.options.totalTimeout, ...request } = options;
  const deadline = new Deadline(timing, { endpoint: name, totalTimeout, signal: request.signal });
  const find = () => useJournal(name, async () => journal.findByKey?.(key));
  const found = (await deadline.waitBeforeSending(find, 'waiting for the journal')) ?? undefined;
  if (found === undefined || found.resolution?.outcome === 'not-created') {
    const advice = `No entry of the journal holds the key ${key}, so that createOnce would send a payment for it`;
    return { status: 'unclaimed', advice };
  }
  const { intent, resolution } = found;
  const limited = { ...request, totalTimeout: Math.max(1, Math.ceil(deadline.remaining)), intents: [intent] };
  const [result] = await reconcilePending(workflow, limited, resolution?.paymentId);
  return result as ReconciledIntent;
}

/** Calls the journal. Throws a `JournalError` if it fails. */
export async function useJournal<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw wrapJournalFailure(error, call, call);
  }
}

// When to read a list again that could not be read, in milliseconds.
const listRetryAfter = 30_000;

/** Creates the error of a payment whose outcome could not be determined. */
export function unknownOutcome(
  { workflow, consistencyWindow, deadline, options: { signal: _signal, ...options } }: CreateOnceCall,
  intent: PaymentCreateIntent,
  details: UnknownOutcomeDetails,
  extraLookBack = 0,
): PaymentOutcomeUnknownError {
  const { cause, listError } = details;
  const totalTimeout = Math.max(deadline.totalTimeout, workflow.options.totalTimeout);
  const searchAgain = async () =>
    reconcile(
      workflow,
      parseIntent(intent),
      { ...options, consistencyWindow, totalTimeout },
      { extraLookBack, isAccountKnown: true },
    );
  const requestId = cause instanceof CorridorError ? cause.requestId : undefined;
  const { clock } = workflow;
  const settlesIn = isFromFuture(intent, clock) ? 0 : Math.ceil(listedFrom(intent, consistencyWindow) - clock.now());
  const next = settlesIn > 0 ? { retryAfterMs: settlesIn } : nextRead(listError, unprovenTime(intent, clock));
  return new PaymentOutcomeUnknownError(intent, searchAgain, { requestId, ...next, ...details });
}

/** Returns when to read a list again, or what must be done before; nothing if it could be read. */
function nextRead(
  listError: unknown,
  timeProblem: string | undefined,
): Pick<UnknownOutcomeDetails, 'retryAfterMs' | 'advice'> {
  if (listError === undefined)
    return timeProblem === undefined ? {} : { advice: `Waiting changes nothing: ${timeProblem}. ${releaseByPerson}` };
  if (isTransient(listError))
    return {
      retryAfterMs: listError instanceof ApiError ? (listError.retryAfterMs ?? listRetryAfter) : listRetryAfter,
    };
  const problem = listError instanceof CorridorError ? listError.message : 'it failed';
  return { advice: `Waiting changes nothing: fix why the list cannot be read (${problem}), and call createOnce again` };
}

/**
 * Returns the error of a search for a payment. If it was aborted, the outcome of the aborted request is not the outcome
 * of the payment.
 */
export function errorOfSearch(
  { deadline }: CreateOnceCall,
  error: unknown,
  intent: PaymentCreateIntent,
  attempts?: readonly Attempt[],
): unknown {
  if (!(error instanceof AbortedError)) return error;
  const aborted = deadline.error({ kind: 'aborted', cause: error.cause }, searching, { outcome: 'unknown', attempts });
  noteIntent(aborted, intent);
  return aborted;
}

/**
 * An intent and the result of searching for its payment. `advice` says what is known, what is safe, and what a person
 * must ask the platform.
 */
export type ReconciledIntent =
  | { readonly intent: PaymentCreateIntent; readonly status: 'created'; readonly payment: PaymentResult }
  | {
      readonly intent: PaymentCreateIntent;
      /** Its process may still send the payment, or the list may still show it. */
      readonly status: 'in-progress';
      /** From when on `releaseIntent` is allowed, by the platform's clock, as an ISO 8601 UTC string. */
      readonly releasableFrom: string;
      readonly advice: string;
    }
  | {
      readonly intent: PaymentCreateIntent;
      readonly status: 'not-found';
      readonly releasableFrom: string;
      readonly advice: string;
    }
  | {
      readonly intent: PaymentCreateIntent;
      /** It belongs to another platform or organization: this client cannot find out whether its payment exists. */
      readonly status: 'other-account';
      readonly advice: string;
    }
  | {
      readonly intent: PaymentCreateIntent;
      readonly status: 'mismatch';
      readonly payment: PaymentResult;
      readonly mismatches: readonly MismatchedField[];
      readonly advice: string;
    }
  | {
      readonly intent: PaymentCreateIntent;
      readonly status: 'duplicate';
      readonly payments: readonly PaymentResult[];
      readonly advice: string;
    }
  | {
      readonly intent: PaymentCreateIntent;
      /** What could be read does not decide it. */
      readonly status: 'unknown';
      /** Why the list or the intent could not be read; absent if both were read. */
      readonly error?: CorridorError | undefined;
      readonly advice: string;
    };

/** The options of `payments.reconcilePending`. */
export interface ReconcilePendingOptions extends RequestOptions {
  /** The intents to reconcile. @default the pending ones of the journal */
  readonly intents?: readonly PaymentCreateIntent[];
}

const reconcilePendingOptions = defineOptions<ReconcilePendingOptions>(
  'must be an object, such as { intents: [intent] }',
  () => ({
    intents: custom(Array.isArray, {
      rule: 'must be an array of intents',
      fix: 'Omit it to read the pending intents of the journal',
    }),
  }),
);

const endpoint = 'payments.reconcilePending';
// The rest of the time is for the customers of what was not found: one slow intent must not leave the others undecided.
const scanShare = 0.9;

/**
 * Searches for the payments of many intents in few passes over the list, and resolves the journal's entries of those
 * that exist. An intent that could not be read or searched for is `unknown`; the others keep what was found. The total
 * timeout covers the journal and the list together. `paymentId` is that of the only intent, if the journal has it.
 */
export async function reconcilePending(
  workflow: WorkflowContext,
  options: ReconcilePendingOptions,
  paymentId?: string,
): Promise<ReconciledIntent[]> {
  const { context } = new RunAccount(workflow, { endpoint });
  assertOptions(reconcilePendingOptions, options);
  assertDefined(endpoint, options, ['intents']);
  const { intents, totalTimeout = context.options.totalTimeout, ...request } = options;
  const deadline = new Deadline(context.timing, { endpoint, totalTimeout, signal: request.signal });
  const pending: readonly PaymentCreateIntent[] = intents ?? (await listPendingIntents(context, deadline));
  const searches = pending.map((intent) => parseSearch(intent, paymentId));
  const matches = searches.filter((search) => search instanceof IntentMatches);
  const advice = '; only the payments found by then were resolved. Pass a longer totalTimeout or fewer intents';
  const errors = await scanFor(context, matches, deadline.limit(deadline.remaining * scanShare), request, advice);
  const results = searches.map((search) =>
    search instanceof IntentMatches ? resultOf(search, context, errors.get(search) ?? search.unreadable) : search,
  );
  const resolve = (result: ReconciledIntent) =>
    result.status === 'created' &&
    resolveEntry(context, result.intent, { outcome: 'created', paymentId: result.payment.id }, deadline);
  await Promise.all(results.map(resolve));
  for (const error of errors.values()) throwIfCallers(error);
  const checked = new Map<string, Promise<string | undefined>>();
  return Promise.all(results.map((result) => separateAccount(context, result, checked, deadline, request)));
}

/** Throws an error that is not one of the platform or of the time limit. */
function throwIfCallers(error: unknown): asserts error is CorridorError {
  if (!(error instanceof CorridorError) || error instanceof AbortedError) throw error;
}

function parseSearch(intent: PaymentCreateIntent, paymentId: string | undefined): IntentMatches | ReconciledIntent {
  try {
    return new IntentMatches(parseIntent(intent), { paymentId });
  } catch (error) {
    // The getters of a foreign object can throw anything.
    const isDamaged = error instanceof ConfigurationError;
    const problem = isDamaged ? error : new ConfigurationError('an intent could not be read', { endpoint });
    const advice =
      `${problem.message}. A person must ask the platform whether it has the payment; ` +
      'payments.releaseIntent releases the entry';
    return { intent, status: 'unknown', error: problem, advice };
  }
}

/** Replaces the result of an intent of another account: that its list does not show the payment proves nothing. */
async function separateAccount(
  context: WorkflowContext,
  result: ReconciledIntent,
  checked: Map<string, Promise<string | undefined>>,
  deadline: Deadline,
  request: RequestOptions,
): Promise<ReconciledIntent> {
  const { intent, status } = result;
  const isForeign = isOfOtherPlatform(context, intent);
  const isUndecided = status === 'not-found' || (status === 'unknown' && result.error === undefined);
  if (!isUndecided && !(isForeign && (status === 'in-progress' || status === 'unknown'))) return result;
  const { customerId } = intent.request;
  const name = `${intent.platform} ${customerId}`;
  const check = checked.get(name) ?? findOtherAccount(context, intent, deadline, request);
  checked.set(name, check);
  try {
    const advice = await check;
    return advice === undefined ? result : { intent, status: 'other-account', advice };
  } catch (error) {
    const failure = deadline.errorOfCall(error, 'could not read the customers', '. Pass a longer totalTimeout');
    throwIfCallers(failure);
    return undecided(intent, failure);
  }
}

/** Returns the result of an intent that could not be searched for. */
function undecided(intent: PaymentCreateIntent, error: CorridorError): ReconciledIntent {
  const advice =
    `It is unknown whether its payment exists: ${error.message}. Reconcile it again, ` +
    'and do not pay the order in another way before';
  return { intent, status: 'unknown', error, advice };
}

/** Reports whether an intent was sent to another platform than that of the client. */
export const isOfOtherPlatform = ({ options }: WorkflowContext, { platform }: PaymentCreateIntent): boolean =>
  platform !== undefined && platform !== options.baseUrl;

/**
 * Returns why an intent does not belong to the client's account, and what to do; undefined if it does, because the
 * account has the customer of the payment, or had it.
 */
export async function findOtherAccount(
  context: WorkflowContext,
  intent: PaymentCreateIntent,
  deadline: Deadline,
  request: RequestOptions,
  deletedCustomerId?: string,
): Promise<string | undefined> {
  const { baseUrl } = context.options;
  const sender = senderWithin(context.sender, deadline);
  const { customerId } = intent.request;
  if (isOfOtherPlatform(context, intent))
    return (
      `Its payment was sent to ${intent.platform}, and this client ` +
      `uses ${baseUrl}. Use the account that sent the payment`
    );
  if (customerId === deletedCustomerId || (await hasCustomer(sender, customerId, request, { validation: 'observe' })))
    return undefined;
  return (
    `Customer ${customerId} does not exist at ${baseUrl} for this API key. Use the account that sent the ` +
    'payment; only if this is that account and the platform has deleted the customer, release the intent ' +
    `with payments.releaseIntent(intent, { deletedCustomerId: '${customerId}' })`
  );
}

const day = 24 * 60 * 60_000;

function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * Reads the parts of the list that contain the payments of these intents, the newest first, so that an old intent, or
 * one whose time is not proven, costs the others nothing. Returns the errors of those whose part could not be read.
 */
export async function scanFor(
  { sender, clock }: WorkflowContext,
  matches: readonly IntentMatches[],
  deadline: Deadline,
  request: RequestOptions,
  advice = '. Pass a longer totalTimeout',
): Promise<ReadonlyMap<IntentMatches, unknown>> {
  const lookup = lookupListOf(senderWithin(sender, deadline));
  const byQuote = groupBy(matches, ({ intent }) => intent.request.paymentQuoteId);
  const visit = (row: unknown): void => {
    const quote = quoteOf(Object(row) as ListedPayment);
    for (const each of isNonEmptyString(quote) ? (byQuote.get(quote) ?? []) : matches) each.add(row);
  };
  const errors = new Map<IntentMatches, unknown>();
  const scan = async (group: readonly IntentMatches[], from: () => number | undefined): Promise<void> => {
    let [failure] = errors.values();
    try {
      if (failure === undefined) await scanList(lookup, { from, options: request }, visit);
    } catch (error) {
      failure = deadline.errorOfCall(error, 'could not read the payment list', advice);
    }
    if (failure !== undefined) for (const each of group) errors.set(each, failure);
  };
  const starts = new Map(
    matches.map((each) => {
      const { intent } = each;
      const lookBack = lookBackOf(intent, clock);
      return [each, () => (provenStart(intent, clock) ?? likelyStart(intent, clock)) - lookBack];
    }),
  );
  const startOf = (each: IntentMatches): number => starts.get(each)?.() ?? 0;
  // Ages in days, of which a group has up to twice as many as the one before: together they read twice the longest part.
  const ageOf = (each: IntentMatches): number => Math.ceil(Math.log2(Math.max(1, (clock.now() - startOf(each)) / day)));
  for (const [, group] of [...groupBy(matches, ageOf)].toSorted(([one], [other]) => one - other))
    await scan(group, () => Math.min(...group.map(startOf)));
  const unproven = matches.filter(
    (each) => each.exact.length === 0 && provenStart(each.intent, clock) === undefined && !errors.has(each),
  );
  if (unproven.length > 0) await scan(unproven, () => undefined);
  return errors;
}

export async function listPendingIntents(
  { journal }: WorkflowContext,
  deadline: Deadline,
): Promise<readonly PaymentCreateIntent[]> {
  const list = (): Promise<unknown> => useJournal(endpoint, () => journal.listPending());
  const pending = await deadline.waitBeforeSending(list, 'waiting for the journal');
  if (Array.isArray(pending)) return pending as readonly PaymentCreateIntent[];
  throw new JournalError(
    `${endpoint}: journal.listPending() must return an array of intents (received ${typeof pending}). Fix the journal`,
    { endpoint },
  );
}

function resultOf(
  { intent, exact: [exact, ...more], other, paymentId }: IntentMatches,
  context: WorkflowContext,
  error: unknown,
): ReconciledIntent {
  const quote = intent.request.paymentQuoteId;
  if (exact !== undefined) {
    if (more.length === 0) return { intent, status: 'created', payment: exact };
    const payments = [exact, ...more];
    const ids = payments.map(({ id }) => id).join(', ');
    const advice = `The platform has several payments for quote ${quote}: ${ids}. Contact the platform at once`;
    return { intent, status: 'duplicate', payments, advice };
  }
  if (error !== undefined) return undecided(intent, error as CorridorError);
  if (other !== undefined) {
    const fields = mismatches(intent, other);
    const advice =
      `Payment ${other.id} uses quote ${quote}, but differs in ${fields.join(', ')}. Compare it with your ` +
      `records, and ask the platform what the quote paid. ${resolveMismatch(other.id)}`;
    return { intent, status: 'mismatch', payment: other, mismatches: fields, advice };
  }
  const since = new Date(releasableFrom(intent, context.options.consistencyWindow)).toISOString();
  if (paymentId !== undefined) {
    const advice = `The journal has payment ${paymentId}, but the list does not show it. Ask the platform for it`;
    return { intent, status: 'unknown', advice };
  }
  const { clock } = context;
  const isOver = isReleasable(context, intent);
  const problem = unprovenTime(intent, clock);
  if (problem !== undefined && (isOver || !clock.isKnown || isFromFuture(intent, clock))) {
    const advice = `The list does not show it, which proves nothing: ${problem}. ${releaseByPerson}`;
    return { intent, status: 'unknown', advice };
  }
  const advice = isOver
    ? `No process has sent it since ${since}, and the list does not show it. Ask the platform whether it has ` +
      `a payment for quote ${quote}; if it has none, call payments.releaseIntent(intent)`
    : 'Its process may still send it, or the list may still show it. Reconcile it again ' +
      `after ${since}, and do not pay the order in another way before`;
  return { intent, status: isOver ? 'not-found' : 'in-progress', releasableFrom: since, advice };
}
