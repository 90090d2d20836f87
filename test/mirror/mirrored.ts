import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished } from 'vitest';
import { Corridor, type Mirror, type MirrorChange, type MirrorChangesOptions } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import type { MirrorOptions } from 'corridor-sdk/mirror/sqlite';
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

/** The database of a mirror, and its tables as a partner reads them. */
export interface MirrorDatabase {
  /** Opens a mirror, which is closed after the test. */
  open(options?: MirrorOptions): Mirror;
  select(sql: string): Promise<Row[]>;
  /** Runs statements that write, as another program would. */
  execute(sql: string): Promise<void>;
}

const tables = ['payments', 'customers', 'beneficiaries', 'changes', 'sync'].map((name) => `corridor_${name}`);

/** Copies all rows of a mirror, as a backup does. Returns a function that restores them. */
export async function backUp({ execute }: MirrorDatabase): Promise<() => Promise<void>> {
  await execute(tables.map((table) => `create table ${table}_saved as select * from ${table};`).join(''));
  const restore = (table: string): string => `delete from ${table}; insert into ${table} select * from ${table}_saved;`;
  return () => execute(`begin; ${tables.map(restore).join('')} commit;`);
}

/** Creates a SQLite file that is removed after the test. */
export async function sqliteDatabase(path?: string): Promise<MirrorDatabase & { readonly path: string }> {
  const file = path ?? (await temporaryFile());
  return {
    path: file,
    open(options = { sensitive: true }) {
      const mirror = new SqliteMirror(file, options);
      onTestFinished(() => mirror.close());
      return mirror;
    },
    select: async (sql) => select(file, sql),
    async execute(sql) {
      const other = new DatabaseSync(file, { timeout: 5_000 });
      try {
        other.exec(sql);
      } finally {
        other.close();
      }
    },
  };
}

/** Returns the changes of a mirror, unless `after` is passed those behind the first fill. */
export async function allChanges(mirror: Mirror, options: MirrorChangesOptions = {}): Promise<MirrorChange[]> {
  const found: MirrorChange[] = [];
  const after = options.after ?? (await mirror.state())?.state.filledSequence;
  for await (const change of mirror.changes({ once: true, ...options, after })) found.push(change);
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

/** A page of a list, as the platform responds. */
export interface Page {
  items: Record<string, unknown>[];
  nextCursor: string | null;
  hasMore: boolean;
}

/**
 * Creates a client of a platform. `onRequest` can respond instead of the platform, and `onPage` can change a page that it
 * responds with.
 */
export function watchedClient(
  platform: MockPlatform,
  onRequest: (url: URL) => Response | undefined,
  onPage: (page: Page, url: URL) => void,
): Corridor {
  return new Corridor({
    ...platform.clientOptions(),
    async fetch(input, init) {
      const url = new URL(new Request(input, init).url);
      const answer = onRequest(url);
      if (answer !== undefined) return answer;
      const response = await platform.fetch(input, init);
      const page = (await response.json()) as Page;
      if (response.status === 200) onPage(page, url);
      return Response.json(page, { status: response.status, headers: response.headers });
    },
  });
}

/** Returns the records of a mirror that are not missing, by table and id. */
export async function mirroredRecords(
  database: MirrorDatabase,
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const table of ['corridor_payments', 'corridor_customers', 'corridor_beneficiaries']) {
    const rows = await database.select(`select id, data from ${table} where missing_since is null`);
    const records = rows.map(({ id, data }) => [id, typeof data === 'string' ? (JSON.parse(data) as unknown) : data]);
    found[table] = Object.fromEntries(records) as Record<string, unknown>;
  }
  return found;
}

/**
 * Checks that the first change of each record has no previous status, that each other one starts at the status with
 * which the one before ended, that sequences have no gaps,
 * and that the last change ends at the status in the table. Returns the number of changes that are no first ones.
 */
export async function assertUnbrokenChains(database: MirrorDatabase): Promise<number> {
  const changes = await database.select('select * from corridor_changes order by sequence');
  const last = new Map<string, unknown>();
  for (const [index, { sequence, record, id, previous_status: previous, status }] of changes.entries()) {
    expect(Number(sequence)).toBe(index + 1);
    const key = `${String(record)} ${String(id)}`;
    expect([key, previous]).toEqual([key, last.get(key) ?? null]);
    last.set(key, status);
  }
  for (const [record, table] of [
    ['payment', 'payments'],
    ['customer', 'customers'],
    ['beneficiary', 'beneficiaries'],
  ])
    for (const { id, status } of await database.select(`select id, status from corridor_${table}`))
      expect([id, last.get(`${record} ${String(id)}`)]).toEqual([id, status]);
  return changes.length - last.size;
}
