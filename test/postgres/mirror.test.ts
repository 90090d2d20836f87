import { Corridor, MirrorError } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { PostgresMirror } from 'corridor-sdk/mirror/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { testMirror } from '../mirror/contract.ts';
import { killProcesses } from '../mirror/kill-processes.ts';
import type { MirrorDatabase } from '../mirror/mirrored.ts';
import { startPostgres } from './start-postgres.ts';

let pool: Pool;
let schemas = 0;

beforeAll(() => {
  pool = new Pool({ connectionString: String(process.env['CORRIDOR_TEST_POSTGRES']), max: 4 });
  // A connection that is terminated while it is not in use.
  pool.on('error', () => {});
});

afterAll(() => pool.end());

const newSchema = (): string => `mirror_${process.pid}_${(schemas += 1)}`;

async function postgresDatabase(schema = newSchema(), connections = pool): Promise<MirrorDatabase> {
  const run = (sql: string) => connections.query(sql.replaceAll(/\bcorridor_/g, `"${schema}".corridor_`));
  return {
    open: (options = { sensitive: true }) => new PostgresMirror(connections, { schema, ...options }),
    select: async (sql) => (await run(sql)).rows as Record<string, unknown>[],
    execute: async (sql) => void (await run(sql)),
  };
}

describe('a mirror in PostgreSQL, on a pool of pg', () => {
  testMirror(postgresDatabase);
});

test('works with serializable as the default, with asynchronous commits, and with a pool of two', async () => {
  const options = '-c default_transaction_isolation=serializable -c synchronous_commit=off';
  const small = new Pool({ connectionString: String(process.env['CORRIDOR_TEST_POSTGRES']), max: 2, options });
  onTestFinished(() => small.end());
  const platform = createMockPlatform();
  platform.populate({ customers: 2, beneficiaries: 2, payments: 20 });
  const schema = newSchema();
  const corridor = new Corridor(platform.clientOptions());
  const mirrors = [1, 2, 3].map(() => new PostgresMirror(small, { schema }));
  const reports = await Promise.all(mirrors.map((mirror) => corridor.sync(mirror, { once: true })));
  expect(reports.every(({ filled }) => filled)).toBe(true);
  expect(await mirrors[0]?.status()).toMatchObject({ filled: true, missing: 0 });
});

test('a database that is only for reading is a clear error, and one that went away is waited for', async () => {
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  const corridor = new Corridor(platform.clientOptions());
  const schema = newSchema();
  const mirror = new PostgresMirror(pool, { schema });
  await corridor.sync(mirror, { once: true });
  const readOnly = new Pool({
    connectionString: String(process.env['CORRIDOR_TEST_POSTGRES']),
    max: 1,
    options: '-c default_transaction_read_only=on',
  });
  onTestFinished(() => readOnly.end());
  // The mirror sets the mode of its transactions; a replica rejects that.
  const replica = {
    connect: async () => {
      const client = await readOnly.connect();
      return Object.assign(Object.create(client) as typeof client, {
        query: (text: string, values?: unknown[]) => client.query(text.replace('read write', 'read only'), values),
      });
    },
  };
  await expect(corridor.sync(new PostgresMirror(replica, { schema }), { once: true })).rejects.toThrow(
    'the database of the mirror is read-only: it is a standby, or default_transaction_read_only is on (25006). Connect to the primary',
  );
  let failures = 2;
  const flaky = {
    connect: async () => {
      if (failures-- > 0) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return pool.connect();
    },
  };
  await expect(corridor.sync(new PostgresMirror(flaky, { schema }), { once: true })).rejects.toThrow(MirrorError);
  failures = 2;
  const { lastPosition: after } = await mirror.status();
  platform.payments.update('pay_open', { memo: 'newer' });
  const stop = new AbortController();
  const following = corridor.sync(new PostgresMirror(flaky, { schema }), { signal: stop.signal });
  for await (const { id } of mirror.changes({ after, pollInterval: 5 })) {
    expect(id).toBe('pay_open');
    break;
  }
  stop.abort();
  await following;
});

