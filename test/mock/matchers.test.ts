import { Corridor } from 'corridor-sdk';
import { corridorMatchers, createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import 'corridor-sdk/mock/vitest';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart, start } from './fixture.js';

const clientOf = (platform: MockPlatform): Corridor => new Corridor({ ...platform.clientOptions(), maxRetries: 0 });

/** Returns the message of a failing expectation, without colors. */
function failure(expectation: () => void): string[] {
  try {
    expectation();
  } catch (error) {
    return stripVTControlCharacters(error instanceof Error ? error.message : String(error)).split('\n');
  }
  throw new Error('the expectation held');
}

/** Sends a request and ignores the error. */
const ignoreError = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(undefined, (error: unknown) => error);

describe('toHaveReceived', () => {
  test('passes for a request with the expected fields and others', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform, { memo: 'Thank you' });
    await clientOf(platform).payments.create(payment);
    expect(platform).toHaveReceived('payments.create');
    expect(platform).toHaveReceived('payments.create', {
      amount: '1250.00',
      memo: 'Thank you',
      documentIds: payment.documentIds,
    });
    expect(platform).not.toHaveReceived('payments.create', { amount: '1250.01' });
    expect(platform).not.toHaveReceived('payments.list');
  });

  test('compares path ids and filters by the names of the client, in any dialect', async () => {
    const dialect = { filterNames: { createdFrom: 'created_after', limit: 'page_size' } };
    const platform = createMockPlatform({ dialect });
    const { id } = platform.customers.add();
    const corridor = new Corridor({ ...platform.clientOptions(), dialect });
    await corridor.customers.get(id);
    await corridor.payments.list({ createdFrom: new Date(start), limit: 10 });
    expect(platform).toHaveReceived('customers.get', { id });
    expect(platform).toHaveReceived('payments.list', { createdFrom: start, limit: 10 });
    expect(platform).not.toHaveReceived('payments.list', { limit: 11 });
  });

  test('accepts asymmetric matchers, and undefined for absent fields', async () => {
    const platform = platformAtStart();
    await clientOf(platform).payments.create(payablePayment(platform));
    expect(platform).toHaveReceived('payments.create', {
      amount: expect.stringMatching(/^1250/),
      documentIds: [expect.any(String)],
      memo: undefined,
    });
    expect(platform).not.toHaveReceived('payments.create', { memo: expect.any(String) });
  });

  test('prints the differences and the error of the closest request', async () => {
    const platform = platformAtStart({ seed: 'nearest' });
    const corridor = clientOf(platform);
    const payment = payablePayment(platform);
    await corridor.payments.create(payment);
    await ignoreError(corridor.payments.create({ ...payment, purposeOfPayment: 'Rent', amount: '1250.01' }));
    await ignoreError(corridor.payments.create({ ...payment, purposeOfPayment: 'Goods' }));
    expect(
      failure(() =>
        expect(platform).toHaveReceived('payments.create', {
          purposeOfPayment: 'Rent',
          amount: '1250.00',
          memo: 'Thank you',
          currencyCode: 'MXN',
        }),
      ),
    ).toEqual([
      "expect(platform).toHaveReceived('payments.create')",
      '',
      '3 requests to payments.create did not match. The closest one:',
      `  #3 POST /api/v1/payment -> 409 quote_used: the quote was used at ${start}`,
      '       purposeOfPayment: expected "Rent", received "Goods"',
      '       memo: expected "Thank you", received nothing',
      '',
      'Seed: nearest',
    ]);
  });

  test('prints the invalid fields of a rejected request', async () => {
    const platform = platformAtStart();
    await ignoreError(
      clientOf(platform).request({
        method: 'POST',
        path: '/api/v1/support/partner-tickets/tic_1/replies',
        body: { bodyText: 1, draft: 'a' },
      }),
    );
    expect(
      failure(() => expect(platform).toHaveReceived('support.reply', { ticketId: 'tic_2', draftId: undefined })),
    ).toEqual([
      "expect(platform).toHaveReceived('support.reply')",
      '',
      '1 request to support.reply did not match. The closest one:',
      '  #1 POST /api/v1/support/partner-tickets/tic_1/replies -> 400 invalid_body: the body is invalid',
      '       bodyText must be a string (received number)',
      '       draft is not a known field (known: draftId, actorEmail, bodyHtml, bodyText); did you mean draftId?',
      '       ticketId: expected "tic_2", received "tic_1"',
      '',
      'Seed: 1',
    ]);
  });

  test('prints the requests that were received instead', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    expect(failure(() => expect(platform).toHaveReceived('payments.create'))).toEqual([
      "expect(platform).toHaveReceived('payments.create')",
      '',
      'Received no request to payments.create.',
      'Received no requests at all.',
      '',
      'Seed: 1',
    ]);
    await corridor.payments.list();
    await corridor.payments.list();
    await ignoreError(corridor.request({ method: 'GET', path: '/api/v2/payment' }));
    expect(failure(() => expect(platform).toHaveReceived('payments.create', { amount: '1' }))).toEqual([
      "expect(platform).toHaveReceived('payments.create')",
      '',
      'Received no request to payments.create.',
      'Received instead:',
      '  payments.list (2)',
      '  GET /api/v2/payment (1)',
      '',
      'Seed: 1',
    ]);
  });

  test('with .not, prints the matching requests with their faults', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.list', { kind: 'status', status: 503 });
    const corridor = clientOf(platform);
    await ignoreError(corridor.payments.list({ limit: 5 }));
    await corridor.payments.list({ limit: 5 });
    expect(failure(() => expect(platform).not.toHaveReceived('payments.list', { limit: 5 }))).toEqual([
      "expect(platform).not.toHaveReceived('payments.list')",
      '',
      'Received 2 requests to payments.list with the expected fields:',
      '  #1 GET /api/v1/payment -> 503 injected_fault: a planned fault responded with 503 (fault status)',
      '  #2 GET /api/v1/payment -> 200',
      '',
      'Seed: 1',
    ]);
  });

  test('prints only the last ten requests', async () => {
    const platform = createMockPlatform();
    const corridor = clientOf(platform);
    for (let count = 0; count < 12; count++) await corridor.crypto.networks();
    const lines = failure(() => expect(platform).not.toHaveReceived('crypto.networks'));
    expect(lines.slice(2, 5)).toEqual([
      'Received 12 requests to crypto.networks:',
      '  (2 more before these)',
      '  #3 GET /api/v1/crypto/networks -> 200',
    ]);
    expect(lines.filter((line) => line.startsWith('  #'))).toHaveLength(10);
  });
});

