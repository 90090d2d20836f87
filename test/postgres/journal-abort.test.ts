import { Corridor } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { createMockPlatform } from 'corridor-sdk/mock';
import { Pool, type PoolConfig } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

function connect(applicationName: string, options: PoolConfig = {}): Pool {
  const connectionString = String(process.env['CORRIDOR_TEST_POSTGRES']);
  const pool = new Pool({ connectionString, max: 4, application_name: applicationName, ...options });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** Aborts a payment while its claim waits for the lock of its table. */
async function abortWhileLocked(table: string, options?: PoolConfig) {
  const admin = connect('admin');
  await admin.query(postgresMigration(table));
  const lock = await admin.connect();
  onTestFinished(() => lock.release());
  await lock.query(`begin; lock table ${table}`);

  const platform = createMockPlatform();
  const journal = new PostgresJournal(connect(table, options), { table });
  const { payments } = new Corridor({ ...platform.clientOptions(), journal });
  const order = platform.payments.createParams({ amount: '12.50' });
  const pay = (signal?: AbortSignal) => payments.createOnce(order, { idempotencyKey: 'order-1', signal });
  const sessionsThat = async (are: string): Promise<number> =>
    (await admin.query(`select from pg_stat_activity where application_name = $1 and ${are}`, [table])).rows.length;
  const stop = new AbortController();
  const ended = pay(stop.signal).catch((error: unknown) => error);
  await expect.poll(() => sessionsThat("wait_event_type = 'Lock'")).toBe(1);
  stop.abort();
  expect(await ended).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  return { platform, journal, lock, pay, sessionsThat };
}

test('a call that is aborted while its journal is locked leaves nothing behind', async () => {
  const { platform, journal, lock, sessionsThat } = await abortWhileLocked(`aborted_${process.pid}`);
  await lock.query('rollback');
  // What the server had received may still run: no session keeps a transaction, and no claim stays.
  await expect.poll(() => sessionsThat("state <> 'idle'"), { timeout: 3_000 }).toBe(0);
  await expect.poll(() => journal.listPending(), { timeout: 3_000 }).toEqual([]);
  expect(platform.payments.all()).toEqual([]);
});

test('with lock_timeout, its statement ends while the journal is still locked', async () => {
  const { platform, lock, pay, sessionsThat } = await abortWhileLocked(`timed_${process.pid}`, { lock_timeout: 300 });
  await expect.poll(() => sessionsThat("wait_event_type = 'Lock'"), { timeout: 5_000 }).toBe(0);
  await lock.query('rollback');
  expect(await pay()).toMatchObject({ created: true });
  expect(platform.payments.all()).toHaveLength(1);
});
