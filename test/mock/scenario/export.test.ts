import { Corridor } from 'corridor-sdk';
import { connectMockPlatform, createMockPlatform, type MockScenario } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart, start } from '../fixture.js';
import { dataOf } from '../platform/data.js';

describe('an exported scenario', () => {
  test('loads the same records, also those that requests changed', async () => {
    const platform = createMockPlatform();
    platform.clock.set(start);
    platform.populate({ payments: 20 });
    platform.documents.add({ content: 'an invoice' });
    const { id } = await new Corridor(platform.clientOptions()).payments.create(payablePayment(platform));
    platform.payments.transition(id, 'APPROVED');
    const scenario = JSON.parse(JSON.stringify(platform.scenarios.export())) as MockScenario;

    const other = createMockPlatform(); // the same seed, so that signed URLs are equal
    other.scenarios.load(scenario);

    const requested = (text: unknown): unknown =>
      JSON.parse(JSON.stringify(text).replaceAll('"requested":true', '"requested":false'));
    expect(requested(dataOf(other))).toEqual(requested(dataOf(platform)));
    expect(other.payments.history(id)).toEqual(platform.payments.history(id));
    expect(other.clock.now()).toBe(Date.parse(start));
  });

  test('has scheduled changes, faults, responses and behavior', () => {
    const platform = platformAtStart();
    platform.configure({ quotes: 'reusable' });
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 5 } });
    platform.payments.scheduleTransitionsOnCreate(['REJECTED'], { every: { seconds: 90 } });
    platform.faults.next('payments.list', { kind: 'reset' }, { times: 2, when: { limit: 1 }, after: 1 });
    platform.respond('customers.get', { patch: { companyName: 'Acme' } });
    const other = createMockPlatform();
    other.scenarios.load(platform.scenarios.export());
    other.clock.advance({ minutes: 10 });
    expect(other.payments.get(id)?.status).toBe('PROCESSING');
    expect(other.faults.list()).toMatchObject([
      { endpoint: 'payments.list', fault: { kind: 'reset' }, when: { limit: 1 }, after: 1, remaining: 2 },
      { endpoint: 'customers.get', fault: { kind: 'response' }, remaining: null },
    ]);
    expect(other.scenarios.export()).toMatchObject({
      behavior: { quotes: 'reusable' },
      createdPayments: { statuses: ['REJECTED'], trigger: { every: { seconds: 90 } } },
    });
  });
});

test('an organization loads a scenario for itself', () => {
  const platform = platformAtStart();
  platform.scenarios.add('ours', { customers: [{ id: 'cus_ours' }] });
  const acme = platform.organization({ clock: 'own' });
  acme.scenarios.load('ours');
  acme.scenarios.load({ clock: { now: '2030-01-01T00:00:00Z', isFrozen: true }, behavior: { pageSize: 3 } });
  expect([acme, platform].map(({ customers }) => customers.all().length)).toEqual([1, 0]);
  expect(platform.clock.now()).toBe(Date.parse(start));
  expect(acme.scenarios.export()).toMatchObject({
    clock: { now: '2030-01-01T00:00:00.000Z' },
    behavior: { pageSize: 3 },
  });
});

test('another process loads and exports scenarios as JSON', async () => {
  const served = await serveMockPlatform({ control: true });
  const remote = await connectMockPlatform(served.url);
  const acme = await remote.organization();
  await acme.scenarios.load({ customers: [{ id: 'cus_acme', companyName: 'Acme' }] });
  await remote.scenarios.load('returned-payout');
  expect((await acme.customers.all()).map(({ id }) => id)).toEqual(['cus_acme']);
  expect(await acme.scenarios.export()).toMatchObject({ customers: [{ id: 'cus_acme', companyName: 'Acme' }] });
  await expect(acme.scenarios.load({ customers: [{ companyName: 5 }] } as never)).rejects.toThrow(
    'scenarios.load: customers[0].companyName must be a string',
  );
  await served.close();
});

test.each([
  [[{ status: 'COMPLETED', at: start }], 'end with the status PENDING_REVIEW'],
  [[{ status: 'PENDING_REVIEW', at: '2020-01-01T00:00:00Z' }], 'history must begin at createdAt or later'],
  [[], 'history must'],
  [[{ status: 'PAID', at: start }], 'history[0].status must be one of'],
])('a payment cannot have the history %j', (history, message) => {
  const { payments } = platformAtStart();
  expect(() => payments.add({ history: history as never })).toThrow(message);
});
