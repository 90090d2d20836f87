import { Corridor, type Mirror, type SyncOptions } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import {
  allChanges,
  mirroredRecords,
  recordsOf,
  sqliteDatabase,
  watchedClient,
  type MirrorDatabase,
  type Page,
} from './mirrored.ts';

const [minute, day] = [60_000, 86_400_000];

interface Setup {
  readonly platform: MockPlatform;
  readonly database: MirrorDatabase;
  readonly mirror: Mirror;
  /** The requests that were sent since `run` was called. */
  readonly requests: URL[];
  /** Changes the responses on the way. */
  changePage: (page: Page, url: URL) => void;
  readonly corridor: Corridor;
  /** Runs once and returns the changes that this has added, as lines. */
  run(options?: SyncOptions): Promise<string[]>;
}

/** Creates a platform, and a mirror of it that is filled. */
async function setUp(add: (platform: MockPlatform) => void = () => {}): Promise<Setup> {
  const platform = createMockPlatform();
  platform.populate({ customers: 3, beneficiaries: 4, payments: 6 });
  add(platform);
  const corridor = watchedClient(
    platform,
    (url) => void setup.requests.push(url),
    (page, url) => setup.changePage(page, url),
  );
  const database = await sqliteDatabase();
  const mirror = database.open();
  const setup: Setup = {
    platform,
    database,
    mirror,
    corridor,
    requests: [],
    changePage: () => {},
    async run(options = {}) {
      const { lastSequence } = await mirror.status();
      setup.requests.length = 0;
      await corridor.sync(mirror, { once: true, ...options });
      return (await allChanges(mirror, { after: lastSequence })).map(
        ({ record, id, previousStatus, status, fields }) =>
          `${record} ${id}: ${previousStatus ?? 'new'} to ${status} (${fields.join(', ')})`,
      );
    },
  };
  await setup.run();
  // Lists may lag by the consistency window.
  platform.clock.advance({ minutes: 10 });
  return setup;
}

const isPayments = (url: URL): boolean => url.pathname.endsWith('/payment');
const isCustomers = (url: URL): boolean => url.pathname.endsWith('/customers');
const isBeneficiaries = (url: URL): boolean => url.pathname.endsWith('/beneficiaries');
const isStatus = (status: string) => (url: URL) => url.searchParams.get('status') === status;
const isRange = (url: URL): boolean => url.searchParams.has('createdTo');

// `before` is the status that is stored, and that one list still shows.
test.each([
  { before: 'APPROVED', now: 'PROCESSING' },
  { before: 'PROCESSING', now: 'APPROVED' },
] as const)('a payment in two lists of a poll is read again: $before, and now $now', async ({ before, now }) => {
  const setup = await setUp(({ payments }) => payments.add({ id: 'pay_moving', status: before }));
  const [earlier] = setup.platform.payments.all({ status: before }).filter(({ id }) => id === 'pay_moving');
  setup.platform.payments.update('pay_moving', { status: now });
  setup.changePage = (page, url) => {
    if (isStatus(before)(url)) page.items.push({ ...earlier });
  };
  expect(await setup.run()).toEqual([expect.stringMatching(`^payment pay_moving: ${before} to ${now} `)]);
  expect(setup.requests.findLastIndex(isStatus(now))).toBeLessThan(setup.requests.findLastIndex(isRange));
  expect(await setup.database.select("select status from corridor_payments where id = 'pay_moving'")).toEqual([
    { status: now },
  ]);
});

