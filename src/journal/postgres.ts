import type { StoredIntent } from '../error.js';
import { ConfigurationError } from '../errors.js';
import { journalKey, type Journal, type JournalRecord, type Settlement } from './journal.js';
import { intentOf, paymentIdOf, recordOf, type JournalRow } from './row.js';

/** What a statement gives. */
export interface PostgresResult {
  /** The rows, as objects by the names of their columns. */
  readonly rows: readonly unknown[];
}

/** What a journal asks of a connection pool: that of `pg` has it. */
export interface PostgresPool {
  /** Runs one statement, in a transaction of its own. */
  query(text: string, values: unknown[]): Promise<PostgresResult>;
}

/** Which table is used. */
export interface PostgresJournalOptions {
  /** The table, as `table` or `schema.table`, in small letters. One organization of the platform has one. @default 'corridor_journal' */
  readonly table?: string | undefined;
}

const defaultTable = 'corridor_journal';

/**
 * The SQL that makes the table of a journal, where there is none yet: run it once, as one of your migrations.
 *
 * @throws ConfigurationError where the name is not one of small letters, digits and underscores, with or without a schema.
 * @example
 * ```ts
 * import { postgresMigration } from 'corridor-sdk/journal/postgres';
 * console.log(postgresMigration('payments.corridor_journal'));
 * ```
 */
export function postgresMigration(table: string = defaultTable): string {
  const name = quoted(table);
  return `create table if not exists ${name} (
  key text primary key,
  intent text not null,
  outcome text check (outcome in ('created', 'not-created')),
  payment_id text,
  claimed_at timestamptz not null default now(),
  settled_at timestamptz
);
create index if not exists "${table.slice(table.indexOf('.') + 1)}_open" on ${name} (claimed_at) where outcome is null;
`;
}

/**
 * A journal in a PostgreSQL table, for a fleet: of the processes that share it, one sends the payment of a quote. Make the table by
 * `postgresMigration()` first, and hand over a pool, not a client inside a transaction: what is claimed must be committed before it is sent.
 *
 * @throws ConfigurationError where the table's name cannot be used.
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { PostgresJournal, type PostgresPool } from 'corridor-sdk/journal/postgres';
 * function corridorOf(pool: PostgresPool): Corridor { // such as new Pool({ connectionString }) of pg
 *   return new Corridor({ journal: new PostgresJournal(pool) });
 * }
 * ```
 */
export class PostgresJournal implements Journal {
  readonly #pool: PostgresPool;
  readonly #statements: ReturnType<typeof statementsFor>;

  /** Takes the pool; nothing is asked of it yet. */
  constructor(pool: PostgresPool, { table = defaultTable }: PostgresJournalOptions = {}) {
    if (typeof (pool as PostgresPool | null)?.query !== 'function') throw new ConfigurationError('the pool of a PostgreSQL journal must have a function "query", as that of pg has');
    this.#pool = pool;
    this.#statements = statementsFor(quoted(table));
  }

  /** Claims the intent's quote, or gives the record that stands. */
  async claim(intent: StoredIntent): Promise<true | JournalRecord> {
    const key = journalKey(intent);
    const { claim, read } = this.#statements;
    // Between the claim that fails and the look at what stands, that may have given way: then it is claimed again.
    for (let round = 0; round < mostRounds; round += 1) {
      if ((await this.#rows(claim, key, JSON.stringify(intent))).length > 0) return true;
      const [row] = (await this.#rows(read, key)) as readonly JournalRow[];
      if (row !== undefined && row.outcome !== 'not-created') return recordOf(row);
    }
    throw new Error('the journal neither takes a record nor shows the one that stands');
  }

  /** Notes how the payment of a quote ended. */
  async settle(key: string, settlement: Settlement): Promise<void> {
    await this.#rows(this.#statements.settle, key, settlement.outcome, paymentIdOf(settlement));
  }

  /** The intents that are not settled, oldest first. */
  async open(): Promise<readonly StoredIntent[]> {
    const rows = (await this.#rows(this.#statements.open)) as readonly Pick<JournalRow, 'intent'>[];
    return rows.map(({ intent }) => intentOf(intent));
  }

  async #rows(text: string, ...values: unknown[]): Promise<readonly unknown[]> {
    return (await this.#pool.query(text, values)).rows;
  }
}

const mostRounds = 20;

function statementsFor(table: string) {
  return {
    claim: `
      insert into ${table} as held (key, intent) values ($1, $2)
      on conflict (key) do update set
        intent = excluded.intent, claimed_at = excluded.claimed_at, outcome = null, payment_id = null, settled_at = null
      where held.outcome = 'not-created'
      returning key`,
    read: `select intent, outcome, payment_id as "paymentId" from ${table} where key = $1`,
    settle: `
      update ${table} set outcome = $2::text, payment_id = $3, settled_at = now()
      where key = $1 and (outcome is null or (outcome = 'not-created' and $2::text = 'created'))`,
    open: `select intent from ${table} where outcome is null order by claimed_at, key`,
  } as const;
}

// A name is the one thing that cannot be a parameter. PostgreSQL cuts names after 63 characters, and the index has five more.
function quoted(table: unknown): string {
  if (typeof table !== 'string' || !/^([a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,57}$/.test(table)) {
    throw new ConfigurationError('the table of a PostgreSQL journal must be named in small letters, digits and underscores, with or without a schema (at most 58 characters)');
  }
  return table.split('.').map((part) => `"${part}"`).join('.');
}
