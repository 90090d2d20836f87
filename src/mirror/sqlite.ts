import { optionsObject } from '../contract/option-schemas.js';
import { memoize } from '../contract/schema/schema.js';
import type { DatabaseError } from '../database/database-error.js';
import { assertSqlitePath, busyTimeoutOption, pause, requireNodeSqlite, SqliteFile } from '../database/sqlite.js';
import { ConfigurationError } from '../errors/api.js';
import { requireOptions } from '../errors/options.js';
import { MirrorError } from '../errors/mirror.js';
import {
  assertVersion,
  Mirror,
  mirrorOptionsShape,
  TakenOverError,
  type MirrorOptions,
  type MirrorStep,
} from './mirror.js';
import { sqliteDialect } from './dialects.js';
import type { WorkflowContext } from '../workflows/context.js';
import { sync, type SyncOptions, type SyncReport } from './sync.js';
import type { MirrorTablesOf } from './table-types.js';
import {
  changeColumns,
  columnNames,
  mirrorStatements,
  mirrorTables,
  schemaVersion,
  type MirrorRow,
  type MirrorStatements,
} from './tables.js';

export type * from './exported-types.js';

// The columns of the rows that a statement inserts.
const inserted: Partial<Record<keyof MirrorStatements, readonly string[]>> = {
  addChanges: changeColumns,
  upsert_payment: columnNames('payment'),
  upsert_customer: columnNames('customer'),
  upsert_beneficiary: columnNames('beneficiary'),
};

const guarded: ReadonlySet<string> = new Set(['own', 'renew', 'release', 'advance', 'addPosition', 'movePosition']);

type Fields = Readonly<Record<string, unknown>>;

// How long it takes to sign and send a request, in milliseconds.
const signingTime = 2;

/** The options of a `SqliteMirror`. */
export interface SqliteMirrorOptions extends MirrorOptions {
  /**
   * How long a call waits while another process has the file locked, in milliseconds, without blocking the event loop.
   * @default 5_000
   */
  readonly busyTimeout?: number | undefined;
}

const optionsSchema = memoize(() =>
  optionsObject<SqliteMirrorOptions>({ ...mirrorOptionsShape(), busyTimeout: busyTimeoutOption() }),
);

/**
 * The tables for a typed query builder, such as `new Kysely<MirrorTables>(…)`. `data` and `fields` are JSON texts in the
 * file: let the query builder parse them, in Kysely with the `ParseJSONResultsPlugin`.
 */
export interface MirrorTables extends MirrorTablesOf<string, number> {}

/**
 * Returns the SQL of the tables of a `SqliteMirror`, which creates them itself.
 *
 * @example
 * ```ts
 * import { sqliteMirrorTables } from 'corridor-sdk/mirror/sqlite';
 * console.log(sqliteMirrorTables());
 * ```
 */
export function sqliteMirrorTables(): string {
  return mirrorTables(sqliteDialect);
}

/**
 * A mirror in a SQLite file, for the processes of one machine: `corridor.sync` fills it with all payments, customers
 * and beneficiaries and keeps it true. Requires Node 22.13 or newer, because it uses `node:sqlite`. Keep the file on a
 * local disk. A new file, its `-wal` and its `-shm` are created with mode 0600. The mode of an existing file is not
 * changed.
 *
 * @throws ConfigurationError if the file cannot be opened or is not a SQLite file, if an option is invalid, or if the
 * runtime has no `node:sqlite`.
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
 * const corridor = new Corridor();
 * const mirror = new SqliteMirror('corridor.sqlite');
 * await corridor.sync(mirror, { once: true });
 * for await (const { id, status } of mirror.changes({ once: true })) console.log(id, status);
 * ```
 */
export class SqliteMirror extends Mirror {
  readonly #path: string;
  readonly #busyTimeout: number;
  #file: SqliteFile<keyof MirrorStatements> | undefined;
  #isClosed = false;

  /** Opens the file if it exists. Only a sync, other than a dry run, creates it and its tables. */
  constructor(path: string, options: SqliteMirrorOptions = {}) {
    requireOptions(optionsSchema, options, 'the options of a SQLite mirror');
    super(options);
    assertSqlitePath('mirror', path);
    const { busyTimeout = 5_000 } = options;
    // The working directory can change.
    this.#path = path === ':memory:' ? path : process.getBuiltinModule('node:path').resolve(path);
    this.#busyTimeout = busyTimeout;
    if (path === ':memory:' || hasTables(this.#path)) this.#open();
  }

  /** Closes the file. Later calls throw a MirrorError. */
  close(): void {
    this.#isClosed = true;
    this.#file?.close();
  }

  /** @internal */
  run(context: WorkflowContext, options: SyncOptions): Promise<SyncReport> {
    return sync(context, this, options);
  }

  /** @internal */
  protected override async transact(
    mode: 'read' | 'write',
    steps: readonly MirrorStep[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly Fields[])[]> {
    // It blocks the event loop, so the next requests, which are being signed, are sent first.
    if (mode === 'write') await pause(signingTime);
    if (this.#file === undefined) {
      if (this.#isClosed) throw new MirrorError(`the mirror ${this.#path} is closed. Close it after its last call`);
      if (mode === 'read' && !hasTables(this.#path)) return steps.map(() => []);
    }
    const file = this.#file ?? this.#open();
    return file[mode](
      (prepared) =>
        steps.map(([name, values]) => {
          const { [name]: columns } = inserted;
          if (columns === undefined) {
            const rows = prepared[name].all(...(values as (string | number)[]));
            if (rows.length === 0 && guarded.has(name)) throw new TakenOverError();
            return rows;
          }
          for (const row of values as readonly MirrorRow[])
            prepared[name].run(...columns.map((column) => row[column] as string | number | null));
          return [];
        }),
      signal,
    );
  }

  /** @internal Unlike Web Crypto, needs no thread for each text. */
  protected override async hash(text: string): Promise<string> {
    return process.getBuiltinModule('node:crypto').hash('sha256', text);
  }

  /** @internal */
  protected override failureOf(error: unknown): DatabaseError {
    return (this.#file ?? this.#open()).failureOf(error);
  }

  #open(): SqliteFile<keyof MirrorStatements> {
    this.#file = new SqliteFile('mirror', this.#path, this.#busyTimeout, {
      journalMode: 'wal',
      table: mirrorTables(sqliteDialect),
      statements: mirrorStatements(sqliteDialect),
    });
    return this.#file;
  }
}

/** Checks whether a file has the tables of a mirror, and that their version is that of this package. */
function hasTables(path: string): boolean {
  if (!process.getBuiltinModule('node:fs').existsSync(path)) return false;
  const { DatabaseSync } = requireNodeSqlite('mirror');
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    database = new DatabaseSync(path);
    if (database.prepare("select 1 from sqlite_master where name = 'corridor_sync'").get() === undefined) return false;
    assertVersion(database.prepare('select version from corridor_sync').get()?.['version'] ?? schemaVersion);
    return true;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    // It is locked, damaged or no database, which opening it reports.
    return true;
  } finally {
    database?.close();
  }
}
