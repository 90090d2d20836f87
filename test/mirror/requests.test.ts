import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import {
  Corridor,
  unknownValue,
  type CorridorOptions,
  type Mirror,
  type SyncOptions,
  type SyncReport,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { openStatuses } from '../support/open-statuses.ts';
import { sqliteDatabase, watchedClient, type MirrorDatabase, type Page } from './mirrored.ts';

const [minute, day] = [60_000, 86_400_000];

interface Setup {
  readonly platform: MockPlatform;
  readonly database: MirrorDatabase & { readonly path: string };
  readonly mirror: Mirror;
  /** Changes the responses on the way. */
  changePage: (page: Page, request: string) => void;
  /** Answers instead of the platform. */
  answer: (request: string, url: URL) => Response | undefined;
  /** Runs once. Returns the requests, such as `customers/cus_1/beneficiaries` and `payments status=PROCESSING`. */
  run(options?: SyncOptions): Promise<{ readonly requests: readonly string[]; readonly report: SyncReport }>;
}

/** Returns a request as a line. Times are in days before now. */
function lineOf({ pathname, searchParams }: URL, now: number): string {
  const path = pathname.replace(/^.*?\/(?=customers|payment)/, '').replace(/^payment$/, 'payments');
  const query = [...searchParams].flatMap(([name, value]) => {
    if (name === 'limit') return value === '100' ? [] : [`limit=${value}`];
    return name.startsWith('created') ? `${name}=${Math.round((now - Date.parse(value)) / day)}` : `${name}=${value}`;
  });
  return [path, ...query].join(' ');
}

/** Creates a platform, and a mirror of it that is filled unless `isFilled` is false. */
async function setUp(add: (platform: MockPlatform) => void, isFilled = true): Promise<Setup> {
  const platform = createMockPlatform();
  add(platform);
  const requests: string[] = [];
  const toLine = (url: URL): string => lineOf(url, platform.clock.now());
  const corridor = watchedClient(
    platform,
    (url) => {
      requests.push(toLine(url));
      return setup.answer(toLine(url), url);
    },
    (page, url) => setup.changePage(page, toLine(url)),
  );
  const database = await sqliteDatabase();
  const mirror = database.open();
  const setup: Setup = {
    platform,
    database,
    mirror,
    changePage: () => {},
    answer: () => undefined,
    async run(options = {}) {
      requests.length = 0;
      // One at a time, so that requests have an order.
      const report = await corridor.sync(mirror, { once: true, concurrency: 1, ...options });
      return { requests: [...requests], report };
    },
  };
  if (isFilled) await setup.run();
  // Lists may lag by the consistency window.
  platform.clock.advance({ minutes: 10 });
  return setup;
}

/** Adds two customers with a beneficiary each, and payments of the first one that were created 10 and 20 days ago. */
function addRecords(platform: MockPlatform): void {
  for (const each of ['1', '2']) {
    platform.customers.add({ id: `cus_${each}`, status: 'APPROVED' });
    platform.beneficiaries.add({ id: `ben_${each}`, customerId: `cus_${each}`, status: 'APPROVED' });
  }
  for (const [id, age, status] of [
    ['pay_open', 10, 'PROCESSING'],
    ['pay_ended', 20, 'COMPLETED'],
  ] as const) {
    const createdAt = new Date(platform.clock.now() - age * day).toISOString();
    platform.payments.add({ id, status, createdAt, customerId: 'cus_1', beneficiaryId: 'ben_1' });
  }
}

const isCustomers = (request: string): boolean => request.startsWith('customers') && !request.includes('/');

/** Serves the customers of each reading of their list in pages of two. */
function serveCustomers(setup: Setup, reading: (number: number) => readonly { readonly id: string }[]): void {
  let readings = 0;
  setup.answer = (request, url) => {
    if (!isCustomers(request)) return undefined;
    const start = Number(url.searchParams.get('cursor') ?? 0);
    if (start === 0) readings += 1;
    const all = reading(readings);
    const hasMore = start + 2 < all.length;
    return Response.json({
      items: all.slice(start, start + 2),
      nextCursor: hasMore ? String(start + 2) : null,
      hasMore,
    });
  };
}

test('the first run reports what it read, and counts each record as a change', async () => {
  const setup = await setUp(addRecords, false);
  const progress: string[] = [];
  const { report, requests } = await setup.run({ onProgress: (each) => progress.push(JSON.stringify(each)) });
  expect(report).toMatchObject({ filled: true, changes: 6, differences: [] });
  // The poll that follows the fill reads the payment in progress again.
  expect(report.read).toEqual({ payment: 3, customer: 2, beneficiary: 2 });
  expect(requests.filter((line) => line.startsWith('payments createdTo='))).toEqual(['payments createdTo=90']);
  // Each call of onProgress shows progress.
  expect(progress).toHaveLength(5);
  expect(new Set(progress).size).toBe(progress.length);
  expect(await setup.mirror.status()).toMatchObject({ filled: true, missing: 0, lastSequence: 6 });
});

// What a run reads that has nothing else to read.
const idle = [
  'customers',
  'payments createdFrom=0 createdTo=-1',
  ...openStatuses.map((status) => `payments status=${status}`),
  'payments status=RETURNED createdFrom=30',
];
const [openAlone, newAlone] = ['payments createdFrom=10 createdTo=10', 'payments createdFrom=0 createdTo=0'];
const [, ...payments] = idle;

test('a run without changes reads the customers, the new payments and those in progress', async () => {
  const setup = await setUp(addRecords);
  expect((await setup.run()).requests).toEqual(idle);
});

test.each([1, 2, openStatuses.length + 1])('of the lists of a poll, %s are requested at once', async (concurrency) => {
  const platform = createMockPlatform();
  let left = openStatuses.length + 1;
  const waiting: (() => void)[] = [];
  const fetch: CorridorOptions['fetch'] = async (input, init) => {
    if (!new URL(String(input)).searchParams.has('status')) return platform.fetch(input, init);
    const released = new Promise<void>((resolve) => waiting.push(resolve));
    expect(waiting.length).toBeLessThanOrEqual(concurrency);
    // None is answered before as many as possible are requested.
    if (waiting.length === Math.min(concurrency, left))
      for (const release of waiting.splice(0)) {
        left -= 1;
        release();
      }
    await released;
    return platform.fetch(input, init);
  };
  const corridor = new Corridor({ ...platform.clientOptions(), fetch });
  await corridor.sync((await sqliteDatabase()).open(), { once: true, concurrency });
  expect(left).toBe(0);
});

test('a full run reads the recent payments, the older ones and those dated ahead separately', async () => {
  const setup = await setUp(addRecords);
  const { requests, report } = await setup.run({ full: true });
  expect(report).toMatchObject({ changes: 0, differences: [] });
  expect(requests.slice(0, idle.length)).toEqual(idle);
  expect(requests.slice(idle.length).toSorted()).toEqual([
    'customers/cus_1/beneficiaries',
    'customers/cus_2/beneficiaries',
    expect.stringMatching(/^payments createdFrom=-1 createdTo=-\d{7}$/),
    'payments createdFrom=90 createdTo=-1',
    'payments createdTo=83',
  ]);
});

test.each<[what: string, change: (platform: MockPlatform) => void, requests: readonly string[]]>([
  ['nothing', () => {}, idle],
  [
    'a customer',
    ({ customers }) => customers.update('cus_1', { city: 'Mombasa' }),
    ['customers', 'customers/cus_1/beneficiaries', ...payments, 'customers'],
  ],
  [
    'a customer and a beneficiary',
    ({ customers, beneficiaries }) => {
      customers.update('cus_1', { city: 'Mombasa' });
      beneficiaries.update('ben_1', { zipCode: '00200' });
    },
    ['customers', 'customers/cus_1/beneficiaries', ...payments, 'customers', 'customers/cus_1/beneficiaries'],
  ],
  ['a payment', (platform) => platform.payments.update('pay_open', { memo: 'late' }), [...idle, openAlone]],
  [
    'a new payment',
    (platform) => platform.payments.add({ id: 'pay_new', status: 'PROCESSING', customerId: 'cus_1' }),
    [...idle, newAlone],
  ],
  [
    'a payment that is gone',
    (platform) => platform.payments.remove('pay_open'),
    // The list of those in progress lacks it, so that it is looked up twice, each time.
    [...idle, openAlone, openAlone, openAlone, openAlone],
  ],
])('a dry run reads again what differs: %s', async (_what, change, requests) => {
  const setup = await setUp(addRecords);
  change(setup.platform);
  const run = await setup.run({ dryRun: true });
  expect(run.requests).toEqual(requests);
});

test('a dry run ends although another process writes a payment each time it is read', async () => {
  const setup = await setUp(addRecords);
  setup.platform.payments.update('pay_open', { memo: 'late' });
  const other = new DatabaseSync(setup.database.path);
  setup.changePage = (_page, request) => {
    if (request === openAlone) other.exec('update corridor_payments set position = position + 1');
  };
  const { requests, report } = await setup.run({ dryRun: true });
  other.close();
  expect(requests.filter((line) => line === openAlone)).toHaveLength(5);
  expect(report).toMatchObject({ changes: 0, differences: [] });
});

test('customers that are all known are read once, however many pages their list has', async () => {
  const setup = await setUp((platform) => {
    for (const id of ['cus_1', 'cus_2', 'cus_3']) platform.customers.add({ id, status: 'APPROVED' });
  });
  serveCustomers(setup, () => setup.platform.customers.all());
  const { requests, report } = await setup.run();
  expect(requests.filter(isCustomers)).toEqual(['customers', 'customers cursor=2']);
  expect(report).toMatchObject({ changes: 0, read: { customer: 3, beneficiary: 0 } });
});

test('a new customer that moves between the pages while they are read is found by a further reading', async () => {
  const setup = await setUp((platform) => {
    for (const id of ['cus_1', 'cus_2', 'cus_3']) platform.customers.add({ id, status: 'APPROVED' });
  }, false);
  const all = setup.platform.customers.all();
  serveCustomers(setup, (reading) => (reading === 1 ? [all[1], all[2], all[1]] : all) as typeof all);
  const { requests, report } = await setup.run();
  expect(report).toMatchObject({ changes: 3, read: { customer: 3 } });
  // Until a reading shows no more customers.
  expect(requests.filter((line) => line === 'customers')).toHaveLength(3);
});

test('a list that shows other customers at each reading is read five times', async () => {
  const setup = await setUp((platform) => platform.customers.add({ id: 'cus_1', status: 'APPROVED' }));
  const [known] = setup.platform.customers.all();
  serveCustomers(setup, (reading) => [{ ...known, id: `cus_new_${reading}` }]);
  const { requests } = await setup.run();
  expect(requests.filter(isCustomers)).toHaveLength(5);
  const stored = await setup.database.select('select id from corridor_customers order by id');
  expect(stored.map(({ id }) => id)).toEqual(['cus_1', ...[1, 2, 3, 4, 5].map((reading) => `cus_new_${reading}`)]);
});

test('a list that shows none of the customers is read twice, then each customer alone', async () => {
  const setup = await setUp(addRecords);
  serveCustomers(setup, () => []);
  const { requests, report } = await setup.run();
  expect(requests.slice(0, 4).toSorted()).toEqual(['customers', 'customers', 'customers/cus_1', 'customers/cus_2']);
  expect(report).toMatchObject({ changes: 0, read: { customer: 2 } });
  expect(await setup.mirror.status()).toMatchObject({ missing: 0 });
});

test('a customer that cannot be read alone is not missing', async () => {
  const setup = await setUp(addRecords);
  setup.changePage = (page, request) => {
    if (isCustomers(request)) page.items = page.items.filter(({ id }) => id !== 'cus_1');
  };
  setup.answer = (request) =>
    request === 'customers/cus_1' ? Response.json({ message: 'forbidden' }, { status: 403 }) : undefined;
  expect((await setup.run()).report.problems).toMatchObject([{ part: 'customers', slice: 'cus_1' }]);
  expect(await setup.mirror.status()).toMatchObject({ missing: 0 });
});

test('an error of one request is a problem of its part, and is not taken for unreadable times', async () => {
  const setup = await setUp(addRecords);
  let isFirst = true;
  setup.answer = (request) => {
    if (!isFirst || !request.includes('createdTo')) return undefined;
    isFirst = false;
    return Response.json({ message: 'forbidden' }, { status: 403 });
  };
  const { requests, report } = await setup.run();
  expect(report.problems).toMatchObject([{ part: 'new', slice: null }]);
  expect(requests).not.toContain('payments');
});

test('payments in progress whose creation time cannot be read are looked up in the whole list', async () => {
  const odd = ['pay_open', 'pay_gone'];
  const setup = await setUp((platform) => {
    addRecords(platform);
    const createdAt = new Date(platform.clock.now() - 15 * day).toISOString();
    platform.payments.add({ id: 'pay_gone', status: 'PROCESSING', customerId: 'cus_1', createdAt });
    platform.payments.add({ id: 'pay_today', status: 'COMPLETED', customerId: 'cus_1' });
  }, false);
  setup.changePage = (page) => {
    for (const item of page.items) if (odd.includes(String(item['id']))) item['createdAt'] = 'yesterday';
  };
  const { requests: filling } = await setup.run();
  expect(filling.filter((line) => line === 'payments')).toHaveLength(0);
  expect(await setup.database.select('select id from corridor_payments')).toHaveLength(4);
  setup.platform.payments.transition('pay_open', 'COMPLETED');
  setup.platform.payments.remove('pay_gone');
  const { requests, report } = await setup.run();
  expect(report.differences).toMatchObject([{ id: 'pay_open' }, { id: 'pay_gone', fields: ['missing'] }]);
  // One that the list does not show is missing after a second reading.
  expect(requests.filter((line) => line.startsWith('payments') && !line.includes('status'))).toEqual([
    'payments createdFrom=0 createdTo=-1',
    'payments',
    'payments',
  ]);
});

test('payments that ended are looked up apart if many others were created between them', async () => {
  const ids = ['pay_first', 'pay_last'];
  const setup = await setUp((platform) => {
    addRecords(platform);
    const add = (id: string, age: number, status: 'COMPLETED' | 'PROCESSING'): void => {
      const createdAt = new Date(platform.clock.now() - age * day).toISOString();
      platform.payments.add({ id, status, createdAt, customerId: 'cus_1', beneficiaryId: 'ben_1' });
    };
    add('pay_first', 50, 'PROCESSING');
    for (let index = 0; index < 81; index += 1) add(`pay_between_${index}`, 49 - index / 10, 'COMPLETED');
    add('pay_last', 40, 'PROCESSING');
  });
  for (const id of ids) setup.platform.payments.transition(id, 'COMPLETED');
  const { requests, report } = await setup.run();
  expect(requests.slice(idle.length)).toEqual([
    'payments createdFrom=50 createdTo=50',
    'payments createdFrom=40 createdTo=40',
  ]);
  expect(report.differences.map(({ id }) => id)).toEqual(ids);
});

test('a process that follows reads each part at the moment at which it is due', async () => {
  const platform = createMockPlatform();
  addRecords(platform);
  const start = platform.clock.now();
  let now = start;
  const requests: string[] = [];
  const delays: number[] = [];
  const stop = new AbortController();
  const corridor = new Corridor({
    ...platform.clientOptions(),
    now: () => now,
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout' || milliseconds < 1_000) return new Promise(() => {});
      delays.push(milliseconds / minute);
      now += milliseconds;
      platform.clock.advance({ seconds: milliseconds / 1_000 });
      if (delays.length < 3) return setImmediate();
      stop.abort();
      // Only the signal ends the wait.
      return new Promise(() => {});
    },
    fetch(input, init) {
      const line = lineOf(new URL(new Request(input, init).url), platform.clock.now());
      requests.push(`${(now - start) / minute}: ${line}`);
      return platform.fetch(input, init);
    },
  });
  const mirror = (await sqliteDatabase()).open();
  await corridor.sync(mirror, {
    signal: stop.signal,
    pollInterval: 9 * minute,
    maxPollInterval: 9 * minute,
    customersInterval: 9 * minute,
    // A pass is finished in nine tenths of its interval.
    recentInterval: 10 * minute,
    beneficiariesInterval: 10 * minute,
  });
  const timesOf = (text: string): string[] =>
    requests.filter((line) => line.endsWith(text)).map((line) => line.split(':')[0] ?? '');
  expect(delays).toEqual([9, 9, 9]);
  expect(timesOf(': customers')).toEqual(['0', '9', '18']);
  expect(timesOf('payments createdFrom=90 createdTo=-1')).toEqual(['0', '9', '18']);
  expect(timesOf('customers/cus_2/beneficiaries')).toEqual(['0', '9', '18']);
  // Only a pass over the older payments completes a full one.
  expect(await mirror.status()).toMatchObject({ lastFullPass: new Date(start).toISOString() });
});

