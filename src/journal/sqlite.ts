import type { PaymentCreateIntent } from '../errors/api.js';
import { journalKey, type Journal, type JournalEntry, type IntentResolution } from './journal.js';
import { SqliteFile } from './sqlite-file.js';
import { toIntent, resolvedPaymentId, toEntry, type JournalRow } from './serialization.js';

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

// Without numbered parameters, which Node 22.13 binds only by name.
const statements = {
  read: 'select key, intent_id as "intentId", intent, outcome, payment_id as "paymentId" from corridor_journal where key = ?',
  claim: `
    insert into corridor_journal (key, intent_id, intent) values (?, ?, ?)
    on conflict (key) do update set
      intent_id = excluded.intent_id, intent = excluded.intent, claimed_at = excluded.claimed_at, outcome = null, resolved_at = null
    where outcome = 'not-created' and intent_id <> excluded.intent_id`,
  resolve: `
    update corridor_journal set
      intent = iif(intent_id = :id, intent, :text), intent_id = :id, outcome = :outcome, payment_id = :paymentId, resolved_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    where key = :key and iif(:outcome = 'created', outcome is not 'created', outcome is null and intent_id = :id)`,
  listPending:
    'select key, intent_id as "intentId", intent from corridor_journal where outcome is null order by claimed_at, rowid',
} as const;

/** The options of a `SqliteJournal`. */
export interface SqliteJournalOptions {
  /**
   * How long a call waits while another process has the file locked, in milliseconds. Waiting does not block the event
   * loop, and ends no later than the total timeout of `createOnce`. @default 5_000
   */
  readonly busyTimeout?: number | undefined;
}

/**
 * A journal in a SQLite file, for the processes of one machine. A claim is on disk before the payment is sent, and
 * survives a crash or a power failure. Requires Node 22.13 or newer, because it uses `node:sqlite`. Keep the file on a
 * local disk. If it is replaced, deleted or truncated while it is open, every call throws a `JournalError`. The file
 * contains payment data: a new file, its `-wal` and its `-shm` are created with mode 0600. The mode of an existing file
 * is not changed.
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
  readonly #file: SqliteFile<keyof typeof statements>;

  /**
   * Opens the file, and creates it if it does not exist.
   *
   * @throws ConfigurationError if the file cannot be opened or is not a SQLite file, or if the runtime has no
   * `node:sqlite`.
   */
  constructor(path: string, { busyTimeout = 5_000 }: SqliteJournalOptions = {}) {
    this.#file = new SqliteFile('journal', path, busyTimeout, { table, statements });
  }

  /** Claims the intent's quote. Returns true, or the existing entry. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const key = journalKey(intent);
    return this.#file.write(({ claim, read }) =>
      Number(claim.run(key, intent.id, JSON.stringify(intent)).changes) > 0
        ? true
        : toEntry(read.get(key) as unknown as JournalRow),
    );
  }

  /** Stores the outcome of an intent. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    const values = {
      key: journalKey(intent),
      id: intent.id,
      text: JSON.stringify(intent),
      outcome: resolution.outcome,
      paymentId: resolvedPaymentId(resolution),
    };
    await this.#file.write((prepared) => prepared.resolve.run(values));
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return this.#file.read(({ listPending }) => listPending.all().map((row) => toIntent(row as unknown as JournalRow)));
  }

  /** Closes the file. Later calls of `createOnce` throw a JournalError, and nothing is sent. */
  close(): void {
    this.#file.close();
  }
}
