import { LeaseLostError } from '../errors/lease.js';
import {
  parseCheckpoint,
  resolveStoreOptions,
  type AcquiredLease,
  type ChangesCheckpoint,
  type CheckpointStore,
  type CheckpointStoreOptions,
} from './checkpoint-store.js';
import { openSqlite } from './sqlite-file.js';

/** The part of a `DatabaseSync` of `node:sqlite` that a checkpoint store uses. */
export interface SqliteDatabase {
  /** Runs statements. */
  exec(sql: string): void;
  /** Prepares a statement. */
  prepare(sql: string): {
    /** Runs the statement and returns its first row. */
    get(...values: (string | number)[]): Record<string, unknown> | undefined;
  };
}

/** The options of a `SqliteCheckpointStore`. */
export interface SqliteCheckpointStoreOptions extends CheckpointStoreOptions {
  /**
   * How long a statement waits while another process writes, in milliseconds. It blocks the event loop. Ignored for a
   * database that you opened. @default 5_000
   */
  readonly busyTimeout?: number | undefined;
}

const table = `
  create table if not exists corridor_checkpoints (
    name text primary key,
    owner text,
    epoch integer not null,
    expires_at integer not null,
    checkpoint text,
    updated_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict`;

const now = "cast(unixepoch('subsec') * 1000 as integer)";
const timestamp = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
const held = 'where name = ?1 and owner = ?2 and epoch = ?3 returning name';
const statements = {
  acquire: `
    insert into corridor_checkpoints as entry (name, owner, epoch, expires_at) values (?1, ?2, 1, ${now} + ?3)
    on conflict (name) do update set
      owner = excluded.owner, epoch = entry.epoch + 1, expires_at = excluded.expires_at, updated_at = ${timestamp}
    where entry.owner is null or entry.expires_at <= ${now}
    returning epoch, checkpoint`,
  renew: `update corridor_checkpoints set expires_at = ${now} + ?4 ${held}`,
  save: `update corridor_checkpoints set checkpoint = ?5, expires_at = ${now} + ?4, updated_at = ${timestamp} ${held}`,
  release: `update corridor_checkpoints set owner = null ${held}`,
} as const;

/**
 * A checkpoint store in a SQLite file, for the processes of one machine: exactly one of them follows the changes of
 * payments, and another takes over if it dies. Requires Node 22.13 or newer, because it uses `node:sqlite`. Pass a path,
 * or a `DatabaseSync` to store checkpoints in your own transactions; its table is created if it does not exist.
 *
 * @throws ConfigurationError if the file cannot be opened, an option is invalid, or the runtime has no `node:sqlite`.
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { SqliteCheckpointStore } from 'corridor-sdk/journal/sqlite';
 * async function follow(corridor: Corridor): Promise<void> {
 *   const store = new SqliteCheckpointStore('payments.sqlite');
 *   for await (const { payment } of corridor.payments.changes({ store })) console.log(payment.id, payment.status);
 * }
 * ```
 */
export class SqliteCheckpointStore implements CheckpointStore {
  readonly leaseDuration: number;
  readonly #name: string;
  readonly #prepared: Readonly<Record<keyof typeof statements, ReturnType<SqliteDatabase['prepare']>>>;
  readonly #close: () => void;
  readonly #owner = crypto.randomUUID();
  #epoch = 0;

  /** Opens the file, and creates the table if it does not exist. */
  constructor(
    database: string | SqliteDatabase,
    { busyTimeout = 5_000, ...options }: SqliteCheckpointStoreOptions = {},
  ) {
    const { name, leaseDuration } = resolveStoreOptions(options);
    this.#name = name;
    this.leaseDuration = leaseDuration;
    if (typeof database === 'string') {
      const opened = openSqlite('checkpoint store', database, busyTimeout, { table, statements });
      this.#prepared = opened.prepared;
      this.#close = () => opened.database.isOpen && opened.database.close();
    } else {
      database.exec(table);
      const prepare = (statement: keyof typeof statements) => database.prepare(statements[statement]);
      this.#prepared = {
        acquire: prepare('acquire'),
        renew: prepare('renew'),
        save: prepare('save'),
        release: prepare('release'),
      };
      this.#close = () => undefined;
    }
  }

  /** Acquires the lease. Returns undefined if another process holds it. */
  async acquire(): Promise<AcquiredLease | undefined> {
    const row = this.#run('acquire', this.leaseDuration);
    if (row === undefined) return undefined;
    this.#epoch = Number(row['epoch']);
    return { checkpoint: parseCheckpoint(row['checkpoint'] as string | null) };
  }

  /** Renews the lease. Returns false if it was lost. */
  async renew(): Promise<boolean> {
    return this.#run('renew', this.#epoch, this.leaseDuration) !== undefined;
  }

  /**
   * Stores a checkpoint and renews the lease: in your transaction, if the store uses your `DatabaseSync`. The row is
   * written before this returns.
   *
   * @throws LeaseLostError if another process holds the lease: roll back.
   */
  async save(checkpoint: ChangesCheckpoint): Promise<void> {
    if (this.#run('save', this.#epoch, this.leaseDuration, JSON.stringify(checkpoint)) === undefined)
      throw new LeaseLostError(this.#name);
  }

  /** Releases the lease, so that another process can acquire it at once. */
  async release(): Promise<void> {
    this.#run('release', this.#epoch);
  }

  /** Closes the file, unless you opened the database. */
  close(): void {
    this.#close();
  }

  #run(statement: keyof typeof statements, ...values: (string | number)[]): Record<string, unknown> | undefined {
    return this.#prepared[statement].get(this.#name, this.#owner, ...values);
  }
}
