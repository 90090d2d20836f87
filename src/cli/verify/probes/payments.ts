import { randomUUID } from 'node:crypto';
import { errorIn } from '../../../contract/schema/error-body.js';
import type { AmountFormat } from '../../../index.js';
import {
  assumedFormat,
  exchangeProbes,
  lagQuestion,
  observeLag,
  type Observation,
  type Question,
} from '../../../mock/upstream/probes.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  timeOf,
  type Fields,
  type ObservedExchange,
} from '../../../mock/upstream/observed-exchange.js';
import type { Probe } from '../probe.js';
import { recordsOf } from '../samples.js';
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
export function dryRun(session: Session, fields: DryFields = {}): Promise<ObservedExchange> {
  // Also if the response is known: the stop is the result that counts.
  session.assertNotStopped();
  return session.share(`dry run ${JSON.stringify(fields)}`, () =>
    session.pay({ amount: session.amount, ...dryPayment, ...fields }, 'invalid'),
  );
}

/** Returns a key that two responses share if the platform rejected both for the same reason. It is never printed. */
function reasonOf({ status, body, requestId }: ObservedExchange): string {
  const { code } = errorIn(body);
  if (code !== undefined) return `${status} ${code}`;
  const text = (JSON.stringify(body) ?? '').replaceAll(requestId ?? ' ', '');
  // Ids, times and numbers differ from response to response.
  return `${status} ${text.replaceAll(/[\w-]{16,}/g, '').replaceAll(/\d+/g, '')}`;
}

/** Checks whether the platform rejected two requests for the same reason. */
export const hasSameReason = (one: ObservedExchange, other: ObservedExchange): boolean =>
  reasonOf(one) === reasonOf(other);

/** How long the list may lag, in seconds. */
const maxLag = 60;

/** The number of requests with which the run can create payments: each is sent once. */
export const maxPayments = ({ quotes }: Writes): number => 3 + quotes.length;

/** The formats of amounts, by the amounts that each accepts. */
const amountFormats: readonly (readonly [format: AmountFormat | typeof assumedFormat, ...accepted: DryAmount[]])[] = [
  [assumedFormat, '1', '1.5', '1.50'],
  [{ decimals: 2 }, '1.50'],
  [{ decimals: 0 }, '1'],
  [{ separator: ',' }, '1', '1,5', '1,50'],
  [{ decimals: 2, separator: ',' }, '1,50'],
];

const approval: Question = {
  key: 'A-32: whether the customer and the beneficiary of a payment must be approved',
  assumed: 'approved',
  setting: 'behavior.parties',
  meaning:
    'The status is not checked, or only after the quote. ' +
    'payments.preflight reports such parties, and you may ignore it.',
};
const ownership: Question = {
  key: 'A-33: whether the beneficiary, the quote and the documents of a payment must belong to its customer',
  assumed: 'customer',
  setting: 'behavior.ownership',
  meaning: 'A payment can go to a beneficiary of another customer. Compare customerId of the beneficiary yourself.',
};

