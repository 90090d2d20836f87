import { randomUUID } from 'node:crypto';
import type { AmountFormat } from '../../../index.js';
import {
  assumedFormat,
  exchangeProbes,
  lagQuestion,
  observeLag,
  type Observation,
} from '../../../mock/upstream/probes.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  timeOf,
  type Fields,
  type ObservedResponse,
} from '../../../mock/upstream/observed-exchange.js';
import type { Probe } from '../probe.js';
import { beneficiaries, customers, paymentPage } from '../samples.js';
import type { PaymentTemplate, Session, Writes } from '../session.js';

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
const dryAmounts = ['1', '1.5', '1.50', '1,5', '1,50'] as const;
type DryAmount = (typeof dryAmounts)[number];

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
export function dryRun(session: Session, fields: DryFields = {}): Promise<ObservedResponse> {
  // Also if the response is known: the stop is the result that counts.
  session.assertNotStopped();
  return session.share(`dry run ${JSON.stringify(fields)}`, () =>
    session.pay({ amount: session.amount, ...dryPayment, ...fields }, 'invalid'),
  );
}

/** Returns a key that two responses share if the platform rejected both for the same reason. It is never printed. */
function reasonOf({ status, code, body, requestId }: ObservedResponse): string {
  if (code !== undefined) return `${status} ${code}`;
  const text = (JSON.stringify(body) ?? '').replaceAll(requestId ?? ' ', '');
  // Ids, times and numbers differ from response to response.
  return `${status} ${text.replaceAll(/[\w-]{16,}/g, '').replaceAll(/\d+/g, '')}`;
}

/** Checks whether the platform rejected two requests for the same reason. */
export const hasSameReason = (one: ObservedResponse, other: ObservedResponse): boolean =>
  reasonOf(one) === reasonOf(other);

/** The responses to payments that are rejected only for their quote or their beneficiary. */
interface Parties {
  /** An approved customer with an approved beneficiary. */
  readonly customerId: unknown;
  readonly withCustomer: ObservedResponse;
  readonly withBoth: ObservedResponse;
}

const isApproved = ({ status }: Fields): boolean => status === 'APPROVED';

/**
 * Sends payments with quotes that do not exist. Returns the reason if the platform does not check customer, beneficiary
 * and quote in this order: then its errors do not show which of them it checks.
 */
function partiesOf(session: Session): Promise<Parties | string> {
  return session.share('parties', async () => {
    const approved = new Set((await customers(session)).filter(isApproved).map(({ id }) => id));
    const listed = await beneficiaries(session);
    const beneficiary = listed.find((each) => isApproved(each) && approved.has(each['customerId']));
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
    return { customerId, withCustomer, withBoth };
  });
}

/** What the payments of a run showed. */
interface PaymentFacts {
  /** The response to the first accepted payment, and its fields. */
  readonly reply: ObservedResponse;
  readonly payment: Fields;
  /** The response to a payment of less than its quote; undefined if the amount is too small for one. */
  readonly lower: ObservedResponse | undefined;
  readonly idempotency: 'none' | 'by-quote' | 'by-reference' | 'by an unknown field';
  readonly quotes: 'single-use' | 'reusable';
  /** The responses to the repeated requests. */
  readonly repeats: readonly ObservedResponse[];
  /**
   * How many seconds after its request the list showed the payment, rounded up; 0 if its first read did, undefined if
   * it did not within `maxLag`.
   */
  readonly lag: number | undefined;
  /** Whether the list shows the payment with its quote. */
  readonly isListedWithQuote: boolean;
}

/** How long the list may lag, in seconds. */
const maxLag = 60;

/** The number of requests with which the run can create payments: each is sent once. */
export const maxPayments = ({ quotes }: Writes): number => 3 + quotes.length;

