import { beneficiaryTransitions, customerTransitions, paymentTransitions } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import type { RandomSource } from '../support/random-source.ts';

/** Returns an integer between two others, both included. */
export const between = (random: RandomSource, from: number, to: number): number =>
  from + Math.floor(random.below(to - from + 1));

/** Changes, adds or removes a record of a platform. */
export function changeAtRandom(platform: MockPlatform, random: RandomSource): void {
  const customer = random.pick(platform.customers.all());
  const { payments, beneficiaries } = platform;
  const text = String(between(random, 0, 1_000_000));
  const next = <Status extends string>(
    table: Readonly<Record<string, readonly Status[]>>,
    status: string,
  ): Status | undefined => (table[status]?.length ? random.pick(table[status] ?? []) : undefined);
  switch (between(random, 0, 9)) {
    case 0:
    case 1:
      payments.add({ status: 'PENDING_REVIEW', customerId: customer.id });
      break;
    case 2:
    case 3:
    case 4: {
      const payment = random.pick(payments.all());
      const status = next(paymentTransitions, payment.status);
      if (status !== undefined) payments.transition(payment.id, status);
      break;
    }
    case 5:
      payments.update(random.pick(payments.all()).id, { memo: text });
      break;
    case 6:
      platform.customers.update(customer.id, { city: text });
      break;
    case 7:
      beneficiaries.update(random.pick(beneficiaries.all()).id, { bankName: text });
      break;
    case 8: {
      const status = next(customerTransitions, customer.status);
      if (status !== undefined && status !== 'REJECTED') platform.customers.transition(customer.id, status);
      const beneficiary = random.pick(beneficiaries.all());
      const changed = next(beneficiaryTransitions, beneficiary.status);
      if (changed !== undefined && changed !== 'REJECTED') beneficiaries.transition(beneficiary.id, changed);
      break;
    }
    default:
      if (between(random, 0, 9) === 0) payments.remove(random.pick(payments.all()).id);
      else beneficiaries.add({ customerId: customer.id });
  }
}
