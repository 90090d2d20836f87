import { durationShape, millisecondsOf, type Duration } from '../../contract/schema/time.js';
import { optionsObject } from '../../contract/option-schemas.js';
import { memoize, type Schema } from '../../contract/schema/schema.js';
import { MockPlatformError, requireValid } from '../base/mock-error.js';

interface Timer {
  readonly clock: MockClock;
  /** The time of its clock at which it fires, in milliseconds since the epoch. */
  readonly at: number;
  /** How long it waits, in milliseconds. */
  readonly span: number;
  readonly isTimeout: boolean;
  readonly fire: () => void;
}

type Timers = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>;

// Not those of fake timers, which run only when a test advances them: Jest can install them before it loads this
// module, but not in Node's own module.
const { process } = globalThis as {
  readonly process?: { readonly getBuiltinModule?: (id: string) => Timers | undefined };
};
const { setTimeout: startTimer, clearTimeout: stopTimer } = process?.getBuiltinModule?.('node:timers') ?? globalThis;

/** How long everything must be quiet before time passes, in milliseconds of real time. */
const quiet = 1;
/** The longest delay of `setTimeout`: it runs longer ones at once. */
const maxDelay = 2 ** 31 - 1;

/**
 * Advances clocks of the mock while clients wait, so that no real time passes. Timeouts of clients fire only while the
 * mock withholds a response; otherwise real time counts for them, in case something other than the mock hangs.
 */
export class ClockAdvancer {
  readonly #timers = new Set<Timer>();
  #processing = 0;
  #withheld = 0;
  #next: ReturnType<typeof startTimer> | undefined;

  /** Returns the options with which the delays of a client advance a clock, or with real time only follow it. */
  clientOptions(clock: MockClock, time: 'mock' | 'real') {
    type Sleep = (milliseconds: number, signal: AbortSignal, purpose?: 'delay' | 'timeout') => Promise<void>;
    const sleep: Sleep = (...wait) => this.sleep(clock, ...wait);
    return { now: (): number => clock.now(), ...(time === 'mock' && { sleep }) };
  }

  /** Waits on a clock, as the client's option `sleep` does. */
  sleep(clock: MockClock, milliseconds: number, signal: AbortSignal, purpose?: 'delay' | 'timeout'): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const isTimeout = purpose === 'timeout';
      const fire = (): void => {
        this.#timers.delete(timer);
        stopTimer(realTimer);
        signal.removeEventListener('abort', fire);
        resolve();
      };
      const realTimer = isTimeout ? startTimer(fire, Math.min(milliseconds, maxDelay)) : undefined;
      const timer: Timer = { clock, at: clock.now() + milliseconds, span: milliseconds, isTimeout, fire };
      this.#timers.add(timer);
      signal.addEventListener('abort', fire, { once: true });
      this.#schedule();
    });
  }

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

  /** Returns a function that withholds a response on a clock; undefined if no client waits in this time. */
  waitOn(clock: MockClock): ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined {
    return this.#timers.size > 0 ? (span, signal) => this.#withhold(clock, span, signal) : undefined;
  }

  /** Withholds a response for a time, or until the signal aborts; then rejects. */
  async #withhold(clock: MockClock, milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#withheld += 1;
    try {
      await this.sleep(clock, milliseconds, signal);
    } finally {
      this.#withheld -= 1;
    }
    signal.throwIfAborted();
  }

  #due(): Timer[] {
    const timers = [...this.#timers].filter(({ isTimeout }) => !isTimeout || this.#withheld > 0);
    const rest = ({ at, clock }: Timer): number => at - clock.now();
    return timers.filter(({ at }) => at < Infinity).toSorted((left, right) => rest(left) - rest(right));
  }

  #schedule(): void {
    stopTimer(this.#next);
    if (this.#processing === 0 && this.#due().length > 0) this.#next = startTimer(() => this.#advance(), quiet);
  }

  #advance(): void {
    const [first, ...others] = this.#processing > 0 ? [] : this.#due();
    if (first === undefined) return;
    // A test may have set the clock to an earlier time meanwhile.
    passTime(first.clock, Math.min(first.at - first.clock.now(), first.span));
    first.fire();
    for (const timer of others) if (timer.clock === first.clock && timer.at <= first.at) timer.fire();
    this.#schedule();
  }
}

/** The state of a clock as plain JSON: it runs with an offset from its source, or is stopped at a time. */
export type ClockState =
  | { readonly running: true; readonly offset: number }
  | { readonly running: false; readonly at: number };

const advanceDuration: Schema<Duration> = memoize(() =>
  optionsObject<Duration>(
    durationShape(),
    { rule: 'must be a duration of 0 or more, such as { minutes: 15 }', fix: 'To move the clock back, use clock.set' },
    (duration) => millisecondsOf(duration) >= 0,
  ),
);

