import type { Beneficiary } from '../contract/schema/beneficiaries.js';
import type { Customer } from '../contract/schema/customers.js';
import type { ListedPayment } from '../contract/schema/payments.js';
import { webCrypto, sha256 } from '../contract/web-crypto.js';
import { boolean, memoize } from '../contract/schema/schema.js';
import { parseTime } from '../contract/schema/time.js';
import { isSensitiveName } from '../contract/redact.js';
import { custom, integerFrom, optionsObject, type OptionsShape } from '../contract/option-schemas.js';
import { isDate, isPlainObject } from '../contract/objects.js';
import type { DatabaseError } from '../database/database-error.js';
import { AbortedError, ConfigurationError, CorridorError } from '../errors/api.js';
import { MirrorError } from '../errors/mirror.js';
import { abortAtEnd, linkController } from '../core/pagination.js';
import { createTiming } from '../transport/clock.js';
import { Deadline } from '../transport/deadline.js';
import { assertOptions, requestOptionsShape } from '../transport/request-options.js';
import { delayOption } from '../workflows/context.js';
import { ageOf, mayBeStale } from '../workflows/staleness.js';
import {
  emptyState,
  leaseDuration,
  recordNames,
  schemaVersion,
  snakeCase,
  type HeldRecord,
  type MirrorPartName,
  type MirrorProblem,
  type MirrorRow,
  type MirrorStatements,
  type RecordName,
  type SyncState,
  type UnstoredRecord,
} from './tables.js';

/** A row of `corridor_changes`: one difference between two readings of a record. `record` tells the kinds apart. */
export type MirrorChange =
  | MirrorChangeOf<'payment', ListedPayment>
  | MirrorChangeOf<'customer', Customer>
  | MirrorChangeOf<'beneficiary', Beneficiary>;

/** A change of one kind of record. */
export interface MirrorChangeOf<Name extends RecordName, Row extends { readonly status?: unknown }> {
  /** The number of the change; increases with every change, without gaps. */
  readonly sequence: number;
  /**
   * The sequence, and what tells this change from another one with the same sequence, in a mirror that was restored or
   * created again. Pass it as `after` to continue behind the change.
   */
  readonly position: string;
  /** The kind of record. */
  readonly record: Name;
  /** The record's id. */
  readonly id: string;
  /** The status before; null if the record is new, or was read by the first fill. */
  readonly previousStatus: Row['status'] | null;
  /** The status to which it changed. */
  readonly status: Row['status'] | null;
  /**
   * The record as it is in its table now: later changes are in it, too, and what the mirror does not store is not. As
   * the platform sent it: fields can be missing.
   */
  readonly data: Readonly<Partial<Row>>;
  /**
   * The names of the fields that differ. Empty for a new record, and if only fields differ that the mirror does not
   * store. `missing` if the platform no longer lists the record, or lists it again.
   */
  readonly fields: readonly string[];
  /** When it was observed: an ISO 8601 UTC string, by the clock of the process that synchronized. */
  readonly observedAt: string;
  /**
   * The platform's `updatedAt` of the reading, so when it happened; null if it cannot be read, or if the platform no
   * longer lists the record.
   */
  readonly updatedAt: string | null;
}

/** The options of `mirror.changes`. */
export interface MirrorChangesOptions {
  /**
   * Starts behind this `position` of a change, or behind a `sequence`, which a restored mirror can have given again. 0
   * starts at the beginning. @default 0
   */
  readonly after?: string | number | undefined;
  /** Ends after the last change that is stored, instead of waiting for more. @default false */
  readonly once?: boolean | undefined;
  /** Ends the iteration. @default never */
  readonly signal?: AbortSignal | undefined;
  /** How often the table is read while there are no more changes, in milliseconds. @default 1_000 */
  readonly pollInterval?: number | undefined;
}

/** How fresh a part of a mirror is. */
export interface MirrorFreshness {
  /** Every record of this part was read at this time or later: an ISO 8601 UTC string; null if it was not read yet. */
  readonly asOf: string | null;
  /**
   * Whether the part was not read again within two intervals, because no process synchronizes, or one that cannot read.
   */
  readonly behind: boolean;
}

/** The options of `mirror.status`. */
export interface MirrorStatusOptions {
  /** Ends the call. @default never */
  readonly signal?: AbortSignal | undefined;
}

