import type { Customer } from 'corridor-sdk';
import { createMockPlatform, type MockPayment, type MockQuote } from 'corridor-sdk/mock';
import { describe, expectTypeOf, test } from 'vitest';

const platform = createMockPlatform();

describe('the input of add', () => {
  test('accepts known statuses and fields only', () => {
    // @ts-expect-error STATUS_OF_TESTS is not a status of customers
    platform.customers.add({ status: 'STATUS_OF_TESTS' });
    // @ts-expect-error CORRECTION_REQUESTED is a status of customers and beneficiaries only
    platform.payments.add({ status: 'CORRECTION_REQUESTED' });
    // @ts-expect-error the field is unknown
    platform.payments.add({ colour: 'red' });
    // @ts-expect-error amounts are strings
    platform.payments.add({ amount: 10 });
    // @ts-expect-error DONE is not a status of payments
    platform.payments.transition('pay_1', 'DONE');
    // @ts-expect-error DRAFT is not a status of beneficiaries
    platform.beneficiaries.transition('ben_1', 'DRAFT');
    // @ts-expect-error weeks is not a unit
    platform.clock.advance({ weeks: 1 });
    // @ts-expect-error the kind is invoice or other
    platform.documents.add({ kind: 'receipt' });
  });

  test('accepts undefined for every optional field', () => {
    platform.payments.add({ customerId: undefined, memo: undefined, documentIds: undefined });
    createMockPlatform({ seed: undefined, baseUrl: undefined, transitions: undefined });
  });
});

test('add, get and all return the types of the client, plus the fields of the mock', () => {
  expectTypeOf(platform.customers.add()).toEqualTypeOf<Customer>();
  expectTypeOf(platform.payments.get('pay_1')).toEqualTypeOf<MockPayment | undefined>();
  expectTypeOf(platform.quotes.all()).toEqualTypeOf<MockQuote[]>();
  expectTypeOf(platform.documents.add().content).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
});

describe('respond', () => {
  test('knows the fields of the response of its endpoint', () => {
    platform.respond('payments.list', { patch: { items: { 0: { status: 'COMPLETED' } } } });
    platform.respond('payments.list', { patch: { items: { '*': { memo: null, tier: 'gold' } }, hasMore: 5 } });
    platform.respond('payments.list', { body: { items: [] }, when: { status: 'COMPLETED', headers: { 'x-a': '1' } } });
    platform.respond('customers.get', ({ response }) => ({ body: { ...response.body, city: 5 } }));
    platform.respond('GET /api/v1/reports', { body: [1], times: 1 });
    // @ts-expect-error the endpoint is unknown
    platform.respond('customer.get', {});
    // @ts-expect-error the status is a number
    platform.respond('customers.get', { status: '503' });
    // @ts-expect-error customers have no amount
    platform.respond('customers.get', { when: { amount: '5' } });
  });
});
