import { codeOrName } from '../errors/journal.js';
import { DatabaseError } from './database-error.js';

/** The result of a statement. */
export interface PostgresResult {
  /** The rows, as objects with a property per column. */
  readonly rows: readonly unknown[];
}

// The SQLSTATE of a connection that failed, a session that the server ended, a timeout of the server, a primary that
// has become a standby (25006), a conflict of transactions, too many clients, no memory or disk, a lock, or an I/O
// error.
const transientStates =
  /^(?:08(?!P01)\w{3}|25006|25P0[34]|40(?!002)\w{3}|53[0-3]00|55006|55P03|57\w{3}|58000|58030|72000)$/;

// Codes of Node (a name that does not resolve, a connection, a shortage of the machine, a stream that ended) and of
// postgres.js. The codes of a pool that the program itself has ended are not among them.
const transientCodes = [
  /^(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL|EAI_NODATA|ESERVFAIL|ETIMEOUT)$/,
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|ENETRESET|ENOTCONN)$/,
  /^(?:EADDRNOTAVAIL|EAGAIN|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/,
  /^(?:ERR_STREAM_(?:DESTROYED|WRITE_AFTER_END|PREMATURE_CLOSE)|ERR_SOCKET_(?:CLOSED|CONNECTION_TIMEOUT))$/,
  /^(?:ERR_TLS_HANDSHAKE_TIMEOUT|CONNECTION_CLOSED|CONNECT_TIMEOUT)$/,
];

// pg reports these without a code: a connection that ended, and timeouts of a connection, a pool and a statement.
const transientTexts =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired|timeout exceeded|There was an error establishing an SSL connection)|server closed the connection unexpectedly|no connection to the server/;

// PgBouncer reports most failures with the code of a protocol error, and Supavisor with that of an internal one.
const poolerCodes: ReadonlySet<unknown> = new Set(['08P01', 'XX000']);
const poolerTexts = [
  // PgBouncer.
  /^(?:query_wait_timeout|query[_ ]timeout|client_(?:idle|login)_timeout|(?:idle )?transaction timeout|suspend_timeout)/,
  /^(?:server (?:conn crashed|connection closed|shutting down|DNS lookup failed|lifetime over|idle timeout))/,
  /^server login has been failing, cached error: (?!.*(?:authentication|password|pg_hba|does not exist))/,
  /^(?:pooler is shutting down|pgbouncer cannot connect to server|connect (?:failed|timeout)|cannot connect|unexpected eof)/,
  /^(?:no more connections allowed|client connections exceeded|no memory|out of memory|bouncer resources exhaustion)/,
  /^(?:admin forced disconnect|database configuration changed|database ".*" is disabled|test query failed)/,
  // Supavisor and RDS Proxy.
  /max (?:clients|client connections|proxy connections|pools count) reached|unable to check ?out|failed to check ?out/i,
  /connection to database (?:not available|closed)|DbHandler [\w ]{0,40}exited|pool (?:is )?terminating|circuit breaker open/i,
  /timed?[- ]out|timeout while waiting|borrow a connection/i,
];

