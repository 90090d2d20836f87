import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type MockPlatform, type PlatformSnapshot } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { platformAtStart, start } from './fixture.js';

/** A platform of two organizations, each with a customer and a part of its rate limit used. */
async function usedPlatform(): Promise<MockPlatform> {
  const platform = platformAtStart({ rateLimit: { requests: 10, per: { minutes: 1 } } });
  for (const organization of [platform, platform.organization()]) {
    organization.customers.add();
    await new Corridor(organization.clientOptions()).customers.list();
  }
  return platform;
}

/** A copy of a snapshot in which one place holds something else; `undefined` takes it away. */
function changed(snapshot: PlatformSnapshot, place: string, value: unknown): PlatformSnapshot {
  const copy = structuredClone(snapshot);
  const steps = place.split('.');
  const last = steps.pop()!;
  const owner = steps.reduce((found, step) => Reflect.get(found, step) as object, copy as object);
  if (value === undefined) Reflect.deleteProperty(owner, last);
  else Reflect.set(owner, last, value);
  return copy;
}

const both = (place: string, ...values: readonly unknown[]): [string, unknown][] =>
  [0, 1].flatMap((organization) => values.map((value): [string, unknown] => [`organizations.${organization}.${place}`, value]));

test.each([
  ['version', 2], ['version', undefined], ['clock', undefined], ['clock', null], ['clock', []], ['clock', 5], ['answered', '2'],
  ['clock', {}], ['clock', { running: true }], ['clock', { running: false, at: 'soon' }], ['seed', 1], ['answered', -1], ['assumed', []],
  ['organizations', []], ['organizations.1.id', 5], ['organizations.0.name', undefined], ['organizations.1.apiKey', null],
  ['organizations', undefined], ['organizations', {}], ['organizations', null], ['organizations.0', null], ['organizations.1', 'org_1'], ['organizations.1', []],
  ...both('tokens', undefined, null, {}), ...both('faults', undefined, null, {}),
  ...both('tokens', [5], [['jti']]), ...both('faults', [{}], [null], [{ endpoint: '*', queue: [{ kind: 'rest' }], standing: [], drawn: 0 }]),
  ...both('agenda.calls', [null], [{}]), ...both('agenda.plans', [null], [{ kind: 'quotes', id: 'quo_1', steps: ['APPROVED'], pace: { reads: 1 }, next: 1 }]),
  ...both('agenda.created', 5, { steps: ['APPROVED'], pace: {} }),
  ...both('collections.customers.rows', [null], [{ id: 'a', value: 5 }], [{ id: 'a', sequence: 7, at: 0, value: {} }], [1, 2].map((sequence) => ({ id: 'a', sequence, at: 0, value: {} }))),
  ...both('collections.customers.next', undefined, 1, '2'),
  ...both('quota', null, [], 1), ...both('quota.since', undefined, '0'), ...both('quota.count', undefined, '1'),
  ...both('agenda', undefined, null, []), ...both('agenda.calls', undefined, {}), ...both('agenda.plans', undefined, {}),
  ...both('collections', undefined, null, []), ...both('collections.customers', null, []), ...both('collections.tickets', null, [], 'rows'), ...both('collections.customers.rows', undefined, {}),
])('a snapshot whose %s is %o is refused, and nothing is changed', async (place, value) => {
  const platform = await usedPlatform();
  const before = platform.snapshot();
  platform.customers.add();
  const now = platform.snapshot();
  expect(() => platform.restore(changed(before, place, value))).toThrow(new MockPlatformError('restore: this is not a snapshot of a mock platform (seed 1)'));
  expect(platform.snapshot()).toEqual(now);
  expect(() => platform.restore(before)).not.toThrow();
});

