import { ConfigurationError } from '../errors/api.js';
import { LeaseLostError } from '../errors/journal.js';
import {
  parseCheckpoint,
  resolveStoreOptions,
  type AcquiredLease,
  type ChangesCheckpoint,
  type CheckpointStore,
  type CheckpointStoreOptions,
} from './checkpoint-store.js';
import { SqliteFile } from './sqlite-file.js';

/**
 * The part of a database that a checkpoint store uses. A `DatabaseSync` of `node:sqlite` and a `Database` of
 * `better-sqlite3` have it.
 */
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
   * How long a call waits while another process has the file locked, in milliseconds, without blocking the event loop.
   * Ignored for a database that you opened. @default 5_000
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
const held = 'where name = ? and owner = ? and epoch = ? returning name';
// Without numbered parameters, whose values better-sqlite3 does not accept in order.
const statements = {
  acquire: `
    insert into corridor_checkpoints as entry (name, owner, epoch, expires_at) values (?, ?, 1, ${now} + ?)
    on conflict (name) do update set
      owner = excluded.owner, epoch = entry.epoch + 1, expires_at = excluded.expires_at, updated_at = ${timestamp}
    where entry.owner is null or entry.expires_at <= ${now}
    returning epoch, checkpoint`,
  renew: `update corridor_checkpoints set expires_at = ${now} + ? ${held}`,
  save: `update corridor_checkpoints set checkpoint = ?, expires_at = ${now} + ?, updated_at = ${timestamp} ${held}`,
  release: `update corridor_checkpoints set owner = null ${held}`,
} as const;

/**
 * A checkpoint store in a SQLite file, for the processes of one machine: exactly one of them follows the changes of
 * payments, and another takes over if it dies. Pass a path, which requires Node 22.13 or newer because it uses
 * `node:sqlite`, or a `DatabaseSync` or a `Database` of `better-sqlite3` to store checkpoints in your own transactions;
 * its table is created if it does not exist.
 *
 * @throws ConfigurationError if the file cannot be opened, the database or an option is invalid, or the runtime has no
 * `node:sqlite`.
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
  readonly #run: (statement: keyof typeof statements, ...values: Value[]) => Promise<Row | undefined>;
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
      const file = new SqliteFile('checkpoint store', database, busyTimeout, { table, statements });
      this.#run = (statement, ...values) => file.write((prepared) => prepared[statement].get(...values));
      this.#close = () => file.close();
    } else {
      requireDatabase(database);
      database.exec(table);
      const prepare = (statement: keyof typeof statements) => database.prepare(statements[statement]);
      const prepared = {
        acquire: prepare('acquire'),
        renew: prepare('renew'),
        save: prepare('save'),
        release: prepare('release'),
      };
      this.#run = async (statement, ...values) => prepared[statement].get(...values) ?? undefined;
      this.#close = () => undefined;
    }
  }

  /** Acquires the lease. Returns undefined if another process holds it. */
  async acquire(): Promise<AcquiredLease | undefined> {
    const row = await this.#run('acquire', this.#name, this.#owner, this.leaseDuration);
    if (row === undefined) return undefined;
    this.#epoch = Number(row['epoch']);
    return { checkpoint: parseCheckpoint(row['checkpoint'] as string | null) };
  }

  /** Renews the lease. Returns false if it was lost. */
  async renew(): Promise<boolean> {
    return (await this.#run('renew', this.leaseDuration, ...this.#held())) !== undefined;
  }

  /**
   * Stores a checkpoint and renews the lease: in your transaction, if the store uses your database. The row is then
   * written before this returns.
   *
   * @throws LeaseLostError if another process holds the lease: roll back.
   */
  async save(checkpoint: ChangesCheckpoint): Promise<void> {
    const saved = await this.#run('save', JSON.stringify(checkpoint), this.leaseDuration, ...this.#held());
    if (saved === undefined) throw new LeaseLostError(this.#name);
  }

  /** Releases the lease, so that another process can acquire it at once. */
  async release(): Promise<void> {
    await this.#run('release', ...this.#held());
  }

  /** Closes the file, unless you opened the database. */
  close(): void {
    this.#close();
  }

  #held(): readonly [string, string, number] {
    return [this.#name, this.#owner, this.#epoch];
  }
}

type Row = Record<string, unknown>;
type Value = string | number;

// Drivers that return promises, or call a function with the row, would lose every lease.
function requireDatabase(database: SqliteDatabase): void {
  let row: Row | null | undefined;
  try {
    row = database.prepare('select ? || ? as pair').get('a', 'b');
  } catch {
    // Reported below.
  }
  if (row?.['pair'] !== 'ab' || typeof database.exec !== 'function')
    throw new ConfigurationError(
      'the database of a SQLite checkpoint store must have the synchronous functions "exec" and "prepare". Pass a file path, a DatabaseSync of node:sqlite or a Database of better-sqlite3',
    );
}
