import { pageSize } from '../../contract/schema/pagination.js';
import { estimateRest, orderOf } from './density.js';
import type { SpanPage } from './read-span.js';
import { cutAt, type TimeRange } from './time-range.js';

// A span that is longer than this is split if its payments do not fit on a page. The requests of neighboring spans
// overlap by two seconds, which must remain a small part.
const longestUnsplit = 10_000;
// The part of a page that a span should fill: fuller ones too often need a second page, and must be read again.
const fill = 0.8;
// The part of a first page that is read again with one request, if there are more pages.
const seen = 0.9;
// The factor by which a span is longer than the one before if that had no payments.
const maxGrowth = 32;
// The number of pages that a span is assumed to have if nothing shows it.
const unknownPages = 4;
// The number of spans after which the next request begins if the order of creation is required.
const spansInOrder = 4;
// The number of spans that are assumed to be about as dense as the one that is being read.
const nearSpans = 16;

/** A time range of which no payment was read. */
interface Rest {
  from: number;
  to: number;
  /** The duration whose payments fit on a page. */
  width: number;
  /** Whether one of its spans is being read, which shows how long the next one may be. */
  isReading: boolean;
  /** Whether its last span had about as many payments as expected. */
  isSteady: boolean;
}

/** A span to read with one request. */
export interface Span extends TimeRange {
  readonly rest: Rest;
}

/**
 * Cuts the time ranges that are not read yet into spans, so that the payments of a span fit on a page. Each page shows
 * how long the next span may be. This only decides how many requests are sent: no payment is lost by a wrong estimate.
 */
export class Unread {
  // Sorted.
  readonly #rests: Rest[];
  readonly #isOrdered: boolean;
  // Whether spans are read from the latest to the earliest: the first page of a span that has several shows how dense the
  // payments are where the span before ended if the spans are read in the order of the list.
  #isBackward = false;
  #pageLength = 0;
  // What was read, to estimate how dense payments are on average.
  #rows = 0;
  #time = 0;

  /** `isOrdered` means that spans are taken in the order of creation. */
  constructor(ranges: readonly TimeRange[], isOrdered: boolean) {
    this.#rests = ranges.map((range) => restOf(range, Number.POSITIVE_INFINITY));
    this.#isOrdered = isOrdered;
  }

