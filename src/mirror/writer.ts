import {
  idOf,
  problemOf,
  type Committed,
  type CompareOptions,
  type HeldRecord,
  type Mirror,
  type MirrorBatch,
  type MirrorDifference,
  type MirrorState,
} from './mirror.js';
import {
  emptyState,
  type MirrorStatements,
  type MirrorPartName,
  type PartState,
  type RecordName,
  type SyncState,
} from './tables.js';
import { Semaphore } from '../transport/limits.js';
import type { WorkflowContext } from '../workflows/context.js';
import { pageSize } from '../contract/schema/page.js';

// How many records that cannot be stored the state names, and the characters of their ids that it has.
const [maxUnstored, shownId] = [100, 100];
// Two pages of a list.
const recordsPerBatch = 2 * pageSize.largest;

/** The options of a writer. */
export interface WriterOptions {
  /** In milliseconds. */
  readonly consistencyWindow: number;
  /** How long what was seen of a record is remembered, in milliseconds. */
  readonly memory: number;
  readonly dryRun: boolean;
  readonly signal: AbortSignal | undefined;
  /** Returns the platform's time. */
  readonly now: () => number;
  /** Called after each batch with its records, and the differences that it had. */
  readonly onBatch: (batch: MirrorBatch, differences: readonly MirrorDifference[]) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The mirror as the process of one epoch sees and writes it: its state, what it does not write yet, and what cannot be
 * stored.
 */
export class MirrorWriter {
  /** Whether what is stored is compared, too. */
  isVerifying = false;
  /** What responses have shown of the records that differ in a dry run. */
  readonly shown = new Map<string, Fields>();
  readonly #timing: WorkflowContext['timing'];
  readonly #mirror: Mirror;
  readonly #options: WriterOptions;
  readonly #startedAt: number;
  readonly #applying = new Semaphore(1);
  #owned: MirrorState;

  constructor({ timing }: Pick<WorkflowContext, 'timing'>, mirror: Mirror, options: WriterOptions, owned: MirrorState) {
    this.#timing = timing;
    this.#mirror = mirror;
    this.#options = options;
    this.#owned = owned;
    this.#startedAt = timing.now();
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
    return this.#mirror.query(statement, values, this.#options.signal);
  }

  /** Writes the differences of records as changes, and what the state has then. */
  async apply(
    record: RecordName,
    values: readonly unknown[],
    missing: readonly string[] = [],
    customer?: string,
    changes: Partial<SyncState> = {},
  ): Promise<void> {
    const { onBatch, dryRun } = this.#options;
    const storable = values.filter((value) => this.#isStorable(record, value)) as Fields[];
    // Small batches: each is one transaction, and renews the lease.
    for (let start = 0; start < Math.max(storable.length, missing.length); start += recordsPerBatch) {
      const end = start + recordsPerBatch;
      const batch = { record, values: storable.slice(start, end), missing: missing.slice(start, end), customer };
      await this.#alone(async () => {
        const added = end >= Math.max(storable.length, missing.length) ? changes : {};
        const before = { ...this.#owned, state: { ...this.state, ...added } };
        const { owned, differences, heldBack } = dryRun
          ? await this.#compareShown(batch)
          : await this.#mirror.commit(before, batch, this.#compareOptions(), this.#options.signal);
        this.#owned = { ...owned, state: { ...this.state, ...added } };
        this.#updateHeldBack(batch, heldBack);
        onBatch(batch, differences);
      });
    }
    if (storable.length === 0 && missing.length === 0) this.save(changes);
  }

  // A record that cannot be stored keeps no other one out.
  #isStorable(record: RecordName, value: unknown): boolean {
    const problem = problemOf(value);
    const { unstored = {} } = this.state;
    const name = idOf(value) ?? '';
    const id = problem === undefined ? name : name.slice(0, shownId).replaceAll('\0', '\uFFFD').toWellFormed();
    const key = keyOf({ record, id });
    if (problem === undefined && !Object.hasOwn(unstored, key)) return true;
    const { [key]: _previous, ...others } = unstored;
    const kept = Object.fromEntries(Object.entries(others).slice(1 - maxUnstored));
    const added = problem === undefined ? {} : { [key]: { record, id, problem, at: this.#startedAt } };
    this.save({ unstored: { ...kept, ...added } });
    return problem === undefined;
  }

  #recent<T extends { readonly at: number }>(found: Readonly<Record<string, T>>, now: number): Record<string, T> {
    const since = now - this.#options.memory;
    return Object.fromEntries(Object.entries(found).filter(([, { at }]) => at > since));
  }

  // Remembers the records that a batch holds back. The others of the batch are no longer held back.
  #updateHeldBack({ record, values, missing }: MirrorBatch, heldBack: readonly HeldRecord[]): void {
    const { held = {} } = this.state;
    const keys = [...values.map(({ id }) => String(id)), ...missing].map((id) => keyOf({ record, id }));
    if (heldBack.length === 0 && keys.every((key) => !Object.hasOwn(held, key))) return;
    const next = new Map(Object.entries(held));
    for (const key of keys) next.delete(key);
    for (const each of heldBack) {
      const before = held[keyOf(each)];
      const at = before?.status === each.status ? before.at : this.#startedAt;
      next.set(keyOf(each), { ...each, at });
    }
    this.save({ held: Object.fromEntries(next) });
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

  // Compares a batch, and keeps its records that differ.
  async #compareShown(batch: MirrorBatch): Promise<Committed> {
    const { differences, heldBack } = await this.#mirror.compare(batch, this.#compareOptions(), this.#options.signal);
    const ids = new Set(differences.map(({ id }) => id));
    for (const value of batch.values) {
      const id = String(value['id']);
      if (ids.has(id)) this.shown.set(keyOf({ record: batch.record, id }), value);
    }
    return { owned: this.#owned, differences, heldBack };
  }

  #compareOptions(): CompareOptions {
    const { consistencyWindow } = this.#options;
    // One list of a poll can be as stale as another: only an earlier poll confirms what was held back.
    const earlier = Object.entries(this.state.held ?? {}).filter(([, { at }]) => at < this.#startedAt);
    const held = new Map(earlier.map(([key, { status }]) => [key, String(status)]));
    const isVerifying = this.isVerifying;
    return { now: this.#timing.now(), platformNow: this.#options.now(), consistencyWindow, held, isVerifying };
  }

  /** Renews the lease, and stores how far the passes are. */
  renew(): Promise<void> {
    return this.#alone(() => this.#mirror.renew(this.#owned, this.#options.signal));
  }

  /**
   * Stores how far the passes are and, if it is known, after which delay the next poll is due, and lets others work.
   */
  release(delay: number | undefined, signal: AbortSignal): Promise<void> {
    const now = this.#timing.now();
    const { held = {}, unstored = {} } = this.state;
    if (delay !== undefined)
      this.save({ nextPoll: now + delay, held: this.#recent(held, now), unstored: this.#recent(unstored, now) });
    return this.#alone(() => this.#mirror.release(this.#owned, now, signal));
  }

  /** Compares a batch without writing. */
  async compare(batch: MirrorBatch): Promise<readonly MirrorDifference[]> {
    return (await this.#mirror.compare(batch, this.#compareOptions(), this.#options.signal)).differences;
  }
}

/** The key of a record in the state. */
export const keyOf = ({ record, id }: Pick<MirrorDifference, 'record' | 'id'>): string => `${record}:${id}`;
