import type { ListedPayment, PaymentListParams } from '../../contract/schema/payments.js';
import type { Deadline } from '../../transport/deadline.js';
import { AdaptiveRateLimiter } from '../../transport/limits.js';
import { createdAtOf } from '../platform-time.js';
import type { ExportPosition } from './checkpoint.js';
import { addRange, gaps, type TimeRange, SpanQueue, type Span } from './spans.js';
import { readAllPages, readPage, type SpanSource } from './read-span.js';
import { RateLimitError } from '../../errors/api.js';
import { createPagePromise } from '../../core/pagination.js';
import { maxRetryAfter } from '../backoff.js';
import type { RequestOptions } from '../../transport/request-options.js';
import type { ValidationMode } from '../../transport/response.js';
import type { ListPayments, WorkflowContext } from '../context.js';

/** What an export needs. */
export interface ExportRunOptions {
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly source: SpanSource;
  readonly position: ExportPosition;
  readonly deadline: Deadline;
}

/** The payments of a span. */
interface Batch extends TimeRange {
  readonly payments: readonly ListedPayment[];
}

// Spans that wait for an earlier one because of the order of creation, for each concurrent request.
const maxWaiting = 4;
// Pages that are being read or wait for the consumer, for each concurrent request, so that one that is being processed
// does not keep the next request from being sent; and how many of those that wait are delivered together.
const pagesPerRequest = 2;
const maxJoined = 5;

/**
 * Reads the spans of an export concurrently. A request is only sent if there is space for its page, so that a slow
 * consumer stops the requests.
 */
export class ExportRun {
  readonly #options: ExportRunOptions;
  readonly #queue: SpanQueue;
  readonly #reading = new Set<Span>();
  readonly #batches: Batch[] = [];
  // Only for the order of creation: spans that wait for an earlier one, earliest first.
  #waiting: readonly Batch[] = [];
  #position: ExportPosition;
  #error: { readonly error: unknown } | undefined;
  #resume: () => void = () => {};

  constructor(options: ExportRunOptions) {
    this.#options = options;
    this.#position = options.position;
    const { range, done, order } = options.position;
    this.#queue = new SpanQueue(gaps(range, done), order === 'created');
  }

  /** The position after the last batch. */
  get position(): ExportPosition {
    return this.#position;
  }

