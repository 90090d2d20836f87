import { noteIntent } from '../error.js';
import { AbortedError, InvalidRequestError } from '../errors.js';
import type { JournalRecord } from '../journal/journal.js';
import { pause } from '../transport/pause.js';
import { claim, settle } from './claim.js';
import { readIntent, type PaymentIntent } from './intent.js';
import type { CreateOnceResult, OnceCall } from './once.js';
import { nextPause, search } from './search.js';
import { unknownOutcome } from './send-once.js';

// So often the journal alone is asked: the other has most likely just begun, and will note how it ended.
const roundsOfOther = 2;

/** What is done once a record gave way: `note` makes an intent of now, `begin` sends it. */
export interface Succession {
  note(): PaymentIntent;
  begin(intent: PaymentIntent): Promise<CreateOnceResult>;
}

/**
 * Joins a payment that somebody else has claimed: another process, or this one before it ended. It is looked for as long as the
 * other may still be at it, and is sent here only once the journal says that the other did not make it.
 */
export async function join(call: OnceCall, standing: JournalRecord, { note, begin }: Succession): Promise<CreateOnceResult> {
  let record = standing;
  for (let [round, wait] = [1, nextPause()]; ; [round, wait] = [round + 1, nextPause(wait)]) {
    const first = sameIntent(record, note());
    try {
      const over = isOver(call, first);
      if (over || record.settlement !== undefined || round > roundsOfOther) {
        const result = await look(call, record, first, over);
        if (result !== undefined) return result;
      }
      await pause(call.workflow.timing, wait, call.request.signal, 'payments.create');
    } catch (error) {
      throw error instanceof AbortedError ? aborted(error, first) : error;
    }
    const mine = note();
    const next = await claim(call, mine).catch(() => record);
    if (next === true) return begin(mine);
    record = next;
  }
}

async function look(call: OnceCall, { settlement }: JournalRecord, first: PaymentIntent, isLast: boolean): Promise<CreateOnceResult | undefined> {
  const { workflow, list, request } = call;
  const paymentId = settlement?.outcome === 'created' ? settlement.paymentId : undefined;
  const finding = await search(workflow, list, { intent: first, window: 0, deadline: Math.max(1, call.left()), paymentId, request });
  if (finding.outcome === 'created') {
    await settle(workflow, first, { outcome: 'created', paymentId: finding.payment.id }, call);
    return { payment: finding.payment, created: false, recovered: true, attempts: [] };
  }
  if (isLast) throw unknownOutcome(call, first, { cause: finding.failure, listFailure: finding.failure, paymentId });
  return undefined;
}

function sameIntent(record: JournalRecord, mine: PaymentIntent): PaymentIntent {
  const first = readIntent(record.intent);
  if (sameRequest(first.request, mine.request)) return first;
  throw new InvalidRequestError('payments.create', [{ path: 'paymentQuoteId', message: 'is the quote of another payment that the journal holds, with a different request' }]);
}

// The other has as much time as we have; after that, and the settle window, nothing new will come.
function isOver(call: OnceCall, first: PaymentIntent): boolean {
  const sentAt = Date.parse(first.sentAt);
  return call.workflow.clock.now() >= sentAt + call.deadline + call.settleWindow || call.left() <= call.deadline / 3;
}

function aborted({ cause }: AbortedError, intent: PaymentIntent): AbortedError {
  const message = 'payments.create was aborted while looking for the payment that the journal holds (whether it was made is not known)';
  const error = new AbortedError(message, { endpoint: 'payments.create', outcome: 'unknown', cause });
  noteIntent(error, intent);
  return error;
}

/** Whether two requests ask for the same payment. */
export function sameRequest(one: object, other: object): boolean {
  const plain = (request: object): string => JSON.stringify(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return plain(one) === plain(other);
}
