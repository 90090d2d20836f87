import { describe, expectTypeOf, test, it } from 'vitest';
import type {
  ApiPromise,
  Beneficiary,
  Corridor,
  CorridorOptions,
  CreatedPayment,
  CryptoNetwork,
  CryptoPaymentMethod,
  CustomRequest,
  FetchFunction,
  Customer,
  CustomerActivity,
  DownloadUrl,
  ListedPayment,
  Page,
  PagePromise,
  PaymentCreateParams,
  PersonScreening,
  RequestOptions,
  ScreeningRun,
  SupportReplyResponse,
  ApiResponse,
  CorridorError,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

declare const corridor: Corridor;
declare const payment: PaymentCreateParams;

describe('every call resolves to its own type', () => {
  test('lists are requests for pages', () => {
    expectTypeOf(corridor.payments.list()).toEqualTypeOf<PagePromise<ListedPayment>>();
    expectTypeOf(corridor.customers.list()).toEqualTypeOf<PagePromise<Customer>>();
    expectTypeOf(corridor.customers.beneficiaries('c')).toEqualTypeOf<PagePromise<Beneficiary>>();
    expectTypeOf(corridor.screening.history('c', 'p')).toEqualTypeOf<PagePromise<ScreeningRun>>();
  });

  test('and promises of their first page, as p-limit, p-retry and others take them', () => {
    expectTypeOf(corridor.payments.list()).toExtend<Promise<Page<ListedPayment>>>();
    const timed = <T>(work: () => Promise<T>): Promise<T> => work();
    expectTypeOf(timed(() => corridor.payments.list())).resolves.toEqualTypeOf<Page<ListedPayment>>();
  });

  test('others are calls', () => {
    expectTypeOf(corridor.payments.create(payment)).toEqualTypeOf<ApiPromise<CreatedPayment>>();
    expectTypeOf(corridor.customers.get('c')).toEqualTypeOf<ApiPromise<Customer>>();
    expectTypeOf(corridor.customers.activity('c')).toEqualTypeOf<ApiPromise<readonly CustomerActivity[]>>();
    expectTypeOf(corridor.screening.get('c', 'p')).toEqualTypeOf<ApiPromise<PersonScreening>>();
    expectTypeOf(corridor.crypto.paymentMethods()).toEqualTypeOf<ApiPromise<readonly CryptoPaymentMethod[]>>();
    expectTypeOf(corridor.crypto.networks()).toEqualTypeOf<ApiPromise<readonly CryptoNetwork[]>>();
    expectTypeOf(corridor.support.reply('t', {})).toEqualTypeOf<ApiPromise<SupportReplyResponse>>();
    expectTypeOf(corridor.support.attachmentUrl('t', 'a')).toEqualTypeOf<ApiPromise<DownloadUrl>>();
    expectTypeOf(corridor.documents.downloadUrl('d')).toEqualTypeOf<ApiPromise<DownloadUrl>>();
    expectTypeOf(corridor.documents.delete('d')).toEqualTypeOf<ApiPromise<void>>();
    expectTypeOf(corridor.documents.download('d')).resolves.toEqualTypeOf<Response>();
    expectTypeOf(corridor.support.downloadAttachment('t', 'a')).resolves.toEqualTypeOf<Response>();
  });

  test('await, withResponse and promise methods keep the type', async () => {
    expectTypeOf(await corridor.customers.get('c')).toEqualTypeOf<Customer>();
    expectTypeOf(await corridor.customers.get('c').withResponse()).toEqualTypeOf<ApiResponse<Customer>>();
    expectTypeOf(corridor.customers.get('c').then(({ id }) => id)).resolves.toEqualTypeOf<string>();
    expectTypeOf(corridor.customers.get('c').catch(() => undefined)).resolves.toEqualTypeOf<Customer | undefined>();
    expectTypeOf(corridor.customers.get('c')).toExtend<Promise<Customer>>();
    expectTypeOf(Promise.all([corridor.customers.get('c'), corridor.crypto.networks()])).resolves.toEqualTypeOf<
      [Customer, readonly CryptoNetwork[]]
    >();
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
    expectTypeOf(await page.getNextPage()).toEqualTypeOf<Page<Customer> | undefined>();
    expectTypeOf(await list.toArray({ max: undefined })).toEqualTypeOf<Customer[]>();
    expectTypeOf(await list.withResponse()).toEqualTypeOf<ApiResponse<Page<Customer>>>();
    for await (const customer of list) expectTypeOf(customer).toEqualTypeOf<Customer>();
    for await (const customer of page) expectTypeOf(customer).toEqualTypeOf<Customer>();
    for await (const each of list.pages()) expectTypeOf(each).toEqualTypeOf<Page<Customer>>();
  });
});

describe('a custom request', () => {
  const report = { method: 'GET', path: '/api/v1/reports' } as const;

  test('resolves to unknown, from a variable as from a literal', async () => {
    const request: CustomRequest = { method: 'POST', path: '/api/v1/reports', body: { month: 6 } };
    const options: RequestOptions = { timeout: 5_000 };
    expectTypeOf(corridor.request(request, options)).toEqualTypeOf<ApiPromise<unknown>>();
    expectTypeOf(corridor.request({ ...report, query: { page: 2 } }, { timeout: 5_000 })).toEqualTypeOf<
      ApiPromise<unknown>
    >();
    expectTypeOf<Corridor['request']>().parameters.toEqualTypeOf<[CustomRequest, (RequestOptions | undefined)?]>();
    // @ts-expect-error: nothing is known of it
    void (await corridor.request(report)).total;
  });

  test('accepts nothing else', () => {
    // @ts-expect-error: not a method
    void corridor.request({ ...report, method: 'TRACE' });
    // @ts-expect-error: not a field
    void corridor.request({ method: 'GET', path: '/a', params: {} });
    // @ts-expect-error: a query is flat
    void corridor.request({ method: 'GET', path: '/a', query: { filter: { a: 1 } } });
  });
});

describe('options', () => {
  test('of the mock’s clients fit', () => {
    expectTypeOf(createMockPlatform().clientOptions()).toExtend<CorridorOptions>();
  });

  test('accept any fetch and a key in any format', () => {
    expectTypeOf<{ fetch: typeof globalThis.fetch }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: string }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: CryptoKey }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: JsonWebKey }>().toExtend<CorridorOptions>();
    expectTypeOf<{ privateKey: () => Promise<string> }>().toExtend<CorridorOptions>();
    expectTypeOf<{ signer: (bytes: Uint8Array) => Promise<Uint8Array> }>().toExtend<CorridorOptions>();
  });
});

describe('a call', () => {
  it('accepts an error handler like any promise', () => {
    const handled = (corridor: Corridor) => corridor.crypto.networks().catch((error: CorridorError) => error.outcome);
    expectTypeOf<ReturnType<typeof handled>>().toExtend<Promise<unknown>>();
  });
});

test('the option fetch takes the fetch of the runtime, and functions around it', () => {
  expectTypeOf<typeof globalThis.fetch>().toExtend<FetchFunction>();
  expectTypeOf((url: string | URL, init?: RequestInit) => globalThis.fetch(url, init)).toExtend<FetchFunction>();
  expectTypeOf<CorridorOptions['fetch']>().toEqualTypeOf<FetchFunction | undefined>();
  // node-fetch returns no web streams.
  expectTypeOf<
    () => Promise<{ status: number; headers: Headers; body: NodeJS.ReadableStream }>
  >().not.toExtend<FetchFunction>();
});
