import { DatabaseSync } from 'node:sqlite';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { ConfigurationError, JournalError } from 'corridor-sdk';
import { PostgresCheckpointStore, postgresCheckpointMigration } from 'corridor-sdk/journal/postgres';
import { SqliteCheckpointStore, type SqliteDatabase } from 'corridor-sdk/journal/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkpointContract } from './checkpoint-contract.ts';

describe('a checkpoint store in PostgreSQL', () => {
  let database: PGlite;
  let tables = 0;

  beforeAll(async () => {
    database = await PGlite.create();
  }, 180_000);
  afterAll(() => database.close());

  test.each(checkpointContract)('%s', async (_rule, shows) => {
    const table = `checkpoints_${(tables += 1)}`;
    await database.exec(postgresCheckpointMigration(table));
    await shows({
      open: () => new PostgresCheckpointStore(database, { table }),
      expire: async () => void (await database.exec(`update ${table} set expires_at = clock_timestamp()`)),
    });
  });

  test('keeps a lease per name', async () => {
    const table = 'checkpoints_of_two';
    await database.exec(postgresCheckpointMigration(table));
    const stores = ['payouts', 'refunds'].map((name) => new PostgresCheckpointStore(database, { table, name }));
    expect(await Promise.all(stores.map((store) => store.acquire()))).toEqual([
      { checkpoint: undefined },
      { checkpoint: undefined },
    ]);
  });

  test('without its table reports the table and the migration', async () => {
    const store = new PostgresCheckpointStore(database, { table: 'payments.never_created' });
    const error = await store.acquire().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JournalError);
    expect(error).toMatchObject({
      outcome: 'not-sent',
      message:
        "the checkpoint store's table payments.never_created does not exist in this database (42P01). Run the SQL of postgresCheckpointMigration('payments.never_created') from corridor-sdk/journal/postgres, or pass the name of the existing table",
    });
    expect((error as JournalError).original()).toMatchObject({ code: '42P01' });
  });

  test.each([
    ['an empty name', { name: '' }, 'Pass a name such as "payments"'],
    ['a short lease', { leaseDuration: 1 }, 'leaseDuration must be an integer of milliseconds, at least 100'],
    ['a table with other characters', { table: 'a;b' }, 'the table of a PostgreSQL checkpoint store must be named'],
  ])('rejects %s', (_what, options, message) => {
    const open = () => new PostgresCheckpointStore(database, options);
    expect(open).toThrow(ConfigurationError);
    expect(open).toThrow(message);
  });
});

describe('a checkpoint store in SQLite', () => {
  test.each(checkpointContract)('%s', async (_rule, shows) => {
    const database = new DatabaseSync(':memory:');
    await shows({
      open: () => new SqliteCheckpointStore(database),
      expire: async () => database.exec('update corridor_checkpoints set expires_at = 0'),
    });
    database.close();
  });

  test.each(checkpointContract)('a Database of better-sqlite3: %s', async (_rule, shows) => {
    const database = betterSqlite3();
    await shows({
      open: () => new SqliteCheckpointStore(database),
      expire: async () => database.exec('update corridor_checkpoints set expires_at = 0'),
    });
  });

  test('accepts a database whose get returns null if there is no row', async () => {
    const database = new DatabaseSync(':memory:');
    const nullable = {
      exec: (sql: string) => database.exec(sql),
      prepare: (sql: string) => {
        const statement = database.prepare(sql);
        return { get: (...values: (string | number)[]) => statement.get(...values) ?? null };
      },
    } as unknown as SqliteDatabase;
    const [one, other] = [new SqliteCheckpointStore(nullable), new SqliteCheckpointStore(nullable)];
    await one.acquire();
    expect(await other.acquire()).toBeUndefined();
    expect(await other.renew()).toBe(false);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an object without functions', {}],
    ['a database without exec', { prepare: (sql: string) => new DatabaseSync(':memory:').prepare(sql) }],
    ['a database with promises', { exec: () => undefined, prepare: () => ({ get: async () => ({ pair: 'ab' }) }) }],
    ['a database that accepts no values', { exec: () => undefined, prepare: () => ({ get: () => ({ pair: null }) }) }],
  ])('rejects %s', (_what, database) => {
    const create = () => new SqliteCheckpointStore(database as SqliteDatabase);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow('must have the synchronous functions "exec" and "prepare"');
  });

  test('in a file is created with mode 0600, and shared by processes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'corridor-checkpoints-'));
    const path = join(folder, 'payments.sqlite');
    const [one, other] = [new SqliteCheckpointStore(path), new SqliteCheckpointStore(path)];
    expect(await one.acquire()).toEqual({ checkpoint: undefined });
    expect(await other.acquire()).toBeUndefined();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    one.close();
    other.close();
    await rm(folder, { recursive: true });
  });

  test('stores a checkpoint in the transaction of the caller, or not at all', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec('create table outbox (payment text)');
    const store = new SqliteCheckpointStore(database);
    await store.acquire();
    database.exec('begin');
    database.exec("insert into outbox values ('pay_1')");
    await store.save({ version: 1, behind: false });
    database.exec('rollback');
    expect(database.prepare('select count(*) as rows from outbox').get()).toEqual({ rows: 0 });
    await store.release();
    expect(await new SqliteCheckpointStore(database).acquire()).toEqual({ checkpoint: undefined });
    database.close();
  });
});

/** A database that behaves as better-sqlite3: `exec` returns it, and values in order fit only plain placeholders. */
function betterSqlite3(): SqliteDatabase {
  const database = new DatabaseSync(':memory:');
  const better: SqliteDatabase = {
    exec(sql) {
      database.exec(sql);
      return better;
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        get(...values) {
          if (/[?:@$]\w/.test(sql)) throw new RangeError('Too many parameter values were provided');
          return statement.get(...values);
        },
      };
    },
  };
  return better;
}