describe('toHaveReceivedTimes', () => {
  test('counts the matching requests', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    await corridor.payments.list({ limit: 5 });
    await corridor.payments.list({ limit: 5 });
    await corridor.payments.list({ limit: 6 });
    expect(platform).toHaveReceivedTimes(3, 'payments.list');
    expect(platform).toHaveReceivedTimes(2, 'payments.list', { limit: 5 });
    expect(platform).toHaveReceivedTimes(0, 'payments.create');
    expect(platform).not.toHaveReceivedTimes(1, 'payments.list', { limit: 5 });
  });

  test('prints the matching requests and the closest other one', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    await corridor.payments.list({ limit: 5 });
    await corridor.payments.list({ limit: 6 });
    expect(failure(() => expect(platform).toHaveReceivedTimes(2, 'payments.list', { limit: 5 }))).toEqual([
      "expect(platform).toHaveReceivedTimes(2, 'payments.list')",
      '',
      'Received 1 request to payments.list with the expected fields:',
      '  #1 GET /api/v1/payment -> 200',
      '1 request to payments.list did not match. The closest one:',
      '  #2 GET /api/v1/payment -> 200',
      '       limit: expected 5, received 6',
      '',
      'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveReceivedTimes(1, 'payments.list')).slice(2, 3)).toEqual([
      'Received 2 requests to payments.list:',
    ]);
    expect(failure(() => expect(platform).toHaveReceivedTimes(1, 'payments.create')).slice(2, 5)).toEqual([
      'Received no request to payments.create.',
      'Received instead:',
      '  payments.list (2)',
    ]);
    expect(failure(() => expect(platform).toHaveReceivedTimes(3, 'payments.list')).slice(2, -2)).toEqual([
      'Received 2 requests to payments.list:',
      '  #1 GET /api/v1/payment -> 200',
      '  #2 GET /api/v1/payment -> 200',
    ]);
  });
});

