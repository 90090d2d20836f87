import { paymentStatuses, type ListedPayment, type PaymentListParams } from '../../contract/schema/payments.js';
import { knownOrUnknown } from '../../contract/schema/schema.js';
import { cursorRejections, pageSize } from '../../contract/schema/pagination.js';
import { ApiError, PaginationError, CorridorError, type InvalidResponseError } from '../../errors/api.js';
import { parseTime, latestTimeOf } from '../../contract/schema/time.js';
import type { Page } from '../../core/pagination.js';
import type { RequestOptions } from '../../transport/request-options.js';
import type { Deadline } from '../../transport/deadline.js';
import {
  createdAtOf,
  filterMargin,
  toFilterEnd,
  toFilterStart,
  toFilterTime,
  UnreadableTimeError,
} from '../platform-time.js';
import { unusableRow, type ListPayments } from '../context.js';

/** How to read the spans of an export. */
export interface SpanSource {
  readonly list: ListPayments;
  readonly request: RequestOptions;
  readonly status: string | undefined;
  /** The start of the range, if the request must not have one because the caller set none. */
  readonly openStart: number | undefined;
  /** Receives what otherwise ends an export. */
  readonly tolerance?: SpanTolerance | undefined;
}

/** What a caller does with rows and spans that an export cannot deliver as a whole. */
export interface SpanTolerance {
  /** Receives a row that belongs to no span, because it has no id or no readable creation time. */
  onOdd(row: unknown): void;
  /** Receives a span that changes faster than it can be read: the payments that were seen are delivered. */
  onUnstable(span: TimeRange): void;
}

/** The first page of a span. */
export interface SpanPage {
  /** The payments that belong to the span, each once. */
  readonly payments: readonly ListedPayment[];
  /** The creation times of all rows, in the order of the list. */
  readonly times: readonly number[];
  /** Whether the page has all rows of the span. */
  readonly isComplete: boolean;
  readonly page: Page<ListedPayment>;
}

/**
 * Reads the first page of the payments that were created in a time range. If it is complete, no payment can be missing,
 * however the platform sorts its list and whatever its cursors mean, because nothing can change within a page.
 */
export async function readPage(span: TimeRange, source: SpanSource): Promise<SpanPage> {
  const page = await source.list(queryOf(span, source), source.request);
  const all = page.items.map((payment) => timeOf(payment, span, source));
  const times = all.filter(Number.isFinite);
  const outside = all.indexOf(Number.POSITIVE_INFINITY);
  if (all.filter((time) => time === Number.POSITIVE_INFINITY).length > Math.max(maxOutside, all.length / 2))
    throw outsideOf(span, page.items[outside]);
  // A span cannot be split by times that cannot be read.
  if (page.hasMore && times.length < all.length / 2)
    throw new UnreadableTimeError('most creation times of a page cannot be read, so that its list cannot be split');
  return { payments: paymentsOf(page.items, all, span, source), times, isComplete: !page.hasMore, page };
}

// Delays in seconds before a span is read again: at first none, because most spans do not change.
const delays = [0, 1, 2, 4, 8, 16, 32, 64];

/**
 * Reads all pages of a span that is too short to split, beginning with its first page. Payments that change, appear or
 * disappear meanwhile can move others from a page that is not read yet to one that is, so the pages are read until two
 * readings have the same rows.
 */
export async function readAllPages(
  span: TimeRange,
  first: SpanPage,
  source: SpanSource,
  deadline: Deadline,
): Promise<readonly ListedPayment[]> {
  let { page } = first;
  const { tolerance } = source;
  const seen = new Map<string, ListedPayment>();
  let previous: string | undefined;
  let cause: unknown;
  for (const delay of [...(tolerance === undefined ? delays : delays.slice(0, 2)), undefined]) {
    try {
      const rows: ListedPayment[] = [];
      for await (const { items } of page.pages()) rows.push(...items);
      const reading = JSON.stringify(rows.map(versionOf));
      const payments = paymentsOf(rows, undefined, span, source);
      if (!page.hasMore || reading === previous) return payments;
      for (const payment of payments) seen.set(payment.id, payment);
      previous = reading;
    } catch (error) {
      if (!isCausedByChange(error)) throw error;
      cause = error;
      previous = undefined;
    }
    if (delay === undefined) break;
    if (delay > 0) await deadline.sleep(delay * 1_000);
    page = await source.list(queryOf(span, source), source.request);
  }
  if (tolerance !== undefined) {
    tolerance.onUnstable(span);
    return [...seen.values()];
  }
  throw new PaginationError(
    `${deadline.endpoint}: the payments created from ${toFilterTime(span.from)} ` +
      `to ${toFilterTime(span.to)} change faster than they can be read, so some could be ` +
      'missing. Continue from the last checkpoint when fewer payments change',
    { endpoint: 'payments.list', outcome: 'applied', cause },
  );
}