test('full reads everything once, then what is due', async () => {
  const platform = createMockPlatform();
  addRecords(platform);
  const requests: string[] = [];
  const stop = new AbortController();
  let now = platform.clock.now();
  let polls = 0;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    now: () => now,
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout' || milliseconds < 1_000) return new Promise(() => {});
      now += milliseconds;
      polls += 1;
      if (polls === 2) stop.abort();
    },
    fetch(input, init) {
      requests.push(lineOf(new URL(new Request(input, init).url), platform.clock.now()));
      return platform.fetch(input, init);
    },
  });
  await corridor.sync((await sqliteDatabase()).open(), { signal: stop.signal, full: true });
  expect(requests.filter((line) => line === 'payments createdFrom=90 createdTo=-1')).toHaveLength(1);
  expect(requests.filter((line) => line === 'payments status=PROCESSING')).toHaveLength(2);
});

test('the columns have the types that queries need', async () => {
  const { database } = await setUp(addRecords);
  const columns = async (table: string): Promise<string[]> =>
    (await database.select(`select name, type, "notnull" as required from pragma_table_info('${table}')`)).map(
      ({ name, type, required }) => `${String(name)} ${String(type).toLowerCase()}${required === 1 ? ' not null' : ''}`,
    );
  expect(await columns('corridor_customers')).toEqual([
    'id text not null',
    'status text',
    'company_name text',
    'created_at text',
    'updated_at text',
    'data text not null',
    'observed_at text not null',
    'missing_since text',
    'hash text not null',
    'previous_hash text',
    'position integer not null',
    'created_time integer',
    'seen_time integer',
  ]);
  expect(await columns('corridor_changes')).toEqual([
    'sequence integer',
    'record text not null',
    'id text not null',
    'previous_status text',
    'status text',
    'fields text not null',
    'observed_at text not null',
    'updated_at text',
    'token text not null',
  ]);
});

