import type { ListedPayment } from '../../contract/schema/payments.js';
import type { Attempt, InvalidResponseError } from '../../errors/api.js';
import type { PaymentCreateIntent } from '../../contract/intent.js';
import type { Deadline } from '../../transport/deadline.js';
import type { RequestOptions } from '../../transport/request-options.js';
import { DuplicatePaymentError, PaymentMismatchError } from '../../errors/payments.js';
import { resolveEntry } from './claim.js';
import { mismatches, classifyRow, unreadableFields } from './compare.js';
import { unusableRow, type ListPayments, type WorkflowContext } from '../context.js';
import { isFromFuture } from './evidence.js';
import { lookupListOf } from '../lookup.js';
import { senderWithin } from '../../transport/call.js';
import { pageSize } from '../../contract/schema/page.js';
import type { ServerClock } from '../../transport/clock.js';
import { platformClockSpread, toFilterTime } from '../platform-time.js';

/** The options of `findByIntent`. All times are in milliseconds. */
export interface FindByIntentOptions {
  /** Returns the intent; its creation time can be corrected by each response. */
  readonly intent: () => PaymentCreateIntent;
  /**
   * Returns how long from the start of the search a payment may take to appear in the list; 0 searches once. It can be
   * corrected by each response.
   */
  readonly window: () => number;
  /** The limits of the whole search. */
  readonly deadline: Deadline;
  /**
   * Whether the last search reads every part of the list that can contain the payment, not only the likely one. Without
   * that, `not-found` proves nothing. @default true
   */
  readonly isComplete?: boolean;
  /**
   * How much further into the past the first successful search reaches, because an earlier call may have created the
   * payment.
   */
  readonly extraLookBack?: number | undefined;
  /** The payment's id, if a journal has it. The search ends when the list shows it. */
  readonly paymentId?: string | undefined;
  /** The id of a payment that is not the intent's, unless it has its content. */
  readonly otherPaymentId?: string | undefined;
  /** The attempts to create the payment, for errors. */
  readonly attempts?: readonly Attempt[];
  readonly options: RequestOptions;
}

/** The result of a search. */
export type IntentLookup =
  | { readonly outcome: 'created'; readonly payment: ListedPayment }
  /**
   * `hasPassed`: the window had passed when the last search began. `error`: why that search could not read all that it
   * should have. Without an error, a complete search proves that there is no payment if the window had passed.
   */
  | { readonly outcome: 'not-found'; readonly hasPassed: boolean; readonly error: unknown };

const firstDelay = 250;
const maxDelay = 5_000;
// A third of the time is reserved for the last search, which must not be cut short.
const pollingShare = 2 / 3;

/** Returns the delay before the next search: exponential backoff, in milliseconds. */
export function nextDelay(previous = 0): number {
  return previous === 0 ? firstDelay : Math.min(previous * 2, maxDelay);
}

/**
 * Searches for the payment of an intent until it appears, and resolves the journal's entry, or until the window has
 * passed. Assumed: A-16, the list shows it in time.
 */
export async function findByIntent(context: WorkflowContext, search: FindByIntentOptions): Promise<IntentLookup> {
  const { intent, window, deadline, isComplete = true, extraLookBack = 0, attempts } = search;
  const totalTimeout = Math.max(1, deadline.remaining);
  const started = deadline.elapsed;
  const elapsed = (): number => deadline.elapsed - started;
  const pollingTime = (): number => Math.min(window(), totalTimeout * pollingShare);
  let other: ListedPayment | undefined;
  let lookBack = extraLookBack;
  for (let delay = nextDelay(); ; delay = nextDelay(delay)) {
    const began = elapsed();
    const isFinal = began >= pollingTime();
    const hasPassed = began >= window();
    const matches = new IntentMatches(intent(), search);
    // A list that fails proves nothing about the payments that it did not show, and the next search may succeed.
    const part = isFinal ? (isComplete ? 'all' : 'likely') : 'recent';
    const error = await lookUp(context, search, matches, part, lookBack)
      .then(() => matches.unreadable)
      .catch((failure: unknown) => failure);
    const [payment, ...more] = matches.exact;
    if (payment !== undefined) {
      if (more.length > 0) throw new DuplicatePaymentError(intent(), [payment, ...more], { attempts });
      await resolveEntry(context, intent(), { outcome: 'created', paymentId: payment.id }, deadline);
      return { outcome: 'created', payment };
    }
    if (error === undefined) {
      other = matches.other ?? other;
      lookBack = 0;
    }
    // The outcome of a page whose request was aborted or failed is not the outcome of the payment.
    else deadline.throwIfAborted(searching);
    if (isFinal || elapsed() >= totalTimeout) {
      if (other !== undefined)
        throw new PaymentMismatchError(intent(), other, mismatches(intent(), other), { attempts });
      return { outcome: 'not-found', hasPassed, error };
    }
    const rest = pollingTime() - elapsed();
    const pause = context.sender.budget.take(searchCost) ? delay : longDelay;
    await deadline.sleep(Math.ceil(Math.min(pause, rest)));
  }
}

