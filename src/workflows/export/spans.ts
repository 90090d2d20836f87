import { pageSize } from '../../contract/schema/page.js';

/** A range of creation times: `from` is included, `to` is not. In milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Adds a range to sorted ranges that do not overlap, and joins those that touch. */
export function addRange(ranges: readonly TimeRange[], added: TimeRange): readonly TimeRange[] {
  const before = ranges.filter(({ to }) => to < added.from);
  const after = ranges.filter(({ from }) => from > added.to);
  const touching = ranges.slice(before.length, ranges.length - after.length);
  const from = Math.min(added.from, ...touching.map((range) => range.from));
  const to = Math.max(added.to, ...touching.map((range) => range.to));
  return [...before, { from, to }, ...after];
}

/** Returns the parts of a range that the sorted ranges do not cover. */
export function gaps(range: TimeRange, covered: readonly TimeRange[]): readonly TimeRange[] {
  const found: TimeRange[] = [];
  let { from } = range;
  for (const { from: start, to: end } of covered) {
    if (start > from) found.push({ from, to: Math.min(start, range.to) });
    from = Math.max(from, end);
  }
  if (from < range.to) found.push({ from, to: range.to });
  return found.filter((gap) => gap.from < gap.to);
}

/** Cuts a range at the times that lie within it. */
function cutAt(range: TimeRange, times: Iterable<number>): readonly TimeRange[] {
  const inner = [...new Set(times)].filter((time) => time > range.from && time < range.to);
  const bounds = [range.from, ...inner.toSorted((one, other) => one - other), range.to];
  return bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? range.from, to }));
}

// A span that is longer than this is split if its payments do not fit on a page. The requests of neighboring spans
// overlap by two seconds, which must remain a small part.
const longestUnsplit = 10_000;
// The part of a page that a span should fill at first, at least and at most. A span that needs a second page must be
// read again, and decreases it; one that does not increases it.
const fill = { first: 0.9, least: 0.7, most: 0.98, increase: 0.003, decrease: 0.05 };
// The part of a page that spans may fill if their number is smaller then.
const nearlyFull = 0.95;
// The part of a first page that is read again with one request, if there are more pages.
const seen = 0.9;
// The part of a page from which payments of one time are many.
const manyEqual = 0.05;
// The factor by which a span is longer than the one before if that had no payments.
const maxGrowth = 32;
// The number of pages that a span is assumed to have if nothing shows it.
const unknownPages = 4;
// The number of spans after which the next request begins if the order of creation is required.
const spansInOrder = 4;
// The number of spans that are assumed to be about as dense as the one that is being read.
const nearSpans = 16;

/** A part of the export that is not read yet. */
interface UnreadRange {
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
  readonly range: UnreadRange;
}

/**
 * Cuts the time ranges that are not read yet into spans, so that the payments of a span fit on a page. Each page shows
 * how long the next span may be. This only decides how many requests are sent: no payment is lost by a wrong estimate.
 *
 * To halve a span that does not fit would be 100 lines less, and needs more than twice as many requests for payments
 * that are spread evenly (29 instead of 13 for ten pages), and a third more on average of the lists of the tests (1,116
 * instead of 851), which then take 22 % longer. To divide it by the number of its payments that its page lets expect
 * needs 57 % more on average.
 */
export class SpanQueue {
  // Sorted.
  readonly #ranges: UnreadRange[];
  readonly #isOrdered: boolean;
  // Whether spans are read from the latest to the earliest: the first page of a span that has several shows how dense
  // the payments are where the span before ended if the spans are read in the order of the list.
  #isBackward = false;
  #pageLength = 0;
  #fill = fill.first;
  // What was read, to estimate how dense payments are on average.
  #rows = 0;
  #time = 0;

  /** `isOrdered` means that spans are taken in the order of creation. */
  constructor(ranges: readonly TimeRange[], isOrdered: boolean) {
    this.#ranges = ranges.map((range) => toUnread(range, Number.POSITIVE_INFINITY));
    this.#isOrdered = isOrdered;
  }

