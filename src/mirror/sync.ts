import { functionOf, integerFrom } from '../contract/option-schemas.js';
import { boolean } from '../contract/schema/schema.js';
import { AbortedError, ConfigurationError } from '../errors/api.js';
import { MirrorError } from '../errors/mirror.js';
import {
  heldRecords,
  problemsOf,
  TakenOverError,
  type Mirror,
  type MirrorDifference,
  type MirrorState,
} from './mirror.js';
import { emptyState, type HeldRecord, type MirrorProblem, type RecordName } from './tables.js';
import { Deadline } from '../transport/deadline.js';
import { ignoreErrors } from '../transport/events.js';
import { assertOptions, type RequestOptions } from '../transport/request-options.js';
import { isTransient, PollBackoff } from '../workflows/backoff.js';
import {
  defineOptions,
  delayOption,
  listConsistencyWindow,
  timeWindow,
  type WorkflowContext,
} from '../workflows/context.js';
import { SyncRun } from './sync-run.js';
import type { OnBatch } from './writer.js';

/** The options of `corridor.sync`. `timeout`, `totalTimeout` and `maxRetries` apply to each request. */
export interface SyncOptions extends RequestOptions {
  /** Fills the mirror or reads what is due, and returns, for a job that runs from time to time. @default false */
  readonly once?: boolean | undefined;
  /** Reads everything now, and not only what is due. @default false */
  readonly full?: boolean | undefined;
  /**
   * Compares and writes nothing. A difference is read a second time before it is reported. Requires `once`.
   * @default false
   */
  readonly dryRun?: boolean | undefined;
  /** The maximum number of concurrent requests. @default 4 */
  readonly concurrency?: number | undefined;
  /**
   * The delay between two polls, in milliseconds. It doubles while nothing changes and while polls fail.
   * @default 10_000
   */
  readonly pollInterval?: number | undefined;
  /** The longest delay between two polls, in milliseconds. @default 120_000 */
  readonly maxPollInterval?: number | undefined;
  /**
   * How long a list may show an earlier state of a record, or not yet a new one, in milliseconds.
   * @default the client's, or else 300_000
   */
  readonly consistencyWindow?: number | undefined;
  /**
   * The age up to which payments that have ended are read every `recentInterval`, in milliseconds.
   * @default 7_776_000_000 (90 days)
   */
  readonly recentWindow?: number | undefined;
  /** How often the payments of `recentWindow` are read, in milliseconds. @default 86_400_000 (a day) */
  readonly recentInterval?: number | undefined;
  /** How often all payments are read, in milliseconds. @default 604_800_000 (a week) */
  readonly fullInterval?: number | undefined;
  /**
   * How often all customers are read, and the beneficiaries of those that changed or whose payments did, in
   * milliseconds. @default 900_000 (15 minutes)
   */
  readonly customersInterval?: number | undefined;
  /** How often all beneficiaries are read, in milliseconds. @default 86_400_000 (a day) */
  readonly beneficiariesInterval?: number | undefined;
  /** Called after each batch of records. Errors that it throws are ignored. @default none */
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
}

/** The progress of a sync. */
export interface SyncProgress {
  /** Whether the first fill has ended. */
  readonly filled: boolean;
  /** The number of records read by this call, by kind; a record that is read twice counts twice. */
  readonly read: Readonly<Record<RecordName, number>>;
  /** The number of differences found by this call: each record of the first fill is one. */
  readonly changes: number;
}

/** A record that differed from the mirror. */
export interface SyncDifference {
  /** The kind of record. */
  readonly record: RecordName;
  /** The record's id. */
  readonly id: string;
  /**
   * The fields that differ, as in `MirrorChange`: empty if the mirror did not have the record, and `missing` if the
   * platform does not list it.
   */
  readonly fields: readonly string[];
}

/** What a sync has done. */
export interface SyncReport extends SyncProgress {
  /**
   * The records that differed: with `dryRun`, those that still do; otherwise those that were repaired, without the
   * first fill. Empty for a sync that follows: read `mirror.changes()`.
   */
  readonly differences: readonly SyncDifference[];
  /** The records that differ, and whose last reading may be stale: a later run writes what it confirms. */
  readonly heldBack: readonly HeldRecord[];
  /** What could not be read, as in `mirror.status()`: everything else was. */
  readonly problems: readonly MirrorProblem[];
}

