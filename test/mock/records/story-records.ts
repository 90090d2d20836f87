import { paymentStatuses, type PaymentStatus } from 'corridor-sdk';
import type { MockPayment, MockPlatform } from 'corridor-sdk/mock';

/** The records of a populated platform. */
export type Records = ReturnType<typeof recordsOf>;
/** A rule of the story, and whether records break it. */
export type Rule = readonly [title: string, isViolated: (records: Records) => boolean];
type Check<T> = (item: T, records: Records) => boolean;

/** All records of a populated platform, with maps to look them up. */
export function recordsOf(platform: MockPlatform) {
  const byId = <T extends { readonly id: string }>(items: readonly T[]) =>
    new Map(items.map((item) => [item.id, item]));
  const payments = platform.payments.all();
  return {
    now: platform.clock.now(),
    organizationId: platform.id,
    payments,
    customers: byId(platform.customers.all()),
    beneficiaries: byId(platform.beneficiaries.all()),
    quotes: byId(platform.quotes.all()),
    documents: byId(platform.documents.all()),
    persons: platform.persons.all(),
    tickets: platform.tickets.all(),
    activity: [...platform.customers.all()].map((customer) => ({
      customer,
      entries: (platform.customers.activity(customer.id) ?? []).toReversed(),
    })),
    usedQuotes: new Set(payments.map(({ paymentQuoteId }) => paymentQuoteId)),
  };
}

export const at = (timestamp: string | null | undefined): number => Date.parse(timestamp ?? '');
export const isInOrder = (...times: readonly (string | null | undefined)[]): boolean =>
  times.every((time, index) => index === 0 || at(times[index - 1]) <= at(time));
export const quoteOf = ({ paymentQuoteId }: MockPayment, { quotes }: Records) => quotes.get(paymentQuoteId ?? '');
export const payeeOf = ({ beneficiaryId }: MockPayment, { beneficiaries }: Records) => beneficiaries.get(beneficiaryId);
export const payerOf = ({ customerId }: MockPayment, { customers }: Records) => customers.get(customerId);
export const invoicesOf = ({ documentIds }: MockPayment, { documents }: Records) =>
  documentIds.map((id) => documents.get(id));
export const usdOf = (payment: MockPayment) => ({
  payout: Number(payment.paymentQuote?.priceBreakdown?.payout.amountUsd),
  fees: Number(payment.paymentQuote?.priceBreakdown?.totals['feesUsd']),
});
/** Whether a payment in each status is funded. */
const isFunded: Readonly<Record<PaymentStatus, boolean>> = {
  PENDING_REVIEW: false,
  CORRECTION_NEEDED: false,
  APPROVED: true,
  PROCESSING: true,
  COMPLETED: true,
  RETURNED: true,
  REJECTED: false,
  CANCELLED: false,
};
export const funded: readonly string[] = paymentStatuses.filter((status) => isFunded[status]);

export const leastVersions: Readonly<Record<string, number>> = { PENDING_REVIEW: 1, SUSPENDED: 3 };

export const every =
  <T>(pick: (records: Records) => Iterable<T>, check: Check<T>) =>
  (records: Records): boolean =>
    [...pick(records)].some((item) => !check(item, records));
export const payment = (check: Check<MockPayment>) => every(({ payments }) => payments, check);
export const customer = (check: Check<Records['activity'][number]>) => every(({ activity }) => activity, check);
export const beneficiary = (check: Check<NonNullable<ReturnType<typeof payeeOf>>>) =>
  every(({ beneficiaries }) => beneficiaries.values(), check);
export const quote = (check: Check<NonNullable<ReturnType<typeof quoteOf>>>) =>
  every(({ quotes }) => quotes.values(), check);
export const person = (check: Check<Records['persons'][number]>) => every(({ persons }) => persons, check);
export const ticket = (check: Check<Records['tickets'][number]>) => every(({ tickets }) => tickets, check);
