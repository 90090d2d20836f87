import { integerFrom } from '../contract/option-schemas.js';
import { ConfigurationError } from '../errors/api.js';
import { codeOrName } from '../errors/journal.js';
import { DatabaseError } from './database-error.js';

type Sqlite = ReturnType<typeof process.getBuiltinModule<'node:sqlite'>>;
type Database = InstanceType<Sqlite['DatabaseSync']>;
type Statement = ReturnType<Database['prepare']>;
type Prepared<Name extends string> = Readonly<Record<Name, Statement>>;

// Not the timers of the global object, which a test may have replaced by those that it advances: another process
// decides how long a file is locked.
const { setTimeout: startTimer } =
  (process as { readonly getBuiltinModule?: typeof process.getBuiltinModule }).getBuiltinModule?.('node:timers') ??
  globalThis;

/** Resolves after a number of milliseconds of real time. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => startTimer(resolve, milliseconds));
}

/** What a transaction does with the prepared statements. */
export type SqliteWork<Name extends string, T> = (prepared: Prepared<Name>) => T;

/** The tables of a file, as SQL that creates them if they do not exist, and the statements that use them. */
export interface SqliteSchema<Name extends string> {
  /**
   * What must not be lost has no WAL: one file, whose replaced content the next transaction reads. With a WAL, readers
   * do not wait for a writer.
   */
  readonly journalMode: 'delete' | 'wal';
  readonly table: string;
  readonly statements: Readonly<Record<Name, string>>;
}

// Each transaction compares the id of the file and reads or increases the number of writes: with another id or fewer
// writes than before, the content was replaced.
const fileTables = `
  create table if not exists corridor_file (id text not null);
  insert into corridor_file select hex(randomblob(16)) where not exists (select 1 from corridor_file);
  create table if not exists corridor_file_writes (writes integer not null);
  insert into corridor_file_writes select 0 where not exists (select 1 from corridor_file_writes)`;
const fileStatements = {
  openFile: 'select id, writes from corridor_file, corridor_file_writes',
  readFile: 'select id, writes from corridor_file, corridor_file_writes where id = ? and writes >= ?',
  writeFile: `
    update corridor_file_writes set writes = writes + 1 where (select id from corridor_file) = ? and writes >= ?
    returning (select id from corridor_file) as id, writes`,
} as const;

interface FileRow {
  readonly id: string;
  readonly writes: number;
}

/**
 * An open SQLite file. Waits without blocking the event loop while another process has it locked, and throws a
 * `DatabaseError` if it is not the file that was opened: another process would not see what is written to it.
 */
export class SqliteFile<Name extends string> {
  readonly #owner: string;
  readonly #path: string;
  readonly #busyTimeout: number;
  readonly #schema: SqliteSchema<Name>;
  readonly #identity: string | undefined;
  readonly #database: Database;
  #prepared: Prepared<Name | keyof typeof fileStatements> | undefined;
  #lastRow: FileRow | undefined;
  #isOpen = true;