describe('toHaveCreatedExactly', () => {
  test('counts records that requests created, but not those that the test added', async () => {
    const platform = platformAtStart();
    platform.payments.addMany(3);
    const ticket = platform.tickets.add({ replies: [{ bodyText: 'Hello' }] });
    const corridor = clientOf(platform);
    expect(platform).toHaveCreatedExactly(0, 'payments');
    await corridor.payments.create(payablePayment(platform));
    await corridor.support.reply(ticket.id, { bodyText: 'Thank you' });
    expect(platform).toHaveCreatedExactly(1, 'payments');
    expect(platform).toHaveCreatedExactly(1, 'replies');
    expect(platform).not.toHaveCreatedExactly(2, 'payments');
  });

  test('counts a payment whose response was lost, but not one that the platform lost', async () => {
    const platform = platformAtStart();
    platform.faults.sequence('payments.create', [{ kind: 'reset-after-commit' }, { kind: 'acked-but-lost' }]);
    const corridor = clientOf(platform);
    await ignoreError(corridor.payments.create(payablePayment(platform)));
    expect(platform).toHaveCreatedExactly(1, 'payments');
    await corridor.payments.create(payablePayment(platform));
    expect(platform).toHaveCreatedExactly(1, 'payments');
  });

  test('counts all organizations of a platform, or a single organization', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    await clientOf(platform).payments.create(payablePayment(platform));
    await new Corridor(acme.clientOptions()).payments.create(payablePayment(acme));
    expect(platform).toHaveCreatedExactly(2, 'payments');
    expect(acme).toHaveCreatedExactly(1, 'payments');
    expect(failure(() => expect(acme).toHaveCreatedExactly(2, 'payments'))[0]).toBe(
      "expect(organization).toHaveCreatedExactly(2, 'payments')",
    );
  });

  test('prints the created records and the requests', async () => {
    const platform = platformAtStart({ quotes: 'reusable' });
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const corridor = clientOf(platform);
    const payment = payablePayment(platform);
    await ignoreError(corridor.payments.create(payment));
    await corridor.payments.create(payment);
    const [first, second] = platform.payments.all();
    expect(failure(() => expect(platform).toHaveCreatedExactly(1, 'payments'))).toEqual([
      "expect(platform).toHaveCreatedExactly(1, 'payments')",
      '',
      'Requests created 2 payments:',
      `  ${first?.id} 1250.00 MXN by quote ${payment.paymentQuoteId}, PENDING_REVIEW, created ${start}`,
      `  ${second?.id} 1250.00 MXN by quote ${payment.paymentQuoteId}, PENDING_REVIEW, created ${start}`,
      'Received 2 requests to payments.create:',
      '  #1 POST /api/v1/payment -> 201 (fault reset-after-commit)',
      '  #2 POST /api/v1/payment -> 201',
      '',
      'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveCreatedExactly(1, 'replies')).slice(2, -2)).toEqual([
      'Requests created 0 replies.',
      'Received no request to support.reply.',
    ]);
  });
});

describe('toHaveRejected', () => {
  test('passes for a rejected request, optionally by endpoint and code', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    expect(platform).not.toHaveRejected();
    await ignoreError(corridor.customers.get('cus_0'));
    expect(platform).toHaveRejected();
    expect(platform).toHaveRejected('customers.get');
    expect(platform).toHaveRejected('customers.get', 'not_found');
    expect(platform).toHaveRejected(undefined, 'not_found');
    expect(platform).not.toHaveRejected('customers.get', 'token_expired');
    expect(platform).not.toHaveRejected('payments.list');
  });

  test('prints the requests with their responses', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    await ignoreError(corridor.customers.get('cus_0'));
    expect(failure(() => expect(platform).toHaveRejected('customers.get', 'token_expired'))).toEqual([
      "expect(platform).toHaveRejected('customers.get', 'token_expired')",
      '',
      'No request to customers.get was rejected with token_expired.',
      'Received 1 request to customers.get:',
      '  #1 GET /api/v1/customers/cus_0 -> 404 not_found: there is no such customer',
      '',
      'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveRejected('payments.list')).slice(2, -2)).toEqual([
      'No request to payments.list was rejected.',
      'Received instead:',
      '  customers.get (1)',
    ]);
    expect(failure(() => expect(platform).not.toHaveRejected()).slice(0, -2)).toEqual([
      'expect(platform).not.toHaveRejected()',
      '',
      'A request was rejected:',
      '  #1 GET /api/v1/customers/cus_0 -> 404 not_found: there is no such customer',
    ]);
    expect(failure(() => expect(platform).not.toHaveRejected(undefined, 'not_found'))[0]).toBe(
      "expect(platform).not.toHaveRejected(undefined, 'not_found')",
    );
  });

  test('prints why a token was rejected, without the token or a key', async () => {
    const platform = createMockPlatform();
    const { apiKey, privateKey } = await platform.credentials();
    const late = new Corridor({ ...platform.clientOptions(), maxRetries: 0, now: () => Date.now() - 3_600_000 });
    await ignoreError(late.customers.list());
    const text = failure(() => expect(platform).not.toHaveRejected('customers.list')).join('\n');
    expect(text).toMatch(/-> 401 token_expired: the token expired \d+ s ago on the mock's clock/);
    expect(text).not.toMatch(/eyJ|PRIVATE KEY/);
    expect([apiKey, privateKey].filter((secret) => text.includes(secret))).toEqual([]);
  });
});