/** Returns the facts, or the reason why they are missing. */
function paymentFacts(session: Session): Promise<PaymentFacts | string> {
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
  const isNew = (reply: ObservedResponse): boolean => isSuccess(reply) && fieldsOf(reply.body)['id'] !== id;
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

/** What a probe needs that concludes from the payments of this run. */
const fromPayments = (observe: (facts: PaymentFacts) => Observation | string): Pick<Probe, 'needs' | 'observe'> => ({
  needs: 'payment',
  async observe(session) {
    const facts = await paymentFacts(session);
    return typeof facts === 'string' ? facts : observe(facts);
  },
});

/** What a probe needs that sends payments of real customers and beneficiaries, with quotes that do not exist. */
const fromParties = (
  observe: (session: Session, parties: Parties) => Promise<Observation | string>,
): Pick<Probe, 'needs' | 'observe'> => ({
  needs: 'writes',
  async observe(session) {
    const parties = await partiesOf(session);
    return typeof parties === 'string' ? parties : observe(session, parties);
  },
});

const describeAll = (replies: readonly ObservedResponse[]): string =>
  `repeated payments: ${replies.map(describeResponse).join('; ')}`;

/** The formats of amounts, by the amounts that each accepts. */
const amountFormats: readonly (readonly [format: AmountFormat | typeof assumedFormat, ...accepted: DryAmount[]])[] = [
  [assumedFormat, '1', '1.5', '1.50'],
  [{ decimals: 2 }, '1.50'],
  [{ decimals: 0 }, '1'],
  [{ separator: ',' }, '1', '1,5', '1,50'],
  [{ decimals: 2, separator: ',' }, '1,50'],
];

/** The probes that send payments that no platform can process. */
export const dryProbes: readonly Probe[] = [
  {
    key: 'A-18: the format of an amount',
    needs: 'writes',
    assumed: assumedFormat,
    setting: 'dialect.amountFormat',
    meaning:
      'Amounts that the client accepts are rejected, or the other way ' +
      'round. Set dialect.amountFormat if it has the format.',
    async observe(session) {
      const control = await dryRun(session, { amount: 'x' });
      const accepted: DryAmount[] = [];
      for (const amount of dryAmounts)
        if (!hasSameReason(await dryRun(session, { amount }), control)) accepted.push(amount);
      const evidence =
        'payments with unknown ids; ' +
        `accepted: ${accepted.join(' ') || 'no amount'}; ` +
        `"x": ${describeResponse(control)}`;
      const [first] = accepted;
      if (first === undefined) return `the platform checks something else before the amount: ${evidence}`;
      // Otherwise, the amount would be the reason for all later errors.
      session.amount = first;
      const [value = null] = amountFormats.find(([, ...expected]) => expected.join(' ') === accepted.join(' ')) ?? [];
      return { value, evidence };
    },
  },
  {
    key: 'A-32: whether the customer and the beneficiary of a payment must be approved',
    assumed: 'approved',
    setting: 'behavior.parties',
    meaning:
      'The status is not checked, or only after the quote. ' +
      'payments.preflight reports such parties, and you may ignore it.',
    ...fromParties(async (session, { customerId, withCustomer, withBoth }) => {
      const customer = (await customers(session)).find((each) => !isApproved(each));
      const listed = await beneficiaries(session);
      const beneficiary = listed.find((each) => each['customerId'] === customerId && !isApproved(each));
      const parties = [
        ['customer', customer, { customerId: customer?.['id'] }, withCustomer],
        ['beneficiary', beneficiary, { customerId, beneficiaryId: beneficiary?.['id'] }, withBoth],
      ] as const;
      const rejected = new Set<boolean>();
      const evidence: string[] = [];
      for (const [name, record, fields, usual] of parties) {
        if (record === undefined) continue;
        const response = await dryRun(session, fields);
        const isRejected = !hasSameReason(response, usual);
        if (isRejected) session.noteError(`${name}_not_approved`, response);
        rejected.add(isRejected);
        evidence.push(`${name} that is not approved: ${describeResponse(response)}`);
      }
      if (evidence.length === 0)
        return 'needs a customer, or a beneficiary of an approved customer, that is not approved';
      const value = !rejected.has(false) ? 'approved' : rejected.has(true) ? 'only one approved' : 'any';
      return { value, evidence: evidence.join('; ') };
    }),
  },
  {
    key: 'A-33: whether the beneficiary, the quote and the documents of a payment must belong to its customer',
    assumed: 'customer',
    setting: 'behavior.ownership',
    meaning: 'A payment can go to a beneficiary of another customer. Compare customerId of the beneficiary yourself.',
    ...fromParties(async (session, { customerId, withBoth }) => {
      const listed = await beneficiaries(session);
      const foreign = listed.find((each) => isApproved(each) && each['customerId'] !== customerId);
      if (foreign === undefined) return 'needs approved beneficiaries of two customers';
      const response = await dryRun(session, { customerId, beneficiaryId: foreign['id'] });
      return {
        value: hasSameReason(response, withBoth) ? 'organization' : 'customer',
        evidence: `a beneficiary of another customer: ${describeResponse(response)}`,
      };
    }),
  },
];

/** The probes that create payments. */
export const paymentProbes: readonly Probe[] = [
  {
    ...exchangeProbes.createdStatus,
    ...fromPayments(({ reply }) => exchangeProbes.createdStatus.look({ ...reply, endpoint: 'payments.create' })),
  },
  {
    ...exchangeProbes.clock,
    ...fromPayments(({ reply }) => exchangeProbes.clock.look({ ...reply, endpoint: 'payments.create' })),
  },
  {
    key: 'A-11: whether a create is idempotent',
    assumed: 'none',
    setting: 'behavior.idempotency',
    ...fromPayments(({ idempotency: value, repeats }) => {
      const evidence = describeAll(repeats);
      if (value === 'none') return { value, evidence: `not idempotent: ${evidence}` };
      if (value === 'by an unknown field')
        return {
          value,
          evidence: `a repeated payment returns the first: ${evidence}`,
          meaning: 'Pass a second quote to find out whether the quote or the reference counts.',
          measured: {},
        };
      const platform = value === 'by-quote' ? 'the platform, too,' : 'with the same internalReference, the platform';
      return {
        value,
        evidence: `idempotent ${value}: ${evidence}`,
        meaning: `Keep using createOnce: ${platform} does not pay twice.`,
      };
    }),
  },
  {
    key: 'A-11: whether a quote can be used more than once',
    assumed: 'single-use',
    setting: 'behavior.quotes',
    meaning: 'The quote does not protect you from paying twice: only createOnce with a journal does.',
    ...fromPayments(({ quotes: value, repeats }) => ({
      value,
      evidence: `${value === 'single-use' ? 'a quote is good for one payment' : 'a quote paid twice'}: ${describeAll(repeats)}`,
    })),
  },
  {
    ...lagQuestion,
    ...fromPayments(({ lag }) => observeLag(lag, maxLag)),
  },
  {
    key: 'A-28: whether a payment, its quote and its beneficiary must agree in amount and currency',
    assumed: 'as-quoted',
    setting: 'behavior.amounts',
    meaning: 'A payment can differ from its quote. Call payments.preflight before you create one.',
    ...fromPayments(({ lower }) =>
      lower === undefined
        ? 'the amount of --payment is too small to try a lower one'
        : {
            value: isSuccess(lower) ? 'free' : 'as-quoted',
            evidence: `a payment of less than its quote: ${describeResponse(lower)}`,
          },
    ),
  },
  {
    ...exchangeProbes.quotesInLists,
    async observe(session) {
      const facts = await paymentFacts(session);
      const hasPaid = typeof facts !== 'string';
      if (hasPaid && !facts.isListedWithQuote) {
        const problem =
          facts.lag === undefined
            ? `the list did not have the payment of this run after ${maxLag} s`
            : 'the list has the payment of this run without its quote';
        return {
          value: false,
          evidence: `${problem}: ${describeResponse(facts.reply)}`,
          meaning:
            'createOnce and reconcile cannot find a payment whose response was lost, so a ' +
            'repeated call can pay twice. Ask the platform before you create payments.',
        };
      }
      const page = await paymentPage(session);
      const seen = exchangeProbes.quotesInLists.look(page);
      if (typeof seen === 'string' || seen.value === false) return seen;
      return {
        ...seen,
        evidence: hasPaid
          ? `the list has the payment of this run with its quote; ${seen.evidence}`
          : `${seen.evidence}; not tested with a new payment: ${facts}`,
      };
    },
  },
];
