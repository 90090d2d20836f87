import { describe, expectTypeOf, test } from 'vitest';
import {
  unknownValue,
  Corridor,
  type BeneficiaryListParams,
  type CorridorOptions,
  type CustomerListParams,
  type EndpointName,
  type FilterName,
  type PaymentCreateParams,
  type PaymentListParams,
  type RequestOptions,
  type SupportReplyParams,
} from 'corridor-sdk';
import type { EndpointOf, QueryOf } from '../../src/mock/wire/request-log.ts';

declare const corridor: Corridor;
declare const payment: PaymentCreateParams;
declare const text: string;

describe('a payment to create', () => {
  test('accepts valid input', () => {
    void corridor.payments.create({
      customerId: 'c',
      beneficiaryId: 'b',
      amount: '10',
      currencyCode: 'USD',
      purposeOfPayment: 'Goods',
      documentIds: ['d'],
      paymentQuoteId: 'q',
    });
    void corridor.payments.create({ ...payment, memo: null, internalReference: null, invoiceNumber: undefined });
    void corridor.payments.create({ ...payment, memo: undefined, internalReference: undefined });
    void corridor.payments.create({ ...payment, documentIds: ['a', 'b'] as const });
  });

  test('rejects a number as an amount', () => {
    // @ts-expect-error: amounts are strings
    void corridor.payments.create({ ...payment, amount: 10 });
    // @ts-expect-error: amounts are strings
    void corridor.payments.create({ ...payment, amount: 10n });
  });

  test('accepts a currency that is marked as unknown', () => {
    void corridor.payments.create({ ...payment, currencyCode: unknownValue('EUR') });
    void corridor.payments.list({ status: unknownValue('STATUS_OF_TESTS') });
    void corridor.payments.export({ status: unknownValue('STATUS_OF_TESTS') });
    void corridor.payments.changes({ statuses: ['COMPLETED', unknownValue('STATUS_OF_TESTS')] });
    void corridor.customers.list({ status: unknownValue('STATUS_OF_TESTS') });
    // @ts-expect-error: a typo
    void corridor.payments.list({ status: 'STATUS_OF_TESTS' });
    // @ts-expect-error: only values of a set can be marked
    void corridor.payments.create({ ...payment, memo: unknownValue('memo') });
  });

  test('rejects an unknown currency and any string', () => {
    // @ts-expect-error: not a currency of the platform
    void corridor.payments.create({ ...payment, currencyCode: 'EUR' });
    // @ts-expect-error: currencies are capitals
    void corridor.payments.create({ ...payment, currencyCode: 'usd' });
    // @ts-expect-error: any text may be no currency
    void corridor.payments.create({ ...payment, currencyCode: text });
  });

  test('rejects an unknown field', () => {
    // @ts-expect-error: not a field
    void corridor.payments.create({ ...payment, currency: 'USD' });
    void corridor.payments.create({
      customerId: 'c',
      beneficiaryId: 'b',
      amount: '10',
      currencyCode: 'USD',
      purposeOfPayment: 'Goods',
      documentIds: ['d'],
      paymentQuoteId: 'q',
      // @ts-expect-error: not a field
      reference: 'r',
    });
  });

  test('rejects input without a required field', () => {
    // @ts-expect-error: six fields are missing
    void corridor.payments.create({ customerId: 'c' });
    // @ts-expect-error: undefined is as good as absent
    void corridor.payments.create({ ...payment, paymentQuoteId: undefined });
    // @ts-expect-error: null is valid only for fields that allow it
    void corridor.payments.create({ ...payment, invoiceNumber: null });
    // @ts-expect-error: a list
    void corridor.payments.create({ ...payment, documentIds: 'doc_1' });
  });
});

describe('filters', () => {
  test('accept valid filters', () => {
    void corridor.payments.list({
      status: 'COMPLETED',
      createdFrom: new Date(),
      createdTo: '2026-01-01T00:00Z',
      limit: 50,
      cursor: 'x',
    });
    void corridor.payments.list({
      status: undefined,
      createdFrom: undefined,
      createdTo: undefined,
      limit: undefined,
      cursor: undefined,
    });
    void corridor.payments.list(undefined, { signal: AbortSignal.timeout(1), timeout: undefined });
    void corridor.screening.history('c', 'p', { limit: undefined, cursor: undefined });
  });

  test('reject an unknown status and one of another record', () => {
    // @ts-expect-error: not a status
    void corridor.payments.list({ status: 'FOO' });
    // @ts-expect-error: a status of customers
    void corridor.payments.list({ status: 'SUSPENDED' });
    // @ts-expect-error: a status of payments
    void corridor.customers.list({ status: 'COMPLETED' });
    // @ts-expect-error: a status of customers only
    void corridor.customers.beneficiaries('c', { status: 'DRAFT' });
  });

  test('reject an unknown field and another type', () => {
    // @ts-expect-error: not a filter
    void corridor.payments.list({ notAFilter: 'USD' });
    // @ts-expect-error: not a filter of customers
    void corridor.customers.list({ createdFrom: new Date() });
    // @ts-expect-error: a number
    void corridor.payments.list({ limit: '50' });
    // @ts-expect-error: null was the last page
    void corridor.payments.list({ cursor: null });
    // @ts-expect-error: milliseconds are no timestamp
    void corridor.payments.list({ createdFrom: Date.now() });
    // @ts-expect-error: history has no status
    void corridor.screening.history('c', 'p', { status: 'APPROVED' });
  });

  test('may be undefined one by one, also under exactOptionalPropertyTypes', () => {
    expectTypeOf<{ limit: undefined }>().toExtend<PaymentListParams>();
    expectTypeOf<{ limit: undefined; status: undefined; cursor: undefined }>().toExtend<CustomerListParams>();
    expectTypeOf<{ status: undefined }>().toExtend<BeneficiaryListParams>();
    expectTypeOf<{
      draftId: undefined;
      actorEmail: undefined;
      bodyHtml: undefined;
      bodyText: undefined;
    }>().toExtend<SupportReplyParams>();
    expectTypeOf<{
      signal: undefined;
      timeout: undefined;
      totalTimeout: undefined;
      maxRetries: undefined;
      headers: undefined;
    }>().toExtend<RequestOptions>();
    expectTypeOf<{ [K in keyof CorridorOptions]: undefined }>().toExtend<CorridorOptions>();
  });
});

describe('ids and options', () => {
  test('of the wrong type do not compile', () => {
    // @ts-expect-error: ids are strings
    void corridor.customers.get(5);
    // @ts-expect-error: the id is missing
    void corridor.customers.get();
    // @ts-expect-error: the person is missing
    void corridor.screening.get('c');
    // @ts-expect-error: not an option of a call
    void corridor.crypto.networks({ timout: 5 });
    // @ts-expect-error: not a field of a reply
    void corridor.support.reply('t', { body: 'x' });
    // @ts-expect-error: not an option
    void new Corridor({ apikey: 'x' });
    // @ts-expect-error: one of three
    void new Corridor({ validation: 'loose' });
  });
});

test('a dialect can rename every filter of every endpoint', () => {
  type Filter = { [Name in EndpointName]: keyof QueryOf<EndpointOf<Name>> }[EndpointName];
  expectTypeOf<FilterName>().toEqualTypeOf<Filter>();
});
