import {
  noteIntent,
  type AbortedError,
  type Attempt,
  CorridorError,
  TimeoutError,
  ConfigurationError,
  type StoredIntent,
} from '../../errors/api.js';
import {
  PaymentOutcomeUnknownError,
  type UnknownOutcomeDetails,
  type PaymentCreateIntent,
  type ReconcileResult,
  type MismatchedField,
  type PaymentResult,
} from '../../errors/payments.js';
import type { CreateOnceContext } from './context.js';
import { numberFrom } from '../../contract/options.js';
import {
  assertOptions,
  maxTimerDelay,
  type RequestOptions,
  assertRequestOptions,
} from '../../transport/request-options.js';
import { resolveEntry } from './claim.js';
import { defineOptions, type ListPayments, type WorkflowContext } from '../context.js';
import {
  findByIntent,
  likelyStart,
  lookBackOf,
  MatchesByIntent,
  provenStart,
  scanList,
  type IntentMatches,
} from './search.js';
import { describeJournalFailure, JournalError, wrapJournalFailure } from '../../errors/journal.js';
import { Deadline } from '../../transport/deadline.js';
import { parseIntent } from './intent.js';
import { mismatches } from './compare.js';

/** The options of `payments.reconcile`. */
export interface ReconcileOptions extends RequestOptions {
  /**
   * How long after its intent was created a payment may take to appear in the list, in milliseconds; 0 searches once.
   * If the platform's time was or is unknown, it counts from the start of the call.
   * @default that of the client
   */
  readonly consistencyWindow?: number | undefined;
}

const reconcileOptions = defineOptions<ReconcileOptions>('must be an object, such as { consistencyWindow: 0 }', () => ({
  consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
}));

/**
 * Searches for the payment of an intent until it appears or the consistency window has passed; once if it has passed
 * already. Throws if the total timeout ends first. If the payment exists, resolves the journal's entry. `extraLookBack` extends the first search into the past,
 * in milliseconds.
 */
export async function reconcile(
  context: WorkflowContext,
  list: ListPayments,
  intent: PaymentCreateIntent,
  options: ReconcileOptions,
  extraLookBack = 0,
): Promise<ReconcileResult> {
  assertOptions(reconcileOptions, options);
  const { consistencyWindow = context.consistencyWindow, totalTimeout = context.totalTimeout, ...request } = options;
  const { timing, clock } = context;
  const deadline = new Deadline(timing, { endpoint: 'payments.reconcile', totalTimeout, signal: request.signal });
  // The window started when the intent was created. If a clock is unknown, it may have started just now.
  const window = (): number => {
    if (intent.clockKnown !== true || !clock.isKnown) return consistencyWindow;
    const now = clock.now() - deadline.elapsed;
    return Math.max(0, Math.min(Date.parse(intent.createdAt) + consistencyWindow - now, consistencyWindow));
  };
  const lookup = await findByIntent(context, list, {
    intent: () => intent,
    window,
    deadline,
    extraLookBack,
    request,
  });
  if (lookup.outcome === 'created') {
    await resolveEntry(context, intent, { outcome: 'created', paymentId: lookup.payment.id }, deadline);
    return { status: 'created', payment: lookup.payment };
  }
  if (lookup.error !== undefined) throw lookup.error;
  if (!lookup.isConclusive)
    throw new TimeoutError(
      `payments.reconcile: the payment is not in the list, but the totalTimeout of ${totalTimeout} ms ends before the consistency window of ${consistencyWindow} ms. Pass a longer totalTimeout, or reconcile later`,
      { endpoint: 'payments.reconcile', outcome: 'unknown' },
    );
  return { status: 'not-found' };
}

/** Creates the error of a payment whose outcome could not be determined. */
export function unknownOutcome(
  context: CreateOnceContext,
  intent: PaymentCreateIntent,
  details: UnknownOutcomeDetails,
  lookBack = 0,
): PaymentOutcomeUnknownError {
  const { workflow, list, consistencyWindow } = context;
  const { signal: _signal, ...request } = context.request;
  const { cause } = details;
  const totalTimeout = Math.max(context.deadline.totalTimeout, workflow.totalTimeout);
  const options = { ...request, consistencyWindow, totalTimeout };
  const searchAgain = () => reconcile(workflow, list, intent, options, lookBack);
  return new PaymentOutcomeUnknownError(intent, searchAgain, {
    requestId: cause instanceof CorridorError ? cause.requestId : undefined,
    ...details,
  });
}

/**
 * Creates the error of an aborted search for a payment. The outcome of the aborted request is not the outcome of the
 * payment.
 */
export function abortedSearch(
  { deadline }: CreateOnceContext,
  { cause }: AbortedError,
  intent: PaymentCreateIntent,
  attempts: readonly Attempt[] = [],
): CorridorError {
  const during = 'searching for the payment (it is unknown whether the payment was created)';
  const error = deadline.error({ kind: 'aborted', cause }, during, { outcome: 'unknown', attempts });
  noteIntent(error, intent);
  return error;
}

/** An intent and the result of searching for its payment. */
export type ReconciledIntent = { readonly intent: PaymentCreateIntent } & (
  | { readonly status: 'created'; readonly payment: PaymentResult }
  | { readonly status: 'not-found' }
  | { readonly status: 'mismatch'; readonly payment: PaymentResult; readonly mismatches: readonly MismatchedField[] }
  | { readonly status: 'duplicate'; readonly payments: readonly PaymentResult[] }
);