const pageLength = 100;
const consistencyWindow = 5 * minute;

/** Adds payments that were created at one instant, as a payroll, by a clock that can be late. Returns their pages. */
function addPayroll({ clock, payments }: MockPlatform, status: 'COMPLETED' | 'PROCESSING', late = 0): number {
  const createdAt = new Date(clock.now() - late).toISOString();
  const added = { status, createdAt, customerId: 'cus_1', beneficiaryId: 'ben_1' } as const;
  return payments.addMany(5 * pageLength, () => added).length / pageLength;
}

test.each(['COMPLETED', 'PROCESSING'] as const)(
  'polls read a payroll of one instant that is %s twice, again when lists show everything, and no more',
  async (status) => {
    const setup = await setUp(addRecords);
    const pages = addPayroll(setup.platform, status);
    // The list of a status, which is read whole, has its payments, too.
    const perPoll = idle.length + (status === 'PROCESSING' ? pages : 0);
    const more: number[] = [];
    for (let time = 0; time < 80 * minute; time += consistencyWindow) {
      more.push((await setup.run()).requests.length - perPoll);
      setup.platform.clock.advance({ minutes: consistencyWindow / minute });
    }
    const readings = more.flatMap((count, poll) => (count > 0 ? [poll] : []));
    expect(readings).toEqual([0, 1, 2]);
    // Each page is read twice, behind those that show that the time has to be split.
    for (const poll of readings) expect(more[poll]).toBeLessThanOrEqual(2 * pages + 3);
    expect(Math.min(...more)).toBe(0);
  },
);

