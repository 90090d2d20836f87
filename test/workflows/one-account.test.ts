import { expect, test } from 'vitest';
import {
  ConfigurationError,
  Corridor,
  MemoryJournal,
  type CorridorOptions,
  type PaymentCreateIntent,
} from 'corridor-sdk';
import { createMockPlatform, type MockOrganization, type MockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../support/failure-of.ts';
import { withRotatedKey } from '../mirror/account.ts';

const otherKey = /apiKey returned the key of another organization .* Return the key of the same organization/;

const day = 24 * 60 * 60_000;

/** A platform with two organizations, both of which have several pages of payments. */
function createPlatform(
  payments = 450,
  now = () => Date.parse('2026-03-01T00:00:00Z'),
): { platform: MockPlatform; other: MockOrganization } {
  const platform = createMockPlatform({ now });
  const other = platform.organization({ id: 'org_2' });
  for (const [name, organization] of [
    ['own', platform],
    ['foreign', other],
  ] as const) {
    organization.customers.add({ id: `cus_${name}`, status: 'APPROVED' });
    organization.payments.addMany(payments, (index) => ({
      id: `${name}_${index}`,
      customerId: `cus_${name}`,
      status: index % 2 === 0 ? 'COMPLETED' : 'PROCESSING',
      createdAt: new Date(Date.parse('2026-02-01T00:00:00Z') + index * 60_000).toISOString(),
    }));
  }
  return { platform, other };
}

/** The options of a client that has the credentials of an organization until `hasChanged`, and then those of another. */
function changing(first: CorridorOptions, then: CorridorOptions, hasChanged: () => boolean): CorridorOptions {
  const current = (): CorridorOptions => (hasChanged() ? then : first);
  return {
    ...first,
    apiKey: () => current().apiKey as string,
    privateKey: () => {
      const { privateKey } = current();
      return typeof privateKey === 'function' ? privateKey() : (privateKey as string);
    },
    fetch(input, init) {
      const request = new Request(input, init);
      const { fetch = globalThis.fetch } = request.headers.get('x-api-key') === then.apiKey ? then : first;
      return (fetch as typeof globalThis.fetch)(request);
    },
  };
}

/** The same, after a number of requests. */
function changingAfter(first: CorridorOptions, then: CorridorOptions, limit: number): CorridorOptions {
  let requests = 0;
  const options = changing(first, then, () => requests >= limit);
  return { ...options, fetch: (input, init) => ((requests += 1), (options.fetch ?? globalThis.fetch)(input, init)) };
}

const range = { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-02-28T00:00:00Z' };

type Read = (options: CorridorOptions, ids: string[]) => Promise<unknown>;

const runs: readonly [string, Read][] = [
  [
    'payments.export',
    async (options, ids) => {
      for await (const { id } of new Corridor(options).payments.export(range)) ids.push(id);
    },
  ],
  [
    'payments.changes',
    async (options, ids) => {
      const { payments } = new Corridor(options);
      for await (const { payment } of payments.changes({ since: range.createdFrom, once: true })) ids.push(payment.id);
    },
  ],
  [
    'payments.find',
    async (options, ids) => {
      const found = await new Corridor(options).payments.find({ id: 'own_none' });
      if (found !== undefined) ids.push(found.id);
    },
  ],
];

test.each(runs)('%s ends when the API key becomes that of another organization', async (_, read) => {
  for (const after of [1, 2, 3]) {
    const { platform, other } = createPlatform();
    const ids: string[] = [];
    const error = await failureOf(read(changingAfter(platform.clientOptions(), other.clientOptions(), after), ids));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ message: expect.stringMatching(otherKey) as unknown });
    expect(ids.filter((id) => !id.startsWith('own_'))).toEqual([]);
  }
});

test.each(runs)('%s continues when the API key becomes another one of the organization', async (_, read) => {
  const { platform } = createPlatform();
  const [usual, ids, requests]: string[][] = [[], [], []];
  await read(platform.clientOptions(), usual as string[]);
  await read(changingAfter(platform.clientOptions(), withRotatedKey(platform, requests), 3), ids as string[]);
  expect(ids?.toSorted()).toEqual(usual?.toSorted());
  expect(requests?.filter((path) => path === 'customers/cus_own')).toHaveLength(1);
});

