import type { ListedPayment } from '../../contract/schema/payments.js';
import { prefetchCanceled } from '../../transport/events.js';
import { unlessAborted } from '../../transport/timing/sleep.js';
import type { Timing } from '../../transport/timing/timers.js';
import { createdAtOf } from '../platform-time.js';
import type { ExportPosition } from './checkpoint.js';
import { readAllPages, readPage, type SpanSource } from './read-span.js';
import { addRange, gaps, type TimeRange } from './time-range.js';
import { Unread, type Span } from './unread.js';

/** What an export needs. */
export interface ExportRunOptions {
  readonly endpoint: string;
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly source: SpanSource;
  readonly position: ExportPosition;
  readonly timing: Timing;
  /** Aborts all requests. */
  readonly controller: AbortController;
}

/** The payments of a span. */
interface Batch extends TimeRange {
  readonly payments: readonly ListedPayment[];
}

/** A batch of payments, and the position after it. */
export interface DeliveredBatch {
  readonly payments: readonly ListedPayment[];
  readonly position: ExportPosition;
}

// Spans that wait for an earlier one because of the order of creation, for each concurrent request.
const maxHeld = 4;

/**
 * Reads the spans of an export concurrently. A request is only sent if there is space for its page, so that a slow
 * consumer stops the requests.
 */
export class ExportRun {
  readonly #options: ExportRunOptions;
  readonly #unread: Unread;
  readonly #reading = new Set<Span>();
  readonly #batches: Batch[] = [];
  // Only for the order of creation: spans that wait for an earlier one, earliest first.
  #held: readonly Batch[] = [];
  #position: ExportPosition;
  #error: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(options: ExportRunOptions) {
    this.#options = options;
    this.#position = options.position;
    const { range, done, order } = options.position;
    this.#unread = new Unread(gaps(range, done), order === 'created');
  }

  /** What was delivered. */
  get position(): ExportPosition {
    return this.#position;
  }

  /** Yields the payments in batches. */
  async *batches(): AsyncGenerator<DeliveredBatch, void, undefined> {
    const { controller, endpoint } = this.#options;
    try {
      for (;;) {
        if (controller.signal.aborted) await unlessAborted(never, controller.signal, endpoint, 'reading its pages');
        this.#fill();
        const batch = this.#batches.shift();
        if (batch !== undefined) {
          const { items, done } = this.#position;
          const { payments } = batch;
          this.#position = { ...this.#position, items: items + payments.length, done: addRange(done, batch) };
          this.#fill();
          if (payments.length > 0) yield { payments, position: this.#position };
          continue;
        }
        if (this.#error !== undefined) throw this.#error.error;
        if (this.#reading.size === 0) break;
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        await unlessAborted(woken, controller.signal, endpoint, 'reading its pages');
      }
      const { range, done } = this.#position;
      if (gaps(range, done).length > 0) throw new Error(`${endpoint} ended before its time range was read`);
    } finally {
      this.#error ??= { error: undefined };
      controller.abort(prefetchCanceled);
    }
  }

  #fill(): void {
    const { concurrency } = this.#options;
    while (this.#error === undefined && this.#reading.size + this.#batches.length < concurrency) {
      // A span that others wait for must be read in any case.
      const [first] = this.#held.length < maxHeld * concurrency ? [] : this.#held;
      const span = this.#unread.take(first?.from ?? Number.POSITIVE_INFINITY);
      if (span === undefined) return;
      this.#reading.add(span);
      void this.#read(span);
    }
  }

  async #read(span: Span): Promise<void> {
    const { source, timing, endpoint } = this.#options;
    try {
      const page = await readPage(span, source);
      if (page.isComplete) {
        this.#unread.complete(span, page);
        this.#add(span, page.payments);
      } else if (!this.#unread.split(span, page))
        this.#add(span, await readAllPages(span, page, source, timing, endpoint));
    } catch (error) {
      this.#error ??= { error };
    }
    this.#reading.delete(span);
    // The spans after one that failed still wait for it.
    if (this.#error === undefined) this.#release();
    this.#fill();
    this.#wake();
  }

  #add({ from, to }: Span, payments: readonly ListedPayment[]): void {
    if (this.#position.order === 'any') this.#batches.push({ from, to, payments });
    else
      this.#held = [...this.#held, { from, to, payments: payments.toSorted(byCreation) }].toSorted(
        (one, other) => one.from - other.from,
      );
  }

  // Delivers the spans that have no unread span before them.
  #release(): void {
    const unread = [...this.#reading].reduce((earliest, { from }) => Math.min(earliest, from), this.#unread.from);
    this.#batches.push(...this.#held.filter(({ from }) => from < unread));
    this.#held = this.#held.filter(({ from }) => from >= unread);
  }
}

const never = new Promise<never>(() => {});

function byCreation(one: ListedPayment, other: ListedPayment): number {
  const difference = createdAtOf(one) - createdAtOf(other);
  if (difference !== 0) return difference;
  return one.id < other.id ? -1 : 1;
}