test('a first run that failed continues where it was, and reads nothing twice', async () => {
  const platform = createMockPlatform();
  platform.populate({ customers: 8, beneficiaries: 8, payments: 5 });
  const start = platform.clock.now();
  platform.payments.addMany(600, (index) => ({
    status: 'COMPLETED',
    createdAt: new Date(start - 100 * day + index * 0.1 * day).toISOString(),
  }));
  const read = { payment: [] as string[], beneficiaries: [] as string[] };
  let left = Number.POSITIVE_INFINITY;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    maxRetries: 0,
    async fetch(input, init) {
      const url = new URL(new Request(input, init).url);
      if (isBeneficiaries(url)) read.beneficiaries.push(url.pathname);
      if (!isPayments(url)) return platform.fetch(input, init);
      if (left-- <= 0) return Response.json({ message: 'forbidden' }, { status: 403 });
      const response = await platform.fetch(input, init);
      const { items, hasMore } = (await response.clone().json()) as Page;
      if (!hasMore) read.payment.push(...items.map(({ id }) => String(id)));
      return response;
    },
  });
  const database = await sqliteDatabase();
  const mirror = database.open();
  left = 16;
  const { filled, problems } = await corridor.sync(mirror, { once: true, concurrency: 1 });
  expect(filled).toBe(false);
  expect(problems.map(({ part }) => part)).toEqual(['older']);
  const stored = (await database.select('select id from corridor_payments')).map(({ id }) => id);
  expect(stored.length).toBeGreaterThan(100);
  expect(stored.length).toBeLessThan(600);
  expect(read.beneficiaries).toHaveLength(platform.customers.all().length);
  read.payment = [];
  left = Number.POSITIVE_INFINITY;
  await corridor.sync(mirror, { once: true, concurrency: 1 });
  const again = read.payment.filter((id) => stored.includes(id));
  // The ranges of two requests overlap by some seconds.
  expect(again.length).toBeLessThanOrEqual(2);
  expect(read.beneficiaries).toHaveLength(platform.customers.all().length);
  expect(await mirroredRecords(database)).toEqual(await recordsOf(new Corridor(platform.clientOptions())));
  expect(Date.parse(String((await mirror.status()).older.asOf))).toBeLessThanOrEqual(start + minute);
});

test('a full run that continues a first fill also reads what an earlier run has filled', async () => {
  const platform = createMockPlatform();
  platform.populate({ customers: 2, beneficiaries: 2, payments: 3 });
  const start = platform.clock.now();
  platform.payments.addMany(300, (index) => ({
    status: 'COMPLETED',
    createdAt: new Date(start - 100 * day - index * 0.1 * day).toISOString(),
  }));
  let left = 16;
  const failing = watchedClient(
    platform,
    (url) => (isPayments(url) && left-- <= 0 ? Response.json({ message: 'forbidden' }, { status: 403 }) : undefined),
    () => {},
  );
  const database = await sqliteDatabase();
  const mirror = database.open();
  const corridor = new Corridor(platform.clientOptions());
  expect(await failing.sync(mirror, { once: true, concurrency: 1 })).toMatchObject({ filled: false });
  const ids = Object.keys((await mirroredRecords(database))['corridor_payments'] ?? {});
  expect(ids.length).toBeGreaterThan(100);
  for (const id of ids) platform.payments.update(id, { memo: 'late' });
  await corridor.sync(mirror, { once: true, full: true });
  expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
});

test('a payment that is created while the mirror is filled is not lost', async () => {
  const platform = createMockPlatform();
  platform.populate({ customers: 2, beneficiaries: 2, payments: 5 });
  let isFirst = true;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    async fetch(input, init) {
      const response = await platform.fetch(input, init);
      if (isFirst && isPayments(new URL(new Request(input).url))) {
        isFirst = false;
        platform.payments.add({ id: 'pay_meanwhile', status: 'COMPLETED' });
      }
      return response;
    },
  });
  const database = await sqliteDatabase();
  const mirror = database.open();
  await corridor.sync(mirror, { once: true });
  const [last] = (await allChanges(mirror, { after: 0 })).filter(({ id }) => id === 'pay_meanwhile');
  expect(last).toMatchObject({ previousStatus: null, status: 'COMPLETED' });
});

test('a customer that its list no longer shows is read alone, and is missing only if it does not exist', async () => {
  const setup = await setUp();
  const [kept, removed] = ['cus_kept', 'cus_removed'];
  for (const id of [kept, removed]) setup.platform.customers.add({ id, status: 'APPROVED' });
  await setup.run();
  setup.platform.beneficiaries.add({ id: 'ben_removed', customerId: removed });
  await setup.run({ full: true });
  setup.platform.clock.advance({ minutes: 6 });
  setup.platform.customers.update(kept, { city: 'Mombasa' });
  setup.platform.customers.remove(removed);
  setup.changePage = (page, url) => {
    if (isCustomers(url)) page.items = page.items.filter(({ id }) => id !== kept);
  };
  const lines = await setup.run({ full: true });
  expect(lines).toContain(`customer ${kept}: APPROVED to APPROVED (city, updatedAt)`);
  expect(lines).toContain(`customer ${removed}: APPROVED to APPROVED (missing)`);
  expect(lines.filter((line) => line.startsWith('beneficiary ben_removed'))).toEqual([
    expect.stringMatching(/\(missing\)$/),
  ]);
  expect(lines).toHaveLength(3);
  expect(await setup.mirror.status()).toMatchObject({ missing: 2 });
  expect(await setup.run({ full: true })).toEqual([]);
});

