import type { BeneficiaryStatus, CustomerStatus, PaymentStatus } from '../../index.js';

type Color = 'green' | 'yellow' | 'red' | 'dim';

// The compiler requires a color for each known status.
const colors: Readonly<Record<PaymentStatus | CustomerStatus | BeneficiaryStatus, Color>> = {
  DRAFT: 'dim',
  PENDING_REVIEW: 'yellow',
  CORRECTION_NEEDED: 'yellow',
  CORRECTION_REQUESTED: 'yellow',
  PROCESSING: 'yellow',
  APPROVED: 'green',
  COMPLETED: 'green',
  RETURNED: 'red',
  REJECTED: 'red',
  SUSPENDED: 'red',
  CANCELLED: 'dim',
};

/** Checks whether a field contains a status, by its path. */
export function isStatusField(path: string): boolean {
  return /(?:^|\.)status$|Status$/.test(path);
}

/** Returns the color of a status; undefined if this version of the SDK does not know the status. */
export function statusColor(status: string): Color | undefined {
  return Object.hasOwn(colors, status) ? colors[status as keyof typeof colors] : undefined;
}
