import { estimateRest, orderOf, split, type ListOrder } from './density.js';
import type { SpanPage, SpanReader } from './span-reader.js';
import type { TimeRange } from './time-range.js';

// Pages that are read again because their span is split, and the unused parts of last pages.
const maxWaste = { pages: 24, pagesPerRequest: 3, share: 0.2 };
// The ids of the payments of a span are kept until it is complete if it is split after this many pages.
const maxPagesBeforeSplit = 32;
const [minSpanPages, maxSpanPages] = [4, 16];

/** What the export is doing when a page arrives. */
export interface Workload {
  /** The number of spans that are not read yet. */
  readonly queued: number;
  /** The number of requests that could be sent besides those for known spans. */
  readonly free: number;
}

/**
 * Decides whether to split a span, so that all requests are used and a dense time does not keep one of them busy. A page
 * of a span that is split must be read again, so the number of such pages is limited.
 */
export class SplitPolicy {
  readonly #concurrency: number;
  readonly #isOrdered: boolean;
  #order: ListOrder;
  #useful = 0;
  #wasted = 0;
  // The number of pages that a span may have, and the number of payments on a page, which the platform may limit.
  #estimatedPages = 0;
  #pageLength = 1;
  readonly #previousTimes = new WeakMap<SpanReader, readonly number[]>();

  /** `isOrdered` means that the payments of a span are kept in memory until it is complete. */
  constructor(concurrency: number, isOrdered: boolean) {
    this.#concurrency = concurrency;
    this.#isOrdered = isOrdered;
  }

  /** Returns the parts to read instead of the span; a single one if it is not split. */
  parts(reader: SpanReader, page: SpanPage, workload: Workload): readonly TimeRange[] {
    this.#learnOrder(page.times);
    const times = [...(this.#previousTimes.get(reader) ?? []), ...page.times];
    this.#previousTimes.set(reader, page.times);
    this.#useful += 1;
    this.#pageLength = Math.max(this.#pageLength, page.times.length);
    if (page.nextCursor === undefined) this.#wasted += 1 - page.times.length / this.#pageLength;
    if (page.nextCursor === undefined) return [reader];
    const density = { times, order: this.#order ?? 'descending' };
    const estimate = estimateRest(reader, density);
    reader.expected = estimate === undefined ? undefined : reader.ids.size + page.times.length + estimate;
    const isUseful = this.#concurrency > 1 || this.#isOrdered;
    const isPossible = reader.startCursor === undefined && reader.pages <= maxPagesBeforeSplit;
    if (!isUseful || !isPossible) return [reader];
    if (reader.pages === 1)
      this.#estimatedPages = Math.max(this.#estimatedPages, Math.min((estimate ?? 0) / this.#pageLength, 4096));
    const isWorthIt = reader.pages === 1 ? this.#isDense(estimate, workload) : this.#isSlow(reader, estimate, workload);
    const base = Math.max(maxWaste.pages, maxWaste.pagesPerRequest * this.#concurrency);
    const isAffordable = this.#wasted + reader.pages <= base + maxWaste.share * this.#useful;
    if (!isWorthIt || !isAffordable) return [reader];
    const parts = split(reader, density, { size: this.#size(), free: workload.free, separate: reader.pages > 1 });
    if (parts.length > 1) {
      this.#useful -= reader.pages;
      this.#wasted += reader.pages;
    }
    return parts;
  }

  #isDense(estimate: number | undefined, { queued }: Workload): boolean {
    return estimate === undefined ? queued < 2 * this.#concurrency : estimate > 1.5 * this.#size();
  }

  // A span that turns out to be long after its first page, when there is nothing else to read.
  #isSlow({ pages }: SpanReader, estimate: number | undefined, { free }: Workload): boolean {
    const isTooLarge = this.#isOrdered && pages * this.#pageLength >= 2 * this.#size();
    if (free === 0 && !isTooLarge) return false;
    return estimate === undefined ? pages <= minSpanPages : estimate >= Math.max(3 * pages, 8) * this.#pageLength;
  }

  /** The number of payments that a span should have. */
  #size(): number {
    const pages = Math.max(this.#estimatedPages, this.#useful) / (4 * this.#concurrency);
    return (
      this.#pageLength * Math.min(this.#isOrdered ? maxSpanPages / 2 : maxSpanPages, Math.max(minSpanPages, pages))
    );
  }

  #learnOrder(times: readonly number[]): void {
    const order = orderOf(times);
    if (order !== undefined && this.#order !== 'unordered')
      this.#order = this.#order === undefined || this.#order === order ? order : 'unordered';
  }
}
