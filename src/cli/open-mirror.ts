import { rejectOptions } from './arguments.js';
import { UsageError, type Arguments } from './command.js';
import { isPostgresUrl, openPostgresPool } from './postgres-pool.js';
import { readVariable } from './settings-source.js';
import type { Terminal } from './terminal.js';
import type { PostgresMirror } from '../mirror/postgres.js';
import type { SqliteMirror } from '../mirror/sqlite.js';

/** The options that say where a copy is. */
export const mirrorOptions = {
  sqlite: { value: '<file>', about: 'the SQLite file of the copy; created with mode 600' },
  postgres: { value: '<url>', about: 'the PostgreSQL database of the copy (default: DATABASE_URL)' },
  schema: { value: '<name>', about: 'the schema of the tables in PostgreSQL, created if missing (default: public)' },
} as const;

/** A mirror that the command opened. */
export interface OpenMirror {
  /** Its name in the output: the URL of a database can contain a password. */
  readonly name: string;
  readonly mirror: SqliteMirror | PostgresMirror;
  close(): Promise<void>;
}

/** Returns a function that opens the mirror of the command line. Throws `UsageError` if there is not exactly one. */
export function selectMirror(
  args: Arguments<typeof mirrorOptions>,
  sensitive: boolean,
  { environment }: Terminal,
): () => Promise<OpenMirror> {
  const path = args.value('sqlite');
  const schema = args.value('schema');
  const url = args.value('postgres') ?? (path === undefined ? readVariable(environment, 'DATABASE_URL') : '');
  if (path !== undefined) {
    if (args.has('postgres')) throw new UsageError('--sqlite and --postgres exclude each other; remove one of them');
    rejectOptions(args, ['schema'], 'PostgreSQL');
    if (isPostgresUrl(path)) throw new UsageError('--sqlite takes a file; pass a PostgreSQL URL as --postgres');
    return async () => {
      const { SqliteMirror } = await import('../mirror/sqlite.js');
      const mirror = new SqliteMirror(path, { sensitive });
      return { name: path, mirror, close: async () => mirror.close() };
    };
  }
  if (url === '')
    throw new UsageError(
      'the database of the copy is missing. Pass --sqlite with a file or --postgres with a URL, or set DATABASE_URL',
    );
  return async () => {
    const pool = await openPostgresPool(url, { max: 3 });
    const { PostgresMirror } = await import('../mirror/postgres.js');
    const mirror = new PostgresMirror(pool, { sensitive, schema });
    return { name: 'PostgreSQL', mirror, close: () => pool.end() };
  };
}
