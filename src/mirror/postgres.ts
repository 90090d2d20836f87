import { ConfigurationError } from '../errors/api.js';
import { parseTime } from '../contract/schema/time.js';
import type { DatabaseError } from '../database/error.js';
import { postgresFailure, type PostgresResult } from '../database/postgres.js';
import { Mirror, type MirrorOptions, type MirrorWork } from './mirror.js';
import type { SyncContext } from './passes.js';
import { sync, type SyncOptions, type SyncReport } from './sync.js';
import { mirrorStatements, mirrorTables, type MirrorRow, type MirrorStatements, type SqlDialect } from './tables.js';

export type { MirrorChange, MirrorChangesOptions, MirrorFreshness, MirrorOptions, MirrorStatus } from './mirror.js';
export type { PostgresResult };

/** The part of a connection that a `PostgresMirror` uses. A `PoolClient` of `pg` has it. */
export interface PostgresMirrorClient {
  /** Runs one statement. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Returns the connection to its pool; closes it if it is broken. */
  release(error?: Error | boolean): void;
  /** Adds a listener for a connection that breaks. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a pool that a `PostgresMirror` uses. A `Pool` of `pg` has it. */
export interface PostgresMirrorPool {
  /** Returns a connection for one transaction. */
  connect(): Promise<PostgresMirrorClient>;
}

/** The options of a `PostgresMirror`. */
export interface PostgresMirrorOptions extends MirrorOptions {
  /** The schema of the tables, in lowercase. It is created if it does not exist. @default 'public' */
  readonly schema?: string | undefined;
}

const defaultSchema = 'public';

function dialectOf(schema: unknown): SqlDialect {
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new ConfigurationError(
      `the schema of a PostgreSQL mirror must be a name of lowercase letters, digits and underscores (received ${typeof schema === 'string' ? JSON.stringify(schema) : typeof schema}). Pass a name such as "corridor"`,
    );
  return {
    types: { text: 'text', amount: 'numeric', time: 'timestamptz', json: 'jsonb', integer: 'bigint' },
    tableOptions: '',
    ids: 'select jsonb_array_elements_text(?::jsonb)',
    name: (table) => `"${schema}"."${table}"`,
    rows: (table, columns) => `select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, ?::jsonb)`,
    lock: ' for update',
  };
}

/**
 * Returns the SQL of the tables of a `PostgresMirror`, which creates them itself if its role may.
 *
 * @throws ConfigurationError if the name of the schema has other characters than lowercase letters, digits and
 * underscores.
 * @example
 * ```ts
 * import { postgresMirrorTables } from 'corridor-sdk/mirror/postgres';
 * console.log(postgresMirrorTables('corridor'));
 * ```
 */
export function postgresMirrorTables(schema: string = defaultSchema): string {
  const tables = mirrorTables(dialectOf(schema));
  return schema === defaultSchema ? tables : `create schema if not exists "${schema}";\n${tables}`;
}

// PostgreSQL's codes of a table or a schema that does not exist, and of transactions that can be repeated at once.
const undefinedCodes: ReadonlySet<unknown> = new Set(['42P01', '3F000']);
const repeatableCodes: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const uniqueViolation = '23505';
const maxAttempts = 10;
// The advisory lock of processes that create the tables: these statements are not safe concurrently.
const createLock = 7_226_519_301;

/**
 * A mirror in a PostgreSQL database, for processes on several machines: `corridor.sync` fills it with all payments,
 * customers and beneficiaries and keeps it true. Amounts are `numeric` and times `timestamptz`, null if they cannot be
 * read, and `data` is `jsonb`. The tables are created if they do not exist. The pool must have at least one connection
 * that is not in use by your own transactions.
 *
 * @throws ConfigurationError if the pool has no `connect` function, or an option is invalid.
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { PostgresMirror, type PostgresMirrorPool } from 'corridor-sdk/mirror/postgres';
 * async function follow(corridor: Corridor, pool: PostgresMirrorPool, signal: AbortSignal): Promise<void> { // such as a Pool of pg
 *   await corridor.sync(new PostgresMirror(pool, { schema: 'corridor' }), { signal });
 * }
 * ```
 */
export class PostgresMirror extends Mirror {
  readonly #pool: PostgresMirrorPool;
  readonly #statements: MirrorStatements;
  readonly #tables: string;