  /** Yields the payments in batches. */
  async *batches(): AsyncGenerator<readonly ListedPayment[], void, undefined> {
    const { deadline } = this.#options;
    try {
      for (;;) {
        deadline.throwIfAborted('reading its pages');
        this.#fill();
        const batches = this.#batches.splice(0, maxJoined);
        if (batches.length > 0) {
          const payments = batches.flatMap((batch) => batch.payments);
          const { items, done } = this.#position;
          this.#position = {
            ...this.#position,
            items: items + payments.length,
            done: batches.reduce<readonly TimeRange[]>((ranges, batch) => addRange(ranges, batch), done),
          };
          this.#fill();
          if (payments.length > 0) yield payments;
          continue;
        }
        if (this.#error !== undefined) throw this.#error.error;
        if (this.#reading.size === 0) break;
        const filled = new Promise<void>((resolve) => (this.#resume = resolve));
        await deadline.wait(filled, 'reading its pages');
      }
      const { range, done } = this.#position;
      if (gaps(range, done).length > 0) throw new Error(`${deadline.endpoint} ended before its time range was read`);
    } finally {
      this.#error ??= { error: undefined };
    }
  }

  #fill(): void {
    const { concurrency } = this.#options;
    while (
      this.#error === undefined &&
      this.#reading.size < concurrency &&
      this.#reading.size + this.#batches.length < pagesPerRequest * concurrency
    ) {
      // A span that others wait for must be read in any case.
      const [first] = this.#waiting.length < maxWaiting * concurrency ? [] : this.#waiting;
      const span = this.#queue.next(first?.from ?? Number.POSITIVE_INFINITY);
      if (span === undefined) return;
      this.#reading.add(span);
      void this.#read(span);
    }
  }

  async #read(span: Span): Promise<void> {
    const { source, deadline } = this.#options;
    try {
      const page = await readPage(span, source);
      if (page.isComplete) {
        this.#queue.complete(span, page.times);
        this.#add(span, page.payments);
      } else if (!this.#queue.split(span, page.times))
        this.#add(span, await readAllPages(span, page, source, deadline));
    } catch (error) {
      this.#error ??= { error };
    }
    this.#reading.delete(span);
    // The spans after one that failed still wait for it.
    if (this.#error === undefined) this.#release();
    this.#fill();
    this.#resume();
  }

  #add({ from, to }: Span, payments: readonly ListedPayment[]): void {
    if (this.#position.order === 'any') this.#batches.push({ from, to, payments });
    else
      this.#waiting = [...this.#waiting, { from, to, payments: payments.toSorted(byCreation) }].toSorted(
        (one, other) => one.from - other.from,
      );
  }

  // Delivers the spans that have no unread span before them.
  #release(): void {
    const unread = [...this.#reading].reduce((earliest, { from }) => Math.min(earliest, from), this.#queue.from);
    this.#batches.push(...this.#waiting.filter(({ from }) => from < unread));
    this.#waiting = this.#waiting.filter(({ from }) => from >= unread);
  }
}

function byCreation(one: ListedPayment, other: ListedPayment): number {
  const difference = createdAtOf(one) - createdAtOf(other);
  if (difference !== 0) return difference;
  return one.id < other.id ? -1 : 1;
}

// Requests in a row that the platform rejected with 429, each after its own delay.
const maxRejections = 50;

/**
 * Lists payments at the rate that the platform accepts, and retries a page that it rejects with 429 for longer than the
 * client does. The caller has checked the options. `onRequests` is called after each call with the number of requests
 * that it sent.
 */
export function createThrottledList(
  { sender, timing, options: client }: WorkflowContext,
  deadline: Deadline,
  options: RequestOptions,
  onRequests: (count: number) => void,
  validation?: ValidationMode,
): ListPayments {
  const longest = Math.min(options.maxRetryAfter ?? client.maxRetryAfter, maxRetryAfter);
  const limiter = new AdaptiveRateLimiter(timing, maxRetryAfter);
  const mode = { validation, isBackground: true, areOptionsChecked: true };
  const fetch = async (query: PaymentListParams, each: RequestOptions) => {
    for (let rejections = 0; ; rejections += 1) {
      const permit = limiter.acquire(false);
      await deadline.wait(permit.ready, 'waiting').finally(permit.release);
      const sentAt = timing.elapsed();
      try {
        const response = await sender.send('payments.list', { query }, each, mode);
        const { attempts } = response.metadata;
        onRequests(attempts.length);
        limiter.accepted();
        if (attempts.some(({ status }) => status === 429)) limiter.rejected(sentAt, 0);
        return response;
      } catch (error) {
        if (!(error instanceof RateLimitError)) throw error;
        onRequests(error.attempts.length);
        const { retryAfterMs = 1_000 * 2 ** Math.min(rejections, 6) } = error;
        if (rejections >= maxRejections || retryAfterMs > longest) throw error;
        limiter.rejected(sentAt, retryAfterMs);
      }
    }
  };
  return (params, request) => createPagePromise(sender, 'payments.list', params, request, fetch, mode);
}

/** The progress of an export. */
export interface ExportProgress {
  /** The part of the time range that is done, from 0 to 1. */
  readonly done: number;
  /** The number of payments delivered, including those before the checkpoint. */
  readonly items: number;
  /** The number of requests sent by this run. */
  readonly requests: number;
  /** The number of payments per second of this run. */
  readonly ratePerSecond: number;
  /** How long this run has taken, in seconds. */
  readonly elapsedSeconds: number;
}

/** Returns the progress of a run since its start, after a time in milliseconds. */
export function progressOf(
  start: ExportPosition,
  { range, isOpenStart, items, done }: ExportPosition,
  requests: number,
  elapsed: number,
): ExportProgress {
  const left = gaps(range, done).reduce((sum, { from, to }) => sum + to - from, 0);
  // Without a start, nothing shows how long the time before the first payment is.
  const share = isOpenStart ? 0 : Math.min(0.99, 1 - left / (range.to - range.from));
  const elapsedSeconds = elapsed / 1_000;
  const ratePerSecond = elapsed <= 0 ? 0 : (items - start.items) / elapsedSeconds;
  return { done: left === 0 ? 1 : share, items, requests, ratePerSecond, elapsedSeconds };
}
