import { noteIntent } from '../../errors/base.js';
import { AbortedError, InvalidRequestError } from '../../errors/api.js';
import type { JournalEntry } from '../../journal/journal.js';
import { sleep } from '../../transport/timing/sleep.js';
import { claim, resolveEntry } from './claim.js';
import type { PaymentCreateIntent } from '../../errors/payments.js';
import { parseIntent } from './intent.js';
import type { CreateOnceResult, CreateOnceContext } from './context.js';
import { nextDelay, findByIntent } from './find-by-intent.js';
import { unknownOutcome } from './send-once.js';

// The first rounds read only the journal: the other process has most likely just started, and will resolve its entry.
const journalOnlyRounds = 2;

/** Creates and sends a new intent after the quote was released. */
export interface TakeOver {
  newIntent(): PaymentCreateIntent;
  send(intent: PaymentCreateIntent): Promise<CreateOnceResult>;
}

/**
 * Joins a payment that another process, or an earlier run of this one, has claimed. Searches for it as long as that
 * process may still be sending it, and sends it only after the journal reports that it was not created.
 */
export async function awaitOtherAttempt(
  context: CreateOnceContext,
  existing: JournalEntry,
  { newIntent, send }: TakeOver,
): Promise<CreateOnceResult> {
  let entry = existing;
  for (let [round, delay] = [1, nextDelay()]; ; [round, delay] = [round + 1, nextDelay(delay)]) {
    const first = parseMatchingIntent(entry, newIntent());
    try {
      const isLast = isExpired(context, first);
      if (isLast || entry.resolution !== undefined || round > journalOnlyRounds) {
        const result = await searchOnce(context, entry, first, isLast);
        if (result !== undefined) return result;
      }
      await sleep(context.workflow.timing, delay, context.request.signal, 'payments.create');
    } catch (error) {
      throw error instanceof AbortedError ? abortedError(error, first) : error;
    }
    const intent = newIntent();
    // A journal that hangs must not use up the time of the last search.
    const withoutReserve = { ...context, remaining: () => context.remaining() - searchReserve(context) };
    const next = await claim(withoutReserve, intent).catch(() => entry);
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
  const { workflow, list, request } = context;
  const paymentId = resolution?.outcome === 'created' ? resolution.paymentId : undefined;
  const lookup = await findByIntent(workflow, list, {
    intent: () => first,
    window: () => 0,
    isComplete: isLast,
    totalTimeout: Math.max(1, context.remaining()),
    paymentId,
    request,
  });
  if (lookup.outcome === 'created') {
    await resolveEntry(workflow, first, { outcome: 'created', paymentId: lookup.payment.id }, context);
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
export function quoteInUse(where: string): InvalidRequestError {
  const message = `is the quote of a different payment request ${where}. If this is the same order, pass the original request, or reconcile it: a new quote could pay it twice. Pass a new quote only for another order`;
  return new InvalidRequestError('payments.create', [{ path: 'paymentQuoteId', message }]);
}

// The other process is assumed to have the same total timeout; after that and the consistency window, no payment is
// expected.
function isExpired(context: CreateOnceContext, first: PaymentCreateIntent): boolean {
  const createdAt = Date.parse(first.createdAt);
  return (
    context.workflow.clock.now() >= createdAt + context.totalTimeout + context.consistencyWindow ||
    context.remaining() <= searchReserve(context)
  );
}

function searchReserve({ totalTimeout }: CreateOnceContext): number {
  return totalTimeout / 3;
}

function abortedError({ cause }: AbortedError, intent: PaymentCreateIntent): AbortedError {
  const message =
    'payments.create was aborted while searching for the payment in the journal (it is unknown whether the payment was created)';
  const error = new AbortedError(message, { endpoint: 'payments.create', outcome: 'unknown', cause });
  noteIntent(error, intent);
  return error;
}

/** Reports whether two requests are for the same payment. */
export function sameRequest(one: object, other: object): boolean {
  const serialize = (request: object): string =>
    JSON.stringify(
      Object.entries<unknown>({ ...request })
        // A field that is null is the same as one that is absent.
        .filter(([, value]) => value !== null)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return serialize(one) === serialize(other);
}
