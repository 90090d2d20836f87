import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corridor, type CorridorOptions, type Mirror, type SyncOptions, type SyncReport } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { expect, test, vi, onTestFinished } from 'vitest';
import { allChanges, assertUnbrokenChains, sqliteDatabase, type MirrorDatabase } from './mirrored.ts';

type Fields = Record<string, unknown>;

interface Setup {
  readonly platform: MockPlatform;
  readonly database: MirrorDatabase;
  readonly mirror: Mirror;
  /** Runs once, with `pay_1` as this function changes it, at this time by the clock of the process. */
  run(
    change: (payment: Fields) => unknown,
    at?: number,
    options?: { readonly dryRun?: true; readonly full?: true },
  ): Promise<Ran>;
}

interface Ran {
  /** The fields of the changes that this has added. */
  readonly fields: readonly (readonly string[])[];
  readonly differences: readonly { readonly id: string; readonly fields: readonly string[] }[];
  readonly heldBack: SyncReport['heldBack'];
}

const hour = 3_600_000;

/** Creates a mirror with a payment `pay_1`, which completed, as it was read at the time `start`. */
async function setUp(): Promise<Setup & { readonly start: number }> {
  const platform = createMockPlatform();
  const start = platform.clock.now();
  platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
  platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'COMPLETED', memo: 'first' });
  const database = await sqliteDatabase();
  const mirror = database.open();
  const setup: Setup = {
    platform,
    database,
    mirror,
    async run(change, at = start + hour, options = {}) {
      const client: Partial<CorridorOptions> = {
        now: () => at,
        async fetch(input, init) {
          const response = await platform.fetch(input, init);
          const page = (await response.json()) as { items: unknown[] };
          if (new URL(new Request(input, init).url).pathname.endsWith('/payment'))
            page.items = page.items.flatMap((item) => change(item as Fields) ?? []);
          return Response.json(page, { status: response.status, headers: response.headers });
        },
      };
      const { lastSequence } = await mirror.status();
      const { differences, heldBack } = await new Corridor({ ...platform.clientOptions(), ...client }).sync(mirror, {
        once: true,
        consistencyWindow: 300_000,
        ...options,
      });
      const changes = await allChanges(mirror, { after: lastSequence });
      return { fields: changes.map(({ fields }) => fields), differences, heldBack };
    },
  };
  await setup.run((payment) => payment, start);
  return { ...setup, start };
}

