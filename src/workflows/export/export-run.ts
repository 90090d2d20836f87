import type { ListedPayment } from '../../contract/schema/payments.js';
import { prefetchCanceled } from '../../transport/events.js';
import { unlessAborted } from '../../transport/timing/sleep.js';
import { createdAtOf } from '../platform-time.js';
import type { ExportPosition } from './checkpoint.js';
import { PositionTracker } from './position.js';
import { SplitPolicy } from './split-policy.js';
import { SpanReader, type SpanPage, type SpanSource } from './span-reader.js';
import type { TimeRange } from './time-range.js';

/** What an export needs. */
export interface ExportRunOptions {
  readonly endpoint: string;
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly source: SpanSource;
  readonly position: ExportPosition;
  /** Aborts all requests. */
  readonly controller: AbortController;
}

/** A batch of payments, and the position after it. */
export interface DeliveredBatch {
  readonly payments: readonly ListedPayment[];
  readonly position: () => ExportPosition;
}

// Spans that are open at the same time, for each concurrent request.
const maxOpenSpans = 4;

interface Batch {
  readonly reader: SpanReader;
  readonly payments: readonly ListedPayment[];
  /** Where the span continues; undefined if it is complete. */
  readonly nextCursor: string | undefined;
}

/**
 * Reads the spans of an export concurrently. A request is only sent if there is space for its page, so that a slow
 * consumer stops the requests.
 */
export class ExportRun {
  readonly #options: ExportRunOptions;
  readonly #isOrdered: boolean;
  readonly #policy: SplitPolicy;
  /** What was delivered. */
  readonly tracker: PositionTracker;
  // Spans that are not read yet, earliest first.
  readonly #queue: SpanReader[];
  readonly #reading = new Set<SpanReader>();
  // Spans whose next page can be requested.
  readonly #waiting: SpanReader[] = [];
  // Only for the order of creation: the spans that are being read, earliest first, and their payments.
  readonly #unordered: { readonly reader: SpanReader; readonly payments: ListedPayment[]; isComplete: boolean }[] = [];
  readonly #batches: Batch[] = [];
  #requests = 0;
  #error: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(options: ExportRunOptions) {
    this.#options = options;
    this.#isOrdered = options.position.order === 'created';
    this.tracker = new PositionTracker(options.position);
    this.#queue = this.tracker.start();
    this.#policy = new SplitPolicy(options.concurrency, this.#isOrdered);
  }

  /** The start of the range, if the caller did not set it. */
  get openStart(): number | undefined {
    return this.#options.source.openStart;
  }

  /** The spans that are not read completely. */
  unread(): readonly SpanReader[] {
    return [...this.#reading, ...this.#queue];
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
          this.tracker.deliver(batch.reader, batch.payments.length, batch.nextCursor);
          this.#fill();
          if (batch.payments.length > 0) yield { payments: batch.payments, position: this.tracker.position() };
          continue;
        }
        if (this.#error !== undefined) throw this.#error.error;
        if (this.#requests === 0) return;
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        await unlessAborted(woken, controller.signal, endpoint, 'reading its pages');
      }
    } finally {
      this.#error ??= { error: undefined };
      controller.abort(prefetchCanceled);
    }
  }

  #fill(): void {
    while (this.#error === undefined && this.#hasSpace()) {
      const reader = this.#nextReader();
      if (reader === undefined) return;
      this.#requests += 1;
      void this.#read(reader);
    }
  }

  #hasSpace(): boolean {
    return this.#requests + this.#batches.length < this.#options.concurrency;
  }

  // Begins spans before it continues others, and continues them in turn: how dense they are is known early, and at the
  // end many short rests are left instead of some long ones.
  #nextReader(): SpanReader | undefined {
    const mayOpen = !this.#isOrdered && this.#reading.size < maxOpenSpans * this.#options.concurrency;
    return mayOpen ? (this.#nextSpan() ?? this.#waiting.shift()) : (this.#waiting.shift() ?? this.#nextSpan());
  }

  #nextSpan(): SpanReader | undefined {
    const [first] = this.#unordered;
    const [next] = this.#queue;
    const isFull = this.#unordered.length >= this.#options.concurrency;
    // The earliest span must be read in any case, because the others wait for it.
    if (isFull && first !== undefined && next !== undefined && first.reader.from < next.from) return undefined;
    const reader = this.#queue.shift();
    if (reader !== undefined) this.#reading.add(reader);
    if (reader !== undefined && this.#isOrdered) {
      this.#unordered.push({ reader, payments: [], isComplete: false });
      this.#unordered.sort((one, other) => one.reader.from - other.reader.from);
    }
    return reader;
  }

  async #read(reader: SpanReader): Promise<void> {
    try {
      this.#accept(reader, await reader.next(this.#options.source));
    } catch (error) {
      this.#error ??= { error };
    }
    this.#requests -= 1;
    this.#fill();
    this.#wake();
  }

  #accept(reader: SpanReader, page: SpanPage): void {
    const queued = this.#queue.length;
    const busy = this.#requests + this.#batches.length + queued + this.#waiting.length;
    const free = Math.max(0, this.#options.concurrency - busy);
    const parts = this.#policy.parts(reader, page, { queued, free });
    if (parts.length > 1 || page.nextCursor === undefined) this.#reading.delete(reader);
    if (parts.length > 1) {
      const delivered = reader.ids.size === 0 || this.#isOrdered ? reader.delivered : [...reader.delivered, reader.ids];
      this.#queue.unshift(...parts.map((part) => splitOff(reader, part, delivered)));
      this.#queue.sort((one, other) => one.from - other.from);
      if (this.#isOrdered)
        this.#unordered.splice(
          this.#unordered.findIndex((span) => span.reader === reader),
          1,
        );
      else this.tracker.split(reader);
      return;
    }
    const payments = reader.accept(page.payments);
    const { nextCursor } = page;
    if (nextCursor !== undefined) this.#waiting.push(reader);
    if (this.#isOrdered) this.#sort(reader, payments, nextCursor === undefined);
    else this.#batches.push({ reader, payments, nextCursor });
  }

  // Delivers the spans that are complete and have no unread span before them.
  #sort(reader: SpanReader, payments: readonly ListedPayment[], isComplete: boolean): void {
    const span = this.#unordered.find((other) => other.reader === reader);
    if (span === undefined) return;
    span.payments.push(...payments);
    span.isComplete = isComplete;
    for (let [first] = this.#unordered; first?.isComplete === true; [first] = this.#unordered) {
      if ((this.#queue[0]?.from ?? Number.POSITIVE_INFINITY) < first.reader.from) return;
      this.#unordered.shift();
      this.#batches.push({
        reader: first.reader,
        payments: first.payments.toSorted(byCreation),
        nextCursor: undefined,
      });
    }
  }
}

function splitOff(reader: SpanReader, part: TimeRange, delivered: readonly ReadonlySet<string>[]): SpanReader {
  const created = new SpanReader(part, delivered);
  const share = (part.to - part.from) / (reader.to - reader.from);
  if (reader.expected !== undefined) created.expected = reader.expected * share;
  return created;
}

const never = new Promise<never>(() => {});

function byCreation(one: ListedPayment, other: ListedPayment): number {
  const difference = createdAtOf(one) - createdAtOf(other);
  if (difference !== 0) return difference;
  return one.id < other.id ? -1 : 1;
}
