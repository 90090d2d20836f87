import { paymentStatuses } from '../../../index.js';
import {
  dryAmounts,
  dryRun,
  isApproved,
  maxLag,
  partiesOf,
  paymentFacts,
  reasonOf,
  type DryAmount,
  type Parties,
  type PaymentFacts,
} from '../payments.js';
import type { NotObserved, Observation, Probe } from '../probe.js';
import { paymentPage, payments, screening } from '../samples.js';
import {
  describeResponse,
  fieldsOf,
  identifier,
  isSuccess,
  itemsOf,
  mayHaveTakenEffect,
  requestOf,
  timeOf,
  type ReceivedResponse,
  type Session,
} from '../session.js';

/** What a probe needs that concludes from the payments of this run. */
const fromPayments = (
  observe: (facts: PaymentFacts) => Observation | NotObserved,
): Pick<Probe, 'needs' | 'observe'> => ({
  needs: ['allow-writes', 'payment'],
  async observe(session) {
    const facts = await paymentFacts(session);
    return typeof facts === 'string' ? facts : observe(facts);
  },
});

/** What a probe needs that sends payments of real customers and beneficiaries, with quotes that do not exist. */
const fromParties = (
  observe: (session: Session, parties: Parties) => Promise<Observation | NotObserved>,
): Pick<Probe, 'needs' | 'observe'> => ({
  needs: ['allow-writes'],
  async observe(session) {
    const parties = await partiesOf(session);
    return typeof parties === 'string' ? parties : observe(session, parties);
  },
});

const describeAll = (replies: readonly ReceivedResponse[]): string =>
  `repeated payments: ${replies.map(describeResponse).join('; ')}`;

/** Deletes the document of --delete-document, and deletes it again if that was a success. */
const deletion = (session: Session) =>
  session.share('deletion', async () => {
    const id = session.settings.writes?.deletedDocument ?? '';
    const record = (note: string): Promise<void> => session.made({ kind: 'deleted document', id, note });
    const first = await session.call('documents.delete', { ids: { id } }).catch(async (error: unknown) => {
      if (mayHaveTakenEffect(error)) await record('may be deleted');
      throw error;
    });
    if (isSuccess(first)) await record(requestOf(first.requestId).join());
    else if (first.status === 409) await record('may be deleted');
    const second = isSuccess(first) ? await session.call('documents.delete', { ids: { id } }) : undefined;
    return { first, second, evidence: `documents.delete: ${describeResponse(first)}` };
  });

/** The fields that all quotes share, besides `fundingType`. */
const quoteFields = [
  'id',
  'paymentAmount',
  'paymentCurrencyCode',
  'totalTarget',
  'targetCurrencyCode',
  'createdAt',
  'expiresAt',
  'usedAt',
  'priceBreakdown',
];

/** The patterns of amounts, by the amounts that each accepts. The first is the assumed one. */
const amountPatterns: readonly (readonly [pattern: string, ...accepted: DryAmount[]])[] = [
  [String.raw`^\d+(\.\d+)?$`, '1', '1.5', '1.50', '1.505'],
  [String.raw`^\d+(\.\d{1,2})?$`, '1', '1.5', '1.50'],
  [String.raw`^\d+(\.\d{2})?$`, '1', '1.50'],
  [String.raw`^\d+\.\d+$`, '1.5', '1.50', '1.505'],
  [String.raw`^\d+\.\d{2}$`, '1.50'],
  [String.raw`^\d+$`, '1'],
  [String.raw`^\d+(,\d{1,2})?$`, '1', '1,50'],
  [String.raw`^\d+,\d+$`, '1,50', '1,505'],
  [String.raw`^\d+,\d{2}$`, '1,50'],
];