// If the payment of a cursor is removed, or moves to the end of the list, the cursor is rejected, or returned again.
// The error of a list that never ends has no cursor.
function isCausedByChange(error: unknown): boolean {
  if (!(error instanceof CorridorError) || error.cursor === undefined) return false;
  return error instanceof PaginationError || (error instanceof ApiError && cursorRejections.includes(error.status));
}

function queryOf({ from, to }: TimeRange, { status, openStart }: SpanSource): PaymentListParams {
  return {
    ...(status === undefined ? {} : { status: knownOrUnknown(paymentStatuses, status) }),
    limit: pageSize.largest,
    ...(from === openStart ? {} : { createdFrom: toFilterStart(from) }),
    createdTo: toFilterEnd(to),
  };
}

// A row can be any value if it is tolerated.
function versionOf(row: ListedPayment): readonly unknown[] {
  const { id, status, updatedAt } = Object(row) as ListedPayment;
  return [id, status, updatedAt];
}

// The requests overlap: a payment belongs to one span, by its creation time. A status can change between the filter and
// the response, and a platform can ignore the filter.
function paymentsOf(
  rows: readonly ListedPayment[],
  times: readonly number[] | undefined,
  span: TimeRange,
  source: SpanSource,
): readonly ListedPayment[] {
  const { from, to } = span;
  const { status } = source;
  const payments = new Map<string, ListedPayment>();
  for (const [index, payment] of rows.entries()) {
    const time = times?.[index] ?? timeOf(payment, span, source);
    if (time >= from && time < to && (status === undefined || payment.status === status))
      payments.set(payment.id, payment);
  }
  return [...payments.values()];
}

// Returns NaN for a row that belongs to no span, and infinity for one outside of the span, if that is tolerated.
function timeOf(payment: ListedPayment, span: TimeRange, { openStart, tolerance }: SpanSource): number {
  const { from, to } = span;
  // A row can be any value if `validation` is `observe`.
  const { id, createdAt } = Object(payment) as ListedPayment;
  const time = parseTime(createdAt);
  const latest = latestTimeOf(createdAt);
  if (tolerance === undefined) assertUsable(payment);
  else if (typeof id !== 'string' || !(latest - time <= 1_000)) {
    tolerance.onOdd(payment);
    return Number.NaN;
  }
  // A list without a start also has payments from before the range.
  const isEarly = from !== openStart && latest < Math.floor(from / 1_000) * 1_000 - 2 * filterMargin;
  if (isEarly || time > to + 3 * filterMargin) {
    if (tolerance === undefined) throw outsideOf(span, payment);
    tolerance.onOdd(payment);
    return Number.POSITIVE_INFINITY;
  }
  return from === openStart ? Math.max(from, time) : time;
}

// Rows of a page that are outside of the time range: more of them, and most of the page, show that its filters are
// ignored.
const maxOutside = 10;

function outsideOf({ from, to }: TimeRange, payment: unknown): InvalidResponseError {
  const { id, createdAt } = Object(payment) as ListedPayment;
  return unusableRow(
    `payment ${id} was created at ${createdAt}, outside of the requested time range ${toFilterTime(from)} ` +
      `to ${toFilterTime(to)}: the platform ignores createdFrom or createdTo. Check dialect.filterNames`,
    [{ path: 'createdAt', message: 'must be in the requested time range' }],
  );
}

