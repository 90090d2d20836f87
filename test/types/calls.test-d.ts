import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type {
  ApiCall, Beneficiary, Corridor, CorridorOptions, CreatedPayment, CryptoNetwork, CryptoPaymentMethod, Customer, CustomerActivity, DownloadUrl, ListedPayment, Page, PageRequest, PaymentCreate, PersonScreening,
  ScreeningRun, StandardSchema, SupportReplyReceipt, WithResponse,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

declare const corridor: Corridor;
declare const payment: PaymentCreate;

describe('every call resolves to its own type', () => {
  test('lists are requests for pages', () => {
    expectTypeOf(corridor.payments.list()).toEqualTypeOf<PageRequest<ListedPayment>>();
    expectTypeOf(corridor.customers.list()).toEqualTypeOf<PageRequest<Customer>>();
    expectTypeOf(corridor.customers.beneficiaries('c')).toEqualTypeOf<PageRequest<Beneficiary>>();
    expectTypeOf(corridor.screening.history('c', 'p')).toEqualTypeOf<PageRequest<ScreeningRun>>();
  });

  test('others are calls', () => {
    expectTypeOf(corridor.payments.create(payment)).toEqualTypeOf<ApiCall<CreatedPayment>>();
    expectTypeOf(corridor.customers.get('c')).toEqualTypeOf<ApiCall<Customer>>();
    expectTypeOf(corridor.customers.activity('c')).toEqualTypeOf<ApiCall<readonly CustomerActivity[]>>();
    expectTypeOf(corridor.screening.get('c', 'p')).toEqualTypeOf<ApiCall<PersonScreening>>();
    expectTypeOf(corridor.crypto.paymentMethods()).toEqualTypeOf<ApiCall<readonly CryptoPaymentMethod[]>>();
    expectTypeOf(corridor.crypto.networks()).toEqualTypeOf<ApiCall<readonly CryptoNetwork[]>>();
    expectTypeOf(corridor.support.reply('t', {})).toEqualTypeOf<ApiCall<SupportReplyReceipt>>();
    expectTypeOf(corridor.support.attachmentUrl('t', 'a')).toEqualTypeOf<ApiCall<DownloadUrl>>();
    expectTypeOf(corridor.documents.downloadUrl('d')).toEqualTypeOf<ApiCall<DownloadUrl>>();
    expectTypeOf(corridor.documents.delete('d')).toEqualTypeOf<ApiCall<void>>();
    expectTypeOf(corridor.documents.download('d')).resolves.toEqualTypeOf<Response>();
    expectTypeOf(corridor.support.downloadAttachment('t', 'a')).resolves.toEqualTypeOf<Response>();
  });

  test('await, withResponse and promise methods keep the type', async () => {
    expectTypeOf(await corridor.customers.get('c')).toEqualTypeOf<Customer>();
    expectTypeOf(await corridor.customers.get('c').withResponse()).toEqualTypeOf<WithResponse<Customer>>();
    expectTypeOf(corridor.customers.get('c').then(({ id }) => id)).resolves.toEqualTypeOf<string>();
    expectTypeOf(corridor.customers.get('c').catch(() => undefined)).resolves.toEqualTypeOf<Customer | undefined>();
    expectTypeOf(corridor.customers.get('c')).toExtend<Promise<Customer>>();
    expectTypeOf(Promise.all([corridor.customers.get('c'), corridor.crypto.networks()])).resolves.toEqualTypeOf<[Customer, readonly CryptoNetwork[]]>();
  });
});

describe('a list', () => {
  test('awaited is a page, iterated its items', async () => {
    const list = corridor.customers.list();
    const page = await list;
    expectTypeOf(page).toEqualTypeOf<Page<Customer>>();
    expectTypeOf(page.items).toEqualTypeOf<readonly Customer[]>();
    expectTypeOf(page.nextCursor).toEqualTypeOf<string | null>();
    expectTypeOf(page.hasMore).toEqualTypeOf<boolean>();
    expectTypeOf(await page.next()).toEqualTypeOf<Page<Customer> | undefined>();
    expectTypeOf(await list.toArray({ max: undefined })).toEqualTypeOf<Customer[]>();
    expectTypeOf(await list.withResponse()).toEqualTypeOf<WithResponse<Page<Customer>>>();
    for await (const customer of list) expectTypeOf(customer).toEqualTypeOf<Customer>();
    for await (const customer of page) expectTypeOf(customer).toEqualTypeOf<Customer>();
    for await (const each of list.pages()) expectTypeOf(each).toEqualTypeOf<Page<Customer>>();
  });
});

describe('a custom request', () => {
  const report = { method: 'GET', path: '/api/v1/reports' } as const;

  test('is unknown without a schema', async () => {
    expectTypeOf(corridor.request(report)).toEqualTypeOf<ApiCall<unknown>>();
    // @ts-expect-error: nothing is known of it
    void (await corridor.request(report)).total;
  });

  test('has the type of its schema', async () => {
    expectTypeOf(await corridor.request({ ...report, schema: z.object({ total: z.string() }) })).toEqualTypeOf<{ total: string }>();
    expectTypeOf(await corridor.request({ ...report, schema: z.string().transform(Number) })).toEqualTypeOf<number>();
    const own = {} as StandardSchema<'a' | 'b'>;
    expectTypeOf(corridor.request({ ...report, schema: own })).toEqualTypeOf<ApiCall<'a' | 'b'>>();
  });

  test('takes nothing else', () => {
    // @ts-expect-error: not a method
    void corridor.request({ ...report, method: 'TRACE' });
    // @ts-expect-error: not a field
    void corridor.request({ method: 'GET', path: '/a', params: {} });
    // @ts-expect-error: a query is flat
    void corridor.request({ method: 'GET', path: '/a', query: { filter: { a: 1 } } });
    // @ts-expect-error: no schema
    void corridor.request({ method: 'GET', path: '/a', schema: {} });
  });
});

describe('options', () => {
  test('of the mock’s clients fit', () => {
    expectTypeOf(createMockPlatform().clientOptions()).toExtend<CorridorOptions>();
  });

  test('take any fetch, and a key in any form', () => {
    expectTypeOf<{ fetch: typeof globalThis.fetch }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: string }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: CryptoKey }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: JsonWebKey }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: () => Promise<string> }>().toExtend<CorridorOptions>();
    expectTypeOf<{ signer: (bytes: Uint8Array) => Promise<Uint8Array> }>().toExtend<CorridorOptions>();
  });
});
