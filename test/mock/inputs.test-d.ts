import type { Customer } from 'corridor-sdk';
import { createMockPlatform, type MockPayment, type MockQuote } from 'corridor-sdk/mock';
import { describe, expectTypeOf, test } from 'vitest';

const platform = createMockPlatform();

describe('what builders take', () => {
  test('is closed: statuses and fields that there are not do not compile', () => {
    // @ts-expect-error ON_HOLD is no status of a customer
    platform.customers.add({ status: 'ON_HOLD' });
    // @ts-expect-error CORRECTION_REQUESTED is a status of customers and beneficiaries
    platform.payments.add({ status: 'CORRECTION_REQUESTED' });
    // @ts-expect-error there is no such field
    platform.payments.add({ colour: 'red' });
    // @ts-expect-error amounts are texts
    platform.payments.add({ amount: 10 });
    // @ts-expect-error DONE is no status of a payment
    platform.payments.transition('pay_1', 'DONE');
    // @ts-expect-error a beneficiary is never a draft
    platform.beneficiaries.transition('ben_1', 'DRAFT');
    // @ts-expect-error weeks are no unit
    platform.clock.advance({ weeks: 1 });
    // @ts-expect-error a document is an invoice or something else
    platform.documents.add({ kind: 'receipt' });
  });

  test('may be undefined wherever it may be absent', () => {
    platform.payments.add({ customerId: undefined, memo: undefined, documentIds: undefined });
    createMockPlatform({ seed: undefined, baseUrl: undefined, transitions: undefined });
  });
});

test('what builders give is what the client gives, and what the wire lacks', () => {
  expectTypeOf(platform.customers.add()).toEqualTypeOf<Customer>();
  expectTypeOf(platform.payments.get('pay_1')).toEqualTypeOf<MockPayment | undefined>();
  expectTypeOf(platform.quotes.all()).toEqualTypeOf<MockQuote[]>();
  expectTypeOf(platform.documents.add().content).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
});