  /**
   * Opens a file, and creates it and its tables if they do not exist. If the file is locked, its tables are created
   * before the first transaction.
   *
   * @throws ConfigurationError if the file cannot be opened or is not a SQLite file, or if the runtime has no
   * `node:sqlite`.
   */
  constructor(owner: string, path: string, busyTimeout: number, schema: SqliteSchema<Name>) {
    assertSqlitePath(owner, path);
    const { DatabaseSync } = requireNodeSqlite(owner);
    this.#owner = owner;
    this.#busyTimeout = busyTimeout;
    this.#schema = schema;
    const isInMemory = path === ':memory:';
    // The working directory can change.
    this.#path = isInMemory ? path : process.getBuiltinModule('node:path').resolve(path);
    let database: Database | undefined;
    try {
      if (!isInMemory) {
        createPrivately(this.#path);
        this.#identity = identityOf(this.#path);
      }
      database = new DatabaseSync(this.#path);
      this.#database = database;
      this.#prepareUnlessLocked();
    } catch (error) {
      database?.close();
      if (error instanceof DatabaseError || isFull(error)) {
        const { message, original } = this.failureOf(error);
        throw new ConfigurationError(message, { cause: original });
      }
      throw new ConfigurationError(
        `the ${owner} ${path} could not be opened ` +
          `(${error instanceof Error ? error.message : String(error)}). Check that its folder exists and is ` +
          'writable, and that an existing file is a SQLite database',
        { cause: error },
      );
    }
  }

  /** Runs work that only reads, in one transaction. */
  read<T>(work: SqliteWork<Name, T>, signal?: AbortSignal): Promise<T> {
    return this.#waitForLock(() => this.#transact('readFile', work), signal);
  }

  /** Runs work in one transaction, which locks out other writers. */
  write<T>(work: SqliteWork<Name, T>, signal?: AbortSignal): Promise<T> {
    return this.#waitForLock(() => this.#transact('writeFile', work), signal);
  }

  /** Closes the file. */
  close(): void {
    if (this.#isOpen) this.#database.close();
    this.#isOpen = false;
    this.#prepared = undefined;
  }

  /** Describes what a transaction threw. */
  failureOf(error: unknown): DatabaseError {
    if (error instanceof DatabaseError) return error;
    const reason = extendedCodeOf(error) === 0 ? codeOrName(error) : `SQLite error ${extendedCodeOf(error)}`;
    const [problem, fix] = describeFailure(error);
    return new DatabaseError(`the ${this.#owner} ${this.#path} ${problem} (${reason}). ${fix}`, {
      isTransient: isTransientSqliteError(error),
      original: error,
    });
  }

  async #waitForLock<T>(work: () => T, signal: AbortSignal | undefined): Promise<T> {
    for (let delay = 1, waited = 0; ; waited += delay, delay = Math.min(delay * 2, maxDelay)) {
      try {
        return work();
      } catch (error) {
        if (codeOf(error) !== busy || waited >= this.#busyTimeout) throw error;
        await pause(delay);
        signal?.throwIfAborted();
      }
    }
  }

  #transact<T>(statement: 'readFile' | 'writeFile', work: SqliteWork<Name, T>): T {
    try {
      assertOwnRollback(this.#owner, this.#path);
      const prepared = (this.#prepared ??= this.#prepare());
      const begin = statement === 'readFile' ? 'begin' : 'begin immediate';
      // Reads again what was replaced within the file: SQLite's cache is valid as long as no other process writes.
      const [row, result] = this.#atomically(`pragma shrink_memory; ${begin}`, () => {
        const { id, writes } = this.#lastRow as FileRow;
        const found = prepared[statement].get(id, writes) as FileRow | undefined;
        if (found === undefined) throw this.#replacedError();
        return [found, work(prepared)] as const;
      });
      this.#lastRow = row;
      return result;
    } catch (error) {
      if (isOtherSchema(error)) throw this.#schemaError(error);
      throw isDamage(error) ? this.#replacedError(error) : error;
    } finally {
      // After the commit, because the file can be replaced until then.
      this.#assertSameFile();
    }
  }

  #atomically<T>(begin: string, work: () => T): T {
    this.#database.exec(begin);
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      try {
        this.#database.exec('rollback');
      } catch {
        // SQLite has rolled it back already.
      }
      throw error;
    }
  }

  #prepareUnlessLocked(): void {
    try {
      assertOwnRollback(this.#owner, this.#path);
      this.#prepared = this.#prepare();
    } catch (error) {
      if (codeOf(error) !== busy) throw error;
    }
  }

  #prepare(): Prepared<Name | keyof typeof fileStatements> {
    const database = this.#database;
    const { journalMode } = this.#schema;
    try {
      // A statement that waits would block the event loop. A `-journal` has the first page only if no page is written
      // before the commit.
      database.exec(
        'pragma busy_timeout = 0; pragma synchronous = extra; pragma cache_spill = off; ' +
          `pragma journal_mode = ${journalMode}`,
      );
    } catch (error) {
      // It keeps a lock on a file in WAL mode, so that two processes that open one would wait for each other.
      database.close();
      database.open();
      throw error;
    }
    const statements = { ...fileStatements, ...this.#schema.statements };
    try {
      return this.#atomically('begin immediate', () => {
        database.exec(`${fileTables};${this.#schema.table}`);
        const prepared = Object.fromEntries(
          Object.entries<string>(statements).map(([name, sql]) => [name, database.prepare(sql)]),
        ) as Prepared<Name | keyof typeof fileStatements>;
        this.#lastRow = prepared.openFile.get() as unknown as FileRow;
        return prepared;
      });
    } catch (error) {
      throw codeOf(error) === missing ? this.#schemaError(error) : error;
    }
  }

  #schemaError(error: unknown): DatabaseError {
    return new DatabaseError(
      'an older version of this package, or another program, created or changed the tables of ' +
        `the ${this.#owner} ${this.#path} (${(error as Error).message}). Rename the file, so that a new one ` +
        'is created',
      { isTransient: false, original: error },
    );
  }

  #assertSameFile(): void {
    if (this.#identity !== undefined && identityOf(this.#path) !== this.#identity) throw this.#replacedError();
  }

  #replacedError(original?: unknown): DatabaseError {
    const reason = original instanceof Error ? ` (${original.message})` : '';
    return new DatabaseError(
      `the ${this.#owner} ${this.#path} was replaced, deleted, truncated or damaged ` +
        `while it was open${reason}. Stop every process that uses it, ` +
        'restore the file if entries are missing, and start them again',
      { isTransient: false, original },
    );
  }
}