describe('toHaveReceivedInOrder', () => {
  async function pollingPlatform(): Promise<MockPlatform> {
    const platform = platformAtStart({ seed: 'order' });
    const { payments, crypto } = clientOf(platform);
    await crypto.networks();
    await payments.create(payablePayment(platform));
    await payments.list({ limit: 5 });
    await payments.list({ limit: 10 });
    return platform;
  }

  test('passes for requests in this order, with others between them', async () => {
    const platform = await pollingPlatform();
    expect(platform).toHaveReceivedInOrder(['payments.create', ['payments.list', { limit: 10 }]]);
    expect(platform).toHaveReceivedInOrder(['payments.list', 'payments.list']);
    expect(platform).not.toHaveReceivedInOrder(['payments.create', 'crypto.networks']);
    expect(platform).not.toHaveReceivedInOrder(['payments.list', 'payments.list', 'payments.list']);
  });

  test('prints the requests in order, and those of the missing step that were received before', async () => {
    const platform = await pollingPlatform();
    expect(
      failure(() => expect(platform).toHaveReceivedInOrder(['payments.create', ['payments.list'], 'crypto.networks'])),
    ).toEqual([
      'expect(platform).toHaveReceivedInOrder',
      '',
      'Received 2 of 3 requests in order:',
      '  #2 POST /api/v1/payment -> 201',
      '  #3 GET /api/v1/payment -> 200',
      'Received no matching request to crypto.networks after these.',
      'Received before:',
      '  #1 GET /api/v1/crypto/networks -> 200',
      '',
      'Seed: order',
    ]);
  });

  test('prints the closest request of a step that no request matches', async () => {
    const platform = await pollingPlatform();
    expect(failure(() => expect(platform).toHaveReceivedInOrder([['payments.list', { limit: 7 }]]))).toEqual([
      'expect(platform).toHaveReceivedInOrder',
      '',
      'Received 0 of 1 requests in order.',
      'Received no matching request to payments.list.',
      '2 requests to payments.list did not match. The closest one:',
      '  #4 GET /api/v1/payment -> 200',
      '       limit: expected 7, received 10',
      '',
      'Seed: order',
    ]);
  });
});

describe('toHaveTriggeredAllFaults', () => {
  test('fails for a fault whose duration is over without a hit', () => {
    const platform = createMockPlatform();
    platform.faults.always('payments.list', { kind: 'reset' }, { duration: { minutes: 1 } });
    platform.clock.advance({ minutes: 1 });
    expect(platform).not.toHaveTriggeredAllFaults();
  });

  test('passes when every fault has happened, each as often as planned', async () => {
    const platform = platformAtStart();
    expect(platform).toHaveTriggeredAllFaults();
    platform.faults.next('crypto.networks', { kind: 'reset' }, 2);
    platform.faults.always('crypto.networks', { kind: 'status', status: 503 });
    platform.faults.sequence('payments.list', ['ok']);
    for (let request = 0; request < 3; request += 1) {
      expect(platform).not.toHaveTriggeredAllFaults();
      await ignoreError(clientOf(platform).crypto.networks());
    }
    expect(platform).toHaveTriggeredAllFaults();
  });

  test('prints the faults that did not happen, of all organizations', async () => {
    const platform = platformAtStart({ seed: 'faults', id: 'org_a' });
    const partner = platform.organization({ id: 'org_b' });
    platform.faults.next('crypto.networks', { kind: 'reset' }, 2);
    platform.faults.next('payments.create', { kind: 'hang' }, { when: { currencyCode: 'MXN' } });
    partner.faults.rate('*', 0.5, { kind: 'html' }, { when: () => false });
    await ignoreError(clientOf(platform).crypto.networks());
    expect(failure(() => expect(platform).toHaveTriggeredAllFaults())).toEqual([
      'expect(platform).toHaveTriggeredAllFaults()',
      '',
      '3 of 3 faults did not happen:',
      '  fault_1 of org_a: crypto.networks {"kind":"reset"} (1 hit, 1 remaining)',
      '  fault_2 of org_a: payments.create when {"currencyCode":"MXN"} {"kind":"hang"} (0 hits, 1 remaining)',
      '  fault_1 of org_b: * when a function {"kind":"html"} (0 hits)',
      'Received instead:',
      '  crypto.networks (1)',
      '',
      'Seed: faults',
    ]);
    expect(failure(() => expect(partner).toHaveTriggeredAllFaults())[2]).toBe('1 of 1 fault did not happen:');
  });

  test('prints the faults that happened if it is negated', async () => {
    const platform = platformAtStart({ id: 'org_a' });
    expect(failure(() => expect(platform).not.toHaveTriggeredAllFaults())[2]).toBe('All of 0 faults happened.');
    platform.faults.next('crypto.networks', { kind: 'reset' });
    await ignoreError(clientOf(platform).crypto.networks());
    expect(failure(() => expect(platform).not.toHaveTriggeredAllFaults()).slice(2, 4)).toEqual([
      'All of 1 fault happened:',
      '  fault_1 of org_a: crypto.networks {"kind":"reset"} (1 hit, 0 remaining)',
    ]);
  });
});