/** The state of a mirror. */
export interface MirrorStatus {
  /** Whether the first fill has ended. */
  readonly filled: boolean;
  /** The payments that have not ended, and new ones. */
  readonly open: MirrorFreshness;
  /** All payments of the recent window. */
  readonly recent: MirrorFreshness;
  /** All older payments. */
  readonly older: MirrorFreshness;
  /** All customers. */
  readonly customers: MirrorFreshness;
  /** All beneficiaries. */
  readonly beneficiaries: MirrorFreshness;
  /** When the last pass over everything ended: an ISO 8601 UTC string; null if none has. */
  readonly lastFullPass: string | null;
  /** The sequence of the last change; 0 if there is none. */
  readonly lastSequence: number;
  /** The position of the last change, for `after`; "0" if there is none. */
  readonly lastPosition: string;
  /** The number of records that the platform no longer lists. */
  readonly missing: number;
  /** The records whose last reading may be stale, so that it is not written yet. */
  readonly heldBack: readonly HeldRecord[];
  /** What could not be read when it was read last. It is tried again, and nothing else waits for it. */
  readonly problems: readonly MirrorProblem[];
  /** The records that the mirror cannot store, the last hundred of them. */
  readonly unstored: readonly UnstoredRecord[];
}

/** The options of every mirror. */
export interface MirrorOptions {
  /**
   * Whether the fields that the contract marks as personal or account data are stored, such as company names, accounts
   * and receipts. Cannot be changed later. @default false
   */
  readonly sensitive?: boolean | undefined;
  /**
   * How long rows of `corridor_changes` are kept at least, in milliseconds. The oldest are removed first, up to one
   * that stays as the mark. @default forever
   */
  readonly retention?: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** One statement of a transaction, with its values. */
export type MirrorStep = readonly [statement: keyof MirrorStatements, values: readonly unknown[]];

/** Records that a response has shown, or that a complete reading did not show. */
export interface MirrorBatch {
  readonly record: RecordName;
  readonly values: readonly Fields[];
  /** The ids of records that the platform no longer lists. */
  readonly missing: readonly string[];
  /** The customer whose list has shown the beneficiaries, which can lack its id. */
  readonly customer?: string | undefined;
}

/** How a batch is compared with the mirror. */
export interface CompareOptions {
  /** The present time, in milliseconds since the epoch. */
  readonly now: number;
  /** The present time by the platform's clock. */
  readonly platformNow: number;
  /** How long a list may show an earlier state of a record, in milliseconds. */
  readonly consistencyWindow: number;
  /** The statuses of the records that earlier readings have held back, by `record:id`. */
  readonly held: ReadonlyMap<string, string>;
  /** Whether rows that are as they were read last are compared with what is stored, too. */
  readonly isVerifying: boolean;
}

/** A difference between a record and the mirror. */
export interface MirrorDifference {
  readonly record: RecordName;
  readonly id: string;
  readonly fields: readonly string[];
  /** The position at which the row of the mirror was written; 0 if it has none. */
  readonly position: number;
  /** The creation time of the record, null if it cannot be read, and its customer, if it has one. */
  readonly at: number | null;
  readonly customer: unknown;
}

interface NewChange extends Omit<MirrorChange, 'sequence' | 'position' | 'data' | 'previousStatus' | 'status'> {
  readonly previousStatus: string | null;
  readonly status: string | null;
}

interface Plan {
  readonly rows: readonly MirrorRow[];
  readonly changes: readonly NewChange[];
  readonly differences: readonly MirrorDifference[];
  readonly heldBack: readonly HeldRecord[];
}

/** The row of state, which identifies the epoch and what has been written in it. */
export interface MirrorState {
  /** Who works, and for how many milliseconds by its lease. */
  readonly owner: unknown;
  readonly remaining: unknown;
  readonly epoch: number;
  readonly position: number;
  readonly sequence: number;
  readonly state: SyncState;
}

/** What a process has seen of the row of state: the numbers of a table only increase, until it is restored. */
interface Seen extends Pick<MirrorState, 'epoch' | 'position'> {
  readonly identity: string;
}

/** How a process works: one that follows gives way to one that runs once. */
export type OwnerKind = 'follow' | 'once';

/** What a commit has done: the state is that of the mirror, unless nothing was written. */
export interface Committed {
  readonly owned: MirrorState;
  readonly differences: readonly MirrorDifference[];
  readonly heldBack: readonly HeldRecord[];
}

/** Another process works on the mirror, so that nothing was written. */
export class TakenOverError extends Error {}

/** Creates the schemas of the options of every mirror. */
export const mirrorOptionsShape = (): OptionsShape<MirrorOptions> => ({
  sensitive: boolean(),
  retention: integerFrom(1, undefined, ' of milliseconds'),
});

const changesOptions = memoize(() =>
  optionsObject<MirrorChangesOptions>(
    { after: changePosition(), once: boolean(), signal: requestOptionsShape().signal, pollInterval: delayOption() },
    { rule: 'must be an object, such as { after: 0 }' },
  ),
);

const statusOptions = memoize(() =>
  optionsObject<MirrorStatusOptions>({ signal: requestOptionsShape().signal }, { rule: 'must be an object' }),
);

/**
 * An own copy of the platform's records in a database, which `corridor.sync` fills and keeps true: a `SqliteMirror` or
 * a `PostgresMirror`.
 */
export abstract class Mirror {
  /** @internal How often an owner renews its lease, in milliseconds. */
  readonly renewInterval = 0.4 * leaseDuration;
  readonly #sensitive: boolean;
  readonly #retention: number | undefined;
  // What this process has seen of the tables, which another one must not replace.
  #seen: Seen | undefined;