test.each([0, 50 * minute])(
  'a payment that a list shows late between many others is found when two consistency windows are over, with creation times that are %i ms late',
  async (late) => {
    const setup = await setUp(addRecords);
    const createdAt = new Date(setup.platform.clock.now() - late).toISOString();
    addPayroll(setup.platform, 'COMPLETED', late);
    setup.platform.payments.add({
      id: 'pay_late',
      status: 'COMPLETED',
      createdAt,
      customerId: 'cus_1',
      beneficiaryId: 'ben_1',
    });
    let isShown = false;
    setup.changePage = (page) => {
      if (!isShown) page.items = page.items.filter(({ id }) => id !== 'pay_late');
    };
    const found: number[] = [];
    for (let polls = 0; polls < 14; polls += 1) {
      isShown = polls * minute >= consistencyWindow - minute;
      const { report } = await setup.run();
      if (report.differences.some(({ id }) => id === 'pay_late')) found.push(polls);
      setup.platform.clock.advance({ minutes: 1 });
    }
    expect(found).toEqual([(2 * consistencyWindow) / minute]);
  },
);

test.each([
  ['at the instant of the others', 0, 0],
  ['a second later', 1, 0],
  ['by a clock that is 50 minutes late', 1, 50 * minute],
])('a payment that is created behind many others, %s, is found by the next poll', async (_name, seconds, late) => {
  const setup = await setUp(addRecords);
  const { platform } = setup;
  for (const id of ['pay_first', 'pay_second', 'pay_third']) {
    addPayroll(platform, 'COMPLETED', late);
    await setup.run();
    platform.clock.advance({ seconds });
    // A platform can write whole seconds.
    const createdAt = new Date(Math.floor((platform.clock.now() - late) / 1_000) * 1_000).toISOString();
    platform.payments.add({ id, status: 'COMPLETED', createdAt, customerId: 'cus_1', beneficiaryId: 'ben_1' });
    platform.clock.advance({ seconds: 30 });
    expect((await setup.run()).report.differences).toMatchObject([{ id }]);
  }
});

