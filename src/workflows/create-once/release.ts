import { nonEmptyString } from '../../contract/schema/schema.js';
import type { ListedPayment } from '../../contract/schema/payments.js';
import { ConfigurationError, InvalidRequestError } from '../../errors/api.js';
import type { PaymentCreateIntent, PaymentResult } from '../../contract/intent.js';
import { DuplicatePaymentError } from '../../errors/payments.js';
import { claimedNames, releasableFrom, type JournalEntry } from '../../journal/journal.js';
import { Deadline } from '../../transport/deadline.js';
import { senderWithin } from '../../transport/call.js';
import { assertOptions, type RequestOptions } from '../../transport/request-options.js';
import { defineOptions, type WorkflowContext } from '../context.js';
import { lookupListOf } from '../lookup.js';
import { notCreated, resolveEntry } from './claim.js';
import { isNonEmptyString, quoteOf } from './compare.js';
import { isFromFuture, isReleasable, releaseByPerson, unprovenTime } from './evidence.js';
import { parseIntent } from './intent.js';
import { accountOfCustomer } from '../account.js';
import { findOtherAccount, listPendingIntents, reconcile, useJournal } from './reconcile.js';
import { scanList } from './search.js';

/** The options of `payments.releaseIntent`. */
export interface ReleaseOptions extends RequestOptions {
  /**
   * The person who confirms what the intent does not prove: if it is damaged, or no clock proves its time, that its
   * process has ended and that the platform has no payment for its quote; if the platform's URL has changed, that it is
   * the same. Not stored.
   */
  readonly confirmedBy?: string | undefined;
  /**
   * The id of a payment that uses the intent's quote, but is another one, as a `PaymentMismatchError` names it, if the
   * platform has confirmed that and that the order of the intent has no payment. Ignored if it has the same content.
   */
  readonly otherPaymentId?: string | undefined;
  /**
   * The id of the intent's customer, if the platform has deleted it, so that it does not prove that the client's
   * account sent the payment. Make sure that it did.
   */
  readonly deletedCustomerId?: string | undefined;
}

/** The result of `payments.releaseIntent`. */
export type ReleaseResult =
  /** The payment exists. Nothing was released. */
  | { readonly status: 'created'; readonly payment: PaymentResult }
  /** The next `createOnce` for the quote or the key sends a payment. */
  | { readonly status: 'released' }
  /**
   * The intent was released before or is not in the journal, and another pending intent, `holder`, has its quote or its
   * key. Nothing was released.
   */
  | { readonly status: 'held'; readonly holder: PaymentCreateIntent };

const endpoint = 'payments.releaseIntent';

const releaseOptions = defineOptions<ReleaseOptions>("must be an object, such as { confirmedBy: 'Ada' }", () => ({
  confirmedBy: nonEmptyString(),
  otherPaymentId: nonEmptyString(),
  deletedCustomerId: nonEmptyString(),
}));

/** Releases the quote and the key of an intent, unless its payment exists or its process may still send it. */
export async function releaseIntent(
  workflow: WorkflowContext,
  intent: PaymentCreateIntent,
  options: ReleaseOptions,
): Promise<ReleaseResult> {
  assertOptions(releaseOptions, options);
  const { confirmedBy, otherPaymentId, deletedCustomerId, ...callOptions } = options;
  const { totalTimeout = workflow.options.totalTimeout, ...request } = callOptions;
  const deadline = new Deadline(workflow.timing, { endpoint, totalTimeout, signal: request.signal });
  assertIdentified(intent);
  const { context } = accountOfCustomer(workflow, endpoint, intent.request.customerId);
  if (intent.sent !== false) {
    const parsed = parse(intent, confirmedBy);
    if (parsed !== undefined) {
      const sent = confirmedBy === undefined ? parsed : { ...parsed, platform: context.options.baseUrl };
      const other = await findOtherAccount(context, sent, deadline, request, deletedCustomerId);
      if (other !== undefined) throw notReleasable('request.customerId', `is not of this account. ${other}`);
    }
    const find = parsed === undefined ? findByQuote : findByContent;
    const payment = await find(context, intent, deadline, request, otherPaymentId);
    if (payment !== undefined) return { status: 'created', payment };
    // The responses have shown whether the machine's clock is right.
    const { sendUntil: _sendUntil, consistencyWindow: _consistencyWindow, ...unreadable } = intent;
    assertReleasable(context, parsed ?? unreadable, confirmedBy);
  }
  const work = () => useJournal(endpoint, () => release(context, intent));
  const { isReleased, paymentId } = await deadline.waitBeforeSending(work, 'waiting for the journal');
  if (paymentId !== undefined)
    throw notReleasable(
      'id',
      `has a quote or a key with which the journal has payment ${paymentId}, although the list does not ` +
        'show it. Do not pay the order in another way: ask the platform for the payment',
    );
  if (isReleased) return { status: 'released' };
  const names = new Set(claimedNames(intent));
  const pending = await listPendingIntents(context, deadline);
  const holder = pending.find((each) => claimedNames(each).some((name) => names.has(name)));
  return holder === undefined ? { status: 'released' } : { status: 'held', holder };
}

