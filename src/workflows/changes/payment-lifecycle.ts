import { finalStatuses, paymentStatuses, type PaymentStatus } from '../../contract/schema/payment-enums.js';

function nextStatuses(status: string): readonly string[] | undefined {
  return Object.hasOwn(finalStatuses, status) ? finalStatuses[status as PaymentStatus] : undefined;
}

/** The statuses of open payments, in the usual order. */
export const openStatuses: readonly PaymentStatus[] = paymentStatuses.filter(
  (status) => nextStatuses(status) === undefined,
);

/** Reports whether a status is final. An unknown status is not, because any status can follow it. */
export function hasEnded(status: string): boolean {
  return nextStatuses(status) !== undefined;
}