test.each([
  ['process', 10 * minute, 0],
  ['Date header', 0, minute / 3],
])(
  'a clock of the %s that steps ahead hides no payment that is created behind many others',
  async (_name, own, sent) => {
    const setup = await setUp(addRecords);
    const { platform } = setup;
    const late = 50 * minute;
    addPayroll(platform, 'COMPLETED', late);
    await setup.run();
    platform.clock.advance({ seconds: 10 });
    const ahead = new Corridor({
      ...platform.clientOptions(),
      now: () => platform.clock.now() + own,
      async fetch(input, init) {
        const response = await platform.fetch(input, init);
        response.headers.set('date', new Date(platform.clock.now() + sent).toUTCString());
        return response;
      },
    });
    for (const id of ['pay_first', 'pay_second', 'pay_third']) {
      const createdAt = new Date(platform.clock.now() - late).toISOString();
      platform.payments.add({ id, status: 'COMPLETED', createdAt, customerId: 'cus_1', beneficiaryId: 'ben_1' });
      const { differences } = await ahead.sync(setup.mirror, { once: true });
      expect(differences).toMatchObject([{ id }]);
      platform.clock.advance({ seconds: 10 });
    }
  },
);

test('a payment that is dated half a day ahead hides none that is created behind many others', async () => {
  const setup = await setUp(addRecords);
  const { platform } = setup;
  addPayroll(platform, 'COMPLETED');
  await setup.run();
  for (const [id, ahead] of [
    ['pay_ahead', day / 2],
    ['pay_first', 0],
    ['pay_second', 0],
  ] as const) {
    platform.clock.advance({ seconds: 10 });
    const createdAt = new Date(platform.clock.now() + ahead).toISOString();
    platform.payments.add({ id, status: 'COMPLETED', createdAt, customerId: 'cus_1', beneficiaryId: 'ben_1' });
    expect((await setup.run()).report.differences).toMatchObject([{ id }]);
  }
});

