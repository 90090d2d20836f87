import { once } from 'node:events';
import { PostgresCheckpointStore, postgresCheckpointMigration } from 'corridor-sdk/journal/postgres';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkpointContract } from '../journal/checkpoint-contract.ts';
import { start } from '../journal/program.ts';

let connectionString: string;
let pool: Pool;
let tables = 0;

beforeAll(() => {
  const { CORRIDOR_TEST_POSTGRES: address } = process.env;
  if (address === undefined)
    throw new Error('CORRIDOR_TEST_POSTGRES must be the address of a PostgreSQL server; .ci/with-postgres starts one');
  connectionString = address;
  pool = new Pool({ connectionString, max: 20 });
});

afterAll(() => pool.end());

async function newTable(): Promise<string> {
  const table = `checkpoints_${process.pid}_${(tables += 1)}`;
  await pool.query(postgresCheckpointMigration(table));
  return table;
}

describe('a checkpoint store in PostgreSQL, on a pool of pg', () => {
  test.each(checkpointContract)('%s', async (_rule, shows) => {
    const table = await newTable();
    await shows({
      open: () => new PostgresCheckpointStore(pool, { table }),
      expire: async () => void (await pool.query(`update ${table} set expires_at = clock_timestamp()`)),
    });
  });

  test('a lease that is acquired by twenty stores at the same time has one holder', async () => {
    const table = await newTable();
    const stores = Array.from({ length: 20 }, () => new PostgresCheckpointStore(pool, { table }));
    const acquired = await Promise.all(stores.map((store) => store.acquire()));
    expect(acquired.filter((lease) => lease !== undefined)).toHaveLength(1);
  });
});

test('of three processes one follows; after it is killed, another continues, and the outbox has each payment once', async () => {
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  const { platform } = served;
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
  const table = await newTable();
  const outbox = `${table}_outbox`;
  await pool.query(`create table ${outbox} (number serial, payment text not null, status text not null)`);

  const processes = Array.from({ length: 3 }, () => start('follow', [connectionString, table, outbox], environment));
  onTestFinished(() => processes.forEach(({ process: child }) => child.kill('SIGKILL')));
  await Promise.all(processes.map((one) => one.printed('ready')));
  const holder = async () => {
    platform.payments.add();
    return Promise.race(processes.map((one) => one.printed('stored').then(() => one)));
  };

  const first = await holder();
  first.process.kill('SIGKILL');
  await once(first.process, 'close');
  processes.splice(processes.indexOf(first), 1);
  for (let payment = 0; payment < 20; payment += 1) platform.payments.add();
  await holder();

  const ids = platform.payments.all().map(({ id }) => id);
  await expect
    .poll(async () => (await pool.query(`select count(*)::int as rows from ${outbox}`)).rows, { timeout: 60_000 })
    .toEqual([{ rows: ids.length }]);
  const { rows } = await pool.query<{ payment: string }>(`select payment from ${outbox} order by number`);
  expect(rows.map(({ payment }) => payment).toSorted()).toEqual(ids.toSorted());
});

test('a process that is paused before the commit of its checkpoint blocks another only until its idle timeout', async () => {
  const options = { table: await newTable(), leaseDuration: 100 };
  const [paused, other] = [new PostgresCheckpointStore(pool, options), new PostgresCheckpointStore(pool, options)];
  await paused.acquire();
  const client = await pool.connect();
  client.on('error', () => undefined);
  await client.query("begin; set local idle_in_transaction_session_timeout = '200ms'");
  await paused.save({ version: 1, behind: false }, client);

  await expect.poll(() => other.acquire(), { timeout: 60_000 }).toEqual({ checkpoint: undefined });
  await expect(client.query('commit')).rejects.toThrow('connection');
  client.release(true);
});
