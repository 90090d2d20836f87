import type { DatabaseError } from '../database/error.js';
import { SqliteFile } from '../database/sqlite.js';
import { Mirror, type MirrorOptions, type MirrorWork } from './mirror.js';
import type { SyncContext } from './passes.js';
import { sync, type SyncOptions, type SyncReport } from './sync.js';
import {
  changeColumns,
  columnNames,
  mirrorStatements,
  mirrorTables,
  type MirrorRow,
  type MirrorStatements,
  type SqlDialect,
} from './tables.js';

export type { MirrorChange, MirrorChangesOptions, MirrorFreshness, MirrorOptions, MirrorStatus } from './mirror.js';

const dialect: SqlDialect = {
  types: { text: 'text', amount: 'text', time: 'text', json: 'text', integer: 'integer' },
  tableOptions: ' strict',
  ids: 'select value from json_each(?)',
  name: (table) => table,
  rows: (_table, columns) => `values (${columns.map(() => '?').join(', ')})`,
  lock: '',
};

// The columns of the rows that a statement inserts.
const inserted: Partial<Record<keyof MirrorStatements, readonly string[]>> = {
  addChanges: changeColumns,
  upsert_payment: columnNames('payment'),
  upsert_customer: columnNames('customer'),
  upsert_beneficiary: columnNames('beneficiary'),
};

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
  return mirrorTables(dialect);
}

/**
 * A mirror in a SQLite file, for the processes of one machine: `corridor.sync` fills it with all payments, customers and
 * beneficiaries and keeps it true. Requires Node 22.13 or newer, because it uses `node:sqlite`. Keep the file on a local
 * disk. A new file, its `-wal` and its `-shm` are created with mode 0600. The mode of an existing file is not changed.
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
  readonly #file: SqliteFile<keyof MirrorStatements>;

  /** Opens the file, and creates it and its tables if they do not exist. */
  constructor(path: string, { busyTimeout = 5_000, ...options }: SqliteMirrorOptions = {}) {
    super(options);
    const schema = { table: mirrorTables(dialect), statements: mirrorStatements(dialect) };
    this.#file = new SqliteFile('mirror', path, busyTimeout, schema);
  }

  /** Closes the file. Later calls throw a MirrorError. */
  close(): void {
    this.#file.close();
  }

  /** @internal */
  run(context: SyncContext, options: SyncOptions): Promise<SyncReport> {
    return sync(context, this, options);
  }

  /** @internal */
  protected override async transact<T>(mode: 'read' | 'write', work: () => MirrorWork<T>): Promise<T> {
    // It blocks the event loop, so the next requests, which are being signed, are sent first.
    if (mode === 'write') await new Promise((resolve) => setTimeout(resolve, signingTime));
    return this.#file[mode]((prepared) => {
      const steps = work();
      let step = steps.next();
      while (step.done !== true) {
        const [name, values] = step.value;
        const columns = inserted[name];
        const statement = prepared[name];
        if (columns === undefined) step = steps.next(statement.all(...(values as (string | number)[])));
        else {
          for (const row of values as readonly MirrorRow[])
            statement.run(...columns.map((column) => row[column] as string | number | null));
          step = steps.next([]);
        }
      }
      return step.value;
    });
  }

  /** @internal Unlike Web Crypto, needs no thread for each text. */
  protected override async hash(text: string): Promise<string> {
    return process.getBuiltinModule('node:crypto').hash('sha256', text);
  }

  /** @internal */
  protected override failureOf(error: unknown): DatabaseError {
    return this.#file.failureOf(error);
  }
}