test('a beneficiary that is removed is missing, after a second reading', async () => {
  const setup = await setUp((platform) => {
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    for (const id of ['ben_1', 'ben_2']) platform.beneficiaries.add({ id, customerId: 'cus_1', status: 'APPROVED' });
  });
  setup.platform.beneficiaries.remove('ben_2');
  expect(await setup.run({ full: true })).toEqual(['beneficiary ben_2: APPROVED to APPROVED (missing)']);
  expect(setup.requests.filter(({ pathname }) => pathname.includes('cus_1/beneficiaries')).length).toBeGreaterThan(1);
});

test('beneficiaries are as of the last reading of the customers, also if two passes read them', async () => {
  const setup = await setUp((platform) => {
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    platform.beneficiaries.add({ id: 'ben_1', customerId: 'cus_1', status: 'APPROVED' });
  });
  setup.platform.beneficiaries.remove('ben_1');
  // A beneficiary of a customer that is added behind the reading of the customers, and before the second pass.
  setup.changePage = (_page, url) => {
    if (isBeneficiaries(url) && setup.platform.customers.all({ status: 'SUSPENDED' }).length === 0) {
      const { id } = setup.platform.customers.add({ status: 'SUSPENDED' });
      setup.platform.beneficiaries.add({ customerId: id });
    }
    setup.platform.clock.advance({ seconds: 10 });
  };
  await setup.run({ full: true });
  const { customers, beneficiaries } = await setup.mirror.status();
  expect(await setup.database.select("select id from corridor_customers where status = 'SUSPENDED'")).toEqual([]);
  expect(beneficiaries.asOf).toBe(customers.asOf);
});

test('a run reads the beneficiaries of customers that changed or whose payments did, and no others', async () => {
  const setup = await setUp((platform) => {
    for (const id of ['cus_1', 'cus_2', 'cus_3']) platform.customers.add({ id, status: 'APPROVED' });
    platform.beneficiaries.add({ id: 'ben_1', customerId: 'cus_1', status: 'APPROVED' });
    platform.beneficiaries.add({ id: 'ben_2', customerId: 'cus_2', status: 'APPROVED' });
    platform.payments.add({ id: 'pay_2', customerId: 'cus_2', beneficiaryId: 'ben_2', status: 'PROCESSING' });
  });
  const customersRead = (): string[] =>
    setup.requests.filter(isBeneficiaries).map(({ pathname }) => String(pathname.split('/').at(-2)));
  expect(await setup.run()).toEqual([]);
  expect(customersRead()).toEqual([]);
  setup.platform.customers.update('cus_1', { city: 'Mombasa' });
  setup.platform.beneficiaries.update('ben_1', { bankName: 'Other Bank' });
  setup.platform.payments.update('pay_2', { memo: 'corrected' });
  const lines = await setup.run();
  expect(lines.map((line) => line.split(':')[0])).toEqual(['customer cus_1', 'beneficiary ben_1', 'payment pay_2']);
  expect(customersRead()).toEqual(['cus_1']);
  // The payment changed after the beneficiaries of this run were read.
  expect(await setup.run()).toEqual([]);
  expect(customersRead()).toEqual(['cus_2']);
  expect(await setup.run()).toEqual([]);
  expect(customersRead()).toEqual([]);
});

