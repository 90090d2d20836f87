import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished } from 'vitest';
import type { Corridor, MirrorChange, MirrorChangesOptions } from 'corridor-sdk';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';

type Row = Readonly<Record<string, unknown>>;

/** Returns the path of a SQLite file that is removed after the test. */
export async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-mirror-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'corridor.sqlite');
}

/** Runs a query on a mirror's file, as a partner would. */
export function select(path: string, sql: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** Opens a mirror that is closed after the test. */
export function openMirror(
  path: string,
  options: ConstructorParameters<typeof SqliteMirror>[1] = { sensitive: true },
): SqliteMirror {
  const mirror = new SqliteMirror(path, options);
  onTestFinished(() => mirror.close());
  return mirror;
}

/** Returns all changes of a mirror. */
export async function allChanges(mirror: SqliteMirror, options: MirrorChangesOptions = {}): Promise<MirrorChange[]> {
  const found: MirrorChange[] = [];
  for await (const change of mirror.changes({ once: true, ...options })) found.push(change);
  return found;
}

/** Returns all records that the platform lists, by table and id. */
export async function recordsOf(
  corridor: Corridor,
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const byId = (rows: readonly { readonly id: string }[]) => Object.fromEntries(rows.map((row) => [row.id, row]));
  const customers = await corridor.customers.list({ limit: 100 }).toArray();
  const beneficiaries = await Promise.all(
    customers.map(({ id }) => corridor.customers.beneficiaries(id, { limit: 100 }).toArray()),
  );
  return {
    corridor_payments: byId(await corridor.payments.list({ limit: 100 }).toArray()),
    corridor_customers: byId(customers),
    corridor_beneficiaries: byId(beneficiaries.flat()),
  };
}

/** Returns the records of a mirror's file that are not missing, by table and id. */
export function mirroredRecords(path: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const rows = (table: string) =>
    select(path, `select id, data from ${table} where missing_since is null`).map(({ id, data }) => [
      id,
      JSON.parse(String(data)),
    ]);
  return Object.fromEntries(
    ['corridor_payments', 'corridor_customers', 'corridor_beneficiaries'].map((table) => [
      table,
      Object.fromEntries(rows(table)),
    ]),
  );
}

/**
 * Checks that each change of a record starts at the status with which the one before ended, that sequences have no gaps,
 * and that the last change ends at the status in the table. Returns the number of changes.
 */
export function assertUnbrokenChains(path: string): number {
  const changes = select(path, 'select * from corridor_changes order by sequence');
  const last = new Map<string, unknown>();
  for (const [index, { sequence, record, id, previous_status: previous, status }] of changes.entries()) {
    expect(sequence).toBe(index + 1);
    const key = `${String(record)} ${String(id)}`;
    if (last.has(key)) expect([key, previous]).toEqual([key, last.get(key)]);
    last.set(key, status);
  }
  for (const [record, table] of [
    ['payment', 'payments'],
    ['customer', 'customers'],
    ['beneficiary', 'beneficiaries'],
  ])
    for (const { id, status } of select(path, `select id, status from corridor_${table}`))
      expect([id, last.get(`${record} ${String(id)}`) ?? status]).toEqual([id, status]);
  return changes.length;
}
