import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { Corridor } from 'corridor-sdk';
import { PostgresJournal, postgresMigration, type PostgresPool } from 'corridor-sdk/journal/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart } from '../mock/fixture.js';
import { contract, intentFor } from './contract.ts';

let database: PGlite;
let tables = 0;

beforeAll(async () => {
  database = await PGlite.create();
}, 60_000);

afterAll(() => database.close());

/** A journal in a table of its own. */
async function open(pool: PostgresPool = database): Promise<PostgresJournal> {
  const table = `journal_${(tables += 1)}`;
  await database.exec(postgresMigration(table));
  return new PostgresJournal(pool, { table });
}

describe('a journal in a PostgreSQL table', () => {
  test.each(contract)('%s', async (_rule, shows) => shows(await open()));

  test('claims by one statement, and puts no value into it', async () => {
    const asked: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    const journal = await open({
      async query(text, values) {
        asked.push({ text, values });
        return database.query(text, values);
      },
    });
    const intent = intentFor('quo_secret');
    await journal.claim(intent);
    await journal.settle('quo_secret', { outcome: 'created', paymentId: 'pay_secret' });
    await journal.open();
    expect(asked.map(({ values }) => values)).toEqual([['quo_secret', JSON.stringify(intent)], ['quo_secret', 'created', 'pay_secret'], []]);
    expect(asked.filter(({ text }) => text.includes('secret'))).toEqual([]);
  });

  test('a record that gives way just when it is looked at is claimed', async () => {
    let inBetween = true;
    const journal = await open({
      async query(text, values) {
        if (inBetween && text.trimStart().startsWith('select')) {
          inBetween = false;
          await journal.settle('quo_1', { outcome: 'not-created' });
        }
        return database.query(text, values);
      },
    });
    await journal.claim(intentFor('quo_1'));
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  });

  test('a table that takes nothing and shows nothing is an error, and no endless loop', async () => {
    const journal = new PostgresJournal({ query: async () => ({ rows: [] }) });
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('neither takes a record nor shows');
  });
});

describe('the migration', () => {
  test('stands in the docs', async () => {
    expect(await readFile('docs/exactly-once.md', 'utf8')).toContain(`\n${postgresMigration()}\`\`\`\n`);
  });

  test('can be run again, and keeps what is there', async () => {
    await database.exec(postgresMigration());
    const journal = new PostgresJournal(database);
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    await database.exec(postgresMigration());
    expect(await journal.open()).toEqual([intent]);
  });

  test('makes the table in a schema that it names', async () => {
    await database.exec('create schema payments');
    await database.exec(postgresMigration('payments.order'));
    const journal = new PostgresJournal(database, { table: 'payments.order' });
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    expect((await database.query('select count(*)::int as count from payments."order"')).rows).toEqual([{ count: 1 }]);
  });

  test.each(['x; drop table y', 'a"b', 'A', '', 'a.b.c', '.a', 'a.', '1a', 'a b', 'ä', 'a'.repeat(59), null, 7])('a table named %j is refused', (table) => {
    const refused = { name: 'ConfigurationError', message: expect.stringContaining('small letters') as unknown };
    expect(() => postgresMigration(table as string)).toThrow(expect.objectContaining(refused) as Error);
    expect(() => new PostgresJournal(database, { table: table as string })).toThrow(expect.objectContaining(refused) as Error);
  });

  test('takes names up to where PostgreSQL would cut that of the index', async () => {
    const table = 'a'.repeat(58);
    await database.exec(postgresMigration(table));
    expect((await database.query('select indexname from pg_indexes where indexname = $1', [`${table}_open`])).rows).toHaveLength(1);
  });
});

test.each([[null], [{}], ['postgres://localhost'], [{ query: 'select' }]])('%j is no pool', (pool) => {
  expect(() => new PostgresJournal(pool as unknown as PostgresPool)).toThrow('must have a function "query"');
});

test.each<[string, PostgresPool['query'], string]>([
  ['cannot be reached', () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' })), 'ECONNREFUSED'],
  ['has no table', (text, values) => database.query(text.replaceAll('corridor_journal', 'missing'), values), '42P01'],
  ['throws at once', () => { throw new Error('the pool has ended'); }, 'Error'],
])('a database that %s refuses a payment before anything is sent', async (_name, query, code) => {
  const platform = platformAtStart();
  const corridor = new Corridor({ ...platform.clientOptions(), journal: new PostgresJournal({ query }) });
  const call = corridor.payments.createOnce(payablePayment(platform));
  await expect(call).rejects.toMatchObject({ code: 'configuration', outcome: 'not-sent', message: `payments.create was not sent: the journal could not be reached (${code})` });
  await expect(corridor.payments.recover()).rejects.toMatchObject({ code: 'configuration', message: `payments.recover: the journal could not be read (${code})` });
  expect(platform.requests).toHaveLength(0);
});
