import { MockPlatformError } from './error.js';
import { isObject, isTime } from './json.js';

/** A span of time. */
export interface MockDuration {
  /** Days of 24 hours. */
  readonly days?: number;
  /** Hours. */
  readonly hours?: number;
  /** Minutes. */
  readonly minutes?: number;
  /** Seconds. */
  readonly seconds?: number;
}

/** Where a clock stands, as plain JSON: it runs beside its source at a distance, or stands still. */
export type ClockState = { readonly running: true; readonly offset: number } | { readonly running: false; readonly at: number };

/** Whether something from a snapshot says where a clock stands. */
export function isClockState(value: unknown): value is ClockState {
  return isObject(value) && ((value['running'] === true && isTime(value['offset'])) || (value['running'] === false && isTime(value['at'])));
}

const milliseconds: { readonly [unit: string]: number } = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000 };

/** The milliseconds of a span. Throws `MockPlatformError` where it is none. */
export function millisecondsOf(call: string, span: MockDuration): number {
  let sum = 0;
  for (const [unit, count] of Object.entries(Object(span) as MockDuration) as [string, unknown][]) {
    const factor = Object.hasOwn(milliseconds, unit) ? milliseconds[unit] : undefined;
    if (factor === undefined) throw new MockPlatformError(`${call}: ${unit} is not a unit; there are ${Object.keys(milliseconds).join(', ')}`);
    sum += count === undefined ? 0 : typeof count === 'number' ? count * factor : Number.NaN;
  }
  if (!Number.isFinite(sum)) throw new MockPlatformError(`${call}: give a span such as { minutes: 15 }`);
  return sum;
}

const dateTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The milliseconds of an ISO 8601 text with a zone; NaN where it is none: what has no zone is another time on another machine. */
export function parsedTime(text: string): number {
  const [, day] = dateTime.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(text);
  // `Date` takes February 30 for March 2.
  return Number.isNaN(at) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day ? Number.NaN : at;
}

/** The times whose year has four digits. */
const [first, last] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * The time of a mock platform. It follows the real clock (or the `now` it was given) until you `set`, `advance` or `freeze` it;
 * from then on it stands still wherever you put it, so that times in a test are exact, until `resume` lets it run on.
 *
 * Quotes, tokens, signed URLs and every timestamp read this clock, and so does a client made with `clientOptions()`.
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
  #state: ClockState = { running: true, offset: 0 };

  constructor(source: () => number) {
    this.#source = source;
  }

  /** The time, in milliseconds since the epoch. */
  now(): number {
    return this.#state.running ? this.#source() + this.#state.offset : this.#state.at;
  }

  /** Puts the clock to a time, where it stands still. Throws `MockPlatformError` where that is no time. */
  set(to: Date | string | number): void {
    const at = typeof to === 'string' ? parsedTime(to) : new Date(to).getTime();
    if (!(at >= first && at <= last)) {
      throw new MockPlatformError(`clock.set: ${JSON.stringify(to)} is not a time; give a Date, an ISO 8601 text with a zone, such as "2026-03-01T09:00:00Z", or milliseconds since the epoch, of a year up to 9999`);
    }
    this.#state = { running: false, at };
  }

  /** Moves the clock forward by a span, where it stands still. Throws `MockPlatformError` where the span is not positive. */
  advance(by: MockDuration): void {
    const span = millisecondsOf('clock.advance', by);
    if (span < 0) throw new MockPlatformError('clock.advance: time only moves forward; to go back use clock.set');
    this.set(this.now() + span);
  }

  /** Does something as if it were a time. @internal */
  during<T>(at: number, act: () => T): T {
    const before = this.#state;
    this.#state = { running: false, at };
    try {
      return act();
    } finally {
      this.#state = before;
    }
  }

  /** Stops the clock where it is, or at a time. */
  freeze(at: Date | string | number = this.now()): void {
    this.set(at);
  }

  /** Lets the clock run on from where it stands. */
  resume(): void {
    this.#state = { running: true, offset: this.now() - this.#source() };
  }

  /** Lets the clock follow the real one again, as in a new platform. */
  reset(): void {
    this.#state = { running: true, offset: 0 };
  }

  /** Where the clock stands, as plain JSON. */
  snapshot(): ClockState {
    return this.#state;
  }

  /** Puts the clock to where a snapshot found it. */
  restore(state: ClockState): void {
    this.#state = state;
  }
}