/** Creates the schema of the option `busyTimeout`. */
export const busyTimeoutOption = () =>
  integerFrom(0, undefined, ' of milliseconds', { fix: 'Omit it, or pass a number such as 5_000' });

/** Throws a ConfigurationError if the path of a file is invalid. */
export function assertSqlitePath(owner: string, path: string): void {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError(
      `the path of a SQLite ${owner} must be a non-empty string ` +
        `(received ${path === '' ? 'an empty string' : typeof path}). Pass a file path, such as ` +
        '"payments.sqlite"',
    );
  if (path.startsWith('file:'))
    throw new ConfigurationError(
      `the path of a SQLite ${owner} must be a file path, not a file: ` +
        'URI. Pass the path alone, such as "payments.sqlite"',
    );
}

const maxDelay = 50;

// SQLite's result codes of a missing table or column, of a locked file, and of others that a message names.
const [missing, busy, readOnly, ioError, full] = [1, 5, 8, 10, 13];
// Of a missing table, a damaged file, and one that is no database.
const damageCodes: ReadonlySet<number> = new Set([1, 11, 26]);
// Extended codes of writing, flushing, deleting, locking and extending a file, and of memory: as on a full disk or
// beyond a quota. Other codes of input and output are of a file that cannot be read, because it was truncated or its
// disk is damaged.
const writeFailures: ReadonlySet<number> = new Set([778, 1_034, 1_290, 1_546, 2_570, 3_082, 3_850, 4_874, 5_386]);
// Locked, out of memory, interrupted, on a full disk, not to be opened (as with too many open files), and races of
// locks.
const transientCodes: ReadonlySet<number> = new Set([busy, 6, 7, 9, full, 14, 15]);

/** Returns SQLite's extended result code of an error; 0 if it is another error. */
function extendedCodeOf(error: unknown): number {
  const { errcode = 0 } = Object(error) as { readonly errcode?: number };
  return errcode;
}

/** Returns SQLite's result code of an error; 0 if it is another error. */
const codeOf = (error: unknown): number => extendedCodeOf(error) & 0xff;

const isWriteFailure = (error: unknown): boolean => writeFailures.has(extendedCodeOf(error));
const isFull = (error: unknown): boolean => codeOf(error) === full || isWriteFailure(error);

/** Checks whether another program has changed the columns of a table. */
const isOtherSchema = (error: unknown): boolean =>
  codeOf(error) === missing && error instanceof Error && /has no column|no such column/.test(error.message);

const isDamage = (error: unknown): boolean =>
  damageCodes.has(codeOf(error)) || (codeOf(error) === ioError && !isWriteFailure(error));

/** Checks whether an error of SQLite can pass, so that a later call can succeed although nobody changes the file. */
function isTransientSqliteError(error: unknown): boolean {
  return transientCodes.has(codeOf(error)) || isWriteFailure(error);
}

/** Returns what failed, and what a person can do. */
function describeFailure(error: unknown): readonly [problem: string, fix: string] {
  const { code } = Object(error) as { readonly code?: unknown };
  if (code === 'ERR_INVALID_STATE') return ['is closed', 'Close it after its last call'];
  if (codeOf(error) === busy)
    return [
      'was locked by another process for longer than its busyTimeout',
      'End its transaction, or the process if it is of an older version of this package, and call again',
    ];
  if (isFull(error))
    return ['could not be written, because its disk or quota is full or fails', 'Free space, and call again'];
  if (codeOf(error) === readOnly)
    return [
      'could not be written, because it, its folder or its disk is read-only',
      'Change the permissions, and call again',
    ];
  return ['failed', 'Check that its file and its folder can be read and written, and call again'];
}