/** What is read of an error of a driver. */
interface DriverError {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly routine?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/**
 * Checks whether an error that a driver of PostgreSQL threw can pass, so that the statement can succeed later although
 * nobody changes the database, its schema or its permissions.
 */
function isTransientPostgresError(error: unknown, depth = 0): boolean {
  const { code, name, message, routine, syscall, cause, errors } = Object(error) as DriverError;
  const text = String(message);
  if (transientCodes.some((each) => each.test(String(code)))) return true;
  // The socket of a local server that starts again.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  // A statement that begins a transaction for writing, on a primary that has become a standby: the text can be
  // translated.
  if (code === unsupported) return routine === 'call_bool_check_hook' || text.endsWith('during recovery');
  if (poolerCodes.has(code)) return poolerTexts.some((each) => each.test(text));
  if (/^[\dA-Z]{5}$/.test(String(code))) return transientStates.test(String(code));
  if (name === 'TimeoutError' || (code === undefined && transientTexts.test(text))) return true;
  // A name with several addresses, and errors that a pool or a wrapper has wrapped.
  const inner = [cause, ...(Array.isArray(errors) ? (errors as readonly unknown[]) : [])];
  return depth < maxDepth && inner.some((each) => isTransientPostgresError(each, depth + 1));
}

const maxDepth = 4;
// PostgreSQL's codes of a write in a read-only transaction, and of a feature that is not supported.
const [readOnly, unsupported] = ['25006', '0A000'];

/** Checks whether an error ended a transaction that succeeds if it is repeated at once: another one won a race. */
export function isConflict(error: unknown): boolean {
  return conflicts.has(codeOf(error));
}

// The last one is of `on conflict (column)`: a concurrent insert can still violate another unique index.
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01', '23505']);

/** Returns the code of an error, if it has one. */
export const codeOf = (error: unknown): unknown => (Object(error) as DriverError).code;

/**
 * Returns columns of texts as those of an index that compares bytes. The order of another collation changes with the
 * operating system or ICU, and an index that was built before then no longer finds its rows.
 */
export const byBytes = (columns: string): string => columns.replaceAll(/\w+/g, '$& collate "C"');

/**
 * Returns a statement that inserts nothing, and fails unless the table has a valid unique index of the columns, with
 * the collations of `indexed`.
 */
export const checkUnique = (table: string, columns: string, indexed = columns): string =>
  `insert into ${table} (${columns}) select ${columns} from ${table} where false on conflict (${indexed}) do nothing`;

/**
 * Returns the rows of a result, each an object with the columns of its statement. A wrapper of another driver can
 * return anything, such as the rows and their metadata as one list.
 *
 * @throws DatabaseError if the result is another one, or has more than `max` rows.
 */
export function rowsOf<Column extends string>(
  result: unknown,
  columns: readonly Column[],
  { name }: Pick<PostgresOwner, 'name'>,
  max = Infinity,
): readonly Readonly<Record<Column, unknown>>[] {
  const { rows } = Object(result) as { readonly rows?: unknown };
  const isRow = (row: unknown): row is Readonly<Record<Column, unknown>> =>
    Object(row) === row &&
    !Array.isArray(row) &&
    columns.every((column) => Object.hasOwn(Object(row) as object, column));
  if (Array.isArray(rows) && rows.length <= max && rows.every(isRow)) return rows;
  throw new DatabaseError(
    `the database of the ${name} must return { rows }, ${max === 1 ? 'at most one object' : 'a list of objects'} ` +
      `with ${columns.join(', ')} (received ${describeRows(rows)}). Pass a pool of pg, or a query function that returns ` +
      'the rows of the statement as objects',
    { isTransient: false, original: undefined },
  );
}

// Without values, which can be those of payments.
function describeRows(rows: unknown): string {
  const describe = (value: unknown): string =>
    Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'object' ? 'an object' : typeof value;
  if (!Array.isArray(rows)) return `${describe(rows)} as rows`;
  const kinds = [...new Set(rows.map(describe))].join(' and ');
  const [row] = rows as readonly unknown[];
  const names =
    typeof row === 'object' && row !== null && !Array.isArray(row) ? ` with ${Object.keys(row).join(', ')}` : '';
  return `${rows.length} rows: ${kinds}${names}`;
}

/** What uses a database, and how a person sets it up. */
export interface PostgresOwner {
  readonly name: 'journal' | 'mirror';
  /** The tables, as a message names them. */
  readonly tables: string;
  /** The call that returns the SQL of the tables, and where it is imported from. */
  readonly sql: string;
  /** What a role needs: statements without the role. */
  readonly grants: string;
  /** How a person restores a unique index. */
  readonly repair: string;
}

/** Describes an error that a driver of PostgreSQL threw, for the journal or the mirror that uses the database. */
export function postgresFailure(error: unknown, owner: PostgresOwner): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const isTransient = isTransientPostgresError(error);
  const code = codeOf(error);
  const [problem, fix] = problemOf(code === unsupported && isTransient ? readOnly : code, isTransient, owner);
  return new DatabaseError(`${problem} (${codeOrName(error)}). ${fix}`, { isTransient, original: error });
}

// What failed, and what a person can do.
function problemOf(
  code: unknown,
  isTransient: boolean,
  { name, tables, sql, grants, repair }: PostgresOwner,
): readonly [problem: string, fix: string] {
  switch (code) {
    case '42501':
      return [
        `the role of the ${name} lacks a permission on ${tables}, or may not create what is missing`,
        `Run the SQL of ${sql} as a role that may create tables, and then: ${grants}`,
      ];
    case '42P01':
    case '3F000':
      return [
        `${tables} does not exist in this database`,
        `Run the SQL of ${sql}, or pass the name of the existing one`,
      ];
    // No unique index for a conflict.
    case '42P10':
      return [`${tables} lacks a unique index that the ${name} needs, as after a restore or a copy`, repair];
    // No default for a column.
    case '23502':
      return [
        `${tables} lacks a default, as after a copy`,
        'Copy it again with "like ... including all", or restore it from a dump',
      ];
    case '42703':
      return [
        `an older version of this package, or another program, created ${tables}`,
        `Rename it, run the SQL of ${sql}, and reconcile what the renamed one has: its keys no longer prevent payments`,
      ];
    case readOnly:
      return [
        `the database of the ${name} is read-only: it is a standby, or default_transaction_read_only is on`,
        'Connect to the primary with a role that may write, and call again',
      ];
    case '53100':
      return [`the disk of the database of the ${name} is full`, 'Free space on it, and call again'];
    default:
      return [
        `the database of the ${name} failed`,
        isTransient
          ? 'Call again when it is available'
          : 'Find the cause by the error that original() returns, and call again',
      ];
  }
}
