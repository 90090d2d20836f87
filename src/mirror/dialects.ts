import { ConfigurationError } from '../errors/api.js';
import type { SqlDialect } from './tables.js';

/** The SQL of SQLite. */
export const sqliteDialect: SqlDialect = {
  types: { text: 'text', amount: 'text', time: 'text', json: 'text', integer: 'integer' },
  ids: 'select value from json_each(?)',
  name: (table) => table,
  rows: (_table, columns) => `values (${columns.map(() => '?').join(', ')})`,
  now: "cast(unixepoch('now', 'subsec') * 1000 as integer)",
  json: '?',
  select: (_type, column) => column,
  guarded: (update) => `${update} returning 1`,
};

/** Returns the SQL of PostgreSQL for the tables of a schema. */
export function postgresDialect(schema: unknown): SqlDialect {
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new ConfigurationError(
      'the schema of a PostgreSQL mirror must be a name of lowercase letters, digits and underscores ' +
        `(received ${typeof schema === 'string' ? JSON.stringify(schema) : typeof schema}). Pass a name such ` +
        'as "corridor"',
    );
  return {
    // The order of another collation changes with the operating system, and an index no longer finds its rows.
    types: { text: 'text collate "C"', amount: 'numeric', time: 'timestamptz', json: 'jsonb', integer: 'bigint' },
    ids: 'select jsonb_array_elements_text(?::jsonb)',
    now: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
    name: (table) => `"${schema}"."${table}"`,
    rows: (table, columns) => `select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, ?::jsonb)`,
    json: '?::jsonb',
    select: (type, column) =>
      type === 'time' ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : `${column}::text`,
    // A division by zero ends the transaction, and none of its other statements runs.
    guarded: (update) => `with guarded as (${update} returning 1) select 1 / count(*) from guarded`,
  };
}
