import { PGlite } from '@electric-sql/pglite';
import { Corridor, type JournalError } from 'corridor-sdk';
import { PostgresJournal, postgresMigration, type PostgresPool } from 'corridor-sdk/journal/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart } from '../mock/fixture.ts';
import { journalContract } from 'corridor-sdk/journal/testing';
import { intentFor } from './intent-for.ts';
import { recordCommits } from './record-commits.ts';

let database: PGlite;
let tables = 0;

beforeAll(async () => {
  database = await PGlite.create();
}, 180_000);

afterAll(() => database.close());

const newTable = (): string => `journal_${(tables += 1)}`;

/** A journal in a new table. */
async function open(pool: PostgresPool = database): Promise<PostgresJournal> {
  const table = newTable();
  await database.exec(postgresMigration(table));
  return new PostgresJournal(pool, { table });
}

describe('a journal in a PostgreSQL table', () => {
  test.each(journalContract)('$name', async ({ check }) => check(await open()));

  test('claims with one statement, and passes values as parameters', async () => {
    const queries: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    const journal = await open({
      async query(text, values) {
        queries.push({ text, values });
        return database.query(text, values);
      },
    });
    const intent = intentFor('quo_secret', {}, { idempotencyKey: 'key-secret', sendUntil: '2026-03-01T09:01:30.000Z' });
    await journal.claim(intent);
    await journal.resolve(intent, { outcome: 'not-created' });
    await journal.resolve(intent, { outcome: 'created', paymentId: 'pay_secret' });
    await journal.listPending();
    const stored = [intent.id, 'quo_secret', 'key-secret', JSON.stringify(intent)];
    expect(queries.map(({ values }) => values)).toEqual([
      [expect.stringMatching(/^journal_\d+$/)],
      [...stored, 90_000],
      [...stored, 'not-created', null, 'false'],
      [...stored, 'created', 'pay_secret', 'false'],
      [],
    ]);
    expect(queries.filter(({ text }) => text.includes('secret'))).toEqual([]);
  });

  test('an entry that is released while it is read is claimed', async () => {
    let inBetween = true;
    const first = intentFor('quo_1');
    const journal = await open({
      async query(text, values) {
        if (inBetween && text.includes('limit 1')) {
          inBetween = false;
          await journal.resolve(first, { outcome: 'not-created' });
        }
        return database.query(text, values);
      },
    });
    await journal.claim(first);
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  });

  test('entries that are claimed at the same instant are listed in the order of their claims', async () => {
    const table = newTable();
    await database.exec(postgresMigration(table));
    const journal = new PostgresJournal(database, { table });
    const intents = ['quo_4', 'quo_2', 'quo_3', 'quo_1'].map((quote) => intentFor(quote));
    for (const intent of intents) await journal.claim(intent);
    await database.exec(`update ${table} set claimed_at = '2020-01-01'`);
    expect(await journal.listPending()).toEqual(intents);
  });

  test('a table that neither stores nor returns an entry causes an error after 20 attempts', async () => {
    let queries = 0;
    const journal = new PostgresJournal(
      { query: async () => ((queries += 1), { rows: [] }) },
      { table: 'payments.journal' },
    );
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('could neither be claimed nor read');
    expect(queries).toBe(3 * 20);
  });
});

test('every write is committed with synchronous_commit = on, whatever the default of the connection', async () => {
  const table = newTable();
  await database.exec(`${postgresMigration(table)} ${recordCommits(table)} set synchronous_commit = off`);
  const journal = new PostgresJournal(database, { table });
  const [first, second] = [intentFor('quo_1'), intentFor('quo_1')];
  await journal.claim(first);
  await journal.resolve(first, { outcome: 'not-created' });
  await journal.claim(second);
  await journal.resolve(second, { outcome: 'created', paymentId: 'pay_1' });
  const { rows } = await database.query(`select synchronous_commit from ${table}_commits`);
  expect(rows).toEqual(Array.from({ length: 4 }, () => ({ synchronous_commit: 'on' })));
  expect((await database.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }]);
  await database.exec('reset synchronous_commit');
});

