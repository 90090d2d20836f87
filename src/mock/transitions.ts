import type { BeneficiaryStatus } from '../contract/beneficiaries.js';
import type { CustomerStatus } from '../contract/customers.js';
import type { PaymentStatus } from '../contract/payments.js';
import { MockPlatformError } from './error.js';
import { isObject } from './json.js';

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

/** The kinds of records that move. */
export const movingKinds = ['payments', 'customers', 'beneficiaries'] as const satisfies readonly (keyof Transitions)[];

/** The tables with the overrides in place. Throws `MockPlatformError` where they name what there is not. */
export function resolveTransitions(overrides: TransitionOverrides = {}): Transitions {
  requireObject('transitions', overrides, `rows of ${movingKinds.join(', ')}`);
  for (const kind of Object.keys(overrides)) {
    if (!(movingKinds as readonly string[]).includes(kind)) throw new MockPlatformError(`transitions: ${kind} have no table; there are those of ${movingKinds.join(', ')}`);
  }
  return {
    payments: withRows('payments', paymentTransitions, overrides.payments),
    customers: withRows('customers', customerTransitions, overrides.customers),
    beneficiaries: withRows('beneficiaries', beneficiaryTransitions, overrides.beneficiaries),
  };
}

function withRows<Status extends string>(kind: keyof Transitions, table: TransitionTable<Status>, rows: Partial<TransitionTable<Status>> = {}): TransitionTable<Status> {
  requireObject(`transitions.${kind}`, rows, 'lists of statuses by status, such as { COMPLETED: [] }');
  const requireStatus = (where: string, status: unknown): void => {
    if (typeof status === 'string' && Object.hasOwn(table, status)) return;
    throw new MockPlatformError(`${where}: ${JSON.stringify(status)} is not a status; there are ${Object.keys(table).join(', ')}`);
  };
  const replaced: [string, readonly unknown[]][] = [];
  for (const [from, to] of Object.entries(rows) as [string, unknown][]) {
    const where = `transitions.${kind}`;
    requireStatus(where, from);
    if (to === undefined) continue;
    if (!Array.isArray(to)) throw new MockPlatformError(`${where}.${from}: must be a list of statuses`);
    for (const status of to as readonly unknown[]) requireStatus(`${where}.${from}`, status);
    replaced.push([from, [...(to as readonly unknown[])]]);
  }
  return { ...table, ...Object.fromEntries(replaced) };
}

function requireObject(where: string, value: unknown, words: string): void {
  if (!isObject(value)) throw new MockPlatformError(`${where}: must be an object with ${words}`);
}