  /** @internal */
  constructor(options: MirrorOptions) {
    const { sensitive = false, retention } = options;
    this.#sensitive = sensitive;
    this.#retention = retention;
  }

  /**
   * @internal Runs statements in one transaction, and returns the rows of each; starts again if the database is busy, and
   * ends if the signal aborts. No locks wait for this process: only the statements of the transaction take them. One that
   * reads from tables that do not exist finds no rows, and creates nothing.
   */
  protected abstract transact(
    mode: 'read' | 'write',
    steps: readonly MirrorStep[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly Fields[])[]>;

  /** @internal Returns the SHA-256 hash of a text in lowercase hexadecimal. */
  protected hash(text: string): Promise<string> {
    return sha256(text);
  }

  /** @internal Describes what the driver of the database threw. */
  protected abstract failureOf(error: unknown): DatabaseError;

  /**
   * Iterates `corridor_changes` in the order of `sequence`, beginning with every record of the first fill, and waits
   * for more until `signal` aborts. Sends nothing to the platform. To process each change exactly once, store its
   * `position` in the transaction of your own row, and pass it as `after` next time.
   *
   * @throws MirrorError if the database fails, if changes behind `after` were removed, or if the change at `after` is
   * not in the mirror, because it was restored or created again; without `once`, failures that can pass, such as a
   * locked database, are retried instead. ConfigurationError if an option is invalid.
   * @example
   * ```ts
   * import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
   * const mirror = new SqliteMirror('corridor.sqlite');
   * for await (const { position, record, id, status } of mirror.changes({ after: 0, once: true })) {
   *   console.log(position, record, id, status);
   * }
   * ```
   */
  changes(options: MirrorChangesOptions = {}): AsyncGenerator<MirrorChange, void, undefined> {
    const stop = new AbortController();
    return abortAtEnd(this.#iterate(options, stop), stop);
  }

  async *#iterate(options: MirrorChangesOptions, stop: AbortController): AsyncGenerator<MirrorChange, void, undefined> {
    assertOptions(changesOptions, options);
    const { after = 0, once = false, signal, pollInterval = 1_000 } = options;
    const { unlink } = linkController(signal, stop);
    const idle = new Deadline(createTiming(Date.now, undefined), { endpoint: 'mirror.changes', signal: stop.signal });
    try {
      for (let last = String(after); !stop.signal.aborted;) {
        const rows = await this.#changesAfter(last, stop.signal).catch((error: unknown) => {
          if (!stop.signal.aborted && (once || !(error instanceof MirrorError && error.retryable))) throw error;
          return [];
        });
        for (const row of rows) {
          if (stop.signal.aborted) return;
          const change = toChange(row);
          yield change;
          last = change.position;
        }
        if (rows.length > 0) continue;
        if (once) return;
        // It rejects if the signal aborts, which ends the loop.
        await idle.sleep(pollInterval).catch(() => {});
      }
    } finally {
      unlink();
    }
  }

