import { randomUUID } from 'node:crypto';
import { beneficiaries, customers } from './samples.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  timeOf,
  type Fields,
  type PaymentTemplate,
  type ReceivedResponse,
  type Session,
  type Writes,
} from './session.js';

/** An id that no platform has: a payment with it cannot be created. */
export const unknownId = 'corridor-verify-unknown';

/** A payment whose customer, beneficiary, quote and document do not exist. */
const dryPayment = {
  customerId: unknownId,
  beneficiaryId: unknownId,
  // A token: in a fiat currency, the number of decimals could be the reason for an error.
  currencyCode: 'USDC',
  purposeOfPayment: 'corridor verify',
  documentIds: [unknownId],
  paymentQuoteId: unknownId,
};

/** The amounts of dry runs, in formats that a platform could accept. */
export const dryAmounts = ['1', '1.5', '1.50', '1.505', '1,50', '1,505'] as const;
export type DryAmount = (typeof dryAmounts)[number];

/** The most that a dry run can cost, if the platform accepts it and takes a separator for one of thousands. */
export const maxDryLoss = `${Math.max(...dryAmounts.map((amount) => Number(amount.replace(/\D/, ''))))} ${dryPayment.currencyCode}`;

/** The fields of a dry run; its quote and document never exist. */
type DryFields = Fields & {
  readonly amount?: DryAmount | 'x';
  readonly currencyCode?: never;
  readonly paymentQuoteId?: never;
  readonly documentIds?: never;
};

/** Sends a payment whose quote and document do not exist, once for the same fields. Throws as `session.pay` does. */
export function dryRun(session: Session, fields: DryFields = {}): Promise<ReceivedResponse> {
  // Also if the response is known: the stop is the result that counts.
  session.assertNotStopped();
  return session.share(`dry run ${JSON.stringify(fields)}`, () =>
    session.pay({ amount: session.amount, ...dryPayment, ...fields }, 'invalid'),
  );
}

/** Returns a key that two responses share if the platform rejected both for the same reason. It is never printed. */
function reasonOf({ status, code, body, requestId }: ReceivedResponse): string {
  if (code !== undefined) return `${status} ${code}`;
  const text = (JSON.stringify(body) ?? '').replaceAll(requestId ?? ' ', '');
  // Ids, times and numbers differ from response to response.
  return `${status} ${text.replaceAll(/[\w-]{16,}/g, '').replaceAll(/\d+/g, '')}`;
}

/** Checks whether the platform rejected two requests for the same reason. */
export const hasSameReason = (one: ReceivedResponse, other: ReceivedResponse): boolean =>
  reasonOf(one) === reasonOf(other);

/** Records of customers, and the responses to payments that are rejected only for their quote or their beneficiary. */
export interface Parties {
  readonly customers: readonly Fields[];
  readonly beneficiaries: readonly Fields[];
  /** An approved customer with an approved beneficiary. */
  readonly customerId: unknown;
  readonly withCustomer: ReceivedResponse;
  readonly withBoth: ReceivedResponse;
}

export const isApproved = ({ status }: Fields): boolean => status === 'APPROVED';

/**
 * Sends payments with quotes that do not exist. Returns the reason if the platform does not check customer, beneficiary
 * and quote in this order: then its errors do not show which of them it checks.
 */
export function partiesOf(session: Session): Promise<Parties | string> {
  return session.share('parties', async () => {
    const found = { customers: await customers(session), beneficiaries: await beneficiaries(session) };
    const approved = new Set(found.customers.filter(isApproved).map(({ id }) => id));
    const beneficiary = found.beneficiaries.find((each) => isApproved(each) && approved.has(each['customerId']));
    if (beneficiary === undefined) return 'needs an approved customer with an approved beneficiary';
    const { customerId, id: beneficiaryId } = beneficiary;
    const withNeither = await dryRun(session);
    const withCustomer = await dryRun(session, { customerId });
    const withBoth = await dryRun(session, { customerId, beneficiaryId });
    const responses = [withNeither, withCustomer, withBoth];
    if (new Set(responses.map(reasonOf)).size < responses.length)
      return `the errors do not show what the platform checks: ${responses.map(describeResponse).join('; ')}`;
    session.noteError('beneficiary_not_found', withCustomer);
    session.noteError('quote_not_found', withBoth);
    return { ...found, customerId, withCustomer, withBoth };
  });
}

/** What the payments of a run showed. */
export interface PaymentFacts {
  /** The response to the first accepted payment, and its fields. */
  readonly reply: ReceivedResponse;
  readonly payment: Fields;
  /** The response to a payment of less than its quote; undefined if the amount is too small for one. */
  readonly lower: ReceivedResponse | undefined;
  readonly idempotency: 'none' | 'by-quote' | 'by-reference' | 'by an unknown field';
  readonly quotes: 'single-use' | 'reusable';
  /** The responses to the repeated requests. */
  readonly repeats: readonly ReceivedResponse[];
  /**
   * How many seconds after its request the list showed the payment, rounded up; 0 if its first read did, undefined if it
   * did not within `maxLag`.
   */
  readonly lag: number | undefined;
  /** Whether the list shows the payment with its quote. */
  readonly isListedWithQuote: boolean;
}