test.each([
  ['for longer than its process may send', '90001 milliseconds', []],
  ['for as long as its process may send', '89000 milliseconds', [{ quote: 'quo_1' }]],
])('a claim that waited %s for PostgreSQL is stored accordingly', async (_how, waited, stored) => {
  const table = newTable();
  await database.exec(postgresMigration(table));
  const query: PostgresPool['query'] = (text, values) =>
    // As if the transaction had begun earlier, and waited for a lock since.
    database.query(text.replace(' pg_catalog.now()', ` (now() - interval '${waited}')`), values);
  const journal = new PostgresJournal({ query }, { table });
  const times = { createdAt: '2026-03-01T09:00:00.000Z', sendUntil: '2026-03-01T09:01:30.000Z' };
  await journal.claim(intentFor('quo_1', {}, times)).catch(() => {});
  expect((await database.query(`select quote from ${table}`)).rows).toEqual(stored);
});

describe('the migration', () => {
  test('can be run again, and keeps existing rows', async () => {
    await database.exec(`drop table if exists corridor_journal; ${postgresMigration()}`);
    const journal = new PostgresJournal(database);
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    await database.exec(postgresMigration());
    expect(await journal.listPending()).toEqual([intent]);
  });

  test('creates the table and its indexes in a schema, with names that no other table has', async () => {
    await database.exec('drop schema if exists payments cascade; create schema payments');
    await database.exec(postgresMigration('payments.order'));
    const journal = new PostgresJournal(database, { table: 'payments.order' });
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    expect((await database.query('select count(*)::int as count from payments."order"')).rows).toEqual([{ count: 1 }]);
    const definitions = "select indexdef from pg_indexes where schemaname = 'payments' order by indexdef";
    const { rows } = await database.query<{ readonly indexdef: string }>(definitions);
    expect(rows.map(({ indexdef }) => indexdef.replace(/INDEX \w+ /, ''))).toEqual([
      'CREATE ON payments."order" USING btree (claimed_at) WHERE (outcome IS NULL)',
      'CREATE UNIQUE ON payments."order" USING btree (idempotency_key, released)',
      'CREATE UNIQUE ON payments."order" USING btree (intent_id)',
      'CREATE UNIQUE ON payments."order" USING btree (quote, released)',
    ]);
    await database.exec(postgresMigration('payments.order'));
    expect((await database.query(definitions)).rows).toEqual(rows);
  });

  test.each(['x; drop table y', 'a"b', 'A', '', 'a.b.c', '.a', 'a.', '1a', 'a b', 'ä', 'a'.repeat(64), null, 7])(
    'rejects a table named %j',
    (table) => {
      const configurationError = {
        name: 'ConfigurationError',
        message: expect.stringContaining('lowercase letters') as unknown,
      };
      expect(() => postgresMigration(table as string)).toThrow(expect.objectContaining(configurationError) as Error);
      expect(() => new PostgresJournal(database, { table: table as string })).toThrow(
        expect.objectContaining(configurationError) as Error,
      );
    },
  );

  test('accepts the longest name', async () => {
    const table = 'a'.repeat(63);
    await database.exec(postgresMigration(table));
    expect((await database.query('select from pg_indexes where tablename = $1', [table])).rows).toHaveLength(4);
    expect(await new PostgresJournal(database, { table }).claim(intentFor('quo_1'))).toBe(true);
  });
});

test.each([[null], [{}], ['postgres://localhost'], [{ query: 'select' }]])('rejects %j as a pool', (pool) => {
  expect(() => new PostgresJournal(pool as unknown as PostgresPool)).toThrow('must have a function "query"');
});

test.each<[string, PostgresPool['query'], string]>([
  [
    'cannot be reached',
    () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' })),
    'ECONNREFUSED). Call again when it is available',
  ],
  [
    'throws at once',
    () => {
      throw new Error('the pool has ended');
    },
    'Error). Find the cause by the error that original() returns, and call again',
  ],
  [
    'rejects without a reason',
    () => Promise.reject(),
    'undefined). Find the cause by the error that original() returns, and call again',
  ],
])('a database that %s prevents a payment before anything is sent', async (_name, query, reason) => {
  const platform = platformAtStart();
  const corridor = new Corridor({ ...platform.clientOptions(), journal: new PostgresJournal({ query }) });
  const call = corridor.payments.createOnce(payablePayment(platform));
  await expect(call).rejects.toMatchObject({
    code: 'journal',
    outcome: 'not-sent',
    message: `payments.create was not sent by this call: the database of the journal failed (${reason}`,
  });
  await expect(corridor.payments.reconcilePending()).rejects.toMatchObject({
    code: 'journal',
    message: `payments.reconcilePending: the database of the journal failed (${reason}`,
  });
  expect(platform.requests).toHaveLength(0);
});

