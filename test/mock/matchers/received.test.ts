import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import 'corridor-sdk/mock/vitest';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart, start } from '../fixture.ts';
import { failure, ignoreError } from './expectation.ts';

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

  test('prints the differences and the errors of the other requests', async () => {
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
      'Received 0 matching requests to payments.create.',
      'Received 3 other requests:',
      '  #1 POST /api/v1/payment -> 201',
      '       purposeOfPayment: expected "Rent", received "Machine parts"',
      '       memo: expected "Thank you", received nothing',
      `  #2 POST /api/v1/payment -> 409 quote_used: the quote was used at ${start}`,
      '       amount: expected "1250.00", received "1250.01"',
      '       memo: expected "Thank you", received nothing',
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
      'Received 0 matching requests to support.reply.',
      'Received 1 other request:',
      '  #1 POST /api/v1/support/partner-tickets/tic_1/replies -> 400 invalid_body: the body is invalid',
      '       bodyText must be a string (received number)',
      '       draft is not a known field (known: draftId, actorEmail, bodyHtml, bodyText)',
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
      'Received 0 matching requests to payments.create.',
      'Received 0 other requests.',
      '',
      'Seed: 1',
    ]);
    await corridor.payments.list();
    await corridor.payments.list();
    await ignoreError(corridor.request({ method: 'GET', path: '/api/v2/payment' }));
    expect(failure(() => expect(platform).toHaveReceived('payments.create', { amount: '1' }))).toEqual([
      "expect(platform).toHaveReceived('payments.create')",
      '',
      'Received 0 matching requests to payments.create.',
      'Received 3 other requests:',
      '  #1 GET /api/v1/payment -> 200',
      '  #2 GET /api/v1/payment -> 200',
      expect.stringContaining('  #3 GET /api/v2/payment -> 404 unknown_endpoint: '),
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
      'Received 2 matching requests to payments.list:',
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
      'Received 12 matching requests to crypto.networks:',
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

  test('prints the matching requests and the others', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    await corridor.payments.list({ limit: 5 });
    await corridor.payments.list({ limit: 6 });
    expect(failure(() => expect(platform).toHaveReceivedTimes(2, 'payments.list', { limit: 5 }))).toEqual([
      "expect(platform).toHaveReceivedTimes(2, 'payments.list')",
      '',
      'Received 1 matching request to payments.list:',
      '  #1 GET /api/v1/payment -> 200',
      'Received 1 other request:',
      '  #2 GET /api/v1/payment -> 200',
      '       limit: expected 5, received 6',
      '',
      'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveReceivedTimes(1, 'payments.list')).slice(2, 3)).toEqual([
      'Received 2 matching requests to payments.list:',
    ]);
    expect(failure(() => expect(platform).toHaveReceivedTimes(1, 'payments.create')).slice(2, 5)).toEqual([
      'Received 0 matching requests to payments.create.',
      'Received 2 other requests:',
      '  #1 GET /api/v1/payment -> 200',
    ]);
    expect(failure(() => expect(platform).toHaveReceivedTimes(3, 'payments.list')).slice(2, -2)).toEqual([
      'Received 2 matching requests to payments.list:',
      '  #1 GET /api/v1/payment -> 200',
      '  #2 GET /api/v1/payment -> 200',
    ]);
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

  test('prints the requests in order, and those of the missing step', async () => {
    const platform = await pollingPlatform();
    expect(
      failure(() => expect(platform).toHaveReceivedInOrder(['payments.create', ['payments.list'], 'crypto.networks'])),
    ).toEqual([
      'expect(platform).toHaveReceivedInOrder',
      '',
      'Received 2 of 3 requests in order:',
      '  #2 POST /api/v1/payment -> 201',
      '  #3 GET /api/v1/payment -> 200',
      'The next step:',
      'Received 1 matching request to crypto.networks:',
      '  #1 GET /api/v1/crypto/networks -> 200',
      '',
      'Seed: order',
    ]);
  });

  test('prints the other requests of a step that no request matches', async () => {
    const platform = await pollingPlatform();
    expect(failure(() => expect(platform).toHaveReceivedInOrder([['payments.list', { limit: 7 }]]))).toEqual([
      'expect(platform).toHaveReceivedInOrder',
      '',
      'Received 0 of 1 requests in order.',
      'The next step:',
      'Received 0 matching requests to payments.list.',
      'Received 2 other requests:',
      '  #3 GET /api/v1/payment -> 200',
      '       limit: expected 7, received 5',
      '  #4 GET /api/v1/payment -> 200',
      '       limit: expected 7, received 10',
      '',
      'Seed: order',
    ]);
  });
});
