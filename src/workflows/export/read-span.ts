import type { ListedPayment, PaymentListParams } from '../../contract/schema/payments.js';
import { cursorRejections, pageSize } from '../../contract/schema/page.js';
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
import { toParams, type PaymentExportFilters } from './query.js';
import type { TimeRange } from './spans.js';

/** How to read the spans of an export. */
export interface SpanSource {
  readonly list: ListPayments;
  readonly request: RequestOptions;
  readonly filters: PaymentExportFilters;
  /** The start of the range, if the request must not have one because the caller set none. */
  readonly openStart: number | undefined;
  /** Receives what otherwise ends an export. */
  readonly handlers?: SpanHandlers | undefined;
}

/** What a caller does with rows and spans that an export cannot deliver as a whole. */
export interface SpanHandlers {
  /** Receives a row that belongs to no span, because it has no id or no readable creation time. */
  onUnassigned(row: unknown): void;
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
 * readings have the same rows, and none twice.
 */
export async function readAllPages(
  span: TimeRange,
  first: SpanPage,
  source: SpanSource,
  deadline: Deadline,
): Promise<readonly ListedPayment[]> {
  let { page } = first;
  const { handlers } = source;
  const seen = new Map<string, ListedPayment>();
  let previous: string | undefined;
  let cause: unknown;
  for (const delay of [...(handlers === undefined ? delays : delays.slice(0, 2)), undefined]) {
    try {
      const rows: ListedPayment[] = [];
      for await (const { items } of page.pages()) rows.push(...items);
      const reading = JSON.stringify(rows.map(versionOf));
      const payments = paymentsOf(rows, undefined, span, source);
      // A payment that is there twice has moved, and others may have moved past the reading: the next can be the same.
      const ids = rows.map((row) => versionOf(row)[0]).filter((id) => typeof id === 'string');
      const hasMoved = new Set(ids).size < ids.length;
      if (!page.hasMore || (reading === previous && !hasMoved)) return payments;
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
  if (handlers !== undefined) {
    handlers.onUnstable(span);
    return [...seen.values()];
  }
  throw new PaginationError(
    `${deadline.endpoint}: the payments created from ${toFilterTime(span.from)} ` +
      `to ${toFilterTime(span.to)} change faster than they can be read, so some could be ` +
      'missing. Continue from the last checkpoint when fewer payments change',
    { endpoint: 'payments.list', outcome: 'applied', retryable: true, cause },
  );
}

// If the payment of a cursor is removed, or moves to the end of the list, the cursor is rejected, or returned again.
// The error of a list that never ends has no cursor.
function isCausedByChange(error: unknown): boolean {
  if (!(error instanceof CorridorError) || error.cursor === undefined) return false;
  return error instanceof PaginationError || (error instanceof ApiError && cursorRejections.includes(error.status));
}

function queryOf({ from, to }: TimeRange, { filters, openStart }: SpanSource): PaymentListParams {
  return {
    ...toParams(filters),
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
  const { status } = source.filters;
  const payments = new Map<string, ListedPayment>();
  for (const [index, payment] of rows.entries()) {
    const time = times?.[index] ?? timeOf(payment, span, source);
    if (time >= from && time < to && (status === undefined || payment.status === status))
      payments.set(payment.id, payment);
  }
  return [...payments.values()];
}

// Returns NaN for a row that belongs to no span, and infinity for one outside of the span, if that is tolerated.
function timeOf(payment: ListedPayment, span: TimeRange, { openStart, handlers }: SpanSource): number {
  const { from, to } = span;
  // A row can be any value if `validation` is `observe`.
  const { id, createdAt } = Object(payment) as ListedPayment;
  const time = parseTime(createdAt);
  const latest = latestTimeOf(createdAt);
  if (handlers === undefined) assertUsable(payment);
  else if (typeof id !== 'string' || !(latest - time <= 1_000)) {
    handlers.onUnassigned(payment);
    return Number.NaN;
  }
  // A list without a start also has payments from before the range.
  const isEarly = from !== openStart && latest < Math.floor(from / 1_000) * 1_000 - 2 * filterMargin;
  if (isEarly || time > to + 3 * filterMargin) {
    if (handlers === undefined) throw outsideOf(span, payment);
    handlers.onUnassigned(payment);
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
