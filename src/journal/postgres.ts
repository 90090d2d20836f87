import { ConfigurationError, type PaymentCreateIntent } from '../errors/api.js';
import { postgresFailure, type PostgresResult } from '../database/postgres.js';
import { JournalError } from '../errors/journal.js';
import type { Journal, JournalEntry, IntentResolution } from './journal.js';
import { resolvedPaymentId, rowColumns, toEntry, toIntent, toValues, type JournalRow } from './serialization.js';

/** The options of a `PostgresJournal`. */
export interface PostgresJournalOptions {
  /**
   * The table, as `table` or `schema.table`, in lowercase. Use one table per organization. @default 'corridor_journal'
   */
  readonly table?: string | undefined;
}

export type { PostgresResult };

/** The part of a connection pool or a client that a `PostgresJournal` uses. A `Pool` and a `Client` of `pg` have it. */
export interface PostgresPool {
  /** Runs one statement. A pool runs it in its own transaction. */
  query(text: string, values: unknown[]): Promise<PostgresResult>;
}

const defaultTable = 'corridor_journal';

/** Quotes the name of a table, which cannot be a parameter. */
function quote(table: unknown): string {
  // PostgreSQL truncates names after 63 characters, and the indexes add up to 6.
  if (typeof table !== 'string' || !/^([a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,56}$/.test(table))
    throw new ConfigurationError(
      `the table of a PostgreSQL journal must be named with lowercase letters, digits and underscores, with an optional schema (at most 57 characters). Pass a name such as "${defaultTable}"`,
    );
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

/**
 * Returns the SQL that creates the table of a journal if it does not exist. Run it once, as one of your migrations.
 *
 * @throws ConfigurationError if the name contains other characters than lowercase letters, digits and underscores,
 * besides an optional schema.
 * @example
 * ```ts
 * import { postgresMigration } from 'corridor-sdk/journal/postgres';
 * console.log(postgresMigration('payments.corridor_journal'));
 * ```
 */
export function postgresMigration(table: string = defaultTable): string {
  const name = quote(table);
  const index = table.slice(table.indexOf('.') + 1);
  // `released` is empty while the entry holds its quote and its key, and then the id: the unique indexes allow one holder.
  return `create table if not exists ${name} (
  intent_id text primary key,
  quote text not null,
  idempotency_key text,
  intent text not null,
  outcome text check (outcome in ('created', 'not-created')),
  payment_id text,
  released text not null default '',
  claimed_at timestamptz not null default now(),
  claim_number bigint generated always as identity,
  resolved_at timestamptz
);
create unique index if not exists "${index}_quote" on ${name} (quote, released);
create unique index if not exists "${index}_key" on ${name} (idempotency_key, released);
create index if not exists "${index}_open" on ${name} (claimed_at) where outcome is null;
`;
}

/**
 * A journal in a PostgreSQL table, for processes on several machines: only one of them sends the payment of a quote.
 * Create the table with `postgresMigration()` first. Pass a pool, not a client inside a transaction, because a claim
 * must be committed before the payment is sent. Each write is committed with `synchronous_commit = on`, whatever the
 * default of the server, the database or the role.
 *
 * @throws ConfigurationError if the pool has no `query` function or the table's name is invalid.
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { PostgresJournal, type PostgresPool } from 'corridor-sdk/journal/postgres';
 * function corridorOf(pool: PostgresPool): Corridor { // such as a Pool of pg
 *   return new Corridor({ journal: new PostgresJournal(pool) });
 * }
 * ```
 */
export class PostgresJournal implements Journal {
  readonly supportsIdempotencyKeys = true;
  readonly #pool: PostgresPool;
  readonly #table: string;
  readonly #statements: ReturnType<typeof statementsFor>;

  /** Does not query the pool yet. */
  constructor(pool: PostgresPool, { table = defaultTable }: PostgresJournalOptions = {}) {
    if (typeof (pool as PostgresPool | null)?.query !== 'function')
      throw new ConfigurationError('the pool of a PostgreSQL journal must have a function "query". Pass a Pool of pg');
    this.#pool = pool;
    this.#table = table;
    this.#statements = statementsFor(quote(table));
  }

  /** Claims the intent's quote and its key. Returns true, or the existing entry. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const values = toValues(intent);
    const { claim, read } = this.#statements;
    // The entry can be released between the failed claim and the read; then claim again.
    for (let round = 0; round < maxRounds; round += 1) {
      if ((await this.#rows(claim, ...values)).length > 0) return true;
      const [row] = (await this.#rows(read, ...values.slice(0, 3))) as readonly JournalRow[];
      if (row !== undefined) return toEntry(row);
    }
    throw new Error('the entry could neither be claimed nor read: it was released and claimed too often');
  }

  /** Stores the outcome of an intent. */
  async resolve({ id }: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    await this.#rows(this.#statements.resolve, id, resolution.outcome, resolvedPaymentId(resolution));
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    const rows = (await this.#rows(this.#statements.listPending)) as readonly JournalRow[];
    return rows.map(toIntent);
  }

  /**
   * Removes the entries that were resolved before a time, and returns their number. Their keys can create payments
   * again: pass a time before which no order is retried.
   */
  async purge(before: Date): Promise<number> {
    return (await this.#rows(this.#statements.purge, before.toISOString())).length;
  }

  async #rows(text: string, ...values: unknown[]): Promise<readonly unknown[]> {
    try {
      return (await this.#pool.query(text, values)).rows;
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown };
      if (code !== undefinedTable && code !== undefinedColumn)
        throw new JournalError(postgresFailure(error, 'journal').message, {}, error);
      const table = this.#table;
      throw new JournalError(
        `the journal's table ${table} does not exist in this database, or an older version of this package created it (${code}). Rename an old table and reconcile what it has; run the SQL of postgresMigration('${table}') from corridor-sdk/journal/postgres, or pass the name of the existing table`,
        {},
        error,
      );
    }
  }
}

// PostgreSQL's codes for a statement on a table or a column that does not exist.
const [undefinedTable, undefinedColumn] = ['42P01', '42703'];

const maxRounds = 20;
// Runs in the transaction of the write, before its commit: with `off`, which a role or a database can have as its
// default, a crash of the server would lose a claim whose payment is sent.
const durably = "set_config('synchronous_commit', 'on', true)";

function statementsFor(table: string) {
  return {
    claim: `
      insert into ${table} (intent_id, quote, idempotency_key, intent)
      select $1::text, $2::text, $3::text, $4::text
      where not exists (select from ${table} where (quote = $2 or idempotency_key = $3) and outcome = 'created')
      on conflict do nothing returning ${durably}`,
    read: `
      select ${rowColumns} from ${table}
      where intent_id = $1::text or ((quote = $2 or idempotency_key = $3::text) and (released = '' or outcome = 'created'))
      order by outcome is distinct from 'created', case when outcome = 'created' then false else intent_id <> $1 end,
        idempotency_key is distinct from $3
      limit 1`,
    resolve: `
      update ${table} set
        outcome = $2::text, payment_id = $3, resolved_at = now(),
        released = case when $2 = 'created' then released else intent_id end
      where intent_id = $1 and case when $2 = 'created' then outcome is distinct from 'created' else outcome is null end
      returning ${durably}`,
    listPending: `select ${rowColumns} from ${table} where outcome is null order by claimed_at, claim_number`,
    purge: `
      delete from ${table} where outcome is not null and resolved_at < $1::timestamptz returning ${durably}`,
  } as const;
}
