import { Corridor, CorridorError, type PaymentCreateIntent } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { Pool, type PoolConfig } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { intentFor } from '../journal/intent-for.ts';

let tables = 0;

function connect(applicationName: string, options: PoolConfig = {}): Pool {
  const connectionString = String(process.env['CORRIDOR_TEST_POSTGRES']);
  const pool = new Pool({ connectionString, max: 4, application_name: applicationName, ...options });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

interface Call {
  readonly corridor: Corridor;
  readonly platform: MockPlatform;
  readonly intent: PaymentCreateIntent;
  readonly signal: AbortSignal;
}

const calls: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  createOnce: ({ corridor, platform, signal }) =>
    corridor.payments.createOnce(platform.payments.createParams({ amount: '12.50' }), {
      idempotencyKey: 'order-1',
      signal,
    }),
  reconcilePending: ({ corridor, signal }) => corridor.payments.reconcilePending({ signal }),
  releaseIntent: ({ corridor, intent, signal }) => corridor.payments.releaseIntent(intent, { signal }),
};

test.each(Object.entries(calls))(
  '%s that waits for a locked journal ends when its signal aborts, with nothing sent and nothing left behind',
  async (name, start) => {
    const admin = connect('admin');
    const table = `abort_${process.pid}_${(tables += 1)}`;
    await admin.query(postgresMigration(table));
    const application = `aborted_${table}`;
    const platform = createMockPlatform();
    const corridor = new Corridor({
      ...platform.clientOptions(),
      journal: new PostgresJournal(connect(application), { table }),
    });
    const intent = intentFor('quo_held', {}, { sent: false });
    const admitted = new PostgresJournal(admin, { table });
    if (name === 'releaseIntent') await admitted.claim(intent);
    const lock = await admin.connect();
    onTestFinished(() => lock.release());
    await lock.query(`begin; lock table ${table}`);
    const stop = new AbortController();
    const ended = start({ corridor, platform, intent, signal: stop.signal }).then(
      () => 'ended',
      (error: unknown) => error,
    );
    const sessions = async (): Promise<unknown[]> =>
      (
        await admin.query("select state from pg_stat_activity where application_name = $1 and state <> 'idle'", [
          application,
        ])
      ).rows;
    const waiting = async (): Promise<unknown> =>
      (
        await admin.query("select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'", [
          application,
        ])
      ).rows.length;
    await expect.poll(waiting).toBe(1);
    const started = performance.now();
    stop.abort();
    const error = await ended;
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    await lock.query('rollback');
    // What the server had received may still run: no session keeps a transaction, and no claim stays.
    await expect.poll(sessions, { timeout: 3_000 }).toEqual([]);
    if (name !== 'releaseIntent')
      await expect.poll(async () => (await admitted.listPending()).length, { timeout: 3_000 }).toBe(0);
    expect(platform.payments.all()).toEqual([]);
  },
);

test('with lock_timeout, a statement of a call that was aborted ends while the journal is still locked', async () => {
  const admin = connect('admin');
  const table = `abort_${process.pid}_${(tables += 1)}`;
  await admin.query(postgresMigration(table));
  const application = `timed_${table}`;
  const platform = createMockPlatform();
  const journal = new PostgresJournal(connect(application, { lock_timeout: 300 }), { table });
  const corridor = new Corridor({ ...platform.clientOptions(), journal });
  const lock = await admin.connect();
  onTestFinished(() => lock.release());
  await lock.query(`begin; lock table ${table}`);
  const stop = new AbortController();
  const order = platform.payments.createParams({ amount: '12.50' });
  const call = corridor.payments.createOnce(order, { idempotencyKey: 'order-1', signal: stop.signal });
  const ended = call.catch((error: unknown) => error);
  const waiting = async (): Promise<unknown> =>
    (
      await admin.query("select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'", [
        application,
      ])
    ).rows.length;
  await expect.poll(waiting).toBe(1);
  stop.abort();
  expect(await ended).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  await expect.poll(waiting, { timeout: 5_000 }).toBe(0);
  await lock.query('rollback');
  // The journal responds again.
  expect(await corridor.payments.createOnce(order, { idempotencyKey: 'order-1' })).toMatchObject({ created: true });
  expect(platform.payments.all()).toHaveLength(1);
});
