import type { StoredIntent } from '../error.js';
import { ConfigurationError } from '../errors.js';
import { journalKey, type Journal, type JournalRecord, type Settlement } from './journal.js';
import { intentOf, paymentIdOf, recordOf, type JournalRow } from './row.js';

type Sqlite = ReturnType<typeof process.getBuiltinModule<'node:sqlite'>>;
type Database = InstanceType<Sqlite['DatabaseSync']>;
type Statement = ReturnType<Database['prepare']>;

const table = `
  create table if not exists corridor_journal (
    key text primary key,
    intent text not null,
    outcome text check (outcome in ('created', 'not-created')),
    payment_id text,
    claimed_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    settled_at text
  ) strict`;

const statements = {
  read: 'select intent, outcome, payment_id as "paymentId" from corridor_journal where key = ?',
  claim: `
    insert into corridor_journal (key, intent) values (?, ?)
    on conflict (key) do update set
      intent = excluded.intent, claimed_at = excluded.claimed_at, outcome = null, payment_id = null, settled_at = null
    where outcome = 'not-created'`,
  settle: `
    update corridor_journal set outcome = ?2, payment_id = ?3, settled_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    where key = ?1 and (outcome is null or (outcome = 'not-created' and ?2 = 'created'))`,
  open: 'select intent from corridor_journal where outcome is null order by claimed_at, rowid',
} as const;

// Beyond it, SQLite would not wait at all.
const longestBusyTimeout = 2 ** 31 - 1;

/** How the file is used. */
export interface SqliteJournalOptions {
  /** How long a claim waits while another process writes, in milliseconds. The process does nothing else meanwhile. @default 5_000 */
  readonly busyTimeout?: number | undefined;
}

/**
 * A journal in a SQLite file, for the processes of one machine. What was claimed is on disk before it is sent, and outlives the
 * process and the machine's power. It needs Node 22.13 or newer, whose built-in `node:sqlite` it uses; keep the file on a local disk.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
 * const journal = new SqliteJournal(':memory:'); // in earnest a file, such as 'payments.sqlite'
 * const corridor = new Corridor({ journal });
 * for (const { intent, outcome } of await corridor.payments.recover()) console.log(intent.id, outcome);
 * journal.close();
 * ```
 */
export class SqliteJournal implements Journal {
  readonly #database: Database;
  readonly #read: Statement;
  readonly #claim: Statement;
  readonly #settle: Statement;
  readonly #open: Statement;

  /**
   * Opens the file, and makes it where there is none.
   *
   * @throws ConfigurationError where it cannot be opened, or is no SQLite file, or Node has no SQLite.
   */
  constructor(path: string, { busyTimeout = 5_000 }: SqliteJournalOptions = {}) {
    if (typeof path !== 'string' || path === '') throw new ConfigurationError('the path of a SQLite journal must be a non-empty string');
    if (!Number.isInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > longestBusyTimeout) {
      throw new ConfigurationError(`busyTimeout must be a whole number of milliseconds from 0 to ${longestBusyTimeout}`);
    }
    const { DatabaseSync } = builtin();
    let database: Database | undefined;
    try {
      database = new DatabaseSync(path);
      prepareFile(database, busyTimeout);
      this.#database = database;
      this.#read = database.prepare(statements.read);
      this.#claim = database.prepare(statements.claim);
      this.#settle = database.prepare(statements.settle);
      this.#open = database.prepare(statements.open);
    } catch (error) {
      if (database?.isOpen === true) database.close();
      throw new ConfigurationError(`the journal ${path} could not be opened (${error instanceof Error ? error.message : String(error)}): its folder must exist and be writable, and the file must be one of SQLite or none yet`, { cause: error });
    }
  }

  /** Claims the intent's quote, or gives the record that stands. */
  async claim(intent: StoredIntent): Promise<true | JournalRecord> {
    const key = journalKey(intent);
    return this.#atomically(() => {
      if (Number(this.#claim.run(key, JSON.stringify(intent)).changes) > 0) return true;
      return recordOf(this.#read.get(key) as unknown as JournalRow);
    });
  }

  /** Notes how the payment of a quote ended. */
  async settle(key: string, settlement: Settlement): Promise<void> {
    this.#settle.run(key, settlement.outcome, paymentIdOf(settlement));
  }

  /** The intents that are not settled, oldest first. */
  async open(): Promise<readonly StoredIntent[]> {
    return this.#open.all().map((row) => intentOf(String(row['intent'])));
  }

  /** Closes the file. What is claimed afterwards is refused, before it is sent. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  // What another process writes waits until the work is done, and the work sees none of it.
  #atomically<T>(work: () => T): T {
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

function prepareFile(database: Database, busyTimeout: number): void {
  database.exec(`pragma busy_timeout = ${busyTimeout}; pragma synchronous = full`);
  patiently(busyTimeout, () => database.exec('pragma journal_mode = wal'));
  patiently(busyTimeout, () => database.exec(`begin immediate; ${table}; commit`));
}

const busy = 5;

// For the switch to the log that is written ahead, SQLite does not itself wait for others that open the same file.
function patiently(milliseconds: number, work: () => void): void {
  const until = performance.now() + milliseconds;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const { errcode } = error as { readonly errcode?: number };
      if (errcode === undefined || (errcode & 0xff) !== busy || performance.now() >= until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

// Asked for when it is needed, and not imported: where there is none, the message can say so.
function builtin(): Sqlite {
  const { process: runtime } = globalThis as { readonly process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> };
  const sqlite = runtime?.getBuiltinModule?.('node:sqlite') as Sqlite | undefined;
  if (sqlite === undefined) throw new ConfigurationError('a SQLite journal needs the node:sqlite of Node 22.13 or newer, which this runtime does not have');
  return sqlite;
}
