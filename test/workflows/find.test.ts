import { describe, expect, test } from 'vitest';
import {
  ConfigurationError,
  Corridor,
  InvalidRequestError,
  InvalidResponseError,
  PaginationError,
  TimeoutError,
  type CorridorOptions,
  type PaymentFindParams,
  type ListedPayment,
  type RequestOptions,
} from 'corridor-sdk';
import { createMockPlatform, type MockPayment } from 'corridor-sdk/mock';
import { Listing } from './paged-list.ts';

const platform = createMockPlatform();
const corridor = new Corridor({ ...platform.clientOptions(), prefetch: false });
const days = 24 * 60 * 60_000;
const now = Date.now();
const customerId = platform.customers.add().id;
const shared = { customerId, beneficiaryId: platform.beneficiaries.add({ customerId }).id, documentIds: [] };
const [old, middle, recent] = ([400, 200, 1] as const).map((age) =>
  platform.payments.add({
    ...shared,
    internalReference: `order-${age}`,
    createdAt: new Date(now - age * days).toISOString(),
  }),
) as [MockPayment, MockPayment, MockPayment];
platform.payments.addMany(250, (index) => ({
  ...shared,
  internalReference: null,
  createdAt: new Date(now - (index + 2) * days).toISOString(),
}));

/** The result, and the number of requests. */
async function find(query: PaymentFindParams): Promise<readonly [id: string | undefined, requests: number]> {
  const before = platform.requests.length;
  const found = await corridor.payments.find(query);
  return [found?.id, platform.requests.length - before];
}

describe('payments.find', () => {
  test('finds a payment by its id, its quote or your reference', async () => {
    expect((await find({ id: old.id }))[0]).toBe(old.id);
    expect((await find({ paymentQuoteId: middle.paymentQuoteId ?? '' }))[0]).toBe(middle.id);
    expect((await find({ internalReference: 'order-1' }))[0]).toBe(recent.id);
  });

  test('stops when it has found the payment', async () => {
    expect(await find({ id: recent.id })).toEqual([recent.id, 1]);
    expect(await find({ id: middle.id })).toEqual([middle.id, 3]);
  });

  test('requests only the time range that was passed', async () => {
    expect(await find({ id: old.id, createdTo: new Date(now - 300 * days) })).toEqual([old.id, 1]);
    expect(
      await find({ internalReference: 'order-400', createdFrom: new Date(now - 30 * days).toISOString() }),
    ).toEqual([undefined, 1]);
  });

  test('is undefined if there is no such payment', async () => {
    expect(await find({ id: 'pay_0' })).toEqual([undefined, 3]);
  });

  test('returns a payment that matches all criteria, not one that matches some', async () => {
    expect((await find({ id: recent.id, internalReference: 'order-1' }))[0]).toBe(recent.id);
    expect((await find({ id: recent.id, internalReference: 'order-200' }))[0]).toBeUndefined();
  });

  test.each(['id', 'paymentQuoteId', 'internalReference'])('rejects a criterion %s that is undefined', async (name) => {
    const query = { internalReference: 'order-1', [name]: undefined } as PaymentFindParams;
    const message = `payments.find: ${name} must not be undefined. Pass its value, or omit ${name} on purpose`;
    await expect(find(query)).rejects.toMatchObject({ code: 'configuration', message });
  });

  test('finds by the authorization if the record lacks the field', async () => {
    const bare = platform.payments.add({
      ...shared,
      internalReference: null,
      paymentQuoteId: null,
      authorization: { internalReference: 'hidden', quoteId: 'quo_hidden' },
    });
    expect((await find({ internalReference: 'hidden' }))[0]).toBe(bare.id);
    expect((await find({ paymentQuoteId: 'quo_hidden' }))[0]).toBe(bare.id);
  });

  test('finds by the authorization if the field of the record is empty', async () => {
    const listing = new Listing();
    listing.add('p');
    const { authorization } = listing.get('p');
    listing.change('p', {
      internalReference: '',
      paymentQuoteId: '',
      authorization: { ...authorization, internalReference: 'hidden', quoteId: 'quo_hidden' },
    });
    const { payments } = listing.client();
    expect((await listing.time.run(() => payments.find({ internalReference: 'hidden' })))?.id).toBe('p');
    expect((await listing.time.run(() => payments.find({ paymentQuoteId: 'quo_hidden' })))?.id).toBe('p');
  });

  test.each([
    [undefined, '0', 'p', 2],
    [null, '0', 'p', 2],
    ['no', '0', 'p', 2],
    [true, '0', 'p', 2],
    [undefined, null, undefined, 1],
    [null, null, undefined, 1],
  ])(
    'after a page with hasMore: %o and nextCursor: %o finds %s, with %i requests',
    async (hasMore, nextCursor, id, requests) => {
      const listing = new Listing();
      listing.add('p');
      listing.respondWith = ({ cursor }) =>
        cursor === undefined ? Response.json({ items: [], nextCursor, hasMore }) : undefined;
      const found = await listing.time.run(() => listing.client().payments.find({ id: 'p' }));
      expect([found?.id, listing.requests.length]).toEqual([id, requests]);
    },
  );

  test('rejects if a page has a cursor, but says that none follows', async () => {
    const listing = new Listing();
    listing.respondWith = () => Response.json({ items: [], nextCursor: '0', hasMore: false });
    const found = listing.time.run(() => listing.client().payments.find({ id: 'p' }));
    await expect(found).rejects.toThrow('that no page follows (hasMore: false), but returned a nextCursor');
  });

  test.each([null, 'maintenance', 5, []])('rejects if a page is %o', async (page) => {
    const listing = new Listing();
    listing.respondWith = () => Response.json(page);
    const found = listing.time.run(() => listing.client().payments.find({ id: 'p' }));
    await expect(found).rejects.toThrow(InvalidResponseError);
  });

  test.each([
    [undefined, ''],
    [null, ''],
    ['pay_1', ''],
    [{}, ''],
    [{ createdFrom: '2026-01-01T00:00Z' }, ''],
    [{ id: '' }, 'id'],
    [{ internalReference: 7 }, 'internalReference'],
    [{ id: 'pay_1', status: 'COMPLETED' }, 'status'],
  ])('rejects %o before anything is sent', async (query, path) => {
    const before = platform.requests.length;
    const error = await corridor.payments.find(query as PaymentFindParams).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).issues.map((issue) => issue.path)).toEqual([path]);
    expect(platform.requests.length).toBe(before);
  });
});

