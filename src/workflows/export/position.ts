import type { ExportPosition } from './checkpoint.js';
import { SpanReader } from './span-reader.js';
import { addRange, cutAt, gaps, isWithin, type TimeRange } from './time-range.js';

interface SplitSpan extends TimeRange {
  readonly ids: ReadonlySet<string>;
  /** Returns how many of the ids were delivered: those that were read first. */
  readonly count: () => number;
}

/** Tracks what an export has delivered, for its checkpoints. */
export class PositionTracker {
  readonly #start: ExportPosition;
  #items: number;
  #done: readonly TimeRange[];
  // The cursors of the spans that are delivered in part.
  readonly #open = new Map<SpanReader, string>();
  readonly #counts = new WeakMap<SpanReader, number>();
  // Spans that were split: their last batch may be delivered afterwards.
  readonly #divided = new WeakSet<SpanReader>();
  #split: readonly SplitSpan[];

  constructor(start: ExportPosition) {
    this.#start = start;
    this.#items = start.items;
    this.#done = start.done;
    this.#split = start.split.map(({ from, to, ids }) => ({ from, to, ids: new Set(ids), count: () => ids.length }));
  }

  /** The number of payments that an earlier run delivered. */
  get firstItems(): number {
    return this.#start.items;
  }

  /** The number of payments delivered, by earlier runs, too. */
  get items(): number {
    return this.#items;
  }

  /** The ranges that are delivered completely. */
  get done(): readonly TimeRange[] {
    return this.#done;
  }

  /** Creates the readers of the spans that are left, earliest first. */
  start(): SpanReader[] {
    const { range, open } = this.#start;
    const deliveredIn = (span: TimeRange): ReadonlySet<string>[] =>
      this.#split.filter((other) => isWithin(span, other)).map(({ ids }) => ids);
    const continued = open.map((span) => new SpanReader(span, deliveredIn(span), span.cursor));
    for (const [index, reader] of continued.entries()) this.#open.set(reader, open[index]?.cursor ?? '');
    const covered = open.reduce(addRange, this.#done);
    const bounds = this.#split.flatMap(({ from, to }) => [from, to]);
    const unread = gaps(range, covered).flatMap((gap) => cutAt(gap, bounds));
    return [...continued, ...unread.map((span) => new SpanReader(span, deliveredIn(span)))].toSorted(
      (one, other) => one.from - other.from,
    );
  }

  /** Records that payments were delivered. Without a next cursor, the span is complete. */
  deliver(reader: SpanReader, count: number, nextCursor: string | undefined): void {
    this.#items += count;
    this.#counts.set(reader, (this.#counts.get(reader) ?? 0) + count);
    if (nextCursor === undefined) {
      this.#open.delete(reader);
      this.#done = addRange(this.#done, { from: reader.from, to: reader.to });
      this.#split = this.#split.filter((span) => !this.#done.some((range) => isWithin(span, range)));
    } else if (!this.#divided.has(reader)) this.#open.set(reader, nextCursor);
  }

  /** Records that a span is split after some of its payments were read. */
  split(reader: SpanReader): void {
    this.#open.delete(reader);
    this.#divided.add(reader);
    const { from, to, ids } = reader;
    if (ids.size > 0) this.#split = [...this.#split, { from, to, ids, count: () => this.#counts.get(reader) ?? 0 }];
  }

  /** Returns a function that creates the current position. */
  position(): () => ExportPosition {
    const [items, done] = [this.#items, this.#done];
    const open = [...this.#open].map(([{ from, to }, cursor]) => ({ from, to, cursor }));
    const split = this.#split.map((span) => ({ ...span, count: span.count() }));
    return () => ({
      ...this.#start,
      items,
      done,
      open,
      split: split.map(({ from, to, ids, count }) => ({ from, to, ids: [...ids].slice(0, count) })),
    });
  }
}
