import * as z from 'zod/mini';
import { beneficiaryTransitions, type BeneficiaryStatus } from '../../contract/schema/beneficiaries.js';
import { customerTransitions, type CustomerStatus } from '../../contract/schema/customers.js';
import { paymentTransitions, type PaymentStatus } from '../../contract/schema/payments.js';
import { optionsObject, type OptionsShape } from '../../contract/option-schemas.js';
import { omitUndefined } from './freeze.js';
import { enumOf, memoize, withMetadata, type Schema, type TransitionTable } from '../../contract/schema/schema.js';

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
  const shape = Object.fromEntries(transitionableKinds.map((kind) => [kind, rowsOf(Object.keys(tables[kind]))]));
  return optionsObject<TransitionOverrides>(shape as OptionsShape<TransitionOverrides>, {
    rule: `must be an object with rows of ${transitionableKinds.join(', ')}`,
  });
});

function rowsOf(statuses: readonly string[]): z.ZodMiniType {
  const row = withMetadata(z.array(enumOf(statuses as [string])), {
    rule: 'must be an array of statuses',
    fix: 'Pass [] if the record cannot leave this status',
  });
  return optionsObject<Record<string, readonly string[]>>(Object.fromEntries(statuses.map((status) => [status, row])), {
    rule: 'must be an object of arrays of statuses by status, such as { COMPLETED: [] }',
  });
}

/** Returns the tables with valid overrides applied. */
export const resolveTransitions = (overrides: TransitionOverrides = {}): Transitions =>
  Object.fromEntries(
    transitionableKinds.map((kind) => [
      kind,
      { ...tables[kind], ...omitUndefined<object>(structuredClone(overrides[kind]) ?? {}) },
    ]),
  ) as unknown as Transitions;
