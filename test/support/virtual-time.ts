import type { CorridorOptions } from 'corridor-sdk';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

// Streams and promises need a few turns of the event loop to settle.
const quietTurns = 3;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// Hashing takes real time, also outside of requests.
const running = new Set<VirtualTime>();
const { subtle } = globalThis.crypto;
const digest = subtle.digest.bind(subtle);
subtle.digest = (...input) => {
  const releases = [...running].map((time) => time.pause());
  return digest(...input).finally(() => {
    for (const release of releases) release();
  });
};

/**
 * Time that passes only when everything waits. Work that takes real time, such as signing, runs inside `busy`;
 * everything else is promises, which settle by themselves.
 */
export class VirtualTime {
  #now: number;
  #busy = 0;
  #onFree = (): void => {};
  readonly #timers = new Set<Timer>();

  constructor(start = '2026-03-01T09:00:00Z') {
    this.#now = Date.parse(start);
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.#now;

  /** The client's option `sleep`. */
  readonly wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const timer: Timer = { at: this.#now + Math.max(0, milliseconds), fire: resolve };
      this.#timers.add(timer);
      signal?.addEventListener(
        'abort',
        () => {
          this.#timers.delete(timer);
          resolve();
        },
        { once: true },
      );
    });

  /** Calls back after a number of milliseconds; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, milliseconds), fire: callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Runs work that takes real time and no virtual time. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    const done = this.pause();
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** Stops time until the returned function is called. */
  pause(): () => void {
    this.#busy += 1;
    let held = true;
    return () => {
      if (held) this.#busy -= 1;
      held = false;
      if (this.#busy === 0) this.#onFree();
    };
  }

  /** Advances time until the work is done. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    let done = false;
    running.add(this);
    const result = work().finally(() => {
      done = true;
      running.delete(this);
    });
    result.catch(() => {});
    for (await this.#settle(); !done; await this.#settle()) {
      const next = this.#next();
      if (next === undefined) throw new Error('everybody waits, and nothing will ever happen');
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
    return result;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
    return next;
  }

  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      if (this.#busy > 0) {
        await new Promise<void>((resolve) => (this.#onFree = resolve));
        quiet = 0;
      }
      await turn();
    }
  }
}

/** The client options for virtual time and this `fetch`. */
export function virtualOptions(time: VirtualTime, fetch: typeof globalThis.fetch): CorridorOptions {
  // Signing takes real time, from the start of an attempt until it reaches the network.
  const signing: (() => void)[] = [];
  return {
    now: time.now,
    sleep: time.wait,
    hooks: { onRequest: () => signing.push(time.pause()) },
    fetch: (input, init) => {
      const sent = fetch(input, init);
      signing.pop()?.();
      return sent;
    },
  };
}