describe('an expectation that can never pass, or never fail,', () => {
  const platform = createMockPlatform();
  const wrong: readonly (readonly [title: string, expectation: () => void, message: string])[] = [
    [
      'of a value that is not a platform',
      () => expect(42).not.toHaveReceived('payments.list'),
      'toHaveReceived: the value must be a mock platform or one of its organizations',
    ],
    [
      'of undefined',
      () => expect(undefined).toHaveRejected(),
      'toHaveRejected: the value must be a mock platform or one of its organizations',
    ],
    [
      'of the records of a platform',
      () => expect(platform.payments).toHaveCreatedExactly(0, 'payments'),
      'toHaveCreatedExactly: the value must be a mock platform or one of its organizations',
    ],
    [
      'of an unknown endpoint',
      // @ts-expect-error The endpoint is unknown.
      () => expect(platform).not.toHaveReceived('payment.create'),
      'toHaveReceived: endpoint must be one of payments.create, payments.list, ',
    ],
    [
      'of a rejection by an unknown endpoint',
      // @ts-expect-error The endpoint is unknown.
      () => expect(platform).not.toHaveRejected('payment.create'),
      'toHaveRejected: endpoint must be one of payments.create, ',
    ],
    [
      'of an unknown field',
      // @ts-expect-error The field is unknown.
      () => expect(platform).not.toHaveReceived('customers.list', { state: 'APPROVED' }),
      'toHaveReceived: unknown field "state" of customers.list (expected: status, limit, cursor',
    ],
    [
      'of a field of an endpoint without fields',
      // @ts-expect-error The field is unknown.
      () => expect(platform).not.toHaveReceived('crypto.networks', { limit: 1 }),
      'toHaveReceived: unknown field "limit" of crypto.networks (the endpoint has no fields)',
    ],
    [
      'of null instead of fields',
      // @ts-expect-error The fields must be an object.
      () => expect(platform).not.toHaveReceived('crypto.networks', null),
      'toHaveReceived: the expected fields must be an object',
    ],
    [
      'of a kind that requests do not create',
      // @ts-expect-error The kind is unknown.
      () => expect(platform).toHaveCreatedExactly(0, 'customers'),
      'toHaveCreatedExactly: unknown kind "customers" (expected: payments, replies)',
    ],
    [
      'of a fraction',
      () => expect(platform).toHaveCreatedExactly(0.5, 'payments'),
      'toHaveCreatedExactly: the first argument must be an integer of 0 or more',
    ],
    [
      'of a negative number',
      () => expect(platform).not.toHaveReceivedTimes(-1, 'payments.list'),
      'toHaveReceivedTimes: the first argument must be an integer of 0 or more',
    ],
    [
      'of no requests in order',
      () => expect(platform).toHaveReceivedInOrder([]),
      "toHaveReceivedInOrder: the first argument must be an array of endpoints such as ['payments.create', ",
    ],
    [
      'of an unknown field of a step',
      // @ts-expect-error The field is unknown.
      () => expect(platform).not.toHaveReceivedInOrder([['payments.create', { state: 1 }]]),
      'toHaveReceivedInOrder: unknown field "state" of payments.create',
    ],
    [
      'of the faults of something else',
      () => expect({}).toHaveTriggeredAllFaults(),
      'toHaveTriggeredAllFaults: the value must be a mock platform or one of its organizations',
    ],
  ];

  test.each(wrong)('%s, throws', (_, expectation, message) => {
    const [line = ''] = failure(expectation);
    expect(line.slice(0, message.length)).toBe(message);
  });
});

test('the matchers are plain functions that work with the expect.extend of any test runner', () => {
  const platform = createMockPlatform({ seed: 'jest' });
  const utils = { printExpected: String, printReceived: String };
  const context = { equals: Object.is, utils, isNot: false };
  const { pass, message } = corridorMatchers.toHaveReceived.call(context, platform, 'payments.list');
  expect(pass).toBe(false);
  expect(message()).toContain('Seed: jest');
});