test('payments that ended since the last run are looked up together, and those that are gone once more', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `pay_${String(index).padStart(3, '0')}`);
  const setup = await setUp((platform) => {
    for (const [index, id] of ids.entries())
      platform.payments.add({
        id,
        status: 'PROCESSING',
        createdAt: new Date(platform.clock.now() - 50 * day + index * minute).toISOString(),
      });
  });
  for (const id of ids.slice(0, 98)) setup.platform.payments.transition(id, 'COMPLETED');
  setup.platform.payments.remove('pay_098');
  setup.platform.payments.remove('pay_099');
  const lines = await setup.run();
  expect(lines.toSorted()).toEqual([
    ...ids.slice(0, 98).map((id) => `payment ${id}: PROCESSING to COMPLETED (status, updatedAt, receiptUrl)`),
    'payment pay_098: PROCESSING to PROCESSING (missing)',
    'payment pay_099: PROCESSING to PROCESSING (missing)',
  ]);
  const ranges = setup.requests.filter(isRange);
  expect(ranges.length).toBeLessThanOrEqual(5);
  expect(await setup.run()).toEqual([]);
});

test('a payment that a lagging list does not show yet is not missing', async () => {
  const setup = await setUp();
  const { id } = setup.platform.payments.add({ status: 'PROCESSING' });
  expect(await setup.run()).toContain(`payment ${id}: new to PROCESSING ()`);
  setup.changePage = (page, url) => {
    if (isPayments(url)) page.items = page.items.filter((item) => item['id'] !== id);
  };
  setup.platform.clock.advance({ minutes: 4 });
  expect(await setup.run()).toEqual([]);
  setup.platform.clock.advance({ minutes: 2 });
  expect(await setup.run()).toEqual([`payment ${id}: PROCESSING to PROCESSING (missing)`]);
});

test.each([
  [10, true],
  [11, false],
])('%i payments of other statuses in a list of a status are accepted: %j', async (others, isAccepted) => {
  const setup = await setUp();
  setup.changePage = (page, url) => {
    if (isStatus('APPROVED')(url))
      page.items = Array.from({ length: others }, () => ({
        ...setup.platform.payments.all()[0],
        status: 'PROCESSING',
      }));
  };
  await setup.run();
  const message = expect.stringContaining('ignores the filter status: a list of APPROVED has 11') as unknown;
  expect((await setup.mirror.status()).problems).toMatchObject(
    isAccepted ? [] : [{ part: 'open', slice: 'APPROVED', message }],
  );
});

test('more payments of one instant than a lookup shows are looked up once they have ended', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `pay_${String(index).padStart(3, '0')}`);
  const setup = await setUp((platform) => {
    const createdAt = new Date(platform.clock.now() - 50 * day).toISOString();
    for (const id of ids) platform.payments.add({ id, status: 'PROCESSING', createdAt });
  });
  for (const id of ids) setup.platform.payments.transition(id, 'COMPLETED');
  expect(await setup.run()).toHaveLength(100);
});

test('a completed payment that is returned within 30 days of its creation is seen by the next run', async () => {
  const setup = await setUp((platform) => {
    for (const age of [29, 31])
      platform.payments.add({
        id: `pay_${age}`,
        status: 'COMPLETED',
        createdAt: new Date(platform.clock.now() - age * day).toISOString(),
      });
  });
  for (const id of ['pay_29', 'pay_31']) setup.platform.payments.transition(id, 'RETURNED');
  const line = (id: string): string => `payment ${id}: COMPLETED to RETURNED (status, updatedAt)`;
  expect(await setup.run()).toEqual([line('pay_29')]);
  expect(await setup.run({ full: true })).toEqual([line('pay_31')]);
});

test('if no beneficiaries can be read, twenty customers are tried', async () => {
  const platform = createMockPlatform();
  platform.populate({ customers: 40, beneficiaries: 5, payments: 1 });
  let requests = 0;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    async fetch(input, init) {
      if (!isBeneficiaries(new URL(new Request(input).url))) return platform.fetch(input, init);
      requests += 1;
      return Response.json({ message: 'forbidden' }, { status: 403 });
    },
  });
  const database = await sqliteDatabase();
  const { filled, problems } = await corridor.sync(database.open(), { once: true, concurrency: 2 });
  expect({ filled, problems: problems.length, requests }).toEqual({ filled: true, problems: 20, requests: 20 });
});

