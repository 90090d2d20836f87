import type { PaymentCreateIntent } from '../errors/api.js';
import { journalKey, type Journal, type JournalEntry, type IntentResolution } from './journal.js';
import { quoteTable, queryRows, requirePool, type PostgresPool } from './postgres-table.js';
import { toIntent, resolvedPaymentId, toEntry, type JournalRow } from './serialization.js';

/** The options of a `PostgresJournal`. */
export interface PostgresJournalOptions {
  /**
   * The table, as `table` or `schema.table`, in lowercase. Use one table per organization. @default 'corridor_journal'
   */
  readonly table?: string | undefined;
}

export type { ChangesCheckpoint, AcquiredLease, CheckpointStore, CheckpointStoreOptions } from './checkpoint-store.js';
export {
  PostgresCheckpointStore,
  postgresCheckpointMigration,
  type PostgresCheckpointStoreOptions,
} from './postgres-checkpoints.js';
export type { PostgresPool, PostgresResult } from './postgres-table.js';

const defaultTable = 'corridor_journal';
const quote = (table: unknown): string => quoteTable(table, 'PostgreSQL journal', defaultTable);

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
  return `create table if not exists ${name} (
  key text primary key,
  intent_id text not null,
  intent text not null,
  outcome text check (outcome in ('created', 'not-created')),
  payment_id text,
  claimed_at timestamptz not null default now(),
  claim_number bigint generated always as identity,
  resolved_at timestamptz
);
create index if not exists "${table.slice(table.indexOf('.') + 1)}_open" on ${name} (claimed_at) where outcome is null;
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
  readonly #pool: PostgresPool;
  readonly #table: string;
  readonly #statements: ReturnType<typeof statementsFor>;

  /** Does not query the pool yet. */
  constructor(pool: PostgresPool, { table = defaultTable }: PostgresJournalOptions = {}) {
    this.#pool = requirePool(pool, 'PostgreSQL journal');
    this.#table = table;
    this.#statements = statementsFor(quote(table));
  }

  /** Claims the intent's quote. Returns true, or the existing entry. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const key = journalKey(intent);
    const { claim, read } = this.#statements;
    // The entry can be released between the failed claim and the read; then claim again.
    for (let round = 0; round < maxRounds; round += 1) {
      if ((await this.#rows(claim, key, intent.id, JSON.stringify(intent))).length > 0) return true;
      const [row] = (await this.#rows(read, key)) as readonly JournalRow[];
      if (row !== undefined && (row.outcome !== 'not-created' || row.intentId === intent.id)) return toEntry(row);
    }
    throw new Error('the entry could neither be claimed nor read: it was released and claimed too often');
  }

  /** Stores the outcome of an intent. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    await this.#rows(
      this.#statements.resolve,
      journalKey(intent),
      intent.id,
      JSON.stringify(intent),
      resolution.outcome,
      resolvedPaymentId(resolution),
    );
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    const rows = (await this.#rows(this.#statements.listPending)) as readonly JournalRow[];
    return rows.map(toIntent);
  }

  #rows(text: string, ...values: unknown[]): Promise<readonly unknown[]> {
    const table = { owner: 'journal', table: this.#table, migration: 'postgresMigration' };
    return queryRows(this.#pool, table, text, values);
  }
}

const maxRounds = 20;
// Runs in the transaction of the write, before its commit: with `off`, which a role or a database can have as its
// default, a crash of the server would lose a claim whose payment is sent.
const durably = "set_config('synchronous_commit', 'on', true)";

function statementsFor(table: string) {
  return {
    claim: `
      insert into ${table} as entry (key, intent_id, intent) values ($1, $2, $3)
      on conflict (key) do update set
        intent_id = excluded.intent_id, intent = excluded.intent, claimed_at = excluded.claimed_at, claim_number = default,
        outcome = null, resolved_at = null
      where entry.outcome = 'not-created' and entry.intent_id <> excluded.intent_id
      returning ${durably}`,
    read: `select key, intent_id as "intentId", intent, outcome, payment_id as "paymentId" from ${table} where key = $1`,
    resolve: `
      update ${table} set
        intent = case when intent_id = $2::text then intent else $3::text end, intent_id = $2::text,
        outcome = $4::text, payment_id = $5, resolved_at = now()
      where key = $1 and case when $4::text = 'created' then outcome is distinct from 'created' else outcome is null and intent_id = $2::text end
      returning ${durably}`,
    listPending: `select key, intent_id as "intentId", intent from ${table} where outcome is null order by claimed_at, claim_number`,
  } as const;
}
