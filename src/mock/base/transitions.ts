import * as z from 'zod/mini';
import type { BeneficiaryStatus } from '../../contract/schema/beneficiaries.js';
import type { CustomerStatus } from '../../contract/schema/customers.js';
import type { PaymentStatus } from '../../contract/schema/payments.js';
import { optionsObject, type OptionsShape } from '../../contract/options.js';
import { omitUndefined } from './freeze.js';
import { enumOf, memoize, withMetadata, type Schema } from '../../contract/schema/schema.js';

/** The statuses that a record may move to, by its current status. */
export type TransitionTable<Status extends string> = { readonly [From in Status]: readonly Status[] };

/** The transitions of payments. Assumed: A-10. */
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

/** The transitions of customers. Assumed: A-10. */
export const customerTransitions: TransitionTable<CustomerStatus> = {
  DRAFT: ['PENDING_REVIEW'],
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_REQUESTED', 'REJECTED'],
  CORRECTION_REQUESTED: ['PENDING_REVIEW', 'REJECTED'],
  APPROVED: ['SUSPENDED'],
  REJECTED: [],
  SUSPENDED: ['APPROVED', 'REJECTED'],
};

/** The transitions of beneficiaries. Assumed: A-10. */
export const beneficiaryTransitions: TransitionTable<BeneficiaryStatus> = {
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_REQUESTED', 'REJECTED'],
  CORRECTION_REQUESTED: ['PENDING_REVIEW', 'REJECTED'],
  APPROVED: ['SUSPENDED'],
  REJECTED: [],
  SUSPENDED: ['APPROVED', 'REJECTED'],
};

/** The transition tables of a platform. */
export interface Transitions {
  readonly payments: TransitionTable<PaymentStatus>;
  readonly customers: TransitionTable<CustomerStatus>;
  readonly beneficiaries: TransitionTable<BeneficiaryStatus>;
}

/** Changes to the transition tables: each row replaces the row of that status. */
export interface TransitionOverrides {
  /** The rows to replace in `paymentTransitions`. */
  readonly payments?: Partial<TransitionTable<PaymentStatus>>;
  /** The rows to replace in `customerTransitions`. */
  readonly customers?: Partial<TransitionTable<CustomerStatus>>;
  /** The rows to replace in `beneficiaryTransitions`. */
  readonly beneficiaries?: Partial<TransitionTable<BeneficiaryStatus>>;
}

const tables: Transitions = {
  payments: paymentTransitions,
  customers: customerTransitions,
  beneficiaries: beneficiaryTransitions,
};

/** The kinds of records with transition tables. */
export const transitionableKinds = Object.keys(tables) as (keyof Transitions)[];

/** The schema of overrides of the transition tables. */
export const transitionOverrides: Schema<TransitionOverrides> = memoize(() => {
  const shape = transitionableKinds.map((kind) => [kind, rowsOf<string>(tables[kind])]);
  return optionsObject<TransitionOverrides>(Object.fromEntries(shape) as OptionsShape<TransitionOverrides>, {
    rule: `must be an object with rows of ${transitionableKinds.join(', ')}`,
  });
});

function rowsOf<Status extends string>(
  table: TransitionTable<Status>,
): z.ZodMiniType<Partial<TransitionTable<Status>>> {
  const statuses = Object.keys(table) as [Status, ...Status[]];
  const row = withMetadata(z.array(enumOf(statuses)), {
    rule: 'must be an array of statuses',
    fix: 'Pass [] if the record cannot leave this status',
  });
  return optionsObject<Partial<TransitionTable<Status>>>(
    Object.fromEntries(statuses.map((status) => [status, row])) as unknown as OptionsShape<
      Partial<TransitionTable<Status>>
    >,
    { rule: 'must be an object of arrays of statuses by status, such as { COMPLETED: [] }' },
  );
}

/** Returns the tables with valid overrides applied. */
export function resolveTransitions(overrides: TransitionOverrides = {}): Transitions {
  const { payments = {}, customers = {}, beneficiaries = {} } = structuredClone(overrides);
  return {
    payments: { ...tables.payments, ...omitUndefined(payments) },
    customers: { ...tables.customers, ...omitUndefined(customers) },
    beneficiaries: { ...tables.beneficiaries, ...omitUndefined(beneficiaries) },
  };
}
