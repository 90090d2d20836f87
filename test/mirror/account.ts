import { expect, test } from 'vitest';
import { ConfigurationError, Corridor, type CorridorOptions, type Mirror } from 'corridor-sdk';
import { createMockPlatform, type MockOrganization, type MockPlatform } from 'corridor-sdk/mock';
import { mirroredRecords, recordsOf, type MirrorDatabase } from './mirrored.ts';

interface Setup {
  readonly platform: MockPlatform;
  readonly database: MirrorDatabase;
  readonly mirror: Mirror;
  readonly corridor: Corridor;
  /** A client of the same organization with another API key, and the paths of its requests. */
  readonly rotated: Corridor;
  readonly requests: readonly string[];
}

/** Creates a client of an organization whose API key is another one than before. */
export function withRotatedKey(organization: MockOrganization, requests: string[] = []): CorridorOptions {
  const { apiKey, ...options } = organization.clientOptions();
  return {
    ...options,
    apiKey: 'rotated-key',
    async fetch(input, init) {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      requests.push(pathname.replace(/^.*\/v1\//, ''));
      request.headers.set('x-api-key', String(apiKey));
      return organization.fetch(request);
    },
  };
}

/** Responds as a platform that has no customer. */
function withoutCustomers({ fetch, ...options }: CorridorOptions): CorridorOptions {
  return {
    ...options,
    async fetch(input, init) {
      const { pathname } = new URL(new Request(input).url);
      if (pathname.endsWith('/customers')) return Response.json({ items: [], nextCursor: null, hasMore: false });
      if (pathname.includes('/customers/')) return Response.json({ message: 'not found' }, { status: 404 });
      return (fetch ?? globalThis.fetch)(input, init);
    },
  };
}

/** Tests that a mirror has the records of one organization. */
export function testAccount(createDatabase: () => Promise<MirrorDatabase>): void {
  async function setUp(add: (platform: MockPlatform) => unknown): Promise<Setup> {
    const platform = createMockPlatform();
    add(platform);
    const corridor = new Corridor(platform.clientOptions());
    const requests: string[] = [];
    const rotated = new Corridor(withRotatedKey(platform, requests));
    const database = await createDatabase();
    const mirror = database.open();
    await corridor.sync(mirror, { once: true });
    return { platform, database, mirror, corridor, rotated, requests };
  }

  const addCustomer = (platform: MockPlatform): unknown => platform.customers.add({ id: 'cus_1', status: 'APPROVED' });

  const addPayment = (platform: MockPlatform): unknown =>
    platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'PROCESSING' });

  function otherClient(platform: MockPlatform): Corridor {
    const organization = platform.organization({ id: 'org_2' });
    organization.populate({ customers: 2, payments: 5 });
    return new Corridor(organization.clientOptions());
  }

  const otherOrganization = /^corridor\.sync: the mirror belongs to another organization: .* Pass the key of/;

  test.each([{ once: true }, { once: true, full: true }, { once: true, dryRun: true }, { once: false }])(
    'the API key of another organization is rejected before anything is written, with %j',
    async (options) => {
      const { platform, database, mirror, corridor } = await setUp((each) => {
        addCustomer(each);
        addPayment(each);
      });
      const other = otherClient(platform);
      const failing = other.sync(mirror, options);
      await expect(failing).rejects.toThrow(ConfigurationError);
      await expect(failing).rejects.toThrow(otherOrganization);
      expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
      expect(await mirror.status()).toMatchObject({ missing: 0 });
      expect((await corridor.sync(mirror, { once: true })).changes).toBe(0);
    },
  );

  test('a process that takes over with the API key of another organization is rejected', async () => {
    const { platform, database, mirror, corridor } = await setUp(addCustomer);
    const stop = new AbortController();
    const following = corridor.sync(mirror, { signal: stop.signal });
    const other = otherClient(platform).sync(database.open());
    await expect(other).rejects.toThrow(otherOrganization);
    stop.abort();
    await following;
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test.each(['customers', 'beneficiaries', 'payments'])(
    'a first fill that was interrupted at the %s is not continued with the API key of another organization',
    async (part) => {
      const platform = createMockPlatform();
      platform.populate({ customers: 2, beneficiaries: 2, payments: 3 });
      const database = await createDatabase();
      const mirror = database.open();
      const stop = new AbortController();
      const interrupted = new Corridor(platform.clientOptions()).sync(mirror, {
        once: true,
        signal: stop.signal,
        onProgress: ({ read }) => {
          const [payments, beneficiaries] = [read.payment > 0, read.beneficiary > 0];
          if (part === (beneficiaries ? 'beneficiaries' : payments ? 'payments' : 'customers')) stop.abort();
        },
      });
      await expect(interrupted).rejects.toThrow();
      const before = await mirroredRecords(database);
      await expect(otherClient(platform).sync(mirror, { once: true })).rejects.toThrow(otherOrganization);
      expect(await mirroredRecords(database)).toEqual(before);
      await new Corridor(platform.clientOptions()).sync(mirror, { once: true });
      expect(await mirroredRecords(database)).toEqual(await recordsOf(new Corridor(platform.clientOptions())));
    },
  );

  test.each([2, 8, 14])(
    'another API key after %i requests of a run ends it, and nothing foreign is stored',
    async (at) => {
      const { platform, database, mirror, corridor } = await setUp((each) => {
        addCustomer(each);
        addPayment(each);
      });
      platform.payments.update('pay_1', { memo: 'corrected' });
      let requests = 0;
      const changing = new Corridor({
        ...platform.clientOptions(),
        apiKey: () => ((requests += 1) <= at ? String(platform.clientOptions().apiKey) : 'foreign-key'),
        async fetch(input, init) {
          const request = new Request(input, init);
          const { pathname } = new URL(request.url);
          if (request.headers.get('x-api-key') !== 'foreign-key') return platform.fetch(request);
          const [payment, customer] = [platform.payments.all(), platform.customers.all()].map(([first]) => first);
          const row = pathname.endsWith('/payment') ? payment : customer;
          if (!/\/(?:payment|customers)$/.test(pathname))
            return Response.json({ message: 'not found' }, { status: 404 });
          return Response.json({ items: [{ ...row, id: 'foreign' }], nextCursor: null, hasMore: false });
        },
      });
      await expect(changing.sync(mirror, { once: true, full: true })).rejects.toThrow(
        'corridor.sync: apiKey returned the key of another organization',
      );
      expect(await mirror.status()).toMatchObject({ missing: 0 });
      await corridor.sync(mirror, { once: true, full: true });
      expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
    },
  );

  test('a rotated API key costs one request, once', async () => {
    const { mirror, rotated, requests, platform } = await setUp((each) => {
      addCustomer(each);
      addPayment(each);
    });
    const before = platform.requests.length;
    await new Corridor(platform.clientOptions()).sync(mirror, { once: true });
    const usual = platform.requests.length - before;
    await rotated.sync(mirror, { once: true });
    expect(requests.slice(0, 2)).toEqual(['customers/cus_1', 'customers']);
    expect(requests).toHaveLength(usual + 1);
    await rotated.sync(mirror, { once: true });
    expect(requests).toHaveLength(2 * usual + 1);
  });

  test('a dry run with a rotated API key verifies the account, and writes nothing', async () => {
    const { mirror, rotated, requests } = await setUp(addCustomer);
    await rotated.sync(mirror, { once: true, dryRun: true });
    const first = requests.length;
    await rotated.sync(mirror, { once: true, dryRun: true });
    expect(requests).toHaveLength(2 * first);
  });

  test('an organization whose only customer was deleted is the same, also with a rotated API key', async () => {
    const { platform, database, mirror } = await setUp((each) => {
      addCustomer(each);
      addPayment(each);
    });
    platform.clock.advance({ minutes: 6 });
    await new Corridor(withoutCustomers(platform.clientOptions())).sync(mirror, { once: true });
    const missing = 'select id from corridor_customers where missing_since is not null';
    expect(await database.select(missing)).toEqual([{ id: 'cus_1' }]);
    const requests: string[] = [];
    await new Corridor(withoutCustomers(withRotatedKey(platform, requests))).sync(mirror, { once: true });
    expect(requests[0]).toBe('payment');
    expect(await database.select(missing)).toEqual([{ id: 'cus_1' }]);
    await expect(otherClient(platform).sync(mirror, { once: true })).rejects.toThrow(otherOrganization);
  });

  test('a mirror without records takes the API key that it gets', async () => {
    const { platform, database, mirror } = await setUp(() => {});
    const other = otherClient(platform);
    await other.sync(mirror, { once: true });
    expect(await mirroredRecords(database)).toEqual(await recordsOf(other));
    await expect(new Corridor(platform.clientOptions()).sync(mirror, { once: true })).rejects.toThrow(
      otherOrganization,
    );
  });

  test('the customers are read at every start', async () => {
    const { platform, database, mirror, corridor } = await setUp(addCustomer);
    platform.customers.update('cus_1', { status: 'SUSPENDED' });
    platform.clock.advance({ minutes: 1 });
    const stop = new AbortController();
    await corridor.sync(mirror, {
      signal: stop.signal,
      onProgress: ({ read }) => {
        if (read.customer > 0) stop.abort();
      },
    });
    expect(await database.select('select status from corridor_customers')).toEqual([{ status: 'SUSPENDED' }]);
  });

  test('the API key cannot be read from the mirror', async () => {
    const { database } = await setUp(addCustomer);
    const [row] = await database.select('select state from corridor_sync');
    const text = JSON.stringify(row);
    expect(text).toMatch(/account\W+[0-9a-f]{16}\W/);
    expect(text).not.toContain(createMockPlatform().clientOptions().apiKey);
  });
}
