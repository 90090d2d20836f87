import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Corridor, type CorridorOptions, type Mirror, type SyncReport } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { allChanges, assertUnbrokenChains, mirroredRecords, recordsOf, type MirrorDatabase } from './mirrored.ts';

const day = 86_400_000;
const hour = 3_600_000;
const minute = 60_000;

interface Setup {
  readonly platform: MockPlatform;
  readonly corridor: Corridor;
  readonly database: MirrorDatabase;
  readonly mirror: Mirror;
}

/** Shows payments with the id `pay_unknown_…` in a status that this version does not know, which no list of it has. */
const withUnknownStatus = (platform: MockPlatform): CorridorOptions => ({
  ...platform.clientOptions(),
  async fetch(input, init) {
    const response = await platform.fetch(input, init);
    const page = (await response.json()) as { items?: Record<string, unknown>[] };
    for (const item of page.items ?? [])
      if (String(item['id']).startsWith('pay_unknown')) item['status'] = 'STATUS_OF_TESTS';
    return Response.json(page, { status: response.status, headers: response.headers });
  },
});

/** Follows for a number of polls, a minute apart. */
async function follow({ platform, mirror }: Setup, polls: number): Promise<void> {
  const stop = new AbortController();
  let ended = 0;
  const corridor = new Corridor({
    ...withUnknownStatus(platform),
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout' || milliseconds !== 60_000) return new Promise(() => {});
      if ((ended += 1) === polls) stop.abort();
      platform.clock.advance({ minutes: 1 });
      await setImmediate();
    },
  });
  await corridor.sync(mirror, { signal: stop.signal, pollInterval: 60_000, maxPollInterval: 60_000 });
}