test.each([[null], ['500'], [{ dedline: 500 }]])(
  'find rejects %o as options before anything is sent',
  async (options) => {
    const before = platform.requests.length;
    await expect(corridor.payments.find({ id: 'pay_1' }, options as never)).rejects.toThrow(ConfigurationError);
    expect(platform.requests.length).toBe(before);
  },
);

describe('the total timeout of find', () => {
  /** Searches for a missing payment, in thirty pages that take 200 ms each. */
  const findNone = async (options: RequestOptions, client: CorridorOptions = {}) => {
    const listing = new Listing();
    listing.latency = 100;
    for (let index = 0; index < 3_000; index += 1)
      listing.add(`other${index}`, 'COMPLETED', 20 * days - index * 60_000);
    const began = listing.time.now();
    const found: unknown = await listing.time.run(() =>
      listing
        .client(client)
        .payments.find({ id: 'none' }, options)
        .catch((reason: unknown) => reason as ListedPayment),
    );
    return { found, took: listing.time.now() - began };
  };

  test.each([
    [{ totalTimeout: 500 }, {}],
    [{}, { totalTimeout: 500 }],
  ])('limits the whole search, not each page (%o, client %o)', async (options, client) => {
    const { found, took } = await findNone(options, client);
    expect(found).toBeInstanceOf(TimeoutError);
    expect(found).toMatchObject({
      endpoint: 'payments.find',
      message:
        'payments.find could not read the payment list within its totalTimeout of 500 ms. Pass createdFrom or a longer totalTimeout',
    });
    expect(took).toBe(500);
  });

  test('does not affect a search that finishes in time', async () => {
    expect(await findNone({ totalTimeout: 6_500 })).toEqual({ found: undefined, took: 6_000 });
  });
});

test('a list that never ends is an error of find after a bounded number of requests', async () => {
  const listing = new Listing();
  listing.respondWith = (_, index) => Response.json({ items: [], nextCursor: String(index), hasMore: true });
  const failing = listing.time.run(() => listing.client().payments.find({ id: 'none' }));
  await expect(failing).rejects.toThrow(PaginationError);
  await expect(failing).rejects.toThrow(/the list does not end/);
  expect(listing.requests).toHaveLength(101);
});
