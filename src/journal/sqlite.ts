import type { StoredIntent } from '../errors/base.js';
import { journalKey, type Journal, type JournalEntry, type IntentResolution } from './journal.js';
import { openSqlite, type Database, type Statement } from './sqlite-file.js';
import { parseIntent, resolvedPaymentId, toEntry, type JournalRow } from './serialization.js';

export type { ChangesCheckpoint, AcquiredLease, CheckpointStore, CheckpointStoreOptions } from './checkpoint-store.js';
export { SqliteCheckpointStore, type SqliteCheckpointStoreOptions, type SqliteDatabase } from './sqlite-checkpoints.js';

const table = `
  create table if not exists corridor_journal (
    key text primary key,
    intent_id text not null,
    intent text not null,
    outcome text check (outcome in ('created', 'not-created')),
    payment_id text,
    claimed_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    resolved_at text
  ) strict`;

const statements = {
  read: 'select key, intent_id as "intentId", intent, outcome, payment_id as "paymentId" from corridor_journal where key = ?',
  claim: `
    insert into corridor_journal (key, intent_id, intent) values (?, ?, ?)
    on conflict (key) do update set
      intent_id = excluded.intent_id, intent = excluded.intent, claimed_at = excluded.claimed_at, outcome = null, payment_id = null, resolved_at = null
    where outcome = 'not-created' and intent_id <> excluded.intent_id`,
  resolve: `
    update corridor_journal set
      intent = iif(intent_id = ?2, intent, ?3), intent_id = ?2, outcome = ?4, payment_id = ?5, resolved_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    where key = ?1 and iif(?4 = 'created', outcome is not 'created', outcome is null and intent_id = ?2)`,
  listPending:
    'select key, intent_id as "intentId", intent from corridor_journal where outcome is null order by claimed_at, rowid',
} as const;

/** The options of a `SqliteJournal`. */
export interface SqliteJournalOptions {
  /**
   * How long a statement waits while another process writes, in milliseconds. It blocks the event loop. @default 5_000
   */
  readonly busyTimeout?: number | undefined;
}

/**
 * A journal in a SQLite file, for the processes of one machine. A claim is on disk before the payment is sent, and
 * survives a crash or a power failure. Requires Node 22.13 or newer, because it uses `node:sqlite`. Keep the file on a
 * local disk. The file contains payment data: a new file, its `-wal` and its `-shm` are created with mode 0600. The
 * mode of an existing file is not changed.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
 * const journal = new SqliteJournal(':memory:'); // in production a file, such as 'payments.sqlite'
 * const corridor = new Corridor({ journal });
 * for (const { intent, status } of await corridor.payments.reconcilePending()) console.log(intent.id, status);
 * journal.close();
 * ```
 */
export class SqliteJournal implements Journal {
  readonly #database: Database;
  readonly #prepared: Readonly<Record<keyof typeof statements, Statement>>;

  /**
   * Opens the file, and creates it if it does not exist.
   *
   * @throws ConfigurationError if the file cannot be opened or is not a SQLite file, or if the runtime has no
   * `node:sqlite`.
   */
  constructor(path: string, { busyTimeout = 5_000 }: SqliteJournalOptions = {}) {
    const { database, prepared } = openSqlite('journal', path, busyTimeout, { table, statements });
    this.#database = database;
    this.#prepared = prepared;
  }

  /** Claims the intent's quote. Returns true, or the existing entry. */
  async claim(intent: StoredIntent): Promise<true | JournalEntry> {
    const key = journalKey(intent);
    return this.#atomically(() => {
      if (Number(this.#prepared.claim.run(key, intent.id, JSON.stringify(intent)).changes) > 0) return true;
      return toEntry(this.#prepared.read.get(key) as unknown as JournalRow);
    });
  }

  /** Stores the outcome of an intent. */
  async resolve(intent: StoredIntent, resolution: IntentResolution): Promise<void> {
    this.#prepared.resolve.run(
      journalKey(intent),
      intent.id,
      JSON.stringify(intent),
      resolution.outcome,
      resolvedPaymentId(resolution),
    );
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly StoredIntent[]> {
    return this.#prepared.listPending.all().map((row) => parseIntent(row as unknown as JournalRow));
  }

  /** Closes the file. Later calls of `createOnce` throw a JournalError, and nothing is sent. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  // Locks out other writers until the work is committed.
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
