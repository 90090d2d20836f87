import { AbortedError, ConfigurationError, TimeoutError, type StoredIntent } from '../errors.js';
import { journalKey, type JournalRecord, type Settlement } from '../journal/journal.js';
import { Limits, Stopped } from '../transport/limits.js';
import type { PaymentIntent } from './intent.js';
import { JournalFailure } from './journal-failure.js';
import type { OnceCall } from './once.js';
import type { WorkflowOptions } from './workflow.js';

const endpoint = 'payments.create';
// How long a call that has ended waits for a journal that does not answer; and how long it does though its deadline or its signal has ended it.
const patience = 5_000;
const shortestPatience = 250;

/**
 * Claims an intent's quote in the journal, for a payment of which nothing was sent yet: true, or the record that stands. A journal that
 * fails refuses the payment.
 */
export async function claim(call: OnceCall, intent: PaymentIntent): Promise<true | JournalRecord> {
  const { workflow } = call;
  let claiming: Promise<true | JournalRecord> | undefined;
  let standing: true | JournalRecord;
  try {
    standing = await beforeSending(call, 'waiting for its journal', () => (claiming = asked(() => workflow.journal.claim(intent))));
  } catch (error) {
    // A claim that comes through when nobody waits for it any more would stand in everybody's way.
    claiming?.then((claimed) => (claimed === true ? settle(workflow, intent, { outcome: 'not-created' }) : undefined)).catch(() => {});
    if (error instanceof AbortedError || error instanceof TimeoutError) throw error;
    const cause = new JournalFailure(error);
    throw new ConfigurationError(`${endpoint} was not sent: the journal could not be reached (${cause.code})`, { endpoint, cause });
  }
  if (standing !== true && typeof (standing as Partial<JournalRecord> | null | undefined)?.intent !== 'object') {
    throw new ConfigurationError(`${endpoint} was not sent: claim() of the journal must give true, or the record that stands`, { endpoint });
  }
  return standing;
}

/** Whether a payment that was sent, and is not known to be made, is still this call's: someone may have settled its record since, and claimed the quote. */
export async function isStillClaimed(call: OnceCall, intent: PaymentIntent): Promise<boolean> {
  try {
    const standing = await beforeSending(call, 'waiting for its journal', () => asked(() => call.workflow.journal.claim(intent)));
    return standing === true || (standing.settlement === undefined && standing.intent.id === intent.id);
  } catch {
    return false;
  }
}

/**
 * Notes how it ended, and says whether the journal answered. The payment is as it is: a journal that fails now makes no error of it. Its
 * record stays open, and recover() settles it.
 *
 * What is no longer waited for is not taken back: it may still come through. Until it does, the record is open, and nobody sends; so that
 * a short wait can cost a look at the list, and never a second payment.
 */
export async function settle({ journal, timing }: WorkflowOptions, intent: StoredIntent, settlement: Settlement, call?: Pick<OnceCall, 'left' | 'request'>): Promise<boolean> {
  const signal = call?.request.signal;
  const cancels: (() => void)[] = [];
  let stop = (): void => {};
  const waited = new Promise<false>((resolve) => {
    const wait = (milliseconds: number): unknown => cancels.push(timing.after(milliseconds, () => resolve(false)));
    stop = () => void wait(shortestPatience);
    wait(call === undefined ? patience : Math.min(patience, Math.max(shortestPatience, call.left())));
  });
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop);
  const noted = asked(() => journal.settle(journalKey(intent), settlement)).then(() => true, () => true);
  const result = await Promise.race([noted, waited]);
  for (const cancel of cancels) cancel();
  signal?.removeEventListener('abort', stop);
  return result;
}

/** Waits for work that is to be done before anything is sent: no longer than the call may take, and not when it was aborted. */
export async function beforeSending<T>(call: OnceCall, during: string, work: () => Promise<T>): Promise<T> {
  const limits = new Limits(call.workflow.timing, Math.max(1, call.left()), call.request.signal);
  try {
    await limits.run(Promise.resolve());
    return await limits.run(work());
  } catch (thrown) {
    if (!(thrown instanceof Stopped)) throw thrown;
    const { stop } = thrown;
    if (stop.kind === 'aborted') throw new AbortedError(`${endpoint} was aborted while ${during} (nothing was sent)`, { endpoint, outcome: 'not-sent', cause: stop.reason });
    throw new TimeoutError(`${endpoint} was not done within its deadline of ${call.deadline} ms: it was still ${during} (nothing was sent)`, { endpoint, outcome: 'not-sent' });
  } finally {
    limits.close();
  }
}

/** The caller's own function, which may throw instead of rejecting. */
async function asked<T>(work: () => T | Promise<T>): Promise<T> {
  return work();
}
