import { pageSize } from '../contract/schema/page.js';
import {
  idOf,
  problemOf,
  type CompareOptions,
  type Mirror,
  type MirrorBatch,
  type MirrorDifference,
  type MirrorState,
} from './mirror.js';
import {
  emptyState,
  type HeldRecord,
  type MirrorPartName,
  type MirrorStatements,
  type PartState,
  type RecordName,
  type Remembered,
  type SyncState,
} from './tables.js';
import type { Timing } from '../transport/clock.js';
import { Semaphore } from '../transport/limits.js';
import type { RequestOptions } from '../transport/request-options.js';

// How many records that cannot be stored the state names, and the characters of their ids that it has.
const [maxUnstored, shownId] = [100, 100];
// Two pages of a list.
const recordsPerBatch = 2 * pageSize.largest;

/** How a mirror is synchronized. Times are in milliseconds. */
export interface SyncSettings {
  readonly once: boolean;
  readonly full: boolean;
  readonly dryRun: boolean;
  readonly concurrency: number;
  /** The delay after which a slice that could not be read is read again. It doubles. */
  readonly pollInterval: number;
  readonly consistencyWindow: number;
  readonly recentWindow: number;
  /** How often each part is read: those that are polled at least as often. */
  readonly intervals: Readonly<Record<MirrorPartName, number>>;
  readonly request: RequestOptions;
}

/** Receives each batch with its records, and the differences that it had. */
export type OnBatch = (batch: MirrorBatch, differences: readonly MirrorDifference[]) => void;

/** What a writer uses. */
interface WriterSources {
  readonly timing: Timing;
  readonly mirror: Mirror;
  readonly settings: SyncSettings;
  /** Returns the platform's time. */
  now(): number;
  readonly onBatch: OnBatch;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The mirror as the process of one epoch sees and writes it: its state, what it does not write yet, and what cannot be
 * stored.
 */
export class MirrorWriter {
  /** Whether what is stored is compared, too. */
  isVerifying = false;
  /** The differences of a dry run, by record. */
  readonly differences = new Map<string, MirrorDifference>();
  readonly #sources: WriterSources;
  readonly #startedAt: number;
  readonly #applying = new Semaphore(1);
  #owned: MirrorState;

  constructor(sources: WriterSources, owned: MirrorState) {
    this.#sources = sources;
    this.#owned = owned;
    this.#startedAt = sources.timing.now();
  }

  get state(): SyncState {
    return this.#owned.state;
  }

  /** The position of the last batch with differences, and the sequence of the last change. */
  get last(): Pick<MirrorState, 'position' | 'sequence'> {
    return this.#owned;
  }

  /** Forgets what was read of another account. */
  reset(): void {
    this.#owned = { ...this.#owned, state: emptyState };
  }

  /** Changes the state, which the next write stores. */
  save(changes: Partial<SyncState>): void {
    this.#owned = { ...this.#owned, state: { ...this.state, ...changes } };
  }

  /** Returns the state of a part. */
  partOf(name: MirrorPartName): PartState<unknown> {
    return this.state.parts[name] ?? { due: 0, round: 0 };
  }

  /** Changes the state of a part, which the next write stores. */
  savePart(name: MirrorPartName, changes: Partial<PartState<unknown>>): void {
    this.save({ parts: { ...this.state.parts, [name]: { ...this.partOf(name), ...changes } } });
  }

  /** Runs a statement that only reads. */
  query(statement: keyof MirrorStatements, ...values: readonly unknown[]): Promise<readonly Fields[]> {
    return this.#sources.mirror.query(statement, values, this.#sources.settings.request.signal);
  }

