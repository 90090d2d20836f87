import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test, type TestContext } from 'node:test';
import { Corridor } from 'corridor-sdk';
import { PostgresMirror, type MirrorTables as PostgresTables } from 'corridor-sdk/mirror/postgres';
import { SqliteMirror, type MirrorTables as SqliteTables } from 'corridor-sdk/mirror/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { Pool } from 'pg';
import { createDatabase } from './database.ts';
import * as drizzlePostgres from './out/drizzle-postgres.ts';
import * as drizzleSqlite from './out/drizzle-sqlite.ts';
import * as kyselyPostgres from './out/kysely-postgres.ts';
import * as kyselySqlite from './out/kysely-sqlite.ts';

/** Every public column of the tables, by the types of both databases. */
const columns = {
  corridor_payments: {
    id: true,
    status: true,
    amount: true,
    currency_code: true,
    customer_id: true,
    beneficiary_id: true,
    payment_quote_id: true,
    internal_reference: true,
    created_at: true,
    updated_at: true,
    data: true,
    observed_at: true,
    missing_since: true,
  },
  corridor_customers: {
    id: true,
    status: true,
    company_name: true,
    created_at: true,
    updated_at: true,
    data: true,
    observed_at: true,
    missing_since: true,
  },
  corridor_beneficiaries: {
    id: true,
    customer_id: true,
    status: true,
    company_name: true,
    currency_code: true,
    created_at: true,
    updated_at: true,
    data: true,
    observed_at: true,
    missing_since: true,
  },
  corridor_changes: {
    sequence: true,
    record: true,
    id: true,
    previous_status: true,
    status: true,
    fields: true,
    observed_at: true,
    updated_at: true,
  },
} as const satisfies { [T in keyof PostgresTables]: { [C in keyof PostgresTables[T]]: true } };
const sameColumns: { [T in keyof SqliteTables]: { [C in keyof SqliteTables[T]]: true } } = columns;
void sameColumns;

/** Payments that a sum with floating-point numbers gets wrong, and their totals. */
function createPlatform() {
  const platform = createMockPlatform({ now: () => Date.UTC(2026, 1, 20) });
  const { id: customerId } = platform.customers.add();
  const add = (month: number, currencyCode: 'USD' | 'DAI' | 'XAF', ...amounts: readonly string[]): void => {
    for (const amount of amounts) {
      const createdAt = new Date(Date.UTC(2026, month, 3)).toISOString();
      platform.payments.add({ customerId, status: 'COMPLETED', currencyCode, amount, createdAt });
    }
  };
  add(0, 'USD', '0.10', '0.20', '90071992547409.93');
  add(0, 'DAI', '0.000000000000000001', '12345678901.1');
  add(1, 'USD', '1250.00');
  add(1, 'XAF', '250');
  platform.payments.add({ id: 'pay_open', customerId, status: 'PROCESSING', memo: 'Invoice 4711' });
  return platform;
}

const totals = [
  { month: '2026-01', currency: 'DAI', total: '12345678901.100000000000000001' },
  { month: '2026-01', currency: 'USD', total: '90071992547410.23' },
  { month: '2026-02', currency: 'USD', total: '1250.00' },
  { month: '2026-02', currency: 'XAF', total: '250' },
];

async function postgresPool(t: TestContext): Promise<Pool> {
  const { url, drop } = await createDatabase();
  const pool = new Pool({ connectionString: url });
  t.after(async () => {
    await pool.end();
    await drop();
  });
  await new Corridor(createPlatform().clientOptions()).sync(new PostgresMirror(pool, { sensitive: true }), {
    once: true,
  });
  return pool;
}

async function sqliteFile(t: TestContext): Promise<string> {
  const folder = mkdtempSync(`${tmpdir()}/corridor-builders-`);
  t.after(() => rmSync(folder, { recursive: true }));
  const file = `${folder}/corridor.sqlite`;
  const mirror = new SqliteMirror(file, { sensitive: true });
  await new Corridor(createPlatform().clientOptions()).sync(mirror, { once: true });
  mirror.close();
  return file;
}

test('Kysely reads PostgreSQL', async (t) => {
  const database = kyselyPostgres.connect(await postgresPool(t));
  assert.deepEqual(await kyselyPostgres.totalsByMonth(database), totals);
  assert.equal(await kyselyPostgres.memoOf(database, 'pay_open'), 'Invoice 4711');

  for (const table of Object.keys(columns) as (keyof typeof columns)[]) {
    const [row] = await database.selectFrom(table).selectAll().limit(1).execute();
    assert.deepEqual(missing(table, row), []);
  }
  const payment = await database.selectFrom('corridor_payments').selectAll().executeTakeFirstOrThrow();
  assert.ok(payment.created_at instanceof Date && payment.observed_at instanceof Date);
  const change = await database.selectFrom('corridor_changes').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([typeof change.sequence, Array.isArray(change.fields)], ['string', true]);
});

test('Kysely reads SQLite', async (t) => {
  const database = kyselySqlite.connect(await sqliteFile(t));
  t.after(() => database.destroy());
  assert.deepEqual(await kyselySqlite.totalsByMonth(database), totals);
  assert.equal(await kyselySqlite.memoOf(database, 'pay_open'), 'Invoice 4711');

  for (const table of Object.keys(columns) as (keyof typeof columns)[]) {
    const [row] = await database.selectFrom(table).selectAll().limit(1).execute();
    assert.deepEqual(missing(table, row), []);
  }
  const payment = await database.selectFrom('corridor_payments').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(
    [typeof payment.created_at, typeof payment.observed_at, typeof payment.amount],
    ['string', 'string', 'string'],
  );
  const change = await database.selectFrom('corridor_changes').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([typeof change.sequence, Array.isArray(change.fields)], ['number', true]);
});

test('Drizzle reads PostgreSQL', async (t) => {
  const database = drizzlePostgres.connect(await postgresPool(t));
  assert.deepEqual(await drizzlePostgres.totalsByMonth(database), totals);
  assert.equal(await drizzlePostgres.memoOf(database, 'pay_open'), 'Invoice 4711');
  const [payment] = await database.select().from(drizzlePostgres.payments).limit(1);
  assert.ok(payment?.createdAt instanceof Date && typeof payment.amount === 'string');
});

test('Drizzle reads SQLite', async (t) => {
  const database = drizzleSqlite.connect(await sqliteFile(t));
  assert.deepEqual(await drizzleSqlite.totalsByMonth(database), totals);
  assert.equal(await drizzleSqlite.memoOf(database, 'pay_open'), 'Invoice 4711');
  const [payment] = await database.select().from(drizzleSqlite.payments).limit(1);
  assert.deepEqual([typeof payment?.createdAt, typeof payment?.amount], ['string', 'string']);
});

/** The columns of the types that a row does not have. */
function missing(table: keyof typeof columns, row: object | undefined): readonly string[] {
  assert.ok(row !== undefined, `${table} is empty`);
  return Object.keys(columns[table]).filter((column) => !(column in row));
}
