import { ApiError, CorridorError } from '../errors/api.js';
import type { Mirror, MirrorState } from './mirror.js';
import { mode, PartReader, parts, type Part, type ReaderRun } from './parts.js';
import type { MirrorPartName, SliceProblem } from './tables.js';
import { MirrorWriter, type OnBatch, type SyncSettings } from './writer.js';
import type { Sender } from '../transport/call.js';
import type { ClockReading } from '../transport/clock.js';
import { hasSeen, RunAccount } from '../workflows/account.js';
import { isTransient, maxRetryAfter } from '../workflows/backoff.js';
import type { WorkflowContext } from '../workflows/context.js';

const endpoint = 'corridor.sync';
const otherOrganization =
  'corridor.sync: the mirror belongs to another organization: the API key is not the one that it was filled with, ' +
  'and the platform lists none of its customers and payments for it. Pass the key of the organization of the mirror, ' +
  'or use one mirror per platform and organization';
// The customers, and the payments, that are requested at most to verify another API key.
const recordsToVerify = 3;
// A slice is tried this often before a run that does not follow ends without it, and a part in which this many slices
// have problems waits for them.
const [maxAttempts, maxProblems] = [5, 20];
const maxMessage = 300;

/** The reading of a part ends: nothing can be read. */
class UnreadableError extends Error {}

/**
 * Reads the parts that are due, one slice after the other, the most overdue first. A slice that cannot be read is tried
 * again later, and the others do not wait for it.
 */
export class SyncRun implements ReaderRun {
  /** The number of slices that were read, and the last failure of one. */
  reads = 0;
  lastFailure: unknown;
  readonly writer: MirrorWriter;
  readonly reader: PartReader;
  readonly #context: WorkflowContext;
  readonly #account: RunAccount;
  readonly #settings: SyncSettings;
  // What the clocks have shown since the last response, before this machine's was set.
  #clocks: ClockReading;
  // The parts of which this run has ended a round.
  readonly #ended = new Set<MirrorPartName>();

