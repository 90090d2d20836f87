import { after, before, describe, test } from 'node:test';
import { PostgresJournal, postgresMigration, type PostgresPool } from 'corridor-sdk/journal/postgres';
import { journalContract } from 'corridor-sdk/journal/testing';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import postgres from 'postgres';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { createDatabase, type TestDatabase } from './database.ts';

/** A wrapper of the guide, and how its connections are closed. */
interface Wrapped {
  readonly pool: PostgresPool;
  close(): Promise<unknown>;
}

const wrappers: Readonly<Record<string, (url: string) => Promise<Wrapped>>> = {
  async Drizzle(connectionString) {
    const db = drizzle(new Pool({ connectionString }));
    return { pool: db.$client, close: () => db.$client.end() };
  },
  async Kysely(connectionString) {
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString }) }) });
    const pool: PostgresPool = { query: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) };
    return { pool, close: () => db.destroy() };
  },
  async TypeORM(url) {
    const db = await new DataSource({ type: 'postgres', url }).initialize();
    const pool = (db.driver as unknown as { readonly master: Pool }).master;
    return { pool, close: () => db.destroy() };
  },
  async Sequelize(url) {
    const db = new Sequelize(url, { logging: false });
    const pool: PostgresPool = {
      query: async (text, values) => ({ rows: (await db.query(text, { bind: values, transaction: null }))[0] }),
    };
    return { pool, close: () => db.close() };
  },
  async 'postgres.js'(url) {
    const sql = postgres(url, { onnotice: () => undefined });
    const pool: PostgresPool = { query: async (text, values) => ({ rows: await sql.unsafe(text, values as never[]) }) };
    return { pool, close: () => sql.end() };
  },
};

for (const [name, wrap] of Object.entries(wrappers))
  describe(`a journal over ${name}`, () => {
    let wrapped: Wrapped;
    let database: TestDatabase;
    let count = 0;
    before(async () => {
      database = await createDatabase();
      wrapped = await wrap(database.url);
    });
    after(async () => {
      await wrapped.close();
      await database.drop();
    });

    for (const rule of journalContract)
      test(rule.name, async () => {
        const table = `journal_${(count += 1)}`;
        await database.execute(postgresMigration(table));
        await rule.check(new PostgresJournal(wrapped.pool, { table }), new PostgresJournal(wrapped.pool, { table }));
      });
  });