test('a process that follows ends with the error if the platform asks it to wait longer than maxRetryAfter', async () => {
  const platform = createMockPlatform();
  const corridor = new Corridor({
    ...platform.clientOptions(),
    maxRetries: 0,
    fetch: async () => Response.json({ message: 'slow down' }, { status: 429, headers: { 'retry-after': '20' } }),
  });
  const following = corridor.sync((await sqliteDatabase()).open(), { maxRetryAfter: 10_000 });
  await expect(following).rejects.toMatchObject({ code: 'rate-limit', retryAfterMs: 20_000 });
});

test('payments that change their status while their list is read are accepted', async () => {
  const setup = await setUp((platform) => platform.payments.addMany(24, () => ({ status: 'APPROVED' })));
  setup.changePage = (page, url) => {
    if (isStatus('APPROVED')(url)) for (const item of page.items.slice(0, 12)) item['status'] = 'PROCESSING';
  };
  expect(await setup.run()).toHaveLength(12);
});

test('a dry run finds records that are new, changed and gone, of every kind, and writes none', async () => {
  const setup = await setUp((platform) => {
    for (const id of ['cus_1', 'cus_2']) platform.customers.add({ id, status: 'APPROVED' });
    for (const id of ['ben_1', 'ben_2', 'ben_3'])
      platform.beneficiaries.add({ id, customerId: 'cus_1', status: 'APPROVED' });
    const payer = { customerId: 'cus_1', beneficiaryId: 'ben_1' };
    platform.payments.add({ id: 'pay_1', status: 'PROCESSING', ...payer });
    platform.payments.add({ id: 'pay_2', status: 'COMPLETED', ...payer });
  });
  setup.platform.customers.remove('cus_2');
  setup.platform.customers.add({ id: 'cus_new', status: 'APPROVED' });
  setup.platform.beneficiaries.add({ id: 'ben_new', customerId: 'cus_new', status: 'APPROVED' });
  setup.platform.beneficiaries.update('ben_1', { zipCode: '00200' });
  setup.platform.beneficiaries.remove('ben_2');
  setup.platform.payments.remove('pay_1');
  setup.platform.payments.update('pay_2', { memo: 'late' });
  setup.platform.payments.add({ id: 'pay_new', status: 'PROCESSING', customerId: 'cus_1', beneficiaryId: 'ben_1' });
  const before = await mirroredRecords(setup.database);
  const check = await setup.corridor.sync(setup.mirror, { once: true, full: true, dryRun: true });
  const fieldsById = Object.fromEntries(check.differences.map(({ record, id, fields }) => [`${record} ${id}`, fields]));
  expect(fieldsById).toEqual({
    'customer cus_2': ['missing'],
    'customer cus_new': [],
    'beneficiary ben_1': expect.arrayContaining(['zipCode']) as unknown,
    'beneficiary ben_2': ['missing'],
    'beneficiary ben_new': [],
    'payment pay_1': ['missing'],
    'payment pay_2': ['memo', 'updatedAt'],
    'payment pay_new': [],
  });
  expect(check.differences).toHaveLength(8);
  expect(check).toMatchObject({ filled: true, changes: 8 });
  expect(await mirroredRecords(setup.database)).toEqual(before);
  expect(await allChanges(setup.mirror)).toEqual([]);
  const { differences } = await setup.corridor.sync(setup.mirror, { once: true, full: true });
  expect(differences.map(({ id }) => id).toSorted()).toEqual(check.differences.map(({ id }) => id).toSorted());
});

test('a dry run without full compares only what is due', async () => {
  const setup = await setUp((platform) =>
    platform.payments.add({ id: 'pay_old', status: 'COMPLETED', createdAt: '2020-01-01T00:00:00Z' }),
  );
  setup.platform.payments.update('pay_old', { memo: 'late' });
  const dryRun = (full: boolean) => setup.corridor.sync(setup.mirror, { once: true, full, dryRun: true });
  expect((await dryRun(false)).differences).toEqual([]);
  expect((await dryRun(true)).differences).toMatchObject([{ id: 'pay_old', fields: ['memo', 'updatedAt'] }]);
});

