import { paymentStatuses, type PaymentStatus } from '../contract/payments.js';

// What may still follow on a status that ends a payment. Assumed: A-17
const endings: { readonly [S in PaymentStatus]?: readonly PaymentStatus[] } = {
  COMPLETED: ['RETURNED'], RETURNED: [], REJECTED: [], CANCELLED: [],
};

function followers(status: string): readonly string[] | undefined {
  return Object.hasOwn(endings, status) ? endings[status as PaymentStatus] : undefined;
}

/** The statuses of payments that are on their way, in the order in which most go through them. */
export const openStatuses: readonly PaymentStatus[] = paymentStatuses.filter((status) => followers(status) === undefined);

/** Whether a status ends a payment. One that is not known may yet become anything. */
export function hasEnded(status: string): boolean {
  return followers(status) !== undefined;
}

/** Whether a payment of this status can still come to one of others. */
export function canStillBecome(status: string, others: readonly string[]): boolean {
  return followers(status)?.some((next) => others.includes(next)) ?? true;
}
