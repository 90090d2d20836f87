import {
  dryAmounts,
  dryRun,
  hasSameReason,
  isApproved,
  maxLag,
  partiesOf,
  paymentFacts,
  type DryAmount,
  type Parties,
  type PaymentFacts,
} from '../payments.js';
import type { Observation, Probe } from '../probe.js';
import { paymentPage, payments } from '../samples.js';
import { describeResponse, identifier, isSuccess, requestOf, type ReceivedResponse, type Session } from '../session.js';

/** What a probe needs that concludes from the payments of this run. */
const fromPayments = (observe: (facts: PaymentFacts) => Observation | string): Pick<Probe, 'needs' | 'observe'> => ({
  needs: ['allow-writes', 'payment'],
  async observe(session) {
    const facts = await paymentFacts(session);
    return typeof facts === 'string' ? facts : observe(facts);
  },
});

/** What a probe needs that sends payments of real customers and beneficiaries, with quotes that do not exist. */
const fromParties = (
  observe: (session: Session, parties: Parties) => Promise<Observation | string>,
): Pick<Probe, 'needs' | 'observe'> => ({
  needs: ['allow-writes'],
  async observe(session) {
    const parties = await partiesOf(session);
    return typeof parties === 'string' ? parties : observe(session, parties);
  },
});

const describeAll = (replies: readonly ReceivedResponse[]): string =>
  `repeated payments: ${replies.map(describeResponse).join('; ')}`;

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
    key: 'A-18: the format of an amount',
    needs: ['allow-writes'],
    assumed: amountPatterns[0]?.[0],
    setting: 'dialect.amountPattern',
    meaning: 'Amounts that the client accepts are rejected, or the other way round. Set dialect.amountPattern.',
    async observe(session) {
      const control = await dryRun(session, { amount: 'x' });
      const accepted: DryAmount[] = [];
      for (const amount of dryAmounts)
        if (!hasSameReason(await dryRun(session, { amount }), control)) accepted.push(amount);
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
    key: 'A-32: whether the customer and the beneficiary of a payment must be approved',
    assumed: 'approved',
    setting: 'behavior.parties',
    meaning:
      'The status is not checked, or only after the quote. payments.preflight reports such parties, and you may ignore it.',
    ...fromParties(async (session, { customers, beneficiaries, customerId, withCustomer, withBoth }) => {
      const customer = customers.find((each) => !isApproved(each));
      const beneficiary = beneficiaries.find((each) => each['customerId'] === customerId && !isApproved(each));
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
    ...fromParties(async (session, { beneficiaries, customerId, withBoth }) => {
      const foreign = beneficiaries.find((each) => isApproved(each) && each['customerId'] !== customerId);
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
    key: 'A-10: the status after creation',
    assumed: 'PENDING_REVIEW',
    setting: 'behavior.createdStatus',
    meaning: 'The client accepts any status. Code of yours that waits for PENDING_REVIEW does not.',
    ...fromPayments(({ payment: { status }, reply }) => ({
      value: status,
      evidence: `${identifier(status)}: ${describeResponse(reply)}`,
    })),
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
    key: 'A-11: how long lists lag',
    assumed: 'not at all',
    setting: 'behavior.listLag',
    ...fromPayments(({ lag }) => {
      if (lag === 0) return { value: 'not at all', evidence: 'the first read of the list had the payment' };
      if (lag === undefined)
        return {
          value: 'too long',
          evidence: `the list did not have the payment after ${maxLag} s`,
          meaning: `Set consistencyWindow to more than ${maxLag} s, or ask the platform why the payment is missing.`,
        };
      return {
        value: { seconds: lag },
        evidence: `the list had the payment after ${lag} s`,
        meaning:
          lag < 10
            ? 'The default consistencyWindow of 10 s covers it.'
            : `Set consistencyWindow to at least ${lag * 2} s: otherwise createOnce does not find payments in time.`,
      };
    }),
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
    key: 'A-16: whether the list shows every payment',
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
];