test.each(['never_created', 'payments.never_created'])(
  'a table %s that does not exist prevents a payment, and the error names it and the migration',
  async (table) => {
    await database.exec(`create schema if not exists payments; drop table if exists ${table}`);
    const platform = platformAtStart();
    const journal = new PostgresJournal(database, { table });
    const corridor = new Corridor({ ...platform.clientOptions(), journal });
    const reason = `the journal's table ${table} does not exist in this database (42P01). Run the SQL of postgresMigration('${table}') from corridor-sdk/journal/postgres, or pass the name of the existing one`;
    const error = await corridor.payments.createOnce(payablePayment(platform)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'journal', message: `payments.create was not sent by this call: ${reason}` });
    expect((error as JournalError).original()).toMatchObject({ code: '42P01' });
    await expect(corridor.payments.reconcilePending()).rejects.toMatchObject({
      code: 'journal',
      message: `payments.reconcilePending: ${reason}`,
    });
    expect(platform.requests).toHaveLength(0);

    await database.exec(postgresMigration(table));
    expect((await corridor.payments.createOnce(payablePayment(platform))).created).toBe(true);
  },
);

test('a table of an older version is reported', async () => {
  const table = newTable();
  await database.exec(`create table ${table} (key text primary key, intent_id text not null, intent text not null)`);
  const journal = new PostgresJournal(database, { table });
  await expect(journal.claim(intentFor('quo_1'))).rejects.toMatchObject({
    code: 'journal',
    message: expect.stringMatching(
      `older version .* created the journal's table ${table} \\(42703\\)\\. Rename it, run the SQL of postgresMigration`,
    ) as unknown,
  });
});

describe('a table that lost a unique index', () => {
  const attempts: readonly (readonly [string, (table: string) => string])[] = [
    [
      'by a rename of its old table',
      (table) =>
        `alter table ${table} rename to ${table}_old; create table ${table} (like ${table}_old including defaults including identity)`,
    ],
    ['of its keys', (table) => `drop index ${table}_idempotency_key_released_idx`],
    ['of its quotes', (table) => `drop index ${table}_quote_released_idx`],
    ['of its intents', (table) => `alter table ${table} drop constraint ${table}_pkey`],
    [
      'to one of some rows',
      (table) =>
        `drop index ${table}_quote_released_idx; create unique index on ${table} (quote, released) where outcome is null`,
    ],
    [
      'to one that is not unique',
      (table) => `drop index ${table}_quote_released_idx; create index on ${table} (quote, released)`,
    ],
    [
      'to one that is not valid, as after a build that failed',
      (table) => `update pg_index set indisvalid = false where indexrelid = '${table}_quote_released_idx'::regclass`,
    ],
  ];

  test.each(attempts)('%s prevents payments at once, and the SQL of the error repairs it', async (_how, lose) => {
    const table = newTable();
    await database.exec(postgresMigration(table));
    const platform = platformAtStart();
    const journal = new PostgresJournal(database, { table });
    const corridor = new Corridor({ ...platform.clientOptions(), journal });
    const order = payablePayment(platform);
    const pay = () => corridor.payments.createOnce(order, { idempotencyKey: 'order-1' });
    await database.exec(lose(table));
    const reason = `the journal's table ${table} lacks a unique index that the journal needs, as after a restore or a copy (42P10). Run the SQL of postgresMigration('${table}') from corridor-sdk/journal/postgres again, which creates those that are missing: create unique index on ${table} (intent_id collate "C"); create unique index on ${table} (quote collate "C", released collate "C"); create unique index on ${table} (idempotency_key collate "C", released collate "C")`;
    await expect(pay()).rejects.toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
      message: `payments.create was not sent by this call: ${reason}`,
    });
    expect(platform.requests.to('payments.create')).toEqual([]);

    await database.exec(postgresMigration(table));
    expect(await pay()).toMatchObject({ created: true });
    expect(await pay()).toMatchObject({ created: false });
    expect(platform.requests.to('payments.create')).toHaveLength(1);
  });

  test('while it is used prevents payments from then on', async () => {
    const table = newTable();
    await database.exec(postgresMigration(table));
    const journal = new PostgresJournal(database, { table });
    const first = intentFor('quo_1');
    expect(await journal.claim(first)).toBe(true);
    await database.exec(`drop index ${table}_quote_released_idx`);
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('lacks a unique index');
    await journal.resolve(first, { outcome: 'created', paymentId: 'pay_1' });
    expect(await journal.listPending()).toEqual([]);
  });

  test('to its partitions prevents payments, and the SQL says why', async () => {
    const [template, table] = [newTable(), newTable()];
    await database.exec(postgresMigration(template));
    await database.exec(`create table ${table} (like ${template}) partition by range (claimed_at)`);
    await expect(new PostgresJournal(database, { table }).claim(intentFor('quo_1'))).rejects.toThrow(
      'lacks a unique index',
    );
    await expect(database.exec(postgresMigration(table))).rejects.toThrow('must include all partitioning columns');
  });

  test('and has two entries of a quote is not repaired', async () => {
    const table = newTable();
    await database.exec(`${postgresMigration(table)} drop index ${table}_quote_released_idx;
      insert into ${table} (intent_id, quote, intent) values ('1', 'quo_1', ''), ('2', 'quo_1', '')`);
    await expect(database.exec(postgresMigration(table))).rejects.toThrow('could not create unique index');
  });

  test('or its defaults prevents payments, and the error says how to copy it', async () => {
    const [template, table] = [newTable(), newTable()];
    await database.exec(postgresMigration(template));
    await database.exec(`create table ${table} (like ${template} including indexes)`);
    await expect(new PostgresJournal(database, { table }).claim(intentFor('quo_1'))).rejects.toThrow(
      `the journal's table ${table} lacks a default, as after a copy (23502). Copy it again with "like ... including all", or restore it from a dump`,
    );
  });
});

