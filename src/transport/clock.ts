import { parseHttpDate } from '../contract/http-date.js';

const maxOffset = 24 * 60 * 60 * 1000;
/** A Date header has whole seconds and network latency: a smaller difference, in milliseconds, is not significant. */
export const clockResolution = 2_000;
// The ages, in seconds, of which a response still reports the time. A cache that replaces the Date with its own time
// makes the result wrong by the age, so that it must be a difference that platforms tolerate in the times of a token.
const usableAge = /^[0-5]$/;
// If the local clock and the elapsed time differ by more, the local clock was set or the machine was suspended.
const maxDrift = 60_000;

/** What the clocks of a client showed at a time, in milliseconds. */
export interface ClockReading extends Pick<ServerClock, 'offset' | 'isKnown'> {
  /** The platform's time. */
  readonly now: number;
  /** The machine's time. */
  readonly machine: number;
  readonly elapsed: number;
}

/** Tracks the platform's clock by the Date headers of its responses. */
export class ServerClock {
  readonly #timing: Pick<Timing, 'now' | 'elapsed'>;
  #offset = 0;
  /** The local time and the elapsed time of the last measurement. */
  #measured: { readonly now: number; readonly elapsed: number } | undefined;
  /** The platform's time that a response reported, if it is absurd. */
  #absurd: number | undefined;
  /** Whether the last response did not report a usable time, so that the next one hardly will. */
  #isSilent = false;

  constructor(timing: Pick<Timing, 'now' | 'elapsed'>) {
    this.#timing = timing;
  }

  /** How far the platform's clock is ahead of the local clock, in milliseconds. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether a response has reported the platform's time, and the local clock has not been set since. */
  get isKnown(): boolean {
    if (this.#measured === undefined) return false;
    const { now, elapsed } = this.#measured;
    return Math.abs(this.#timing.now() - now - (this.#timing.elapsed() - elapsed)) <= maxDrift;
  }

  /** Whether a request can teach the platform's time: it is not known, and the last response, if any, reported it. */
  get isLearnable(): boolean {
    return !this.isKnown && !this.#isSilent;
  }

  /** Why the platform's time is not known, with both clocks. */
  get problem(): string {
    const machine = new Date(this.#timing.now()).toISOString();
    return this.#absurd === undefined
      ? `no response has reported the platform's time since the clock of this machine was set (now ${machine})`
      : `the platform's clock says ${new Date(this.#absurd).toISOString()}, but that of this machine ${machine}`;
  }

  /** Returns the platform's time, in milliseconds since the epoch. */
  now(): number {
    return this.#timing.now() + this.#offset;
  }

  /** Returns what the clocks show now. */
  read(): ClockReading {
    const { offset, isKnown } = this;
    return { now: this.now(), offset, isKnown, machine: this.#timing.now(), elapsed: this.#timing.elapsed() };
  }

  /** Returns a function that returns the present time by the platform's clock, as far as later responses correct it. */
  presentTime(): () => number {
    const started = this.#timing.elapsed();
    return () => this.now() - (this.#timing.elapsed() - started);
  }

  /**
   * Updates the offset from a response that has just arrived: its `Date` is when it was created, and its `Age` how many
   * seconds have passed since then (RFC 9111, section 5.1). Ignores old responses and absurd dates.
   */
  update(headers: Headers): void {
    this.#isSilent = true;
    const age = headers.get('age') ?? '0';
    if (!usableAge.test(age)) return;
    const now = this.#timing.now();
    const offset = parseHttpDate(headers.get('date'), now) + Number(age) * 1_000 - now;
    if (Number.isNaN(offset)) return;
    // An absurd date: one of the two clocks is wrong.
    if (Math.abs(offset) > maxOffset) {
      this.#measured = undefined;
      this.#absurd = now + offset;
      return;
    }
    this.#absurd = undefined;
    this.#isSilent = false;
    this.#measured = { now, elapsed: this.#timing.elapsed() };
    if (Math.abs(offset - this.#offset) >= clockResolution)
      this.#offset = Math.abs(offset) < clockResolution ? 0 : offset;
  }

  /** Returns whether clock skew explains that a token signed with `offset` was rejected. */
  explains(offset: number): boolean {
    return Math.abs(this.#offset - offset) >= clockResolution;
  }
}

/**
 * Resolves after a number of milliseconds, or as soon as the signal aborts. `purpose` says whether the client pauses,
 * or limits how long it waits for something.
 */
export type SleepFunction = (milliseconds: number, signal: AbortSignal, purpose: 'delay' | 'timeout') => Promise<void>;

/** The clock and the timers of a client. */
export interface Timing {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Returns milliseconds since a fixed point in the past; never decreases. */
  elapsed(): number;
  /** Calls back after a number of milliseconds; the returned function cancels. */
  after(milliseconds: number, callback: () => void, purpose?: 'delay' | 'timeout'): () => void;
}

/**
 * Creates real timers, or timers based on a custom `sleep`. With the latter, `now` also measures durations, so that
 * time can be virtual.
 */
export function createTiming(now: () => number, sleep: SleepFunction | undefined): Timing {
  if (sleep === undefined) {
    return {
      now,
      elapsed: () => performance.now(),
      after(milliseconds, callback) {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
    };
  }
  return {
    now,
    elapsed: now,
    after(milliseconds, callback, purpose = 'timeout') {
      const controller = new AbortController();
      const onElapsed = (): void => {
        if (!controller.signal.aborted) callback();
      };
      // A sleep that rejects, as that of node:timers/promises does on abort, has ended too: nothing may hang on it.
      sleep(milliseconds, controller.signal, purpose).then(onElapsed, onElapsed);
      return () => controller.abort();
    },
  };
}
