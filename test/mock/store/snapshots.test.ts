import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform, type PlatformSnapshot } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.js';

/** A platform of two organizations, each with a customer and a part of its rate limit used. */
async function usedPlatform(): Promise<MockPlatform> {
  const platform = platformAtStart({ rateLimit: { requests: 10, per: { minutes: 1 } } });
  for (const organization of [platform, platform.organization()]) {
    organization.customers.add();
    await new Corridor(organization.clientOptions()).customers.list();
  }
  return platform;
}

/** Copies a snapshot with another value at one path; `undefined` removes the field. */
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
  [0, 1].flatMap((organization) =>
    values.map((value): [string, unknown] => [`organizations.${organization}.${place}`, value]),
  );

const plannedFault = {
  number: 1,
  endpoint: '*',
  fault: { kind: 'hang' },
  remaining: 1,
  probability: 1,
  hits: 0,
  draws: 0,
};

test.each([
  ['version', 2],
  ['version', undefined],
  ['clock', undefined],
  ['clock', null],
  ['clock', []],
  ['clock', 5],
  ['requestCount', '2'],
  ['clock', {}],
  ['clock', { running: true }],
  ['clock', { running: false, at: 'soon' }],
  ['seed', 1],
  ['requestCount', -1],
  ['configured', []],
  ['organizations', []],
  ['organizations.1.id', 5],
  ['organizations.0.name', undefined],
  ['organizations.1.apiKey', null],
  ['organizations', undefined],
  ['organizations', {}],
  ['organizations', null],
  ['organizations.0', null],
  ['organizations.1', 'org_1'],
  ['organizations.1', []],
  ...both('tokens', undefined, null, {}),
  ...both('faults', undefined, null, {}),
  ...both('tokens', [5], [['jti']]),
  ...both('faults', [], { count: 0 }, { count: 0, faults: [{}] }),
  ...both(
    'faults.faults',
    [null],
    [{ ...plannedFault, fault: { kind: 'rest' } }],
    [{ ...plannedFault, remaining: -1 }],
  ),
  ...both('schedule.calls', [null], [{}]),
  ...both(
    'schedule.plans',
    [null],
    [{ kind: 'quotes', id: 'quo_1', steps: ['APPROVED'], trigger: { reads: 1 }, next: 1 }],
  ),
  ...both('schedule.created', 5, { steps: ['APPROVED'], trigger: {} }),
  ...both(
    'collections.customers.rows',
    [null],
    [{ id: 'a', value: 5 }],
    [{ id: 'a', sequence: 7, at: 0, value: {} }],
    [1, 2].map((sequence) => ({ id: 'a', sequence, at: 0, value: {} })),
  ),
  ...both('collections.customers.next', undefined, 1, '2'),
  ...both('quota', null, [], 1),
  ...both('quota.since', undefined, '0'),
  ...both('quota.count', undefined, '1'),
  ...both('schedule', undefined, null, []),
  ...both('schedule.calls', undefined, {}),
  ...both('schedule.plans', undefined, {}),
  ...both('collections', undefined, null, []),
  ...both('collections.customers', null, []),
  ...both('collections.tickets', null, [], 'rows'),
  ...both('collections.customers.rows', undefined, {}),
])('a snapshot whose %s is %o throws, and nothing changes', async (place, value) => {
  const platform = await usedPlatform();
  const before = platform.snapshot();
  platform.customers.add();
  const now = platform.snapshot();
  expect(() => platform.restore(changed(before, place, value))).toThrow(
    `restore: this is not a snapshot of a mock platform (pass what snapshot() returned): ${place.split('.')[0]}`,
  );
  expect(platform.snapshot()).toEqual(now);
  expect(() => platform.restore(before)).not.toThrow();
});