test.each([['id', 'org_other'], ['apiKey', 'another-key']])('a snapshot is refused where the %s of an organization is another', async (field, value) => {
  const platform = await usedPlatform();
  const before = platform.snapshot();
  expect(() => platform.restore(changed(before, `organizations.1.${field}`, value))).toThrow(/^restore: the snapshot is of another platform: its organization \w+ stands where this one has org_\w+/);
  expect(platform.snapshot()).toEqual(before);
});

test('a snapshot that holds an organization twice is refused', async () => {
  const platform = await usedPlatform();
  const before = platform.snapshot();
  expect(() => platform.restore({ ...before, organizations: [...before.organizations, ...before.organizations] })).toThrow('restore: this is not a snapshot of a mock platform');
  expect(platform.snapshot()).toEqual(before);
});

test('a snapshot of another seed is refused, whatever its organizations are called', () => {
  const named = { id: 'org_mine', apiKey: 'mine' };
  const platform = createMockPlatform({ ...named, seed: 1 });
  expect(() => platform.restore(createMockPlatform({ ...named, seed: 2 }).snapshot())).toThrow('restore: the snapshot is of another platform: its seed is "2"');
});

test('an organization that one restore takes away and another brings back keeps its keys and its door', async () => {
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

test('a restore takes back what was assumed since, and brings back what was assumed then', () => {
  const platform = createMockPlatform({ quotes: 'reusable', pageSize: 50 });
  const valueOf = (option: string): unknown => platform.assumptions().find((assumption) => assumption.option === option)?.value;
  const fresh = platform.snapshot();
  platform.assume({ quotes: undefined, errorBody: 'nested' });
  const assumed = JSON.parse(JSON.stringify(platform.snapshot())) as PlatformSnapshot;

  platform.restore(fresh);
  expect(['quotes', 'errorBody', 'pageSize'].map(valueOf)).toEqual(['reusable', 'plain', 50]);
  platform.restore(assumed);
  expect(['quotes', 'errorBody', 'pageSize'].map(valueOf)).toEqual(['single-use', 'nested', 50]);

  platform.restore(changed(fresh, 'assumed', undefined));
  expect(valueOf('errorBody')).toBe('nested');
});

test.each([[{ quote: 'reusable' }, 'restore: assumed: quote is not an option'], [{ quotes: 'many' }, "quotes: must be one of 'single-use'"]])('a snapshot that assumed %o is refused, and nothing is changed', (assumed, message) => {
  const platform = platformAtStart();
  const empty = platform.snapshot();
  platform.customers.add();
  const before = platform.snapshot();
  expect(() => platform.restore(changed(empty, 'assumed', assumed))).toThrow(message);
  expect(platform.snapshot()).toEqual(before);
});

test('a snapshot counts the requests that were answered, and holds a rate limit only where one is used', async () => {
  const platform = await usedPlatform();
  const { answered, organizations } = platform.snapshot();
  expect(answered).toBe(2);
  expect(organizations.map(({ quota }) => quota?.count)).toEqual([1, 1]);
  expect(createMockPlatform().snapshot().organizations[0]).not.toHaveProperty('quota');
});

test('reset leaves no used token and no plan', async () => {
  const platform = await usedPlatform();
  platform.payments.plan(platform.payments.add().id, ['APPROVED'], { every: { minutes: 5 } });
  platform.reset();
  expect(platform.snapshot().organizations[0]).toMatchObject({ tokens: [], faults: [], agenda: { calls: [], plans: [] } });
});

test('a clock that is advanced by nothing stays where it is', () => {
  const { clock } = platformAtStart();
  clock.advance({});
  expect(clock.now()).toBe(Date.parse(start));
});

test('what happened by itself in between does not hold the clock back', () => {
  const platform = platformAtStart();
  const { id } = platform.payments.add();
  platform.payments.plan(id, ['APPROVED'], { every: { minutes: 5 } });
  platform.clock.advance({ minutes: 12 });
  expect(platform.payments.get(id)?.status).toBe('APPROVED');
  expect(platform.clock.now()).toBe(Date.parse(start) + 720_000);
});
