import type { AcceptedPayment, PaymentCreateIntent } from '../../contract/intent.js';
import { nonEmptyString } from '../../contract/schema/schema.js';
import type { ListedPayment } from '../../contract/schema/payments.js';
import { ConfigurationError, InvalidRequestError } from '../../errors/api.js';
import { DuplicatePaymentError } from '../../errors/payments.js';
import type { JournalEntry } from '../../journal/journal.js';
import { Deadline } from '../../transport/deadline.js';
import { assertOptions, type RequestOptions } from '../../transport/request-options.js';
import { accountOfCustomer } from '../account.js';
import { defineOptions, type WorkflowContext } from '../context.js';
import { parseIntent } from './intent.js';
import { scanFor, useJournal } from './reconcile.js';
import { IntentMatches } from './search.js';

/** The options of `payments.acceptPayment`. */
export interface AcceptOptions extends RequestOptions, AcceptedPayment {}

const endpoint = 'payments.acceptPayment';
const example = "{ paymentId: 'pay_1', confirmedBy: 'Ada', reason: 'ticket 4711' }";

const acceptOptions = defineOptions<AcceptOptions>(`must be an object, such as ${example}`, () => ({
  paymentId: nonEmptyString(),
  confirmedBy: nonEmptyString(),
  reason: nonEmptyString(),
}));

/**
 * Stores in the journal that a payment of the list, which has the intent's quote but differs, is the intent's payment.
 */
export async function acceptPayment(
  workflow: WorkflowContext,
  intent: PaymentCreateIntent,
  options: AcceptOptions,
): Promise<ListedPayment> {
  assertOptions(acceptOptions, options);
  const { paymentId, confirmedBy, reason, totalTimeout = workflow.options.totalTimeout, ...request } = options;
  const given = { paymentId, confirmedBy, reason };
  for (const [field, value] of Object.entries(given) as [string, string | undefined][])
    if (value === undefined)
      throw new ConfigurationError(`${endpoint}: ${field} is missing. Pass ${example}`, { endpoint });
  const deadline = new Deadline(workflow.timing, { endpoint, totalTimeout, signal: request.signal });
  const accepted: PaymentCreateIntent = { ...parseIntent(intent), accepted: given };
  const { context } = accountOfCustomer(workflow, endpoint, accepted.request.customerId);

  const matches = new IntentMatches(accepted);
  const failure = (await scanFor(context, [matches], deadline, request)).get(matches) ?? matches.unreadable;
  if (failure !== undefined) throw failure;
  const { exact, all } = matches;
  const payment = all.find(({ id }) => id === paymentId);
  if (payment === undefined) {
    const ids = all.map(({ id }) => id).join(', ') || 'none';
    const { paymentQuoteId } = accepted.request;
    throw notAcceptable(
      `${paymentId} is not a payment of quote ${paymentQuoteId} in the list (those are: ${ids}). Pass the id of one`,
    );
  }
  if (exact.length > 1) throw new DuplicatePaymentError(accepted, exact);

  const store = async (): Promise<string> => {
    // Returns the entry of another payment with its quote or its key, if there is one.
    const { resolution } = Object(await context.journal.claim(accepted)) as Partial<JournalEntry>;
    if (resolution?.outcome === 'created' && resolution.paymentId !== paymentId) return resolution.paymentId;
    await context.journal.resolve(accepted, { outcome: 'created', paymentId });
    return paymentId;
  };
  const work = () => useJournal(endpoint, store);
  const stored = await deadline.waitBeforeSending(work, 'waiting for the journal');
  if (stored !== paymentId)
    throw notAcceptable(
      `is ${paymentId}, and the journal has payment ${stored} for the order. Ask the platform for both`,
    );
  return payment;
}

const notAcceptable = (message: string): InvalidRequestError =>
  new InvalidRequestError(endpoint, [{ path: 'paymentId', message }]);
