import type { Beneficiary } from '../contract/schema/beneficiaries.js';
import type { Customer } from '../contract/schema/customers.js';
import { isFinalStatus, paymentStatuses, type ListedPayment } from '../contract/schema/payments.js';

/** A kind of record in a mirror. */
export type RecordName = 'payment' | 'customer' | 'beneficiary';

/** Returns the name of the column of a field. */
export const snakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const columnsOf = <T>(...fields: (keyof T & string)[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map((field) => [snakeCase(field), field]));

/** The table of each kind of record, and its columns that copy a field of the record. */
export const recordNames = {
  payment: {
    table: 'corridor_payments',
    columns: columnsOf<ListedPayment>(
      'id',
      'status',
      'amount',
      'currencyCode',
      'customerId',
      'beneficiaryId',
      'paymentQuoteId',
      'internalReference',
      'createdAt',
      'updatedAt',
    ),
  },
  customer: {
    table: 'corridor_customers',
    columns: columnsOf<Customer>('id', 'status', 'companyName', 'createdAt', 'updatedAt'),
  },
  beneficiary: {
    table: 'corridor_beneficiaries',
    columns: columnsOf<Beneficiary>(
      'id',
      'customerId',
      'status',
      'companyName',
      'currencyCode',
      'createdAt',
      'updatedAt',
    ),
  },
} as const satisfies Readonly<Record<RecordName, unknown>>;

const kinds = Object.keys(recordNames) as RecordName[];

/** The columns of every table of records that no field is copied to. */
const ownColumns = [
  'data',
  'observed_at',
  'missing_since',
  'hash',
  'previous_hash',
  'position',
  'created_time',
  'seen_time',
] as const;

/** Returns the names of the columns of a table. */
export function columnNames(record: RecordName): string[] {
  return [...Object.keys(recordNames[record].columns), ...ownColumns];
}

/** The columns of `corridor_changes`. */
export const changeColumns = [
  'sequence',
  'record',
  'id',
  'previous_status',
  'status',
  'fields',
  'observed_at',
  'updated_at',
  'token',
] as const;

/** A row of a table of records. */
export type MirrorRow = Readonly<Record<string, string | number | null>>;

/** The parts of a mirror, each of which is read for itself. `parts.ts` says what they are. */
export type MirrorPartName = 'customers' | 'new' | 'open' | 'recent' | 'older' | 'beneficiaries';

/** How far a part is. Times are in milliseconds since the epoch, by the platform's clock. */
export interface PartState<Cursor> {
  /** When the next slice is due. */
  readonly due: number;
  /** The number of rounds that have ended: readings of the whole part. */
  readonly round: number;
  /** Every record of the part was read at this time or later. */
  readonly asOf?: number;
  /** The `asOf` when no slice has a problem anymore. */
  readonly pending?: number | undefined;
  /** The time after which the part is behind. */
  readonly behindAt?: number;
  /** What has been read of the part. */
  readonly cursor?: Cursor | undefined;
}

/** A round over many records, a slice at a time. */
export interface Pass {
  readonly startedAt: number;
  /** What the round has reached: a creation time, or the id of a customer. */
  readonly at: number | string;
  /** The creation time at which it ends, if it is over payments. */
  readonly to: number;
  /** Over how many milliseconds its records are spread, for each of them: 0 if they are read at once. */
  readonly spread: number;
  readonly done: number;
  /** Whether payments have changed while they were read, so that some may be missing. */
  readonly isUnstable?: boolean;
  /** The position in the export that the first round of payments is. */
  readonly checkpoint?: unknown;
}

/** What a part has read. */
interface Cursors {
  readonly customers: never;
  /**
   * `listedUntil`: all payments that were created longer than the consistency window before this time were seen. `until`:
   * the creation time up to which polls have read, and the times, by the clock of the process and by that of the
   * platform, as of which the clock of creation times has shown it.
   */
  readonly new: {
    readonly listedUntil: number;
    readonly created: { readonly until: number; readonly at: number; readonly platformAt: number };
  };
  /**
   * When all payments that no list shows were looked up; up to which creation time those of them are whose statuses are
   * unknown, and when that was begun, to continue with the next poll.
   */
  readonly open: {
    readonly asOf?: number | undefined;
    readonly at?: number;
    readonly since?: number;
  };
  readonly recent: Pass;
  readonly older: Pass;
  readonly beneficiaries: Pass;
}

/** A slice of a part that could not be read. */
export interface MirrorProblem {
  /** The part. */
  readonly part: MirrorPartName;
  /**
   * What of the part: the id of a customer, a range of creation times such as
   * `2026-01-01T00:00:00.000Z/2026-02-01T00:00:00.000Z`, a status, or `lookups`; null for the whole part.
   */
  readonly slice: string | null;
  /** Since when it could not be read: an ISO 8601 UTC string. */
  readonly since: string;
  /** How often it was tried. */
  readonly attempts: number;
  /** What was received last. */
  readonly message: string;
  /** When it is read again: an ISO 8601 UTC string. */
  readonly retryAt: string;
}

/** A problem, and whether it can pass by itself. */
export type SliceProblem = MirrorProblem & { readonly isTransient: boolean };

/** A record whose last reading may be stale, so that it is not written until a later reading confirms it. */
export interface HeldRecord {
  /** The kind of record. */
  readonly record: RecordName;
  /** The record's id. */
  readonly id: string;
  /** The status that was read. */
  readonly status: string | null;
}

/** A record that the platform has shown and that the mirror does not have. */
export interface UnstoredRecord {
  /** The kind of record. */
  readonly record: RecordName;
  /** The record's id, cut after 100 characters; for beneficiaries that cannot be read, that of their customer. */
  readonly id: string;
  /** Why it is not stored. */
  readonly problem: string;
}

/** Something that is remembered by `record:id`, and when the reading began that has shown it. */
export type Remembered<T> = Readonly<Record<string, T & { readonly at: number }>>;

/** How far a mirror is, as JSON in its row of state. Times are in milliseconds since the epoch. */
export interface SyncState {
  /** The fingerprint of the API key that was used last. */
  readonly account?: string | undefined;
  readonly filledAt?: number;
  /** The sequence of the last change of the first fill. */
  readonly filledSequence?: number;
  /** When the next poll is due. */
  readonly nextPoll?: number;
  readonly lastFullPass?: number;
  readonly parts: { readonly [Name in MirrorPartName]?: PartState<Cursors[Name]> };
  /** The slices that could not be read, by part and slice. */
  readonly problems?: Readonly<Record<string, SliceProblem>>;
  /** The position after which changed customers and payments have beneficiaries to read. */
  readonly beneficiariesRead?: number;
  /** The beneficiaries that the list of their customer did not show, and the number of the round in which it did not. */
  readonly unseen?: Readonly<Record<string, number>>;
  /** The records that are held back, since the first reading that was. */
  readonly held?: Remembered<HeldRecord>;
  /** The records that cannot be stored, since the last reading. */
  readonly unstored?: Remembered<UnstoredRecord>;
}

export const emptyState: SyncState = { parts: {} };

/** The version of the tables. */
export const schemaVersion = 3;

/** How long a process owns the mirror after it has renewed its lease, in milliseconds. */
export const leaseDuration = 10_000;

/** How the SQL of SQLite and PostgreSQL differs. */
export interface SqlDialect {
  readonly types: {
    readonly text: string;
    readonly amount: string;
    readonly time: string;
    readonly json: string;
    readonly integer: string;
  };
  /** A list of ids, from one parameter with a JSON array. */
  readonly ids: string;
  /** The time by the clock of the database, in milliseconds since the epoch. */
  readonly now: string;
  /** Returns the name of a table in statements. */
  name(table: string): string;
  /** Where an insert takes its rows from; `name` is applied to it. */
  rows(table: string, columns: readonly string[]): string;
  /** A parameter with a JSON. */
  readonly json: string;
  /** Selects a column as a text or a number whose format depends on no setting of the session and on no driver. */
  select(type: keyof SqlDialect['types'], column: string): string;
  /** Makes a statement that has to write one row fail if it writes none. */
  guarded(statement: string): string;
}

const typeOf: Readonly<Record<string, keyof SqlDialect['types']>> = {
  amount: 'amount',
  created_at: 'time',
  updated_at: 'time',
  observed_at: 'time',
  missing_since: 'time',
  data: 'json',
  fields: 'json',
  state: 'json',
  position: 'integer',
  sequence: 'integer',
  created_time: 'integer',
  seen_time: 'integer',
  epoch: 'integer',
  lease: 'integer',
  version: 'integer',
  sensitive: 'integer',
};

// The payments that have not ended. The partial index and the query have the same text, so that the query uses it.
const isOpen = `(status is null or status not in (${paymentStatuses
  .filter(isFinalStatus)
  .map((status) => `'${status}'`)
  .join(', ')})) and missing_since is null`;

/** Returns the SQL that creates the tables. */
export function mirrorTables({ types, name: nameOf }: SqlDialect): string {
  const required = new Set(['data', 'observed_at', 'hash', 'position', 'record', 'fields', 'token']);
  const column = (name: string): string =>
    `${name} ${types[typeOf[name] ?? 'text']}${required.has(name) ? ' not null' : ''}`;
  const create = (table: string, columns: readonly string[]): string =>
    `create table if not exists ${nameOf(table)} (\n  ${columns.join(',\n  ')}\n);\n`;
  const index = (table: string, columns: string, where?: readonly [name: string, condition: string]): string =>
    `create index if not exists ${table}_${where?.[0] ?? columns} on ${nameOf(table)} (` +
    `${columns})${where === undefined ? '' : ` where ${where[1]}`};\n`;
  const records = kinds.flatMap((record) => {
    const { table } = recordNames[record];
    const [, ...columns] = columnNames(record);
    return [
      create(table, [`id ${types.text} primary key not null`, ...columns.map(column)]),
      index(table, 'position'),
      index(table, 'missing_since', ['missing', 'missing_since is not null']),
    ];
  });
  return [
    ...records,
    index('corridor_payments', 'created_time'),
    index('corridor_payments', 'created_time', ['open', isOpen]),
    index('corridor_payments', 'status'),
    index('corridor_payments', 'customer_id'),
    index('corridor_beneficiaries', 'customer_id'),
    create('corridor_changes', [
      `sequence ${types.integer} primary key`,
      ...changeColumns.slice(1).map((name) => (name === 'id' ? `id ${types.text} not null` : column(name))),
    ]),
    create('corridor_sync', [
      `id ${types.integer} primary key not null check (id = 1)`,
      ...['version', 'sensitive', 'epoch', 'lease', 'position', 'sequence'].map(
        (name) => `${name} ${types.integer} not null`,
      ),
      `identity ${types.text} not null`,
      `platform ${types.text} not null`,
      `owner ${types.text}`,
      `state ${types.json} not null`,
    ]),
    create('corridor_positions', [
      `name ${types.text} primary key not null`,
      ...['sequence', 'lease'].map((name) => `${name} ${types.integer} not null`),
      `owner ${types.text}`,
    ]),
  ].join('');
}

/** The statements of a mirror by name. */
export type MirrorStatements = ReturnType<typeof mirrorStatements>;

/** Returns the statements, with a question mark for each parameter. */
export function mirrorStatements(dialect: SqlDialect) {
  const { now, json } = dialect;
  const lease = `${now} + ${leaseDuration}`;
  const range = 'created_time >= ? and created_time < ?';
  const columns = (names: readonly string[]): string =>
    names.map((name) => `${dialect.select(typeOf[name] ?? 'text', name)} as ${name}`).join(', ');
  const insert = (table: string, names: readonly string[]): string =>
    `insert into ${table} (${names.join(', ')}) ${dialect.rows(table, names)}`;
  // Only the process of the epoch writes, and only into the tables and the state that it has read.
  const owned = `where epoch = ? and position = ? and version = ${schemaVersion}`;
  const perRecord = kinds.flatMap((record) => {
    const { table } = recordNames[record];
    const names = columnNames(record);
    const updates = names.slice(1).map((name) => `${name} = excluded.${name}`);
    return [
      [`stored_${record}`, `select ${columns(names)} from ${table} where id in (${dialect.ids})`],
      [`upsert_${record}`, `${insert(table, names)} on conflict (id) do update set ${updates.join(', ')}`],
    ];
  });
  const stateColumns = ['version', 'identity', 'platform', 'sensitive', 'epoch', 'owner', 'position', 'sequence'];
  const payments = `select id, ${dialect.select('integer', 'created_time')} as created_time from corridor_payments where`;
  const data =
    '(case record ' +
    `${kinds.map((record) => `when '${record}' then (select data from ${recordNames[record].table} where id = corridor_changes.id)`).join(' ')} end)`;
  const statements = {
    state:
      `select ${columns([...stateColumns, 'state'])}, ` +
      `${dialect.select('integer', `(lease - ${now})`)} as remaining from ` +
      'corridor_sync',
    create:
      'insert into corridor_sync (id, version, identity, platform, sensitive, epoch, lease, position, ' +
      `sequence, state) values (1, ?, ?, ?, ?, 0, 0, 0, 0, ${json}) on conflict (id) do nothing`,
    own: dialect.guarded(`update corridor_sync set epoch = epoch + 1, owner = ?, lease = ${lease} ${owned}`),
    renew: dialect.guarded(`update corridor_sync set lease = ${lease}, state = ${json} ${owned}`),
    release: dialect.guarded(`update corridor_sync set owner = null, state = ${json} ${owned}`),
    advance: dialect.guarded(
      `update corridor_sync set position = position + 1, sequence = ?, state = ${json}, lease = ${lease} ${owned}`,
    ),
    addChanges: insert('corridor_changes', changeColumns),
    expire: 'delete from corridor_changes where sequence < ?',
    position:
      `select ${columns(['sequence', 'owner', 'lease'])}, ` +
      `${dialect.select('integer', `(lease - ${now})`)} as remaining from corridor_positions ` +
      'where name = ?',
    addPosition: dialect.guarded(
      `insert into corridor_positions (name, sequence, owner, lease) values (?, ?, ?, ${lease}) on conflict (name) do nothing`,
    ),
    movePosition: dialect.guarded(
      `update corridor_positions set sequence = ?, owner = ?, lease = ${lease} where name = ? and lease = ?`,
    ),
    changes:
      `select ${columns(changeColumns)}, ${dialect.select('json', data)} as data from ` +
      'corridor_changes where sequence >= ? order by corridor_changes.sequence limit ?',
    oldestChanges:
      `select ${columns(['sequence', 'observed_at'])} from ` +
      'corridor_changes order by corridor_changes.sequence limit ?',
    lastChange:
      `select ${columns(['sequence', 'token'])} from corridor_changes ` +
      'order by corridor_changes.sequence desc limit 1',
    missing: kinds
      .map(
        (record) =>
          `select ${dialect.select('integer', 'count(*)')} as count ` +
          `from ${recordNames[record].table} where missing_since is not null`,
      )
      .join(' union all '),
    open:
      `select id, status, ${dialect.select('integer', 'created_time')} as ` +
      `created_time from corridor_payments where ${isOpen}`,
    untimed: `${payments} created_time is null and missing_since is null`,
    known: `${payments} ${range} and missing_since is null`,
    slice: `${payments} ${range} order by corridor_payments.created_time limit 1 offset ?`,
    customers:
      `select id, ${dialect.select('integer', 'created_time')} as created_time ` +
      'from corridor_customers where missing_since is null',
    someCustomers: 'select id from corridor_customers order by missing_since is not null, id limit ?',
    somePayments: `${payments} true order by corridor_payments.created_time desc nulls last limit ?`,
    nextCustomers: 'select id from corridor_customers where id > ? order by id limit ?',
    beneficiaries: 'select id from corridor_beneficiaries where customer_id = ? and missing_since is null',
    // An expression has no index, so that that of the position is used.
    toRead:
      'select id from corridor_customers where position > ? union all select id from (select distinct ' +
      "coalesce(customer_id, '') as id from corridor_payments where position > ?) as payments where id <> ''",
    ...(Object.fromEntries(perRecord) as Record<`${'stored' | 'upsert'}_${RecordName}`, string>),
  };
  const named = Object.entries(statements).map(([name, sql]) => [
    name,
    sql.replace(/\bcorridor_[a-z]+/g, dialect.name),
  ]);
  return Object.fromEntries(named) as typeof statements;
}
