import { ApiError } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart } from '../fixture.ts';
import { failureOf } from '../../support/failure-of.ts';

const serve = async () => {
  const served = await serveMockPlatform({ control: true });
  return { ...served, [Symbol.asyncDispose]: () => served.close() };
};

describe('configure', () => {
  test('changes options one by one until reset', async () => {
    const platform = platformAtStart({ listOrder: 'oldest-first' });
    const corridor = clientOf(platform);
    platform.configure({ quotes: 'reusable' });
    platform.configure({ errorBody: 'nested' });
    const order = payablePayment(platform);
    await corridor.payments.create(order);
    await corridor.payments.create(order);
    expect((await failureOf(corridor.customers.get('cus_0'), ApiError)).body).toMatchObject({
      error: { code: 'not_found' },
    });
    const valueOf = (option: string): unknown =>
      platform.assumptions().find((assumption) => assumption.option === option)?.value;
    expect(['quotes', 'errorBody', 'listOrder'].map(valueOf)).toEqual(['reusable', 'nested', 'oldest-first']);
    platform.reset();
    expect(['quotes', 'errorBody', 'listOrder'].map(valueOf)).toEqual(['single-use', 'plain', 'oldest-first']);
  });

  test('changes nothing if an option is invalid', () => {
    const platform = createMockPlatform();
    expect(() => platform.configure({ pageSize: 0, quotes: 'reusable' })).toThrow(MockPlatformError);
    platform.configure({ amounts: 'free' });
    expect(platform.assumptions().find(({ option }) => option === 'quotes')?.value).toBe('single-use');
  });

  test('rejects options that are fixed at creation', () => {
    const seed = { seed: 2 } as object;
    expect(() => createMockPlatform().configure(seed)).toThrow(
      'configure: seed is not a known field (known: createdStatus, transitions, ',
    );
  });
});

test('the control API of a served platform also configures it', async () => {
  await using served = await serve();
  const control = async (call: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(
      `${served.url}/__mock/${call}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    );
    return [response.status, await response.json()];
  };
  expect(await control('configure', [{ quotes: 'reusable', pageSize: 5 }])).toEqual([200, null]);
  expect(await control('configure', [{ pageSize: null }])).toEqual([200, null]);
  expect(await control('configure', [{ quotes: 'many' }])).toMatchObject([
    400,
    { code: 'rejected', message: 'configure: quotes must be one of single-use, reusable (received "many")' },
  ]);
  const valueOf = (option: string): unknown =>
    served.platform.assumptions().find((assumption) => assumption.option === option)?.value;
  expect(['quotes', 'pageSize'].map(valueOf)).toEqual(['reusable', 25]);
  expect(await control('assumptions')).toEqual([200, JSON.parse(JSON.stringify(served.platform.assumptions()))]);
});

describe('createMockPlatform rejects invalid options:', () => {
  const invalid: readonly (readonly [message: string, options: object])[] = [
    ['createMockPlatform: quote is not a known field (known: id, name, ', { quote: 'reusable' }],
    ['quotes must be one of single-use, reusable (received "many")', { quotes: 'many' }],
    ['amounts must be one of as-quoted, free (received true)', { amounts: true }],
    ['idempotency must be one of none, by-quote, by-reference', { idempotency: 'by-header' }],
    ['listOrder must be one of newest-first, oldest-first, shuffled', { listOrder: 'desc' }],
    ['errorBody must be one of plain, nested, problem+json, status-code', { errorBody: 'xml' }],
    ['listLag.seconds must be a number (received NaN)', { listLag: { seconds: Number.NaN } }],
    [
      'listLag must be a duration greater than 0 and at most 1e9 seconds, such as { minutes: 5 } (received 2)',
      { listLag: 2 },
    ],
    ['listLag.second is not a known field (known: days, hours, minutes, seconds)', { listLag: { second: 2 } }],
    [
      'rateLimit.requests must be an integer of at least 1 (received 0)',
      { rateLimit: { requests: 0, per: { seconds: 1 } } },
    ],
    ['rateLimit.per is required: it must be a duration greater than 0', { rateLimit: { requests: 5 } }],
    ['rateLimit must be an object such as { requests: 100, per: { minutes: 1 } } (received 5)', { rateLimit: 5 }],
    [
      'successStatuses.payments.make is not a known field (known: payments.create, ',
      { successStatuses: { 'payments.make': 200 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': 302 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': 199 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': 300 } },
    ],
    [
      'successStatuses.payments.create must be an integer from 200 to 299',
      { successStatuses: { 'payments.create': '201' } },
    ],
    [
      'successStatuses.payments.list must be an integer from 200 to 299 other than 204 and 205, which allow no body (received 204)',
      { successStatuses: { 'payments.list': 204 } },
    ],
    [
      'successStatuses.support.reply must be an integer from 200 to 299 other than 204 and 205, which allow no body (received 205)',
      { successStatuses: { 'support.reply': 205 } },
    ],
    [
      "successStatuses must be an object of statuses by endpoint, such as { 'payments.create': 200 }",
      { successStatuses: 5 },
    ],
    ['listLag.reads is not a known field', { listLag: { reads: 1 } }],
    ['transitions must be an object with rows of payments, customers, beneficiaries', { transitions: null }],
    [
      'transitions.payment is not a known field (known: payments, customers, beneficiaries)',
      { transitions: { payment: {} } },
    ],
    [
      'transitions.payments must be an object of arrays of statuses by status, such as { COMPLETED: [] }',
      { transitions: { payments: 'PENDING_REVIEW' } },
    ],
    [
      'transitions.payments.PENDING_REVEIW is not a known field (known: PENDING_REVIEW, ',
      { transitions: { payments: { PENDING_REVEIW: ['APPROVED'] } } },
    ],
    ['transitions.customers.DRAFT[0] must be one of DRAFT, ', { transitions: { customers: { DRAFT: ['PAID'] } } }],
    [
      'transitions.payments.APPROVED must be an array of statuses (received "PROCESSING"). Pass []',
      { transitions: { payments: { APPROVED: 'PROCESSING' } } },
    ],
    [
      'transitions.beneficiaries.APPROVED must be an array of statuses (received null). Pass []',
      { transitions: { beneficiaries: { APPROVED: null } } },
    ],
    ['urlLifetime must be a number of seconds greater than 0', { urlLifetime: 0 }],
    [
      'quoteLifetime must be a number of seconds greater than 0 and at most 1e9 (received 1e+300)',
      { quoteLifetime: 1e300 },
    ],
    ['pageSize must be an integer from 1 to 100', { pageSize: 101 }],
    ['dialect.filterNames.state is not a known field', { dialect: { filterNames: { state: 'status' } } }],
    ['dialect.filtres is not a known field', { dialect: { filtres: {} } }],
    ['dialect must be an object', { dialect: 'none' }],
    ['now must be a function that returns milliseconds since the epoch, such as Date.now', { now: () => new Date() }],
  ];

  test.each(invalid)('%s', (message, options) => {
    expect(() => createMockPlatform(options)).toThrow(MockPlatformError);
    expect(() => createMockPlatform(options)).toThrow(message);
  });
});
