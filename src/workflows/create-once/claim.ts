import * as z from 'zod/mini';
import { formatIssues } from '../../contract/issue.js';
import { discriminatedUnion, literal, memoize, string } from '../../contract/schema/schema.js';
import { validateRequest } from '../../contract/violations.js';
import { noteIntent, AbortedError, SigningError, TimeoutError } from '../../errors/api.js';
import { type PaymentCreateIntent } from '../../contract/intent.js';
import type { InMemoryJournal, JournalEntry, IntentResolution } from '../../journal/journal.js';
import { Deadline, type CallStoppedError } from '../../transport/deadline.js';
import { JournalError, wrapJournalFailure } from '../../errors/journal.js';
import type { CreateOnceCall } from './call.js';
import type { WorkflowContext } from '../context.js';

const endpoint = 'payments.create';
// How long a finished call waits for a journal that does not respond, and how long at least if its total timeout or its
// signal ended it.
const maxResolveWait = 5_000;
const minResolveWait = 250;

/** The resolution of an intent that was not sent or was rejected. */
export const notCreated: IntentResolution = { outcome: 'not-created' };

/**
 * Claims an intent's quote and key in the journal before anything is sent. Returns true if this call may send,
 * otherwise the existing entry. A claim that fails is repeated once, because its response may have been lost. Throws a
 * JournalError if that fails too; if the claim was committed, it is released, at the latest by later calls of the
 * client.
 */
export async function claim(
  call: CreateOnceCall,
  intent: PaymentCreateIntent,
  deadline: Deadline,
): Promise<true | JournalEntry> {
  const { workflow, unsent } = call;
  let claiming: Promise<unknown> | undefined;
  let hasFailed = false;
  let hasReleased = false;
  for (let isRepeated = false; ; isRepeated = true) {
    let existing: unknown;
    try {
      const start = () => (claiming = claimOnce(workflow, intent));
      existing = await deadline.waitBeforeSending(start, 'waiting for its journal');
    } catch (error) {
      // The key of the account, which a journal in memory needs, could not be read.
      if (error instanceof SigningError) throw error;
      if (error instanceof AbortedError || error instanceof TimeoutError) {
        if (claiming === undefined) throw error;
        noteIntent(error, toStub(intent));
        // A claim that is committed later would block the quote, so release it.
        unsent.add(intent);
        claiming.finally(() => release(call, intent, deadline)).catch(() => {});
        throw error;
      }
      hasFailed = true;
      if (!isRepeated) continue;
      // A claim that failed may have been committed.
      await release(call, intent, deadline);
      throw claimError(error, intent);
    }
    const entry = existing === true ? true : validateEntry(existing, intent);
    if (entry !== true && !hasFailed && isOwn(entry, intent)) {
      await release(call, intent, deadline);
      throw claimError(new JournalError(unreported), intent);
    }
    if (entry === true || isOwn(entry, intent)) {
      // The journal responds again: other processes must not wait for this client to pay the same order.
      if (unsent.unreleased !== undefined) void release(call, unsent.unreleased, deadline);
      return true;
    }
    if (hasReleased || !unsent.has(entry.intent.id)) {
      // The claim that failed may be committed after the other entry was released.
      if (hasFailed) void release(call, intent, deadline);
      return entry;
    }
    hasReleased = true;
    await release(call, entry.intent, deadline);
  }
}

/**
 * Resolves the entry of an intent that created no payment. If the journal does not confirm it, later calls of the
 * client do so.
 */
export function release(call: CreateOnceCall, intent: PaymentCreateIntent, deadline: Deadline): Promise<void> {
  const { workflow, unsent } = call;
  unsent.add(intent);
  return resolveEntry(workflow, intent, notCreated, deadline, () => unsent.confirm(intent));
}

// A journal can throw synchronously.
async function claimOnce({ journal, log }: WorkflowContext, intent: PaymentCreateIntent): Promise<true | JournalEntry> {
  const entry = await journal.claim(intent);
  const { inMemory } = journal as Partial<InMemoryJournal>;
  if (intent.idempotencyKey !== undefined && inMemory?.hasWarned === false) {
    inMemory.hasWarned = true;
    log(
      'warn',
      'payments.createOnce: this client has no journal, or one in memory, so that the keys and the outcomes of ' +
        'payments are lost when the process ends, and other processes and worker threads do not see them: the same ' +
        'key can pay again. Pass a SqliteJournal with a file, or a PostgresJournal, as journal',
    );
  }
  return entry;
}

