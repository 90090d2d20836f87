import { isFinalStatus, paymentStatuses, type PaymentStatus } from 'corridor-sdk';

/** The statuses of payments in progress: a poll reads the list of each. */
export const openStatuses: readonly PaymentStatus[] = paymentStatuses.filter((status) => !isFinalStatus(status));
