import { LeaseLostError } from '../errors/journal.js';
import {
  parseCheckpoint,
  resolveStoreOptions,
  type AcquiredLease,
  type ChangesCheckpoint,
  type CheckpointStore,
  type CheckpointStoreOptions,
} from './checkpoint-store.js';
import { queryRows, quoteTable, requirePool, type PostgresPool } from './postgres-table.js';

/** The options of a `PostgresCheckpointStore`. */
export interface PostgresCheckpointStoreOptions extends CheckpointStoreOptions {
  /** The table, as `table` or `schema.table`, in lowercase. @default 'corridor_checkpoints' */
  readonly table?: string | undefined;
}

const defaultTable = 'corridor_checkpoints';
const quote = (table: unknown): string => quoteTable(table, 'PostgreSQL checkpoint store', defaultTable);

/**
 * Returns the SQL that creates the table of checkpoints if it does not exist. Run it once, as one of your migrations.
 *
 * @throws ConfigurationError if the name contains other characters than lowercase letters, digits and underscores,
 * besides an optional schema.
 * @example
 * ```ts
 * import { postgresCheckpointMigration } from 'corridor-sdk/journal/postgres';
 * console.log(postgresCheckpointMigration('payments.corridor_checkpoints'));
 * ```
 */
export function postgresCheckpointMigration(table: string = defaultTable): string {
  return `create table if not exists ${quote(table)} (
  name text primary key,
  owner text,
  epoch bigint not null,
  expires_at timestamptz not null,
  checkpoint text,
  updated_at timestamptz not null
);
`;
}

/**
 * A checkpoint store in a PostgreSQL table, for processes on several machines: exactly one of them follows the changes
 * of payments, and another takes over if it dies. Create the table with `postgresCheckpointMigration()` first. Time is
 * the database's; every statement runs on its own, so a pool behind PgBouncer works.
 *
 * @throws ConfigurationError if the pool has no `query` function, or the table's name or an option is invalid.
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { PostgresCheckpointStore, type PostgresPool } from 'corridor-sdk/journal/postgres';
 * async function follow(corridor: Corridor, pool: PostgresPool): Promise<void> { // such as a Pool of pg
 *   const store = new PostgresCheckpointStore(pool);
 *   for await (const { payment } of corridor.payments.changes({ store })) console.log(payment.id, payment.status);
 * }
 * ```
 */
export class PostgresCheckpointStore implements CheckpointStore {
  readonly leaseDuration: number;
  readonly #pool: PostgresPool;
  readonly #name: string;
  readonly #table: string;
  readonly #statements: ReturnType<typeof statementsFor>;
  readonly #owner = crypto.randomUUID();
  #epoch = '0';

  /** Does not query the pool yet. */
  constructor(pool: PostgresPool, { table = defaultTable, ...options }: PostgresCheckpointStoreOptions = {}) {
    this.#pool = requirePool(pool, 'PostgreSQL checkpoint store');
    this.#table = table;
    this.#statements = statementsFor(quote(table));
    const { name, leaseDuration } = resolveStoreOptions(options);
    this.#name = name;
    this.leaseDuration = leaseDuration;
  }

  /** Acquires the lease. Returns undefined if another process holds it. */
  async acquire(): Promise<AcquiredLease | undefined> {
    const [row] = (await this.#rows(
      this.#pool,
      this.#statements.acquire,
      this.#owner,
      this.leaseDuration,
    )) as readonly {
      readonly epoch: string;
      readonly checkpoint: string | null;
    }[];
    if (row === undefined) return undefined;
    this.#epoch = row.epoch;
    return { checkpoint: parseCheckpoint(row.checkpoint) };
  }

  /** Renews the lease. Returns false if it was lost. */
  async renew(): Promise<boolean> {
    const { renew } = this.#statements;
    return (await this.#rows(this.#pool, renew, this.#owner, this.#epoch, this.leaseDuration)).length > 0;
  }

  /**
   * Stores a checkpoint and renews the lease. Pass the client of your transaction to commit the checkpoint together
   * with your own rows.
   *
   * @throws LeaseLostError if another process holds the lease: roll back.
   */
  async save(checkpoint: ChangesCheckpoint, client: PostgresPool = this.#pool): Promise<void> {
    const { save } = this.#statements;
    const text = JSON.stringify(checkpoint);
    const saved = await this.#rows(client, save, this.#owner, this.#epoch, this.leaseDuration, text);
    if (saved.length === 0) throw new LeaseLostError(this.#name);
  }

  /** Releases the lease, so that another process can acquire it at once. */
  async release(): Promise<void> {
    await this.#rows(this.#pool, this.#statements.release, this.#owner, this.#epoch);
  }

  #rows(pool: PostgresPool, text: string, ...values: unknown[]): Promise<readonly unknown[]> {
    const table = { owner: 'checkpoint store', table: this.#table, migration: 'postgresCheckpointMigration' };
    return queryRows(pool, table, text, [this.#name, ...values]);
  }
}

// clock_timestamp(), because now() is the start of the caller's transaction.
function statementsFor(table: string) {
  const expiry = (parameter: string): string =>
    `clock_timestamp() + ${parameter}::double precision * interval '1 millisecond'`;
  const held = 'where name = $1 and owner = $2 and epoch = $3::bigint returning name';
  return {
    acquire: `
      insert into ${table} as entry (name, owner, epoch, expires_at, updated_at)
      values ($1, $2, 1, ${expiry('$3')}, clock_timestamp())
      on conflict (name) do update set
        owner = excluded.owner, epoch = entry.epoch + 1, expires_at = ${expiry('$3')}, updated_at = clock_timestamp()
      where entry.owner is null or entry.expires_at <= clock_timestamp()
      returning epoch::text as epoch, checkpoint`,
    renew: `update ${table} set expires_at = ${expiry('$4')} ${held}`,
    save: `update ${table} set checkpoint = $5, expires_at = ${expiry('$4')}, updated_at = clock_timestamp() ${held}`,
    release: `update ${table} set owner = null ${held}`,
  } as const;
}
