import { Corridor } from 'corridor-sdk';
import { connectMockPlatform, type RemoteMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import 'corridor-sdk/mock/vitest';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let served: MockPlatformServer;
let platform: RemoteMockPlatform;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true });
  platform = await connectMockPlatform(served.url);
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

test('matchers accept a remote platform, and its organizations', async () => {
  const acme = await platform.organization();
  await new Corridor(await acme.clientOptions()).payments.create(await acme.payments.createParams());
  await expect(platform).toHaveReceived('payments.create');
  await expect(platform).toHaveCreatedExactly(1, 'payments');
  await expect(acme).toHaveCreatedExactly(1, 'payments');
  await expect(platform).not.toHaveRejected();
  await expect(platform).toHaveTriggeredAllFaults();
});

test('verify checks over HTTP what the matchers check', async () => {
  const corridor = new Corridor(await platform.clientOptions());
  const order = await platform.payments.createParams({ internalReference: 'order-1', currencyCode: 'MXN' });
  await corridor.payments.create(order);
  await corridor.payments.list({ limit: 5 });
  const verify = async (...args: readonly unknown[]): Promise<{ pass: boolean; message: string }> => {
    const response = await fetch(`${served.url}/__mock/verify`, { method: 'POST', body: JSON.stringify(args) });
    expect(response.status).toBe(200);
    return (await response.json()) as { pass: boolean; message: string };
  };
  const reference = (matches: string) => ['payments.create', { internalReference: { matches } }];
  expect(await verify('toHaveReceived', reference('^order-'))).toMatchObject({ pass: true });
  expect(await verify('toHaveReceivedTimes', [2, 'payments.create'])).toMatchObject({ pass: false });
  expect(await verify('toHaveReceivedInOrder', [['payments.create', 'payments.list']])).toMatchObject({ pass: true });
  expect(await verify('toHaveReceivedInOrder', [['payments.list', 'payments.create']])).toMatchObject({ pass: false });
  expect(await verify('toHavePaidOrdersOnce')).toMatchObject({ pass: true });
  expect(await verify('toHaveReceived', ['payments.create', { memo: { absent: true }, currencyCode: 'USD' }])).toEqual({
    pass: false,
    message: expect.stringContaining('currencyCode: expected "USD", received "MXN"'),
  });
  await expect(platform).toHaveReceived('payments.create', { internalReference: { matches: '^order-' } });
  await expect(platform).not.toHaveReceived('payments.create', { body: { internalReference: { matches: '2' } } });
});

test('waits for a request, adds a scenario and resets the clock', async () => {
  const waiting = platform.waitForRequest('payments.list', { when: { limit: 7 } });
  await new Corridor(await platform.clientOptions()).payments.list({ limit: 7 });
  expect(await waiting).toMatchObject({ endpoint: 'payments.list', filters: { limit: 7 } });
  await platform.scenarios.add('acme', { customers: [{ id: 'cus_acme' }] });
  await platform.scenarios.load('acme');
  expect(await platform.customers.get('cus_acme')).toMatchObject({ id: 'cus_acme' });
  await platform.clock.set('2020-01-01T00:00:00Z');
  await platform.clock.reset();
  expect(await platform.clock.now()).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
});

test('matchers report why they fail', async () => {
  await expect(async () => expect(platform).toHaveReceived('payments.create')).rejects.toThrow(
    'Received 0 matching requests to payments.create.',
  );
  await platform.faults.next('payments.list', { kind: 'reset' });
  await expect(async () => expect(platform).toHaveTriggeredAllFaults()).rejects.toThrow('1 of 1 fault did not happen');
});
