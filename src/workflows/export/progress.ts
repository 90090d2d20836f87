import { pageSize } from '../../contract/schema/pagination.js';
import type { Timing } from '../../transport/timing/timers.js';
import type { ExportRun } from './export-run.js';
import type { SpanReader } from './span-reader.js';

/** The progress of an export. */
export interface ExportProgress {
  /** The estimated part that is done, from 0 to 1. */
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

  /** Measures the progress after a page. */
  measure(run: ExportRun): ExportProgress {
    const { firstItems, items, done } = run.tracker;
    const unread = run.unread();
    const doneTime = done.reduce((sum, { from, to }) => sum + to - from, 0);
    const perTime = doneTime === 0 ? undefined : items / doneTime;
    const rest = unread.reduce<number | undefined>(
      (sum, reader) => add(sum, restOf(reader, perTime, run.openStart)),
      0,
    );
    const seconds = (this.#timing.elapsed() - this.#started) / 1_000;
    const ratePerSecond = seconds <= 0 ? 0 : (items - firstItems) / seconds;
    const share = unread.length === 0 ? 1 : rest === undefined ? 0 : items / Math.max(1, items + rest);
    this.#done = Math.max(this.#done, Math.min(share, unread.length === 0 ? 1 : 0.99));
    return {
      done: this.#done,
      items,
      requests: this.#requests,
      ratePerSecond,
      remainingSeconds:
        unread.length === 0 ? 0 : rest === undefined || ratePerSecond === 0 ? undefined : rest / ratePerSecond,
    };
  }
}

function add(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

function restOf(
  { expected, ids, from, to, pages }: SpanReader,
  perTime: number | undefined,
  openStart: number | undefined,
): number | undefined {
  // Nothing shows when the first payment was created, so an estimate could be wrong by decades.
  if (from === openStart && pages > 0) return undefined;
  if (expected !== undefined) return Math.max(expected - ids.size, pageSize.largest / 2);
  return perTime === undefined ? undefined : perTime * (to - from);
}