  /** Does not use the pool yet. */
  constructor(pool: PostgresMirrorPool, { schema = defaultSchema, ...options }: PostgresMirrorOptions = {}) {
    super(options);
    if (typeof (pool as PostgresMirrorPool | null)?.connect !== 'function')
      throw new ConfigurationError('the pool of a PostgreSQL mirror must have a function "connect". Pass a Pool of pg');
    this.#pool = pool;
    const statements = mirrorStatements(dialectOf(schema));
    this.#statements = Object.fromEntries(
      Object.entries(statements).map(([name, sql]) => [name, numbered(sql)]),
    ) as MirrorStatements;
    this.#tables = postgresMirrorTables(schema);
  }

  /** @internal */
  run(context: SyncContext, options: SyncOptions): Promise<SyncReport> {
    return sync(context, this, options);
  }

  /** @internal */
  protected override async transact<T>(mode: 'read' | 'write', work: () => MirrorWork<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transactOnce(mode, work);
      } catch (error) {
        const code = codeOf(error);
        if (attempt >= maxAttempts || !(undefinedCodes.has(code) || repeatableCodes.has(code))) throw error;
        if (undefinedCodes.has(code)) await this.#createTables();
      }
    }
  }

  /** @internal */
  protected override failureOf(error: unknown): DatabaseError {
    return postgresFailure(error, 'mirror');
  }

  #transactOnce<T>(mode: 'read' | 'write', work: () => MirrorWork<T>): Promise<T> {
    // Whatever the defaults of the role are: commits that a crash loses would break the chains.
    const begin =
      mode === 'read'
        ? 'begin isolation level repeatable read read only'
        : 'begin isolation level read committed read write; set local synchronous_commit = on';
    return this.#withClient(begin, async (client) => {
      const steps = work();
      let step = steps.next();
      while (step.done !== true) {
        const [name, values] = step.value;
        const isInsert = name === 'addChanges' || name.startsWith('upsert_');
        const parameters = isInsert ? [JSON.stringify((values as readonly MirrorRow[]).map(toColumns))] : [...values];
        const { rows } = await client.query(this.#statements[name], parameters);
        step = steps.next(rows as readonly Readonly<Record<string, unknown>>[]);
      }
      return step.value;
    });
  }

  async #createTables(): Promise<void> {
    try {
      await this.#withClient('begin isolation level read committed read write', async (client) => {
        await client.query('select pg_advisory_xact_lock($1)', [createLock]);
        await client.query(this.#tables);
      });
    } catch (error) {
      // A session that did not find the schema before may not see that another one has created it.
      if (codeOf(error) !== uniqueViolation) throw error;
    }
  }

  async #withClient<T>(begin: string, work: (client: PostgresMirrorClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    // Otherwise a connection that breaks would end the process. The next statement reports it.
    const onError = (error: Error): void => void (broken = error);
    client.on('error', onError);
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      const lost = codeOf(error) === undefined ? broken : undefined;
      await client.query('rollback').catch((failure: unknown) => (broken ??= failure as Error));
      throw lost ?? error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }
}

const codeOf = (error: unknown): unknown => (Object(error) as { readonly code?: unknown }).code;

function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

/** A number that `numeric` holds. */
const decimal = /^[+-]?\d{1,1000}(?:\.\d{1,1000})?$/;

// An amount or a time that cannot be read is null: an error would end the transaction, and `data` has its text.
function toColumns({ ...row }: MirrorRow): Readonly<Record<string, unknown>> {
  const columns: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name === 'data' || name === 'fields')
      columns[name] = JSON.parse(String(value), (_key, field: unknown) => storable(field));
    else if (name === 'amount') columns[name] = decimal.test(String(value)) ? value : null;
    else if (name === 'created_at' || name === 'updated_at') columns[name] = toTimestamp(value);
    else columns[name] = storable(value);
  }
  return columns;
}

function toTimestamp(value: unknown): string | null {
  const time = parseTime(value);
  const text = Number.isNaN(time) ? '' : new Date(time).toISOString();
  // PostgreSQL reads years of four digits, from 1.
  return /^(?!0000)\d{4}-/.test(text) ? text : null;
}

// PostgreSQL stores neither the character 0 nor half a surrogate pair.
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value;
}