/** How long the list may lag, in seconds. */
export const maxLag = 60;

/** The number of requests with which the run can create payments: each is sent once. */
export const maxPayments = ({ quotes }: Writes): number => 3 + quotes.length;

/** Returns the facts, or the reason why they are missing. */
export function paymentFacts(session: Session): Promise<PaymentFacts | string> {
  return session.share('payments of this run', async () => {
    const { payment, quotes = [] } = session.writes ?? {};
    const [quote, secondQuote] = quotes;
    if (payment === undefined || quote === undefined) return 'needs --payment, --quote and --document';
    return createPayments(session, payment, quote, secondQuote);
  });
}

/** Creates payments, each once. */
async function createPayments(
  session: Session,
  template: PaymentTemplate,
  quote: string,
  secondQuote: string | undefined,
): Promise<PaymentFacts | string> {
  const reference = `corridor-verify-${randomUUID()}`;
  const pay = async (amount: string) => {
    const order = { ...template, amount, paymentQuoteId: quote, internalReference: reference };
    const sentAt = session.now();
    return { order, sentAt, reply: await session.pay(order, 'valid') };
  };
  const lowerThanQuote = lowerAmount(template.amount);
  const lower = lowerThanQuote === undefined ? undefined : await pay(lowerThanQuote);
  // An accepted payment uses the quote, so it is also the one that is repeated.
  const isLowerAccepted = lower !== undefined && isSuccess(lower.reply);
  const { order, sentAt, reply } = isLowerAccepted ? lower : await pay(template.amount);
  if (!isSuccess(reply)) return `the platform rejected the payment: ${describeResponse(reply)}`;
  if (lower !== undefined) session.noteError('quote_mismatch', lower.reply);
  const payment = fieldsOf(reply.body);
  const { id, createdAt } = payment;
  // Without an id, it is neither found in the list nor told apart from its repetition.
  if (typeof id !== 'string') return `the accepted payment has no id: ${describeResponse(reply)}`;
  const listed = await waitUntilListed(session, id, timeOf(createdAt), sentAt);
  return {
    reply,
    payment,
    lower: lower?.reply,
    ...(await repeatPayment(session, order, id, secondQuote)),
    lag: listed?.lag,
    isListedWithQuote: listed?.quote === quote,
  };
}

/** Sends the payment again, then with another reference, then with another quote, until it is clear what counts. */
async function repeatPayment(
  session: Session,
  order: Fields,
  id: string,
  secondQuote: string | undefined,
): Promise<Pick<PaymentFacts, 'idempotency' | 'quotes' | 'repeats'>> {
  const isNew = (reply: ReceivedResponse): boolean => isSuccess(reply) && fieldsOf(reply.body)['id'] !== id;
  const same = await session.pay(order, 'valid');
  if (isNew(same)) return { idempotency: 'none', quotes: 'reusable', repeats: [same] };
  const reference = `${String(order['internalReference'])}-2`;
  const otherReference = await session.pay({ ...order, internalReference: reference }, 'valid');
  const quotes = isNew(otherReference) ? 'reusable' : 'single-use';
  const repeats = [same, otherReference];
  if (!isSuccess(same)) {
    session.noteError('quote_used', same);
    return { idempotency: 'none', quotes, repeats };
  }
  if (isSuccess(otherReference))
    return { idempotency: isNew(otherReference) ? 'by-reference' : 'by-quote', quotes, repeats };
  if (secondQuote === undefined) return { idempotency: 'by an unknown field', quotes, repeats };
  const otherQuote = await session.pay({ ...order, paymentQuoteId: secondQuote }, 'valid');
  return { idempotency: isNew(otherQuote) ? 'by-quote' : 'by-reference', quotes, repeats: [...repeats, otherQuote] };
}

async function waitUntilListed(
  session: Session,
  id: string,
  createdAt: number | undefined,
  sentAt: number,
): Promise<{ readonly lag: number; readonly quote: unknown } | undefined> {
  const { corridor, signal, sleep } = session;
  const secondsSince = (): number => Math.ceil((session.now() - sentAt) / 1000);
  const query = { id, ...(createdAt !== undefined && { createdFrom: new Date(createdAt - 60_000) }) };
  for (let lag = 0; lag <= maxLag; lag = secondsSince()) {
    const found = await corridor.payments.find(query, { signal });
    if (found !== undefined) return { lag: lag === 0 ? 0 : secondsSince(), quote: found.paymentQuoteId };
    await sleep(1000);
  }
  return undefined;
}

/** Returns an amount one unit of its last digit lower; undefined if it would be zero. */
function lowerAmount(amount: string): string | undefined {
  const digits = amount.replaceAll(/\D/g, '');
  const lower = BigInt(digits) - 1n;
  if (lower <= 0n) return undefined;
  const padded = [...lower.toString().padStart(digits.length, '0')];
  return amount.replaceAll(/\d/g, () => padded.shift() ?? '0').replace(/^0+(?=\d)/, '');
}