  /** Writes the differences of records as changes, or only finds them in a dry run. */
  async apply(
    record: RecordName,
    rows: readonly unknown[],
    missing: readonly string[] = [],
    customer?: string,
  ): Promise<void> {
    // A record that cannot be stored keeps no other one out.
    const values: Fields[] = [];
    for (const row of rows) {
      const problem = problemOf(row);
      const name = idOf(row) ?? '';
      const id = problem === undefined ? name : name.slice(0, shownId).replaceAll('\0', '\uFFFD').toWellFormed();
      const found = problem === undefined ? [] : [{ record, id, problem, at: this.#startedAt }];
      this.#remember('unstored', [keyOf({ record, id })], found);
      if (problem === undefined) values.push(row as Fields);
    }
    // Small batches: each is one transaction, and renews the lease.
    for (let start = 0; start < Math.max(values.length, missing.length); start += recordsPerBatch) {
      const end = start + recordsPerBatch;
      const batch = { record, values: values.slice(start, end), missing: missing.slice(start, end), customer };
      await this.#alone(() => this.#applyBatch(batch));
    }
  }

  async #applyBatch(batch: MirrorBatch): Promise<void> {
    const { dryRun, request } = this.#sources.settings;
    const { record, values, missing } = batch;
    const options = this.#compareOptions();
    const before = this.#owned;
    const { owned, differences, heldBack } = dryRun
      ? { owned: before, ...(await this.#sources.mirror.compare(batch, options, request.signal)) }
      : await this.#sources.mirror.commit(before, batch, options, request.signal);
    this.#owned = { ...owned, state: this.state };
    const keys = [...values.map(({ id }) => String(id)), ...missing].map((id) => keyOf({ record, id }));
    const { held = {} } = this.state;
    const found = heldBack.map((each) => {
      const known = held[keyOf(each)];
      return { ...each, at: known?.status === each.status ? known.at : this.#startedAt };
    });
    this.#remember('held', keys, found);
    if (dryRun) for (const each of differences) this.differences.set(keyOf(each), each);
    this.#sources.onBatch(batch, differences);
  }

  // Remembers what a reading has found out about records, and forgets what earlier ones have of the others.
  #remember(
    name: 'held' | 'unstored',
    keys: readonly string[],
    found: readonly (Pick<HeldRecord, 'record' | 'id'> & { readonly at: number })[],
  ): void {
    const { [name]: known = {} } = this.state;
    if (found.length === 0 && keys.every((key) => !Object.hasOwn(known, key))) return;
    const next = new Map<string, unknown>(Object.entries(known));
    for (const key of keys) next.delete(key);
    for (const each of found) next.set(keyOf(each), each);
    const kept = [...next].slice(name === 'unstored' ? -maxUnstored : 0);
    this.save({ [name]: Object.fromEntries(kept) });
  }

  // The state of one transaction continues that of the one before.
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const { ready, release } = this.#applying.acquire(false);
    await ready;
    try {
      return await work();
    } finally {
      release();
    }
  }

  #compareOptions(): CompareOptions {
    const { consistencyWindow } = this.#sources.settings;
    // One list of a poll can be as stale as another: only an earlier poll confirms what was held back.
    const earlier = Object.entries(this.state.held ?? {}).filter(([, { at }]) => at < this.#startedAt);
    const held = new Map(earlier.map(([key, { status }]) => [key, String(status)]));
    const isVerifying = this.isVerifying;
    return { now: this.#sources.timing.now(), platformNow: this.#sources.now(), consistencyWindow, held, isVerifying };
  }

  /** Renews the lease, and stores how far the passes are. */
  renew(): Promise<void> {
    return this.#alone(() => this.#sources.mirror.renew(this.#owned, this.#sources.settings.request.signal));
  }

  /**
   * Stores how far the passes are and, if it is known, after which delay the next poll is due, and lets others work.
   */
  release(delay: number | undefined, signal: AbortSignal): Promise<void> {
    const now = this.#sources.timing.now();
    // What was not seen for longer than two full passes take is gone.
    const since = now - 2 * this.#sources.settings.intervals.older;
    const recent = <T>(found: Remembered<T> = {}): Remembered<T> =>
      Object.fromEntries(Object.entries(found).filter(([, { at }]) => at > since));
    const { held, unstored } = this.state;
    if (delay !== undefined) this.save({ nextPoll: now + delay, held: recent(held), unstored: recent(unstored) });
    return this.#alone(() => this.#sources.mirror.release(this.#owned, now, signal));
  }
}

/** The key of a record in the state. */
const keyOf = ({ record, id }: Pick<MirrorDifference, 'record' | 'id'>): string => `${record}:${id}`;
