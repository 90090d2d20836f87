import type { Beneficiary } from '../contract/schema/beneficiaries.js';
import type { Customer } from '../contract/schema/customers.js';
import { finalStatuses, type ListedPayment } from '../contract/schema/payments.js';

/** A kind of record in a mirror. */
export type RecordName = 'payment' | 'customer' | 'beneficiary';

const snakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

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
const ownColumns = ['data', 'observed_at', 'missing_since', 'hash', 'position', 'created_time'] as const;

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
] as const;

/** A row of a table of records. */
export type MirrorRow = Readonly<Record<string, string | number | null>>;

/** A pass over many records, a part at a time. Times are in milliseconds since the epoch. */
export interface Scan {
  readonly startedAt: number;
  /** What the pass has reached: a creation time, or an id. */
  readonly cursor: number | string;
  /** The number of records when the pass started, and how many of them were read. */
  readonly total: number;
  readonly done: number;
  /** The creation time at which it ends, if it is over payments. */
  readonly to: number;
}

/** How far a mirror is, as JSON in its row of state. Times are in milliseconds since the epoch. */
export interface SyncState {
  /** The fingerprint of the API key that was used last. */
  readonly account?: string;
  /** The first fill: when it started, the creation time up to which it lists, and what it has reached. */
  readonly fill?: {
    readonly startedAt: number;
    readonly until: number;
    readonly customer: string;
    readonly payments?: unknown;
  };
  readonly filledAt?: number;
  /** All payments that were created longer than the consistency window before this time were seen, by `createdAt`. */
  readonly listedUntil?: number;
  /** When the next poll is due. */
  readonly nextPoll?: number;
  /** The position after which changed customers and payments have beneficiaries to read. */
  readonly beneficiariesRead?: number;
  readonly scans: { readonly [Name in 'recent' | 'older' | 'beneficiaries']?: Scan };
  /** When each part was read completely, and when it must have been read again. */
  readonly parts: {
    readonly [Name in 'open' | 'recent' | 'older' | 'customers' | 'beneficiaries']?: {
      readonly asOf: number;
      readonly due: number;
    };
  };
  readonly lastFullPass?: number;
}

export const emptyState: SyncState = { scans: {}, parts: {} };

/** How the SQL of SQLite and PostgreSQL differs. */
export interface SqlDialect {
  readonly types: {
    readonly text: string;
    readonly amount: string;
    readonly time: string;
    readonly json: string;
    readonly integer: string;
  };
  /** Follows the definition of a table. */
  readonly tableOptions: string;
  /** A list of ids, from one parameter with a JSON array. */
  readonly ids: string;
  /** Returns the name of a table in statements. */
  name(table: string): string;
  /** Where an insert takes its rows from; `name` is applied to it. */
  rows(table: string, columns: readonly string[]): string;
  /** Follows a query of the row that must not change until the transaction ends. */
  readonly lock: string;
}

/** Returns the SQL that creates the tables. */
export function mirrorTables({ types, tableOptions, name: nameOf }: SqlDialect): string {
  const typeOf: Readonly<Record<string, string>> = {
    amount: types.amount,
    created_at: types.time,
    updated_at: types.time,
    observed_at: types.time,
    missing_since: types.time,
    data: types.json,
    fields: types.json,
    position: types.integer,
    created_time: types.integer,
  };
  const required = new Set(['data', 'observed_at', 'hash', 'position', 'record', 'fields']);
  const column = (name: string): string =>
    `${name} ${typeOf[name] ?? types.text}${required.has(name) ? ' not null' : ''}`;
  const create = (table: string, columns: readonly string[]): string =>
    `create table if not exists ${nameOf(table)} (\n  ${columns.join(',\n  ')}\n)${tableOptions};\n`;
  const index = (table: string, columns: string): string =>
    `create index if not exists ${table}_${columns.replaceAll(', ', '_')} on ${nameOf(table)} (${columns});\n`;
  const records = kinds.map((record) => {
    const { table } = recordNames[record];
    const [, ...columns] = columnNames(record);
    return create(table, [`id ${types.text} primary key`, ...columns.map(column)]) + index(table, 'position');
  });
  return [
    ...records,
    index('corridor_payments', 'created_time'),
    index('corridor_payments', 'status'),
    index('corridor_payments', 'customer_id'),
    index('corridor_beneficiaries', 'customer_id'),
    create('corridor_changes', [
      `sequence ${types.integer} primary key`,
      ...changeColumns.slice(1).map((name) => (name === 'id' ? `id ${types.text} not null` : column(name))),
    ]),
    index('corridor_changes', 'observed_at'),
    create('corridor_sync', [
      `id ${types.integer} primary key check (id = 1)`,
      ...['version', 'sensitive', 'epoch', 'beat', 'position', 'sequence'].map(
        (name) => `${name} ${types.integer} not null`,
      ),
      `platform ${types.text} not null`,
      `owner ${types.text}`,
      `state ${types.json} not null`,
    ]),
    create('corridor_positions', [
      `name ${types.text} primary key`,
      ...['sequence', 'beat'].map((name) => `${name} ${types.integer} not null`),
      `owner ${types.text}`,
    ]),
  ].join('');
}