  async #changesAfter(position: string, signal: AbortSignal): Promise<readonly Fields[]> {
    const [last, token] = sequenceOf(position);
    const steps: readonly MirrorStep[] = [
      ['changes', [last, changesPerRead]],
      ['state', []],
    ];
    const [found = [], [state] = []] = await this.#transact('read', steps, signal);
    assertVersion(state?.['version'] ?? schemaVersion);
    const sequence = Number(state?.['sequence'] ?? 0);
    // The change that was read last is found again: otherwise, those behind it are not the next ones.
    const isContinued = last === 0 || (found[0] !== undefined && isChange(found[0], last, token));
    const rows = isContinued && last > 0 ? found.slice(1) : found;
    const isNext = (row: Fields, index: number): boolean => Number(row['sequence']) === last + 1 + index;
    const gap = rows.findIndex((row, index) => !isNext(row, index));
    const isCut = rows.length === 0 && sequence > last;
    if (isContinued && gap !== 0 && !isCut) return gap === -1 ? rows : rows.slice(0, gap);
    const [{ sequence: first = 0 } = {}] = await this.query('oldestChanges', [1], signal);
    const problem =
      last > sequence
        ? `the mirror has no change ${last}, and its last one is ${sequence}: ` +
          'it was created again, or restored from a backup'
        : isContinued || Number(first) > last
          ? `changes after ${last} were removed, by the retention or by hand: the first one is ${Number(first)}`
          : `the change ${last} of the mirror is not the one that was read: the ` +
            'mirror was created again, or restored from a backup';
    throw new MirrorError(
      `mirror.changes: ${problem}. Take lastPosition of mirror.status(), then read the ` +
        'tables and process what is new to you, then continue after that position',
    );
  }

  /**
   * Returns how fresh each part of the mirror is, and what is behind. Sends nothing to the platform.
   *
   * @throws MirrorError if the database fails; AbortedError if the signal aborts; ConfigurationError if an option is
   * invalid, or if the tables are of another version.
   * @example
   * ```ts
   * import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
   * const mirror = new SqliteMirror('corridor.sqlite');
   * const { filled, open, lastFullPass } = await mirror.status();
   * console.log(filled, open.asOf, open.behind, lastFullPass);
   * ```
   */
  async status(options: MirrorStatusOptions = {}): Promise<MirrorStatus> {
    assertOptions(statusOptions, options);
    const steps: readonly MirrorStep[] = [
      ['state', []],
      ['lastChange', []],
      ['missing', []],
    ];
    const [[row] = [], [last] = [], missing = []] = await this.#transact('read', steps, options.signal);
    assertVersion(row?.['version'] ?? schemaVersion);
    const { sequence, state } = row === undefined ? { sequence: 0, state: emptyState } : toState(row);
    const now = Date.now();
    const freshness = (...names: readonly MirrorPartName[]): MirrorFreshness => {
      const asOf = Math.min(...names.map((name) => state.parts[name]?.asOf ?? Number.NEGATIVE_INFINITY));
      // A pass is spread over its interval, and the next one ends up to two intervals after this one has started.
      const behindAt = Math.min(...names.map((name) => state.parts[name]?.behindAt ?? 0));
      return { asOf: isoOf(Number.isFinite(asOf) ? asOf : undefined), behind: behindAt < now };
    };
    // Before all payments were read once, some in progress may be unknown.
    const isRead = [state.parts.recent, state.parts.older].every((part) => part?.asOf !== undefined);
    return {
      filled: state.filledAt !== undefined,
      open: isRead ? freshness('new', 'open') : { asOf: null, behind: true },
      recent: freshness('recent'),
      older: freshness('older'),
      customers: freshness('customers'),
      beneficiaries: freshness('beneficiaries'),
      lastFullPass: isoOf(state.lastFullPass),
      lastSequence: sequence,
      lastPosition: last === undefined ? '0' : positionOf(last),
      missing: missing.reduce((sum, { count }) => sum + Number(count), 0),
      heldBack: heldRecords(state),
      problems: problemsOf(state),
      unstored: Object.values(state.unstored ?? {}).map(({ record, id, problem }) => ({ record, id, problem })),
    };
  }

  /** @internal Runs a statement that only reads, and returns its rows. */
  async query(
    statement: keyof MirrorStatements,
    values: readonly unknown[] = [],
    signal?: AbortSignal,
  ): Promise<readonly Fields[]> {
    const [rows = []] = await this.#transact('read', [[statement, values]], signal);
    return rows;
  }

  /** @internal Checks that the mirror belongs to the platform, and creates its state unless the caller only reads. */
  async open(platform: string, isReadOnly: boolean, signal?: AbortSignal): Promise<void> {
    const sensitive = this.#sensitive;
    const seen = this.#seen;
    const read = (): Promise<Fields | undefined> => this.query('state', [], signal).then(([row]) => row);
    let row = await read();
    if (row === undefined && !isReadOnly) {
      if (seen !== undefined) throw replacedError();
      const values = [schemaVersion, webCrypto().randomUUID(), platform, sensitive ? 1 : 0, JSON.stringify(emptyState)];
      await this.#write([['create', values]], signal);
      row = await read();
    }
    if (row === undefined) return;
    this.#check(row, seen);
    if (row['platform'] !== platform)
      throw new ConfigurationError(
        `the mirror belongs to another platform: ${String(row['platform'])} ` +
          `(received ${platform}). Use one mirror per platform and organization`,
      );
    if ((Number(row['sensitive']) === 1) !== sensitive)
      throw new ConfigurationError(
        `the mirror was created with sensitive: ${String(!sensitive)} ` +
          `(received ${String(sensitive)}${sensitive ? ', as for corridor follow and sync --sensitive' : ''}). ` +
          'Pass the same option, or fill a new mirror',
      );
  }

  /** @internal Reads the state; undefined if there is none. */
  async state(signal?: AbortSignal): Promise<MirrorState | undefined> {
    const seen = this.#seen;
    const [row] = await this.query('state', [], signal);
    if (row === undefined && seen === undefined) return undefined;
    this.#check(row, seen);
    return toState(row as Fields);
  }

  /**
   * @internal Becomes the process that works, with a new epoch. Returns undefined if another one works: for one that
   * runs once, only one that runs once.
   */
  async acquire(kind: OwnerKind, signal?: AbortSignal): Promise<MirrorState | undefined> {
    const found = await this.state(signal);
    if (found === undefined) throw replacedError();
    const { owner, remaining, epoch, position } = found;
    if (isLeased(owner, remaining) && !(kind === 'once' && owner === 'follow')) return undefined;
    const owned = { ...found, epoch: epoch + 1 };
    return this.#write([['own', [kind, epoch, position]]], signal).then(() => owned, ignoreTakenOver);
  }

  /** @internal Renews the lease of the process that works, and stores the state. */
  renew({ epoch, position, state }: MirrorState, signal?: AbortSignal): Promise<void> {
    return this.#write([['renew', [stateText(state), epoch, position]]], signal);
  }

  /** @internal Stores the state, removes changes that the retention has ended, and lets other processes work. */
  async release({ epoch, position, state }: MirrorState, now: number, signal?: AbortSignal): Promise<void> {
    const retention = this.#retention;
    const mark = retention === undefined ? undefined : await this.#lastExpired(now - retention, signal);
    const expire: readonly MirrorStep[] = mark === undefined ? [] : [['expire', [mark]]];
    await this.#write([['release', [stateText(state), epoch, position]], ...expire], signal);
  }

  // Returns the last of the oldest changes that were observed before a time, which stays as the mark of those before it.
  async #lastExpired(before: number, signal: AbortSignal | undefined): Promise<number | undefined> {
    const isKept = (row: Fields): boolean => timeOf(row['observed_at']) >= before;
    const first = await this.query('oldestChanges', [2], signal);
    if (first.length < 2 || first.some(isKept)) return undefined;
    const oldest = await this.query('oldestChanges', [changesPerExpiry + 1], signal);
    const kept = oldest.findIndex(isKept);
    return Number(oldest.at(kept === -1 ? -1 : kept - 1)?.['sequence']);
  }

  /**
   * @internal Takes or keeps a position in the changes for an owner, and moves it forward. Returns it; undefined if
   * another owner has it. A new one is behind the last change, and behind those of the first fill.
   */
  async leasePosition(
    name: string,
    owner: string,
    { to = 0, isReleased = false }: { readonly to?: number; readonly isReleased?: boolean } = {},
    signal?: AbortSignal,
  ): Promise<number | undefined> {
    const next = isReleased ? null : owner;
    const steps: readonly MirrorStep[] = [
      ['position', [name]],
      ['state', []],
    ];
    const [[row] = [], [found] = []] = await this.#transact('read', steps, signal);
    const { sequence, state } = found === undefined ? { sequence: 0, state: emptyState } : toState(found);
    if (row !== undefined && row['owner'] !== owner && isLeased(row['owner'], row['remaining'])) return undefined;
    const position = Math.max(
      to,
      ...(row === undefined ? [sequence] : [Number(row['sequence']), state.filledSequence ?? 0]),
    );
    const step: MirrorStep =
      row === undefined
        ? ['addPosition', [name, position, next]]
        : ['movePosition', [position, next, name, Number(row['lease'])]];
    return this.#write([step], signal).then(() => position, ignoreTakenOver);
  }

  /** @internal Returns a record as it was read last. */
  async stored(record: RecordName, id: string): Promise<Fields> {
    const [row = {}] = await this.query(`stored_${record}`, [JSON.stringify([id])]);
    return dataOf(row);
  }

  /** @internal Compares a batch with the mirror without writing. */
  compare(
    batch: MirrorBatch,
    options: CompareOptions,
    signal?: AbortSignal,
  ): Promise<Pick<Committed, 'differences' | 'heldBack'>> {
    return this.#plan(batch, 0, options, signal);
  }

  /**
   * @internal Writes a batch, its changes and the state in one transaction, unless another process has become the one
   * that works since this epoch. A process reads only after it became that one, so that whatever it writes was read
   * after everything that is in the mirror. A batch without differences writes nothing.
   */
  async commit(
    before: MirrorState,
    batch: MirrorBatch,
    options: CompareOptions,
    signal?: AbortSignal,
  ): Promise<Committed> {
    const token = webCrypto().randomUUID().slice(0, 8);
    const position = before.position + 1;
    const { rows, changes, ...found } = await this.#plan(batch, position, options, signal);
    if (rows.length === 0) return { owned: before, ...found };
    const numbered = changes.map((change, index) => toChangeRow(change, before.sequence + index + 1, token));
    const owned = { ...before, position, sequence: before.sequence + numbered.length };
    const steps: readonly MirrorStep[] = [
      ['advance', [owned.sequence, stateText(before.state), before.epoch, before.position]],
      [`upsert_${batch.record}`, rows],
      ['addChanges', numbered],
    ];
    await this.#write(steps, signal);
    this.#saw(owned);
    return { owned, ...found };
  }

  /** @internal Returns a column as the database returns it after it was stored. */
  protected storedColumn(_name: string, value: string | number | null): string | number | null {
    return value;
  }

  async #plan(
    { record, values, missing, customer }: MirrorBatch,
    position: number,
    { now, platformNow, consistencyWindow, held, isVerifying }: CompareOptions,
    signal: AbortSignal | undefined,
  ): Promise<Plan> {
    const ids = [...values.map(({ id }) => String(id)), ...missing];
    const stored = await this.query(`stored_${record}`, [JSON.stringify(ids)], signal);
    const known = new Map(stored.map((row) => [String(row['id']), row]));
    const rows = new Map<string, MirrorRow>();
    const changes: NewChange[] = [];
    const differences: MirrorDifference[] = [];
    const heldBack: HeldRecord[] = [];
    const observedAt = new Date(now).toISOString();
    const written = { position, observed_at: observedAt, seen_time: Math.floor(platformNow) };
    const statusOf = (row: Fields): string | null => row['status'] as string | null;
    // What the change before has told, also if another program has changed the column.
    const readStatus = (before: Fields): string | null =>
      statusOf(toRow(record, dataOf(before), true, undefined)) ?? statusOf(before);
    const add = (
      row: MirrorRow,
      before: Fields | undefined,
      fields: readonly string[],
      previous: string | null,
    ): void => {
      const id = String(row['id']);
      const status = statusOf(row);
      const { updated_at: updatedAt } = row;
      const isRead = row['missing_since'] === null && !Number.isNaN(parseTime(updatedAt));
      const common = { record, id, previousStatus: previous, status, fields, observedAt };
      changes.push({ ...common, updatedAt: isRead ? String(updatedAt) : null });
      const [at, owner] = [row['created_time'] as number | null, row['customer_id']];
      differences.push({ record, id, fields, position: Number(before?.['position'] ?? 0), at, customer: owner });
      rows.set(id, row);
      known.set(id, row);
    };
    for (const each of values) {
      let [value, text] = [each, canonical(each)];
      if (unstorableEscape.test(text)) {
        value = storable(each) as Fields;
        text = canonical(value);
      }
      const hash = await this.hash(text);
      const id = String(value['id']);
      const before = known.get(id);
      const isSame = before?.['hash'] === hash;
      const isStored = isSame && before['missing_since'] === null;
      // A page can repeat a row.
      if (isStored && (!isVerifying || rows.has(id))) continue;
      // A beneficiary without the id of its customer can be in the lists of several.
      const owner = isStored ? before['customer_id'] : customer;
      const previousHash = (isSame ? before['previous_hash'] : (before?.['hash'] ?? null)) as string | null;
      const hashes = { hash, previous_hash: previousHash };
      const row = { ...toRow(record, value, this.#sensitive, owner), ...written, ...hashes, missing_since: null };
      if (before === undefined) add(row, before, [], null);
      else if (!isSame) {
        const age = ageOf([timeOf(before['observed_at']), now], [Number(before['seen_time']), platformNow]);
        const isConfirmed = held.get(`${record}:${id}`) === String(statusOf(row));
        const isPrevious = before['previous_hash'] === hash;
        if (mayBeStale(record, value, dataOf(before), { age, consistencyWindow, isConfirmed, isPrevious }))
          heldBack.push({ record, id, status: statusOf(row) });
        else add(row, before, changedFields(before, row), readStatus(before));
      } else {
        const fields = isVerifying ? this.#editedFields(record, row, before) : [];
        if (before['missing_since'] !== null) fields.push('missing');
        // The state that was written last is this one, whatever another program has made of it.
        if (fields.length > 0) add(row, before, fields, statusOf(row));
      }
    }
    for (const id of missing) {
      const before = known.get(id);
      if (before === undefined || before['missing_since'] !== null) continue;
      const row = toRow(record, dataOf(before), true, before['customer_id']);
      const hashes = { hash: String(before['hash']), previous_hash: before['previous_hash'] as string | null };
      add({ ...row, ...written, ...hashes, missing_since: observedAt }, before, ['missing'], readStatus(before));
    }
    return { rows: [...rows.values()], changes, differences, heldBack };
  }

  // The fields of a row that are not as they were stored.
  #editedFields(record: RecordName, row: MirrorRow, before: Fields): string[] {
    const columns = Object.entries<string>(recordNames[record].columns).filter(
      ([name]) => String(this.storedColumn(name, row[name] ?? null)) !== String(before[name]),
    );
    const isEdited = canonical(dataOf(row)) !== canonical(dataOf(before));
    const fields = isEdited ? changedFields({ ...before, missing_since: null }, row) : [];
    return [...new Set([...columns.map(([, field]) => field), ...fields])];
  }

  async #write(steps: readonly MirrorStep[], signal?: AbortSignal): Promise<void> {
    await this.#transact('write', steps, signal);
  }

  // Another program can drop, truncate or restore the tables, and a newer version of this package can change them.
  // `seen` is what was seen before the row was read: a call that runs meanwhile can have seen more.
  #check(row: Fields | undefined, seen: Seen | undefined): void {
    assertVersion(row?.['version'] ?? schemaVersion);
    const identity = row?.['identity'];
    if (row === undefined || (seen !== undefined && seen.identity !== identity)) throw replacedError();
    const found = toState(row);
    if (seen !== undefined && (found.epoch < seen.epoch || found.position < seen.position)) throw replacedError();
    this.#seen ??= { identity: String(identity), epoch: 0, position: 0 };
    this.#saw(found);
  }

  #saw({ epoch, position }: Pick<MirrorState, 'epoch' | 'position'>): void {
    const seen = this.#seen as Seen;
    this.#seen = { ...seen, epoch: Math.max(epoch, seen.epoch), position: Math.max(position, seen.position) };
  }

  async #transact(
    mode: 'read' | 'write',
    steps: readonly MirrorStep[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly Fields[])[]> {
    const throwIfAborted = (): void => {
      if (signal?.aborted === true)
        throw new AbortedError('the call of the mirror was aborted', { outcome: 'not-sent', cause: signal.reason });
    };
    throwIfAborted();
    try {
      return await this.transact(mode, steps, signal);
    } catch (error) {
      if (error instanceof TakenOverError || error instanceof CorridorError) throw error;
      throwIfAborted();
      const { message, isTransient, original } = this.failureOf(error);
      throw new MirrorError(message, { retryable: isTransient }, original);
    }
  }
}