test.each([
  [undefined, 90 * day],
  [30 * day, 30 * day],
])(
  'with the recent window %j, a full run reads the payments of the last %i ms, and all older ones',
  async (recentWindow, age) => {
    const setup = await setUp();
    await setup.run({ full: true, recentWindow });
    const border = setup.platform.clock.now() - age;
    const isBorder = (time: string | null): boolean => Math.abs(Date.parse(String(time)) - border) < minute;
    const ranges = setup.requests.filter(isRange).map(({ searchParams }) => searchParams);
    expect(ranges.filter((range) => isBorder(range.get('createdFrom')))).toHaveLength(1);
    expect(ranges.filter((range) => !range.has('createdFrom'))).not.toEqual([]);
  },
);

/** Makes a dry run of a mirror with one difference, while another process repairs it and `meanwhile` runs. */
async function dryRunWhileRepaired(setup: Setup, meanwhile: () => unknown = () => {}) {
  setup.platform.payments.update('pay_1', { memo: 'newer' });
  const other = new Corridor(setup.platform.clientOptions());
  let isFirst = true;
  const slow = new Corridor({
    ...setup.platform.clientOptions(),
    async fetch(input, init) {
      const response = await setup.platform.fetch(input, init);
      if (isFirst && isStatus('RETURNED')(new URL(new Request(input).url))) {
        isFirst = false;
        await other.sync(setup.database.open(), { once: true });
        meanwhile();
      }
      return response;
    },
  });
  return (await slow.sync(setup.mirror, { once: true, dryRun: true })).differences;
}

test('what another process repairs during a dry run is no difference', async () => {
  const setup = await setUp((platform) => platform.payments.add({ id: 'pay_1', status: 'PROCESSING' }));
  expect(await dryRunWhileRepaired(setup)).toEqual([]);
  expect(await allChanges(setup.mirror)).toMatchObject([{ id: 'pay_1' }]);
});

test('a difference that comes again while a dry run confirms it is reported', async () => {
  const setup = await setUp((platform) => platform.payments.add({ id: 'pay_1', status: 'PROCESSING' }));
  const change = (): unknown => setup.platform.payments.update('pay_1', { invoiceNumber: '7' });
  expect(await dryRunWhileRepaired(setup, change)).toEqual([
    { record: 'payment', id: 'pay_1', fields: ['invoiceNumber', 'updatedAt'] },
  ]);
});

test('a process whose clock is set back reads as often as before', async () => {
  const platform = createMockPlatform();
  platform.populate({ customers: 2, beneficiaries: 2, payments: 3 });
  let offset = 0;
  let polls = 0;
  const customers: number[] = [];
  const stop = new AbortController();
  const corridor = new Corridor({
    ...platform.clientOptions(),
    now: () => platform.clock.now() + offset,
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout' || milliseconds < 1_000) return new Promise(() => {});
      expect(milliseconds).toBeLessThanOrEqual(2 * minute);
      platform.clock.advance({ seconds: milliseconds / 1_000 });
      polls += 1;
      if (polls === 5) offset = -day / 2;
      if (polls === 30) stop.abort();
      await new Promise((resolve) => setImmediate(resolve));
    },
    async fetch(input, init) {
      if (isCustomers(new URL(new Request(input, init).url))) customers.push(polls);
      const response = await platform.fetch(input, init);
      response.headers.set('date', new Date(platform.clock.now()).toUTCString());
      return response;
    },
  });
  const database = await sqliteDatabase();
  await corridor.sync(database.open(), { signal: stop.signal, maxPollInterval: minute, customersInterval: 5 * minute });
  expect(customers.filter((poll) => poll > 5).length).toBeGreaterThanOrEqual(4);
  for (const [index, poll] of customers.slice(1).entries()) expect(poll - Number(customers[index])).toBeLessThan(15);
});

test('rows without an id among many payments of one instant keep none of them from becoming missing', async () => {
  const setup = await setUp((platform) => {
    const createdAt = new Date(platform.clock.now() - day).toISOString();
    platform.payments.addMany(150, (index) => ({ id: `pay_${index}`, status: 'COMPLETED', createdAt }));
  });
  setup.changePage = (page, url) => {
    if (isPayments(url)) page.items = page.items.filter(({ id }) => id !== 'pay_7');
    const [first] = page.items;
    if (isRange(url) && first !== undefined) page.items.push({ ...first, id: null }, { ...first, id: null });
  };
  expect(await setup.run({ full: true })).toEqual(['payment pay_7: COMPLETED to COMPLETED (missing)']);
});
