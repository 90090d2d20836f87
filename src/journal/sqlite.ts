import { busyTimeoutOption, SqliteFile, type SqliteWork } from '../database/sqlite.js';
import type { PaymentCreateIntent } from '../contract/intent.js';
import { optionsObject } from '../contract/option-schemas.js';
import { memoize } from '../contract/schema/schema.js';
import { JournalError } from '../errors/journal.js';
import { requireOptions } from '../errors/options.js';
import { isAcceptance, type Journal, type JournalEntry, type IntentResolution } from './journal.js';
import { rowColumns, toEntry, toIntent, toValues, type JournalRow } from './serialization.js';

// `released` is empty while the entry holds its quote and its key, and then the id: the unique indexes allow one
// holder. They are of the table, because another table can have taken the name of an index, such as one that was
// renamed.
const table = `
  create table if not exists corridor_journal (
    intent_id text primary key,
    quote text not null,
    idempotency_key text,
    intent text not null,
    outcome text check (outcome in ('created', 'not-created')),
    payment_id text,
    released text not null default '',
    claimed_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    resolved_at text,
    unique (quote, released),
    unique (idempotency_key, released)
  ) strict;
  create index if not exists corridor_journal_open on corridor_journal (claimed_at) where outcome is null`;

const columns = rowColumns('claimed_at');

// Without numbered parameters, which Node 22.13 binds only by name.
const statements = {
  read: `
    select ${columns} from corridor_journal
    where intent_id = :id or ((quote = :quote or idempotency_key = :key) and (released = '' or outcome = 'created'))
    order by outcome is not 'created', iif(outcome = 'created', 0, intent_id <> :id), idempotency_key is not :key
    limit 1`,
  claim: 'insert into corridor_journal (intent_id, quote, idempotency_key, intent) values (?, ?, ?, ?)',
  find: 'select 1 from corridor_journal where intent_id = ?',
  // Inserts an intent without an entry: one that was not created can then not be claimed later, and one that was created
  // was lost. It is released, because another entry can hold its names.
  resolve: `
    insert into corridor_journal (intent_id, quote, idempotency_key, intent, outcome, payment_id, resolved_at, released)
    values (:id, :quote, :key, :intent, :outcome, :paymentId, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), :id)
    on conflict (intent_id) do update set
      outcome = excluded.outcome, payment_id = excluded.payment_id, resolved_at = excluded.resolved_at,
      released = iif(excluded.outcome = 'created', released, excluded.released),
      intent = iif(:isAccepted, excluded.intent, intent)
    where outcome is null or (outcome = 'not-created' and excluded.outcome = 'created')
      or (:isAccepted and payment_id = excluded.payment_id)`,
  listPending: `select ${columns} from corridor_journal where outcome is null order by claimed_at, rowid`,
  purge: 'delete from corridor_journal where outcome is not null and resolved_at < ?',
} as const;

/** The options of a `SqliteJournal`. */
export interface SqliteJournalOptions {
  /**
   * How long a call waits while another process has the file locked, in milliseconds. Waiting does not block the event
   * loop, and ends no later than the total timeout of `createOnce`. @default 5_000
   */
  readonly busyTimeout?: number | undefined;
}

const optionsSchema = memoize(() => optionsObject<SqliteJournalOptions>({ busyTimeout: busyTimeoutOption() }));

/**
 * A journal in a SQLite file, for the processes of one machine. A claim is on disk before the payment is sent, and
 * survives a crash or a power failure. Requires Node 22.13 or newer, because it uses `node:sqlite`. Keep the file on a
 * local disk. If it is replaced, deleted or truncated while it is open, every call throws a `JournalError`. The file
 * contains payment data: a new file is created with mode 0600. The mode of an existing file is not changed.
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
  readonly supportsIdempotencyKeys = true;
  /** @internal */
  readonly inMemory: { hasWarned: boolean } | undefined;
  readonly #file: SqliteFile<keyof typeof statements>;

  /**
   * Opens the file, and creates it if it does not exist.
   *
   * @throws ConfigurationError if the file cannot be opened or is not a SQLite file, or if the runtime has no
   * `node:sqlite`.
   */
  constructor(path: string, options: SqliteJournalOptions = {}) {
    requireOptions(optionsSchema, options, 'the options of a SQLite journal');
    this.inMemory = path === ':memory:' ? { hasWarned: false } : undefined;
    this.#file = new SqliteFile('journal', path, options.busyTimeout ?? 5_000, {
      journalMode: 'delete',
      table,
      statements,
    });
  }

  /** Claims the intent's quote and its key. Returns true, or the existing entry. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const values = toValues(intent);
    const [id, quote, key] = values;
    return this.#transact('write', ({ claim, read }) => {
      const row = read.get({ id, quote, key }) as unknown as JournalRow | undefined;
      if (row !== undefined) return toEntry(row);
      claim.run(...values);
      return true;
    });
  }

  /** Returns the entry that holds a key. */
  async findByKey(idempotencyKey: string): Promise<JournalEntry | undefined> {
    return this.#transact('read', ({ read }) => {
      const row = read.get({ id: null, quote: null, key: idempotencyKey }) as unknown as JournalRow | undefined;
      return row && toEntry(row);
    });
  }

  /** Stores the outcome of an intent. Returns false if the payment was created, and its entry was lost. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<boolean> {
    const [id, quote, key, text] = toValues(intent);
    const { outcome } = resolution;
    const paymentId = outcome === 'created' ? resolution.paymentId : null;
    const isAccepted = Number(isAcceptance(intent, resolution));
    return this.#transact('write', ({ find, resolve }) => {
      const isKnown = find.get(id) !== undefined;
      resolve.run({ id, quote, key, intent: text, outcome, paymentId, isAccepted });
      return isKnown || outcome !== 'created';
    });
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return this.#transact('read', ({ listPending }) =>
      listPending.all().map((row) => toIntent(row as unknown as JournalRow)),
    );
  }

  /**
   * Removes the entries that were resolved before a time, and returns their number. Their keys can create payments
   * again: pass a time before which no order is retried.
   */
  async purge(before: Date): Promise<number> {
    return this.#transact('write', ({ purge }) => Number(purge.run(before.toISOString()).changes));
  }

  /** Closes the file. Later calls of `createOnce` throw a JournalError, and nothing is sent. */
  close(): void {
    this.#file.close();
  }

  async #transact<T>(mode: 'read' | 'write', work: SqliteWork<keyof typeof statements, T>): Promise<T> {
    try {
      return await this.#file[mode](work);
    } catch (error) {
      const { message, original } = this.#file.failureOf(error);
      throw new JournalError(message, {}, original);
    }
  }
}