function ignoreTakenOver(error: unknown): undefined {
  if (!(error instanceof TakenOverError)) throw error;
}

// A lease that ends later than one that is renewed now was written before the clock of the database was set back.
function isLeased(owner: unknown, remaining: unknown): boolean {
  return owner !== null && Number(remaining) > 0 && Number(remaining) <= leaseDuration;
}

/** Checks that the tables are those of this version. */
export function assertVersion(version: unknown): void {
  if (Number(version) !== schemaVersion)
    throw new ConfigurationError(
      `the tables of the mirror have version ${Number(version)}, and this version of corridor-sdk ` +
        `uses ${schemaVersion}. Update the package in every process that uses the mirror`,
    );
}

/** Creates the error of tables that another program has replaced. */
export function replacedError(original?: unknown): MirrorError {
  return new MirrorError(
    'the tables of the mirror were dropped, truncated or restored while this process ' +
      'used them. Stop every process that uses the mirror, check that its tables have one ' +
      'state or drop all of them, and start the processes again',
    {},
    original,
  );
}

const changesPerRead = 1_000;
// How many changes are removed at once at most.
const changesPerExpiry = 10_000;

const changePosition = () =>
  custom<string | number>(
    (value) =>
      typeof value === 'string'
        ? /^\d{1,15}(?:-[0-9a-f]{8})?$/.test(value)
        : Number.isSafeInteger(value) && Number(value) >= 0,
    { rule: 'must be the position of a change, its sequence, or 0' },
  );