/** What a search does, for the error of one that is aborted. */
export const searching = 'searching for the payment (it is unknown whether the payment was created)';

// The cost of repeating a search in the retry budget, and the delay if that is too low, in milliseconds.
const [searchCost, longDelay] = [2, 20_000];

// Reads the part of the list that likely contains the payment, and for a complete search all parts that can.
async function lookUp(
  { sender, clock, reads }: WorkflowContext,
  { intent, options, deadline }: FindByIntentOptions,
  matches: IntentMatches,
  part: 'recent' | 'likely' | 'all',
  lookBack: number,
): Promise<void> {
  const lookup = lookupListOf(senderWithin(sender, deadline));
  const visit = (row: unknown): boolean => matches.add(row);
  // Finds the payment of an old intent in a request or two, instead of reading all newer payments.
  const to = likelyEnd(intent(), clock);
  const share = (from: () => number | undefined): Promise<void> => {
    const start = from();
    if (start === undefined) return scanList(lookup, { from, options }, visit);
    // Reads at most twice as much as a search that shares nothing.
    const group = `${part} ${Math.ceil(Math.log2(Math.max(1, clock.now() - start)))}`;
    return reads.read(
      group,
      { from, options, deadline, visit },
      ({ call, ...scan }, each) => scanList(lookupListOf(senderWithin(sender, call)), scan, each),
      searching,
    );
  };
  const areClocksKnown = (): boolean => part === 'recent' && intent().clockKnown === true && clock.isKnown;
  const likely = (): number =>
    likelyStart(intent(), clock, areClocksKnown() ? knownClockMargin : clockMargin) - lookBack;
  if (to !== undefined) await scanList(lookup, { from: likely, to, options }, visit);
  else if (part !== 'all') await share(likely);
  if (part !== 'all' || matches.exact.length > 0) return;
  const extra = lookBack + lookBackOf(intent(), clock);
  const from = (): number | undefined => {
    const start = provenStart(intent(), clock);
    return start === undefined ? undefined : start - extra;
  };
  await share(from);
}

// A search for a payment that exists: it need not find the payment if the clocks differ by more.
const clockMargin = 5 * 60_000;
// The same if another search follows, and the platform's time was known when the intent was created and is known now.
const knownClockMargin = 30_000;
// Covers a clock that was set while nobody noticed.
const maxLookBack = 24 * 60 * 60_000;
// A payment is rarely created later than this after its intent.
const likelyDelay = 60 * 60_000;

/** The rows of the list that match one intent. */
export class IntentMatches {
  readonly intent: PaymentCreateIntent;
  /** The payment's id, if a journal has it. */
  readonly paymentId: string | undefined;
  readonly #otherPaymentId: string | undefined;
  readonly #ours = new Map<string, ListedPayment>();
  /**
   * The error of a row that may be the payment but cannot be identified. If set, the list does not prove that there is
   * no payment.
   */
  unreadable: InvalidResponseError | undefined;

  /** `otherPaymentId` is the id of a payment with other content. */
  constructor(
    intent: PaymentCreateIntent,
    { paymentId, otherPaymentId }: Pick<FindByIntentOptions, 'paymentId' | 'otherPaymentId'> = {},
  ) {
    this.intent = intent;
    this.paymentId = paymentId;
    this.#otherPaymentId = otherPaymentId;
  }

  /** Adds a row of the list if it is or may be the intent's payment. Returns whether it has the known id. */
  add(row: unknown): boolean {
    const { id } = Object(row) as Partial<ListedPayment>;
    const relation = classifyRow(this.intent, row);
    if (relation === 'ours') this.#ours.set((row as ListedPayment).id, row as ListedPayment);
    const isRuledOut = id !== undefined && id === this.#otherPaymentId;
    if (relation === 'unreadable' && !isRuledOut) this.unreadable ??= unreadableRow(this.intent, row);
    return this.paymentId !== undefined && id === this.paymentId;
  }

