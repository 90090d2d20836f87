import { Corridor } from 'corridor-sdk';
import { connectMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';

test('an organization loads a scenario for itself', async () => {
  const platform = platformAtStart();
  platform.scenarios.add('ours', { customers: [{ id: 'cus_ours' }] });
  const acme = platform.organization({ clock: 'own' });
  acme.scenarios.load('ours');
  acme.scenarios.load({ clock: { now: '2030-01-01T00:00:00Z', isFrozen: true }, behavior: { pageSize: 3 } });
  expect([acme, platform].map(({ customers }) => customers.all().length)).toEqual([1, 0]);
  expect(platform.clock.now()).toBe(Date.parse(start));
  expect(acme.clock.now()).toBe(Date.parse('2030-01-01T00:00:00Z'));
  acme.customers.addMany(5);
  expect((await new Corridor(acme.clientOptions()).customers.list()).items).toHaveLength(3);
});

test('another process loads scenarios as JSON', async () => {
  const served = await serveMockPlatform({ control: true });
  const remote = await connectMockPlatform(served.url);
  const acme = await remote.organization();
  await acme.scenarios.load({ customers: [{ id: 'cus_acme', companyName: 'Acme' }] });
  await remote.scenarios.load('returned-payout');
  expect((await acme.customers.all()).map(({ id }) => id)).toEqual(['cus_acme']);
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