test('a payment that is dated almost an hour before the others is found by the next poll, if these are few', async () => {
  const setup = await setUp(addRecords);
  for (const [id, late] of [
    ['pay_first', 0],
    ['pay_second', 55 * minute],
  ] as const) {
    const createdAt = new Date(setup.platform.clock.now() - late).toISOString();
    setup.platform.payments.add({ id, status: 'COMPLETED', createdAt, customerId: 'cus_1', beneficiaryId: 'ben_1' });
    expect((await setup.run()).report.differences).toMatchObject([{ id }]);
  }
});

test('a payment that a list shows late, and before which few were created, is found by the next poll', async () => {
  const setup = await setUp(addRecords);
  const { platform } = setup;
  addPayroll(platform, 'COMPLETED');
  for (let polls = 0; polls < 4; polls += 1) {
    await setup.run();
    platform.clock.advance({ minutes: consistencyWindow / minute });
  }
  for (const id of ['pay_late', 'pay_newer']) {
    platform.payments.add({ id, status: 'COMPLETED', customerId: 'cus_1', beneficiaryId: 'ben_1' });
    platform.clock.advance({ minutes: 1 });
  }
  setup.changePage = (page) => void (page.items = page.items.filter(({ id }) => id !== 'pay_late'));
  expect((await setup.run()).report.differences).toMatchObject([{ id: 'pay_newer' }]);
  setup.changePage = () => {};
  expect((await setup.run()).report.differences).toMatchObject([{ id: 'pay_late' }]);
});

