import { ConfigurationError } from '../errors/api.js';

type Sqlite = ReturnType<typeof process.getBuiltinModule<'node:sqlite'>>;
export type Database = InstanceType<Sqlite['DatabaseSync']>;
export type Statement = ReturnType<Database['prepare']>;

// SQLite does not wait at all if the timeout is larger.
const maxBusyTimeout = 2 ** 31 - 1;

/**
 * Opens a SQLite file, creates a table in it if it does not exist, and prepares its statements.
 *
 * @throws ConfigurationError if the file cannot be opened or is not a SQLite file, or if the runtime has no
 * `node:sqlite`.
 */
export function openSqlite<Name extends string>(
  owner: string,
  path: string,
  busyTimeout: number,
  { table, statements }: { readonly table: string; readonly statements: Readonly<Record<Name, string>> },
): { readonly database: Database; readonly prepared: Readonly<Record<Name, Statement>> } {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError(
      `the path of a SQLite ${owner} must be a non-empty string (received ${path === '' ? 'an empty string' : typeof path}). Pass a file path, such as "payments.sqlite"`,
    );
  if (!Number.isInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > maxBusyTimeout) {
    throw new ConfigurationError(
      `busyTimeout must be an integer from 0 to ${maxBusyTimeout}, in milliseconds (received ${typeof busyTimeout === 'number' ? busyTimeout : typeof busyTimeout})`,
    );
  }
  if (path.startsWith('file:'))
    throw new ConfigurationError(
      `the path of a SQLite ${owner} must be a file path, not a file: URI. Pass the path alone, such as "payments.sqlite"`,
    );
  const { DatabaseSync } = requireNodeSqlite(owner);
  let database: Database | undefined;
  try {
    if (path !== ':memory:') createPrivately(path);
    database = new DatabaseSync(path);
    prepareFile(database, busyTimeout, table);
    const prepared: Partial<Record<Name, Statement>> = {};
    for (const name of Object.keys(statements) as Name[]) prepared[name] = database.prepare(statements[name]);
    return { database, prepared: prepared as Record<Name, Statement> };
  } catch (error) {
    if (database?.isOpen === true) database.close();
    throw new ConfigurationError(
      `the ${owner} ${path} could not be opened (${error instanceof Error ? error.message : String(error)}). Check that its folder exists and is writable, and that an existing file is a SQLite database`,
      { cause: error },
    );
  }
}

// SQLite creates files with the process's umask, usually readable by every local user. Its -wal and -shm files get the
// mode of this one.
function createPrivately(path: string): void {
  const { closeSync, openSync } = process.getBuiltinModule('node:fs');
  try {
    // Exclusive, because opening and closing an existing file would drop the locks that this process holds on it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports below why it cannot be created.
  }
}

function prepareFile(database: Database, busyTimeout: number, table: string): void {
  database.exec(`pragma busy_timeout = ${busyTimeout}; pragma synchronous = full`);
  retryWhileBusy(busyTimeout, () => database.exec('pragma journal_mode = wal'));
  retryWhileBusy(busyTimeout, () => database.exec(`begin immediate; ${table}; commit`));
}

const busy = 5;

// SQLite does not apply busy_timeout to the switch to WAL mode while other processes open the file.
function retryWhileBusy(milliseconds: number, work: () => void): void {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const { errcode } = error as { readonly errcode?: number };
      if (errcode === undefined || (errcode & 0xff) !== busy || performance.now() >= deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

// Loaded at run time instead of imported, so that a missing module causes a clear error.
function requireNodeSqlite(owner: string): Sqlite {
  const { process: runtime } = globalThis as { readonly process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> };
  const sqlite = runtime?.getBuiltinModule?.('node:sqlite') as Sqlite | undefined;
  if (sqlite === undefined)
    throw new ConfigurationError(
      `a SQLite ${owner} requires node:sqlite, which this runtime does not have. Use Node 22.13 or newer, or another ${owner}`,
    );
  return sqlite;
}