describe('a table that a crash of the server empties', () => {
  test.each([
    ['table', ''],
    ['table that is used', ''],
    ['table with the name of its schema', 'public.'],
  ])('because it is unlogged, as a %s, prevents payments until it is logged', async (how, schema) => {
    const table = newTable();
    await database.exec(postgresMigration(table));
    const journal = new PostgresJournal(database, { table: `${schema}${table}` });
    if (how === 'table that is used') expect(await journal.claim(intentFor('quo_0'))).toBe(true);
    await database.exec(`alter table ${table} set unlogged`);
    const platform = platformAtStart();
    const corridor = new Corridor({ ...platform.clientOptions(), journal });
    const order = payablePayment(platform);
    const pay = () => corridor.payments.createOnce(order, { idempotencyKey: 'order-1' });
    await expect(pay()).rejects.toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
      message: expect.stringContaining('is unlogged or temporary'),
    });
    expect(platform.requests.to('payments.create')).toEqual([]);
    await database.exec(`alter table ${table} set logged`);
    expect(await pay()).toMatchObject({ created: true });
  });

  test('because it is temporary prevents payments', async () => {
    const table = newTable();
    const journal = new PostgresJournal(database, { table: `pg_temp.${table}` });
    await database.exec(postgresMigration(`pg_temp.${table}`));
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('is unlogged or temporary');
  });
});

