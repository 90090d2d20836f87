import type { BeneficiaryStatus } from '../contract/schema/beneficiaries.js';
import type { CustomerStatus } from '../contract/schema/customers.js';
import type { PaymentStatus } from '../contract/schema/payments.js';

/** What a status means for the partner, which tables and badges show as a color. */
export type StatusTone = 'good' | 'bad' | 'warn' | 'info' | 'neutral';

/** The meaning of each status: it waits for somebody, it proceeds, it is done, it failed, or it ended. */
export const statusTones: Readonly<Record<PaymentStatus | CustomerStatus | BeneficiaryStatus, StatusTone>> = {
  DRAFT: 'neutral',
  PENDING_REVIEW: 'warn',
  CORRECTION_NEEDED: 'warn',
  CORRECTION_REQUESTED: 'warn',
  APPROVED: 'info',
  PROCESSING: 'info',
  COMPLETED: 'good',
  RETURNED: 'bad',
  REJECTED: 'bad',
  SUSPENDED: 'bad',
  CANCELLED: 'neutral',
};