function sequenceOf(position: string): readonly [sequence: number, token: string | undefined] {
  const [sequence, token] = position.split('-');
  return [Number(sequence), token];
}

const positionOf = (row: Fields): string => `${Number(row['sequence'])}-${String(row['token'])}`;

function isChange(row: Fields, sequence: number, token: string | undefined): boolean {
  return Number(row['sequence']) === sequence && (token === undefined || row['token'] === token);
}

/** Returns the records that are held back. */
export function heldRecords({ held = {} }: SyncState): readonly HeldRecord[] {
  return Object.values(held).map(({ record, id, status }) => ({ record, id, status }));
}

/** Returns what could not be read, as a partner sees it. */
export function problemsOf({ problems = {} }: SyncState): readonly MirrorProblem[] {
  return Object.values(problems).map(({ isTransient: _internal, ...problem }) => problem);
}

const isoOf = (time: number | undefined): string | null => (time === undefined ? null : new Date(time).toISOString());

/** Returns the id of a record; undefined if it has none. */
export function idOf(value: unknown): string | undefined {
  const { id } = Object(value) as { readonly id?: unknown };
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Returns why a record cannot be stored; undefined if it can be. */
export function problemOf(value: unknown): string | undefined {
  const id = idOf(value);
  if (id === undefined) return 'it has no id';
  if (id.length > longestIndexed) return `its id has more than ${longestIndexed} characters`;
  if (id.includes('\0') || !id.isWellFormed()) return 'its id has NUL or half a surrogate pair';
  return isDeeper(value, maxDepth) ? `it has more than ${maxDepth} levels of objects` : undefined;
}

// What is written and compared recursively.
const maxDepth = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    levels === 0 ||
    Object.values(value as Readonly<Record<string, unknown>>).some((field) => isDeeper(field, levels - 1))
  );
}

