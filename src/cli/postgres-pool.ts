import { createRequire } from 'node:module';
import { join } from 'node:path';
import { unwrapSetting } from '../contract/setting.js';
import { CommandError, UsageError } from './command.js';
import type { PostgresPool } from '../journal/postgres.js';
import type { PostgresMirrorPool } from '../mirror/postgres.js';

/** The part of a pool of pg that the commands use. */
interface Pool extends PostgresPool, PostgresMirrorPool {
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

/** Checks whether a text is a PostgreSQL URL rather than a file. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(unwrapSetting(text));
}

/** Opens a pool of at most `max` connections with pg of the project of the user, and connects. */
export async function openPostgresPool(text: string, { max }: { readonly max: number }): Promise<Pool> {
  const url = unwrapSetting(text);
  if (!isPostgresUrl(url) || !URL.canParse(url))
    throw new UsageError('the PostgreSQL URL is not valid. Pass postgresql://user@host/database');
  const pool = new (requirePg().Pool)({ connectionString: url, connectionTimeoutMillis: 10_000, max });
  // A connection that breaks while it is not in use: the next statement opens another, or reports the error.
  pool.on('error', () => undefined);
  try {
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    const { message, code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `the database failed: ${message || code}. Check the URL, PGPASSWORD and that the database is reachable`,
    );
  }
}

/** Loads pg from the project of the user: it is not a dependency of this package. */
function requirePg(): { readonly Pool: new (options: object) => Pool } {
  try {
    return createRequire(join(process.cwd(), 'package.json'))('pg') as { readonly Pool: new (options: object) => Pool };
  } catch (error) {
    throw new CommandError(
      'the package pg cannot be loaded in this folder ' +
        `(${(error as NodeJS.ErrnoException).code}). Run npm install pg, or run this in the ` +
        'project of your backend',
    );
  }
}