/** Reverses the order of all fields. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, reversed(field)] as const);
  return Object.fromEntries(fields.toReversed());
}

const destinationOf = ({ authorization }: Fields): Fields => (authorization as { destination: Fields }).destination;
const documentsOf = ({ authorization }: Fields): Fields[] => (authorization as { documents: Fields[] }).documents;

test.each<[name: string, change: (payment: Fields) => unknown]>([
  ['the order of fields, at any depth', reversed],
  [
    'a URL of a receipt that is signed again',
    (payment) => ({ ...payment, receiptUrl: `${receiptOf(payment)}?a=1&b=2` }),
  ],
])('%s is no change', async (_, change) => {
  expect((await (await setUp()).run(change)).fields).toEqual([]);
});

const receiptOf = ({ receiptUrl }: Fields): string => String(receiptUrl).split('?')[0] ?? '';

test.each<[name: string, change: (payment: Fields) => void, fields: readonly string[]]>([
  ['a text', (payment) => (payment['memo'] = 'second'), ['memo']],
  ['a question mark in a text', (payment) => (payment['memo'] = 'first?'), ['memo']],
  ['null instead of a text', (payment) => (payment['memo'] = null), ['memo']],
  ['a field that is absent', (payment) => delete payment['memo'], ['memo']],
  ['a new field', (payment) => (payment['corridor'] = 'KE'), ['corridor']],
  ['a field of an object', (payment) => (destinationOf(payment)['bankName'] = 'Other'), ['authorization']],
  ['a field of an array', (payment) => (documentsOf(payment)[0] = { id: 'doc_2' }), ['authorization']],
  ['another receipt', (payment) => (payment['receiptUrl'] = `${receiptOf(payment)}2?a`), ['receiptUrl']],
  ['no receipt', (payment) => (payment['receiptUrl'] = null), ['receiptUrl']],
  ['an object instead of a text', (payment) => (payment['internalReference'] = { text: 'x' }), ['internalReference']],
])('%s is a change', async (_, change, fields) => {
  const { run, mirror, database } = await setUp();
  const changed = (payment: Fields): unknown => {
    change(payment);
    return payment;
  };
  expect((await run(changed)).fields).toEqual([fields]);
  expect((await run(changed)).fields).toEqual([]);
  const [row] = await database.select('select data from corridor_payments');
  expect(await mirror.stored('payment', 'pay_1')).toEqual(JSON.parse(String(row?.['data'])));
  await assertUnbrokenChains(database);
});

const later = '2099-01-01T00:00:00Z';
const earlier = '2020-01-01T00:00:00Z';

test.each<[change: Fields, elapsed: number, isWritten: boolean]>([
  [{ status: 'RETURNED' }, 1, true],
  [{ memo: 'second', updatedAt: later }, 1, true],
  [{ memo: 'second' }, 1, true],
  // A status that cannot follow.
  [{ status: 'PROCESSING', updatedAt: later }, 0, false],
  [{ status: 'PROCESSING', updatedAt: later }, 299_999, false],
  // An earlier state, or one whose clock was set back.
  [{ memo: 'second', updatedAt: earlier }, 299_999, false],
  [{ status: 'PROCESSING', updatedAt: later }, -1, false],
  // It is older than the consistency window, but a second reading has not confirmed it.
  [{ status: 'PROCESSING', updatedAt: later }, 300_000, false],
  [{ memo: 'second', updatedAt: earlier }, 300_000, false],
])('%j, %i ms after a payment was read, is written: %j', async (change, elapsed, isWritten) => {
  const { run, start, database, mirror } = await setUp();
  const { fields } = await run((payment) => Object.assign(payment, change), start + elapsed);
  expect(fields).toHaveLength(isWritten ? 1 : 0);
  const [row] = await database.select('select data from corridor_payments');
  expect(JSON.parse(String(row?.['data']))).toMatchObject(isWritten ? change : { status: 'COMPLETED', memo: 'first' });
  const status = change['status'] ?? 'COMPLETED';
  expect((await mirror.status()).heldBack).toEqual(isWritten ? [] : [{ record: 'payment', id: 'pay_1', status }]);
});

test.each<[second: Fields, elapsed: number, isWritten: boolean]>([
  [{ status: 'PROCESSING', updatedAt: later }, 299_999, false],
  [{ status: 'PROCESSING', updatedAt: later }, 300_000, true],
  [{ status: 'APPROVED', updatedAt: later }, 300_000, false],
])(
  'what was held back and is read as %j, %i ms after the payment, is written: %j',
  async (second, elapsed, isWritten) => {
    const { run, start, mirror, platform, database } = await setUp();
    await run((payment) => Object.assign(payment, { status: 'PROCESSING', updatedAt: later }), start + 1);
    platform.clock.advance({ seconds: elapsed / 1_000 });
    const { fields } = await run((payment) => Object.assign(payment, second), start + elapsed);
    expect(fields).toHaveLength(isWritten ? 1 : 0);
    const { heldBack } = await mirror.status();
    expect(heldBack.map(({ status }) => status)).toEqual(isWritten ? [] : [second['status']]);
    await assertUnbrokenChains(database);
  },
);

test('a state before the known one is held back until the window is over', async () => {
  const { run, start, mirror, platform } = await setUp();
  const states = [
    ['second', 60_000, 1],
    ['first', 120_000, 0],
    ['first', 359_998, 0],
    ['second', 359_999, 0],
    ['first', 360_000, 1],
  ] as const;
  let passed = 0;
  for (const [memo, elapsed, count] of states) {
    platform.clock.advance({ seconds: (elapsed - passed) / 1_000 });
    passed = elapsed;
    const { fields } = await run((payment) => Object.assign(payment, { memo }), start + elapsed);
    expect([elapsed, fields.length]).toEqual([elapsed, count]);
  }
  expect((await mirror.status()).heldBack).toEqual([]);
});

test('two lists of one poll do not confirm what they show late', async () => {
  const { run, start, platform, mirror } = await setUp();
  platform.clock.advance({ minutes: 10 });
  const stale = (payment: Fields): unknown => Object.assign(payment, { status: 'PROCESSING', updatedAt: later });
  const { fields } = await run(stale, start + 2 * 300_000, { full: true });
  expect(fields).toEqual([]);
  expect((await mirror.status()).heldBack).toHaveLength(1);
});

test('what was held back is forgotten when the list shows the state that is known', async () => {
  const { run, start, mirror } = await setUp();
  const stale = (payment: Fields): unknown => Object.assign(payment, { status: 'PROCESSING', updatedAt: later });
  await run(stale, start + 1);
  await run((payment) => payment, start + 2);
  expect((await mirror.status()).heldBack).toEqual([]);
  expect((await run(stale, start + hour)).fields).toEqual([]);
});

test('a dry run reports what a reading may show late, and that it is no difference yet', async () => {
  const { run, start, mirror } = await setUp();
  const stale = (payment: Fields): unknown => Object.assign(payment, { status: 'PROCESSING', updatedAt: later });
  const { differences, heldBack } = await run(stale, start + 1, { dryRun: true });
  expect(differences).toEqual([]);
  expect(heldBack).toEqual([{ record: 'payment', id: 'pay_1', status: 'PROCESSING' }]);
  expect((await mirror.status()).heldBack).toEqual([]);
});

test('each new state of a record that a list shows twice is a change', async () => {
  const { run, platform, mirror, database } = await setUp();
  platform.payments.transition('pay_1', 'RETURNED');
  await run((payment) => payment);
  const { fields } = await run((payment) => [
    { ...payment, memo: 'second' },
    { ...payment, memo: 'third' },
  ]);
  expect(fields).toEqual([['memo'], ['memo']]);
  expect(await mirror.stored('payment', 'pay_1')).toMatchObject({ status: 'RETURNED' });
  await assertUnbrokenChains(database);
});

test('a dry run, the status and the changes of a mirror that was never filled create no file', async () => {
  const platform = createMockPlatform();
  const database = await sqliteDatabase();
  const mirror = database.open();
  const checking = new Corridor(platform.clientOptions()).sync(mirror, { once: true, dryRun: true });
  await expect(checking).rejects.toThrow('Run without dryRun first');
  await expect(checking).rejects.toMatchObject({ endpoint: 'sync' });
  expect(await mirror.status()).toMatchObject({ filled: false });
  expect(await allChanges(mirror)).toEqual([]);
  await expect(readdir(dirname(database.path))).resolves.toEqual([]);
  // Another process fills it.
  await new Corridor(platform.clientOptions()).sync(database.open(), { once: true });
  expect(await mirror.status()).toMatchObject({ filled: true });
});

test('a dry run leaves a database of other tables as it is', async () => {
  const database = await sqliteDatabase();
  const other = new DatabaseSync(database.path);
  other.exec('create table orders (id text)');
  other.close();
  const before = await readFile(database.path);
  const corridor = new Corridor(createMockPlatform().clientOptions());
  await expect(corridor.sync(database.open(), { once: true, dryRun: true })).rejects.toThrow(
    'Run without dryRun first',
  );
  expect(await readdir(dirname(database.path))).toEqual(['corridor.sqlite']);
  expect(await readFile(database.path)).toEqual(before);
  await corridor.sync(database.open(), { once: true });
  expect(await database.select('select count(*) as count from orders')).toEqual([{ count: 0 }]);
});

test('a dry run does not report what a second reading does not confirm', async () => {
  const { run, mirror, platform } = await setUp();
  platform.clock.advance({ hours: 1 });
  // A new payment that is gone again, and a missing one that is listed again.
  let isFirst = true;
  const added = await run(
    (payment) => {
      if (!isFirst) return payment;
      isFirst = false;
      return [payment, { ...payment, id: 'pay_new' }];
    },
    undefined,
    { dryRun: true },
  );
  expect(added.differences).toEqual([]);
  const removed = await run(() => [], undefined, { dryRun: true });
  expect(removed.differences).toMatchObject([{ id: 'pay_1', fields: ['missing'] }]);
  expect((await run(() => [])).fields).toEqual([['missing']]);
  expect((await run(() => [], undefined, { dryRun: true })).differences).toEqual([]);
  expect(await mirror.status()).toMatchObject({ missing: 1 });
});

const minute = 60_000;

test.each<[name: string, options: SyncOptions, dues: Readonly<Record<string, number>>]>([
  [
    'two of its default intervals',
    {},
    { open: 4 * minute, customers: 30 * minute, beneficiaries: 48 * hour, recent: 48 * hour, older: 336 * hour },
  ],
  [
    'two of its intervals',
    {
      maxPollInterval: hour / 4,
      customersInterval: hour,
      beneficiariesInterval: 2 * hour,
      recentInterval: 3 * hour,
      fullInterval: 4 * hour,
    },
    { open: hour / 2, customers: 2 * hour, beneficiaries: 4 * hour, recent: 6 * hour, older: 8 * hour },
  ],
])('the status says when each part was read, and is behind after %s', async (_, options, dues) => {
  const platform = createMockPlatform();
  const start = platform.clock.now();
  platform.populate({ customers: 1, beneficiaries: 1, payments: 1 });
  const mirror = (await sqliteDatabase()).open();
  const corridor = new Corridor({ ...platform.clientOptions(), now: () => start });
  await corridor.sync(mirror, { once: true, ...options });
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const asOf = new Date(start).toISOString();
  for (const [part, due] of Object.entries(dues)) {
    vi.setSystemTime(start + due);
    expect(await mirror.status()).toMatchObject({ [part]: { asOf, behind: false }, lastFullPass: asOf });
    vi.setSystemTime(start + due + 1);
    expect(await mirror.status()).toMatchObject({ [part]: { asOf, behind: true } });
  }
});

test('a record that is held back and then deleted is no longer held back', async () => {
  const { platform, mirror, run, start } = await setUp();
  const stale = await run((payment) => ({ ...payment, status: 'PROCESSING' }), start + 60_000);
  expect(stale.heldBack).toMatchObject([{ id: 'pay_1' }]);
  platform.payments.remove('pay_1');
  platform.clock.advance({ hours: 1 });
  const full = await run((payment) => payment, start + hour, { full: true });
  expect(full).toMatchObject({ fields: [['missing']], heldBack: [] });
  expect((await mirror.status()).heldBack).toEqual([]);
});

test('a deleted record that a replica has shown once more is not held back for ever', async () => {
  const { platform, mirror, run, start } = await setUp();
  platform.payments.remove('pay_1');
  platform.clock.advance({ hours: 1 });
  await run((payment) => payment, start + hour, { full: true });
  platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'PROCESSING' });
  const stale = await run((payment) => payment, start + hour);
  expect(stale.heldBack).toMatchObject([{ id: 'pay_1' }]);
  platform.payments.remove('pay_1');
  platform.clock.advance({ days: 15 });
  await run((payment) => payment, start + hour + 15 * 24 * hour);
  expect((await mirror.status()).heldBack).toEqual([]);
});

test.each<[name: string, act: (platform: MockPlatform) => void]>([
  ['changes', (platform) => void platform.payments.transition('pay_1', 'RETURNED')],
  ['is deleted', (platform) => void platform.payments.remove('pay_1')],
])('the changes of a record that %s after another program edited its status have no gap', async (_name, act) => {
  const { platform, database, run, start } = await setUp();
  await database.execute("update corridor_payments set status = 'EDITED'");
  act(platform);
  platform.clock.advance({ hours: 1 });
  await run((payment) => payment, start + hour, { full: true });
  expect(await assertUnbrokenChains(database)).toBe(1);
});
