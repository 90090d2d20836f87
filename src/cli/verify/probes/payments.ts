import { paymentStatuses } from '../../../index.js';
import {
  confirmed,
  contradicted,
  contradictedWithoutValue,
  notTestable,
  type Conclusion,
  type Probe,
} from '../probe.js';
import { maxLag, paymentFacts, type PaymentFacts } from '../payment-trial.js';
import { paymentPage, payments } from '../samples.js';
import { describeResponse, fieldsOf, identifier, requestOf, timeOf, type ReceivedResponse } from '../session.js';

/** Creates a probe that concludes from the payments of this run. */
const paymentProbe = (
  probe: Pick<Probe, 'row' | 'question' | 'settings'>,
  conclude: (facts: PaymentFacts) => Conclusion,
): Probe => ({
  ...probe,
  needs: ['writes'],
  async run(session) {
    const facts = await paymentFacts(session);
    return typeof facts === 'string' ? notTestable(facts) : conclude(facts);
  },
});

const describeAll = (replies: readonly ReceivedResponse[]): string => replies.map(describeResponse).join('; ');

const firstStatus = paymentProbe(
  { row: 'A-10', question: 'the status after creation', settings: ['behavior.createdStatus'] },
  ({ payment: { status }, reply }) => {
    if (status === 'PENDING_REVIEW') return confirmed(`PENDING_REVIEW: ${describeResponse(reply)}`);
    const createdStatus = paymentStatuses.find((each) => each === status);
    return contradicted(
      `${identifier(status)}: ${describeResponse(reply)}`,
      'The client accepts any status. Code of yours that waits for PENDING_REVIEW does not.',
      createdStatus === undefined ? undefined : { behavior: { createdStatus } },
    );
  },
);

const idempotency = paymentProbe(
  { row: 'A-11', question: 'whether a create is idempotent', settings: ['behavior.idempotency'] },
  ({ idempotency: found, repeats }) => {
    const evidence = `repeated payments: ${describeAll(repeats)}`;
    if (found === 'none') return confirmed(`not idempotent: ${evidence}`);
    return found === 'by an unknown field'
      ? contradictedWithoutValue(
          `a repeated payment returns the first: ${evidence}`,
          'Pass a second quote to find out whether the quote or the reference counts.',
        )
      : contradicted(
          `idempotent ${found}: ${evidence}`,
          `Keep using createOnce: ${found === 'by-quote' ? 'the platform, too,' : 'with the same internalReference, the platform'} does not pay twice.`,
          { behavior: { idempotency: found } },
        );
  },
);

const quotes = paymentProbe(
  { row: 'A-11', question: 'whether a quote can be used more than once', settings: ['behavior.quotes'] },
  ({ quotes: found, repeats }) => {
    const evidence = `repeated payments: ${describeAll(repeats)}`;
    if (found === 'single-use') return confirmed(`a quote is good for one payment: ${evidence}`);
    return contradicted(
      `a quote paid twice: ${evidence}`,
      'The quote does not protect you from paying twice: only createOnce with a journal does.',
      { behavior: { quotes: 'reusable' } },
    );
  },
);

const listLag = paymentProbe(
  { row: 'A-11', question: 'how long lists lag', settings: ['behavior.listLag'] },
  ({ lag }) => {
    if (lag === 0) return confirmed('the first read of the list had the payment');
    if (lag === undefined)
      return contradicted(
        `the list did not have the payment after ${maxLag} s`,
        `Set consistencyWindow to more than ${maxLag} s, or ask the platform why the payment is missing.`,
      );
    return contradicted(
      `the list had the payment after ${lag} s`,
      lag < 10
        ? 'The default consistencyWindow of 10 s covers it.'
        : `Set consistencyWindow to at least ${lag * 2} s: otherwise createOnce does not find payments in time.`,
      { behavior: { listLag: { seconds: lag } } },
    );
  },
);