test.each([
  ['customers.rows.0.value', {}],
  ['customers.rows.0.value.record', null],
  ['customers.rows.0.value.record.status', 5],
  ['customers.rows.0.value.activity', undefined],
  ['beneficiaries.rows.0.value.record', {}],
  ['persons.rows.0.value.screening', 'none'],
  ['runs.rows.0.value.record', undefined],
  ['documents.rows.0.value.fileName', null],
  ['documents.rows.0.value.content', 'not base64!'],
  ['quotes.rows.0.value.record.expiresAt', undefined],
  ['payments.rows.0.value.record', undefined],
  ['payments.rows.0.value.record.sourceFunding', 5],
  ['payments.rows.0.value.documentIds', null],
  ['payments.rows.0.value.history', 5],
  ['payments.rows.0.value.receiptUrl', 5],
  ['payments.rows.0.value.unlistedReads', 'one'],
  ['tickets.rows.0.value.attachments', {}],
  ['tickets.rows.0.value.attachments.0.fileName', 1],
  ['tickets.rows.0.value.replies', undefined],
])('a snapshot with a damaged record throws and names the field: %s is %o', (place, value) => {
  const platform = platformAtStart();
  platform.payments.add();
  platform.persons.add();
  platform.tickets.add();
  const before = platform.snapshot();
  const [kind, , row, ...fields] = place.split('.');
  const path = `organizations[0].collections.${kind}.rows[${row}].${fields.join('.').replace(/\.0\./, '[0].')}`;
  const damaged = changed(before, `organizations.0.collections.${place}`, value);
  expect(() => platform.restore(damaged)).toThrow(path);
  expect(() => platform.restore(before)).not.toThrow();
  expect(platform.snapshot()).toEqual(before);
});

test('a snapshot whose scheduled events are beyond the years of timestamps throws', () => {
  const platform = platformAtStart();
  const { id } = platform.payments.add();
  platform.payments.scheduleTransitions(id, ['APPROVED'], { every: { hours: 1 } });
  for (const place of ['next', 'trigger.every'])
    expect(() =>
      platform.restore(changed(platform.snapshot(), `organizations.0.schedule.plans.0.${place}`, 1e300)),
    ).toThrow(`schedule.plans[0].${place} must be a number`);
});

test.each([
  ['id', 'org_other'],
  ['apiKey', 'another-key'],
])('a snapshot throws if the %s of an organization is different', async (field, value) => {
  const platform = await usedPlatform();
  const before = platform.snapshot();
  expect(() => platform.restore(changed(before, `organizations.1.${field}`, value))).toThrow(
    /^restore: the snapshot is from another platform: it has the organization \w+ in place of org_\w+\. Restore it on/,
  );
  expect(platform.snapshot()).toEqual(before);
});

test('a snapshot with the same organization twice throws', async () => {
  const platform = await usedPlatform();
  const before = platform.snapshot();
  const {
    organizations: [firstOrganization],
  } = JSON.parse(JSON.stringify(before)) as { organizations: unknown[] };
  expect(() => platform.restore(changed(before, 'organizations.2', firstOrganization))).toThrow(
    'restore: this is not a snapshot of a mock platform',
  );
  expect(platform.snapshot()).toEqual(before);
});

test('a snapshot with another seed throws, even if its organizations match', () => {
  const named = { id: 'org_mine', apiKey: 'mine' };
  const platform = createMockPlatform({ ...named, seed: 1 });
  expect(() => platform.restore(createMockPlatform({ ...named, seed: 2 }).snapshot())).toThrow(
    'restore: the snapshot is from another platform: its seed is "2"',
  );
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

  platform.restore(changed(fresh, 'configured', undefined));
  expect(valueOf('errorBody')).toBe('nested');
});

test.each([
  [{ quote: 'reusable' }, 'configured.quote is not a known field'],
  [{ quotes: 'many' }, 'configured.quotes must be one of single-use, reusable (received "many")'],
])('a snapshot with the behavior %o throws, and nothing changes', (configured, message) => {
  const platform = platformAtStart();
  const empty = platform.snapshot();
  platform.customers.add();
  const before = platform.snapshot();
  expect(() => platform.restore(changed(empty, 'configured', configured))).toThrow(message);
  expect(platform.snapshot()).toEqual(before);
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
    const exchanges = platform.recordExchanges();
    // Called after the request has arrived, and before its token is verified.
    const when = (): boolean => {
      if (change === 'reset') platform.reset();
      else platform.restore(before);
      return false;
    };
    platform.faults.always('payments.create', { kind: 'clock-skew', seconds: 0 }, { when });

    const { payments } = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
    await expect(payments.create(order)).rejects.toMatchObject({ code: 'connection', outcome: 'unknown' });
    expect([platform.payments.all(), [...platform.requests], exchanges.after(0)]).toEqual([[], [], []]);

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

test('advancing a clock by nothing does not change it', () => {
  const { clock } = platformAtStart();
  clock.advance({});
  expect(clock.now()).toBe(Date.parse(start));
});

test('scheduled events do not change the time of the clock', () => {
  const platform = platformAtStart();
  const { id } = platform.payments.add();
  platform.payments.scheduleTransitions(id, ['APPROVED'], { every: { minutes: 5 } });
  platform.clock.advance({ minutes: 12 });
  expect(platform.payments.get(id)?.status).toBe('APPROVED');
  expect(platform.clock.now()).toBe(Date.parse(start) + 720_000);
});
