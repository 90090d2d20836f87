import { Corridor } from 'corridor-sdk';
import { corridorMatchers, createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import 'corridor-sdk/mock/vitest';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart, start } from './fixture.js';

const clientOf = (platform: MockPlatform): Corridor => new Corridor({ ...platform.clientOptions(), retries: 0 });

/** What a failing expectation prints, without colours. */
function failure(expectation: () => void): string[] {
  try {
    expectation();
  } catch (error) {
    return stripVTControlCharacters(error instanceof Error ? error.message : String(error)).split('\n');
  }
  throw new Error('the expectation held');
}

/** Sends a request, whatever comes of it. */
const settled = (call: PromiseLike<unknown>): PromiseLike<unknown> => call.then(undefined, (error: unknown) => error);

describe('toHaveReceived', () => {
  test('holds for a request with the fields that are expected, whatever else it has', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform, { memo: 'Thank you' });
    await clientOf(platform).payments.create(payment);
    expect(platform).toHaveReceived('payments.create');
    expect(platform).toHaveReceived('payments.create', { amount: '1250.00', memo: 'Thank you', documentIds: payment.documentIds });
    expect(platform).not.toHaveReceived('payments.create', { amount: '1250.01' });
    expect(platform).not.toHaveReceived('payments.list');
  });

  test('looks at ids of the path and at filters by their names, whatever the dialect calls them', async () => {
    const dialect = { filters: { createdFrom: 'created_after', limit: 'page_size' } };
    const platform = createMockPlatform({ dialect });
    const { id } = platform.customers.add();
    const corridor = new Corridor({ ...platform.clientOptions(), dialect });
    await corridor.customers.get(id);
    await corridor.payments.list({ createdFrom: new Date(start), limit: 10 });
    expect(platform).toHaveReceived('customers.get', { id });
    expect(platform).toHaveReceived('payments.list', { createdFrom: start, limit: 10 });
    expect(platform).not.toHaveReceived('payments.list', { limit: 11 });
  });

  test('takes matchers for values, and undefined for what must be absent', async () => {
    const platform = platformAtStart();
    await clientOf(platform).payments.create(payablePayment(platform));
    expect(platform).toHaveReceived('payments.create', { amount: expect.stringMatching(/^1250/), documentIds: [expect.any(String)], memo: undefined });
    expect(platform).not.toHaveReceived('payments.create', { memo: expect.any(String) });
  });

  test('says of the nearest request what differs, and why it was refused', async () => {
    const platform = platformAtStart({ seed: 'nearest' });
    const corridor = clientOf(platform);
    const payment = payablePayment(platform);
    await corridor.payments.create(payment);
    await settled(corridor.payments.create({ ...payment, purposeOfPayment: 'Rent', amount: '1250.01' }));
    await settled(corridor.payments.create({ ...payment, purposeOfPayment: 'Goods' }));
    expect(failure(() => expect(platform).toHaveReceived('payments.create', { purposeOfPayment: 'Rent', amount: '1250.00', memo: 'Thank you', currencyCode: 'MXN' }))).toEqual([
      "expect(platform).toHaveReceived('payments.create')",
      '',
      '3 requests to payments.create asked for something else, the nearest is:',
      `  #3 POST /api/v1/payment -> 409 quote_used: the quote was used at ${start}`,
      '       purposeOfPayment: expected "Rent", received "Goods"',
      '       memo: expected "Thank you", received nothing',
      '',
      'Seed: nearest',
    ]);
  });

  test('says which fields a refused request had wrong', async () => {
    const platform = platformAtStart();
    await settled(clientOf(platform).request({ method: 'POST', path: '/api/v1/support/partner-tickets/tic_1/replies', body: { bodyText: 1, draft: 'a' } }));
    expect(failure(() => expect(platform).toHaveReceived('support.reply', { ticketId: 'tic_2', draftId: undefined }))).toEqual([
      "expect(platform).toHaveReceived('support.reply')",
      '',
      '1 request to support.reply asked for something else, the nearest is:',
      '  #1 POST /api/v1/support/partner-tickets/tic_1/replies -> 400 invalid_body: the body breaks the rules',
      '       bodyText must be a string (got number)',
      '       draft is not a known field (known: draftId, actorEmail, bodyHtml, bodyText)',
      '       ticketId: expected "tic_2", received "tic_1"',
      '',
      'Seed: 1',
    ]);
  });

  test('says what came instead', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    expect(failure(() => expect(platform).toHaveReceived('payments.create'))).toEqual([
      "expect(platform).toHaveReceived('payments.create')", '', 'No request to payments.create came.', 'No request came at all.', '', 'Seed: 1',
    ]);
    await corridor.payments.list();
    await corridor.payments.list();
    await settled(corridor.request({ method: 'GET', path: '/api/v2/payment' }));
    expect(failure(() => expect(platform).toHaveReceived('payments.create', { amount: '1' }))).toEqual([
      "expect(platform).toHaveReceived('payments.create')", '', 'No request to payments.create came.',
      'What came:', '  payments.list (2)', '  GET /api/v2/payment (1)', '', 'Seed: 1',
    ]);
  });

  test('behind .not says which requests came, with the faults they met', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.list', { kind: 'status', status: 503 });
    const corridor = clientOf(platform);
    await settled(corridor.payments.list({ limit: 5 }));
    await corridor.payments.list({ limit: 5 });
    expect(failure(() => expect(platform).not.toHaveReceived('payments.list', { limit: 5 }))).toEqual([
      "expect(platform).not.toHaveReceived('payments.list')", '', '2 requests to payments.list came with what was asked for:',
      '  #1 GET /api/v1/payment -> 503 injected_fault: the mock was told to answer 503 (fault status)',
      '  #2 GET /api/v1/payment -> 200', '', 'Seed: 1',
    ]);
  });

  test('lists the last ten where there are more', async () => {
    const platform = createMockPlatform();
    const corridor = clientOf(platform);
    for (let count = 0; count < 12; count++) await corridor.crypto.networks();
    const lines = failure(() => expect(platform).not.toHaveReceived('crypto.networks'));
    expect(lines.slice(2, 5)).toEqual(['12 requests to crypto.networks came:', '  (2 more before these)', '  #3 GET /api/v1/crypto/networks -> 200']);
    expect(lines.filter((line) => line.startsWith('  #'))).toHaveLength(10);
  });
});

