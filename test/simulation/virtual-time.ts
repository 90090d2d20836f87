import type { CorridorOptions } from 'corridor-sdk';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

// Streams and promises need a few turns of the event loop until all that can happen has happened.
const quietTurns = 3;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Time that passes only when everybody waits. Work that really takes a while, such as signing, is done inside `busy`; everything
 * else is promises, which come to rest by themselves.
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

  /** The client's option `wait`. */
  readonly wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const timer: Timer = { at: this.#now + Math.max(0, milliseconds), fire: resolve };
      this.#timers.add(timer);
      signal?.addEventListener('abort', () => {
        this.#timers.delete(timer);
        resolve();
      }, { once: true });
    });

  /** Work that takes real time and no virtual time. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    const done = this.hold();
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** Holds time until the answer is called. */
  hold(): () => void {
    this.#busy += 1;
    let held = true;
    return () => {
      if (held) this.#busy -= 1;
      held = false;
      if (this.#busy === 0) this.#onFree();
    };
  }

  /** Lets time pass until the work is done. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    let done = false;
    const result = work().finally(() => {
      done = true;
    });
    result.catch(() => {});
    for (await this.#rest(); !done; await this.#rest()) {
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

  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      if (this.#busy > 0) {
        await new Promise<void>((resolve) => (this.#onFree = resolve));
        quiet = 0;
      }
      await turn();
    }
  }
}

/** What a client is made with to live in virtual time, and to reach the platform by this `fetch`. */
export function virtualOptions(time: VirtualTime, fetch: typeof globalThis.fetch): CorridorOptions {
  // From when an attempt begins until it reaches the network it is being signed, which takes real time.
  const signing: (() => void)[] = [];
  return {
    now: time.now,
    wait: time.wait,
    hooks: { request: () => signing.push(time.hold()) },
    fetch: (input, init) => {
      const sent = fetch(input, init);
      signing.pop()?.();
      return sent;
    },
  };
}