// The escapes of NUL and of half surrogate pairs in JSON, which no database stores and compares reliably.
const unstorableEscape = /\\u(?:0000|d[89a-f])/;

/** Replaces NUL and half surrogate pairs in a value. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value as Fields).map(([name, field]) => [storable(name), storable(field)]));
}

// The checkpoint of a first fill has ids of the platform.
const stateText = (state: SyncState): string => JSON.stringify(storable(state));

/** Writes what is compared of a value as JSON: the fields of objects are sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

// A copy is written faster than with a replacer.
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(value).toSorted()) {
    const field = (value as Fields)[name];
    // The URL may be signed again for every response.
    copy[name] = name === 'receiptUrl' && typeof field === 'string' ? field.replace(/\?.*/s, '') : sorted(field);
  }
  return copy;
}

// The columns of ids and statuses have indexes, in which PostgreSQL stores no longer texts.
const longestIndexed = 500;
const indexedFields: ReadonlySet<string> = new Set(['id', 'status', 'customerId']);

function toRow(record: RecordName, value: Fields, sensitive: boolean, customer: unknown): MirrorRow {
  const stored = (sensitive ? value : withoutSensitive(value)) as Fields;
  const textOf = (name: string): string | null => {
    const field = stored[name] ?? (name === 'customerId' ? customer : undefined);
    if (field === null || field === undefined) return null;
    const text = typeof field === 'string' ? field : JSON.stringify(field);
    return indexedFields.has(name) ? text.slice(0, longestIndexed).toWellFormed() : text;
  };
  const columns = Object.entries<string>(recordNames[record].columns).map(([column, field]) => [column, textOf(field)]);
  const createdTime = parseTime(value['createdAt']);
  return {
    ...(Object.fromEntries(columns) as MirrorRow),
    created_time: Number.isNaN(createdTime) ? null : createdTime,
    data: JSON.stringify(stored),
  };
}