  constructor(context: WorkflowContext, mirror: Mirror, settings: SyncSettings, state: MirrorState, onBatch: OnBatch) {
    this.#context = context;
    this.#settings = settings;
    this.#clocks = context.clock.read();
    this.writer = new MirrorWriter({ timing: context.timing, mirror, settings, now: () => this.now(), onBatch }, state);
    this.#account = new RunAccount(context, {
      endpoint,
      // A mirror without one has no record of which the account is unknown.
      account: state.state.account,
      hasRecord: (sender) => this.#hasRecord(sender),
      problem: otherOrganization,
    });
    this.reader = new PartReader(this.#account.context, this.writer, settings, this);
  }

  /** The slices that could not be read. */
  get problems(): readonly SliceProblem[] {
    return Object.values(this.writer.state.problems ?? {});
  }

  get isFilled(): boolean {
    return this.writer.state.filledAt !== undefined;
  }

  /** After which delay a run that does not follow tries again what can pass; undefined if there is nothing. */
  get retryDelay(): number | undefined {
    const dues = this.problems.filter((problem) => !isStuck(problem)).map((problem) => dueOf(problem) - this.now());
    return dues.length === 0 ? undefined : Math.max(1, Math.min(...dues));
  }

  /** Verifies that the account is the one that the mirror belongs to. Each request of the run does the same. */
  async verifyAccount(): Promise<void> {
    await this.#account.verify(this.#settings.request);
    this.writer.save({ account: this.#account.fingerprint });
  }

  // Another key of the account shows a record that is stored.
  async #hasRecord(sender: Sender): Promise<boolean> {
    const { request, dryRun } = this.#settings;
    const stored = [
      ...(await this.writer.query('someCustomers', recordsToVerify)).map(({ id }) => ['', '', String(id)] as const),
      ...(await this.writer.query('somePayments', recordsToVerify)).map(
        ({ id, created_time: at }) => [String(id), at === null ? '' : new Date(Number(at)).toISOString(), ''] as const,
      ),
    ];
    for (const each of stored) if (await hasSeen(sender, each, request, mode)) return true;
    // What was read of another account, which had no record, says nothing of this one.
    if (stored.length === 0 && !dryRun) this.writer.reset();
    // But what this run has read is not stored yet.
    return stored.length === 0 && this.#account.fingerprint === undefined;
  }

  /** Reads what is due. Writes the differences as changes. `isFirst` says that the process has just started. */
  async read(isFirst: boolean): Promise<void> {
    const { once, full } = this.#settings;
    // A process that starts reads the customers, too, and tries again what could not be read.
    for (const { name, isPolled } of parts)
      if (isFirst ? isPolled || full || name === 'customers' : isPolled && !once)
        this.writer.savePart(name, { due: 0, ...(full && isFirst && !isPolled ? { cursor: undefined } : {}) });
    const retryAt = new Date(this.now()).toISOString();
    if (isFirst) for (const problem of this.problems) this.#saveProblem({ ...problem, retryAt });
    for (let part: Part | undefined; (part = this.#mostOverdue()) !== undefined;) {
      try {
        await this.#readSlice(part);
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        const { name } = part;
        const dues = this.#problemsOf(name).map(dueOf);
        this.writer.savePart(name, { due: Math.max(this.writer.partOf(name).due, Math.min(...dues)) });
      }
      this.#endFill();
    }
  }

  async attempt(part: MirrorPartName, slice: string | null, read: () => Promise<unknown>): Promise<boolean> {
    const key = keyOf({ part, slice });
    const before = this.writer.state.problems?.[key];
    if (before !== undefined && !this.#isDue(dueOf(before), part)) return false;
    try {
      await read();
    } catch (error) {
      if (!isOfSlice(error)) throw error;
      this.lastFailure = error;
      const attempts = (before?.attempts ?? 0) + 1;
      const now = this.now();
      const delay = Math.min(this.#settings.pollInterval * 2 ** (attempts - 1), this.#longestDelay(part));
      const { retryAfterMs: requested = 0 } = error instanceof ApiError ? error : {};
      this.#saveProblem({
        part,
        slice,
        since: before?.since ?? new Date(now).toISOString(),
        attempts,
        message: error.message.slice(0, maxMessage),
        retryAt: new Date(now + Math.max(delay, Math.min(requested, maxRetryAfter))).toISOString(),
        isTransient: isTransient(error),
      });
      // Otherwise each slice would be tried while the platform is down.
      if (this.reads === 0) throw new UnreadableError();
      return false;
    }
    this.reads += 1;
    if (before !== undefined) {
      const { [key]: _solved, ...others } = this.writer.state.problems ?? {};
      this.writer.save({ problems: others });
    }
    return true;
  }

  #saveProblem(problem: SliceProblem): void {
    this.writer.save({ problems: { ...this.writer.state.problems, [keyOf(problem)]: problem } });
  }

  // The platform's time, so that a clock of this machine that is wrong, or set meanwhile, is not in the state.
  now(): number {
    const clocks = this.#context.clock.read();
    if (clocks.isKnown) this.#clocks = clocks;
    return this.#clocks.now + (clocks.elapsed - this.#clocks.elapsed);
  }

  startTime(): () => number {
    const { timing } = this.#context;
    const noted = this.now();
    if (this.#clocks.isKnown) return () => noted;
    // Responses correct the clock. The elapsed time stands still while a machine is suspended, and the clock can be set.
    const [machine, elapsed] = [timing.now(), timing.elapsed()];
    return () => this.now() - Math.max(timing.now() - machine, timing.elapsed() - elapsed);
  }

  async #readSlice({ name, isPolled, read, retry }: Part): Promise<void> {
    const { intervals } = this.#settings;
    const { round, due } = this.writer.partOf(name);
    this.writer.isVerifying = !isPolled;
    const slice = this.#problemsOf(name).find((each) => this.#isDue(dueOf(each), name))?.slice ?? null;
    if (retry !== undefined && slice !== null) await retry(this.reader, slice);
    else {
      const { ended, due: next } = await read(this.reader);
      if (ended !== undefined && !ended.isRepeated) this.#ended.add(name);
      this.writer.savePart(name, {
        due: next ?? (ended === undefined ? due : this.now() + intervals[name]),
        ...(ended === undefined ? {} : { round: round + 1, pending: ended.asOf }),
      });
    }
    const { pending } = this.writer.partOf(name);
    if (pending === undefined || this.#problemsOf(name).length > 0) return;
    this.writer.savePart(name, { pending: undefined, asOf: pending, behindAt: pending + 2 * intervals[name] });
    if (name === 'older') this.writer.save({ lastFullPass: this.now() });
  }

  // The part whose next slice is the most overdue; undefined if none is due.
  #mostOverdue(): Part | undefined {
    const nextOf = ({ name }: Part): number => {
      const problems = this.#problemsOf(name);
      // The part goes on when it can be read again.
      const isWaiting = problems.length >= maxProblems || problems.some(({ slice }) => slice === null);
      return Math.min(...problems.map(dueOf), ...(isWaiting ? [] : [this.writer.partOf(name).due]));
    };
    const due = parts.filter((part) => this.#isDue(nextOf(part), part.name));
    // What has ended is read again only while other parts take longer than its interval.
    if (due.every(({ name }) => this.#ended.has(name))) return undefined;
    return due.toSorted((one, other) => nextOf(one) - nextOf(other))[0];
  }

  // A clock that was set back must not stop a part.
  #isDue(due: number, name: MirrorPartName): boolean {
    const now = this.now();
    return due <= now || due > now + this.#longestDelay(name) + maxRetryAfter;
  }

  #longestDelay(part: MirrorPartName): number {
    const { intervals, pollInterval } = this.#settings;
    return Math.max(pollInterval, intervals[part]);
  }

  // The first fill ends when every part was read, other than what cannot be.
  #endFill(): void {
    if (this.isFilled) return;
    const isRead = ({ name }: Part): boolean =>
      this.writer.partOf(name).round > 0 ||
      (name !== 'recent' && name !== 'older' && this.#problemsOf(name).some(isStuck));
    if (!parts.every(isRead)) return;
    const { sequence, position } = this.writer.last;
    this.writer.save({ filledAt: this.now(), filledSequence: sequence, beneficiariesRead: position });
  }

  #problemsOf(name: MirrorPartName): readonly SliceProblem[] {
    return this.problems.filter(({ part }) => part === name);
  }
}

const keyOf = ({ part, slice }: Pick<SliceProblem, 'part' | 'slice'>): string => `${part}:${slice ?? ''}`;

const dueOf = ({ retryAt }: SliceProblem): number => Date.parse(retryAt);

const isStuck = ({ isTransient: canPass, attempts }: SliceProblem): boolean => !canPass || attempts >= maxAttempts;

// Whether a failure is that of a slice. Others concern all slices: the key, the database, a mistake of the caller.
const isOfSlice = (error: unknown): error is CorridorError =>
  error instanceof CorridorError && !commonCodes.has(error.code);

const commonCodes: ReadonlySet<string> = new Set(['authentication', 'signing', 'configuration', 'aborted', 'mirror']);
