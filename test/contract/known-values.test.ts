import {
  beneficiaryStatuses,
  customerStatuses,
  isBeneficiaryStatus,
  isCustomerStatus,
  isPaymentCurrency,
  isPaymentStatus,
  paymentCurrencies,
  paymentStatuses,
  type BeneficiaryStatus,
  type CustomerStatus,
  type PaymentCurrency,
  type PaymentStatus,
} from 'corridor-sdk';
import { describe, expect, expectTypeOf, test } from 'vitest';

const sets = [
  { name: 'paymentCurrencies', values: paymentCurrencies, guard: isPaymentCurrency },
  { name: 'paymentStatuses', values: paymentStatuses, guard: isPaymentStatus },
  { name: 'customerStatuses', values: customerStatuses, guard: isCustomerStatus },
  { name: 'beneficiaryStatuses', values: beneficiaryStatuses, guard: isBeneficiaryStatus },
] as const;

describe.each(sets)('$name', ({ values, guard }) => {
  test('has each value once', () => {
    expect(values.length).toBeGreaterThan(0);
    expect(new Set(values).size).toBe(values.length);
  });

  test.each(values)('includes %s for its guard', (value) => {
    expect(guard(value)).toBe(true);
  });

  test.each([
    '',
    'completed',
    ' USD',
    'length',
    'toString',
    undefined,
    null,
    0,
    ['APPROVED'],
    new String('APPROVED'),
    {},
  ])('does not include %o', (value) => {
    expect(guard(value)).toBe(false);
  });
});

test('the guards narrow to the types of the records', () => {
  const value: unknown = 'APPROVED';

  if (isPaymentCurrency(value)) expectTypeOf(value).toEqualTypeOf<PaymentCurrency>();
  if (isPaymentStatus(value)) expectTypeOf(value).toEqualTypeOf<PaymentStatus>();
  if (isCustomerStatus(value)) expectTypeOf(value).toEqualTypeOf<CustomerStatus>();
  if (isBeneficiaryStatus(value)) expectTypeOf(value).toEqualTypeOf<BeneficiaryStatus>();
  expect([
    isPaymentCurrency(value),
    isPaymentStatus(value),
    isCustomerStatus(value),
    isBeneficiaryStatus(value),
  ]).toEqual([false, true, true, true]);
});
