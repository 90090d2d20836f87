import { ConfigurationError } from '../errors/api.js';
import { requireOptions } from '../errors/options.js';
import { custom, optionsObject } from '../contract/option-schemas.js';
import { memoize } from '../contract/schema/schema.js';
import { parseTime } from '../contract/schema/time.js';
import type { DatabaseError } from '../database/database-error.js';
import {
  byBytes,
  checkUnique,
  codeOf,
  isConflict,
  postgresFailure,
  rowsOf,
  type PostgresOwner,
  type PostgresResult,
} from '../database/postgres.js';
import {
  Mirror,
  mirrorOptionsShape,
  replacedError,
  TakenOverError,
  type MirrorOptions,
  type MirrorStep,
} from './mirror.js';
import { postgresDialect } from './dialects.js';
import type { WorkflowContext } from '../workflows/context.js';
import { sync, type SyncOptions, type SyncReport } from './sync.js';
import type { MirrorTablesOf } from './table-types.js';
import { mirrorStatements, mirrorTables, type MirrorRow, type MirrorStatements } from './tables.js';

export type * from './exported-types.js';
export type { PostgresResult };

/** The part of a connection that a `PostgresMirror` uses. A `PoolClient` of `pg` has it. */
export interface PostgresMirrorClient {
  /** Runs statements. The result of several is a list of their results. */
  query(text: string): Promise<PostgresResult>;
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

/**
 * The tables for a typed query builder, such as `new Kysely<MirrorTables>(…)`: the types that `pg` returns by default.
 */
export interface MirrorTables extends MirrorTablesOf<Date, string> {}

const defaultSchema = 'public';
// The advisory lock of processes that create the tables: these statements are not safe concurrently.
const createLock = 7_226_519_301;

// The name of the schema is checked where it is quoted.
const optionsSchema = memoize(() =>
  optionsObject<PostgresMirrorOptions>({ ...mirrorOptionsShape(), schema: custom(() => true, {}) }),
);

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
  const tables = mirrorTables(postgresDialect(schema));
  const create = schema === defaultSchema ? tables : `create schema if not exists "${schema}";\n${tables}`;
  // Also for processes that create them at once, each statement in a transaction or all in one.
  return `do $corridor$ begin\nperform pg_catalog.pg_advisory_xact_lock(${createLock});\n${create}end $corridor$;\n`;
}