/** The probes that send payments that no platform can process. */
export const dryProbes: readonly Probe[] = [
  {
    row: 'A-18',
    question: 'the format of an amount',
    needs: ['allow-writes'],
    assumed: amountPatterns[0]?.[0],
    setting: 'dialect.amountPattern',
    meaning: 'Amounts that the client accepts are rejected, or the other way round. Set dialect.amountPattern.',
    async observe(session) {
      const control = await dryRun(session, { amount: 'x' });
      const accepted: DryAmount[] = [];
      for (const amount of dryAmounts)
        if (reasonOf(await dryRun(session, { amount })) !== reasonOf(control)) accepted.push(amount);
      const evidence = `payments with unknown ids; accepted: ${accepted.join(' ') || 'no amount'}; "x": ${describeResponse(control)}`;
      const [first] = accepted;
      if (first === undefined) return `the platform checks something else before the amount: ${evidence}`;
      // Otherwise, the amount would be the reason for all later errors.
      session.amount = first;
      const [value] = amountPatterns.find(([, ...expected]) => expected.join(' ') === accepted.join(' ')) ?? [];
      return { value, evidence };
    },
  },
  {
    row: 'A-19',
    question: 'the unit of the limit of 64 of `memo`',
    needs: ['allow-writes'],
    assumed: 'code points',
    meaning: 'The limit counts UTF-16 code units or bytes. Shorten memos that contain emoji or other scripts yourself.',
    async observe(session) {
      const valid = await dryRun(session, { memo: 'x' });
      // One code point, two UTF-16 code units, four bytes.
      const longest = await dryRun(session, { memo: '\u{1f600}'.repeat(64) });
      const tooLong = await dryRun(session, { memo: 'x'.repeat(65) });
      const evidence = `64 emoji: ${describeResponse(longest)}; 65 letters: ${describeResponse(tooLong)}`;
      if (reasonOf(tooLong) === reasonOf(valid))
        return `the platform checks something else before the memo: ${evidence}`;
      return { value: reasonOf(longest) === reasonOf(valid) ? 'code points' : 'smaller units', evidence };
    },
  },
  {
    row: 'A-32',
    question: 'whether the customer and the beneficiary of a payment must be approved',
    assumed: 'approved',
    setting: 'behavior.parties',
    meaning:
      'The status is not checked, or only after the quote. payments.preflight reports such parties, and you may ignore it.',
    ...fromParties(async (session, { customers, beneficiaries, customerId, withCustomer, withBoth }) => {
      const customer = customers.find((each) => !isApproved(each));
      const beneficiary = beneficiaries.find((each) => each['customerId'] === customerId && !isApproved(each));
      const tested: (readonly ['customer' | 'beneficiary', ReceivedResponse, boolean])[] = [];
      const send = async (name: 'customer' | 'beneficiary', fields: object, usual: ReceivedResponse): Promise<void> => {
        const response = await dryRun(session, { ...fields });
        const isRejected = reasonOf(response) !== reasonOf(usual);
        if (isRejected) session.noteError(`${name}_not_approved`, response);
        tested.push([name, response, isRejected]);
      };
      if (customer !== undefined) await send('customer', { customerId: customer['id'] }, withCustomer);
      if (beneficiary !== undefined)
        await send('beneficiary', { customerId, beneficiaryId: beneficiary['id'] }, withBoth);
      if (tested.length === 0)
        return 'needs a customer, or a beneficiary of an approved customer, that is not approved';
      const evidence = tested
        .map(([name, response]) => `${name} that is not approved: ${describeResponse(response)}`)
        .join('; ');
      const rejected = tested.filter(([, , isRejected]) => isRejected).length;
      if (rejected === tested.length) return { value: 'approved', evidence };
      return {
        value: 'any',
        evidence,
        ...(rejected > 0 && { measured: { 'behavior.parties': undefined } }),
      };
    }),
  },
  {
    row: 'A-33',
    question: 'whether the beneficiary, the quote and the documents of a payment must belong to its customer',
    assumed: 'customer',
    setting: 'behavior.ownership',
    meaning: 'A payment can go to a beneficiary of another customer. Compare customerId of the beneficiary yourself.',
    ...fromParties(async (session, { beneficiaries, customerId, withBoth }) => {
      const foreign = beneficiaries.find((each) => isApproved(each) && each['customerId'] !== customerId);
      if (foreign === undefined) return 'needs approved beneficiaries of two customers';
      const response = await dryRun(session, { customerId, beneficiaryId: foreign['id'] });
      return {
        value: reasonOf(response) === reasonOf(withBoth) ? 'organization' : 'customer',
        evidence: `a beneficiary of another customer: ${describeResponse(response)}`,
      };
    }),
  },
  {
    row: 'A-34',
    question: 'whether the payment hold of a person affects payments of the customer',
    setting: 'behavior.paymentHold',
    meaning: 'Creates are rejected while a person has a hold. Read screening before you create a payment.',
    ...fromParties(async (session, parties) => {
      const { paymentHold } = fieldsOf((await screening(session))?.['subject']);
      const [customerId = ''] = session.settings.person ?? [];
      if (paymentHold !== true) return 'needs --person with a person who has a payment hold';
      const customer = await session.read('customers.get', (corridor, options) =>
        corridor.customers.get(customerId, options),
      );
      const page = await session.read('customers.beneficiaries', (corridor, options) =>
        corridor.customers.beneficiaries(customerId, { status: 'APPROVED' }, options),
      );
      const beneficiaryId = itemsOf(page)[0]?.['id'];
      if (customer.status !== 'APPROVED' || beneficiaryId === undefined)
        return 'the customer of --person must be approved and have an approved beneficiary';
      const response = await dryRun(session, { customerId, beneficiaryId });
      const evidence = `a payment of a customer with a hold: ${describeResponse(response)}`;
      if (reasonOf(response) === reasonOf(parties.withBoth))
        return `creates are not rejected, and no endpoint shows whether reviews wait; ${evidence}`;
      session.noteError('payment_held', response);
      return { value: 'reject', evidence };
    }),
    needs: ['allow-writes', 'person'],
  },
];