/** @internal A mirror with the code that synchronizes it, which a program without a mirror does not load. */
export interface Synchronized {
  run(context: WorkflowContext, options: SyncOptions): Promise<SyncReport>;
}

const syncOptions = defineOptions<SyncOptions>('must be an object, such as { once: true }', () => ({
  once: boolean(),
  full: boolean(),
  dryRun: boolean(),
  concurrency: integerFrom(1, 100),
  pollInterval: delayOption(),
  maxPollInterval: delayOption(),
  consistencyWindow: timeWindow(),
  recentWindow: timeWindow(),
  recentInterval: delayOption(),
  fullInterval: delayOption(),
  customersInterval: delayOption(),
  beneficiariesInterval: delayOption(),
  onProgress: functionOf(),
}));

const endpoint = 'sync';
// How often a process looks whether the one that works has ended, in milliseconds.
const takeoverInterval = 1_000;
// How long a process that ends waits for the database at most, in milliseconds. It loses the mirror with its lease.
const releaseTimeout = 500;
const [minute, day] = [60_000, 24 * 60 * 60_000];

/** Fills a mirror and keeps it true. */
export async function sync(context: WorkflowContext, mirror: Mirror, options: SyncOptions): Promise<SyncReport> {
  return new Synchronizer(context, mirror, resolveOptions(context, options)).run();
}

type ResolvedOptions = ReturnType<typeof resolveOptions>;

function resolveOptions({ options: client }: WorkflowContext, options: SyncOptions) {
  assertOptions(syncOptions, options);
  const {
    once = false,
    full = false,
    dryRun = false,
    concurrency = 4,
    pollInterval = 10_000,
    maxPollInterval = 120_000,
    consistencyWindow = client.consistencyWindow ?? listConsistencyWindow,
    recentWindow = 90 * day,
    recentInterval = day,
    fullInterval = 7 * day,
    customersInterval = 15 * minute,
    beneficiariesInterval = day,
    onProgress = () => {},
    ...request
  } = options;
  if (dryRun && !once)
    throw new ConfigurationError('corridor.sync: dryRun requires once: true. Pass { once: true, dryRun: true }');
  const intervals = {
    new: maxPollInterval,
    open: maxPollInterval,
    recent: recentInterval,
    older: fullInterval,
    customers: customersInterval,
    beneficiaries: beneficiariesInterval,
  };
  const limits = { concurrency, consistencyWindow, recentWindow };
  return { ...limits, once, full, dryRun, pollInterval, maxPollInterval, intervals, onProgress, request };
}

/** One call of `sync`: its turns to work on the mirror, and what they have done. */
class Synchronizer {
  readonly #context: WorkflowContext;
  readonly #mirror: Mirror;
  readonly #options: ResolvedOptions;
  readonly #deadline: Deadline;
  readonly #backoff: PollBackoff;
  readonly #rows: Record<RecordName, number> = { payment: 0, customer: 0, beneficiary: 0 };
  readonly #differences: MirrorDifference[] = [];
  #changes = 0;
  // The last run.
  #run: SyncRun | undefined;
  #isOpen = false;
  #isFirstTurn = true;
  // Whether anything was read, so that a failure is not that of everything.
  #hasRead = false;

  constructor(context: WorkflowContext, mirror: Mirror, options: ResolvedOptions) {
    const { pollInterval, maxPollInterval, request } = options;
    const { signal, maxRetryAfter = context.options.maxRetryAfter } = request;
    this.#context = context;
    this.#mirror = mirror;
    this.#options = options;
    this.#deadline = new Deadline(context.timing, { endpoint, signal });
    this.#backoff = new PollBackoff(pollInterval, maxPollInterval, maxRetryAfter);
  }

  /** Works until the call is done, or the signal aborts one that follows. */
  async run(): Promise<SyncReport> {
    const { once, dryRun } = this.#options;
    for (let pause: number | undefined = 0; ;) {
      try {
        if (pause > 0) await this.#deadline.sleep(pause);
        pause = 0;
        await this.#open();
        if (dryRun) return await this.#context.tracer.trace('sync', () => this.#compare());
        const delay = await this.#takeTurn();
        if (delay === undefined) return this.#report(this.#differences);
        pause = delay;
      } catch (error) {
        if (error instanceof AbortedError && !once) return this.#report([]);
        if (error instanceof TakenOverError) continue;
        const isRetried = error instanceof MirrorError && error.retryable && !once;
        pause = isRetried ? this.#backoff.nextAfterFailure() : this.#backoff.nextAfterError(error);
      }
    }
  }

