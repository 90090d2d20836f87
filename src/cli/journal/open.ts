import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Journal } from '../../index.js';
import type { PostgresPool } from '../../journal/postgres.js';
import { CommandError, UsageError, withoutAdvice } from '../command.js';
import type { Secrets } from '../redact.js';

/** A journal that the command opened. */
export interface OpenJournal {
  readonly journal: Journal;
  close(): Promise<void>;
}

/** Opens a journal: an existing SQLite file, or a PostgreSQL URL, whose password is masked in all output. */
export async function openJournal(place: string, table: string | undefined, secrets: Secrets): Promise<OpenJournal> {
  if (/^postgres(?:ql)?:\/\//.test(place)) return openPostgres(place, table, secrets);
  if (table !== undefined) throw new UsageError('--table applies to PostgreSQL only; remove it');
  // The journal would create a new file.
  if (!existsSync(place))
    throw new CommandError(`${place} does not exist. Pass the path of the journal of your client`);
  assertJournal(place);
  const { SqliteJournal } = await import('../../journal/sqlite.js');
  const journal = withoutAdvice(() => new SqliteJournal(place));
  return { journal, close: async () => journal.close() };
}

// The journal would create its tables in another database.
function assertJournal(place: string): void {
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
  // The journal reports that this version of Node has no SQLite.
  if (sqlite === undefined) return;
  const { DatabaseSync: Database } = sqlite;
  const readOnly = (location: string) => new Database(location, { readOnly: true });
  const unchanged = () => {
    if (existsSync(`${realpathSync(place)}-wal`)) return readOnly(place);
    try {
      // No process uses the file, and SQLite would create a -wal to read it.
      return readOnly(`${pathToFileURL(place).href}?immutable=1`);
    } catch {
      // Node before 22.15 accepts no URI.
      return readOnly(place);
    }
  };
  let database: DatabaseSync | undefined;
  try {
    database = unchanged();
    database.prepare(
      'select key, intent_id, intent, outcome, payment_id, claimed_at, resolved_at from corridor_journal',
    );
  } catch (error) {
    throw new CommandError(
      `${place} is not a journal of payments.createOnce (${(error as Error).message}); nothing was changed. Pass the path of the journal of your client`,
    );
  } finally {
    database?.close();
  }
}

interface Pool extends PostgresPool {
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

async function openPostgres(url: string, table: string | undefined, secrets: Secrets): Promise<OpenJournal> {
  const { password } = parseUrl(url);
  for (const form of [password, decode(password)]) secrets.add(form);
  const { PostgresJournal } = await import('../../journal/postgres.js');
  const pool = new (requirePg().Pool)({ connectionString: url, connectionTimeoutMillis: 10_000, max: 1 });
  // A connection that breaks while a question waits: the next statement opens another, or reports the error.
  pool.on('error', () => undefined);
  const query: PostgresPool['query'] = (text, values) => pool.query(text, values).catch(asCommandError);
  return { journal: new PostgresJournal({ query }, { table }), close: () => pool.end() };
}

// The journal itself explains that its table does not exist.
const undefinedTable = '42P01';

function asCommandError(error: NodeJS.ErrnoException): never {
  if (error.code === undefinedTable) throw error;
  throw new CommandError(
    `the database of the journal failed: ${error.message || error.code}. Check the URL, PGPASSWORD and that the database is reachable`,
  );
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new UsageError('the PostgreSQL URL is not valid. Pass postgresql://user@host/database');
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Loads pg from the project of the user: it is not a dependency of this package. */
function requirePg(): { readonly Pool: new (options: object) => Pool } {
  try {
    return createRequire(join(process.cwd(), 'package.json'))('pg') as { readonly Pool: new (options: object) => Pool };
  } catch (error) {
    throw new CommandError(
      `the package pg cannot be loaded in this folder (${(error as NodeJS.ErrnoException).code}). Run npm install pg, or run this in the project of your backend`,
    );
  }
}
