import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform, type PlatformSnapshot } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { platformAtStart } from '../fixture.ts';

/** A platform of two organizations, each with a customer and a part of its rate limit used. */
async function usedPlatform(): Promise<MockPlatform> {
  const platform = platformAtStart({ rateLimit: { requests: 10, per: { minutes: 1 } } });
  for (const organization of [platform, platform.organization()]) {
    organization.customers.add();
    await new Corridor(organization.clientOptions()).customers.list();
  }
  return platform;
}

test.each([
  [undefined, '(received undefined). Take it again, or load a scenario.'],
  [[], '(received array). Take it'],
  [{}, '(received object). Take it'],
  [{ version: 1 }, '(received object). Take it'],
  [{ version: 2 }, 'of this release: its version is 2 (expected: 1). Use the release of corridor-sdk that wrote it.'],
])('a value that is not a snapshot throws: %j', (value, reason) => {
  expect(() => createMockPlatform().restore(value as never)).toThrow(
    `restore: this is not a snapshot of a mock platform ${reason}`,
  );
});

test.each([
  { id: 'org_mine', apiKey: 'another-key' },
  { id: 'org_other', apiKey: 'mine' },
])('a restore replaces an organization that has only the id or the API key of one in the snapshot: %o', (other) => {
  const platform = createMockPlatform();
  const mine = platform.organization({ id: 'org_mine', apiKey: 'mine' });
  mine.customers.add();
  const another = createMockPlatform();
  another.organization(other).customers.addMany(2);
  platform.restore(another.snapshot());
  expect(platform.organizations.map(({ id }) => id)).toEqual([platform.id, other.id]);
  expect(platform.organizations[1]?.clientOptions().apiKey).toBe(other.apiKey);
  expect(platform.organizations[1]?.customers.all()).toHaveLength(2);
  expect(mine.customers.all()).toEqual([]);
});

test('an organization that one restore removes and another brings back keeps its keys and its object', async () => {
  const { privateKey } = await createMockPlatform().credentials();
  const platform = createMockPlatform();
  const empty = platform.snapshot();
  const acme = platform.organization({ privateKey });
  acme.customers.add();
  const full = platform.snapshot();

  platform.restore(empty);
  expect(acme.customers.all()).toEqual([]);
  platform.restore(JSON.parse(JSON.stringify(full)) as PlatformSnapshot);

  expect(platform.organizations[1]).toBe(acme);
  acme.customers.add();
  expect((await new Corridor(acme.clientOptions()).customers.list()).items).toHaveLength(2);
});

test('a restore undoes later behavior and brings back the configured behavior of the snapshot', () => {
  const platform = createMockPlatform({ quotes: 'reusable', pageSize: 50 });
  const valueOf = (option: string): unknown =>
    platform.assumptions().find((assumption) => assumption.option === option)?.value;
  const fresh = platform.snapshot();
  platform.configure({ quotes: undefined, errorBody: 'nested' });
  const configured = JSON.parse(JSON.stringify(platform.snapshot())) as PlatformSnapshot;

  platform.restore(fresh);
  expect(['quotes', 'errorBody', 'pageSize'].map(valueOf)).toEqual(['reusable', 'plain', 50]);
  platform.restore(configured);
  expect(['quotes', 'errorBody', 'pageSize'].map(valueOf)).toEqual(['single-use', 'nested', 50]);
});

test('a snapshot counts the requests, and has a quota only if there is a rate limit', async () => {
  const platform = await usedPlatform();
  expect(platform.snapshot()).toMatchObject({
    requestCount: 2,
    organizations: [{ quota: { count: 1 } }, { quota: { count: 1 } }],
  });
  expect(createMockPlatform().snapshot()).toHaveProperty(
    'organizations.0',
    expect.not.objectContaining({ quota: expect.anything() }),
  );
});

test.each(['reset', 'restore'] as const)(
  'a request that is in flight during a %s has no effect on the new state, and is not in its log',
  async (change) => {
    const platform = platformAtStart();
    const order = platform.payments.createParams();
    const before = platform.snapshot();
    // Called after the request has arrived, and before its token is verified.
    const when = (): boolean => {
      if (change === 'reset') platform.reset();
      else platform.restore(before);
      return false;
    };
    platform.faults.always('payments.create', { kind: 'clock-skew', seconds: 0 }, { when });

    const { payments } = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
    await expect(payments.create(order)).rejects.toMatchObject({ code: 'connection', outcome: 'unknown' });
    expect([platform.payments.all(), [...platform.requests]]).toEqual([[], []]);

    platform.restore(before);
    await payments.create(order);
    expect(platform.requests).toHaveLength(1);
  },
);

test('reset removes used tokens and scheduled transitions', async () => {
  const platform = await usedPlatform();
  platform.payments.scheduleTransitions(platform.payments.add().id, ['APPROVED'], { every: { minutes: 5 } });
  platform.reset();
  expect(platform.snapshot()).toMatchObject({
    organizations: [
      { tokens: [], faults: { count: 0, faults: [] }, schedule: { calls: [], plans: [] } },
      { tokens: [], faults: { count: 0, faults: [] }, schedule: { calls: [], plans: [] } },
    ],
  });
});