// A copy is written faster than with a replacer, and a field that is set to undefined is removed faster than deleted.
function withoutSensitive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSensitive);
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) copy[name] = isSensitiveName(name) ? undefined : withoutSensitive(copy[name]);
  return copy;
}

const dataOf = ({ data }: Fields): Fields => parsed(data) as Fields;

// A driver of PostgreSQL has parsed it.
function parsed(json: unknown): unknown {
  return typeof json === 'string' ? JSON.parse(json) : json;
}

function changedFields(before: Fields, after: Fields): string[] {
  const [one, other] = [dataOf(before), dataOf(after)];
  const fields = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const changed = fields.filter((field) => canonical({ [field]: one[field] }) !== canonical({ [field]: other[field] }));
  return before['missing_since'] === null ? changed : [...changed, 'missing'];
}

function timeOf(value: unknown): number {
  return isDate(value) ? value.getTime() : Date.parse(String(value));
}

function toState(row: Fields): MirrorState {
  return {
    epoch: Number(row['epoch']),
    position: Number(row['position']),
    sequence: Number(row['sequence']),
    owner: row['owner'],
    remaining: row['remaining'],
    state: parsed(row['state']) as SyncState,
  };
}

function toChangeRow(change: NewChange, sequence: number, token: string): MirrorRow {
  const fields = { ...change, sequence, token, fields: JSON.stringify(change.fields) };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}

function toChange(row: Fields): MirrorChange {
  const id = String(row['id']);
  return {
    sequence: Number(row['sequence']),
    position: positionOf(row),
    record: row['record'],
    id,
    previousStatus: row['previous_status'],
    status: row['status'],
    fields: parsed(row['fields']),
    observedAt: new Date(timeOf(row['observed_at'])).toISOString(),
    updatedAt: row['updated_at'],
    // A person can have deleted the row.
    data: parsed(row['data']) ?? { id },
  } as MirrorChange;
}