const notReleasable = (field: string, message: string): InvalidRequestError =>
  new InvalidRequestError(endpoint, [{ path: `intent.${field}`, message }]);

function assertIdentified(intent: PaymentCreateIntent): void {
  const { id, request } = Object(intent) as Partial<PaymentCreateIntent>;
  const { paymentQuoteId } = Object(request) as Partial<PaymentCreateIntent['request']>;
  for (const [field, value] of Object.entries({ id, 'request.paymentQuoteId': paymentQuoteId }))
    if (!isNonEmptyString(value))
      throw new ConfigurationError(
        `${endpoint}: ${field} of the intent must be a non-empty string ` +
          `(received ${typeof value}). Pass the intent that reconcilePending() or the error returned`,
        { endpoint },
      );
}

/**
 * Returns the intent; undefined if it is damaged. Throws if it does not prove that its process no longer sends it,
 * unless a person has confirmed that.
 */
function parse(intent: PaymentCreateIntent, confirmedBy: string | undefined): PaymentCreateIntent | undefined {
  let parsed: PaymentCreateIntent | undefined;
  try {
    parsed = parseIntent(intent);
  } catch (error) {
    if (confirmedBy === undefined)
      throw new ConfigurationError(`${endpoint}: ${(error as Error).message}. ${releaseByPerson}`, { endpoint });
  }
  if (confirmedBy === undefined && parsed?.sendUntil === undefined)
    throw notReleasable('sendUntil', `is missing, so that its process may still send the payment. ${releaseByPerson}`);
  return parsed;
}

function assertReleasable(
  context: WorkflowContext,
  intent: PaymentCreateIntent,
  confirmedBy: string | undefined,
): void {
  const { sendUntil, createdAt } = intent;
  const problem = unprovenTime(intent, context.clock);
  if (problem !== undefined && confirmedBy === undefined)
    throw notReleasable('sendUntil', `proves nothing: ${problem}. ${releaseByPerson}`);
  const from = releasableFrom(intent, context.options.consistencyWindow);
  const isPlausible = !Number.isNaN(from) && !isFromFuture(intent, context.clock);
  if (!isPlausible || isReleasable(context, intent)) return;
  throw notReleasable(
    'sendUntil',
    `allows its process to send the payment until ${sendUntil ?? createdAt}. Release the intent ` +
      `after ${new Date(from).toISOString()}, and only if the platform confirms that it has no payment for its ` +
      'quote',
  );
}

async function findByContent(
  context: WorkflowContext,
  intent: PaymentCreateIntent,
  deadline: Deadline,
  request: RequestOptions,
  otherPaymentId: string | undefined,
): Promise<PaymentResult | undefined> {
  const options = { ...request, totalTimeout: Math.max(1, Math.ceil(deadline.remaining)), consistencyWindow: 0 };
  const result = await reconcile(context, intent, options, { otherPaymentId, isAccountKnown: true });
  return result.status === 'created' ? result.payment : undefined;
}

/** Searches the whole list for a payment with the quote of a damaged intent, and resolves its entry. */
async function findByQuote(
  context: WorkflowContext,
  intent: PaymentCreateIntent,
  deadline: Deadline,
  request: RequestOptions,
  otherPaymentId: string | undefined,
): Promise<PaymentResult | undefined> {
  const found = new Map<string, ListedPayment>();
  await scanList(
    lookupListOf(senderWithin(context.sender, deadline)),
    { from: () => undefined, options: request },
    (row) => {
      const payment = Object(row) as ListedPayment;
      if (payment.id !== otherPaymentId && quoteOf(payment) === intent.request.paymentQuoteId)
        found.set(String(payment.id), payment);
    },
  );
  const [payment, ...more] = found.values();
  if (payment === undefined) return undefined;
  if (more.length > 0) throw new DuplicatePaymentError(intent, [payment, ...more]);
  await resolveEntry(context, intent, { outcome: 'created', paymentId: payment.id }, deadline);
  return payment;
}

/**
 * Resolves the entry of an intent as not created, unless the journal has a payment for its quote or its key. Returns
 * whether the entry held them until now.
 */
async function release(
  { journal }: WorkflowContext,
  intent: PaymentCreateIntent,
): Promise<{ readonly isReleased: boolean; readonly paymentId?: string }> {
  // Returns the entry of a payment with its quote or its key, if there is one, otherwise the entry of the intent.
  const entry: unknown = await journal.claim(intent);
  const { intent: { id } = intent, resolution } = Object(entry) as Partial<JournalEntry>;
  if (resolution?.outcome === 'created') return { isReleased: false, paymentId: resolution.paymentId };
  await journal.resolve(intent, notCreated);
  return { isReleased: id === intent.id && (resolution ?? null) === null };
}