  /** The start of the earliest span; infinite if there is none. */
  get from(): number {
    return this.#ranges[0]?.from ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Removes the next span that starts before a time. Returns undefined if there is none, or if it is better to wait for
   * those that are being read.
   */
  next(before: number): Span | undefined {
    const ranges = this.#ranges.filter(({ from }) => from < before);
    const range = ranges.find(({ isReading }) => !isReading) ?? this.#cut(ranges);
    if (range === undefined) return undefined;
    range.isReading = true;
    const { from, to } = range;
    const spans = spansOf(range);
    const whole = Math.floor(spans);
    const parts = range.isSteady && spans * this.#fill <= whole * nearlyFull ? whole : Math.ceil(spans);
    const length = (to - from) / Math.max(1, parts);
    // Filters can be compared in seconds.
    const cut = roundToSecond(this.#isBackward ? to - length : from + length);
    if (parts <= 1) {
      this.#ranges.splice(this.#ranges.indexOf(range), 1);
      return { from, to, range };
    }
    range[this.#isBackward ? 'to' : 'from'] = cut;
    return this.#isBackward ? { from: cut, to, range } : { from, to: cut, range };
  }

  /** Records that a page has all payments of a span, which were created at these times. */
  complete({ from, to, range }: Span, times: readonly number[]): void {
    if (this.#pageLength > 0) this.#pageLength = Math.max(this.#pageLength, times.length);
    const target = this.#fill * (this.#pageLength || pageSize.largest);
    const width = (to - from) * Math.min(maxGrowth, target / Math.max(1, times.length));
    range.isReading = false;
    range.isSteady = times.length > target / 4;
    if (range.isSteady) this.#fill = Math.min(fill.most, this.#fill + fill.increase);
    range.width = range.isSteady ? Math.sqrt(range.width * width) : Math.max(range.width, width);
    this.#rows += times.length;
    this.#time += to - from;
  }

  /**
   * Returns a span whose payments do not fit on a page, to be split. `times` are those of the page, in its order. Returns
   * false if it is too short.
   */
  split(span: Span, times: readonly number[]): boolean {
    const { range, to } = span;
    if (range.isSteady) this.#fill = Math.max(fill.least, this.#fill - fill.decrease);
    range.isReading = false;
    range.isSteady = false;
    if (to - span.from <= longestUnsplit) return false;
    this.#pageLength = Math.max(this.#pageLength, times.length);
    if (orderOf(times) === 'descending' && !this.#isOrdered) this.#isBackward = true;
    if (timeOfMany(times) === undefined && this.#returnToNeighbor(span, times)) return true;
    const parts = this.#partsOf(span, times);
    const next = parts.at(this.#isBackward ? 0 : -1);
    range.width = Math.min(range.width, next?.width ?? range.width);
    const index = this.#ranges.findIndex((other) => other.from >= to);
    this.#ranges.splice(index === -1 ? this.#ranges.length : index, 0, ...parts);
    return true;
  }

  // Adds a span that has a few payments too many to the range next to it. Returns false if it has more, if that range
  // is read already, or if the next span would be as long.
  #returnToNeighbor({ from, to, range }: Span, times: readonly number[]): boolean {
    const target = this.#fill * this.#pageLength;
    const unseen = estimateUnseen({ from, to }, times, orderOf(times) ?? 'unordered') ?? Number.POSITIVE_INFINITY;
    const isNext = this.#ranges.includes(range) && (this.#isBackward ? range.to === from : range.from === to);
    const width = Math.max(longestUnsplit, (to - from) * (target / (times.length + unseen)));
    if (!isNext || unseen > target || width > to - from - 1_000) return false;
    range[this.#isBackward ? 'to' : 'from'] = this.#isBackward ? to : from;
    range.width = width;
    return true;
  }

  #partsOf(span: Span, times: readonly number[]): readonly UnreadRange[] {
    const { from, to, range } = span;
    const order = orderOf(times);
    // Many payments have the same time, which shows nothing about the others. The requests of the neighbors must not
    // reach that time: they would read all its payments, too.
    const time = timeOfMany(times);
    if (time !== undefined)
      return splitRange(span, [time - longestUnsplit / 2, time + longestUnsplit / 2], 1 / 2, [1, 1, 1]);
    if (order === undefined) return splitRange(span, [], 1 / 2);
    const target = this.#fill * this.#pageLength;
    const average = ((to - from) * this.#rows) / this.#time || unknownPages * times.length;
    const unseen = estimateUnseen(span, times, order) ?? Math.max(times.length, average);
    const share = Math.min(1, target / unseen);
    const half = Math.min(1 / 2, target / (unseen + times.length));
    if (order === 'unordered' || unseen <= target) return splitRange(span, [], half);
    const last = times[Math.floor(seen * (times.length - 1))] ?? from;
    if (order === 'ascending') return splitRange(span, [Math.max(last, from + longestUnsplit)], half, [1, share]);
    // What follows the span before is not on the page if spans are not read in the order of the list.
    const isUnknown = !this.#isBackward && Number.isFinite(range.width);
    const earlier = isUnknown ? Math.max(share, 1 / unknownPages) : share;
    return splitRange(span, [Math.min(last, to - longestUnsplit)], half, [earlier, 1]);
  }

  // Cuts a range in two, so that another request can be sent: the longest one in the middle, or else the earliest one
  // after a few spans, because its spans wait for the earlier ones.
  #cut(ranges: readonly UnreadRange[]): UnreadRange | undefined {
    const range = this.#isOrdered
      ? ranges.find((each) => spansOf(each) >= 2)
      : ranges.toSorted((one, other) => spansOf(other) - spansOf(one))[0];
    if (range === undefined || spansOf(range) < 2) return undefined;
    const length = (range.to - range.from) / 2;
    const average = (this.#fill * this.#pageLength * this.#time) / Math.max(1, this.#rows);
    const few = spansInOrder * Math.max(range.width, average, longestUnsplit);
    const isNear = (this.#isOrdered && range.isSteady) || spansOf(range) <= nearSpans;
    const cut = roundToSecond(range.from + (this.#isOrdered && range.isSteady ? Math.min(length, few) : length));
    const [earlier, later] = [
      { from: range.from, to: cut },
      { from: cut, to: range.to },
    ];
    // The span that is being read is next to the other part, and shows nothing about what is far from it.
    const added = toUnread(this.#isBackward ? earlier : later, isNear ? range.width : Number.POSITIVE_INFINITY);
    Object.assign(range, this.#isBackward ? later : earlier);
    this.#ranges.splice(this.#ranges.indexOf(range) + (this.#isBackward ? 0 : 1), 0, added);
    return added;
  }
}

/** The number of requests for a range. */
function spansOf({ from, to, width }: UnreadRange): number {
  return (to - from) / Math.max(width, longestUnsplit);
}

function toUnread({ from, to }: TimeRange, width: number): UnreadRange {
  return { from, to, width, isReading: false, isSteady: false };
}

// `shares` are the widths of the parts relative to their durations, and `whole` that of a range that cannot be cut
// there.
function splitRange(
  range: TimeRange,
  cuts: readonly number[],
  whole: number,
  shares: readonly number[] = [],
): UnreadRange[] {
  const parts = cutAt(range, cuts.map(roundToSecond));
  return parts.map((part, index) =>
    toUnread(part, (part.to - part.from) * (parts.length === 1 ? whole : (shares[index] ?? 1))),
  );
}

/** The order of creation times on a page; undefined if it has none, or if all times are equal. */
export type ListOrder = 'ascending' | 'descending' | 'unordered' | undefined;

// Returns the time that many of the payments of a page have, or all of them.
function timeOfMany(times: readonly number[]): number | undefined {
  const sorted = times.toSorted((one, other) => one - other);
  const distance = Math.min(Math.ceil(times.length * manyEqual), times.length - 1);
  return sorted.find((time, index) => time === sorted[index + distance]);
}

/** Returns the order of times. */
export function orderOf(times: readonly number[]): ListOrder {
  const pairs = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const [rises, falls] = [pairs.some((step) => step > 0), pairs.some((step) => step < 0)];
  if (rises && falls) return 'unordered';
  return rises ? 'ascending' : falls ? 'descending' : undefined;
}

/**
 * Estimates how many payments the rest of a span has, from the creation times on its last pages; undefined if the list
 * is not ordered by time. It only decides how spans are split: a wrong estimate costs requests, but no payment is lost.
 */
export function estimateUnseen(span: TimeRange, times: readonly number[], order: ListOrder): number | undefined {
  if (order === 'unordered' || times.length === 0) return undefined;
  const sorted = times.toSorted((one, other) => one - other);
  // The half of the page that is next to the rest.
  const count = Math.ceil((sorted.length - 1) / 2);
  const [earliest = 0, latest = 0] = [sorted[0], sorted.at(-1)];
  const [duration, unseen] =
    order === 'ascending'
      ? [latest - (sorted[count] ?? 0), span.to - latest]
      : [(sorted[count] ?? 0) - earliest, earliest - span.from];
  return (Math.max(1, count) * Math.max(0, unseen)) / Math.max(1, duration);
}

/** Splits a span into parts of equal length, at most as many as wanted: a part must not become too short. */
export function splitEvenly(span: TimeRange, wanted: number): readonly TimeRange[] {
  const length = span.to - span.from;
  const parts = Math.max(1, Math.min(wanted, Math.floor(length / longestUnsplit)));
  const cuts = Array.from({ length: parts - 1 }, (_, index) => span.from + (length * (index + 1)) / parts);
  return cutAt(span, cuts.map(roundToSecond));
}

function roundToSecond(time: number): number {
  return Math.round(time / 1_000) * 1_000;
}
