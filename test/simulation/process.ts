import { Corridor, type Journal, type PaymentCreateIntent } from 'corridor-sdk';
import { foreignKey, type Network } from './network.ts';
import type { Platform } from './platform.ts';
import type { RandomSource } from '../support/random-source.ts';
import type { Settings } from './settings.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

/** The result of work in a process that was killed meanwhile. */
export const killed = Symbol('killed');

/** What a process runs on. */
export interface Surroundings {
  readonly time: VirtualTime;
  readonly settings: Settings;
  readonly random: RandomSource;
  readonly platform: Platform;
  readonly network: Network;
  readonly trace: Trace;
  readonly journal: Journal;
  /** The ids of the entries whose intent the journal has lost. */
  readonly damaged: Set<string>;
}

const signature = new Uint8Array(256);
const minute = 60_000;

/** Returns an `apiKey` function that returns the key of another organization from its first calls on, and whether it did. */
export function changingKey({ random, platform }: Surroundings) {
  let left = random.hits(0.4) ? 0 : 1 + Math.floor(random.below(6));
  return {
    get hasChanged() {
      return left < 0;
    },
    key: () => ((left -= 1) < 0 ? foreignKey : platform.key),
  };
}

/** A process of the partner with a client and a clock of its own. It can be killed at any request. */
export class Process {
  readonly name: string;
  readonly client: Corridor;
  /** How far its clock is ahead of the true time, in milliseconds. */
  skew: number;
  /** When it was paused last, or began to be. */
  pausedAt = Number.NEGATIVE_INFINITY;
  /** How long its longest pause is. */
  longestPause = 0;
  readonly #surroundings: Surroundings;
  readonly #killed: Promise<typeof killed>;
  #kill: () => void = () => {};
  #isAlive = true;
  #requestsLeft: number;

  constructor(name: string, surroundings: Surroundings, key = () => surroundings.platform.key) {
    const { time, settings, platform, random, journal } = surroundings;
    this.name = name;
    this.#surroundings = surroundings;
    this.skew = (random.next() * 2 - 1) * settings.machineSkew;
    this.#requestsLeft =
      !platform.isCalm && random.hits(settings.kills) ? 1 + Math.floor(random.below(25)) : Number.POSITIVE_INFINITY;
    this.#killed = new Promise((resolve) => (this.#kill = () => resolve(killed)));
    this.client = new Corridor({
      baseUrl: 'https://platform.example',
      apiKey: () => key(),
      validation: settings.validation,
      signer: () => Promise.resolve(signature),
      now: () => time.now() + this.skew,
      fetch: (input, init) => this.#fetch(new URL(String(input)), init ?? {}),
      journal: this.#guarded(journal),
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Runs work until it ends or the process is killed. */
  run<T>(work: () => Promise<T>): Promise<T | typeof killed> {
    return Promise.race([work(), this.#killed]);
  }

  /** A dead process does nothing anymore: its calls never return. */
  end(): void {
    this.#isAlive = false;
    this.#kill();
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const { random, settings, network, trace } = this.#surroundings;
    if (settings.clockJumps && random.hits(0.1)) this.skew = (random.next() * 2 - 1) * 90 * minute;
    this.#requestsLeft -= 1;
    const dies = this.#requestsLeft <= 0;
    await this.#pause();
    init.signal?.throwIfAborted();
    if (this.#isAlive && (!dies || random.hits(0.5))) {
      const response = network.send(this.name, url, init);
      if (!dies) return response.then((arrived) => (this.#stepLater(), arrived)).finally(() => this.#pause());
      response.catch(() => {});
    }
    if (this.#isAlive) trace.add(this.name, 'is killed');
    this.end();
    return new Promise(() => {});
  }

  /** Sets the clock of the process after a response, sometimes. */
  #stepLater(): void {
    const { random, settings, time, platform } = this.#surroundings;
    if (!settings.lateClockSteps || platform.isCalm || !random.hits(0.1)) return;
    time.after(random.pick([0, 1, random.below(2_000)]), () => (this.skew = (random.next() * 2 - 1) * 5 * 60 * minute));
  }

  /** Stops the process for a while, sometimes. */
  async #pause(): Promise<void> {
    const { random, settings, time, platform, trace } = this.#surroundings;
    if (settings.pauses === 0 || platform.isCalm || !random.hits(settings.pauses)) return;
    const duration = random.below(random.pick([20_000, 4 * minute]));
    trace.add(this.name, `is paused for ${Math.round(duration)} ms`);
    this.pausedAt = time.now();
    this.longestPause = Math.max(this.longestPause, duration);
    await time.wait(duration);
  }

  /**
   * A journal whose calls can fail, take effect late, or never return, before or after they took effect; that stores JSON,
   * and loses intents.
   */
  #guarded(journal: Journal): Journal {
    const { random, settings, time, platform } = this.#surroundings;
    const pause = async (): Promise<void> => {
      if (!platform.isCalm && random.hits(0.2)) await time.wait(random.below(settings.journalLatency));
    };
    const call = async <T>(effect: () => Promise<T>): Promise<T> => {
      if (!this.#isAlive) return new Promise(() => {});
      const fails = !platform.isCalm && random.hits(settings.journalFaults);
      if (fails && random.hits(0.3)) throw new Error('the database is not available');
      await pause();
      const result = JSON.parse(JSON.stringify((await effect()) ?? null)) as T;
      await time.wait(1);
      await pause();
      if (fails && random.hits(0.5)) throw new Error('the connection to the database broke');
      return this.#isAlive && !fails ? result : new Promise(() => {});
    };
    const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
    const { damaged } = this.#surroundings;
    const read = (intent: PaymentCreateIntent): PaymentCreateIntent =>
      damaged.has(intent.id) ? columnsOf(intent) : intent;
    return {
      claim: (intent) =>
        call(async () => {
          const claimed = await journal.claim(copy(intent));
          if (claimed === true && !platform.isCalm && random.hits(settings.damage)) damaged.add(intent.id);
          return claimed === true ? true : { ...claimed, intent: read(claimed.intent) };
        }),
      resolve: (intent, resolution) => call(() => journal.resolve(copy(intent), resolution)),
      listPending: () => call(async () => (await journal.listPending()).map(read)),
    };
  }
}

/** What a journal has of an intent that was lost: its id, its quote and the time of its claim. */
export function columnsOf({ id, createdAt, request }: PaymentCreateIntent): PaymentCreateIntent {
  const { paymentQuoteId } = request;
  return { version: 1, id, request: { paymentQuoteId } as typeof request, createdAt, clockOffset: 0 };
}