/** Tests that a mirror misses nothing, and knows what it does not know. */
export function testCompleteness(createDatabase: () => Promise<MirrorDatabase>): void {
  /** Creates a mirror that is filled, and lets lists show everything. */
  async function setUp(add: (platform: MockPlatform) => void): Promise<Setup> {
    const platform = createMockPlatform();
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    add(platform);
    const corridor = new Corridor(withUnknownStatus(platform));
    const database = await createDatabase();
    const mirror = database.open();
    await corridor.sync(mirror, { once: true });
    platform.clock.advance({ minutes: 10 });
    return { platform, corridor, database, mirror };
  }

  // In no list of a status that this version knows, and each a day apart from the next.
  const addUnknown = (platform: MockPlatform, count: number): string[] =>
    Array.from({ length: count }, (_, index) => {
      const createdAt = new Date(platform.clock.now() - (index + 30) * day).toISOString();
      platform.payments.add({ id: `pay_unknown_${index}`, customerId: 'cus_1', status: 'COMPLETED', createdAt });
      return `pay_unknown_${index}`;
    });

  test('payments in unknown statuses do not keep a payment that has ended from being looked up', async () => {
    const setup = await setUp((platform) => {
      addUnknown(platform, 60);
      const createdAt = new Date(platform.clock.now() - 5 * day).toISOString();
      platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'PROCESSING', createdAt });
    });
    setup.platform.payments.transition('pay_1', 'COMPLETED');
    await follow(setup, 1);
    expect(await allChanges(setup.mirror)).toMatchObject([{ id: 'pay_1', status: 'COMPLETED' }]);
  });

  test('a poll looks up 50 groups of payments, and the next one the others; the time of `open` is true', async () => {
    const setup = await setUp((platform) => {
      addUnknown(platform, 53);
      // More payments between each two than one lookup reads.
      for (let index = 0; index < 53; index += 1) {
        const createdAt = new Date(platform.clock.now() - (index + 30) * day + hour).toISOString();
        platform.payments.addMany(80, () => ({ customerId: 'cus_1', status: 'COMPLETED', createdAt }));
      }
    });
    const { platform, mirror } = setup;
    const before = (await mirror.status()).open.asOf;
    const start = platform.clock.now();
    for (let index = 0; index < 53; index += 1) platform.payments.update(`pay_unknown_${index}`, { memo: 'changed' });
    const changed = async (): Promise<Set<string>> => new Set((await allChanges(mirror)).map(({ id }) => id));
    await follow(setup, 1);
    expect(await changed()).toHaveProperty('size', 50);
    const asOf = Date.parse(String((await mirror.status()).open.asOf));
    expect(Math.abs(asOf - Date.parse(String(before)))).toBeLessThan(1_000);
    await follow(setup, 1);
    expect(await changed()).toHaveProperty('size', 53);
    const { open } = await mirror.status();
    expect(Math.abs(Date.parse(String(open.asOf)) - start)).toBeLessThan(2_000);
    expect(open.behind).toBe(false);
    // The next poll begins again with the oldest.
    platform.payments.update('pay_unknown_52', { memo: 'again' });
    await follow(setup, 1);
    expect((await allChanges(mirror)).at(-1)).toMatchObject({ id: 'pay_unknown_52' });
  });

  test('after a clock that was hours ahead, no part of the mirror was read in the future', async () => {
    const setup = await setUp(() => {});
    const { platform, mirror } = setup;
    const ahead: Partial<CorridorOptions> = { now: () => platform.clock.now() + 5 * hour };
    await new Corridor({ ...platform.clientOptions(), ...ahead }).sync(mirror, { once: true, full: true });
    const { open, recent, older, customers, beneficiaries } = await mirror.status();
    for (const { asOf } of [open, recent, older, customers, beneficiaries])
      expect(Date.parse(String(asOf))).toBeLessThan(platform.clock.now() + 2_000);
  });

  test('while the clock is set forward after responses, no part of the mirror was read in the future', async () => {
    const platform = createMockPlatform();
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    platform.payments.addMany(3, () => ({ customerId: 'cus_1', status: 'PROCESSING' }));
    const mirror = (await createDatabase()).open();
    let ahead = 5 * hour;
    // Without `sleep`, this clock does not measure durations.
    const clocks = { now: () => platform.clock.now() + ahead, sleep: undefined };
    const corridor = new Corridor({ ...platform.clientOptions(), ...clocks });
    const onProgress = (): void => void (ahead += 15 * minute);
    for (const full of [false, true, true]) {
      await corridor.sync(mirror, { once: true, full, onProgress });
      const { open, recent, older, customers, beneficiaries, lastFullPass } = await mirror.status();
      const times = [open, recent, older, customers, beneficiaries].map(({ asOf }) => asOf);
      for (const time of [...times, lastFullPass])
        expect(Date.parse(String(time))).toBeLessThan(platform.clock.now() + 2_000);
    }
  });

  test('of a platform without the Date header, a slow pass has ended when it ended', async () => {
    const platform = createMockPlatform();
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    const mirror = (await createDatabase()).open();
    const fetch: CorridorOptions['fetch'] = async (input, init) => {
      const response = await platform.fetch(input, init);
      platform.clock.advance({ minutes: 5 });
      response.headers.delete('date');
      return response;
    };
    await new Corridor({ ...platform.clientOptions(), fetch, timeout: day, totalTimeout: day }).sync(mirror, {
      once: true,
      full: true,
      // Each response takes five minutes, also of requests at once.
      concurrency: 1,
    });
    const { lastFullPass } = await mirror.status();
    expect(Date.parse(String(lastFullPass))).toBeGreaterThan(platform.clock.now() - 90 * minute);
  });

  test('a first fill that is killed and continued hours later misses nothing that ended in between', async () => {
    const platform = createMockPlatform();
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    platform.payments.addMany(30, () => ({ customerId: 'cus_1', status: 'COMPLETED' }));
    const corridor = new Corridor(platform.clientOptions());
    const database = await createDatabase();
    const mirror = database.open();
    const stop = new AbortController();
    const killed = corridor.sync(mirror, {
      once: true,
      signal: stop.signal,
      onProgress: ({ read }) => read.payment > 0 && stop.abort(),
    });
    await expect(killed).rejects.toThrow();
    platform.clock.advance({ hours: 5 });
    platform.payments.add({ id: 'pay_between', customerId: 'cus_1', status: 'COMPLETED' });
    platform.clock.advance({ hours: 5 });
    await corridor.sync(mirror, { once: true });
    const [records, expected] = [await mirroredRecords(database), await recordsOf(corridor)];
    expect(records['corridor_payments']).toEqual(expected['corridor_payments']);
    await assertUnbrokenChains(database);
  });

  test.each<[name: string, sql: string, fields: readonly string[]]>([
    ['a status', `update corridor_payments set status = 'COMPLETED' where id = 'pay_1'`, ['status']],
    ['a column that was lost', `update corridor_payments set amount = null where id = 'pay_1'`, ['amount']],
    ['a record', `update corridor_payments set data = '{"id":"pay_1"}' where id = 'pay_1'`, ['memo', 'amount']],
  ])(
    '%s that another program has changed is found by a dry run, and repaired by a full run',
    async (_, sql, fields) => {
      const { mirror, corridor, database } = await setUp((platform) =>
        platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'PROCESSING', memo: 'first' }),
      );
      const before = await database.select('select id, status, amount, data from corridor_payments');
      await database.execute(sql);
      const check = await corridor.sync(mirror, { once: true, full: true, dryRun: true });
      expect(check.differences).toMatchObject([{ record: 'payment', id: 'pay_1' }]);
      expect(check.differences[0]?.fields).toEqual(expect.arrayContaining([...fields]));
      await corridor.sync(mirror, { once: true, full: true });
      expect(await database.select('select id, status, amount, data from corridor_payments')).toEqual(before);
      expect(await allChanges(mirror)).toMatchObject([
        { id: 'pay_1', previousStatus: 'PROCESSING', status: 'PROCESSING' },
      ]);
      await assertUnbrokenChains(database);
      expect((await corridor.sync(mirror, { once: true, full: true })).differences).toEqual([]);
    },
  );

  test.each<[name: string, change: (platform: MockPlatform) => void, expected: Readonly<Record<string, unknown>>]>([
    ['changes', ({ payments }) => payments.transition('pay_1', 'COMPLETED'), { status: 'COMPLETED' }],
    ['is gone', ({ payments }) => payments.remove('pay_1'), { status: 'PROCESSING', fields: ['missing'] }],
  ])(
    'a payment that %s after another program has changed its status has the previous status of the change before',
    async (_name, change, expected) => {
      const { platform, mirror, corridor, database } = await setUp(({ payments }) =>
        payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'PROCESSING' }),
      );
      await database.execute(`update corridor_payments set status = 'APPROVED' where id = 'pay_1'`);
      change(platform);
      await corridor.sync(mirror, { once: true });
      expect(await allChanges(mirror)).toMatchObject([{ id: 'pay_1', previousStatus: 'PROCESSING', ...expected }]);
      await assertUnbrokenChains(database);
    },
  );

  test.each(['', ` where id = 'pay_ended'`])(
    'payments that another program deletes%s come back as new ones: those in progress with the next poll, all with a full run',
    async (where) => {
      const { mirror, corridor, database } = await setUp(({ payments, clock }) => {
        const createdAt = new Date(clock.now() - 5 * day).toISOString();
        for (const [id, status] of [
          ['pay_open', 'PROCESSING'],
          ['pay_ended', 'COMPLETED'],
        ] as const)
          payments.add({ id, customerId: 'cus_1', status, createdAt });
      });
      const before = await mirroredRecords(database);
      await database.execute(`delete from corridor_payments${where}`);
      const idsOf = ({ differences }: SyncReport): string[] => differences.map(({ id }) => id);
      expect(idsOf(await corridor.sync(mirror, { once: true }))).toEqual(where === '' ? ['pay_open'] : []);
      const full = { once: true, full: true };
      expect(idsOf(await corridor.sync(mirror, { ...full, dryRun: true }))).toEqual(['pay_ended']);
      expect(idsOf(await corridor.sync(mirror, full))).toEqual(['pay_ended']);
      expect(await mirroredRecords(database)).toEqual(before);
      const changes = await allChanges(mirror);
      expect(changes.map(({ previousStatus, fields }) => [previousStatus, fields])).toEqual(
        changes.map(() => [null, []]),
      );
    },
  );

  test('amounts and times of any format are no difference', async () => {
    const platform = createMockPlatform();
    const odd = ['+5.00', '-0.00', '007.10', '1e3', '-12.50', 'x', ''];
    odd.forEach((_, index) => platform.payments.add({ id: `pay_${index}`, status: 'PROCESSING' }));
    const corridor = new Corridor({
      ...platform.clientOptions(),
      async fetch(input, init) {
        const response = await platform.fetch(input, init);
        const page = (await response.json()) as { items?: Record<string, unknown>[] };
        const times = ['2026-01-01T00:00:00.123456Z', '2026-01-01', 'now', '20260101'];
        for (const item of page.items ?? []) {
          const index = Number(String(item['id']).slice(4));
          if (Number.isInteger(index)) Object.assign(item, { amount: odd[index], updatedAt: times[index] });
        }
        return Response.json(page, { status: response.status, headers: response.headers });
      },
    });
    const mirror = (await createDatabase()).open();
    await corridor.sync(mirror, { once: true });
    platform.clock.advance({ minutes: 10 });
    expect((await corridor.sync(mirror, { once: true, full: true })).differences).toEqual([]);
  });

  test('a customer that is approved after a rejection is written at once, also within the consistency window', async () => {
    const { platform, mirror, corridor } = await setUp(() => {});
    platform.customers.update('cus_1', { status: 'REJECTED' });
    await corridor.sync(mirror, { once: true });
    platform.clock.advance({ seconds: 30 });
    platform.customers.update('cus_1', { status: 'APPROVED' });
    await corridor.sync(mirror, { once: true });
    expect((await allChanges(mirror)).map(({ status }) => status)).toEqual(['REJECTED', 'APPROVED']);
    expect((await mirror.status()).heldBack).toEqual([]);
  });

  test('a stale row is held back, also if the clock of the process has stepped by an hour', async () => {
    const setup = await setUp((platform) =>
      platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'PROCESSING' }),
    );
    const { platform, mirror, database } = setup;
    const stale = platform.payments.get('pay_1');
    platform.payments.transition('pay_1', 'COMPLETED');
    await setup.corridor.sync(mirror, { once: true });
    platform.clock.advance({ seconds: 10 });
    let isStale = true;
    const stepped = new Corridor({
      ...platform.clientOptions(),
      now: () => platform.clock.now() + hour,
      async fetch(input, init) {
        const response = await platform.fetch(input, init);
        const page = (await response.json()) as { items?: unknown[] };
        const isList = new URL(new Request(input, init).url).searchParams.get('status') === 'PROCESSING';
        if (isStale && isList) page.items = [stale];
        return Response.json(page, { status: response.status, headers: response.headers });
      },
    });
    await stepped.sync(mirror, { once: true });
    expect((await mirror.status()).heldBack).toEqual([{ record: 'payment', id: 'pay_1', status: 'PROCESSING' }]);
    isStale = false;
    await stepped.sync(mirror, { once: true, full: true });
    expect((await allChanges(mirror)).map(({ status }) => status)).toEqual(['COMPLETED']);
    expect((await mirror.status()).heldBack).toEqual([]);
    await assertUnbrokenChains(database);
  });

  test('a payment that ended and whose creation time cannot be read is missing after a full run', async () => {
    const platform = createMockPlatform();
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'COMPLETED' });
    const odd = new Corridor({
      ...platform.clientOptions(),
      async fetch(input, init) {
        const response = await platform.fetch(input, init);
        const page = (await response.json()) as { items: Record<string, unknown>[] };
        for (const item of page.items ?? []) if (item['id'] === 'pay_1') item['createdAt'] = null;
        return Response.json(page, { status: response.status, headers: response.headers });
      },
    });
    const mirror = (await createDatabase()).open();
    await odd.sync(mirror, { once: true });
    platform.clock.advance({ minutes: 10 });
    platform.payments.remove('pay_1');
    await odd.sync(mirror, { once: true, full: true });
    expect(await mirror.status()).toMatchObject({ missing: 1 });
  });

  /** Creates two customers, of which the first has a beneficiary, and a mirror of them. Hides `customerId` on request. */
  async function setUpBeneficiaries(hidden = false) {
    const platform = createMockPlatform();
    for (const id of ['cus_1', 'cus_2', 'cus_3']) platform.customers.add({ id, status: 'APPROVED' });
    platform.beneficiaries.add({ id: 'ben_1', customerId: 'cus_2', status: 'APPROVED' });
    let owner = 'cus_2';
    let onRead = (_customer: string): void => {};
    const corridor = new Corridor({
      ...platform.clientOptions(),
      async fetch(input, init) {
        const response = await platform.fetch(input, init);
        const [, customer] = /customers\/(\w+)\/beneficiaries/.exec(new Request(input, init).url) ?? [];
        if (customer === undefined) return response;
        const [beneficiary] = platform.beneficiaries.all();
        const shown = beneficiary === undefined || owner !== customer ? [] : [{ ...beneficiary, customerId: owner }];
        onRead(customer);
        const items = shown.map(({ customerId, ...rest }) => (hidden ? rest : { ...rest, customerId }));
        return Response.json({ items, nextCursor: null, hasMore: false }, { headers: response.headers });
      },
    });
    const database = await createDatabase();
    const mirror = database.open();
    const run = () => corridor.sync(mirror, { once: true, full: true, concurrency: 1 });
    await run();
    platform.clock.advance({ minutes: 10 });
    const move = (to: string): void => void (owner = to);
    return { platform, database, mirror, run, move, onRead: (listener: typeof onRead) => void (onRead = listener) };
  }

  test.each(['cus_1', 'cus_3'])('a beneficiary that moves to %s is never missing, whenever it moves', async (to) => {
    for (const at of ['before', 'cus_1', 'cus_2', 'cus_3']) {
      const { database, mirror, run, move, onRead } = await setUpBeneficiaries();
      if (at === 'before') move(to);
      onRead((customer) => customer === at && move(to));
      await run();
      expect(await mirror.status()).toMatchObject({ missing: 0 });
      await run();
      const changes = await allChanges(mirror);
      expect(changes.map(({ fields }) => fields)).toEqual([['customerId']]);
      expect(await database.select('select id, customer_id from corridor_beneficiaries')).toEqual([
        { id: 'ben_1', customer_id: to },
      ]);
    }
  });

  test.each([false, true])(
    'a beneficiary that is deleted is missing after a full run, without customerId: %j',
    async (hidden) => {
      const { platform, mirror, run } = await setUpBeneficiaries(hidden);
      platform.beneficiaries.remove('ben_1');
      await run();
      expect(await mirror.status()).toMatchObject({ missing: 1 });
      expect(await allChanges(mirror)).toMatchObject([{ id: 'ben_1', fields: ['missing'] }]);
      await run();
      expect(await allChanges(mirror)).toHaveLength(1);
    },
  );
}