test.each(runs.slice(0, 2))('%s continues with another key of an organization without payments', async (_, read) => {
  const { platform, other } = createPlatform(0);
  const ids: string[] = [];
  await read(changingAfter(platform.clientOptions(), withRotatedKey(platform), 1), ids);
  other.payments.add({ id: 'foreign_1', customerId: 'cus_foreign', createdAt: '2026-02-01T00:00:00Z' });
  const mixed = read(changingAfter(platform.clientOptions(), other.clientOptions(), 1), ids);
  expect(await failureOf(mixed)).toMatchObject({ message: expect.stringMatching(otherKey) as unknown });
  expect(ids).toEqual([]);
});

test('a checkpoint of payments.changes has nothing of an organization whose key was returned meanwhile', async () => {
  const { platform, other } = createPlatform(5);
  let hasChanged = false;
  const corridor = new Corridor(changing(platform.clientOptions(), other.clientOptions(), () => hasChanged));
  const checkpoints: string[] = [];
  const followed = corridor.payments.changes({
    since: range.createdFrom,
    pollInterval: 1,
    onCheckpoint(checkpoint) {
      checkpoints.push(JSON.stringify(checkpoint));
      hasChanged = true;
    },
  });
  const failing = (async () => {
    for await (const { payment } of followed) expect(payment.id).toMatch(/^own_/);
  })();
  expect(await failureOf(failing)).toMatchObject({ message: expect.stringMatching(otherKey) as unknown });
  expect(checkpoints.join('\n')).not.toContain('foreign');
});

test.each(['payment', 'customer', 'beneficiary'])(
  'a wait for a %s ends when the API key becomes that of another organization',
  async (record) => {
    const { platform, other } = createPlatform(2);
    platform.beneficiaries.add({ customerId: 'cus_own', id: 'ben_own', status: 'PENDING_REVIEW' });
    const { payments, customers } = new Corridor(changingAfter(platform.clientOptions(), other.clientOptions(), 1));
    const options = { maxWait: day, pollInterval: 1 };
    const waiting =
      record === 'payment'
        ? payments.waitForStatus('own_1', { ...options, until: ['COMPLETED'], createdFrom: range.createdFrom })
        : record === 'customer'
          ? customers.waitForStatus('cus_own', { ...options, until: ['SUSPENDED'] })
          : customers.waitForBeneficiaryStatus('cus_own', 'ben_own', { ...options, until: ['APPROVED'] });
    expect(await failureOf(waiting)).toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(otherKey) as unknown,
    });
  },
);

test('the search for a payment whose response was lost is no evidence with the key of another organization', async () => {
  const { platform, other } = createPlatform(1);
  const journal = new MemoryJournal();
  const own = platform.clientOptions();
  const losing: CorridorOptions = {
    ...own,
    async fetch(input, init) {
      const response = await platform.fetch(input, init);
      if (new Request(input, init).method === 'POST') throw new TypeError('fetch failed');
      return response;
    },
  };
  const { payments } = new Corridor({
    ...changingAfter(losing, other.clientOptions(), 1),
    journal,
    consistencyWindow: 0,
  });
  const error = await failureOf(payments.createOnce(platform.payments.createParams({ customerId: 'cus_own' })));
  expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown' });
  expect(error.message).toContain('the payment list could not be read (configuration)');
  const [intent] = await journal.listPending();
  const reconciled = new Corridor({ ...own, journal }).payments.reconcile(intent as PaymentCreateIntent);
  expect(await reconciled).toMatchObject({ status: 'created' });
});

test('an intent is not released after a search with the key of another organization', async () => {
  let now = Date.parse('2026-03-01T00:00:00Z');
  const { platform, other } = createPlatform(1, () => now);
  const journal = new MemoryJournal();
  const lost: CorridorOptions = { ...platform.clientOptions(), fetch: async () => new Response('{}', { status: 421 }) };
  const created = new Corridor({ ...lost, journal, consistencyWindow: 0, now: () => now, totalTimeout: 1_000 });
  const payment = platform.payments.createParams({ customerId: 'cus_own' });
  await failureOf(created.payments.createOnce(payment));
  const [intent] = await journal.listPending();
  now += day;
  for (const requests of [1, 2]) {
    const options = changingAfter(platform.clientOptions(), other.clientOptions(), requests);
    const { payments } = new Corridor({ ...options, journal, now: () => now });
    expect(await failureOf(payments.releaseIntent(intent as PaymentCreateIntent))).toMatchObject({
      message: expect.stringMatching(otherKey) as unknown,
    });
    expect(await journal.listPending()).toHaveLength(1);
  }
});