/** The statements of a mirror by name. */
export type MirrorStatements = Readonly<
  Record<
    | 'state'
    | 'lockState'
    | 'create'
    | 'own'
    | 'beat'
    | 'release'
    | 'advance'
    | 'addChanges'
    | 'expire'
    | 'addPosition'
    | 'lockPosition'
    | 'movePosition'
    | 'changes'
    | 'firstChange'
    | 'missing'
    | 'open'
    | 'known'
    | 'newest'
    | 'slice'
    | 'count'
    | 'customers'
    | 'someCustomers'
    | 'somePayments'
    | 'countCustomers'
    | 'nextCustomers'
    | 'beneficiaries'
    | 'toRead'
    | `stored_${RecordName}`
    | `upsert_${RecordName}`,
    string
  >
>;

/** Returns the statements, with a question mark for each parameter. */
export function mirrorStatements(dialect: SqlDialect): MirrorStatements {
  const state = 'select version, platform, sensitive, epoch, owner, beat, position, sequence, state from corridor_sync';
  const range = 'created_time >= ? and created_time < ?';
  const final = Object.keys(finalStatuses).map((status) => `'${status}'`);
  const insert = (table: string, columns: readonly string[]): string =>
    `insert into ${table} (${columns.join(', ')}) ${dialect.rows(table, columns)}`;
  const perRecord = kinds.flatMap((record) => {
    const { table } = recordNames[record];
    const columns = columnNames(record);
    const updates = columns.slice(1).map((name) => `${name} = excluded.${name}`);
    return [
      [`stored_${record}`, `select * from ${table} where id in (${dialect.ids})`],
      [`upsert_${record}`, `${insert(table, columns)} on conflict (id) do update set ${updates.join(', ')}`],
    ];
  });
  const statements: MirrorStatements = {
    state,
    lockState: `${state}${dialect.lock}`,
    create:
      'insert into corridor_sync (id, version, platform, sensitive, epoch, beat, position, sequence, state) values (1, ?, ?, ?, 0, 0, 0, 0, ?) on conflict (id) do nothing',
    own: 'update corridor_sync set epoch = ?, owner = ?',
    beat: 'update corridor_sync set beat = beat + 1 where epoch = ?',
    release: 'update corridor_sync set owner = null where epoch = ?',
    advance: 'update corridor_sync set position = ?, sequence = ?, state = ?',
    addChanges: insert('corridor_changes', changeColumns),
    expire: 'delete from corridor_changes where observed_at < ?',
    addPosition:
      'insert into corridor_positions (name, sequence, beat) values (?, coalesce((select sequence from corridor_sync), 0), 0) on conflict (name) do nothing',
    lockPosition: `select sequence, beat, owner from corridor_positions where name = ?${dialect.lock}`,
    movePosition: 'update corridor_positions set sequence = ?, owner = ?, beat = beat + 1 where name = ?',
    changes: `select ${changeColumns.join(', ')} from corridor_changes where sequence > ? order by sequence limit ?`,
    firstChange: 'select min(sequence) as sequence from corridor_changes',
    missing: kinds
      .map((record) => `select count(*) as count from ${recordNames[record].table} where missing_since is not null`)
      .join(' union all '),
    open: `select id, created_time from corridor_payments where (status is null or status not in (${final.join(', ')})) and missing_since is null`,
    known: `select id, created_time from corridor_payments where ${range} and missing_since is null`,
    newest: 'select max(created_time) as created_time from corridor_payments where created_time <= ?',
    slice: `select created_time from corridor_payments where ${range} order by created_time limit 1 offset ?`,
    count: `select count(*) as count from corridor_payments where ${range}`,
    customers: 'select id from corridor_customers where missing_since is null',
    someCustomers: 'select id from corridor_customers order by missing_since is not null, id limit ?',
    somePayments:
      'select id, created_time from corridor_payments order by created_time is null, created_time desc limit ?',
    countCustomers: 'select count(*) as count from corridor_customers',
    nextCustomers: 'select id from corridor_customers where id > ? order by id limit ?',
    beneficiaries: 'select id from corridor_beneficiaries where customer_id = ? and missing_since is null',
    toRead:
      'select id from corridor_customers where position > ? union select customer_id from corridor_payments where position > ? and customer_id is not null',
    ...(Object.fromEntries(perRecord) as Pick<MirrorStatements, `stored_${RecordName}` | `upsert_${RecordName}`>),
  };
  const named = Object.entries(statements).map(([name, sql]) => [
    name,
    sql.replace(/\bcorridor_[a-z]+/g, dialect.name),
  ]);
  return Object.fromEntries(named) as MirrorStatements;
}