// PostgreSQL's codes of a table or a schema that does not exist, of a guarded update that has changed no row, and of a
// second row with a unique key.
const undefinedCodes: ReadonlySet<unknown> = new Set(['42P01', '3F000']);
const divisionByZero = '22012';
const uniqueViolation = '23505';
const maxAttempts = 10;
// How long a statement waits for a lock, a transaction for a process that is paused, and a call for the database, in
// milliseconds.
const [lockTimeout, idleTimeout, answerTimeout] = [5_000, 5_000, 30_000];
// Whatever the defaults of the role are: commits that a crash loses would break the chains, and functions and types are
// those of PostgreSQL. A server that checks the connection ends a statement whose client has gone.
const settings = [
  'set local synchronous_commit = on',
  'set local search_path = pg_catalog',
  `set local lock_timeout = ${lockTimeout}`,
  `set local idle_in_transaction_session_timeout = ${idleTimeout}`,
  "select set_config('client_connection_check_interval', '500', true) where " +
    "current_setting('client_connection_check_interval', true) = '0' and version() like '%linux%'",
].join('; ');
const beginRead = `begin isolation level repeatable read read only; ${settings}`;
const beginWrite = `begin isolation level read committed read write; ${settings}`;
const primaryKeys = [
  ['corridor_payments', 'id', byBytes('id')],
  ['corridor_customers', 'id', byBytes('id')],
  ['corridor_beneficiaries', 'id', byBytes('id')],
  ['corridor_changes', 'sequence', 'sequence'],
  ['corridor_sync', 'id', 'id'],
  ['corridor_positions', 'name', byBytes('name')],
] as const;

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
 * async function follow(corridor: Corridor, pool: PostgresMirrorPool, signal: AbortSignal): Promise<void> {
 *   // The pool is such as a Pool of pg.
 *   await corridor.sync(new PostgresMirror(pool, { schema: 'corridor' }), { signal });
 * }
 * ```
 */
export class PostgresMirror extends Mirror {
  readonly #pool: PostgresMirrorPool;
  readonly #statements: MirrorStatements;
  readonly #tables: string;
  #hasTables = false;
  readonly #owner: PostgresOwner;
  // Checks the unique indexes before the first write, together with it.
  readonly #checks: string;
  #isChecked = false;

  /** Does not use the pool yet. */
  constructor(pool: PostgresMirrorPool, options: PostgresMirrorOptions = {}) {
    requireOptions(optionsSchema, options, 'the options of a PostgreSQL mirror');
    super(options);
    const { schema = defaultSchema } = options;
    if (typeof (pool as PostgresMirrorPool | null)?.connect !== 'function')
      throw new ConfigurationError('the pool of a PostgreSQL mirror must have a function "connect". Pass a Pool of pg');
    this.#pool = pool;
    this.#statements = mirrorStatements(postgresDialect(schema));
    this.#tables = postgresMirrorTables(schema);
    const { name } = postgresDialect(schema);
    this.#checks = primaryKeys.map(([table, key, indexed]) => checkUnique(name(table), key, indexed)).join(';\n');
    const changes = primaryKeys
      .filter(([, key, indexed]) => indexed !== key)
      .map(([table, key]) => `alter table ${name(table)} alter ${key} type text collate "C"`);
    this.#owner = {
      name: 'mirror',
      tables: `the schema ${schema} with the tables of the mirror`,
      sql: `postgresMirrorTables('${schema}') from corridor-sdk/mirror/postgres`,
      repair:
        'Restore the primary keys of its tables, or drop it, so that the next sync fills it again. If an older version ' +
        `created it, run: ${changes.join('; ')}`,
      grants:
        `grant usage on schema ${schema}, and select, insert, update, ` +
        'delete on its tables, to the role of the mirror',
    };
  }

  /** @internal */
  protected override storedColumn(name: string, value: string | number | null): string | number | null {
    const stored = toColumns({ [name]: value })[name] as string | null;
    if (name !== 'amount' || stored === null) return stored;
    const digits = stored.replace(/^[+-]/, '').replace(/^0+(?=\d)/, '');
    return stored.startsWith('-') && /[1-9]/.test(digits) ? `-${digits}` : digits;
  }

  /** @internal */
  run(context: WorkflowContext, options: SyncOptions): Promise<SyncReport> {
    return sync(context, this, options);
  }

  // A transaction is one round trip, so that no lock waits for this process.
  /** @internal */
  protected override async transact(
    mode: 'read' | 'write',
    steps: readonly MirrorStep[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly Row[])[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const begin = mode === 'read' ? beginRead : this.#isChecked ? beginWrite : `${beginWrite};\n${this.#checks}`;
        const text = [begin, ...steps.map((step) => this.#textOf(step)), 'commit'].join(';\n');
        // The results of several statements are a list. That of the commit is the last one.
        const result: unknown = await this.#withClient(signal, (query) => query(text));
        this.#hasTables = true;
        this.#isChecked ||= mode === 'write';
        const results = Array.isArray(result) ? result.slice(-1 - steps.length) : [];
        return mode === 'write' ? [] : steps.map((_, index) => rowsOf(results[index], [], this.#owner));
      } catch (error) {
        const code = codeOf(error);
        if (code === divisionByZero) throw new TakenOverError();
        const isUndefined = undefinedCodes.has(code);
        if (isUndefined && this.#hasTables) throw replacedError(error);
        if (isUndefined && mode === 'read') return steps.map(() => []);
        if (attempt >= maxAttempts || !(isUndefined || isConflict(error))) throw error;
        if (isUndefined) await this.#createTables(signal);
      }
    }
  }

  /** @internal */
  protected override failureOf(error: unknown): DatabaseError {
    return postgresFailure(error, this.#owner);
  }

  #textOf([name, values]: MirrorStep): string {
    const isInsert = name === 'addChanges' || name.startsWith('upsert_');
    const literals = (isInsert ? [(values as readonly MirrorRow[]).map(toColumns)] : values).map(toLiteral);
    return this.#statements[name].replaceAll('?', () => literals.shift() ?? 'null');
  }

  async #createTables(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#withClient(signal, (query) => query(`${beginWrite}; ${this.#tables} commit`));
    } catch (error) {
      // A session that did not find the schema before may not see that another one has created it.
      if (codeOf(error) !== uniqueViolation) throw error;
    }
  }

  // A call that is aborted, or that gets no answer, closes its connection, and the server ends the transaction.
  async #withClient<T>(signal: AbortSignal | undefined, work: (query: Query) => Promise<T>): Promise<T> {
    let stopped: Error | undefined;
    let stop = (_reason: Error): void => {};
    const stopping = new Promise<never>((_resolve, reject) => {
      stop = (reason) => reject((stopped ??= reason));
    });
    stopping.catch(() => {});
    const onAbort = (): void => stop(new Error('aborted'));
    const timer = setTimeout(() => stop(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), answerTimeout);
    signal?.addEventListener('abort', onAbort);
    const connecting = this.#pool.connect();
    let client: PostgresMirrorClient | undefined;
    let broken: Error | undefined;
    // Otherwise a connection that breaks would end the process. The next statement reports it.
    const onError = (error: Error): void => void (broken = error);
    try {
      client = await Promise.race([stopping, connecting]);
      client.on('error', onError);
      const { query } = client;
      return await work((text) => Promise.race([stopping, query.call(client, text)]));
    } catch (error) {
      const lost = codeOf(error) === undefined ? broken : undefined;
      if (stopped === undefined)
        await client?.query('rollback').catch((failure: unknown) => (broken ??= failure as Error));
      throw lost ?? error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      client?.off('error', onError);
      client?.release(stopped ?? broken);
      // A pool that was full connects later.
      if (client === undefined)
        connecting.then(
          (late) => late.release(),
          () => {},
        );
    }
  }
}

type Query = (text: string) => Promise<PostgresResult>;
type Row = Readonly<Record<string, unknown>>;

// A text of several statements has no parameters. No character of base64 ends a literal.
function toLiteral(value: unknown): string {
  if (value === null) return 'null';
  if (Number.isSafeInteger(value)) return String(value);
  const json = JSON.stringify(value, (_key, field: unknown) => storable(field));
  const ascii = json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const decoded = `convert_from(decode('${btoa(ascii)}', 'base64'), 'UTF8')`;
  return typeof value === 'string' ? `(${decoded}::jsonb #>> '{}')` : decoded;
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
  // A timestamptz holds microseconds.
  const digits = (/\.(\d+)/.exec(String(value))?.[1] ?? '').padEnd(6, '0').slice(0, 6);
  const text = Number.isNaN(time) ? '' : new Date(time).toISOString().replace(/\d{3}Z$/, `${digits}Z`);
  // PostgreSQL reads years of four digits, from 1.
  return /^(?!0000)\d{4}-/.test(text) ? text : null;
}

// PostgreSQL stores neither the character 0 nor half a surrogate pair.
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value;
}
