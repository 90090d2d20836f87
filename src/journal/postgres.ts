import { custom, optionsObject } from '../contract/option-schemas.js';
import { memoize } from '../contract/schema/schema.js';
import { ConfigurationError } from '../errors/api.js';
import { requireOptions } from '../errors/options.js';
import { type PaymentCreateIntent } from '../contract/intent.js';
import {
  byBytes,
  checkUnique,
  isConflict,
  postgresFailure,
  rowsOf,
  type PostgresOwner,
  type PostgresResult,
} from '../database/postgres.js';
import { JournalError } from '../errors/journal.js';
import { isAcceptance, type Journal, type JournalEntry, type IntentResolution } from './journal.js';
import { rowColumns, rowNames, toEntry, toIntent, toValues, type JournalRow } from './serialization.js';

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
// The advisory lock of processes that create the table: these statements are not safe concurrently.
const createLock = 7_226_519_302;

const optionsSchema = memoize(() =>
  optionsObject<PostgresJournalOptions>(
    {
      table: custom(
        (table) => typeof table === 'string' && /^([a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,62}$/.test(table),
        {
          rule:
            'must be named with lowercase letters, digits and underscores, with an optional schema (at most 63 ' +
            'characters each)',
          fix: `Pass a name such as "${defaultTable}"`,
        },
      ),
    },
    { hints: { schema: 'is not an option. Pass it with the table, such as { table: "payments.corridor_journal" }' } },
  ),
);

/** Quotes the name of a table, which cannot be a parameter. */
function quote(table: string): string {
  requireOptions(optionsSchema, { table }, 'the options of a PostgreSQL journal');
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

// The columns whose unique indexes make a claim exclusive. `released` is empty while an entry holds its quote and its
// key, and then the id.
const uniqueColumns = ['intent_id', 'quote, released', 'idempotency_key, released'];

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
  // One statement, so that it is run as a whole. The names of indexes are PostgreSQL's, because another table can have
  // taken any name, such as that of an old table that was renamed.
  return `do $corridor$
begin
  perform pg_advisory_xact_lock(${createLock});
  create table if not exists ${name} (
    intent_id text collate "C" primary key,
    quote text collate "C" not null,
    idempotency_key text collate "C",
    intent text not null,
    outcome text check (outcome in ('created', 'not-created')),
    payment_id text,
    released text collate "C" not null default '',
    claimed_at timestamptz not null default now(),
    claim_number bigint generated always as identity,
    resolved_at timestamptz
  );
${uniqueColumns
  .map(
    (columns) => `  begin
    ${checkUnique(name, columns, byBytes(columns))};
  exception when invalid_column_reference then
    create unique index on ${name} (${byBytes(columns)});
  end;
`,
  )
  .join('')}  if not exists (select from pg_index where indrelid = '${name}'::regclass and indpred is not null) then
    create index on ${name} (claimed_at) where outcome is null;
  end if;
end
$corridor$;
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
  #statements: Statements | undefined;

  /** Does not query the pool yet. */
  constructor(pool: PostgresPool, options: PostgresJournalOptions = {}) {
    requireOptions(optionsSchema, options, 'the options of a PostgreSQL journal');
    if (typeof (pool as PostgresPool | null)?.query !== 'function')
      throw new ConfigurationError('the pool of a PostgreSQL journal must have a function "query". Pass a Pool of pg');
    const { table = defaultTable } = options;
    const name = quote(table);
    this.#pool = pool;
    this.#table = table;
    if (table.includes('.')) this.#statements = statementsFor(name);
  }

  /** Claims the intent's quote and its key. Returns true, or the existing entry. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const values = toValues(intent);
    const timeToSend = Date.parse(intent.sendUntil ?? '') - Date.parse(intent.createdAt);
    // The entry can be released between the failed claim and the read; then claim again.
    for (let round = 0; round < maxRounds; round += 1) {
      const [claimed] = await this.#rows(
        'claim',
        ['intentId'],
        ...values,
        Number.isNaN(timeToSend) ? null : timeToSend,
      );
      if (claimed?.intentId === intent.id) return true;
      const [row] = await this.#rows('read', rowNames, ...values.slice(0, 3));
      if (row !== undefined) return toEntry(row as unknown as JournalRow);
      if ((await this.#rows('findVolatile', ['persistence'])).length > 0)
        throw new JournalError(
          `the journal's table ${this.#table} is unlogged or temporary, so that a crash of ` +
            'the server empties it, and its keys would pay again. Run "alter ' +
            `table ${this.#table} set logged", or create it with ${sqlOf(this.#table)}`,
        );
    }
    throw new JournalError(
      `the entry could neither be claimed nor read in the journal's ` +
        `table ${this.#table}: it was released and claimed too often. Call again`,
    );
  }

  /** Returns the entry that holds a key. */
  async findByKey(idempotencyKey: string): Promise<JournalEntry | undefined> {
    const [row] = await this.#rows('read', rowNames, null, null, idempotencyKey);
    return row && toEntry(row as unknown as JournalRow);
  }

  /** Stores the outcome of an intent. Returns false if the payment was created, and its entry was lost. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<boolean> {
    const paymentId = resolution.outcome === 'created' ? resolution.paymentId : null;
    const values = [...toValues(intent), resolution.outcome, paymentId, String(isAcceptance(intent, resolution))];
    const [row] = await this.#rows('resolve', ['entry'], ...values);
    return paymentId === null || row?.entry !== 'new';
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    const rows = await this.#rows('listPending', rowNames);
    return rows.map((row) => toIntent(row as unknown as JournalRow));
  }

  /**
   * Removes the entries that were resolved before a time, and returns their number. Their keys can create payments
   * again: pass a time before which no order is retried.
   */
  async purge(before: Date): Promise<number> {
    return (await this.#rows('purge', ['intentId'], before.toISOString())).length;
  }

  async #rows<Column extends string>(
    name: keyof Statements,
    columns: readonly Column[],
    ...values: unknown[]
  ): Promise<readonly Readonly<Record<Column, unknown>>[]> {
    const owner = ownerOf(this.#table);
    for (let round = 1; ; round += 1) {
      try {
        this.#statements ??= statementsFor(await this.#findTable());
        const result = await this.#pool.query(this.#statements[name], values);
        return rowsOf(result, columns, owner, name === 'listPending' || name === 'purge' ? Infinity : 1);
      } catch (error) {
        // With another isolation level than read committed, a conflict is an error.
        if (round < maxRounds && isConflict(error)) continue;
        if (error instanceof JournalError) throw error;
        throw new JournalError(postgresFailure(error, owner).message, {}, error);
      }
    }
  }

  /**
   * Returns the quoted name of the table, with its schema: two processes whose `search_path` differs must not find two
   * tables.
   */
  async #findTable(): Promise<string> {
    const result = await this.#pool.query(findTable, [this.#table]);
    const found = rowsOf(result, ['schema', 'kind'], ownerOf(this.#table));
    // A view or a foreign table is often for reports, and has the name of the table that it shows.
    const tables = found.filter(({ kind }) => kind === 'r' || kind === 'p');
    const schemas = tables.length > 0 ? tables : found;
    const names = schemas.map(({ schema }) => `${String(schema)}.${this.#table}`);
    if (names.length > 1)
      throw new JournalError(
        `the journal's table ${this.#table} exists in more than one schema, so that processes can ` +
          `use different ones: ${names.join(', ')}. Pass one of these names as table`,
      );
    const [{ schema } = {}] = schemas;
    // Without one, the statement fails, and its error says so.
    return schema === undefined ? quote(this.#table) : `${String(schema)}."${this.#table}"`;
  }
}

const maxRounds = 20;
// Runs in the transaction of the write, before its commit: with `off`, which a role or a database can have as its
// default, a crash of the server would lose a claim whose payment is sent.
const durably = "pg_catalog.set_config('synchronous_commit', 'on', true)";

const findTable = `
  select pg_catalog.quote_ident(nspname) as schema, relkind::text as kind from pg_catalog.pg_class, pg_catalog.pg_namespace
  where pg_namespace.oid = relnamespace and relname = $1 and relkind in ('r', 'p', 'v', 'f') and relpersistence <> 't'
  order by nspname`;

const sqlOf = (table: string): string => `postgresMigration('${table}') from corridor-sdk/journal/postgres`;

const ownerOf = (table: string): PostgresOwner => ({
  name: 'journal',
  tables: `the journal's table ${table}`,
  sql: sqlOf(table),
  repair:
    `Run the SQL of ${sqlOf(table)} again, which creates those that are missing: ` +
    uniqueColumns.map((each) => `create unique index on ${table} (${byBytes(each)})`).join('; '),
  grants: `grant usage on its schema, and select, insert, update, delete on ${table}, to the role of the journal`,
});

// Independent of the DateStyle and the TimeZone of a session.
const columns = rowColumns(`pg_catalog.to_char(claimed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

type Statements = ReturnType<typeof statementsFor>;

function statementsFor(table: string) {
  // A crash of the server empties a table that is not permanent.
  const findVolatile =
    'select relpersistence::text as persistence from pg_catalog.pg_class where oid = ' +
    `'${table.replaceAll("'", "''")}'::pg_catalog.regclass and relpersistence <> 'p'`;
  const checks = uniqueColumns.map((each, index) => `unique_${index} as (${checkUnique(table, each, byBytes(each))})`);
  // With the collation of the indexes, so that none of another collation is used.
  const isOfNames = `(quote = $2::text collate "C" or idempotency_key = $3::text collate "C")`;
  const isOfId = 'intent_id = $1::text collate "C"';
  return {
    // A claim whose statement waits longer than its process may send, as for a locked table, is not inserted: the
    // process has given up. Only the server's clock counts.
    claim: `
      with ${checks.join(', ')}
      insert into ${table} (intent_id, quote, idempotency_key, intent, released)
      select $1::text, $2::text, $3::text, $4::text, ''
      where not exists (select from ${table} where ${isOfNames} and outcome = 'created')
        and not exists (${findVolatile})
        and coalesce(pg_catalog.clock_timestamp() - pg_catalog.now() < pg_catalog.make_interval(secs => $5::float8 / 1000), true)
      on conflict do nothing returning intent_id as "intentId", ${durably}`,
    findVolatile,
    read: `
      select ${columns} from ${table}
      where ${isOfId} or (${isOfNames} and (released = '' or outcome = 'created'))
      order by outcome is distinct from 'created', case when outcome = 'created' then false else intent_id <> $1 end,
        idempotency_key is distinct from $3
      limit 1`,
    // Inserts an intent without an entry: one that was not created can then not be claimed later, and one that was
    // created was lost. It is released, because another entry can hold its names.
    resolve: `
      insert into ${table} as entry (intent_id, quote, idempotency_key, intent, outcome, payment_id, resolved_at, released)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, pg_catalog.now(), $1::text)
      on conflict (${byBytes('intent_id')}) do update set
        outcome = excluded.outcome, payment_id = excluded.payment_id, resolved_at = excluded.resolved_at,
        released = case when excluded.outcome = 'created' then entry.released else entry.intent_id end,
        intent = case $7::text when 'true' then excluded.intent else entry.intent end
      where entry.outcome is null or (entry.outcome = 'not-created' and excluded.outcome = 'created')
        or ($7::text = 'true' and entry.payment_id = excluded.payment_id)
      returning case when exists (select from ${table} where ${isOfId}) then 'known' else 'new' end as entry, ${durably}`,
    listPending: `select ${columns} from ${table} where outcome is null order by claimed_at, claim_number`,
    purge: `
      delete from ${table} where outcome is not null and resolved_at < $1::timestamptz
      returning intent_id as "intentId", ${durably}`,
  } as const;
}
