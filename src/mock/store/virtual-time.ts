import { passTime, type MockClock } from './clock.js';

interface Timer {
  /** The time of the mock's clock at which it fires, in milliseconds since the epoch. */
  readonly at: number;
  /** How long it waits, in milliseconds. */
  readonly span: number;
  readonly isTimeout: boolean;
  readonly fire: () => void;
}

// Taken when the module is loaded: a test may install fake timers later, which run only when it advances them.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** How long everything must be quiet before time passes, in milliseconds of real time. */
const quiet = 1;
/** The longest delay of `setTimeout`: it runs longer ones at once. */
const maxDelay = 2 ** 31 - 1;

/**
 * Time that passes on the mock's clock while clients wait, instead of real time. Timeouts of clients fire only while
 * the mock withholds a response; otherwise real time counts for them, in case something other than the mock hangs.
 */
export class VirtualTime {
  readonly #clock: MockClock;
  readonly #timers = new Set<Timer>();
  #processing = 0;
  #withheld = 0;
  #next: ReturnType<typeof startTimer> | undefined;

  constructor(clock: MockClock) {
    this.#clock = clock;
  }

  /** The client's option `sleep`. */
  readonly sleep = (milliseconds: number, signal: AbortSignal, purpose?: 'delay' | 'timeout'): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const isTimeout = purpose === 'timeout';
      const fire = (): void => {
        this.#timers.delete(timer);
        clearTimeout(realTimer);
        signal.removeEventListener('abort', fire);
        resolve();
      };
      const realTimer = isTimeout ? setTimeout(fire, Math.min(milliseconds, maxDelay)) : undefined;
      const timer: Timer = { at: this.#clock.now() + milliseconds, span: milliseconds, isTimeout, fire };
      this.#timers.add(timer);
      signal.addEventListener('abort', fire, { once: true });
      this.#schedule();
    });

  /** Runs the handling of a request, during which no time passes. */
  async process<T>(work: () => Promise<T>): Promise<T> {
    this.#processing += 1;
    try {
      return await work();
    } finally {
      this.#processing -= 1;
      this.#schedule();
    }
  }

  /** Withholds responses in this time; undefined if no client is waiting in it. */
  get wait(): ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined {
    return this.#timers.size > 0 ? (span, signal) => this.withhold(span, signal) : undefined;
  }

  /** Withholds a response for a time, or until the signal aborts; then rejects. */
  async withhold(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#withheld += 1;
    try {
      await this.sleep(milliseconds, signal);
    } finally {
      this.#withheld -= 1;
    }
    signal.throwIfAborted();
  }

  #due(): Timer[] {
    const timers = [...this.#timers].filter(({ isTimeout }) => !isTimeout || this.#withheld > 0);
    return timers.filter(({ at }) => at < Infinity).toSorted((left, right) => left.at - right.at);
  }

  #schedule(): void {
    stopTimer(this.#next);
    if (this.#processing === 0 && this.#due().length > 0) this.#next = startTimer(() => this.#advance(), quiet);
  }

  #advance(): void {
    const [first, ...others] = this.#processing > 0 ? [] : this.#due();
    if (first === undefined) return;
    // A test may have set the clock to an earlier time meanwhile.
    passTime(this.#clock, Math.min(first.at - this.#clock.now(), first.span));
    first.fire();
    for (const timer of others) if (timer.at <= first.at) timer.fire();
    this.#schedule();
  }
}