/** The probes that send payments that no platform can process. */
export const dryProbes: readonly Probe[] = [
  {
    questions: [
      {
        key: 'A-18: the format of an amount',
        assumed: assumedFormat,
        setting: 'dialect.amountFormat',
        meaning:
          'Amounts that the client accepts are rejected, or the other way ' +
          'round. Set dialect.amountFormat if it has the format.',
      },
    ],
    needs: 'writes',
    async run(session) {
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
    questions: [approval, ownership],
    needs: 'writes',
    run: observeParties,
  },
];

const isApproved = ({ status }: Fields): boolean => status === 'APPROVED';

/**
 * Sends payments of real customers and beneficiaries, with quotes that do not exist. If the platform does not check
 * customer, beneficiary and quote in this order, its errors do not show which of them it checks.
 */
async function observeParties(session: Session): Promise<string | undefined> {
  const { evidence } = session;
  const customers = await recordsOf(session, 'customers.list');
  const beneficiaries = await recordsOf(session, 'customers.beneficiaries');
  const approved = new Set(customers.filter(isApproved).map(({ id }) => id));
  const usual = beneficiaries.find((each) => isApproved(each) && approved.has(each['customerId']));
  if (usual === undefined) return 'needs an approved customer with an approved beneficiary';
  const { customerId, id: beneficiaryId } = usual;
  const withNeither = await dryRun(session);
  const withCustomer = await dryRun(session, { customerId });
  const withBoth = await dryRun(session, { customerId, beneficiaryId });
  const responses = [withNeither, withCustomer, withBoth];
  if (new Set(responses.map(reasonOf)).size < responses.length)
    return `the errors do not show what the platform checks: ${responses.map(describeResponse).join('; ')}`;
  session.noteError('beneficiary_not_found', withCustomer);
  session.noteError('quote_not_found', withBoth);

  const customer = customers.find((each) => !isApproved(each));
  const beneficiary = beneficiaries.find((each) => each['customerId'] === customerId && !isApproved(each));
  const unapproved = [
    ['customer', customer, { customerId: customer?.['id'] }, withCustomer],
    ['beneficiary', beneficiary, { customerId, beneficiaryId: beneficiary?.['id'] }, withBoth],
  ] as const;
  const rejected = new Set<boolean>();
  const shown: string[] = [];
  for (const [name, record, fields, accepted] of unapproved) {
    if (record === undefined) continue;
    const response = await dryRun(session, fields);
    const isRejected = !hasSameReason(response, accepted);
    if (isRejected) session.noteError(`${name}_not_approved`, response);
    rejected.add(isRejected);
    shown.push(`${name} that is not approved: ${describeResponse(response)}`);
  }
  const value = !rejected.has(false) ? 'approved' : rejected.has(true) ? 'only one approved' : 'any';
  if (shown.length > 0) evidence.conclude(approval, { value, evidence: shown.join('; ') });

  const foreign = beneficiaries.find((each) => isApproved(each) && each['customerId'] !== customerId);
  if (foreign !== undefined) {
    const response = await dryRun(session, { customerId, beneficiaryId: foreign['id'] });
    evidence.conclude(ownership, {
      value: hasSameReason(response, withBoth) ? 'organization' : 'customer',
      evidence: `a beneficiary of another customer: ${describeResponse(response)}`,
    });
  }
  return 'needs a customer, or a beneficiary of an approved one, that is not approved; and approved ones of two customers';
}

const idempotency: Question = {
  key: 'A-11: whether a create is idempotent',
  assumed: 'none',
  setting: 'behavior.idempotency',
};
const quoteUse: Question = {
  key: 'A-11: whether a quote can be used more than once',
  assumed: 'single-use',
  setting: 'behavior.quotes',
  meaning: 'The quote does not protect you from paying twice: only createOnce with a journal does.',
};
const agreement: Question = {
  key: 'A-28: whether a payment, its quote and its beneficiary must agree in amount and currency',
  assumed: 'as-quoted',
  setting: 'behavior.amounts',
  meaning: 'A payment can differ from its quote. Call payments.preflight before you create one.',
};

/** The probe that creates payments, each once. */
export const paymentProbe: Probe = {
  questions: [
    exchangeProbes.createdStatus,
    exchangeProbes.clock,
    idempotency,
    quoteUse,
    lagQuestion,
    agreement,
    exchangeProbes.quotesInLists,
  ],
  needs: 'payment',
  about: 'with a new payment',
  async run(session) {
    const { evidence, writes } = session;
    const [quote, secondQuote] = writes?.quotes ?? [];
    const template = writes?.payment as PaymentTemplate;
    const reference = `corridor-verify-${randomUUID()}`;
    const pay = async (amount: string) => {
      const order = { ...template, amount, paymentQuoteId: quote, internalReference: reference };
      const sentAt = session.now();
      return { order, sentAt, reply: await session.pay(order, 'new') };
    };
    const lowerThanQuote = lowerAmount(template.amount);
    const lower = lowerThanQuote === undefined ? undefined : await pay(lowerThanQuote);
    // An accepted payment uses the quote, so it is also the one that is repeated.
    const isLowerAccepted = lower !== undefined && isSuccess(lower.reply);
    const { order, sentAt, reply } = isLowerAccepted ? lower : await pay(template.amount);
    if (!isSuccess(reply)) return `the platform rejected the payment: ${describeResponse(reply)}`;
    if (lower !== undefined) {
      session.noteError('quote_mismatch', lower.reply);
      evidence.conclude(agreement, {
        value: isLowerAccepted ? 'free' : 'as-quoted',
        evidence: `a payment of less than its quote: ${describeResponse(lower.reply)}`,
      });
    }
    const { id, createdAt } = fieldsOf(reply.body);
    // Without an id, it is neither found in the list nor told apart from its repetition.
    if (typeof id !== 'string') return `the accepted payment has no id: ${describeResponse(reply)}`;
    const listed = await waitUntilListed(session, id, timeOf(createdAt), sentAt);
    evidence.conclude(lagQuestion, observeLag(listed?.lag, maxLag));
    const others = evidence.find(exchangeProbes.quotesInLists);
    if (listed?.quote !== quote) {
      const problem =
        listed === undefined
          ? `the list did not have the payment of this run after ${maxLag} s`
          : 'the list has the payment of this run without its quote';
      evidence.conclude(exchangeProbes.quotesInLists, {
        value: false,
        evidence: `${problem}: ${describeResponse(reply)}`,
        meaning:
          'createOnce and reconcile cannot find a payment whose response was lost, so a ' +
          'repeated call can pay twice. Ask the platform before you create payments.',
      });
    } else if (others?.value !== false)
      evidence.conclude(exchangeProbes.quotesInLists, {
        value: true,
        evidence: [
          'the list has the payment of this run with its quote',
          ...(others === undefined ? [] : [others.evidence]),
        ].join('; '),
      });
    const repetition = await repeatPayment(session, order, id, secondQuote);
    evidence.conclude(idempotency, observeIdempotency(repetition));
    evidence.conclude(quoteUse, {
      value: repetition.quotes,
      evidence: `${repetition.quotes === 'single-use' ? 'a quote is good for one payment' : 'a quote paid twice'}: ${describeAll(repetition)}`,
    });
    return lower === undefined ? 'the amount of --payment is too small to try a lower one' : undefined;
  },
};

/** What repeated payments showed. */
interface Repetition {
  /** What a create is idempotent by. */
  readonly value: 'none' | 'by-quote' | 'by-reference' | 'by an unknown field';
  readonly quotes: 'single-use' | 'reusable';
  /** The responses. */
  readonly repeats: readonly ObservedExchange[];
}

/** Sends the payment again, then with another reference, then with another quote, until it is clear what counts. */
async function repeatPayment(
  session: Session,
  order: Fields,
  id: string,
  secondQuote: string | undefined,
): Promise<Repetition> {
  const isNew = (reply: ObservedExchange): boolean => isSuccess(reply) && fieldsOf(reply.body)['id'] !== id;
  const same = await session.pay(order, 'repeated');
  if (isNew(same)) return { value: 'none', quotes: 'reusable', repeats: [same] };
  const reference = `${String(order['internalReference'])}-2`;
  const otherReference = await session.pay({ ...order, internalReference: reference }, 'repeated');
  const quotes = isNew(otherReference) ? 'reusable' : 'single-use';
  const repeats = [same, otherReference];
  if (!isSuccess(same)) {
    session.noteError('quote_used', same);
    return { value: 'none', quotes, repeats };
  }
  if (isSuccess(otherReference)) return { value: isNew(otherReference) ? 'by-reference' : 'by-quote', quotes, repeats };
  if (secondQuote === undefined) return { value: 'by an unknown field', quotes, repeats };
  const otherQuote = await session.pay({ ...order, paymentQuoteId: secondQuote }, 'repeated');
  return { value: isNew(otherQuote) ? 'by-quote' : 'by-reference', quotes, repeats: [...repeats, otherQuote] };
}

const describeAll = ({ repeats }: Repetition): string =>
  `repeated payments: ${repeats.map(describeResponse).join('; ')}`;

function observeIdempotency(repetition: Repetition): Observation {
  const { value } = repetition;
  const evidence = describeAll(repetition);
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