function assertUsable(payment: ListedPayment): void {
  const { id, createdAt } = Object(payment) as ListedPayment;
  if (typeof id !== 'string')
    throw unusableRow(
      'a payment has no id, so it cannot be exported. Use payments.list instead, and report this to the platform',
      [{ path: 'items[]', message: 'must be a payment' }],
    );
  if (latestTimeOf(createdAt) - createdAtOf({ createdAt }) > 1_000)
    throw new UnreadableTimeError(
      `the creation time of payment ${id} is less precise than a second, so it ` +
        'cannot be assigned to a span. Use payments.list instead',
      'must have seconds',
    );
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
 *
 * To halve a span that does not fit would be 100 lines less, and needs more than twice as many requests for payments
 * that are spread evenly (29 instead of 13 for ten pages), and a third more on average of the lists of the tests (1,116
 * instead of 851), which then take 22 % longer. To divide it by the number of its payments that its page lets expect
 * needs 57 % more on average.
 */
export class Unread {
  // Sorted.
  readonly #rests: Rest[];
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
    const spans = spansOf(rest);
    const whole = Math.floor(spans);
    const parts = rest.isSteady && spans * this.#fill <= whole * nearlyFull ? whole : Math.ceil(spans);
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
    const target = this.#fill * (this.#pageLength || pageSize.largest);
    const width = (to - from) * Math.min(maxGrowth, target / Math.max(1, times.length));
    rest.isReading = false;
    rest.isSteady = times.length > target / 4;
    if (rest.isSteady) this.#fill = Math.min(fill.most, this.#fill + fill.increase);
    rest.width = rest.isSteady ? Math.sqrt(rest.width * width) : Math.max(rest.width, width);
    this.#rows += times.length;
    this.#time += to - from;
  }

  /** Returns a span whose payments do not fit on a page, to be split. Returns false if it is too short. */
  split(span: Span, { times }: SpanPage): boolean {
    const { rest, to } = span;
    if (rest.isSteady) this.#fill = Math.max(fill.least, this.#fill - fill.decrease);
    rest.isReading = false;
    rest.isSteady = false;
    if (to - span.from <= longestUnsplit) return false;
    this.#pageLength = Math.max(this.#pageLength, times.length);
    if (orderOf(times) === 'descending' && !this.#isOrdered) this.#isBackward = true;
    if (this.#giveBack(span, times)) return true;
    const parts = this.#partsOf(span, times);
    const next = parts.at(this.#isBackward ? 0 : -1);
    rest.width = Math.min(rest.width, next?.width ?? rest.width);
    const index = this.#rests.findIndex((other) => other.from >= to);
    this.#rests.splice(index === -1 ? this.#rests.length : index, 0, ...parts);
    return true;
  }

  // Adds a span that has a few payments too many to the range next to it. Returns false if it has more, if that range
  // is read already, or if the next span would be as long.
  #giveBack({ from, to, rest }: Span, times: readonly number[]): boolean {
    const target = this.#fill * this.#pageLength;
    const unseen = estimateRest({ from, to }, times, orderOf(times) ?? 'unordered') ?? Number.POSITIVE_INFINITY;
    const isNext = this.#rests.includes(rest) && (this.#isBackward ? rest.to === from : rest.from === to);
    const width = Math.max(longestUnsplit, (to - from) * (target / (times.length + unseen)));
    if (!isNext || unseen > target || width > to - from - 1_000) return false;
    rest[this.#isBackward ? 'to' : 'from'] = this.#isBackward ? to : from;
    rest.width = width;
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
    const target = this.#fill * this.#pageLength;
    const average = ((to - from) * this.#rows) / this.#time || unknownPages * times.length;
    const unseen = estimateRest(span, times, order) ?? Math.max(times.length, average);
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
    const average = (this.#fill * this.#pageLength * this.#time) / Math.max(1, this.#rows);
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

// `shares` are the widths of the parts relative to their durations, and `whole` that of a range that cannot be cut
// there.
function restsOf(range: TimeRange, cuts: readonly number[], whole: number, shares: readonly number[] = []): Rest[] {
  const parts = cutAt(range, cuts.map(roundToSecond));
  return parts.map((part, index) =>
    restOf(part, (part.to - part.from) * (parts.length === 1 ? whole : (shares[index] ?? 1))),
  );
}

/** The order of creation times on a page; undefined if it has none, or if all times are equal. */
export type ListOrder = 'ascending' | 'descending' | 'unordered' | undefined;

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
export function estimateRest(span: TimeRange, times: readonly number[], order: ListOrder): number | undefined {
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