const endpoint = 'payments.reconcilePending';

/**
 * Searches for the payments of many intents in one pass over the list, and resolves the journal's entries of those that
 * exist. Intents that cannot be read cause an error, but only after the others are resolved. The total timeout covers
 * the journal and the list together.
 */
export async function reconcilePending(
  context: WorkflowContext,
  list: ListPayments,
  stored: readonly StoredIntent[] | undefined,
  options: RequestOptions,
): Promise<ReconciledIntent[]> {
  if (stored !== undefined && !Array.isArray(stored))
    throw new ConfigurationError(
      `${endpoint}: intents must be an array of intents (received ${typeof stored}). Pass an array, or omit it to read the pending intents of the journal`,
    );
  assertRequestOptions(options);
  const { totalTimeout = context.totalTimeout, signal } = options;
  const deadline = new Deadline(context.timing, { endpoint, totalTimeout, signal });
  const { intents, unreadable } = partitionIntents(stored ?? (await listPendingIntents(context, deadline)));
  if (intents.length === 0) return throwUnreadable(unreadable, 'There were no other intents to search for');
  const matches = new MatchesByIntent(intents);
  let failure: unknown;
  try {
    await scanFor(context, list, intents, matches, deadline.requestOptions(options));
  } catch (error) {
    const advice =
      '; only the payments found by then were resolved. Pass a longer totalTimeout or fewer intents: the list is read from the oldest intent onward';
    failure = deadline.errorOfCall(error, 'could not read the payment list', advice);
  }
  const results = intents.map((intent) => resultFor(intent, matches.of(intent)));
  let isResponsive = true;
  for (const result of results) {
    if (result.status !== 'created') continue;
    const resolved = resolveEntry(
      context,
      result.intent,
      { outcome: 'created', paymentId: result.payment.id },
      deadline,
    );
    // Wait only once for a journal that hangs, not once per entry.
    if (isResponsive) isResponsive = await resolved;
  }
  // Payments that were found are resolved even if the list failed; the status of the other intents is unknown.
  failure ??= results
    .filter(({ status }) => status === 'not-found')
    .map(({ intent }) => matches.of(intent).unreadable)
    .find((error) => error !== undefined);
  if (failure !== undefined) throw failure;
  throwUnreadable(
    unreadable,
    'All other intents were searched for, and were resolved if their payment exists. Pass them to reconcilePending() to get their results',
  );
  return results;
}

/**
 * Reads the part of the list that contains the payments of these intents. Reads the whole list only if it did not show
 * the payment of an intent whose time is not proven.
 */
async function scanFor(
  { clock }: WorkflowContext,
  list: ListPayments,
  intents: readonly PaymentCreateIntent[],
  matches: MatchesByIntent,
  request: RequestOptions,
): Promise<void> {
  const visit = (row: unknown): void => matches.add(row);
  const lookBacks = intents.map((intent) => lookBackOf(intent, clock));
  const from = (): number =>
    intents
      .map((intent, index) => (provenStart(intent, clock) ?? likelyStart(intent, clock)) - (lookBacks[index] ?? 0))
      .reduce((one, other) => Math.min(one, other));
  await scanList(list, { from, request }, visit);
  const isMissing = (intent: PaymentCreateIntent): boolean => matches.of(intent).exact.length === 0;
  if (intents.some((intent) => isMissing(intent) && provenStart(intent, clock) === undefined))
    await scanList(list, { from: () => undefined, request }, visit);
}

function partitionIntents(stored: readonly StoredIntent[]): {
  readonly intents: readonly PaymentCreateIntent[];
  readonly unreadable: readonly string[];
} {
  const intents: PaymentCreateIntent[] = [];
  const unreadable: string[] = [];
  for (const each of stored) {
    try {
      intents.push(parseIntent(each));
    } catch (error) {
      // The getters of a foreign object can throw anything.
      unreadable.push(error instanceof ConfigurationError ? error.message : 'an intent could not be read');
    }
  }
  return { intents, unreadable };
}

function throwUnreadable(unreadable: readonly string[], others: string): [] {
  if (unreadable.length > 0)
    throw new ConfigurationError(`${endpoint}: ${unreadable.join('; ')}. ${others}`, { endpoint });
  return [];
}

async function listPendingIntents({ journal }: WorkflowContext, deadline: Deadline): Promise<readonly StoredIntent[]> {
  const list = async (): Promise<unknown> => journal.listPending();
  const pending = await deadline.waitBeforeSending(() => list().catch(throwJournalFailure), 'waiting for the journal');
  if (!Array.isArray(pending))
    throw new JournalError(
      `${endpoint}: journal.listPending() must return an array of intents (received ${typeof pending}). Fix the journal`,
      { endpoint },
    );
  return pending as readonly StoredIntent[];
}

function throwJournalFailure(error: unknown): never {
  const general = `the journal could not be read (${describeJournalFailure(error)}). Retry when the journal is available`;
  throw wrapJournalFailure(error, endpoint, general, endpoint);
}

function resultFor(intent: PaymentCreateIntent, { exact: [exact, ...more], other }: IntentMatches): ReconciledIntent {
  if (exact !== undefined)
    return more.length > 0
      ? { intent, status: 'duplicate', payments: [exact, ...more] }
      : { intent, status: 'created', payment: exact };
  return other === undefined
    ? { intent, status: 'not-found' }
    : { intent, status: 'mismatch', payment: other, mismatches: mismatches(intent, other) };
}
