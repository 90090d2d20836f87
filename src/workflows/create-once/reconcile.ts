import {
  noteIntent,
  AbortedError,
  type Attempt,
  CorridorError,
  TimeoutError,
  ConfigurationError,
  type PaymentCreateIntent,
} from '../../errors/api.js';
import {
  PaymentOutcomeUnknownError,
  type UnknownOutcomeDetails,
  type ReconcileResult,
  type MismatchedField,
  type PaymentResult,
} from '../../errors/payments.js';
import { defaultConsistencyWindow, type CreateOnceContext } from './context.js';
import { custom, numberFrom } from '../../contract/options.js';
import { assertOptions, maxTimerDelay, type RequestOptions } from '../../transport/request-options.js';
import { resolveEntry } from './claim.js';
import { defineOptions, type WorkflowContext } from '../context.js';
import { findByIntent, likelyStart, lookBackOf, provenStart, scanList, IntentMatches, searching } from './search.js';
import { describeJournalFailure, JournalError, wrapJournalFailure } from '../../errors/journal.js';
import { Deadline } from '../../transport/deadline.js';
import { parseIntent } from './intent.js';
import { isNonEmptyString, mismatches, quoteOf } from './compare.js';
import type { ListedPayment } from '../../contract/schema/payments.js';

/** The options of `payments.reconcile`. */
export interface ReconcileOptions extends RequestOptions {
  /**
   * How long after its intent was created a payment may take to appear in the list, in milliseconds; 0 searches once.
   * If the platform's time was or is unknown, it counts from the start of the call.
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
 * extends the first search into the past, in milliseconds.
 */
export async function reconcile(
  context: WorkflowContext,
  intent: PaymentCreateIntent,
  options: ReconcileOptions,
  extraLookBack = 0,
): Promise<ReconcileResult> {
  assertOptions(reconcileOptions, options);
  const {
    consistencyWindow = context.consistencyWindow ?? defaultConsistencyWindow,
    totalTimeout = context.totalTimeout,
    ...request
  } = options;
  const { timing, clock } = context;
  const deadline = new Deadline(timing, { endpoint: 'payments.reconcile', totalTimeout, signal: request.signal });
  // The window started when the intent was created. If a clock is unknown, it may have started just now.
  const window = (): number => {
    if (intent.clockKnown !== true || !clock.isKnown) return consistencyWindow;
    const now = clock.now() - deadline.elapsed;
    return Math.max(0, Math.min(Date.parse(intent.createdAt) + consistencyWindow - now, consistencyWindow));
  };
  const lookup = await findByIntent(context, {
    intent: () => intent,
    window,
    deadline,
    extraLookBack,
    options: request,
  });
  if (lookup.outcome === 'created') return { status: 'created', payment: lookup.payment };
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
  { workflow, consistencyWindow, deadline, options: { signal: _signal, ...options } }: CreateOnceContext,
  intent: PaymentCreateIntent,
  details: UnknownOutcomeDetails,
  lookBack = 0,
): PaymentOutcomeUnknownError {
  const { cause } = details;
  const totalTimeout = Math.max(deadline.totalTimeout, workflow.totalTimeout);
  const searchAgain = () => reconcile(workflow, intent, { ...options, consistencyWindow, totalTimeout }, lookBack);
  const requestId = cause instanceof CorridorError ? cause.requestId : undefined;
  return new PaymentOutcomeUnknownError(intent, searchAgain, { requestId, ...details });
}

/**
 * Returns the error of a search for a payment. If it was aborted, the outcome of the aborted request is not the outcome
 * of the payment.
 */
export function errorOfSearch(
  { deadline }: CreateOnceContext,
  error: unknown,
  intent: PaymentCreateIntent,
  attempts: readonly Attempt[] = [],
): unknown {
  if (!(error instanceof AbortedError)) return error;
  const aborted = deadline.error({ kind: 'aborted', cause: error.cause }, searching, { outcome: 'unknown', attempts });
  noteIntent(aborted, intent);
  return aborted;
}

/** An intent and the result of searching for its payment. */
export type ReconciledIntent =
  | { readonly intent: PaymentCreateIntent; readonly status: 'created'; readonly payment: PaymentResult }
  | { readonly intent: PaymentCreateIntent; readonly status: 'not-found' }
  | {
      readonly intent: PaymentCreateIntent;
      readonly status: 'mismatch';
      readonly payment: PaymentResult;
      readonly mismatches: readonly MismatchedField[];
    }
  | {
      readonly intent: PaymentCreateIntent;
      readonly status: 'duplicate';
      readonly payments: readonly PaymentResult[];
    };

/** The options of `payments.reconcilePending`. */
export interface ReconcilePendingOptions extends RequestOptions {
  /** The intents to reconcile. @default the pending ones of the journal */
  readonly intents?: readonly PaymentCreateIntent[] | undefined;
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

/**
 * Searches for the payments of many intents in one pass over the list, and resolves the journal's entries of those that
 * exist. Intents that cannot be read cause an error, but only after the others are resolved. The total timeout covers
 * the journal and the list together.
 */
export async function reconcilePending(
  context: WorkflowContext,
  options: ReconcilePendingOptions,
): Promise<ReconciledIntent[]> {
  assertOptions(reconcilePendingOptions, options);
  const { intents, totalTimeout = context.totalTimeout, ...request } = options;
  const { signal } = request;
  const deadline = new Deadline(context.timing, { endpoint, totalTimeout, signal });
  const matches: IntentMatches[] = [];
  const unreadable: string[] = [];
  const pending: readonly PaymentCreateIntent[] = intents ?? (await listPendingIntents(context, deadline));
  for (const each of pending) {
    try {
      matches.push(new IntentMatches(parseIntent(each)));
    } catch (error) {
      // The getters of a foreign object can throw anything.
      unreadable.push(error instanceof ConfigurationError ? error.message : 'an intent could not be read');
    }
  }
  let failure: unknown;
  try {
    if (matches.length > 0) await scanFor(context, matches, deadline.requestOptions(request));
  } catch (error) {
    const advice =
      '; only the payments found by then were resolved. Pass a longer totalTimeout or fewer intents: the list is read from the oldest intent onward';
    failure = deadline.errorOfCall(error, 'could not read the payment list', advice);
  }
  const results = matches.map(resultOf);
  let isResponsive = true;
  for (const result of results) {
    if (result.status !== 'created') continue;
    const resolution = { outcome: 'created', paymentId: result.payment.id } as const;
    const resolved = resolveEntry(context, result.intent, resolution, deadline);
    // Wait only once for a journal that hangs, not once per entry.
    if (isResponsive) isResponsive = await resolved;
  }
  // Payments that were found are resolved even if the list failed; the status of the other intents is unknown.
  failure ??= matches.find((each, index) => results[index]?.status === 'not-found' && each.unreadable)?.unreadable;
  if (failure !== undefined) throw failure;
  if (unreadable.length > 0) {
    const others =
      matches.length === 0
        ? 'There were no other intents to search for'
        : 'All other intents were searched for, and were resolved if their payment exists. Pass them to reconcilePending() to get their results';
    throw new ConfigurationError(`${endpoint}: ${unreadable.join('; ')}. ${others}`, { endpoint });
  }
  return results;
}

/**
 * Reads the part of the list that contains the payments of these intents. Reads the whole list only if it did not show
 * the payment of an intent whose time is not proven.
 */
async function scanFor(
  { clock, lookup }: WorkflowContext,
  matches: readonly IntentMatches[],
  options: RequestOptions,
): Promise<void> {
  const byQuote = new Map<string, IntentMatches[]>();
  for (const each of matches) {
    const quote = each.intent.request.paymentQuoteId;
    byQuote.set(quote, [...(byQuote.get(quote) ?? []), each]);
  }
  const visit = (row: unknown): void => {
    const quote = Object(row) === row ? quoteOf(row as ListedPayment) : undefined;
    for (const each of isNonEmptyString(quote) ? (byQuote.get(quote) ?? []) : matches) each.add(row);
  };
  const lookBacks = matches.map(({ intent }) => lookBackOf(intent, clock));
  const from = (): number =>
    matches
      .map(({ intent }, index) => (provenStart(intent, clock) ?? likelyStart(intent, clock)) - (lookBacks[index] ?? 0))
      .reduce((one, other) => Math.min(one, other));
  await scanList(lookup, { from, options }, visit);
  if (matches.some(({ intent, exact }) => exact.length === 0 && provenStart(intent, clock) === undefined))
    await scanList(lookup, { from: () => undefined, options }, visit);
}

async function listPendingIntents(
  { journal }: WorkflowContext,
  deadline: Deadline,
): Promise<readonly PaymentCreateIntent[]> {
  const list = async (): Promise<unknown> => {
    try {
      return await journal.listPending();
    } catch (error) {
      const general = `the journal could not be read (${describeJournalFailure(error)}). Retry when the journal is available`;
      throw wrapJournalFailure(error, endpoint, general, endpoint);
    }
  };
  const pending = await deadline.waitBeforeSending(list, 'waiting for the journal');
  if (Array.isArray(pending)) return pending as readonly PaymentCreateIntent[];
  throw new JournalError(
    `${endpoint}: journal.listPending() must return an array of intents (received ${typeof pending}). Fix the journal`,
    { endpoint },
  );
}

function resultOf({ intent, exact: [exact, ...more], other }: IntentMatches): ReconciledIntent {
  if (exact !== undefined)
    return more.length > 0
      ? { intent, status: 'duplicate', payments: [exact, ...more] }
      : { intent, status: 'created', payment: exact };
  return other === undefined
    ? { intent, status: 'not-found' }
    : { intent, status: 'mismatch', payment: other, mismatches: mismatches(intent, other) };
}
