import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  AbortedError,
  ConfigurationError,
  CorridorError,
  MirrorError,
  PaginationError,
  type SyncOptions,
} from 'corridor-sdk';
import { sqliteMirrorTables } from 'corridor-sdk/mirror/sqlite';
import { deterministic } from './determinism.ts';
import { killed } from './process.ts';
import { RandomSource } from '../support/random-source.ts';
import type { Result } from './simulate.ts';
import { maxEndlessRequests, SyncPlatform } from './sync-platform.ts';
import { syncIntervals, SyncProcess, type SyncSurroundings } from './sync-process.ts';
import { SyncPromises } from './sync-promises.ts';
import { drawSyncSettings, type SyncSettings } from './sync-settings.ts';
import { describe, Trace } from './trace.ts';
import { VirtualTime } from '../support/virtual-time.ts';

const [second, minute] = [1_000, 60_000];
const lifetime = 12 * minute;
// Longer than everything together; a sync that takes longer hangs.
const limit = 3 * 24 * 60 * minute;

/**
 * Lets processes keep a mirror of a platform that changes, with the faults and clocks of a seed, and compares it and a
 * ledger of its changes with what has happened. The same seed always has the same result.
 */
export async function simulateSync(seed: number, replaced: Partial<SyncSettings> = {}): Promise<Result> {
  const settings: SyncSettings = { ...drawSyncSettings(seed), ...replaced };
  const time = new VirtualTime();
  const trace = new Trace(time);
  const source = (number: number): RandomSource => new RandomSource(seed * 31 + number);
  // In memory, if the system has such a folder: each transaction is flushed.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'corridor-simulation-'));
  const platform = new SyncPlatform(time, settings, source(1), trace);
  const surroundings = { time, trace, settings, platform, random: source(2), path: join(folder, 'mirror.sqlite') };
  const onUnhandled = (thrown: unknown): void => trace.fail(`a rejection was not handled: ${describe(thrown)}`);
  process.on('unhandledRejection', onUnhandled);
  try {
    await deterministic(time, source(3), async () => {
      const late = time.wait(limit).then(() => trace.fail('a sync did not end within days'));
      await Promise.race([new SyncRun(surroundings).run(time.now() + lifetime), late]);
    });
  } catch (thrown) {
    trace.fail(`the simulation failed: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
  } finally {
    // An unhandled rejection is reported after the turn in which it occurs.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', onUnhandled);
    rmSync(folder, { recursive: true });
  }
  const [failures, lines] = [trace.failures, trace.lines].map((texts) =>
    texts.map((text) => text.replaceAll(folder, '')),
  );
  const requests = trace.lines.filter((line) => line.includes(' GET ')).length;
  return { seed, settings, failures: failures ?? [], trace: lines ?? [], requests };
}

class SyncRun {
  readonly #surroundings: SyncSurroundings;
  readonly #promises: SyncPromises;
  readonly #processes = new Set<SyncProcess>();
  #count = 0;
  /** How often the database was replaced. */
  #replacements = 0;
  /** Until when the database is locked. */
  #lockedUntil = 0;

  constructor(surroundings: SyncSurroundings) {
    this.#surroundings = surroundings;
    this.#promises = new SyncPromises(surroundings);
  }

  async run(until: number): Promise<void> {
    const { time, settings, platform, random } = this.#surroundings;
    await this.#dryRunBeforeFill();
    const { processes, locks, restores, drops, edits, intruders, rotations, endlessLists } = settings;
    const actors = [
      platform.live(until),
      ...Array.from({ length: processes }, () => this.#work(until)),
      this.#repeat(until, minute, () => this.#promises.readChanges(1 + random.below(60), random.hits(0.3))),
      this.#repeat(until, 2 * minute, () => this.#promises.check()),
      ...(locks ? [this.#repeat(until, 2 * minute, () => this.#lock())] : []),
      ...(restores === undefined ? [] : [this.#restoreAtTimes(until)]),
      ...(drops ? [time.wait(random.below(lifetime)).then(() => this.#drop())] : []),
      ...(edits ? [this.#repeat(until, 2 * minute, () => this.#edit())] : []),
      ...(intruders ? [this.#repeat(until, 3 * minute, () => this.#intrude())] : []),
      ...(rotations ? [this.#repeat(until, 5 * minute, async () => platform.rotateKey())] : []),
      ...(endlessLists === undefined ? [] : [this.#withoutEnd()]),
    ];
    await Promise.all(actors);
    await this.#finish();
  }

  /** Does something again and again. */
  async #repeat(until: number, interval: number, work: () => Promise<void>): Promise<void> {
    const { time, random } = this.#surroundings;
    for (;;) {
      await time.wait(random.below(2 * interval));
      if (time.now() >= until) return;
      await work();
    }
  }

  async #dryRunBeforeFill(): Promise<void> {
    const { random } = this.#surroundings;
    if (random.hits(0.8)) return;
    const process = this.#start('dry run');
    const run = (): Promise<unknown> => process.sync({ once: true, dryRun: true }).catch((thrown: unknown) => thrown);
    const result = await this.#promises.unchanged(run);
    if (result !== killed && !(result instanceof ConfigurationError))
      this.#promises.fail('dryRun', `of a mirror that does not exist: ${describe(result)}`);
    process.end();
  }

  /** Synchronizes until a time, with processes that are stopped or killed. */
  async #work(until: number): Promise<void> {
    const { time, random, settings } = this.#surroundings;
    while (time.now() < until) {
      const isOnce = settings.runs === 'both' ? random.hits(0.5) : settings.runs === 'once';
      const end = isOnce || random.hits(0.5) ? time.now() + random.below(6 * minute) : until;
      await this.#sync(this.#start(), { once: isOnce, full: random.hits(0.1) }, end);
      await time.wait(random.below(isOnce ? 2 * minute : 20 * second));
    }
  }

  #start(kind = 'sync', key?: () => string): SyncProcess {
    this.#count += 1;
    const process = new SyncProcess(`${kind} ${this.#count}`, this.#surroundings, key);
    this.#processes.add(process);
    return process;
  }

  /** Runs a process until it ends, and stops it at a time. */
  async #sync(process: SyncProcess, options: SyncOptions, end: number): Promise<void> {
    const { time, trace, settings, platform } = this.#surroundings;
    const controller = new AbortController();
    let abortedAt: number | undefined;
    const cancel = time.after(end - time.now(), () => {
      abortedAt = time.now();
      controller.abort();
    });
    const [replacements, endless] = [this.#replacements, platform.endlessRequests];
    const began = time.now();
    trace.add(process.name, `sync ${JSON.stringify(options)}`);
    try {
      const report = await process.sync({ ...options, signal: controller.signal });
      if (report !== killed)
        trace.add(process.name, `ends: ${JSON.stringify({ ...report, differences: report.differences.length })}`);
      if (report !== killed && options.once !== true && abortedAt === undefined)
        this.#promises.fail('errors', 'a sync that follows ended by itself');
    } catch (thrown) {
      trace.add(process.name, `throws ${describe(thrown)}`);
      const isLock = thrown instanceof MirrorError && thrown.retryable && settings.locks && options.once === true;
      const isReplaced =
        (thrown instanceof MirrorError || thrown instanceof ConfigurationError) && this.#replacements > replacements;
      const isEndless =
        settings.endlessLists !== undefined &&
        thrown instanceof CorridorError &&
        ['pagination', 'invalid-response'].includes(thrown.code);
      const isAborted = thrown instanceof AbortedError && abortedAt !== undefined && options.once === true;
      // A key that is replaced before anything is stored cannot be verified.
      const isUnverified = settings.keyChanges || (settings.rotations && this.#promises.count === 0);
      const isForeign =
        isUnverified && thrown instanceof ConfigurationError && thrown.message.includes('another organization');
      if (!isLock && !isReplaced && !isEndless && !isAborted && !isForeign)
        this.#promises.fail('errors', describe(thrown));
    } finally {
      cancel();
      if (abortedAt !== undefined && !process.isDisturbed && time.now() - abortedAt > second)
        this.#promises.fail('abort', `${time.now() - abortedAt} ms after the signal`);
      if (platform.endlessRequests - endless > maxEndlessRequests && time.now() - began < 10 * minute)
        this.#promises.fail('bounded', `${platform.endlessRequests - endless} requests`);
      process.end();
      this.#processes.delete(process);
    }
  }

  /** Another program locks the database for a while. */
  async #lock(): Promise<void> {
    const { time, random, path, trace } = this.#surroundings;
    if (!existsSync(path) || time.now() < this.#lockedUntil) return;
    const other = new DatabaseSync(path);
    const duration = random.pick([200, 3 * second, 30 * second]);
    try {
      other.exec('pragma busy_timeout = 0; begin immediate');
      trace.add('program', `locks the database for ${duration} ms`);
      this.#lockedUntil = time.now() + duration;
      await time.wait(duration);
      other.exec('rollback');
    } finally {
      other.close();
    }
  }

  /** Another program changes rows of the tables. */
  async #edit(): Promise<void> {
    const { random } = this.#surroundings;
    if (this.#promises.count === 0) return;
    const found = this.#execute((database) => {
      const rows = database.prepare('select id from corridor_payments where missing_since is null').all();
      if (rows.length === 0) return undefined;
      const id = String(random.pick(rows)?.['id']);
      database.prepare("update corridor_payments set status = 'EDITED' where id = ?").run(id);
      return id;
    });
    if (found === undefined) return;
    this.#surroundings.trace.add('program', `edits the status of ${found}`);
    this.#promises.edited(`payment:${found}`);
  }

  /** A client with the key of another organization tries to write. */
  async #intrude(): Promise<void> {
    const { platform, trace, time, settings } = this.#surroundings;
    if (this.#promises.count === 0) return;
    const replacements = this.#replacements;
    const process = this.#start('intruder', () => String(platform.keys[1]));
    const stop = new AbortController();
    const cancel = time.after(5 * minute, () => stop.abort());
    const result = await process.sync({ once: true, signal: stop.signal }).catch((thrown: unknown) => thrown);
    cancel();
    trace.add(process.name, describe(result));
    const isPrevented =
      result === killed ||
      stop.signal.aborted ||
      result instanceof MirrorError ||
      // Its key cannot be verified by a list without an end.
      (settings.endlessLists !== undefined && result instanceof PaginationError) ||
      (result instanceof ConfigurationError && result.message.includes('another organization'));
    if (!isPrevented && this.#replacements === replacements) this.#promises.fail('organization', describe(result));
    process.end();
    this.#processes.delete(process);
  }

  /** The lists of payments have no end for a while. */
  async #withoutEnd(): Promise<void> {
    const { time, random, platform, trace } = this.#surroundings;
    await time.wait(random.below(lifetime));
    platform.isEndless = true;
    trace.add('platform', 'shows lists without an end');
    await time.wait(random.below(4 * minute));
    platform.isEndless = false;
    trace.add('platform', 'shows complete lists');
  }

  /** Copies the database, and puts the copy back later. */
  async #restoreAtTimes(until: number): Promise<void> {
    const { time, random, path, trace, settings } = this.#surroundings;
    while (time.now() < until) {
      await time.wait(random.below(4 * minute));
      if (this.#promises.count === 0) continue;
      const copy = `${path}-copy`;
      rmSync(copy, { force: true });
      if (this.#execute((database) => database.exec(`vacuum into '${copy}'`) ?? true) === undefined) continue;
      trace.add('person', 'copies the database');
      await time.wait(random.below(4 * minute));
      if (time.now() >= until || time.now() < this.#lockedUntil) return;
      this.#replacements += 1;
      if (!settings.restoresWhileRunning) for (const process of this.#processes) process.end();
      if (settings.restores === 'file') {
        for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
        renameSync(copy, path);
      } else this.#restoreRows(copy);
      trace.add('person', `restores the ${settings.restores ?? ''} of the copy`);
      this.#promises.replaced();
    }
  }

  #restoreRows(copy: string): void {
    this.#execute((database) => {
      // They can have been dropped.
      database.exec(sqliteMirrorTables());
      database.exec(`attach '${copy}' as saved`);
      const names = database
        .prepare("select name from saved.sqlite_master where type = 'table' and name not like '%file%'")
        .all();
      const statements = names.map(
        ({ name }) =>
          `delete from main.${String(name)}; insert into main.${String(name)} select * from saved.${String(name)};`,
      );
      database.exec(`begin immediate; ${statements.join(' ')} commit`);
      return true;
    });
  }

  #drop(): void {
    const { path, trace } = this.#surroundings;
    if (this.#promises.count === 0 || this.#surroundings.time.now() < this.#lockedUntil) return;
    this.#replacements += 1;
    const names = ['payments', 'customers', 'beneficiaries', 'changes', 'sync', 'positions'];
    this.#execute((database) => database.exec(names.map((name) => `drop table corridor_${name};`).join('')) ?? true);
    trace.add('person', 'drops the tables');
    this.#promises.replaced();
    if (!existsSync(path)) this.#promises.fail('errors', 'the file is gone');
  }

  /** Runs statements as another program; returns undefined if the database is locked. */
  #execute<T>(work: (database: DatabaseSync) => T): T | undefined {
    const database = new DatabaseSync(this.#surroundings.path);
    try {
      database.exec('pragma busy_timeout = 0');
      return work(database);
    } catch (thrown) {
      if (String(thrown).includes('locked')) return undefined;
      throw thrown;
    } finally {
      database.close();
    }
  }

  /** Lets the mirror catch up with a platform that does not change, and checks everything. */
  async #finish(): Promise<void> {
    const { time, platform, trace } = this.#surroundings;
    for (const process of this.#processes) process.end();
    platform.isCalm = true;
    trace.add('simulation', 'nothing changes anymore');
    // What was not seen during two intervals of full passes is gone.
    for (let run = 0; run < 4; run += 1) {
      await time.wait(syncIntervals.fullInterval);
      await this.#sync(this.#start(), { once: true, full: true }, Number.POSITIVE_INFINITY);
    }
    this.#promises.repaired();
    const dryRun = this.#start('dry run');
    const result = await this.#promises.unchanged(() => dryRun.sync({ once: true, full: true, dryRun: true }));
    dryRun.end();
    const { differences, heldBack } = result === killed ? { differences: [], heldBack: [] } : result;
    await this.#promises.checkExact([...differences, ...heldBack]);
    await this.#takeOver();
  }

  /** Two processes follow, and the one that works is killed. */
  async #takeOver(): Promise<void> {
    const { time, settings } = this.#surroundings;
    const controller = new AbortController();
    const [first, second_] = [this.#start(), this.#start()];
    // A poll takes longer than two intervals.
    const isSlow = settings.latency > 500;
    const following = [first, second_].map((process) => process.sync({ signal: controller.signal }));
    await time.wait(minute + this.#surroundings.random.below(minute));
    first.end();
    const killedAt = time.now();
    // A lease, the interval of takeovers, a poll, and the longest delay between two.
    await time.wait(12 * second + syncIntervals.maxPollInterval + 5 * minute);
    const { open, recent, older, customers, beneficiaries } = await second_.mirror.status();
    if (Date.parse(String(open.asOf)) < killedAt)
      this.#promises.fail('lease', `open.asOf is ${open.asOf} minutes after the other process was killed`);
    for (const [name, part] of Object.entries({ open, recent, older, customers, beneficiaries }))
      if (part.behind && !isSlow) this.#promises.fail('behind', `${name} of ${part.asOf} is, while a process follows`);
    controller.abort();
    await Promise.all(following);
    await time.wait(3 * syncIntervals.fullInterval);
    const later = await second_.mirror.status();
    for (const name of ['open', 'recent', 'older', 'customers', 'beneficiaries'] as const)
      if (!later[name].behind)
        this.#promises.fail('behind', `${name} of ${later[name].asOf} is not, long after the last sync`);
    second_.end();
  }
}