  /** The payments with the intent's quote. */
  get all(): ListedPayment[] {
    return [...this.#ours.values()];
  }

  /** The payments that match the request, and the one that a person accepted. */
  get exact(): ListedPayment[] {
    // The reference of a payment with a known id may differ.
    const isExact = (payment: ListedPayment): boolean =>
      payment.id === this.intent.accepted?.paymentId ||
      mismatches(this.intent, payment).every((field) => field === 'internalReference' && payment.id === this.paymentId);
    return this.all.filter(isExact);
  }

  /** A payment with the intent's quote, even if other fields differ, unless a person has ruled it out. */
  get other(): ListedPayment | undefined {
    return this.all.find(({ id }) => id !== this.#otherPaymentId);
  }
}

/** The part of the list to read. Times are in milliseconds. */
export interface Scan {
  /** Returns the earliest creation time; undefined if it is unlimited. Called again after the responses. */
  readonly from: () => number | undefined;
  /** The latest creation time. @default unlimited */
  readonly to?: number | undefined;
  readonly options: RequestOptions;
}

/**
 * Reads a part of the list, without a status filter, because the status of a payment may have changed. Stops when
 * `visit` returns true. If the responses show that the clock was wrong and the start too late, reads the list again.
 */
export async function scanList(
  list: ListPayments,
  { from, to, options }: Scan,
  visit: (row: unknown) => boolean | void,
): Promise<void> {
  const createdTo = to === undefined ? undefined : toFilterTime(to);
  for (let start = from(); ;) {
    const createdFrom = start === undefined ? undefined : toFilterTime(start);
    for await (const row of list({ createdFrom, createdTo, limit: pageSize.largest }, options))
      if (visit(row) === true) return;
    const corrected = from();
    if (start === undefined || (corrected ?? Number.NEGATIVE_INFINITY) >= start) return;
    start = corrected;
  }
}

/**
 * Returns the time before which the payment of an intent cannot have been created, by the clock of the list's filters;
 * undefined if no clock proves such a time. The absence of a payment since then is evidence that there is none.
 */
export function provenStart(intent: PaymentCreateIntent, clock: ServerClock): number | undefined {
  if (intent.clockKnown !== true || (clock.isKnown && isFromFuture(intent, clock))) return undefined;
  return Math.min(...candidateTimes(intent, clock)) - platformClockSpread;
}

/** Returns the time after which the payment of an intent was most likely created. */
export function likelyStart(intent: PaymentCreateIntent, clock: ServerClock, margin: number = clockMargin): number {
  return Math.min(...candidateTimes(intent, clock), clock.now()) - margin;
}

/**
 * Returns the time by which the payment of an old intent was most likely created; undefined if that time has not passed
 * yet.
 */
function likelyEnd(intent: PaymentCreateIntent, clock: ServerClock): number | undefined {
  const end = Math.max(...candidateTimes(intent, clock)) + clockMargin + likelyDelay;
  return end < clock.now() - clockMargin ? end : undefined;
}

/**
 * Returns how much further into the past the search for an intent starts. Scaling with the intent's age reads at most
 * twice as much of the list.
 */
export function lookBackOf({ createdAt }: PaymentCreateIntent, clock: ServerClock): number {
  return Math.min(Math.max(0, clock.now() - Date.parse(createdAt)), maxLookBack);
}

/**
 * Returns the times at which an intent may have been created, by the platform's clock. That clock may have been unknown
 * or wrong then: the candidates are the stored time, the time by the machine's clock, and the time by the current clock
 * offset.
 */
function candidateTimes({ createdAt, clockOffset }: PaymentCreateIntent, clock: ServerClock): number[] {
  const machineTime = Date.parse(createdAt) - clockOffset;
  return [Date.parse(createdAt), machineTime, machineTime + clock.offset];
}

function unreadableRow({ request: { paymentQuoteId } }: PaymentCreateIntent, row: unknown): InvalidResponseError {
  const issues = unreadableFields(row);
  const fields = issues.map(({ path }) => path);
  const message =
    `a payment that may be the one for quote ${paymentQuoteId} cannot be identified (missing or of the wrong ` +
    `type: ${fields.join(', ')}). Ask the platform whether it has a payment for this quote`;
  return unusableRow(message, issues);
}
