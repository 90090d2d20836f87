import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import 'corridor-sdk/mock/vitest';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart, start } from '../fixture.ts';
import { failure, ignoreError } from './expectation.ts';

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
      'Received 2 matching requests to payments.create:',
      '  #1 POST /api/v1/payment -> 201 (fault reset-after-commit)',
      '  #2 POST /api/v1/payment -> 201',
      '',
      'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveCreatedExactly(1, 'replies')).slice(2, -2)).toEqual([
      'Requests created 0 replies.',
      'Received 0 matching requests to support.reply.',
      'Received 2 other requests:',
      '  #1 POST /api/v1/payment -> 201 (fault reset-after-commit)',
      '  #2 POST /api/v1/payment -> 201',
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
      'Received 1 other request:',
      '  #1 GET /api/v1/customers/cus_0 -> 404 not_found: there is no such customer: cus_0',
      '',
      'Seed: 1',
    ]);
    expect(failure(() => expect(platform).toHaveRejected('payments.list')).slice(2, -2)).toEqual([
      'No request to payments.list was rejected.',
      'Received 1 other request:',
      '  #1 GET /api/v1/customers/cus_0 -> 404 not_found: there is no such customer: cus_0',
    ]);
    expect(failure(() => expect(platform).not.toHaveRejected()).slice(0, -2)).toEqual([
      'expect(platform).not.toHaveRejected()',
      '',
      'A request was rejected:',
      '  #1 GET /api/v1/customers/cus_0 -> 404 not_found: there is no such customer: cus_0',
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
    partner.faults.rate('*', 0.5, { kind: 'cut-body' }, { when: () => false });
    await ignoreError(clientOf(platform).crypto.networks());
    expect(failure(() => expect(platform).toHaveTriggeredAllFaults())).toEqual([
      'expect(platform).toHaveTriggeredAllFaults()',
      '',
      '3 of 3 faults did not happen:',
      '  fault_1 of org_a: crypto.networks {"kind":"reset"} (1 hit, 1 remaining)',
      '  fault_2 of org_a: payments.create when {"currencyCode":"MXN"} {"kind":"hang"} (0 hits, 1 remaining)',
      '  fault_1 of org_b: * when a function {"kind":"cut-body"} (0 hits)',
      'Received 1 other request:',
      '  #1 GET /api/v1/crypto/networks -> no response (fault reset)',
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

describe('toHavePaidOrdersOnce', () => {
  test('passes if every order was paid once, by requests', async () => {
    const platform = platformAtStart();
    platform.payments.addMany(2, () => ({ internalReference: 'order-1' }));
    expect(platform).not.toHavePaidOrdersOnce();
    const corridor = clientOf(platform);
    for (const internalReference of ['order-1', 'order-2', null, null])
      await corridor.payments.create({ ...payablePayment(platform), internalReference });
    expect(platform).toHavePaidOrdersOnce();
    const acme = platform.organization();
    await new Corridor(acme.clientOptions()).payments.create({ ...payablePayment(acme), internalReference: 'order-1' });
    expect(platform).toHavePaidOrdersOnce();
  });

  test('takes payments of one amount to one beneficiary, without a reference, for those of one order', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    const { customerId, beneficiaryId, ...order } = platform.payments.createParams();
    await corridor.payments.create({ ...order, customerId, beneficiaryId });
    expect(platform).toHavePaidOrdersOnce();
    const { amount, currencyCode } = order;
    await corridor.payments.create(platform.payments.createParams({ customerId, beneficiaryId, amount, currencyCode }));
    expect(failure(() => expect(platform).toHavePaidOrdersOnce())).toContain(
      `Order of ${amount} ${currencyCode} to ${beneficiaryId}, without an internalReference:`,
    );
  });

  test('prints the payments of an order that was paid with two quotes', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    const ids: (string | null)[] = [];
    for (const internalReference of ['order-1', 'order-2', 'order-1'])
      ids.push((await corridor.payments.create({ ...payablePayment(platform), internalReference })).id);
    expect(failure(() => expect(platform).toHavePaidOrdersOnce())).toEqual([
      'expect(platform).toHavePaidOrdersOnce()',
      '',
      'Requests paid 2 orders, 1 of them several times:',
      'Order order-1:',
      expect.stringContaining(`  ${ids[0]} 1250.00 MXN by quote `),
      expect.stringContaining(`  ${ids[2]} 1250.00 MXN by quote `),
      '',
      'Seed: 1',
    ]);
    expect(platform).not.toHavePaidOrdersOnce();
  });
});