/** The latest formatted times: records that are added together have the same ones, and share their texts. */
const formatted = new Map<number, string>();

/** The first and the last time whose year has four digits. */
const [earliest, latest] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/** Formats a time in milliseconds since the epoch as an ISO 8601 string, whose year has four digits. */
export function formatTime(at: number): string {
  const known = formatted.get(at);
  if (known !== undefined) return known;
  if (formatted.size === 100) formatted.clear();
  const text = new Date(Math.max(earliest, Math.min(at, latest))).toISOString();
  formatted.set(at, text);
  return text;
}

const dateTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Parses an ISO 8601 string with a time zone; returns NaN for any other string. Without a zone the result would depend
 * on the machine.
 */
export function parsedTime(text: string): number {
  const parsed = Date.parse(text);
  // Most are written by the mock. A year of more than four digits makes the text longer.
  if (text.length === 24 && !Number.isNaN(parsed) && formatTime(parsed) === text) return parsed;
  const [, day] = dateTime.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : parsed;
  // `Date` reads February 30 as March 2.
  return Number.isNaN(at) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day ? Number.NaN : at;
}

/**
 * The time of a mock platform. It follows the real clock (or the option `now`) until you call `set` or `freeze`, which
 * stop it so that times in a test are exact. `advance` moves it forward, and `resume` starts it again.
 *
 * Quotes, tokens, signed URLs and all timestamps use this clock, and so does a client created with `clientOptions()`.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * platform.clock.set('2026-03-01T09:00:00Z');
 * const quote = platform.quotes.add();
 * platform.clock.advance({ minutes: 15 }); // the quote has expired
 * ```
 */
export class MockClock {
  readonly #source: () => number;
  /** Its state, for snapshots and scheduled events. @internal */
  state: ClockState = { running: true, offset: 0 };
  /** Called after a test has moved it. @internal */
  onMove: () => void = () => {};

  // Reads `Date.now` on every call, so that fake timers work even if a test installs them later.
  constructor(source = () => Date.now()) {
    this.#source = source;
  }

  /** Returns the time in milliseconds since the epoch. */
  now(): number {
    return this.state.running ? this.#source() + this.state.offset : this.state.at;
  }

  /** Sets the clock to a time and stops it there. Throws `MockPlatformError` if the time is invalid. */
  set(to: Date | string | number): void {
    const at = typeof to === 'string' ? parsedTime(to) : new Date(to).getTime();
    requireYear('clock.set', at, to);
    this.state = { running: false, at };
    this.onMove();
  }

  /**
   * Moves the clock forward by a duration. A clock that runs keeps running, one that is stopped stays stopped. Throws
   * `MockPlatformError` if the duration is invalid or negative.
   */
  advance(by: Duration): void {
    requireValid('clock.advance', advanceDuration, by, 'the duration');
    const span = millisecondsOf(by);
    requireYear('clock.advance', this.now() + span);
    passTime(this, span);
    this.onMove();
  }

  /** Stops the clock, at its current time by default. Throws `MockPlatformError` if the time is invalid. */
  freeze(at: Date | string | number = this.now()): void {
    this.set(at);
  }

  /** Starts the clock again from its current time. */
  resume(): void {
    this.state = { running: true, offset: this.now() - this.#source() };
  }

  /** Makes the clock follow its source again, as in a new platform. */
  reset(): void {
    this.state = { running: true, offset: 0 };
    this.onMove();
  }
}

/** Throws `MockPlatformError` if a time is invalid or its year has more than four digits. */
function requireYear(call: string, at: number, received: unknown = at): void {
  if (at >= earliest && at <= latest) return;
  throw new MockPlatformError(
    `${call}: ${JSON.stringify(received)} is not a valid time. Pass a Date, an ISO 8601 string with a time ` +
      'zone such as "2026-03-01T09:00:00Z", or milliseconds since the epoch, up to the year 9999.',
  );
}

/** Moves a clock forward by milliseconds, not beyond the last time; it runs or stays stopped as before. */
function passTime(clock: MockClock, milliseconds: number): void {
  const { state } = clock;
  const span = Math.max(0, Math.min(milliseconds, latest - clock.now()));
  clock.state = state.running
    ? { running: true, offset: state.offset + span }
    : { running: false, at: state.at + span };
}

/** Calls a function while the clock shows another time. */
export function atTime<T>(clock: MockClock, at: number, run: () => T): T {
  const before = clock.state;
  clock.state = { running: false, at };
  try {
    return run();
  } finally {
    clock.state = before;
  }
}
