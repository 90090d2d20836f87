import { Corridor, type SyncOptions, type SyncReport } from 'corridor-sdk';
import { SqliteMirror, type SqliteMirrorOptions } from 'corridor-sdk/mirror/sqlite';
import { killed } from './process.ts';
import type { RandomSource } from '../support/random-source.ts';
import type { SyncPlatform } from './sync-platform.ts';
import type { SyncSettings } from './sync-settings.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

/** What the processes that synchronize run on. */
export interface SyncSurroundings {
  readonly time: VirtualTime;
  readonly settings: SyncSettings;
  readonly random: RandomSource;
  readonly platform: SyncPlatform;
  readonly trace: Trace;
  /** The path of the database. */
  readonly path: string;
}

const signature = new Uint8Array(256);
const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const never = new Promise<never>(() => {});

/** The intervals of every sync, which are short, so that a simulation has many passes. */
export const syncIntervals = {
  consistencyWindow: 2 * minute,
  pollInterval: 10 * second,
  maxPollInterval: 40 * second,
  recentWindow: 20 * 24 * hour,
  customersInterval: 3 * minute,
  beneficiariesInterval: 12 * minute,
  recentInterval: 10 * minute,
  fullInterval: 25 * minute,
} as const;

type Transact = Parameters<SqliteMirror['transact']>;
type Observe = <T>(work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

/** A mirror whose transactions run through a function. */
class ObservedMirror extends SqliteMirror {
  readonly #observe: Observe;

  constructor(path: string, options: SqliteMirrorOptions, observe: Observe) {
    super(path, options);
    this.#observe = observe;
  }

  protected override transact(...given: Transact): ReturnType<SqliteMirror['transact']> {
    return this.#observe(() => super.transact(...given), given[2]);
  }
}

/** Opens the mirror at a path. Its transactions take no virtual time, and never wait for a lock. */
export function openMirror(
  { time, settings, path }: SyncSurroundings,
  observe: Observe = (work) => time.busy(work),
): SqliteMirror {
  const { sensitive, retention } = settings;
  return new ObservedMirror(path, { sensitive, retention, busyTimeout: 0 }, observe);
}

/** A process that synchronizes a mirror. It can be paused and killed at any request and transaction. */
export class SyncProcess {
  readonly name: string;
  readonly mirror: SqliteMirror;
  /** How far its clock is ahead of the true time, in milliseconds. */
  skew: number;
  readonly #surroundings: SyncSurroundings;
  readonly #client: Corridor;
  readonly #killed: Promise<typeof killed>;
  #kill: () => void = () => {};
  #isAlive = true;
  #pausedUntil = 0;
  #actsLeft = Number.POSITIVE_INFINITY;
  #actsUntilPause = Number.POSITIVE_INFINITY;

  constructor(name: string, surroundings: SyncSurroundings, key = () => String(surroundings.platform.keys[0])) {
    const { time, settings, random, platform } = surroundings;
    const { kills, pauses, machineSkew } = settings;
    this.name = name;
    this.#surroundings = surroundings;
    this.skew = platform.isCalm ? 0 : (random.next() * 2 - 1) * machineSkew;
    const acts = (): number => 1 + Math.floor(random.below(random.pick([20, 300])));
    if (!platform.isCalm && random.hits(kills)) this.#actsLeft = acts();
    if (!platform.isCalm && random.hits(pauses)) this.#actsUntilPause = acts();
    this.#killed = new Promise((resolve) => (this.#kill = () => resolve(killed)));
    this.mirror = openMirror(surroundings, (work, signal) => this.#act(() => this.#transact(work, signal)));
    let calls = 0;
    const isForeign = (): boolean => (calls += 1) > 1 && settings.keyChanges && !platform.isCalm && random.hits(0.01);
    this.#client = new Corridor({
      baseUrl: 'https://platform.example',
      apiKey: () => (isForeign() ? String(platform.keys[1]) : key()),
      signer: () => Promise.resolve(signature),
      now: () => time.now() + this.skew,
      fetch: (input, init) => this.#act(() => this.#exchange(new URL(String(input)), init ?? {})),
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether it is or was paused or killed. */
  get isDisturbed(): boolean {
    return !this.#isAlive || this.#pausedUntil > 0;
  }

  /** Synchronizes until it ends, or the process is killed. */
  sync(options: SyncOptions): Promise<SyncReport | typeof killed> {
    return Promise.race([this.#client.sync(this.mirror, { ...syncIntervals, ...options }), this.#killed]);
  }

  /** A dead process does nothing anymore: its calls never return. */
  end(): void {
    if (this.#isAlive) this.mirror.close();
    this.#isAlive = false;
    this.#kill();
  }

  /** Does something that others notice: not while the process is paused, and not after it was killed. */
  async #act<T>(effect: () => Promise<T>): Promise<T> {
    const { random, time, trace } = this.#surroundings;
    this.#actsLeft -= 1;
    this.#actsUntilPause -= 1;
    if (this.#actsUntilPause === 0) {
      this.#pausedUntil = time.now() + random.pick([3 * second, 15 * second, 4 * minute]);
      trace.add(this.name, `is paused until ${new Date(this.#pausedUntil).toISOString()}`);
    }
    await this.#resumed();
    const dies = this.#actsLeft === 0;
    if (dies && random.hits(0.5)) this.#die();
    if (!this.#isAlive) return never;
    try {
      return await effect();
    } finally {
      if (dies) this.#die();
      await this.#resumed();
      if (!this.#isAlive) await never;
    }
  }

  #die(): void {
    if (this.#isAlive) this.#surroundings.trace.add(this.name, 'is killed');
    this.end();
  }

  async #resumed(): Promise<void> {
    const { time } = this.#surroundings;
    while (time.now() < this.#pausedUntil) await time.wait(this.#pausedUntil - time.now());
  }

  async #transact<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { time, random, settings, platform } = this.#surroundings;
    const { transactionTime } = settings;
    if (transactionTime > 0 && !platform.isCalm) await time.wait(random.below(transactionTime), signal);
    signal?.throwIfAborted();
    if (!this.#isAlive) return never;
    return time.busy(work);
  }

  #exchange(url: URL, { headers, signal }: RequestInit): Promise<Response> {
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    aborted.catch(() => {});
    return Promise.race([this.#respond(url, new Headers(headers).get('x-api-key')), aborted]);
  }

  async #respond(url: URL, key: string | null): Promise<Response> {
    const { time, random, settings, platform, trace } = this.#surroundings;
    const { latency, readFaults, clockSteps } = settings;
    // Until the response, the process cannot know it.
    if (clockSteps && !platform.isCalm && random.hits(0.04)) this.skew = random.pick([0, hour, -hour, 5 * hour]);
    await time.wait(1 + random.below(latency));
    const request = `GET ${url.pathname}${decodeURIComponent(url.search)}`;
    if (!platform.isCalm && random.hits(readFaults)) {
      const status = random.pick([0, 0, 429, 500, 503]);
      trace.add(this.name, `${request}: fails with ${status}`);
      if (status === 0)
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
      return this.#dated(Response.json({ code: 'failed', message: 'failed' }, { status }));
    }
    const { status, body } = platform.respond(url, key);
    const { items = [] } = body as { readonly items?: readonly unknown[] };
    const shown = items.map((row) => {
      const { id, status: shownStatus, revision } = Object(row) as Readonly<Record<string, unknown>>;
      return `${String(id).slice(0, 30)} ${String(shownStatus).slice(0, 20)} ${String(revision)}`;
    });
    trace.add(this.name, `${request}: ${status} ${shown.join(', ')}`);
    await time.wait(1 + random.below(latency));
    return this.#dated(Response.json(body, { status }));
  }

  #dated(response: Response): Response {
    response.headers.set('date', new Date(this.#surroundings.time.now()).toUTCString());
    return response;
  }
}
