import { cutAt, type TimeRange } from './time-range.js';

// A span shorter than this is not split: neighboring spans overlap by two seconds, which must remain a small part.
const shortestSpan = 10_000;
const maxParts = 16;
// A count that is extrapolated further than this says little about where the payments are.
const maxExtrapolation = 256;

/** The order of creation times on a page; undefined if it has none, or if all times are equal. */
export type ListOrder = 'ascending' | 'descending' | 'unordered' | undefined;

/** Returns the order of times. */
export function orderOf(times: readonly number[]): ListOrder {
  const pairs = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const [rises, falls] = [pairs.some((step) => step > 0), pairs.some((step) => step < 0)];
  if (rises && falls) return 'unordered';
  return rises ? 'ascending' : falls ? 'descending' : undefined;
}

/** What the last pages of a span show about the rest of it. */
export interface Density {
  /** The creation times on these pages, in the order of the list. */
  readonly times: readonly number[];
  /** The order of the list, as far as it is known. */
  readonly order: ListOrder;
}

/**
 * Estimates how many payments the rest of a span has; undefined if the list is not ordered by time. It only decides how
 * spans are split: a wrong estimate costs requests, but no payment is lost.
 */
export function estimateRest(span: TimeRange, { times, order }: Density): number | undefined {
  if (order === 'unordered' || times.length === 0) return undefined;
  const sorted = times.toSorted((one, other) => one - other);
  // The half of the page that is next to the rest.
  const count = Math.ceil((sorted.length - 1) / 2);
  const [earliest = 0, latest = 0] = [sorted[0], sorted.at(-1)];
  const [duration, rest] =
    order === 'ascending'
      ? [latest - (sorted[count] ?? 0), span.to - latest]
      : [(sorted[count] ?? 0) - earliest, earliest - span.from];
  return (Math.max(1, count) * Math.max(0, rest)) / Math.max(1, duration);
}

/** How to split a span. */
export interface SplitOptions {
  /** The number of payments that a part should have. */
  readonly size: number;
  /** The number of requests that could be sent besides those for known spans. */
  readonly free: number;
}

/**
 * Splits a span into parts of about `size` payments, as far as its density is known: by the payments on its page if the
 * list is unordered, into growing parts if the estimate is extrapolated far, or else into equal parts. Returns the span
 * itself if it is too short to split.
 */
export function split(span: TimeRange, density: Density, { size, free }: SplitOptions): readonly TimeRange[] {
  const { times, order } = density;
  const estimate = estimateRest(span, density);
  if (estimate === undefined) return cutApart(span, quantiles(times));
  const [earliest, latest] = extremes(times);
  const isAscending = order === 'ascending';
  const bound = isAscending ? latest : earliest;
  const rest: TimeRange = isAscending ? { from: bound, to: span.to } : { from: span.from, to: bound };
  const cuts =
    estimate > size * maxExtrapolation
      ? growing(rest, isAscending, Math.max(shortestSpan, ((rest.to - rest.from) * size) / estimate), free)
      : equal(rest, Math.min(maxParts, Math.max(2, Math.ceil(estimate / size))));
  return cutApart(span, cuts);
}

function cutApart(span: TimeRange, cuts: readonly number[]): readonly TimeRange[] {
  const kept: number[] = [];
  for (const cut of cuts.map(roundToSecond).toSorted((one, other) => one - other))
    if (cut - (kept.at(-1) ?? span.from) >= shortestSpan && span.to - cut >= shortestSpan) kept.push(cut);
  return cutAt(span, kept);
}

function equal({ from, to }: TimeRange, parts: number): number[] {
  return Array.from({ length: parts - 1 }, (_, index) => from + ((to - from) * (index + 1)) / parts);
}

// The page lies in a burst that ends somewhere: the first parts have as many payments as a part should have if the burst
// goes on, and the remainder has a part for each request that could be sent, to find other bursts.
function growing({ from, to }: TimeRange, isAscending: boolean, first: number, free: number): number[] {
  const near = [1, 3, 7].map((count) => count * first).filter((width) => width < to - from);
  const known = near.at(-1) ?? first;
  const ratio = Math.max(1, (to - from) / known) ** (1 / (free + 1));
  const far = Array.from({ length: free }, (_, index) => known * ratio ** (index + 1));
  return [...near, ...far].map((width) => (isAscending ? from + width : to - width));
}

// The page of an unordered list is a sample of the whole span.
function quantiles(times: readonly number[]): number[] {
  const sorted = times.toSorted((one, other) => one - other);
  return Array.from({ length: 7 }, (_, index) => sorted[Math.floor((sorted.length * (index + 1)) / 8)] ?? Number.NaN);
}

function extremes(times: readonly number[]): readonly [earliest: number, latest: number] {
  return [
    times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY),
    times.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY),
  ];
}

function roundToSecond(time: number): number {
  return Math.round(time / 1_000) * 1_000;
}
