import type { Timing } from '../../transport/timing/timers.js';
import type { ExportPosition } from './checkpoint.js';
import { gaps, type TimeRange } from './time-range.js';

/** The progress of an export. */
export interface ExportProgress {
  /** The part of the time range that is done, from 0 to 1. */
  readonly done: number;
  /** The number of payments delivered, including those before the checkpoint. */
  readonly items: number;
  /** The number of requests sent by this run. */
  readonly requests: number;
  /** The number of payments per second of this run. */
  readonly ratePerSecond: number;
  /** The estimated time left, in seconds; undefined if it cannot be estimated yet. */
  readonly remainingSeconds: number | undefined;
}

/** Measures the progress of an export. */
export class ProgressMeter {
  readonly #timing: Timing;
  readonly #started: number;
  #requests = 0;
  #done = 0;

  constructor(timing: Timing) {
    this.#timing = timing;
    this.#started = timing.elapsed();
  }

  /** Counts requests. */
  countRequests(count: number): void {
    this.#requests += count;
  }

  /** Measures the progress since a position. */
  measure(start: ExportPosition, { range, isOpenStart, items, done }: ExportPosition): ExportProgress {
    const isComplete = gaps(range, done).length === 0;
    const seconds = (this.#timing.elapsed() - this.#started) / 1_000;
    // Without a start, nothing shows how long the time before the first payment is.
    const share = isOpenStart ? 0 : shareOf(range, done);
    const read = isOpenStart ? 0 : share - shareOf(range, start.done);
    this.#done = isComplete ? 1 : Math.max(this.#done, Math.min(share, 0.99));
    return {
      done: this.#done,
      items,
      requests: this.#requests,
      ratePerSecond: seconds <= 0 ? 0 : (items - start.items) / seconds,
      remainingSeconds: isComplete ? 0 : read > 0 ? (seconds * (1 - share)) / read : undefined,
    };
  }
}

function shareOf(range: TimeRange, done: readonly TimeRange[]): number {
  const length = range.to - range.from;
  const left = gaps(range, done).reduce((sum, { from, to }) => sum + to - from, 0);
  return length === 0 ? 0 : 1 - left / length;
}