describe('names that are taken', () => {
  // As the SQL of earlier versions created it.
  const earlier = (table: string): string => `
    create table ${table} (intent_id text primary key, quote text not null, idempotency_key text, intent text not null,
      outcome text check (outcome in ('created', 'not-created')), payment_id text, released text not null default '',
      claimed_at timestamptz not null default now(), claim_number bigint generated always as identity,
      resolved_at timestamptz);
    create unique index ${table}_quote on ${table} (quote, released);
    create unique index ${table}_key on ${table} (idempotency_key, released);
    create index ${table}_open on ${table} (claimed_at) where outcome is null;`;

  async function expectExclusive(table: string): Promise<void> {
    const journal = new PostgresJournal(database, { table });
    const intent = intentFor('quo_1', {}, { idempotencyKey: 'order-1' });
    expect(await journal.claim(intent)).toBe(true);
    expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent });
    expect(await journal.claim(intentFor('quo_2', {}, { idempotencyKey: 'order-1' }))).toEqual({ intent });
  }

  test('by the indexes of a table that was renamed, as the error advises, do not keep a new one from its own', async () => {
    const table = newTable();
    await database.exec(`${earlier(table)} alter table ${table} rename to ${table}_old; ${postgresMigration(table)}`);
    await expectExclusive(table);
  });

  test('by other tables do not either', async () => {
    const table = newTable();
    const suffixes = ['quote', 'key', 'open', 'pkey', 'quote_released_idx', 'quote_released_key'];
    await database.exec(suffixes.map((suffix) => `create table ${table}_${suffix} (id integer);`).join(''));
    await database.exec(postgresMigration(table));
    await expectExclusive(table);
  });

  test('a table of an earlier version, whose indexes have the collation of the database, sends nothing until the SQL ran', async () => {
    const table = newTable();
    await database.exec(earlier(table));
    const journal = new PostgresJournal(database, { table });
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('create unique index on');
    for (let count = 0; count < 2; count += 1) await database.exec(postgresMigration(table));
    await expectExclusive(table);
    expect((await database.query('select from pg_indexes where tablename = $1', [table])).rows).toHaveLength(7);
  });
});

describe('a table without a schema', () => {
  test('is the same one for connections whose search_path differs', async () => {
    const table = newTable();
    await database.exec(`create schema ${table}_a; create schema ${table}_b; set search_path = ${table}_a`);
    await database.exec(postgresMigration(table));
    const intent = intentFor('quo_1');
    expect(await new PostgresJournal(database, { table }).claim(intent)).toBe(true);
    await database.exec(`set search_path = ${table}_b`);
    expect(await new PostgresJournal(database, { table }).claim(intentFor('quo_1'))).toEqual({ intent });
    await database.exec('reset search_path');
  });

  test('that exists in two schemas prevents payments, until its name has the schema', async () => {
    const table = newTable();
    await database.exec(`create schema ${table}_a; create schema "Two ""b"; set search_path = ${table}_a`);
    await database.exec(postgresMigration(table));
    const before = new PostgresJournal(database, { table });
    const intent = intentFor('quo_1');
    await before.claim(intent);
    await database.exec('set search_path = "Two ""b"');
    await database.exec(postgresMigration(table));
    await database.exec('reset search_path');
    await expect(new PostgresJournal(database, { table }).claim(intentFor('quo_1'))).rejects.toMatchObject({
      code: 'journal',
      message: `the journal's table ${table} exists in more than one schema, so that processes can use different ones: "Two ""b".${table}, ${table}_a.${table}. Pass one of these names as table`,
    });
    // A process that has found its table keeps it.
    expect(await before.claim(intentFor('quo_1'))).toEqual({ intent });
    expect(await new PostgresJournal(database, { table: `${table}_a.${table}` }).claim(intentFor('quo_1'))).toEqual({
      intent,
    });
  });

  test('is not a view of the same name, unless there is only a view', async () => {
    const table = newTable();
    await database.exec(`create schema ${table}_a; ${postgresMigration(table)}
      create view ${table}_a.${table} as select * from public.${table}`);
    const intent = intentFor('quo_1');
    await database.exec(`set search_path = ${table}_a, public`);
    expect(await new PostgresJournal(database, { table }).claim(intent)).toBe(true);
    await database.exec(`reset search_path; alter table ${table} rename to ${table}_renamed`);
    const throughView = new PostgresJournal(database, { table });
    expect(await throughView.claim(intentFor('quo_1'))).toEqual({ intent });
    await throughView.resolve(intent, { outcome: 'not-created' });
    expect(await throughView.claim(intentFor('quo_1'))).toBe(true);
    await database.exec(`drop index ${table}_quote_released_idx`);
    await expect(throughView.claim(intentFor('quo_2'))).rejects.toThrow('lacks a unique index');
  });

  test('is not a temporary one', async () => {
    const table = newTable();
    await database.exec(`${postgresMigration(table)} create temporary table ${table} (like ${table} including all)`);
    await new PostgresJournal(database, { table }).claim(intentFor('quo_1'));
    expect((await database.query(`select from public.${table}`)).rows).toHaveLength(1);
  });
});