/** The probes that create payments or delete a document. */
export const paymentProbes: readonly Probe[] = [
  {
    row: 'A-10',
    question: 'the status after creation',
    assumed: 'PENDING_REVIEW',
    setting: 'behavior.createdStatus',
    meaning: 'The client accepts any status. Code of yours that waits for PENDING_REVIEW does not.',
    ...fromPayments(({ payment: { status }, reply }) => ({
      value: status,
      evidence: `${identifier(status)}: ${describeResponse(reply)}`,
      ...(!paymentStatuses.some((each) => each === status) && { measured: { 'behavior.createdStatus': undefined } }),
    })),
  },
  {
    row: 'A-11',
    question: 'whether a create is idempotent',
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
    row: 'A-11',
    question: 'whether a quote can be used more than once',
    assumed: 'single-use',
    setting: 'behavior.quotes',
    meaning: 'The quote does not protect you from paying twice: only createOnce with a journal does.',
    ...fromPayments(({ quotes: value, repeats }) => ({
      value,
      evidence: `${value === 'single-use' ? 'a quote is good for one payment' : 'a quote paid twice'}: ${describeAll(repeats)}`,
    })),
  },
  {
    row: 'A-11',
    question: 'how long lists lag',
    assumed: 0,
    ...fromPayments(({ lag }) => ({
      value: lag,
      evidence:
        lag === 0
          ? 'the first read of the list had the payment'
          : lag === undefined
            ? `the list did not have the payment after ${maxLag} s`
            : `the list had the payment after ${lag} s`,
      meaning:
        lag === undefined
          ? `Set consistencyWindow to more than ${maxLag} s, or ask the platform why the payment is missing.`
          : lag < 10
            ? 'The default consistencyWindow of 10 s covers it.'
            : `Set consistencyWindow to at least ${lag * 2} s: otherwise createOnce does not find payments in time.`,
      measured: { 'behavior.listLag': lag === undefined || lag === 0 ? undefined : { seconds: lag } },
    })),
  },
  {
    row: 'A-9',
    question: 'the fields of the bank-funded quote',
    assumed: 'as assumed',
    meaning: 'The client keeps other fields. Read them as unknown, and ask for their specification.',
    ...fromPayments(({ payment: { paymentQuote } }) => {
      const { fundingType, ...fields } = fieldsOf(paymentQuote);
      if (fundingType === 'CRYPTO') return 'the quote of this run is funded in crypto';
      const others = Object.keys(fields).filter((name) => !quoteFields.includes(name));
      const missing = quoteFields.filter((name) => !Object.hasOwn(fields, name));
      if (fundingType === 'BANK_ACCOUNT' && others.length === 0 && missing.length === 0)
        return { value: 'as assumed', evidence: 'only the shared fields' };
      return {
        value: 'different',
        evidence: `fundingType ${identifier(fundingType)}, other fields: ${others.map(identifier).join(', ') || '-'}, missing: ${missing.join(', ') || '-'}`,
      };
    }),
  },
  {
    row: 'A-26',
    question: 'how long a quote is valid',
    assumed: 900,
    setting: 'behavior.quoteLifetime',
    meaning: 'Request a new quote when expiresAt has passed.',
    ...fromPayments(({ payment, reply }) => {
      const { createdAt, expiresAt } = fieldsOf(payment['paymentQuote']);
      const [from, to] = [timeOf(createdAt), timeOf(expiresAt)];
      if (from === undefined || to === undefined || to <= from)
        return `the quote shows no lifetime: ${describeResponse(reply)}`;
      const seconds = Math.round((to - from) / 1000);
      return { value: seconds, evidence: `${seconds} s: ${describeResponse(reply)}` };
    }),
  },
  {
    row: 'A-28',
    question: 'whether a payment, its quote and its beneficiary must agree in amount and currency',
    assumed: 'agreeing',
    setting: 'behavior.amounts',
    meaning: 'A payment can differ from its quote. Call payments.preflight before you create one.',
    ...fromPayments(({ freeAmount }) => {
      if (freeAmount === undefined) return 'the amount of --payment is too small to try a lower one';
      const [isFree, reply] = freeAmount;
      return {
        value: isFree ? 'free' : 'agreeing',
        evidence: `a payment of less than its quote: ${describeResponse(reply)}`,
      };
    }),
  },
  {
    row: 'A-16',
    question: 'whether the list shows every payment',
    assumed: true,
    isSample: true,
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
            'createOnce and reconcile cannot find a payment whose response was lost, so a repeated call can pay twice. Ask the platform before you create payments.',
        };
      }
      const sample = await payments(session);
      if (sample.length === 0 && !hasPaid) return 'the list has no payments';
      const without = sample.filter(({ paymentQuoteId }) => typeof paymentQuoteId !== 'string').length;
      const { requestId } = await paymentPage(session);
      const evidence = `${sample.length - without} of ${sample.length} listed payments have a paymentQuoteId, ${requestOf(requestId).join()}`;
      if (without > 0)
        return {
          value: false,
          evidence,
          meaning:
            'createOnce and reconcile find a payment by its quote. Ask the platform whether the payments without one were created in another way.',
        };
      return {
        value: true,
        evidence: hasPaid
          ? `the list has the payment of this run with its quote; ${evidence}`
          : `${evidence}; not tested with a new payment: ${facts}`,
      };
    },
  },
  {
    row: 'A-5',
    question: 'the response bodies of `support.reply` and `documents.delete`',
    needs: ['allow-writes', 'delete-document'],
    assumed: 'no body',
    meaning: 'The client does not read it. Call corridor.request if you need it.',
    async observe(session) {
      const { first, evidence } = await deletion(session);
      if (!isSuccess(first)) return evidence;
      return first.body === undefined
        ? { value: 'no body', evidence: `${evidence}, no body` }
        : { value: 'a body', evidence: `${evidence}, with a body` };
    },
  },
  {
    row: 'A-20',
    question: 'the response to a repeated DELETE',
    needs: ['allow-writes', 'delete-document'],
    assumed: 404,
    async observe(session) {
      const { second, evidence } = await deletion(session);
      if (second === undefined) return evidence;
      return {
        value: second.status,
        evidence: `the second documents.delete: ${describeResponse(second)}`,
        meaning: isSuccess(second)
          ? 'A repeated DELETE succeeds. Nothing changes for you: a retry after a lost response is a success too.'
          : 'After a lost response, documents.delete can throw although the document is deleted. Check before you report it.',
      };
    },
  },
];