  async #open(): Promise<void> {
    const { dryRun, request } = this.#options;
    if (!this.#isOpen) await this.#mirror.open(this.#context.options.baseUrl, dryRun, request.signal);
    this.#isOpen = true;
  }

  /** Works on the mirror if it is the turn of this process. Returns the delay until the next turn, if there is one. */
  async #takeTurn(): Promise<number | undefined> {
    const { once, request } = this.#options;
    const wait = await this.#untilNextPoll();
    if (wait > 0) return wait;
    const state = await this.#mirror.acquire(once ? 'once' : 'follow', request.signal);
    if (state === undefined) return takeoverInterval;
    return this.#context.tracer.trace('sync', () => this.#work(state));
  }

  // A process that starts polls at once; later, when no other process has since.
  async #untilNextPoll(): Promise<number> {
    const { once, pollInterval, maxPollInterval, request } = this.#options;
    if (once || this.#isFirstTurn) return 0;
    const { state } = (await this.#mirror.state(request.signal)) ?? { state: emptyState };
    const now = this.#context.timing.now();
    const wait = (state.nextPoll ?? now) - now;
    // The clock may have been set back.
    return wait > Math.max(pollInterval, maxPollInterval) ? 0 : wait;
  }

  /** Reads what is due. Returns the delay until the next turn, if there is one. */
  async #work(state: MirrorState): Promise<number | undefined> {
    const run = this.#createRun(state);
    let delay: number | undefined;
    const stopRenewing = renewRegularly(this.#context, this.#mirror, run);
    try {
      const before = this.#changes;
      await this.#read(run);
      delay = this.#backoff.next(this.#changes > before);
      return this.#options.once ? run.retryDelay : delay;
    } finally {
      stopRenewing();
      const released = run.writer.release(delay, AbortSignal.timeout(releaseTimeout));
      // The state has what is due.
      await released.then(() => (this.#isFirstTurn = false)).catch(() => undefined);
    }
  }

  /** Compares the platform with the mirror, and writes nothing. */
  async #compare(): Promise<SyncReport> {
    const state = await this.#mirror.state(this.#options.request.signal);
    if (state?.state.filledAt === undefined)
      throw new ConfigurationError(
        'corridor.sync: dryRun compares the platform with a mirror that is ' +
          'filled, and this one is not. Run without dryRun first',
        { endpoint },
      );
    const run = this.#createRun(state);
    await this.#read(run);
    const confirmed = await run.reader.confirm();
    this.#changes = confirmed.length;
    return this.#report(confirmed);
  }

  async #read(run: SyncRun): Promise<void> {
    await run.verifyAccount();
    await run.read(this.#isFirstTurn);
    const { reads, lastFailure } = run;
    const isDown = !this.#hasRead || (!this.#options.once && isTransient(lastFailure));
    this.#hasRead ||= reads > 0;
    // If nothing can be read, it is no problem of a slice.
    if (reads === 0 && lastFailure !== undefined && isDown) throw lastFailure;
  }

  #createRun(state: MirrorState): SyncRun {
    const { once, onProgress } = this.#options;
    const onBatch: OnBatch = ({ record, values }, found) => {
      this.#rows[record] += values.length;
      this.#changes += found.length;
      if (once && created.isFilled) this.#differences.push(...found);
      const progress = { filled: created.isFilled, read: { ...this.#rows }, changes: this.#changes };
      ignoreErrors(() => onProgress(progress));
    };
    const created = new SyncRun(this.#context, this.#mirror, this.#options, state, onBatch);
    this.#run = created;
    return created;
  }

  #report(found: readonly MirrorDifference[]): SyncReport {
    const state = this.#run?.writer.state ?? emptyState;
    return {
      filled: state.filledAt !== undefined,
      read: this.#rows,
      changes: this.#changes,
      differences: found.map(({ record, id, fields }) => ({ record, id, fields })),
      heldBack: heldRecords(state),
      problems: problemsOf(state),
    };
  }
}

/** Renews the lease until the returned function is called. */
function renewRegularly({ timing }: WorkflowContext, { renewInterval }: Mirror, run: SyncRun): () => void {
  let cancel = (): void => {};
  let isWorking = true;
  const renewLater = (): void => {
    if (isWorking) cancel = timing.after(renewInterval, () => void run.writer.renew().then(renewLater, renewLater));
  };
  renewLater();
  return () => {
    isWorking = false;
    cancel();
  };
}
