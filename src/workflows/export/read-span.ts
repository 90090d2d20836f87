import type { ListedPayment, PaymentListParams } from '../../contract/schema/payments.js';
import type { PaymentStatus } from '../../contract/schema/payment-enums.js';
import { cursorRejections, pageSize } from '../../contract/schema/pagination.js';
import { ApiError, InvalidResponseError, PaginationError } from '../../errors/api.js';
import { CorridorError } from '../../errors/base.js';
import type { Page } from '../../core/pagination.js';
import type { RequestOptions } from '../../transport/request/request-options.js';
import { sleep } from '../../transport/timing/sleep.js';
import type { Timing } from '../../transport/timing/timers.js';
import { createdAtOf, filterMargin, latestTimeOf, toFilterEnd, toFilterStart, toFilterTime } from '../platform-time.js';
import type { ListPayments } from '../context.js';
import type { TimeRange } from './time-range.js';

/** How to read the spans of an export. */
export interface SpanSource {
  readonly list: ListPayments;
  readonly request: RequestOptions;
  readonly status: PaymentStatus | undefined;
  /** The start of the range, if the request must not have one because the caller set none. */
  readonly openStart: number | undefined;
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
  const times = page.items.map((payment) => timeOf(payment, span));
  return { payments: paymentsOf(page.items, times, span, source), times, isComplete: !page.hasMore, page };
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
  timing: Timing,
  endpoint: string,
): Promise<readonly ListedPayment[]> {
  let { page } = first;
  let previous: string | undefined;
  let cause: unknown;
  for (const delay of [...delays, undefined]) {
    try {
      const rows: ListedPayment[] = [...page.items];
      for (let next = await page.getNextPage(); next !== undefined; next = await next.getNextPage())
        rows.push(...next.items);
      const times = rows.map((payment) => timeOf(payment, span));
      const reading = JSON.stringify(rows.map(({ id, status, updatedAt }) => [id, status, updatedAt]));
      if (!page.hasMore || reading === previous) return paymentsOf(rows, times, span, source);
      previous = reading;
    } catch (error) {
      if (!isCausedByChange(error)) throw error;
      cause = error;
      previous = undefined;
    }
    if (delay === undefined) break;
    if (delay > 0) await sleep(timing, delay * 1_000, source.request.signal, endpoint);
    page = await source.list(queryOf(span, source), source.request);
  }
  throw new PaginationError(
    `${endpoint}: the payments created from ${toFilterTime(span.from)} to ${toFilterTime(span.to)} change faster than they can be read, so some could be missing. Continue from the last checkpoint when fewer payments change`,
    { endpoint: 'payments.list', outcome: 'applied', cause },
  );
}

// If the payment of a cursor is removed, or moves to the end of the list, the cursor is rejected, or returned again.
function isCausedByChange(error: unknown): boolean {
  if (!(error instanceof CorridorError) || error.cursor === undefined) return false;
  return error instanceof PaginationError || (error instanceof ApiError && cursorRejections.includes(error.status));
}

function queryOf({ from, to }: TimeRange, { status, openStart }: SpanSource): PaymentListParams {
  return {
    status,
    limit: pageSize.largest,
    ...(from === openStart ? {} : { createdFrom: toFilterStart(from) }),
    createdTo: toFilterEnd(to),
  };
}

// The requests overlap: a payment belongs to one span, by its creation time. A status can change between the filter and
// the response, and a platform can ignore the filter.
function paymentsOf(
  rows: readonly ListedPayment[],
  times: readonly number[],
  { from, to }: TimeRange,
  { status }: SpanSource,
): readonly ListedPayment[] {
  const payments = new Map<string, ListedPayment>();
  for (const [index, payment] of rows.entries()) {
    const time = times[index] ?? Number.NaN;
    if (time >= from && time < to && (status === undefined || payment.status === status))
      payments.set(payment.id, payment);
  }
  return [...payments.values()];
}

function timeOf(payment: ListedPayment, { from, to }: TimeRange): number {
  // A row can be any value if `validation` is `observe`.
  const { id, createdAt } = Object(payment) as ListedPayment;
  if (typeof id !== 'string' || typeof createdAt !== 'string')
    throw unusableRow(
      'a payment has no id or no createdAt, so it cannot be exported. Use payments.list instead, and report this to the platform',
      'items[]',
      'must be a payment',
    );
  const time = createdAtOf({ createdAt });
  const latest = latestTimeOf(createdAt);
  if (latest - time > 1_000)
    throw unusableRow(
      `the creation time of payment ${id} is less precise than a second, so it cannot be assigned to a span. Use payments.list instead`,
      'createdAt',
      'must have seconds',
    );
  if (latest < Math.floor(from / 1_000) * 1_000 - 2 * filterMargin || time > to + 3 * filterMargin)
    throw unusableRow(
      `payment ${id} was created at ${createdAt}, outside of the requested time range ${toFilterTime(from)} to ${toFilterTime(to)}: the platform ignores createdFrom or createdTo. Check dialect.filterNames`,
      'createdAt',
      'must be in the requested time range',
    );
  return time;
}

function unusableRow(message: string, path: string, rule: string): InvalidResponseError {
  return new InvalidResponseError(`payments.list: ${message}`, {
    endpoint: 'payments.list',
    outcome: 'applied',
    issues: [{ path, message: rule }],
  });
}