test('a payment that is created while many others are read is found by the next poll, also if a later one was seen', async () => {
  const setup = await setUp(addRecords);
  const { platform } = setup;
  addPayroll(platform, 'COMPLETED');
  setup.changePage = (page, request) => {
    if (request.includes('createdTo') && platform.payments.get('pay_newer') === undefined)
      for (const id of ['pay_between', 'pay_newer']) {
        platform.clock.advance({ seconds: 10 });
        platform.payments.add({ id, status: 'COMPLETED', customerId: 'cus_1', beneficiaryId: 'ben_1' });
      }
    page.items = page.items.filter(({ id }) => id !== 'pay_between');
  };
  expect((await setup.run()).report.differences.map(({ id }) => id)).toContain('pay_newer');
  setup.changePage = () => {};
  expect((await setup.run()).report.differences.map(({ id }) => id)).toEqual(['pay_between']);
});

test('a payment of a second that changed all the time while it was read is found by the next poll', async () => {
  const setup = await setUp(addRecords);
  const { platform } = setup;
  addPayroll(platform, 'COMPLETED');
  platform.clock.advance({ seconds: 5 });
  platform.payments.add({ id: 'pay_newer', status: 'COMPLETED', customerId: 'cus_1', beneficiaryId: 'ben_1' });
  const [hidden] = platform.payments.all().filter(({ id }) => !['pay_open', 'pay_ended', 'pay_newer'].includes(id));
  const isHidden = ({ id }: Record<string, unknown>): boolean => id === hidden?.id;
  let count = 0;
  setup.changePage = (page) => {
    page.items = page.items.filter((item) => !isHidden(item));
    for (const item of page.items) item['updatedAt'] = new Date(platform.clock.now() + (count += 1)).toISOString();
  };
  await setup.run();
  setup.changePage = () => {};
  expect((await setup.run()).report.differences.filter(({ id }) => isHidden({ id }))).toHaveLength(1);
});

test('payments that change all the time while they are looked up are not in progress as of this run', async () => {
  const setup = await setUp(addRecords);
  const { platform, mirror } = setup;
  addPayroll(platform, 'PROCESSING', 15 * day);
  await setup.run();
  const before = (await mirror.state())?.state.parts.open?.asOf;
  platform.clock.advance({ minutes: 1 });
  for (const { id } of platform.payments.all({ status: 'PROCESSING' })) platform.payments.transition(id, 'COMPLETED');
  let count = 0;
  setup.changePage = (page) => {
    for (const item of page.items) item['updatedAt'] = new Date(platform.clock.now() + (count += 1)).toISOString();
  };
  await setup.run();
  expect((await mirror.state())?.state.parts.open?.asOf).toBe(before);
  setup.changePage = () => {};
  await setup.run();
  expect((await mirror.state())?.state.parts.open?.asOf).not.toBe(before);
});