// Such a table has no unique index that prevents a second claim.
const unreported =
  'the journal has stored the claim without returning true, as with a table that has children or a trigger that ' +
  'returns null. Use a table without them, and a pool that does not repeat statements';

// The id is unique: if an earlier attempt of the same claim has failed, its response was lost.
function isOwn({ intent, resolution }: JournalEntry, { id }: PaymentCreateIntent): boolean {
  return resolution === undefined && intent.id === id;
}

function claimError(error: unknown, intent: PaymentCreateIntent): JournalError {
  const failure = wrapJournalFailure(error, `${endpoint} was not sent by this call`, endpoint);
  noteIntent(failure, toStub(intent));
  return failure;
}

// Contains only what releaseIntent needs: a journal's error must not expose payment data.
function toStub({
  idempotencyKey: _key,
  sendUntil: _sendUntil,
  request: { paymentQuoteId },
  ...intent
}: PaymentCreateIntent): PaymentCreateIntent {
  return { ...intent, request: { paymentQuoteId } as PaymentCreateIntent['request'], sent: false };
}

// The intent can be damaged.
const journalEntry = memoize(() =>
  z.looseObject({
    intent: z.looseObject({}),
    resolution: z.optional(
      z.nullable(
        discriminatedUnion<IntentResolution>('outcome', [
          z.looseObject({ outcome: literal('created'), paymentId: string() }),
          z.looseObject({ outcome: literal('not-created') }),
        ]),
      ),
    ),
  }),
);

// Custom journals can return anything.
function validateEntry(value: unknown, { request, idempotencyKey }: PaymentCreateIntent): JournalEntry {
  const issues = validateRequest(journalEntry(), value);
  const { intent, resolution } = Object(value) as JournalEntry;
  const quote = (intent as Partial<PaymentCreateIntent> | undefined)?.request?.paymentQuoteId ?? request.paymentQuoteId;
  const hasSameKey = idempotencyKey !== undefined && intent?.idempotencyKey === idempotencyKey;
  if (quote !== request.paymentQuoteId && !hasSameKey)
    issues.push({ path: 'intent', message: 'must have the quote or the key that it was called with' });
  if (issues.length > 0)
    throw new JournalError(
      `${endpoint} was not sent: journal.claim() must return true or the existing ` +
        `entry, but ${formatIssues(issues, 'it')}. Fix the journal`,
      { endpoint },
    );
  return { intent, resolution: resolution ?? undefined };
}

/**
 * Resolves the journal's entry of an intent, and waits until the journal responds, if it does in time. Never throws,
 * because the journal's failure does not change the payment: the entry stays pending, and reconcilePending() resolves it
 * later.
 *
 * A resolution that is no longer awaited may still be committed. Until then the entry is pending and no process sends,
 * so a short wait can cost another search, but never a second payment.
 */
export async function resolveEntry(
  { journal, timing, log }: WorkflowContext,
  intent: PaymentCreateIntent,
  resolution: IntentResolution,
  call: Deadline,
  onStored = (): unknown => undefined,
): Promise<void> {
  const resolve = async (): Promise<void> => {
    if ((await journal.resolve(intent, resolution)) === false && resolution.outcome === 'created')
      log(
        'warn',
        `the journal had no entry of payment ${resolution.paymentId}, and has stored one: it has lost claims, as by a ` +
          'failover or a restored backup, and their keys and quotes can pay again. Compare your orders with the ' +
          'payments of the platform before you call createOnce for them',
      );
  };
  const resolved = resolve().then(onStored, () => {});
  const limit = call.limit(Math.min(maxResolveWait, Math.max(minResolveWait, call.remaining)));
  await limit.race(resolved).catch(({ kind }: CallStoppedError) => {
    const totalTimeout = Math.min(minResolveWait, limit.remaining);
    return kind === 'aborted' && new Deadline(timing, { endpoint, totalTimeout }).race(resolved).catch(() => {});
  });
}
