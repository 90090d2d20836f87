import type { ListedPayment, PaymentListParams } from '../../contract/schema/payments.js';
import type { PaymentStatus } from '../../contract/schema/payment-enums.js';
import { cursorRejections, pageSize } from '../../contract/schema/pagination.js';
import { ApiError, ConfigurationError, InvalidResponseError } from '../../errors/api.js';
import type { Page } from '../../core/pagination.js';
import type { RequestOptions } from '../../transport/request/request-options.js';
import { createdAtOf, filterMargin, latestTimeOf, toFilterEnd, toFilterStart, toFilterTime } from '../platform-time.js';
import type { ListPayments } from '../context.js';
import type { TimeRange } from './time-range.js';

// The ids that are compared to recognize a payment that a list returns twice. Repetitions are close together.
const maxIds = 100_000;

/** How to read the spans of an export. */
export interface SpanSource {
  readonly list: ListPayments;
  readonly request: RequestOptions;
  readonly status: PaymentStatus | undefined;
  /** The start of the range, if the request must not have one because the caller set none. */
  readonly openStart: number | undefined;
}

/** The payments of one page that belong to a span. */
export interface SpanPage {
  readonly payments: readonly ListedPayment[];
  /** The creation times of all rows, in the order of the list. */
  readonly times: readonly number[];
  /** The cursor of the next page; undefined if the span is complete. */
  readonly nextCursor: string | undefined;
}

/** Reads the payments that were created in a time range, page by page. */
export class SpanReader implements TimeRange {
  readonly from: number;
  readonly to: number;
  /** The ids of payments that were delivered before the span was split off. */
  readonly delivered: readonly ReadonlySet<string>[];
  /** The cursor at which it starts, if it continues an earlier export. */
  readonly startCursor: string | undefined;
  /** The ids of the payments read, in order. */
  readonly ids = new Set<string>();
  /** The number of pages read. */
  pages = 0;
  /** The estimated number of its payments. */
  expected: number | undefined;
  #page: Page<ListedPayment> | undefined;

  constructor({ from, to }: TimeRange, delivered: readonly ReadonlySet<string>[] = [], startCursor?: string) {
    this.from = from;
    this.to = to;
    this.delivered = delivered;
    this.startCursor = startCursor;
  }

  /** Reads the next page. Its payments count as read after `accept`. */
  async next(source: SpanSource): Promise<SpanPage> {
    const page = await (this.#page === undefined ? this.#firstPage(source) : this.#page.getNextPage());
    this.#page = page;
    this.pages += 1;
    const items = page?.items ?? [];
    const times = items.map((payment) => this.#timeOf(payment));
    // The overlap belongs to the neighbor. A status can change between the filter and the response.
    const payments = items.filter(
      ({ status }, index) =>
        (times[index] ?? 0) >= this.from &&
        (times[index] ?? 0) < this.to &&
        (source.status === undefined || status === source.status),
    );
    // `getNextPage` rejects a page that has no usable cursor.
    return { payments, times, nextCursor: page?.hasMore === true ? (page.nextCursor ?? '') : undefined };
  }

  /** Returns the payments that were not read before, and remembers them. */
  accept(payments: readonly ListedPayment[]): ListedPayment[] {
    return payments.filter(({ id }) => {
      if (this.ids.has(id) || this.delivered.some((ids) => ids.has(id))) return false;
      this.ids.add(id);
      if (this.ids.size > maxIds) this.ids.delete(this.ids.values().next().value ?? '');
      return true;
    });
  }

  async #firstPage(source: SpanSource): Promise<Page<ListedPayment>> {
    try {
      return await source.list(this.#query(source), source.request);
    } catch (error) {
      if (this.startCursor === undefined || !(error instanceof ApiError) || !cursorRejections.includes(error.status))
        throw error;
      const { status, requestId, attempts } = error;
      throw new ConfigurationError(
        `the platform rejected the cursor of the checkpoint for payments created from ${toFilterTime(this.from)} to ${toFilterTime(this.to)} (status ${status}): it may have expired. Start again without a checkpoint`,
        { endpoint: 'payments.export', outcome: 'rejected', requestId, attempts, cause: error },
      );
    }
  }

  #query({ status, openStart }: SpanSource): PaymentListParams {
    return {
      status,
      limit: pageSize.largest,
      ...(this.from === openStart ? {} : { createdFrom: toFilterStart(this.from) }),
      createdTo: toFilterEnd(this.to),
      ...(this.startCursor === undefined ? {} : { cursor: this.startCursor }),
    };
  }

  #timeOf(payment: ListedPayment): number {
    // A row can be any value if `validation` is `observe`.
    const { id, createdAt } = Object(payment) as ListedPayment;
    if (typeof id !== 'string' || typeof createdAt !== 'string')
      throw unusableRow(
        'a payment has no id or no createdAt, so it cannot be exported',
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
    const isOutside =
      latest < Math.floor(this.from / 1_000) * 1_000 - 2 * filterMargin || time > this.to + 3 * filterMargin;
    if (isOutside)
      throw unusableRow(
        `payment ${id} was created at ${createdAt}, outside of the requested time range ${toFilterTime(this.from)} to ${toFilterTime(this.to)}: the platform ignores createdFrom or createdTo. Check dialect.filterNames`,
        'createdAt',
        'must be in the requested time range',
      );
    return time;
  }
}

function unusableRow(message: string, path: string, rule: string): InvalidResponseError {
  return new InvalidResponseError(`payments.list: ${message}`, {
    endpoint: 'payments.list',
    outcome: 'applied',
    issues: [{ path, message: rule }],
  });
}