test('after a run of a clock that was hours ahead, a poll does not read hours back', async () => {
  const setup = await setUp(addRecords);
  const { platform } = setup;
  const ahead = new Corridor({ ...platform.clientOptions(), now: () => platform.clock.now() + 5 * 60 * minute });
  await ahead.sync(setup.mirror, { once: true });
  const read: number[] = [];
  setup.answer = (request, url) => {
    const from = url.searchParams.get('createdFrom');
    if (from !== null && !request.includes('status')) read.push((platform.clock.now() - Date.parse(from)) / minute);
    return undefined;
  };
  for (const hours of [5, 1]) {
    platform.clock.advance({ hours });
    read.length = 0;
    await setup.run();
  }
  expect(Math.max(...read)).toBeLessThanOrEqual(2 * 60 + consistencyWindow / minute + 1);
});

test('a payment that is created after new payments could not be read is found, also if it ends before they can', async () => {
  const setup = await setUp(addRecords, false);
  setup.answer = (request) =>
    request === 'payments createdFrom=0 createdTo=-1'
      ? Response.json({ message: 'forbidden' }, { status: 403 })
      : undefined;
  await setup.run();
  setup.platform.clock.advance({ minutes: 5 });
  setup.platform.payments.add({ id: 'pay_missed', status: 'COMPLETED', customerId: 'cus_1', beneficiaryId: 'ben_1' });
  setup.platform.clock.advance({ hours: 3 });
  expect((await setup.run()).report.problems).toMatchObject([{ part: 'new', slice: null }]);
  setup.answer = () => undefined;
  expect((await setup.run()).report.differences).toMatchObject([{ id: 'pay_missed' }]);
});

test('a payment in an unknown status whose creation time cannot be read is looked up by full runs only', async () => {
  const setup = await setUp((platform) => {
    addRecords(platform);
    platform.payments.add({ id: 'pay_held', status: unknownValue('ON_HOLD'), customerId: 'cus_1' });
  }, false);
  setup.changePage = (page) => {
    for (const item of page.items) if (item['id'] === 'pay_held') item['createdAt'] = 'yesterday';
  };
  await setup.run();
  expect((await setup.run()).requests).toEqual(idle);
  const { requests } = await setup.run({ full: true });
  expect(requests.filter((line) => line === 'payments')).toHaveLength(1);
});

test('payments that change all the time while they are read are not as of this run', async () => {
  const setup = await setUp((platform) => {
    addRecords(platform);
    addPayroll(platform, 'COMPLETED', 15 * day);
  });
  const { mirror, platform } = setup;
  const { recent, older } = await mirror.status();
  let count = 0;
  setup.changePage = (page) => {
    for (const item of page.items) item['updatedAt'] = new Date(platform.clock.now() + (count += 1)).toISOString();
  };
  await setup.run({ full: true });
  const after = await mirror.status();
  expect(after.recent.asOf).toBe(recent.asOf);
  expect(after.older.asOf).not.toBe(older.asOf);
});

test('a beneficiary that may have moved to a customer whose list cannot be read is not missing', async () => {
  const setup = await setUp((platform) => {
    addRecords(platform);
    platform.beneficiaries.add({ id: 'ben_moved', customerId: 'cus_1' });
  });
  setup.platform.beneficiaries.remove('ben_moved');
  setup.answer = (request) =>
    request === 'customers/cus_2/beneficiaries' ? Response.json({ message: 'forbidden' }, { status: 403 }) : undefined;
  for (let rounds = 0; rounds < 2; rounds += 1) await setup.run({ full: true });
  expect(await setup.mirror.status()).toMatchObject({ missing: 0 });
  setup.answer = () => undefined;
  await setup.run({ full: true });
  expect(await setup.mirror.status()).toMatchObject({ missing: 1 });
});
