import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { PostgresMirror, postgresMirrorTables } from 'corridor-sdk/mirror/postgres';
import { createMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { Corridor } from 'corridor-sdk';
import { spawnSync } from 'node:child_process';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { journalContract } from 'corridor-sdk/journal/testing';
import { intentFor } from '../journal/intent-for.ts';
import { killPoints, payWhileKilled } from '../journal/killed-orders.ts';
import { start } from '../journal/program.ts';
import { recordCommits } from '../journal/record-commits.ts';
import { payablePayment, platformAtStart } from '../mock/fixture.ts';

let connectionString: string;
let pool: Pool;
let tables = 0;

beforeAll(() => {
  const { CORRIDOR_TEST_POSTGRES: address } = process.env;
  if (address === undefined)
    throw new Error(
      'CORRIDOR_TEST_POSTGRES must be the address of a PostgreSQL server, such as postgres://user@127.0.0.1:5432/postgres; .ci/with-postgres starts one',
    );
  connectionString = address;
  pool = new Pool({ connectionString, max: 20 });
});

afterAll(() => pool.end());

async function newTable(): Promise<string> {
  const table = `journal_${process.pid}_${(tables += 1)}`;
  await pool.query(postgresMigration(table));
  return table;
}

/** A client that pays with keys, each with another quote, and how many payments it has sent. */
function payments(table: string) {
  const platform = platformAtStart();
  const first = platform.payments.createParams();
  const client = new Corridor({ ...platform.clientOptions(), journal: new PostgresJournal(pool, { table }) });
  const pay = async (...keys: readonly string[]): Promise<readonly boolean[]> => {
    const results = keys.map((idempotencyKey) =>
      client.payments.createOnce(platform.payments.createParams({ ...first, paymentQuoteId: undefined }), {
        idempotencyKey,
      }),
    );
    return (await Promise.all(results)).map(({ created }) => created);
  };
  return { pay, paid: () => platform.requests.to('payments.create').length };
}

test('a journal with the order of ICU sends nothing until the SQL of its error ran, and then outlives an upgrade', async () => {
  const table = await newTable();
  const { pay, paid } = payments(table);
  // The order changes as with glibc 2.28, which no longer ignores punctuation at first.
  for (const [name, locale] of Object.entries({ before: 'und-u-ka-shifted', after: 'und-u-ka-noignore' }))
    await pool.query(`create collation ${table}_${name} (provider = icu, locale = '${locale}')`);
  const columns = ['intent_id', 'quote', 'idempotency_key', 'released'];
  await pool.query(
    `alter table ${table} ${columns.map((name) => `alter ${name} type text collate ${table}_before`).join(', ')}`,
  );
  const message = await pay('4711').then(String, (error: Error) => error.message);
  expect(message).toMatch(/^payments.create was not sent by this call: .* create unique index on/);
  await pool.query(message.replace(/^.*that are missing: /, ''));
  const keys = ['4711', '4711-1', '47-11', '4-711', '47111'];
  await pay(...keys);
  const upgrade = new Client({ connectionString, options: '-c allow_system_table_mods=on' });
  await upgrade.connect();
  for (const [catalog, column, type] of [
    ['pg_attribute', 'attcollation', 'oid'],
    ['pg_index', 'indcollation', 'oidvector'],
  ])
    await upgrade.query(
      `update ${catalog} set ${column} = replace(${column}::text, '${table}_before'::regcollation::oid::text,
         '${table}_after'::regcollation::oid::text)::${type} where ${catalog === 'pg_index' ? 'indrelid' : 'attrelid'} = '${table}'::regclass`,
    );
  await upgrade.end();
  expect(await pay(...keys)).toEqual(keys.map(() => false));
  expect(paid()).toBe(keys.length);
});

test('a dump that is restored while a program runs prevents what it has, and what was claimed since is lost', async () => {
  const table = await newTable();
  const { pay, paid } = payments(table);
  const run = (program: string, args: readonly string[], input = ''): string => {
    const { status, stdout, stderr } = spawnSync(program, [...args, connectionString], { encoding: 'utf8', input });
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  };
  await pay('before');
  const dump = run('pg_dump', ['--clean', `--table=${table}`]);
  await pay('since');
  run('psql', ['--quiet', '--output=/dev/null', '--set=ON_ERROR_STOP=1'], dump);
  expect(await pay('before', 'since', 'after')).toEqual([false, true, true]);
  expect(await pay('before', 'since', 'after')).toEqual([false, false, false]);
  expect(paid()).toBe(4);
});

describe('a journal in PostgreSQL, on a pool of pg', () => {
  // One connection, as of the tests in test/journal, shows the other rules.
  test.each(journalContract.filter(({ name }) => /at the same time|^of many|^no claim/.test(name)))(
    '$name',
    async ({ check }) => check(new PostgresJournal(pool, { table: await newTable() })),
  );

  test('of many concurrent releases of an intent without an entry, none fails', async () => {
    const journal = new PostgresJournal(pool, { table: await newTable() });
    for (let quote = 0; quote < 300; quote += 1) {
      const intent = intentFor(`quo_${quote}`);
      await Promise.all(Array.from({ length: 20 }, () => journal.resolve(intent, { outcome: 'not-created' })));
      expect(await journal.claim(intentFor(`quo_${quote}`))).toBe(true);
    }
  });

  test('a claim that waits for another transaction sees its result', async () => {
    const table = await newTable();
    const journal = new PostgresJournal(pool, { table });
    const holder = await pool.connect();
    onTestFinished(() => holder.release());
    const first = intentFor('quo_1');
    await holder.query('begin');
    await new PostgresJournal(holder, { table }).claim(first);
    const second = journal.claim(intentFor('quo_1'));
    await holder.query('commit');
    expect(await second).toEqual({ intent: first });
  });

  test('a claim is on disk before it returns, although the role commits asynchronously', async () => {
    const table = await newTable();
    const role = `${table}_role`;
    await pool.query(`
      create role ${role} login; alter role ${role} set synchronous_commit = off; ${recordCommits(table)}
      grant all on ${table}, ${table}_commits to ${role}`);
    const asynchronous = new Pool({ connectionString: connectionString.replace(/(?<=:\/\/)[^@]+/, role) });
    onTestFinished(() => asynchronous.end());
    expect((await asynchronous.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }]);
    const journal = new PostgresJournal(asynchronous, { table });
    for (let quote = 0; quote < 50; quote += 1) {
      const intent = intentFor(`quo_${quote}`);
      await journal.claim(intent);
      await expectFlushed();
      await journal.resolve(intent, { outcome: 'not-created' });
      await expectFlushed();
    }
    async function expectFlushed(): Promise<void> {
      const { rows } = await pool.query(
        `select distinct synchronous_commit, wal_end < pg_current_wal_flush_lsn() as flushed from ${table}_commits`,
      );
      expect(rows).toEqual([{ synchronous_commit: 'on', flushed: true }]);
    }
  });

  test('processes can run the migration at the same time', async () => {
    const table = `journal_${process.pid}_concurrent`;
    await Promise.all(Array.from({ length: 20 }, () => pool.query(postgresMigration(table))));
    expect(await new PostgresJournal(pool, { table }).claim(intentFor('quo_1'))).toBe(true);
    expect((await pool.query('select from pg_indexes where tablename = $1', [table])).rows).toHaveLength(4);
  });

  test('a role needs the grants that the error names, and no more, for a journal and for a mirror', async () => {
    const name = `granted_${process.pid}`;
    await pool.query(`
      create role ${name} login; create schema ${name};
      ${postgresMigration(`${name}.journal`)} ${postgresMirrorTables(name)}`);
    const ofRole = new Pool({ connectionString: connectionString.replace(/(?<=:\/\/)[^@]+/, name) });
    onTestFinished(() => ofRole.end());
    const platform = createMockPlatform();
    const journal = new PostgresJournal(ofRole, { table: `${name}.journal` });
    const corridor = new Corridor({ ...platform.clientOptions(), journal });
    const order = platform.payments.createParams();
    const pay = () => corridor.payments.createOnce(order, { idempotencyKey: 'order-1' });
    const sync = () => corridor.sync(new PostgresMirror(ofRole, { schema: name }), { once: true });
    const grants = [`grant usage on schema ${name} to ${name}`, `grant select, insert, update, delete on`];
    for (const grant of ['select', grants[0]]) {
      await pool.query(String(grant));
      await expect(pay()).rejects.toThrow(
        new RegExp(
          `lacks a permission on the journal's table ${name}.journal, .* \\(42501\\).* grant usage on its schema`,
        ),
      );
      await expect(sync()).rejects.toThrow(new RegExp(`lacks a permission on the schema ${name} .* \\(42501\\)`));
    }
    expect(platform.requests.to('payments.create')).toHaveLength(0);
    await pool.query(`${grants[1]} all tables in schema ${name} to ${name}`);
    expect(await pay()).toMatchObject({ created: true });
    expect(await sync()).toMatchObject({ filled: true });
    expect(await journal.listPending()).toEqual([]);
    expect(await journal.purge(new Date())).toBeGreaterThan(0);
  });

  test('a claim that is committed after its call gave up, as for a locked table, leaves the order to others', async () => {
    const table = await newTable();
    const impatient = new Pool({ connectionString, query_timeout: 100, max: 60 });
    impatient.on('error', () => undefined);
    onTestFinished(() => impatient.end());
    const platform = createMockPlatform();
    const orders = Array.from({ length: 15 }, () => platform.payments.createParams({ amount: '10.00' }));
    const payAll = (journal: PostgresJournal) => {
      const corridor = new Corridor({ ...platform.clientOptions(), journal });
      return Promise.allSettled(
        orders.map((order, index) => corridor.payments.createOnce(order, { idempotencyKey: `order-${index}` })),
      );
    };
    const holder = await pool.connect();
    onTestFinished(() => holder.release());
    await holder.query(`begin; lock table ${table}`);
    const journal = new PostgresJournal(impatient, { table: `public.${table}` });
    for (const result of await payAll(journal))
      expect(result).toMatchObject({ reason: { code: 'journal', outcome: 'not-sent' } });
    await holder.query('commit');
    const running = "select from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()";
    await expect.poll(() => pool.query(running, [`%${table}%`]).then(({ rows }) => rows.length)).toBe(0);
    for (const result of await payAll(new PostgresJournal(pool, { table })))
      expect(result).toMatchObject({ value: { created: true } });
    expect(platform.requests.to('payments.create')).toHaveLength(orders.length);
  });

  test.each(['repeatable read', 'serializable'])(
    'a claim or a release that loses a race is repeated if the default isolation is %s',
    async (isolation) => {
      const table = await newTable();
      const options = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`;
      const isolated = new Pool({ connectionString, options });
      onTestFinished(() => isolated.end());
      const holder = await pool.connect();
      onTestFinished(() => holder.release());
      const [ofHolder, journal] = [holder, isolated].map((each) => new PostgresJournal(each, { table })) as [
        PostgresJournal,
        PostgresJournal,
      ];
      const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like $1";
      const afterRace = async <T>(first: () => Promise<unknown>, second: () => Promise<T>): Promise<T> => {
        await holder.query('begin');
        await first();
        const result = second();
        await expect.poll(() => pool.query(waiting, [`%${table}%`]).then(({ rows }) => rows.length)).toBe(1);
        await holder.query('commit');
        return result;
      };
      const intent = intentFor('quo_1');
      expect(
        await afterRace(
          () => ofHolder.claim(intent),
          () => journal.claim(intentFor('quo_1')),
        ),
      ).toEqual({ intent });
      const resolution = { outcome: 'created', paymentId: 'pay_1' } as const;
      await afterRace(
        () => ofHolder.resolve(intent, resolution),
        () => journal.resolve(intent, { outcome: 'not-created' }),
      );
      expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent, resolution });
    },
  );
});

test('8 processes that race for the same 200 quotes create 200 payments, and agree on the payment of each quote', async () => {
  // Quotes are reusable here, so that only the journal prevents more payments.
  const served = await serveMockPlatform({ quotes: 'reusable' });
  onTestFinished(() => served.close());
  const { platform } = served;
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
  const payments = Array.from({ length: 200 }, () => payablePayment(platform));
  const table = await newTable();

  const racers = Array.from({ length: 8 }, () => start('race', [connectionString, table], environment));
  await Promise.all(racers.map((racer) => racer.printed('ready')));
  // Each begins at another payment: in the same order, the first process could stay ahead of all others.
  for (const [index, { process: child }] of racers.entries())
    child.stdin.end(JSON.stringify([...payments.slice(index * 25), ...payments.slice(0, index * 25)]));
  const results = (await Promise.all(racers.map(({ ended }) => ended))).map(
    (output) =>
      JSON.parse(output.replace('ready', '')) as {
        readonly paid: Readonly<Record<string, string>>;
        readonly created: number;
      },
  );

  const made = platform.payments.all();
  expect(made).toHaveLength(200);
  const byQuote = Object.fromEntries(made.map(({ paymentQuoteId, id }) => [paymentQuoteId, id]));
  expect(Object.keys(byQuote)).toHaveLength(200);
  for (const { paid } of results) expect(paid).toEqual(byQuote);
  expect(results.reduce((sum, { created }) => sum + created, 0)).toBe(200);
  expect(platform.requests.to('payments.create')).toHaveLength(200);
  expect(results.filter(({ created }) => created > 0).length).toBeGreaterThan(1);
  expect(await new PostgresJournal(pool, { table }).listPending()).toEqual([]);
});

test.each(killPoints)(
  'an order that two processes pay with different quotes, of which one is killed at point %i, is paid once',
  async (killedAt) => {
    const table = await newTable();
    const journal = new PostgresJournal(pool, { table });
    await payWhileKilled({ journal, programArguments: [connectionString, table] }, killedAt);
  },
);
