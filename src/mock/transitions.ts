import type { BeneficiaryStatus } from '../contract/beneficiaries.js';
import type { CustomerStatus } from '../contract/customers.js';
import type { PaymentStatus } from '../contract/payments.js';

/** From each status, the statuses a record may move to. */
export type TransitionTable<Status extends string> = { readonly [From in Status]: readonly Status[] };

/** How a payment moves. Assumed: A-10. */
export const paymentTransitions: TransitionTable<PaymentStatus> = {
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_NEEDED', 'REJECTED', 'CANCELLED'],
  CORRECTION_NEEDED: ['PENDING_REVIEW', 'REJECTED', 'CANCELLED'],
  APPROVED: ['PROCESSING', 'CANCELLED'],
  PROCESSING: ['COMPLETED', 'RETURNED'],
  COMPLETED: ['RETURNED'], // Assumed: A-17
  RETURNED: [],
  REJECTED: [],
  CANCELLED: [],
};

/** How a customer moves. Assumed: A-10. */
export const customerTransitions: TransitionTable<CustomerStatus> = {
  DRAFT: ['PENDING_REVIEW'],
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_REQUESTED', 'REJECTED'],
  CORRECTION_REQUESTED: ['PENDING_REVIEW', 'REJECTED'],
  APPROVED: ['SUSPENDED'],
  REJECTED: [],
  SUSPENDED: ['APPROVED', 'REJECTED'],
};

/** How a beneficiary moves. Assumed: A-10. */
export const beneficiaryTransitions: TransitionTable<BeneficiaryStatus> = {
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_REQUESTED', 'REJECTED'],
  CORRECTION_REQUESTED: ['PENDING_REVIEW', 'REJECTED'],
  APPROVED: ['SUSPENDED'],
  REJECTED: [],
  SUSPENDED: ['APPROVED', 'REJECTED'],
};

/** The tables of a platform. */
export interface Transitions {
  readonly payments: TransitionTable<PaymentStatus>;
  readonly customers: TransitionTable<CustomerStatus>;
  readonly beneficiaries: TransitionTable<BeneficiaryStatus>;
}

/** What your platform does otherwise: the rows given here replace those of the tables. */
export interface TransitionOverrides {
  /** Of payments. */
  readonly payments?: Partial<TransitionTable<PaymentStatus>>;
  /** Of customers. */
  readonly customers?: Partial<TransitionTable<CustomerStatus>>;
  /** Of beneficiaries. */
  readonly beneficiaries?: Partial<TransitionTable<BeneficiaryStatus>>;
}

/** The tables with the overrides in place. */
export function resolveTransitions(overrides: TransitionOverrides = {}): Transitions {
  return {
    payments: { ...paymentTransitions, ...overrides.payments },
    customers: { ...customerTransitions, ...overrides.customers },
    beneficiaries: { ...beneficiaryTransitions, ...overrides.beneficiaries },
  };
}
