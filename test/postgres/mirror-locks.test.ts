import { Corridor, type Mirror, type MirrorChange } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import {
  PostgresMirror,
  postgresMirrorTables,
  type PostgresMirrorClient,
  type PostgresMirrorPool,
} from 'corridor-sdk/mirror/postgres';
import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

let schemas = 0;
const newSchema = (): string => `locks_${process.pid}_${(schemas += 1)}`;

function connect(applicationName: string): Pool {
  const pool = new Pool({
    connectionString: String(process.env['CORRIDOR_TEST_POSTGRES']),
    max: 4,
    application_name: applicationName,
  });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

function createCorridor() {
  const platform = createMockPlatform();
  platform.populate({ customers: 2, beneficiaries: 2, payments: 20 });
  platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  return { platform, corridor: new Corridor(platform.clientOptions()) };
}

/** A pool of a process that is paused before its statement of this number: it sends nothing more. */
function pausedAt(pool: Pool, statement: number) {
  let [count, pause] = [0, (): void => {}];
  const isPaused = new Promise<void>((resolve) => (pause = resolve));
  const paused: PostgresMirrorPool = {
    async connect() {
      const client = (await pool.connect()) as PostgresMirrorClient;
      return {
        on: client.on.bind(client),
        off: client.off.bind(client),
        release: (error) => client.release(error),
        async query(text) {
          count += 1;
          if (count < statement) return client.query(text);
          pause();
          return new Promise(() => {});
        },
      };
    },
  };
  return { paused, isPaused, count: () => count };
}

test('eight processes that run the SQL of the tables at once create them', async () => {
  const schema = newSchema();
  const pools = Array.from({ length: 8 }, () => connect('creating'));
  await Promise.all(pools.map((pool) => pool.query('select 1')));
  await Promise.all(pools.map((pool) => pool.query(postgresMirrorTables(schema))));
  const { corridor } = createCorridor();
  const report = await corridor.sync(new PostgresMirror(pools[0] as Pool, { schema }), { once: true });
  expect(report).toMatchObject({ filled: true, problems: [] });
});

test('no process waits for one that is paused, between whichever statements', async () => {
  const { corridor, platform } = createCorridor();
  const schema = newSchema();
  const pool = connect('working');
  const mirror = new PostgresMirror(pool, { schema });
  await corridor.sync(mirror, { once: true });
  const counting = pausedAt(pool, Number.POSITIVE_INFINITY);
  platform.payments.update('pay_open', { memo: 'counted' });
  await corridor.sync(new PostgresMirror(counting.paused, { schema }), { once: true });
  expect(counting.count()).toBeGreaterThan(10);
  const writing = connect('paused');
  for (let statement = 1; statement <= counting.count(); statement += 1) {
    const { paused, isPaused } = pausedAt(writing, statement);
    platform.payments.update('pay_open', { memo: `paused before ${statement}` });
    const stop = new AbortController();
    const waiting = corridor.sync(new PostgresMirror(paused, { schema }), { signal: stop.signal });
    await isPaused;
    // A transaction that has changed a row has an id.
    const { rows: locks } = await pool.query(
      "select query from pg_stat_activity where application_name = 'paused' and backend_xid is not null",
    );
    expect([statement, locks]).toEqual([statement, []]);
    await corridor.sync(mirror, { once: true });
    stop.abort();
    await waiting;
  }
  expect(await mirror.status()).toMatchObject({ filled: true });
});

const calls: Readonly<Record<string, (corridor: Corridor, mirror: Mirror, signal: AbortSignal) => Promise<unknown>>> = {
  'a sync that follows': (corridor, mirror, signal) => corridor.sync(mirror, { signal }),
  'a sync that runs once': (corridor, mirror, signal) => corridor.sync(mirror, { signal, once: true }),
  'a dry run': (corridor, mirror, signal) => corridor.sync(mirror, { signal, once: true, dryRun: true }),
  'mirror.changes': (_corridor, mirror, signal) => nextOf(mirror.changes({ signal })),
  'mirror.status': (_corridor, mirror, signal) => mirror.status({ signal }),
};

const nextOf = (changes: AsyncGenerator<MirrorChange>) => changes.next();

test.each(Object.entries(calls))(
  '%s that waits for a lock ends when its signal aborts, and leaves no transaction behind',
  async (_name, call) => {
    const { corridor } = createCorridor();
    const schema = newSchema();
    const admin = connect('admin');
    await corridor.sync(new PostgresMirror(admin, { schema }), { once: true });
    const name = `locked_${schema}`;
    const pool = connect(name);
    const lock = await admin.connect();
    onTestFinished(() => lock.release());
    await lock.query(`begin; lock table "${schema}".corridor_sync`);
    const stop = new AbortController();
    const calling = call(corridor, new PostgresMirror(pool, { schema }), stop.signal).then(
      () => 'ended',
      (error: unknown) => (error as Error).name,
    );
    const sessions = async (): Promise<unknown[]> =>
      (
        await admin.query(
          "select wait_event_type from pg_stat_activity where application_name = $1 and (state <> 'idle' or wait_event_type = 'Lock')",
          [name],
        )
      ).rows;
    await expect.poll(sessions).toEqual([{ wait_event_type: 'Lock' }]);
    const started = performance.now();
    stop.abort();
    expect(await calling).toMatch(/ended|AbortedError/);
    expect(performance.now() - started).toBeLessThan(1_000);
    await expect.poll(sessions, { timeout: 3_000 }).toEqual([]);
    await lock.query('rollback');
  },
);
