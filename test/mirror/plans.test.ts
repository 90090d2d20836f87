import { PGlite } from '@electric-sql/pglite';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, test, expect } from 'vitest';
import { postgresDialect, sqliteDialect } from '../../src/mirror/dialects.ts';
import { postgresMirrorTables } from '../../src/mirror/postgres.ts';
import { sqliteMirrorTables } from '../../src/mirror/sqlite.ts';
import { mirrorStatements } from '../../src/mirror/tables.ts';

// A reading of all customers compares them with all that the platform lists. Another API key is verified once. The first
// or the last changes end at their limit.
const others = ['customers', 'someCustomers', 'somePayments', 'oldestChanges', 'lastChange'];

/** The steps of plans that read a table of records whole. */
function wholeReads(plans: Readonly<Record<string, readonly string[]>>): string[] {
  const found = Object.entries(plans).flatMap(([name, steps]) => steps.map((step) => `${name}: ${step}`));
  return found.filter(
    (step) =>
      /SCAN corridor_|Seq Scan on corridor_|FOR ORDER BY|Sort/.test(step) &&
      // The table of the state has one row, and the partial index of open payments only those.
      !/ corridor_sync\b| USING INDEX corridor_payments_open$/.test(step) &&
      !others.includes(step.split(':')[0] ?? ''),
  );
}

test('no statement of a mirror in SQLite reads a table whole, other than that of customers', () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  database.exec(sqliteMirrorTables());
  const plans = Object.entries(mirrorStatements(sqliteDialect)).map(([name, sql]) => {
    const steps = database.prepare(`explain query plan ${sql}`).all();
    return [name, steps.map(({ detail }) => String(detail))] as const;
  });
  expect(wholeReads(Object.fromEntries(plans))).toEqual([]);
  expect(Object.fromEntries(plans)['open']).toEqual(['SCAN corridor_payments USING INDEX corridor_payments_open']);
  // To count a range of an index, all of it is read: only those of missing records are.
  const counting = Object.entries(mirrorStatements(sqliteDialect)).filter(([, sql]) => sql.includes('count('));
  expect(counting.map(([name]) => name)).toEqual(['missing']);
});

test('no statement of a mirror in PostgreSQL reads a table whole, other than that of customers', async () => {
  const postgres = await PGlite.create();
  onTestFinished(() => postgres.close());
  await postgres.exec(postgresMirrorTables('mirror'));
  // It prefers to read tables whole that are empty.
  await postgres.exec('set enable_seqscan = off; set enable_bitmapscan = off');
  const plans: Record<string, string[]> = {};
  for (const [name, sql] of Object.entries(mirrorStatements(postgresDialect('mirror')))) {
    let count = 0;
    const numbered = sql.replaceAll('?', () => `$${(count += 1)}`);
    const [result] = await postgres.exec(`explain (generic_plan, costs off) ${numbered}`);
    plans[name] = (result?.rows ?? []).map((row) => String((row as Record<string, unknown>)['QUERY PLAN']));
  }
  expect(wholeReads(plans)).toEqual([]);
  expect(plans['open']).toEqual(['Index Scan using corridor_payments_open on corridor_payments']);
}, 60_000);
