import { paymentTransitions } from 'corridor-sdk/mock';
import {
  at,
  funded,
  invoicesOf,
  isInOrder,
  payeeOf,
  payerOf,
  payment,
  quote,
  quoteOf,
  usdOf,
  type Rule,
} from './story-records.ts';

/** What holds for the payments of a populated platform, and for their quotes. */
export const paymentRules: readonly Rule[] = [
  // Who pays whom
  ['a payment has a customer of the organization', payment((each, all) => payerOf(each, all) !== undefined)],
  ['its customer is approved', payment((each, all) => payerOf(each, all)?.status === 'APPROVED')],
  [
    'its beneficiary belongs to its customer',
    payment((each, all) => payeeOf(each, all)?.customerId === each.customerId),
  ],
  ['its beneficiary is approved', payment((each, all) => payeeOf(each, all)?.status === 'APPROVED')],
  [
    'it shows the name of its customer',
    payment((each, all) => each.customer.companyName === payerOf(each, all)?.companyName),
  ],
  [
    'it shows the bank of its beneficiary',
    payment((each, all) => each.beneficiary.bankBic === payeeOf(each, all)?.bankBic),
  ],
  // Times
  ['its customer is older', payment((each, all) => isInOrder(payerOf(each, all)?.createdAt, each.createdAt))],
  [
    'its customer was approved before',
    payment((each, all) => isInOrder(payerOf(each, all)?.updatedAt, each.createdAt)),
  ],
  [
    'its beneficiary was approved before',
    payment((each, all) => isInOrder(payeeOf(each, all)?.updatedAt, each.createdAt)),
  ],
  ['its quote was made before', payment((each, all) => at(quoteOf(each, all)?.createdAt) < at(each.createdAt))],
  ['its quote was valid', payment((each, all) => at(each.createdAt) < at(quoteOf(each, all)?.expiresAt))],
  ['its quote was used by it', payment((each, all) => quoteOf(each, all)?.usedAt === each.createdAt)],
  [
    'its invoice was uploaded before',
    payment((each, all) => invoicesOf(each, all).every((file) => at(file?.createdAt) < at(each.createdAt))),
  ],
  ['it was not updated before it was created', payment((each) => isInOrder(each.createdAt, each.updatedAt))],
  ['it was not updated in the future', payment((each, { now }) => at(each.updatedAt) <= now)],
  [
    'it was never updated if it waits for its first review',
    payment((each) => each.status !== 'PENDING_REVIEW' || each.updatedAt === each.createdAt),
  ],
  [
    'it is not in progress for more than a month',
    payment(
      (each, { now }) =>
        paymentTransitions[each.status as 'COMPLETED'].length === 0 ||
        each.status === 'COMPLETED' ||
        now - at(each.createdAt) <= 31 * 86_400_000,
    ),
  ],
  // Money
  ['its quote is for its customer', payment((each, all) => quoteOf(each, all)?.customerId === each.customerId)],
  ['its quote is for its amount', payment((each) => each.paymentQuote?.paymentAmount === each.amount)],
  ['its quote is for its currency', payment((each) => each.paymentQuote?.paymentCurrencyCode === each.currencyCode)],
  [
    'its beneficiary has an account in its currency',
    payment((each, all) => payeeOf(each, all)?.currencyCode === each.currencyCode),
  ],
  ['its fees are below its amount', payment((each) => usdOf(each).fees < usdOf(each).payout)],
  [
    'its amount is worth 300 to 50,000 US dollars',
    payment((each) => usdOf(each).payout > 300 && usdOf(each).payout < 50_000),
  ],
  [
    'its charge includes the fees',
    payment(
      (each) =>
        Math.abs(
          Number(each.authorization.approvedCharge) / Number(each.amount) - 1 - usdOf(each).fees / usdOf(each).payout,
        ) < 0.001,
    ),
  ],
  ['a quote is used by at most one payment', ({ payments, usedQuotes }) => usedQuotes.size !== payments.length],
  ['an unused quote is still valid', quote((each, { now }) => each.usedAt !== null || at(each.expiresAt) > now)],
  [
    'a quote is used if a payment has it',
    quote((each, { usedQuotes }) => usedQuotes.has(each.id) === (each.usedAt !== null)),
  ],
  [
    'a quote in crypto names a token of its network',
    quote((each) => each.fundingType !== 'CRYPTO' || each.paymentNetwork !== 'TRON' || each.paymentToken === 'USDT'),
  ],
  // Funding, rail and receipt
  [
    'a payment is funded as its quote says',
    payment((each) => each.sourceFunding?.type === each.paymentQuote?.fundingType),
  ],
  [
    'its tokens are those of its quote',
    payment(
      (each) => each.paymentQuote?.fundingType !== 'CRYPTO' || each.paymentToken === each.paymentQuote.paymentToken,
    ),
  ],
  [
    'it has no token if a bank account funds it',
    payment((each) => each.sourceFunding?.type !== 'BANK_ACCOUNT' || each.paymentToken === null),
  ],
  [
    "the account is in its customer's country",
    payment(
      (each, all) =>
        each.sourceFunding?.type !== 'BANK_ACCOUNT' ||
        each.sourceFunding.countryCode === payerOf(each, all)?.countryOfIncorporation.alpha2,
    ),
  ],
  [
    'its tokens arrived if, and only if, it was approved',
    payment(
      (each) =>
        each.sourceFunding?.type !== 'CRYPTO' ||
        (each.sourceFunding.fundingStatus === 'CONFIRMED') === funded.includes(each.status),
    ),
  ],
  [
    'its tokens are not awaited if it ended',
    payment(
      (each) =>
        each.sourceFunding?.type !== 'CRYPTO' ||
        each.sourceFunding.fundingStatus !== 'PENDING' ||
        !['REJECTED', 'CANCELLED'].includes(each.status),
    ),
  ],
  [
    'its rail leads to the country of its beneficiary',
    payment((each, all) => each.rail?.countryCode === payeeOf(each, all)?.bankCountryCode),
  ],
  [
    'it has a receipt if, and only if, it was completed',
    payment((each) => (each.receiptUrl !== null) === ['COMPLETED', 'RETURNED'].includes(each.status)),
  ],
  // Documents and authorization
  ['it has an invoice', payment((each, all) => invoicesOf(each, all).some((file) => file?.kind === 'invoice'))],
  [
    'its documents belong to its customer',
    payment((each, all) => invoicesOf(each, all).every((file) => file?.customerId === each.customerId)),
  ],
  [
    'its invoice has its number',
    payment((each, all) => invoicesOf(each, all)[0]?.fileName === `${each.invoiceNumber}.pdf`),
  ],
  [
    'its authorization names its records',
    payment((each, { organizationId }) => {
      const { authorization } = each;
      return (
        authorization.organizationId === organizationId &&
        authorization.customerId === each.customerId &&
        authorization.beneficiaryId === each.beneficiaryId &&
        authorization.quoteId === each.paymentQuoteId
      );
    }),
  ],
  [
    'its authorization has the version of its beneficiary',
    payment((each, all) => each.authorization.beneficiaryVersion === payeeOf(each, all)?.version),
  ],
  [
    'its authorization has the account of its beneficiary',
    payment((each, all) => each.authorization.destination?.accountNumber === payeeOf(each, all)?.accountNumber),
  ],
  [
    'its authorization has its documents',
    payment(
      (each) => JSON.stringify(each.authorization.documents?.map(({ id }) => id)) === JSON.stringify(each.documentIds),
    ),
  ],
];