describe('toHaveReceivedTimes', () => {
  test('counts the requests that are as expected', async () => {
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

  test('says which came, and which nearly', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    await corridor.payments.list({ limit: 5 });
    await corridor.payments.list({ limit: 6 });
    expect(failure(() => expect(platform).toHaveReceivedTimes(2, 'payments.list', { limit: 5 }))).toEqual([
      "expect(platform).toHaveReceivedTimes(2, 'payments.list')", '', '1 request to payments.list came with what was asked for:', '  #1 GET /api/v1/payment -> 200',
      '1 request to payments.list asked for something else, the nearest is:', '  #2 GET /api/v1/payment -> 200', '       limit: expected 5, received 6', '', 'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveReceivedTimes(1, 'payments.list')).slice(2, 3)).toEqual(['2 requests to payments.list came:']);
    expect(failure(() => expect(platform).toHaveReceivedTimes(1, 'payments.create')).slice(2, 5)).toEqual(['No request to payments.create came.', 'What came:', '  payments.list (2)']);
    expect(failure(() => expect(platform).toHaveReceivedTimes(3, 'payments.list')).slice(2, -2)).toEqual(['2 requests to payments.list came:', '  #1 GET /api/v1/payment -> 200', '  #2 GET /api/v1/payment -> 200']);
  });
});

describe('toHaveCreatedExactly', () => {
  test('counts what requests created, and not what the test added', async () => {
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

  test('counts the payment whose answer was lost, and not the one that the platform forgot', async () => {
    const platform = platformAtStart();
    platform.faults.sequence('payments.create', [{ kind: 'reset-after-commit' }, { kind: 'acked-but-lost' }]);
    const corridor = clientOf(platform);
    await settled(corridor.payments.create(payablePayment(platform)));
    expect(platform).toHaveCreatedExactly(1, 'payments');
    await corridor.payments.create(payablePayment(platform));
    expect(platform).toHaveCreatedExactly(1, 'payments');
  });

  test('counts of a platform all organizations, of an organization its own', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    await clientOf(platform).payments.create(payablePayment(platform));
    await new Corridor(acme.clientOptions()).payments.create(payablePayment(acme));
    expect(platform).toHaveCreatedExactly(2, 'payments');
    expect(acme).toHaveCreatedExactly(1, 'payments');
    expect(failure(() => expect(acme).toHaveCreatedExactly(2, 'payments'))[0]).toBe("expect(organization).toHaveCreatedExactly(2, 'payments')");
  });

  test('says what was created, and by which requests', async () => {
    const platform = platformAtStart({ quotes: 'reusable' });
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const corridor = clientOf(platform);
    const payment = payablePayment(platform);
    await settled(corridor.payments.create(payment));
    await corridor.payments.create(payment);
    const [first, second] = platform.payments.all();
    expect(failure(() => expect(platform).toHaveCreatedExactly(1, 'payments'))).toEqual([
      "expect(platform).toHaveCreatedExactly(1, 'payments')",
      '',
      'Requests created 2 payments:',
      `  ${first?.id} 1250.00 MXN by quote ${payment.paymentQuoteId}, PENDING_REVIEW, created ${start}`,
      `  ${second?.id} 1250.00 MXN by quote ${payment.paymentQuoteId}, PENDING_REVIEW, created ${start}`,
      '2 requests to payments.create came:',
      '  #1 POST /api/v1/payment -> 201 (fault reset-after-commit)',
      '  #2 POST /api/v1/payment -> 201',
      '',
      'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveCreatedExactly(1, 'replies')).slice(2, -2)).toEqual(['Requests created 0 replies.', 'No request to support.reply came.']);
  });
});

describe('toHaveRefused', () => {
  test('holds for a refusal, to an endpoint and with a code where they are given', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    expect(platform).not.toHaveRefused();
    await settled(corridor.customers.get('cus_0'));
    expect(platform).toHaveRefused();
    expect(platform).toHaveRefused('customers.get');
    expect(platform).toHaveRefused('customers.get', 'not_found');
    expect(platform).toHaveRefused(undefined, 'not_found');
    expect(platform).not.toHaveRefused('customers.get', 'token_expired');
    expect(platform).not.toHaveRefused('payments.list');
  });

  test('says what became of the requests', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    await settled(corridor.customers.get('cus_0'));
    expect(failure(() => expect(platform).toHaveRefused('customers.get', 'token_expired'))).toEqual([
      "expect(platform).toHaveRefused('customers.get', 'token_expired')", '', 'No request to customers.get was refused with token_expired.',
      '1 request to customers.get came:', '  #1 GET /api/v1/customers/cus_0 -> 404 not_found: there is no such customer', '', 'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveRefused('payments.list')).slice(2, -2)).toEqual(['No request to payments.list was refused.', 'What came:', '  customers.get (1)']);
    expect(failure(() => expect(platform).not.toHaveRefused()).slice(0, -2)).toEqual([
      'expect(platform).not.toHaveRefused()', '', 'A request was refused:', '  #1 GET /api/v1/customers/cus_0 -> 404 not_found: there is no such customer',
    ]);
    expect(failure(() => expect(platform).not.toHaveRefused(undefined, 'not_found'))[0]).toBe("expect(platform).not.toHaveRefused(undefined, 'not_found')");
  });

  test('says why a token was refused, and shows neither token nor key', async () => {
    const platform = createMockPlatform();
    const { apiKey, privateKey } = await platform.credentials();
    const late = new Corridor({ ...platform.clientOptions(), retries: 0, now: () => Date.now() - 3_600_000 });
    await settled(late.customers.list());
    const text = failure(() => expect(platform).not.toHaveRefused('customers.list')).join('\n');
    expect(text).toMatch(/-> 401 token_expired: the token expired \d+ s ago on the mock's clock/);
    expect(text).not.toMatch(/eyJ|PRIVATE KEY/);
    expect([apiKey, privateKey].filter((secret) => text.includes(secret))).toEqual([]);
  });
});

describe('an expectation that can never hold, or never fail,', () => {
  const platform = createMockPlatform();
  const wrong: readonly (readonly [title: string, expectation: () => void, message: string])[] = [
    ['of something that is no platform', () => expect(42).not.toHaveReceived('payments.list'), 'toHaveReceived: expect a mock platform, or an organization of one'],
    ['of nothing', () => expect(undefined).toHaveRefused(), 'toHaveRefused: expect a mock platform, or an organization of one'],
    ['of its records', () => expect(platform.payments).toHaveCreatedExactly(0, 'payments'), 'toHaveCreatedExactly: expect a mock platform, or an organization of one'],
    // @ts-expect-error There is no such endpoint.
    ['of an unknown endpoint', () => expect(platform).not.toHaveReceived('payment.create'), 'toHaveReceived: "payment.create" is not an endpoint; there are payments.create, payments.list, '],
    // @ts-expect-error There is no such endpoint.
    ['of a refusal by an unknown endpoint', () => expect(platform).not.toHaveRefused('payment.create'), 'toHaveRefused: "payment.create" is not an endpoint'],
    // @ts-expect-error There is no such field.
    ['of an unknown field', () => expect(platform).not.toHaveReceived('customers.list', { state: 'APPROVED' }), 'toHaveReceived: state is not a field of customers.list; there are status, limit, cursor'],
    // @ts-expect-error There is no such field.
    ['of a field where there are none', () => expect(platform).not.toHaveReceived('crypto.networks', { limit: 1 }), 'toHaveReceived: limit is not a field of crypto.networks; it has none'],
    // @ts-expect-error These are no fields.
    ['of fields that are none', () => expect(platform).not.toHaveReceived('crypto.networks', null), 'toHaveReceived: what was asked for must be an object of fields'],
    // @ts-expect-error There is no such kind.
    ['of a kind that requests do not create', () => expect(platform).toHaveCreatedExactly(0, 'customers'), 'toHaveCreatedExactly: requests create payments and replies, not "customers"'],
    ['of half a payment', () => expect(platform).toHaveCreatedExactly(0.5, 'payments'), 'toHaveCreatedExactly: give a whole number first'],
    ['of fewer than none', () => expect(platform).not.toHaveReceivedTimes(-1, 'payments.list'), 'toHaveReceivedTimes: give a whole number first'],
  ];

  test.each(wrong)('%s, throws', (_, expectation, message) => {
    const [line = ''] = failure(expectation);
    expect(line.slice(0, message.length)).toBe(message);
  });
});

test('the matchers are plain functions for any runner that extends its expect with them', () => {
  const platform = createMockPlatform({ seed: 'jest' });
  const utils = { printExpected: String, printReceived: String };
  const context = { equals: Object.is, utils, isNot: false };
  const { pass, message } = corridorMatchers.toHaveReceived.call(context, platform, 'payments.list');
  expect(pass).toBe(false);
  expect(message()).toContain('Seed: jest');
});