  /** The start of the earliest span; infinite if there is none. */
  get from(): number {
    return this.#rests[0]?.from ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Removes the next span that starts before a time. Returns undefined if there is none, or if it is better to wait for
   * those that are being read.
   */
  take(before: number): Span | undefined {
    const rests = this.#rests.filter(({ from }) => from < before);
    const rest = rests.find(({ isReading }) => !isReading) ?? this.#cut(rests);
    if (rest === undefined) return undefined;
    rest.isReading = true;
    const { from, to } = rest;
    const parts = Math.ceil(spansOf(rest));
    const length = (to - from) / Math.max(1, parts);
    // Filters can be compared in seconds.
    const cut = roundToSecond(this.#isBackward ? to - length : from + length);
    if (parts <= 1) {
      this.#rests.splice(this.#rests.indexOf(rest), 1);
      return { from, to, rest };
    }
    rest[this.#isBackward ? 'to' : 'from'] = cut;
    return this.#isBackward ? { from: cut, to, rest } : { from, to: cut, rest };
  }

  /** Records that a page has all payments of a span. */
  complete({ from, to, rest }: Span, { times }: SpanPage): void {
    if (this.#pageLength > 0) this.#pageLength = Math.max(this.#pageLength, times.length);
    const target = fill * (this.#pageLength || pageSize.largest);
    const width = (to - from) * Math.min(maxGrowth, target / Math.max(1, times.length));
    rest.isReading = false;
    rest.isSteady = times.length > target / 4;
    rest.width = rest.isSteady ? Math.sqrt(rest.width * width) : Math.max(rest.width, width);
    this.#rows += times.length;
    this.#time += to - from;
  }

  /** Returns a span whose payments do not fit on a page, to be split. Returns false if it is too short. */
  split(span: Span, { times }: SpanPage): boolean {
    const { rest, to } = span;
    rest.isReading = false;
    rest.isSteady = false;
    if (to - span.from <= longestUnsplit) return false;
    this.#pageLength = Math.max(this.#pageLength, times.length);
    if (orderOf(times) === 'descending' && !this.#isOrdered) this.#isBackward = true;
    const parts = this.#partsOf(span, times);
    const next = parts.at(this.#isBackward ? 0 : -1);
    rest.width = Math.min(rest.width, next?.width ?? rest.width);
    const index = this.#rests.findIndex((other) => other.from >= to);
    this.#rests.splice(index === -1 ? this.#rests.length : index, 0, ...parts);
    return true;
  }

  #partsOf(span: Span, times: readonly number[]): readonly Rest[] {
    const { from, to, rest } = span;
    const order = orderOf(times);
    if (order === undefined) {
      const [time] = times;
      // All payments of the page have the same time, which shows nothing about the others.
      return time === undefined
        ? restsOf(span, [], 1 / 2)
        : restsOf(span, [time - longestUnsplit / 2, time + longestUnsplit / 2], 1 / 2, [1, 1, 1]);
    }
    const target = fill * this.#pageLength;
    const average = ((to - from) * this.#rows) / this.#time || unknownPages * times.length;
    const unseen = estimateRest(span, { times, order }) ?? Math.max(times.length, average);
    const share = Math.min(1, target / unseen);
    const half = Math.min(1 / 2, target / (unseen + times.length));
    if (order === 'unordered' || unseen <= target) return restsOf(span, [], half);
    const last = times[Math.floor(seen * (times.length - 1))] ?? from;
    if (order === 'ascending') return restsOf(span, [Math.max(last, from + longestUnsplit)], half, [1, share]);
    // What follows the span before is not on the page if spans are not read in the order of the list.
    const isUnknown = !this.#isBackward && Number.isFinite(rest.width);
    const earlier = isUnknown ? Math.max(share, 1 / unknownPages) : share;
    return restsOf(span, [Math.min(last, to - longestUnsplit)], half, [earlier, 1]);
  }

  // Cuts a range in two, so that another request can be sent: the longest one in the middle, or else the earliest one
  // after a few spans, because its spans wait for the earlier ones.
  #cut(rests: readonly Rest[]): Rest | undefined {
    const rest = this.#isOrdered
      ? rests.find((each) => spansOf(each) >= 2)
      : rests.toSorted((one, other) => spansOf(other) - spansOf(one))[0];
    if (rest === undefined || spansOf(rest) < 2) return undefined;
    const length = (rest.to - rest.from) / 2;
    const average = (fill * this.#pageLength * this.#time) / Math.max(1, this.#rows);
    const few = spansInOrder * Math.max(rest.width, average, longestUnsplit);
    const isNear = (this.#isOrdered && rest.isSteady) || spansOf(rest) <= nearSpans;
    const cut = roundToSecond(rest.from + (this.#isOrdered && rest.isSteady ? Math.min(length, few) : length));
    const [earlier, later] = [
      { from: rest.from, to: cut },
      { from: cut, to: rest.to },
    ];
    // The span that is being read is next to the other part, and shows nothing about what is far from it.
    const added = restOf(this.#isBackward ? earlier : later, isNear ? rest.width : Number.POSITIVE_INFINITY);
    Object.assign(rest, this.#isBackward ? later : earlier);
    this.#rests.splice(this.#rests.indexOf(rest) + (this.#isBackward ? 0 : 1), 0, added);
    return added;
  }
}

/** The number of requests for a range. */
function spansOf({ from, to, width }: Rest): number {
  return (to - from) / Math.max(width, longestUnsplit);
}

function restOf({ from, to }: TimeRange, width: number): Rest {
  return { from, to, width, isReading: false, isSteady: false };
}

// `shares` are the widths of the parts relative to their durations, and `whole` that of a range that cannot be cut there.
function restsOf(range: TimeRange, cuts: readonly number[], whole: number, shares: readonly number[] = []): Rest[] {
  const parts = cutAt(range, cuts.map(roundToSecond));
  return parts.map((part, index) =>
    restOf(part, (part.to - part.from) * (parts.length === 1 ? whole : (shares[index] ?? 1))),
  );
}

function roundToSecond(time: number): number {
  return Math.round(time / 1_000) * 1_000;
}
