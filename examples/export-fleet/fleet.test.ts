import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { Pool } from 'pg';

const { CORRIDOR_TEST_POSTGRES: server } = process.env;
if (server === undefined)
  throw new Error('CORRIDOR_TEST_POSTGRES must be the address of a PostgreSQL server for tests');

const pathOf = (file: string): string => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

// Counts each row that a worker inserts, also if the table has it already.
const countDeliveries = `
  create table delivered (id text not null);
  create function note_delivery() returns trigger language plpgsql as
    $$ begin insert into delivered values (new.id); return new; end $$;
  create trigger note_delivery before insert on payments for each row execute function note_delivery();`;

test('three workers export each payment once, and the span of a killed one again', { timeout: 120_000 }, async () => {
  const database = `fleet_${process.pid}`;
  const admin = new Pool({ connectionString: server });
  admin.on('error', console.error);
  await admin.query(`create database ${database}`);
  const address = Object.assign(new URL(server), { pathname: `/${database}` }).href;
  const pool = new Pool({ connectionString: address });
  pool.on('error', console.error);
  const { platform, url, close } = await serveMockPlatform();
  const { customerId, beneficiaryId, documentIds } = platform.payments.add({ createdAt: '2025-01-01T00:00:00Z' });
  platform.payments.addMany(3_000, (index) => ({
    customerId,
    beneficiaryId,
    documentIds: [...documentIds],
    paymentQuoteId: null,
    createdAt: new Date(Date.parse('2026-01-01T00:00:00Z') + index * 60_000).toISOString(),
  }));
  const { apiKey, privateKey } = await platform.credentials();
  const environment = {
    ...process.env,
    DATABASE_URL: address,
    CORRIDOR_BASE_URL: url,
    CORRIDOR_API_KEY: apiKey,
    CORRIDOR_PRIVATE_KEY: privateKey,
  };
  const start = (file: string, ...words: readonly string[]): ChildProcess =>
    spawn(process.execPath, [...process.execArgv, pathOf(file), ...words], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });

  const [code] = (await once(start('plan.ts', '2026-01-01T00:00Z', '500'), 'exit')) as [number];
  assert.equal(code, 0);
  await pool.query(countDeliveries);
  // Slow enough that the worker is killed in the middle of a span.
  platform.faults.always('payments.list', { kind: 'slow', delay: 100 });
  const workers = [start('worker.ts'), start('worker.ts'), start('worker.ts')];
  const stored = async (): Promise<number> =>
    Number((await pool.query<{ rows: string }>('select count(*) as rows from payments')).rows[0]?.rows);
  const until = async (isReached: () => Promise<boolean>): Promise<void> => {
    while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  await until(async () => (await stored()) > 300);
  workers[0]?.kill('SIGKILL');
  const open = "select count(*) as rows from pgboss.job where name = 'export-payments' and state <> 'completed'";
  await until(async () => Number((await pool.query<{ rows: string }>(open)).rows[0]?.rows) === 0);

  const { rows } = await pool.query<{ id: string }>('select id from payments');
  const expected = platform.payments.all().filter(({ createdAt }) => createdAt >= '2026');
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), expected.map(({ id }) => id).toSorted());
  const { rows: retried } = await pool.query<{ from: string; to: string }>(
    `select data #>> '{span,createdFrom}' as from, data #>> '{span,createdTo}' as to from pgboss.job where retry_count > 0`,
  );
  assert.equal(retried.length, 1, 'only the span of the killed worker was exported again');
  const deliveries = await pool.query<{ id: string; at: Date; count: number }>(
    'select id, created_at as at, count(*)::int as count from delivered join payments using (id) group by id, created_at',
  );
  const [killed] = retried.map(({ from, to }) => [new Date(from), new Date(to)] as const);
  const isKilled = (at: Date): boolean => killed !== undefined && at >= killed[0] && at <= killed[1];
  assert.deepEqual(
    deliveries.rows.filter(({ at, count }) => count > (isKilled(at) ? 2 : 1)),
    [],
    'no payment of another span was delivered again',
  );

  for (const worker of workers.slice(1)) {
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  }
  await close();
  await pool.end();
  // Without force, which would end the connections that the pool is still closing.
  await admin.query(`drop database ${database}`);
  await admin.end();
});
