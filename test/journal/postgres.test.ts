import { PGlite } from '@electric-sql/pglite';
import { Corridor, type JournalError } from 'corridor-sdk';
import { PostgresJournal, postgresMigration, type PostgresPool } from 'corridor-sdk/journal/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart } from '../mock/fixture.js';
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
    const intent = intentFor('quo_secret', {}, { idempotencyKey: 'key-secret' });
    await journal.claim(intent);
    await journal.resolve(intent, { outcome: 'not-created' });
    await journal.resolve(intent, { outcome: 'created', paymentId: 'pay_secret' });
    await journal.listPending();
    expect(queries.map(({ values }) => values)).toEqual([
      [intent.id, 'quo_secret', 'key-secret', JSON.stringify(intent)],
      [intent.id, 'not-created', null],
      [intent.id, 'created', 'pay_secret'],
      [],
    ]);
    expect(queries.filter(({ text }) => text.includes('secret'))).toEqual([]);
  });

  test('an entry that is released while it is read is claimed', async () => {
    let inBetween = true;
    const first = intentFor('quo_1');
    const journal = await open({
      async query(text, values) {
        if (inBetween && text.trimStart().startsWith('select')) {
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
    const journal = new PostgresJournal({ query: async () => ((queries += 1), { rows: [] }) });
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('could neither be claimed nor read');
    expect(queries).toBe(2 * 20);
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

describe('the migration', () => {
  test('can be run again, and keeps existing rows', async () => {
    await database.exec(`drop table if exists corridor_journal; ${postgresMigration()}`);
    const journal = new PostgresJournal(database);
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    await database.exec(postgresMigration());
    expect(await journal.listPending()).toEqual([intent]);
  });

  test('creates the table and its indexes in a schema', async () => {
    await database.exec('drop schema if exists payments cascade; create schema payments');
    await database.exec(postgresMigration('payments.order'));
    const journal = new PostgresJournal(database, { table: 'payments.order' });
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    expect((await database.query('select count(*)::int as count from payments."order"')).rows).toEqual([{ count: 1 }]);
    const names = "select indexname from pg_indexes where schemaname = 'payments' order by indexname";
    expect((await database.query<{ readonly indexname: string }>(names)).rows.map((row) => row.indexname)).toEqual(
      ['key', 'open', 'pkey', 'quote'].map((name) => `order_${name}`),
    );
  });

  test.each(['x; drop table y', 'a"b', 'A', '', 'a.b.c', '.a', 'a.', '1a', 'a b', 'ä', 'a'.repeat(58), null, 7])(
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

  test('accepts names whose index name PostgreSQL does not truncate', async () => {
    const table = 'a'.repeat(57);
    await database.exec(postgresMigration(table));
    expect(
      (await database.query('select indexname from pg_indexes where indexname like $1', [`${table}_%`])).rows,
    ).toHaveLength(4);
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
    message: `payments.create was not sent: the database of the journal failed (${reason}`,
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
    const reason = `the journal's table ${table} does not exist in this database, or an older version of this package created it (42P01). Rename an old table and reconcile what it has; run the SQL of postgresMigration('${table}') from corridor-sdk/journal/postgres, or pass the name of the existing table`;
    const error = await corridor.payments.createOnce(payablePayment(platform)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'journal', message: `payments.create was not sent: ${reason}` });
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
    message: expect.stringMatching(`${table} .*older version .*\\(42703\\).*postgresMigration`) as unknown,
  });
});
