import {
  AbortedError,
  ConfigurationError,
  CorridorError,
  type ChangesCheckpoint,
  type ChangesOptions,
  type PaymentChange,
} from 'corridor-sdk';
import { isFinal, unknownStatuses, type PlatformPayment } from './platform.ts';
import { changingKey, killed, Process, type Surroundings } from './process.ts';
import { promisesOf } from './promises.ts';
import { isExplained } from './settings.ts';
import { describe } from './trace.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
// An idle feed must end at once; a request in flight or a store may take a moment.
const maxEndTime = second;
const maxErrors = 40;
// A list without an end is one after this many requests; a poll reads some lists before.
const maxEndlessRequests = 1_000;

interface Run {
  readonly process: Process;
  readonly returnWindow: number;
  readonly began: number;
}

/** A partner that follows payments, and stores each change together with its checkpoint. */
export class Follower {
  readonly #surroundings: Surroundings;
  readonly #name: string;
  readonly #fail: ReturnType<typeof promisesOf<'changes'>>;
  readonly #usesOnce: boolean;
  /** From when on every new payment must be reported; undefined for the start of the first run. */
  readonly #since: number | undefined;
  readonly #runs: Run[] = [];
  readonly #reports: Pick<PaymentChange, 'payment' | 'previousStatus'>[] = [];
  #stored: string | undefined;
  /** Copies of what was stored: a checkpoint, and the number of reports. */
  readonly #copies: {
    readonly checkpoint: string;
    readonly reports: number;
    readonly followed: ReadonlySet<string>;
    readonly startedBy: number;
  }[] = [];
  /** When the first checkpoint was stored: the feed starts in the run that stored it. */
  #storedFirst = Number.POSITIVE_INFINITY;
  /** When a checkpoint was stored first that says that the payments which existed were read: they must be followed. */
  #startedBy = Number.POSITIVE_INFINITY;
  /** The payments that a process had seen in an open status when it stored a checkpoint. */
  #followed = new Set<string>();
  /** Whether a checkpoint was stored that is not behind. */
  #wasUpToDate = false;
  #errors = 0;
  #hasGivenUp = false;

  constructor(surroundings: Surroundings, name = 'follow') {
    const { random, platform, trace } = surroundings;
    this.#surroundings = surroundings;
    this.#name = name;
    this.#fail = promisesOf('changes', trace);
    this.#usesOnce = random.hits(0.3);
    // A time of the database.
    this.#since = random.hits(0.6) ? platform.databaseTime - random.below(2 * hour) : undefined;
  }

  /** Follows until a time, with processes that are stopped or killed and continue from the last checkpoint. */
  async run(until: number): Promise<void> {
    const { time, random } = this.#surroundings;
    while (time.now() < until && !this.#hasGivenUp) {
      this.#restore();
      await this.#intrude();
      await this.#follow(until, random.hits(0.3) ? time.now() + random.below(4 * minute) : until);
      await time.wait(this.#usesOnce ? random.below(2 * minute) : random.below(30 * second));
    }
  }

  /** Puts an older copy of what was stored back, sometimes. */
  #restore(): void {
    const { random, settings, trace } = this.#surroundings;
    if (settings.restores === 0 || this.#stored === undefined) return;
    const [followed, startedBy] = [new Set(this.#followed), this.#startedBy];
    this.#copies.push({ checkpoint: this.#stored, reports: this.#reports.length, followed, startedBy });
    if (!random.hits(settings.restores)) return;
    const { checkpoint, reports, ...known } = random.pick(this.#copies);
    this.#stored = checkpoint;
    this.#reports.length = reports;
    // The copy may be of a start that was not complete.
    this.#followed = new Set(known.followed);
    this.#startedBy = known.startedBy;
    // The newer ones are lost.
    this.#copies.length = this.#copies.findLastIndex((copy) => copy.reports <= reports) + 1;
    trace.add('partner', `restores ${reports} reports and ${checkpoint}`);
  }

  /** Another organization passes the checkpoint, sometimes. */
  async #intrude(): Promise<void> {
    const { random, settings, trace, time } = this.#surroundings;
    // A checkpoint that has seen no payment holds for every organization.
    if (!settings.intruders || this.#stored?.includes('"seen":[') !== true || !random.hits(0.4)) return;
    const intruder = changingKey(this.#surroundings);
    const process = new Process(`${this.#name} intruder ${this.#runs.length}`, this.#surroundings, intruder.key);
    const stop = new AbortController();
    const cancel = time.after(5 * minute, () => stop.abort());
    const since = JSON.parse(this.#stored) as ChangesCheckpoint;
    const result = await process
      .run(async () => {
        const ids: string[] = [];
        for await (const { payment } of process.client.payments.changes({ since, once: true, signal: stop.signal }))
          ids.push(payment.id);
        return ids;
      })
      .catch((thrown: unknown) => thrown);
    cancel();
    process.end();
    trace.add(process.name, describe(result));
    const isPrevented =
      result === killed || (result instanceof ConfigurationError && result.message.includes('another organization'));
    if (
      intruder.hasChanged &&
      !isPrevented &&
      !(result instanceof AbortedError) &&
      !isExplained(result, settings, false)
    )
      this.#fail('organization', describe(result));
  }

  /** Follows without disturbance, and compares the reports with what happened. */
  async finish(): Promise<void> {
    const { time, platform } = this.#surroundings;
    this.#wasUpToDate = false;
    // Reading many small pages takes minutes.
    for (let rounds = 0; rounds < 10 && !this.#wasUpToDate && !this.#hasGivenUp; rounds += 1) {
      const end = time.now() + 3 * (rounds + 1) * minute;
      while (time.now() < end && !this.#hasGivenUp) {
        await this.#follow(end, end);
        await time.wait(30 * second);
      }
    }
    if (this.#hasGivenUp) return;
    if (!this.#wasUpToDate) this.#fail('behind', 'it is true although nothing has changed for minutes');
    for (const payment of platform.payments) this.#compare(payment);
    this.#failIfMissing('complete', time.now(), () => true);
    this.#checkStart();
  }

  /** Runs one process until it is stopped, killed, or fails. */
  async #follow(until: number, stopAt: number): Promise<void> {
    const { time, trace, random, settings, platform, network } = this.#surroundings;
    const process = new Process(`${this.#name} ${this.#runs.length + 1}`, this.#surroundings);
    const controller = new AbortController();
    const returnWindow = random.pick([20 * minute, 3 * hour, 48 * hour]);
    const options: ChangesOptions = {
      since: this.#start(),
      pollInterval: 10 * second,
      maxPollInterval: 30 * second,
      returnWindow,
      once: this.#usesOnce,
      signal: controller.signal,
      onCheckpoint: (checkpoint) => this.#store(process, checkpoint),
    };
    const began = time.now();
    this.#runs.push({ process, returnWindow, began });
    if (this.#stored === undefined) this.#reports.length = 0;
    trace.add(
      process.name,
      `changes since ${this.#stored ?? String(options.since)}, returnWindow ${returnWindow / minute} min`,
    );
    const stopped = time.wait(Math.min(until, stopAt) - time.now()).then(() => 'stop' as const);
    try {
      const iterator = process.client.payments.changes(options)[Symbol.asyncIterator]();
      for (;;) {
        const step = await process.run(() => Promise.race([iterator.next(), stopped]));
        if (step === killed) return;
        if (step === 'stop') return await this.#stop(process, controller, iterator);
        if (step.done === true) break;
        const { payment, previousStatus, checkpoint } = step.value;
        trace.add(process.name, `reports ${payment.id} ${previousStatus ?? 'new'} -> ${payment.status}`);
        this.#reports.push({ payment, previousStatus });
        this.#store(process, checkpoint);
      }
      trace.add(process.name, `is done: ${this.#stored}`);
      if (this.#usesOnce) this.#checkOnce(began);
      else this.#fail('ends', 'it ended by itself');
    } catch (thrown) {
      trace.add(process.name, `changes throws ${describe(thrown)}`);
      if (!isExplained(thrown, settings, platform.isCalm)) this.#fail('errors', describe(thrown));
      if (thrown instanceof CorridorError && thrown.code === 'pagination') this.#checkEndless(process, network.endless);
      this.#errors += 1;
      if (this.#errors > maxErrors || platform.isCalm) this.#hasGivenUp = true;
    }
  }

  #start(): ChangesCheckpoint | string | undefined {
    if (this.#stored !== undefined) return JSON.parse(this.#stored) as ChangesCheckpoint;
    return this.#since === undefined ? undefined : new Date(this.#since).toISOString();
  }

  #store(process: Process, checkpoint: ChangesCheckpoint): void {
    if (!process.isAlive) return;
    const { time, network } = this.#surroundings;
    const now = time.now();
    for (const id of network.shown.get(process.name) ?? []) this.#followed.add(id);
    this.#storedFirst = Math.min(this.#storedFirst, now);
    this.#wasUpToDate ||= !checkpoint.behind;
    if ('start' in checkpoint && checkpoint.start === 'done') this.#startedBy = Math.min(this.#startedBy, now);
    this.#stored = JSON.stringify(checkpoint);
  }

  #checkEndless({ name }: Process, counts: ReadonlyMap<string, number>): void {
    const count = counts.get(name) ?? 0;
    if (count > maxEndlessRequests) this.#fail('endless', `${count} requests`);
  }

  async #stop(process: Process, controller: AbortController, iterator: AsyncIterator<PaymentChange>): Promise<void> {
    const { time, trace, random } = this.#surroundings;
    const began = time.now();
    const way = random.hits(0.5) ? 'return()' : 'an abort';
    trace.add(process.name, `is stopped by ${way}`);
    const ended = (async () => {
      if (way === 'an abort') controller.abort();
      try {
        await (way === 'an abort' ? iterator.next() : iterator.return?.());
      } catch (thrown) {
        if (!(thrown instanceof AbortedError)) this.#fail('ends', `it threw ${describe(thrown)} after ${way}`);
      }
      return 'ended' as const;
    })();
    const late = time.wait(10 * minute).then(() => 'late' as const);
    const result = await process.run(() => Promise.race([ended, late]));
    if (result === 'late' || (result === 'ended' && time.now() - began > maxEndTime))
      this.#fail('ends', `it did not end ${result === 'late' ? 'within minutes' : 'at once'} after ${way}`);
    process.end();
  }

  /** A run with `once` that is not behind has reported everything that had happened when it began. */
  #checkOnce(began: number): void {
    const { settings } = this.#surroundings;
    // Pages of states of different ages can contradict each other; a later run reports what they lacked.
    if (settings.staleness > 0) return;
    if ((JSON.parse(this.#stored ?? '{}') as Partial<ChangesCheckpoint>).behind !== false) return;
    this.#failIfMissing('job', began - settings.lag, isFinal);
  }

  /** Compares the reports of a payment with each other and with what happened. */
  #compare({ id, history }: PlatformPayment): void {
    const reports = this.#reports.filter(({ payment }) => payment.id === id);
    const statuses = reports.map(({ payment }) => payment.status);
    const path = `${id} ${reports[0]?.previousStatus ?? 'new'} -> ${statuses.join(' -> ')}`;
    const broken = reports.some(({ previousStatus }, index) => index > 0 && previousStatus !== statuses[index - 1]);
    if (broken) this.#fail('once', path);
    let at = 0;
    for (const { status } of history) if (status === statuses[at]) at += 1;
    if (at < statuses.length)
      this.#fail('order', `${path}, but it was ${history.map(({ status }) => status).join(' -> ')}`);
  }

  /** Fails if the last status of a payment up to a time must have been reported, but was not. */
  #failIfMissing(promise: 'complete' | 'job', until: number, concerns: (status: string) => boolean): void {
    const { platform } = this.#surroundings;
    const missing = platform.payments.flatMap((payment) => {
      const index = payment.history.findLastIndex(({ at }) => at <= until);
      const last = payment.history[index];
      const reported = this.#reports
        .filter((report) => report.payment.id === payment.id)
        .map((report): string => report.payment.status);
      if (last === undefined || !concerns(last.status)) return [];
      if (payment.history.slice(index).some(({ status }) => reported.includes(status))) return [];
      return this.#mustReport(payment, last) ? [`${payment.id} ${[...reported, last.status].join(' -> ')}`] : [];
    });
    if (missing.length > 0) this.#fail(promise, `${missing.slice(0, 4).join(', ')} (${missing.length} payments)`);
  }

  /** Payments that were listed before the start are not new. */
  #checkStart(): void {
    const { platform, settings } = this.#surroundings;
    const start = this.#runs.findLast(({ began }) => began <= this.#storedFirst);
    if (start === undefined || settings.unreadableTimes > 0 || settings.oddRows > 0) return;
    for (const { payment, previousStatus } of this.#reports) {
      const found = platform.payments.find(({ id }) => id === payment.id);
      if (found === undefined || previousStatus !== undefined) continue;
      if (this.#since === undefined) {
        // `Date` is the beginning of its second, and the response takes time.
        const delay = settings.date === 'present' ? second + settings.latency + start.process.longestPause : 0;
        const isOld = found.listed + settings.staleness < start.began - this.#startError(start) - second - delay;
        if (isOld) this.#fail('start', `${payment.id} was listed before, and is new`);
      } else if (found.createdAt < Math.floor(this.#since / second) * second)
        this.#fail('since', `${payment.id} was created before, and is new`);
    }
  }

  #mustReport(
    { id, created, createdAt, listed, history, isTimed }: PlatformPayment,
    { status, at }: PlatformPayment['history'][number],
  ): boolean {
    const { settings, time } = this.#surroundings;
    if (status === 'RETURNED') {
      // The list of returns is filtered by creation.
      if (!isTimed) return false;
      // Only returns within the window of every run that could see them are reported.
      const windows = this.#runs.filter((_, index) => (this.#runs[index + 1]?.began ?? time.now()) >= at);
      if (windows.some(({ returnWindow }) => at - created > returnWindow - 15 * minute)) return false;
    }
    const start = this.#runs.findLast(({ began }) => began <= this.#storedFirst);
    if (start === undefined) return false;
    // No list that is read for new payments shows it.
    if (!isTimed && (!this.#followed.has(id) || settings.restores > 0)) return false;
    // The start may have read it.
    const isNew = isTimed || created > this.#startedBy;
    if (this.#since === undefined ? isNew && this.#isCreatedAfter(start, created) : isTimed && createdAt >= this.#since)
      return true;
    // An older payment: it must have been listed, in an open status that is known, when the feed started.
    const during = history.filter((entry) => entry.at <= this.#startedBy);
    const last = during.findLastIndex((entry) => entry.at <= start.began - settings.staleness);
    const isKnown = last >= 0 && during.slice(last).every((entry) => !unknownStatuses.has(entry.status));
    // A payment that has the status again that it had at the start has not changed, as far as the lists show.
    if (during.some((entry) => entry.status === status)) return false;
    const isListed = !isTimed || (listed <= start.began - settings.staleness && isKnown);
    return isListed && at > start.began && (at > this.#startedBy || this.#followed.has(id));
  }

  /** Without `since`, the feed starts when its first successful run began, by the clock that the process knows. */
  #isCreatedAfter(start: Run, created: number): boolean {
    return created > start.began + this.#startError(start) + second;
  }

  /** How far the clock that a process knows at the start can be from that of the database. */
  #startError({ process }: Run): number {
    const { date, dateSkew, wrongDates, databaseSkew, clockJumps, lateClockSteps } = this.#surroundings.settings;
    if (date === 'present') return Math.abs(dateSkew) + (wrongDates > 0 ? 6 * hour : 0);
    const steps = Number(clockJumps) * 2 * hour + Number(lateClockSteps) * 10 * hour;
    return Math.abs(process.skew - databaseSkew) + steps;
  }
}
