import { ConfigurationError } from '../errors/api.js';
import { JournalError } from '../errors/journal.js';

/** The result of a statement. */
export interface PostgresResult {
  /** The rows, as objects with a property per column. */
  readonly rows: readonly unknown[];
}

/** The part of a connection pool or a client that the SDK uses. A `Pool` and a `Client` of `pg` have it. */
export interface PostgresPool {
  /** Runs one statement. A pool runs it in its own transaction. */
  query(text: string, values: unknown[]): Promise<PostgresResult>;
}

/** Validates a pool. */
export function requirePool(pool: PostgresPool, owner: string): PostgresPool {
  if (typeof (pool as PostgresPool | null)?.query !== 'function')
    throw new ConfigurationError(`the pool of a ${owner} must have a function "query". Pass a Pool of pg`);
  return pool;
}

/** Quotes the name of a table, which cannot be a parameter. */
export function quoteTable(table: unknown, owner: string, example: string): string {
  // PostgreSQL truncates names after 63 characters, and the indexes of the journal add up to 6.
  if (typeof table !== 'string' || !/^([a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,56}$/.test(table)) {
    throw new ConfigurationError(
      `the table of a ${owner} must be named with lowercase letters, digits and underscores, with an optional schema (at most 57 characters). Pass a name such as "${example}"`,
    );
  }
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

/** A table, and the function that returns the SQL that creates it. */
export interface MigratedTable {
  /** What the table belongs to, such as `journal`. */
  readonly owner: string;
  readonly table: string;
  readonly migration: string;
}

// PostgreSQL's codes for a statement on a table or a column that does not exist.
const [undefinedTable, undefinedColumn] = ['42P01', '42703'];

/** Runs a statement, and returns its rows. Throws a `JournalError` if the table does not exist or is of an older version. */
export async function queryRows(
  pool: PostgresPool,
  { owner, table, migration }: MigratedTable,
  text: string,
  values: unknown[],
): Promise<readonly unknown[]> {
  try {
    return (await pool.query(text, values)).rows;
  } catch (error) {
    const code = (error as { readonly code?: unknown } | null | undefined)?.code;
    if (code === undefinedColumn)
      throw new JournalError(
        `the ${owner}'s table ${table} lacks a column (${undefinedColumn}): an older version of this package created it. Rename it, run the SQL of ${migration}('${table}') from corridor-sdk/journal/postgres, and reconcile what the old table has`,
        {},
        error,
      );
    if (code !== undefinedTable) throw error;
    throw new JournalError(
      `the ${owner}'s table ${table} does not exist in this database (${undefinedTable}). Run the SQL of ${migration}('${table}') from corridor-sdk/journal/postgres, or pass the name of the existing table`,
      {},
      error,
    );
  }
}