test('functions of the same names in the search_path are not used', async () => {
  const table = newTable();
  await database.exec(`${postgresMigration(table)} create schema ${table};
    create function ${table}.now() returns timestamptz language sql as $$ select '2020-01-01'::timestamptz $$;
    create function ${table}.to_char(timestamp, text) returns text language sql as $$ select 'x' $$;
    create function ${table}.set_config(text, text, boolean) returns text language sql as $$ select 'x' $$;
    set search_path = ${table}, pg_catalog, public; set synchronous_commit = off;`);
  const intent = intentFor('quo_1', {}, { sendUntil: '2026-03-01T09:01:30.000Z' });
  const journal = new PostgresJournal(database, { table });
  expect(await journal.claim(intent)).toBe(true);
  await journal.resolve(intent, { outcome: 'created', paymentId: 'pay_1' });
  expect(await journal.purge(new Date('2020-01-02'))).toBe(0);
  const damaged = intentFor('quo_2');
  await journal.claim(damaged);
  await database.exec(`update public.${table} set intent = '{' where outcome is null`);
  expect(Date.parse((await journal.listPending())[0]?.createdAt ?? '')).toBeGreaterThan(Date.parse('2026-01-01'));
  await database.exec('reset search_path; reset synchronous_commit');
});

test('what is read depends neither on the parsers of a driver nor on DateStyle and TimeZone', async () => {
  const table = newTable();
  await database.exec(postgresMigration(table));
  // All types but text (25).
  const oids = [16, 17, 19, 20, 21, 23, 114, 700, 701, 1043, 1082, 1083, 1114, 1184, 1186, 1700, 2950, 3802];
  const parsers = Object.fromEntries(oids.map((oid) => [oid, () => 'parsed by an application']));
  const journal = new PostgresJournal(
    { query: (text, values) => database.query(text, values, { parsers }) },
    { table },
  );
  const [intent, damaged] = [intentFor('quo_1', {}, { idempotencyKey: 'order-1' }), intentFor('quo_2')];
  await database.exec("set datestyle = 'German'; set timezone = 'Asia/Kathmandu'");
  for (const each of [intent, damaged]) expect(await journal.claim(each)).toBe(true);
  expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent });
  await database.exec(
    `update ${table} set intent = '{', claimed_at = '2026-03-01 09:00:00.25+00' where intent_id = '${damaged.id}'`,
  );
  expect(await journal.listPending()).toEqual([
    expect.objectContaining({ id: damaged.id, createdAt: '2026-03-01T09:00:00.250Z' }),
    intent,
  ]);
  await journal.resolve(intent, { outcome: 'created', paymentId: '7' });
  expect(await journal.claim(intentFor('quo_1'))).toEqual({
    intent,
    resolution: { outcome: 'created', paymentId: '7' },
  });
  expect(await journal.purge(new Date(Date.now() + 60_000))).toBe(1);
  await database.exec('reset datestyle; reset timezone');
});

test.each<[string, (rows: readonly object[]) => unknown, string]>([
  ['the rows and their metadata, as Sequelize', (rows) => [rows, {}], 'a list and an object'],
  ['rows as lists', (rows) => rows.map((row) => Object.values(row)), 'a list'],
  ['rows with other columns', () => [{ id: 1 }], 'an object with id'],
  ['no rows', () => undefined, 'undefined as rows'],
])('a query function that returns %s grants no claim', async (_what, wrap, received) => {
  const table = newTable();
  await database.exec(postgresMigration(table));
  const query = async (text: string, values: unknown[]) =>
    ({ rows: wrap((await database.query<object>(text, values)).rows) }) as { readonly rows: readonly unknown[] };
  await expect(
    new PostgresJournal({ query }, { table: `public.${table}` }).claim(intentFor('quo_1')),
  ).rejects.toMatchObject({
    code: 'journal',
    message: expect.stringMatching(new RegExp(`must return { rows }, at most one object .*${received}\\)`)) as unknown,
  });
});

test('a statement that returns the claim of another intent grants no claim', async () => {
  const table = newTable();
  await database.exec(postgresMigration(table));
  const other = { rows: [{ intentId: crypto.randomUUID() }] };
  const query = async (text: string, values: unknown[]) =>
    text.includes('insert into') && text.includes('$5') && !text.includes('excluded')
      ? other
      : database.query(text, values);
  await expect(
    new PostgresJournal({ query }, { table: `public.${table}` }).claim(intentFor('quo_1')),
  ).rejects.toMatchObject({ code: 'journal' });
});