const quoteFields = paymentProbe(
  { row: 'A-9', question: 'the fields of the bank-funded quote' },
  ({ payment: { paymentQuote } }) => {
    const { fundingType, ...fields } = fieldsOf(paymentQuote);
    if (fundingType === 'CRYPTO') return notTestable('the quote of this run is funded in crypto');
    const shared = [
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
    const others = Object.keys(fields).filter((name) => !shared.includes(name));
    const missing = shared.filter((name) => !Object.hasOwn(fields, name));
    if (fundingType === 'BANK_ACCOUNT' && others.length === 0 && missing.length === 0)
      return confirmed('only the shared fields');
    return contradicted(
      `fundingType ${identifier(fundingType)}, other fields: ${others.map(identifier).join(', ') || '-'}, missing: ${missing.join(', ') || '-'}`,
      'The client keeps other fields. Read them as unknown, and ask for their specification.',
    );
  },
);

const quoteLifetime = paymentProbe(
  { row: 'A-26', question: 'how long a quote is valid', settings: ['behavior.quoteLifetime'] },
  ({ payment, reply }) => {
    const { createdAt, expiresAt } = fieldsOf(payment['paymentQuote']);
    const [from, to] = [timeOf(createdAt), timeOf(expiresAt)];
    if (from === undefined || to === undefined || to <= from)
      return notTestable(`the quote shows no lifetime: ${describeResponse(reply)}`);
    const seconds = Math.round((to - from) / 1000);
    if (seconds === 900) return confirmed(`900 s: ${describeResponse(reply)}`);
    return contradicted(`${seconds} s: ${describeResponse(reply)}`, 'Request a new quote when expiresAt has passed.', {
      behavior: { quoteLifetime: seconds },
    });
  },
);

const agreement = paymentProbe(
  {
    row: 'A-28',
    question: 'whether a payment, its quote and its beneficiary must agree in amount and currency',
    settings: ['behavior.amounts'],
  },
  ({ freeAmount }) => {
    if (freeAmount === undefined) return notTestable('the amount of --payment is too small to try a lower one');
    const [isFree, reply] = freeAmount;
    const evidence = `a payment of less than its quote: ${describeResponse(reply)}`;
    return isFree
      ? contradicted(evidence, 'A payment can differ from its quote. Call payments.preflight before you create one.', {
          behavior: { amounts: 'free' },
        })
      : confirmed(evidence);
  },
);

const listedPayments: Probe = {
  row: 'A-16',
  question: 'whether the list shows every payment',
  isSample: true,
  async run(session) {
    const facts = await paymentFacts(session);
    const hasPaid = typeof facts !== 'string';
    if (hasPaid && !facts.isListedWithQuote)
      return contradicted(
        facts.lag === undefined
          ? `the list did not have the payment of this run after ${maxLag} s: ${describeResponse(facts.reply)}`
          : `the list has the payment of this run without its quote: ${describeResponse(facts.reply)}`,
        'createOnce and reconcile cannot find a payment whose response was lost, so a repeated call can pay twice. Ask the platform before you create payments.',
      );
    const sample = await payments(session);
    if (sample.length === 0 && !hasPaid) return notTestable('the list has no payments');
    const without = sample.filter(({ paymentQuoteId }) => typeof paymentQuoteId !== 'string').length;
    const evidence = `${sample.length - without} of ${sample.length} listed payments have a paymentQuoteId, ${requestOf((await paymentPage(session)).requestId).join()}`;
    if (without > 0)
      return contradicted(
        evidence,
        'createOnce and reconcile find a payment by its quote. Ask the platform whether the payments without one were created in another way.',
      );
    return confirmed(
      hasPaid
        ? `the list has the payment of this run with its quote; ${evidence}`
        : `${evidence}; not tested with a new payment: ${facts}`,
    );
  },
};

/** The probes that create payments. */
export const paymentProbes: readonly Probe[] = [
  firstStatus,
  idempotency,
  quotes,
  listLag,
  quoteFields,
  quoteLifetime,
  agreement,
  listedPayments,
];
