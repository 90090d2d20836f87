import { expect, test } from 'vitest';
import {
  AuthenticationError,
  Corridor,
  ConfigurationError,
  type CorridorOptions,
  type Mirror,
  type MirrorChange,
  type MirrorChangesOptions,
  type SyncOptions,
  type SyncProgress,
  MirrorError,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { testAccount } from './account.ts';
import { testCompleteness } from './complete.ts';
import { testOddRows } from './odd-rows.ts';
import { testReplacedTables } from './replaced.ts';
import {
  allChanges,
  assertUnbrokenChains,
  backUp,
  mirroredRecords,
  recordsOf,
  type MirrorDatabase,
} from './mirrored.ts';

const day = 24 * 60 * 60_000;
const finalStatuses: readonly string[] = ['COMPLETED', 'RETURNED', 'REJECTED', 'CANCELLED'];

const ago = (platform: MockPlatform, days: number): string => new Date(platform.clock.now() - days * day).toISOString();

/** Changes responses of the platform on the way. */
function withChangedPages(
  platform: MockPlatform,
  changePage: (page: Page, url: URL) => void,
): Partial<CorridorOptions> {
  return {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const response = await platform.fetch(request);
      if (response.status !== 200) return response;
      const page = (await response.json()) as Page;
      changePage(page, new URL(request.url));
      return Response.json(page, { headers: { date: new Date(platform.clock.now()).toUTCString() } });
    },
  };
}

interface Page {
  items: Record<string, unknown>[];
  nextCursor: string | null;
  hasMore: boolean;
}

const isPayments = (url: URL): boolean => url.pathname.endsWith('/payment');

interface Setup {
  readonly platform: MockPlatform;
  readonly corridor: Corridor;
  readonly database: MirrorDatabase;
  readonly mirror: Mirror;
  /** Runs once and returns the changes that this has added, as lines. */
  run(options?: SyncOptions): Promise<string[]>;
}