test('a table that lost its primary key, as after a restore, is an error before anything is written', async () => {
  const tables = ['payments', 'customers', 'beneficiaries', 'changes', 'sync', 'positions'];
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  const corridor = new Corridor(platform.clientOptions());
  const schema = newSchema();
  await corridor.sync(new PostgresMirror(pool, { schema }), { once: true });
  const before = await new PostgresMirror(pool, { schema }).status();
  platform.payments.update('pay_open', { memo: 'newer' });
  for (const table of tables) {
    const name = `corridor_${table}`;
    const definition = `select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1 and conrelid = $2::regclass`;
    const { rows } = await pool.query<{ text: string }>(definition, [`${name}_pkey`, `${schema}.${name}`]);
    await pool.query(`alter table ${schema}.${name} drop constraint ${name}_pkey`);
    await expect(corridor.sync(new PostgresMirror(pool, { schema }), { once: true })).rejects.toThrow(
      `the schema ${schema} with the tables of the mirror lacks a unique index that the mirror needs, as after a restore or a copy (42P10). Restore the primary keys of its tables, or drop it, so that the next sync fills it again`,
    );
    await pool.query(`alter table ${schema}.${name} add constraint ${name}_pkey ${rows[0]?.text ?? ''}`);
  }
  // As of an older version.
  for (const table of ['payments', 'customers', 'beneficiaries'])
    await pool.query(`alter table ${schema}.corridor_${table} alter id type text collate "en-x-icu"`);
  await pool.query(`alter table ${schema}.corridor_positions alter name type text collate "en-x-icu"`);
  const error = await corridor.sync(new PostgresMirror(pool, { schema }), { once: true }).catch(String);
  await pool.query(String(error).replace(/^.*an older version created it, run: /, ''));
  const mirror = new PostgresMirror(pool, { schema });
  expect((await mirror.status()).lastSequence).toBe(before.lastSequence);
  expect(await corridor.sync(mirror, { once: true })).toMatchObject({ changes: 1 });
});

test('a statement that is ended by statement_timeout is a clear error, and a following sync repeats it', async () => {
  const options = '-c statement_timeout=100';
  const limited = new Pool({ connectionString: String(process.env['CORRIDOR_TEST_POSTGRES']), max: 2, options });
  onTestFinished(() => limited.end());
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  const corridor = new Corridor(platform.clientOptions());
  const schema = newSchema();
  await corridor.sync(new PostgresMirror(pool, { schema }), { once: true });
  const unlimited = new PostgresMirror(pool, { schema });
  const { lastPosition: after } = await unlimited.status();
  const lock = await pool.connect();
  onTestFinished(() => lock.release());
  await lock.query(`begin; lock table "${schema}".corridor_sync`);
  const mirror = new PostgresMirror(limited, { schema });
  await expect(corridor.sync(mirror, { once: true })).rejects.toThrow('the database of the mirror failed (57014)');
  platform.payments.update('pay_open', { memo: 'newer' });
  const stop = new AbortController();
  const following = corridor.sync(mirror, { signal: stop.signal });
  await lock.query('rollback');
  const found: unknown[] = [];
  for await (const { id, fields } of unlimited.changes({ after, pollInterval: 5 })) {
    found.push({ id, fields });
    stop.abort();
    break;
  }
  await following;
  expect(found).toEqual([{ id: 'pay_open', fields: ['memo', 'updatedAt'] }]);
});

test('three processes that are killed and paused while the server restarts keep a mirror true, and its chains unbroken', async () => {
  const { url, restart } = await startPostgres();
  const connections = new Pool({ connectionString: url, max: 4 });
  connections.on('error', () => {});
  onTestFinished(() => connections.end());
  const isLong = process.env['CORRIDOR_SOAK'] !== undefined;
  await killProcesses({
    place: `${url} mirror`,
    database: await postgresDatabase('mirror', connections),
    processes: 3,
    ...(isLong ? { kills: 50, pauses: 20, disturbances: 10 } : { kills: 5, pauses: 2, disturbances: 1 }),
    disturb: restart,
  });
}, 3_600_000);