// A file keeps its device and inode until it is replaced.
function identityOf(path: string): string {
  const found = process.getBuiltinModule('node:fs').statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'missing' : `${found.dev}:${found.ino}`;
}

/**
 * Checks that the `-journal` beside a file, if there is one, is of its content. SQLite writes what a `-journal` of a
 * process that was killed in a commit has to whatever is the file now.
 *
 * @throws DatabaseError if it is not, with the result code of a locked file: another process can be creating the file.
 */
export function assertOwnRollback(owner: string, path: string): void {
  const { readFileSync, realpathSync } = process.getBuiltinModule('node:fs');
  let rollback: Buffer;
  try {
    rollback = readFileSync(`${realpathSync(path)}-journal`);
  } catch {
    return;
  }
  if (isOwnRollback(rollback, readHeader(path))) return;
  const error = new DatabaseError(
    `the ${owner} ${path} has a -journal of other content, as after a restore. Stop every process that uses it, ` +
      'delete its -journal, restore the file again (or delete it, if it was new), and start them again',
    { isTransient: false, original: undefined },
  );
  throw Object.assign(error, { errcode: busy });
}

// The header of the file is that from before the commit or, by its change counter, that of the commit. A file that was
// created by the commit had none.
function isOwnRollback(rollback: Buffer, header: Buffer): boolean {
  // SQLite ignores a -journal that was not flushed, and that of an empty file.
  if (rollback.length < 512 || rollback[0] === 0 || header.length < headerSize) return true;
  const before = firstPageIn(rollback)?.subarray(0, headerSize);
  if (before === undefined) return false;
  return header.equals(before) || header.readUInt32BE(24) === before.readUInt32BE(24) + 1;
}

const headerSize = 100;
// Not closed: that would drop the locks of this process on the file.
const descriptors = new Map<string, number>();
function readHeader(path: string): Buffer {
  const { openSync, readSync } = process.getBuiltinModule('node:fs');
  const identity = identityOf(path);
  const descriptor = descriptors.get(identity) ?? openSync(path, 'r');
  descriptors.set(identity, descriptor);
  const header = Buffer.alloc(headerSize);
  return header.subarray(0, readSync(descriptor, header, 0, headerSize, 0));
}

/** Returns the copy of the first page in a `-journal`. */
function firstPageIn(rollback: Buffer): Buffer | undefined {
  const [records = 0, sectorSize = 0, pageSize = 0] = [8, 20, 24].map((at) => rollback.readUInt32BE(at));
  // Each is the number of a page, the page and a checksum.
  for (
    let record = 0, at = sectorSize;
    record < records && at + pageSize + 8 <= rollback.length;
    record += 1, at += pageSize + 8
  )
    if (rollback.readUInt32BE(at) === 1) return rollback.subarray(at + 4);
  return undefined;
}

// SQLite creates files with the process's umask, usually readable by every local user. Those beside it get the mode of
// this one.
function createPrivately(path: string): void {
  const { closeSync, openSync, readlinkSync, realpathSync } = process.getBuiltinModule('node:fs');
  const { dirname, resolve } = process.getBuiltinModule('node:path');
  let target = path;
  try {
    // As many as Linux follows.
    for (let links = 0; links < 40; links += 1) target = resolve(realpathSync(dirname(target)), readlinkSync(target));
  } catch {
    // It is not a symbolic link.
  }
  try {
    // Exclusive, because opening and closing an existing file would drop the locks that this process holds on it.
    closeSync(openSync(target, 'wx', 0o600));
  } catch {
    // It exists, or SQLite reports why it cannot be created.
  }
}

// Loaded at run time instead of imported, so that a missing module causes a clear error.
export function requireNodeSqlite(owner: string): Sqlite {
  const { process: runtime } = globalThis as { readonly process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> };
  const sqlite = runtime?.getBuiltinModule?.('node:sqlite') as Sqlite | undefined;
  if (sqlite === undefined)
    throw new ConfigurationError(
      `a SQLite ${owner} requires node:sqlite, which this runtime does not ` +
        `have. Use Node 22.13 or newer, or another ${owner}`,
    );
  return sqlite;
}