/** Tests what every mirror does. */
export function testMirror(createDatabase: () => Promise<MirrorDatabase>): void {
  testAccount(createDatabase);
  testCompleteness(createDatabase);
  testOddRows(createDatabase);
  testReplacedTables(createDatabase);

  /** Creates a platform with some records, and a mirror of it that is filled. */
  async function setUp(
    { client, ...options }: MockPlatformOptions & { readonly client?: Partial<CorridorOptions> } = {},
    payments = 20,
  ): Promise<Setup> {
    const platform = createMockPlatform(options);
    platform.populate({ customers: 4, beneficiaries: 6, payments });
    platform.payments.add({ id: 'pay_open', status: 'PROCESSING', createdAt: ago(platform, 10) });
    platform.payments.add({ id: 'pay_ended', status: 'COMPLETED', createdAt: ago(platform, 20) });
    platform.payments.add({ id: 'pay_old', status: 'COMPLETED', createdAt: ago(platform, 200) });
    const corridor = new Corridor({ ...platform.clientOptions(), ...client });
    const database = await createDatabase();
    const mirror = database.open();
    await corridor.sync(mirror, { once: true });
    // Lists may lag by the consistency window.
    platform.clock.advance({ minutes: 10 });
    const run = async (each: SyncOptions = {}): Promise<string[]> => {
      const { lastSequence } = await mirror.status();
      await corridor.sync(mirror, { once: true, ...each });
      return (await allChanges(mirror, { after: lastSequence })).map(
        ({ record, id, previousStatus, status, fields }) =>
          `${record} ${id}: ${previousStatus ?? 'new'} to ${status} (${fields.join(', ')})`,
      );
    };
    return { platform, corridor, database, mirror, run };
  }

  test('the first run copies every record, and each is a change without a previous status', async () => {
    const { corridor, database, mirror } = await setUp({}, 250);
    const records = await recordsOf(corridor);
    expect(await mirroredRecords(database)).toEqual(records);
    const ids = Object.values(records).flatMap((byId) => Object.keys(byId));
    const changes = await allChanges(mirror, { after: 0 });
    expect(changes.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(changes.every(({ previousStatus, fields }) => previousStatus === null && fields.length === 0)).toBe(true);
    const { sequence: lastSequence, position: lastPosition } = Object(changes.at(-1)) as MirrorChange;
    expect(await mirror.status()).toMatchObject({ filled: true, lastSequence, lastPosition, open: { behind: false } });
    expect(await allChanges(mirror, { after: lastPosition })).toEqual([]);
  });

  test('a change has the record, so that a ledger needs no query', async () => {
    const { platform, mirror, corridor } = await setUp();
    const { lastPosition } = await mirror.status();
    platform.payments.transition('pay_open', 'COMPLETED');
    const customer = platform.customers.all()[0];
    platform.customers.update(String(customer?.id), { city: 'Mombasa' });
    await corridor.sync(mirror, { once: true });
    platform.payments.transition('pay_open', 'RETURNED');
    await corridor.sync(mirror, { once: true });
    const seen: unknown[] = [];
    for await (const change of mirror.changes({ after: lastPosition, once: true })) {
      if (change.record === 'payment') seen.push([change.status, change.data.amount, change.data.status]);
      else if (change.record === 'customer') seen.push(change.data.city);
    }
    const { amount } = platform.payments.get('pay_open') ?? {};
    // The record is that of the table, so that later changes are in it.
    expect(seen).toEqual(['Mombasa', ['COMPLETED', amount, 'RETURNED'], ['RETURNED', amount, 'RETURNED']]);
  });

  test('return() ends changes() while it waits for more', async () => {
    const { mirror } = await setUp();
    const { lastPosition } = await mirror.status();
    // Longer than the time limit of a test.
    const changes = mirror.changes({ after: lastPosition, pollInterval: 2_147_483_647 });
    const next = changes.next();
    // By then, it has read that there is nothing, and waits.
    for (let reads = 0; reads < 3; reads += 1) await mirror.status();
    await changes.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  test('a change has the time of the platform, also if it is read a day later', async () => {
    const { platform, corridor, mirror } = await setUp();
    const { id } = platform.payments.add({ status: 'PROCESSING' });
    const { updatedAt } = platform.payments.transition(id, 'COMPLETED');
    platform.clock.advance({ days: 1 });
    await corridor.sync(mirror, { once: true });
    const change = (await allChanges(mirror)).find((each) => each.id === id);
    expect(Date.parse(String(change?.updatedAt))).toBe(Date.parse(updatedAt));
    expect(Date.parse(String(change?.observedAt))).toBeGreaterThan(Date.parse(updatedAt));
  });

  test('a payment that changes its status is one change, and a new one has no previous status', async () => {
    const { platform, run, database, corridor } = await setUp();
    const [payment] = platform.payments.addMany(1, () => ({ status: 'PROCESSING' }));
    const id = String(payment?.id);
    expect(await run()).toContain(`payment ${id}: new to PROCESSING ()`);
    platform.payments.transition(id, 'COMPLETED');
    expect(await run()).toEqual([`payment ${id}: PROCESSING to COMPLETED (status, updatedAt, receiptUrl)`]);
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
    expect(await run()).toEqual([]);
  });

  test('a difference in any field of any record is a change', async () => {
    const { platform, run, database, corridor } = await setUp();
    const customer = platform.customers.all({ status: 'APPROVED' })[0];
    const beneficiary = platform.beneficiaries.all()[0];
    platform.payments.update('pay_open', { memo: 'corrected' });
    platform.customers.update(String(customer?.id), { city: 'Mombasa' });
    platform.beneficiaries.update(String(beneficiary?.id), { bankName: 'Other Bank' });
    const lines = await run({ full: true });
    expect(lines).toContain('payment pay_open: PROCESSING to PROCESSING (memo, updatedAt)');
    expect(lines).toContain(`customer ${customer?.id}: APPROVED to APPROVED (city, updatedAt)`);
    expect(lines.some((line) => line.startsWith(`beneficiary ${beneficiary?.id}`) && line.includes('bankName'))).toBe(
      true,
    );
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test('a payment that ended is read again within a day, and an older one within a week', async () => {
    const { platform, run } = await setUp();
    platform.payments.update('pay_ended', { memo: 'late' });
    platform.payments.update('pay_old', { memo: 'late' });
    const seen: Record<string, number> = {};
    for (let hours = 6; hours <= 7 * 24; hours += 6) {
      platform.clock.advance({ hours: 6 });
      for (const line of await run()) seen[String(line.split(/[ :]/)[1])] ??= hours;
    }
    expect(seen['pay_ended']).toBeLessThanOrEqual(24);
    expect(seen['pay_old']).toBeLessThanOrEqual(7 * 24);
  });

  test('a payment that the platform no longer lists is kept, is a difference once, and can come back', async () => {
    const { platform, corridor, run, database, mirror } = await setUp();
    const id = 'pay_open';
    const page = platform.snapshot();
    platform.payments.remove(id);
    expect(await run()).toEqual([`payment ${id}: PROCESSING to PROCESSING (missing)`]);
    expect(await run({ full: true })).toEqual([]);
    expect(await mirror.status()).toMatchObject({ missing: 1 });
    expect(await database.select(`select status, missing_since from corridor_payments where id = '${id}'`)).toEqual([
      { status: 'PROCESSING', missing_since: expect.anything() as unknown },
    ]);
    platform.restore(page);
    expect(await run()).toEqual([`payment ${id}: PROCESSING to PROCESSING (missing)`]);
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test('a run without changes over 6,000 payments and 12 customers sends at most 40 requests', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 12, beneficiaries: 24, payments: 6_000 });
    const corridor = new Corridor(platform.clientOptions());
    const mirror = (await createDatabase()).open();
    await corridor.sync(mirror, { once: true });
    const before = platform.requests.length;
    await corridor.sync(mirror, { once: true });
    const open = platform.payments.all().filter(({ status }) => !finalStatuses.includes(status));
    const requests = platform.requests.length - before;
    expect(requests).toBeLessThanOrEqual(40);
    expect(requests).toBeLessThanOrEqual(10 + open.length / 100);
  });

  test('a dry run reports each record that differs, writes nothing, and a full run repairs them', async () => {
    const { platform, corridor, mirror, database } = await setUp();
    const customer = platform.customers.all()[0];
    const beneficiary = platform.beneficiaries.all()[0];
    platform.payments.update('pay_ended', { memo: 'late' });
    platform.customers.update(String(customer?.id), { city: 'Mombasa' });
    platform.beneficiaries.update(String(beneficiary?.id), { zipCode: '00200' });
    const added = platform.payments.add({ status: 'COMPLETED' });
    const before = await mirroredRecords(database);
    const check = await corridor.sync(mirror, { once: true, full: true, dryRun: true });
    const expected = [
      { record: 'customer', id: customer?.id, fields: ['city', 'updatedAt'] },
      { record: 'payment', id: added.id, fields: [] },
      { record: 'payment', id: 'pay_ended', fields: ['memo', 'updatedAt'] },
    ];
    expect(check.differences).toEqual(expect.arrayContaining(expected));
    expect(
      check.differences.some(
        ({ record, id, fields }) => record === 'beneficiary' && id === beneficiary?.id && fields.includes('zipCode'),
      ),
    ).toBe(true);
    expect(await mirroredRecords(database)).toEqual(before);
    const repaired = await corridor.sync(mirror, { once: true, full: true });
    expect(repaired.differences).toEqual(expect.arrayContaining(expected));
    expect((await corridor.sync(mirror, { once: true, full: true, dryRun: true })).differences).toEqual([]);
  });

  test('onProgress and the report count the records that were read, by kind, and say when the fill has ended', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 3, beneficiaries: 5, payments: 20 });
    platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
    const open = platform.payments.all().filter(({ status }) => !finalStatuses.includes(status));
    const corridor = new Corridor(platform.clientOptions());
    const mirror = (await createDatabase()).open();
    const seen: SyncProgress[] = [];
    const report = await corridor.sync(mirror, { once: true, onProgress: (progress) => seen.push(progress) });
    const [customers, beneficiaries] = [platform.customers.all().length, platform.beneficiaries.all().length];
    const filling = seen.filter(({ filled }) => !filled);
    const { lastSequence } = await mirror.status();
    expect(filling.at(-1)).toEqual({ filled: false, read: report.read, changes: lastSequence });
    expect(report).toMatchObject({ filled: true, changes: lastSequence, differences: [] });
    expect(report.read.beneficiary).toBe(beneficiaries);
    expect(report.read.customer).toBe(customers);
    expect(report.read.payment).toBeGreaterThanOrEqual(21 + open.length);
    const { id } = platform.payments.update('pay_open', { memo: 'corrected' });
    platform.clock.advance({ minutes: 10 });
    const failing = corridor.sync(mirror, {
      once: true,
      onProgress({ filled, changes }) {
        throw new Error(`${filled} ${changes}`);
      },
    });
    expect(await failing).toMatchObject({ filled: true, changes: 1, differences: [{ id, record: 'payment' }] });
  });

  test('the first run sends as many requests at once as concurrency says, also for beneficiaries', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 9, beneficiaries: 9, payments: 5 });
    let [sent, most] = [0, 0];
    // The first requests for beneficiaries have no response before three of them were sent.
    const waiting: (() => void)[] = [];
    const corridor = new Corridor({
      ...platform.clientOptions(),
      async fetch(input, init) {
        most = Math.max(most, (sent += 1));
        if (waiting.length < 3 && new Request(input).url.includes('/beneficiaries'))
          await new Promise<void>((resolve) => {
            if (waiting.push(resolve) === 3) for (const respond of waiting) respond();
          });
        sent -= 1;
        return platform.fetch(input, init);
      },
    });
    const database = await createDatabase();
    await corridor.sync(database.open(), { once: true, concurrency: 3 });
    expect(most).toBe(3);
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test('an error of one customer keeps no other record out of the first run, and the next one tries again', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 6, beneficiaries: 6, payments: 5 });
    const broken = platform.customers.all()[1]?.id;
    let isBroken = true;
    const corridor = new Corridor({
      ...platform.clientOptions(),
      maxRetries: 0,
      fetch: async (input, init) =>
        isBroken && new Request(input, init).url.includes(`${broken}/beneficiaries`)
          ? Response.json({ message: 'forbidden' }, { status: 403 })
          : platform.fetch(input, init),
    });
    const database = await createDatabase();
    const mirror = database.open();
    const problem = { part: 'beneficiaries', slice: broken, attempts: 1 };
    expect(await corridor.sync(mirror, { once: true })).toMatchObject({ filled: true, problems: [problem] });
    const status = await mirror.status();
    expect(status).toMatchObject({ beneficiaries: { asOf: null, behind: true }, open: { behind: false } });
    expect(status.problems).toMatchObject([{ ...problem, message: expect.stringContaining('403') as unknown }]);
    isBroken = false;
    await corridor.sync(mirror, { once: true });
    expect(await mirror.status()).toMatchObject({ beneficiaries: { behind: false }, problems: [] });
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test.each<[Record<string, unknown>, string]>([
    [{ once: 'yes' }, 'once must be'],
    [{ full: 1 }, 'full must be'],
    [{ dryRun: null }, 'dryRun must be'],
    [{ concurrency: 0 }, 'concurrency must be an integer from 1 to 100'],
    [{ pollInterval: Number.NaN }, 'pollInterval must be'],
    [{ maxPollInterval: '5' }, 'maxPollInterval must be'],
    [{ consistencyWindow: -1 }, 'consistencyWindow must be'],
    [{ recentWindow: -1 }, 'recentWindow must be'],
    [{ recentInterval: 'daily' }, 'recentInterval must be'],
    [{ fullInterval: 'weekly' }, 'fullInterval must be'],
    [{ customersInterval: -1 }, 'customersInterval must be'],
    [{ beneficiariesInterval: -1 }, 'beneficiariesInterval must be'],
    [{ onProgress: true }, 'onProgress must be'],
    [{ interval: 5 }, 'interval is not a known field'],
  ])('corridor.sync rejects the options %j before it sends anything', async (options, message) => {
    const platform = createMockPlatform();
    const failing = new Corridor(platform.clientOptions()).sync(
      (await createDatabase()).open(),
      options as SyncOptions,
    );
    await expect(failing).rejects.toThrow(message);
    expect(platform.requests).toHaveLength(0);
  });

  test('without sensitive, personal data is nowhere in the file, and its changes are seen', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 3, beneficiaries: 3, payments: 10 });
    const corridor = new Corridor(platform.clientOptions());
    const database = await createDatabase();
    const mirror = database.open({});
    await corridor.sync(mirror, { once: true });
    const customer = platform.customers.all()[0];
    const text = JSON.stringify(
      await Promise.all(
        ['payments', 'customers', 'beneficiaries'].map((table) => database.select(`select * from corridor_${table}`)),
      ),
    );
    expect(text).not.toContain(customer?.companyName);
    expect(text).not.toContain('accountNumber');
    expect(await database.select('select distinct company_name from corridor_beneficiaries')).toEqual([
      { company_name: null },
    ]);
    platform.customers.update(String(customer?.id), { city: 'Mombasa', updatedAt: String(customer?.updatedAt) });
    await corridor.sync(mirror, { once: true });
    expect(await allChanges(mirror)).toMatchObject([{ record: 'customer', id: customer?.id, fields: [] }]);
  });

  test('a mirror of another platform, another organization or other options is rejected', async () => {
    const { corridor, mirror, database, platform } = await setUp();
    const other = createMockPlatform({ baseUrl: 'https://other.test' });
    await expect(new Corridor(other.clientOptions()).sync(mirror, { once: true })).rejects.toThrow(
      'the mirror belongs to another platform: https://api.corridor.test (received https://other.test). Use one mirror per platform and organization',
    );
    const organization = platform.organization({ id: 'org_2' });
    organization.populate({ customers: 4, payments: 5 });
    const before = await mirroredRecords(database);
    await expect(new Corridor(organization.clientOptions()).sync(mirror, { once: true })).rejects.toThrow(
      'the mirror belongs to another organization: the API key is not the one that it was filled with',
    );
    expect(await mirroredRecords(database)).toEqual(before);
    await expect(corridor.sync(database.open({}), { once: true })).rejects.toThrow(
      'the mirror was created with sensitive: true (received false)',
    );
    await expect(corridor.sync({} as Mirror)).rejects.toThrow(ConfigurationError);
    await expect(corridor.sync(mirror, { dryRun: true })).rejects.toThrow('dryRun requires once: true');
    await expect(corridor.sync((await createDatabase()).open(), { once: true, dryRun: true })).rejects.toThrow(
      'Run without dryRun first',
    );
  });

  test('following fills, writes changes as they happen, and resolves when the signal aborts', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 2, beneficiaries: 2, payments: 8 });
    const corridor = new Corridor(platform.clientOptions());
    const mirror = (await createDatabase()).open();
    const stop = new AbortController();
    const following = corridor.sync(mirror, {
      signal: stop.signal,
      pollInterval: 10,
      onProgress: ({ filled }) => {
        if (filled && platform.payments.all().length === 8)
          platform.payments.add({ id: 'pay_new', status: 'PROCESSING' });
      },
    });
    const consumed: string[] = [];
    // The consumer begins before the fill.
    for await (const { record, id } of mirror.changes({ signal: stop.signal, pollInterval: 1 })) {
      if (record === 'payment') consumed.push(id);
      if (id === 'pay_new') stop.abort();
    }
    const ids = platform.payments.all().map(({ id }) => id);
    expect(consumed.toSorted()).toEqual(ids.toSorted());
    expect(await following).toMatchObject({ differences: [] });
    await expect(corridor.sync(mirror, { once: true, signal: stop.signal })).rejects.toThrow('aborted');
  });

  test('following resolves when the signal aborts while it waits after a failure', async () => {
    const { platform, database } = await setUp();
    const stop = new AbortController();
    const corridor = new Corridor({
      ...platform.clientOptions(),
      fetch: async () => new Response('down', { status: 503 }),
      maxRetries: 0,
      sleep: (_, signal, purpose) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          if (purpose === 'delay') stop.abort();
        }),
    });
    expect(await corridor.sync(database.open(), { signal: stop.signal })).toMatchObject({ filled: true, changes: 0 });
  });

  test('a run that failed and was repeated reports what it repaired before', async () => {
    const { platform, database } = await setUp();
    platform.payments.update('pay_open', { memo: 'corrected' });
    platform.payments.update('pay_ended', { memo: 'corrected' });
    let calls = 0;
    const corridor = new Corridor({
      ...platform.clientOptions(),
      maxRetries: 0,
      sleep: (_, __, purpose) => (purpose === 'delay' ? Promise.resolve() : new Promise(() => {})),
      fetch: async (input, init) => {
        const isLast = new URL(new Request(input).url).searchParams.has('createdTo');
        if (isLast && (calls += 1) === 3) return new Response('down', { status: 503 });
        return platform.fetch(input, init);
      },
    });
    const { differences, changes } = await corridor.sync(database.open(), { once: true, full: true });
    expect(calls).toBeGreaterThan(3);
    expect(differences.map(({ id }) => id).toSorted()).toEqual(['pay_ended', 'pay_open']);
    expect(changes).toBe(2);
  });

  test('a list that lags does not undo what was read, and what it shows for longer counts', async () => {
    const { platform, database, mirror, run } = await setUp();
    const before = platform.payments.get('pay_open');
    platform.clock.advance({ minutes: 1 });
    platform.payments.transition('pay_open', 'COMPLETED');
    expect(await run()).toHaveLength(1);
    const stale = new Corridor({
      ...platform.clientOptions(),
      ...withChangedPages(platform, (page, url) => {
        if (isPayments(url) && url.searchParams.get('status') === 'PROCESSING')
          page.items.push({ ...before, authorization: {} });
      }),
    });
    await stale.sync(mirror, { once: true });
    expect(await database.select("select status from corridor_payments where id = 'pay_open'")).toEqual([
      { status: 'COMPLETED' },
    ]);
    platform.clock.advance({ minutes: 6 });
    await stale.sync(mirror, { once: true });
    platform.clock.advance({ minutes: 6 });
    await run();
    expect((await allChanges(mirror)).filter(({ id }) => id === 'pay_open').map(({ status }) => status)).toEqual([
      'COMPLETED',
      'PROCESSING',
      'COMPLETED',
    ]);
  });

  test('a row that one reading lacks is not missing', async () => {
    const { platform, mirror, database, corridor } = await setUp();
    let dropped = 0;
    const dropping = new Corridor({
      ...platform.clientOptions(),
      ...withChangedPages(platform, (page) => {
        if (page.items.length > 1 && dropped++ % 2 === 0) page.items.splice(0, 1);
      }),
    });
    await dropping.sync(mirror, { once: true, full: true });
    expect(dropped).toBeGreaterThan(3);
    expect(await mirror.status()).toMatchObject({ missing: 0 });
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test('a 404 for the beneficiaries of a customer that exists is a problem, and marks none as missing', async () => {
    const { platform, mirror, database } = await setUp();
    const before = await mirroredRecords(database);
    const hiding = new Corridor({
      ...platform.clientOptions(),
      fetch: async (input, init) =>
        new URL(new Request(input).url).pathname.endsWith('/beneficiaries')
          ? Response.json({ message: 'Not found' }, { status: 404 })
          : platform.fetch(input, init),
    });
    const { problems } = await hiding.sync(mirror, { once: true, full: true });
    expect(problems.length).toBeGreaterThan(0);
    expect(new Set(problems.map(({ part }) => part))).toEqual(new Set(['beneficiaries']));
    expect(await mirror.status()).toMatchObject({ missing: 0 });
    expect(await mirroredRecords(database)).toEqual(before);
  });

  test('a 404 for the beneficiaries of a new customer, which a replica that lags does not know, ends no sync', async () => {
    const { platform, corridor, mirror } = await setUp();
    platform.clock.freeze();
    platform.customers.add({ id: 'cus_new', status: 'APPROVED' });
    platform.beneficiaries.add({ id: 'ben_new', customerId: 'cus_new' });
    const lagging = new Corridor({
      ...platform.clientOptions(),
      fetch: async (input, init) =>
        new URL(new Request(input).url).pathname.endsWith('/cus_new/beneficiaries')
          ? Response.json({ message: 'Not found' }, { status: 404 })
          : platform.fetch(input, init),
    });
    await lagging.sync(mirror, { once: true });
    expect(await mirror.stored('beneficiary', 'ben_new')).toBeUndefined();
    platform.clock.advance({ minutes: 5 });
    expect(await lagging.sync(mirror, { once: true, full: true })).toMatchObject({ problems: [{ slice: 'cus_new' }] });
    await corridor.sync(mirror, { once: true, full: true });
    expect(await mirror.stored('beneficiary', 'ben_new')).toMatchObject({ id: 'ben_new' });
  });

  test('a new customer that a replica does not know yet is not missing', async () => {
    const { platform, corridor, mirror } = await setUp();
    platform.customers.add({ id: 'cus_new', status: 'APPROVED' });
    await corridor.sync(mirror, { once: true, full: true });
    const listed = withChangedPages(platform, (page) => {
      page.items = page.items?.filter(({ id }) => id !== 'cus_new');
    });
    const lagging = new Corridor({
      ...platform.clientOptions(),
      fetch: async (input, init) =>
        new URL(new Request(input).url).pathname.includes('/cus_new')
          ? Response.json({ message: 'Not found' }, { status: 404 })
          : (listed.fetch ?? fetch)(input, init),
    });
    platform.clock.advance({ minutes: 4, seconds: 59 });
    await lagging.sync(mirror, { once: true, full: true });
    expect(await mirror.status()).toMatchObject({ missing: 0 });
    platform.clock.advance({ seconds: 1 });
    await lagging.sync(mirror, { once: true, full: true });
    expect(await mirror.status()).toMatchObject({ missing: 1 });
  });

  test('values that cannot be read are stored as they are', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 2, beneficiaries: 2, payments: 5 });
    platform.payments.add({ id: 'pay_odd', status: 'PROCESSING' });
    const corridor = new Corridor({
      ...platform.clientOptions(),
      ...withChangedPages(platform, ({ items }) => {
        for (const item of items ?? [])
          if (item['id'] === 'pay_odd')
            Object.assign(item, { amount: 12.5, createdAt: 'yesterday', updatedAt: null, memo: { text: 1 } });
      }),
    });
    const database = await createDatabase();
    const mirror = database.open();
    await corridor.sync(mirror, { once: true });
    await corridor.sync(mirror, { once: true });
    expect(await database.select("select amount, updated_at from corridor_payments where id = 'pay_odd'")).toEqual([
      { amount: '12.5', updated_at: null },
    ]);
    const { corridor_payments: payments } = await mirroredRecords(database);
    expect(payments?.['pay_odd']).toMatchObject({ amount: 12.5, createdAt: 'yesterday', updatedAt: null });
    expect(await allChanges(mirror)).toEqual([]);
    platform.payments.transition('pay_odd', 'COMPLETED');
    await corridor.sync(mirror, { once: true });
    expect(await allChanges(mirror)).toMatchObject([
      { id: 'pay_odd', previousStatus: 'PROCESSING', status: 'COMPLETED' },
    ]);
  });

  test('rows that pages repeat are stored once, and their changes are written once', async () => {
    const { platform, mirror, database, corridor } = await setUp();
    platform.payments.update('pay_open', { memo: 'newer' });
    const repeating = new Corridor({
      ...platform.clientOptions(),
      ...withChangedPages(platform, (page) => {
        if (Array.isArray(page.items)) page.items = [...page.items, ...page.items];
      }),
    });
    await repeating.sync(mirror, { once: true, full: true });
    expect((await allChanges(mirror)).map(({ id }) => id)).toEqual(['pay_open']);
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test('pages that shift while they are read lose no record', async () => {
    const { platform, mirror, database, corridor } = await setUp();
    platform.customers.addMany(110, () => ({ status: 'APPROVED' }));
    let shifts = 0;
    let last: Record<string, unknown> | undefined;
    const shifting = new Corridor({
      ...platform.clientOptions(),
      ...withChangedPages(platform, (page, url) => {
        if (!Array.isArray(page.items)) return;
        if (url.searchParams.has('cursor') && last !== undefined && shifts < 20) {
          // A new record moves the last row of the page before to this one.
          shifts += 1;
          if (isPayments(url)) platform.payments.add({ status: 'PROCESSING', createdAt: ago(platform, 15) });
          else platform.customers.add({ status: 'APPROVED' });
          page.items.unshift(last);
        }
        last = page.hasMore ? page.items.at(-1) : undefined;
      }),
    });
    await shifting.sync(mirror, { once: true, full: true, concurrency: 1 });
    expect(shifts).toBeGreaterThan(0);
    platform.clock.advance({ minutes: 10 });
    await corridor.sync(mirror, { once: true, full: true });
    expect(await mirror.status()).toMatchObject({ missing: 0 });
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
    await assertUnbrokenChains(database);
  });

  /** Sends a Date header that is wrong by a number of days. */
  const withWrongDate = (platform: MockPlatform, days: number): Corridor =>
    new Corridor({
      ...platform.clientOptions(),
      fetch: async (input, init) => {
        const response = await platform.fetch(input, init);
        const headers = new Headers(response.headers);
        headers.set('date', new Date(platform.clock.now() + days * day).toUTCString());
        return new Response(response.body, { status: response.status, headers });
      },
    });

  test('a Date header that is days late loses no change', async () => {
    const { platform, mirror, database, corridor } = await setUp();
    const late = withWrongDate(platform, -2);
    const expected: string[] = [];
    for (const memo of ['one', 'two']) {
      expected.push(platform.payments.add({ status: 'PROCESSING' }).id, 'pay_open');
      platform.payments.update('pay_open', { memo });
      await late.sync(mirror, { once: true });
      platform.clock.advance({ minutes: 10 });
    }
    const payments = (await allChanges(mirror)).filter(({ record }) => record === 'payment');
    expect(payments.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test('a Date header that is a day ahead is an error, and a later run loses no change', async () => {
    const { platform, mirror, database, corridor } = await setUp();
    platform.payments.add({ status: 'PROCESSING' });
    await expect(withWrongDate(platform, 1).sync(mirror, { once: true })).rejects.toThrow(AuthenticationError);
    await corridor.sync(mirror, { once: true });
    expect(await mirror.status()).toMatchObject({ missing: 0 });
    expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  });

  test('a paused process writes nothing after another one has worked', async () => {
    const { platform, mirror, database, corridor } = await setUp();
    let resume = (): void => {};
    let paused = (): void => {};
    const isPaused = new Promise<void>((resolve) => (paused = resolve));
    const waiting = new Promise<void>((resolve) => (resume = resolve));
    let pauses = 0;
    const slow = new Corridor({
      ...platform.clientOptions(),
      fetch: async (input, init) => {
        const response = await platform.fetch(input, init);
        const { pathname, searchParams } = new URL(new Request(input).url);
        if (pathname.endsWith('/payment') && searchParams.get('status') === 'PROCESSING' && pauses++ === 0) {
          paused();
          await waiting;
        }
        return response;
      },
    });
    const stop = new AbortController();
    // Without a window, nothing but the turn of the other process keeps the earlier response from being written.
    const following = slow.sync(database.open(), { signal: stop.signal, consistencyWindow: 0 });
    await isPaused;
    platform.payments.update('pay_open', { memo: 'newer' });
    await corridor.sync(mirror, { once: true });
    const [after, changes] = [await mirroredRecords(database), await allChanges(mirror)];
    expect(after).toEqual(await recordsOf(corridor));
    expect(changes.map(({ id, fields }) => [id, fields])).toEqual([['pay_open', ['memo', 'updatedAt']]]);
    resume();
    await expect.poll(() => pauses).toBeGreaterThan(1);
    stop.abort();
    await following;
    expect(await mirroredRecords(database)).toEqual(after);
    expect(await allChanges(mirror)).toEqual(changes);
  });

  test.each<[Record<string, unknown> | null, string]>([
    [{ after: Number.NaN }, 'after must be the position of a change, its sequence, or 0 (received NaN)'],
    [{ after: -1 }, 'after must be the position of a change, its sequence, or 0 (received -1)'],
    [{ after: '' }, 'after must be the position of a change'],
    [{ after: '5-' }, 'after must be the position of a change'],
    [{ after: '5-0123abcg' }, 'after must be the position of a change'],
    [{ once: 'no' }, 'once must be a boolean'],
    [{ pollInterval: Number.NaN }, 'pollInterval must be a number of milliseconds'],
    [{ signal: new AbortController() }, 'signal must be an AbortSignal'],
    [{ pollIntervall: 5 }, 'pollIntervall is not a known field'],
    [null, 'must be an object, such as { after: 0 }'],
  ])('mirror.changes rejects the options %j', async (options, message) => {
    const mirror = (await createDatabase()).open();
    const failing = mirror.changes(options as MirrorChangesOptions).next();
    await expect(failing).rejects.toThrow(ConfigurationError);
    await expect(failing).rejects.toThrow(message);
  });

  test('mirror.changes ends when the signal aborts while the database is read', async () => {
    const { mirror } = await setUp();
    const stop = new AbortController();
    const next = mirror.changes({ signal: stop.signal, pollInterval: 2_000_000_000 }).next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  /** Creates a mirror that keeps changes for a minute, with changes of the times 0, 59 and 61 seconds. */
  async function setUpRetention() {
    const { platform, corridor, database } = await setUp();
    platform.clock.freeze();
    const mirror = database.open({ sensitive: true, retention: 60_000 });
    const change = async (memo: string): Promise<number> => {
      platform.payments.update('pay_open', { memo });
      await corridor.sync(mirror, { once: true });
      return (await mirror.status()).lastSequence;
    };
    const first = await change('one');
    platform.clock.advance({ seconds: 59 });
    return { platform, corridor, database, mirror, change, first };
  }

  test('the retention removes the oldest changes only, up to the last one that it may remove', async () => {
    const { platform, corridor, mirror, change, first } = await setUpRetention();
    await change('two');
    const sequences = async (after: number | string): Promise<number[]> =>
      (await allChanges(mirror, { after })).map(({ sequence }) => sequence);
    // Those of the first fill were older. The last of them is the mark from which the others are continued.
    expect(await sequences(first - 1)).toEqual([first, first + 1]);
    await expect(sequences(first - 2)).rejects.toThrow(
      `changes after ${first - 2} were removed, by the retention or by hand: the first one is ${first - 1}.`,
    );
    await expect(sequences(0)).rejects.toThrow('changes after 0 were removed');
    platform.clock.advance({ seconds: 2 });
    await change('three');
    expect(await sequences(first)).toEqual([first + 1, first + 2]);
    await expect(sequences(first - 1)).rejects.toThrow(MirrorError);
    // A mirror without new changes keeps the last one.
    platform.clock.advance({ minutes: 5 });
    await corridor.sync(mirror, { once: true });
    expect(await sequences((await mirror.status()).lastPosition)).toEqual([]);
    await expect(sequences(first + 1)).rejects.toThrow(`the first one is ${first + 2}`);
  });

  test('the retention of a new mirror removes nothing', async () => {
    const platform = createMockPlatform();
    platform.populate({ customers: 2, beneficiaries: 2, payments: 5 });
    const corridor = new Corridor(platform.clientOptions());
    const mirror = (await createDatabase()).open({ retention: 60_000 });
    for (const seconds of [0, 30]) {
      platform.clock.advance({ seconds });
      await corridor.sync(mirror, { once: true });
      const changes = await allChanges(mirror, { after: 0 });
      expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_, index) => index + 1));
      expect(changes).toHaveLength((await mirror.status()).lastSequence);
    }
  });

  test('the retention keeps a change that was observed by a clock that was ahead, and those behind it', async () => {
    const { platform, corridor, mirror, database, change, first } = await setUpRetention();
    const ahead = await change('ahead');
    const later = new Date(platform.clock.now() + day).toISOString();
    await database.execute(`update corridor_changes set observed_at = '${later}' where sequence = ${ahead}`);
    for (const memo of ['two', 'three']) {
      await change(memo);
      platform.clock.advance({ minutes: 10 });
    }
    await corridor.sync(mirror, { once: true });
    const rows = await database.select('select sequence from corridor_changes order by sequence');
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual([first, first + 1, first + 2, first + 3]);
  });

  test('a consumer of a mirror that was created again or restored gets an error, also if the numbers fit', async () => {
    const { platform, corridor, mirror, database, run } = await setUp();
    await run();
    const restore = await backUp(database);
    platform.payments.update('pay_open', { memo: 'lost' });
    await run();
    const [lost] = await allChanges(mirror);
    await restore();
    const beyond = allChanges(mirror, { after: lost?.position });
    await expect(beyond).rejects.toThrow(MirrorError);
    await expect(beyond).rejects.toThrow(`the mirror has no change ${lost?.sequence}`);
    // The processes that used it are started again.
    platform.clock.advance({ minutes: 10 });
    const restored = database.open();
    await corridor.sync(restored, { once: true });
    expect(await allChanges(restored, { after: lost?.sequence })).toEqual([]);
    const other = allChanges(restored, { after: lost?.position });
    await expect(other).rejects.toThrow(MirrorError);
    await expect(other).rejects.toThrow(`the change ${lost?.sequence} of the mirror is not the one that was read`);
  });
}
