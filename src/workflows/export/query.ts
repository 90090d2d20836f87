import * as z from 'zod/mini';
import { paymentFilters, paymentStatuses, type PaymentListParams } from '../../contract/schema/payments.js';
import { knownOrUnknown, memoize, withMetadata } from '../../contract/schema/schema.js';
import { InvalidRequestError } from '../../errors/api.js';
import { copyAndValidate } from '../../transport/request.js';
import type { RequestOptions } from '../../transport/request-options.js';
import type { ListPayments, WorkflowContext } from '../context.js';
import { latestFilterTime } from '../platform-time.js';
import type { TimeRange } from './spans.js';

/** The filters of `payments.export` and `payments.planExport`. The status is that at the time a payment is read. */
export interface PaymentExportParams extends Omit<PaymentListParams, 'limit' | 'cursor'> {
  /**
   * The earliest creation time, to the millisecond: an ISO 8601 UTC string ending in Z, or a `Date`. @default the first
   * payment
   */
  readonly createdFrom?: string | Date | undefined;
  /**
   * The latest creation time, included. @default the platform's time when the export starts, minus `consistencyWindow`
   */
  readonly createdTo?: string | Date | undefined;
}

/** A part of an export: a query of `payments.export`, as plain JSON. */
export type PaymentExportSpan = {
  readonly [Filter in keyof PaymentExportParams]: Exclude<PaymentExportParams[Filter], Date | undefined>;
};

/** The filters besides the time range, as they are sent. */
export type PaymentExportFilters = {
  readonly [Filter in keyof Omit<PaymentExportParams, 'createdFrom' | 'createdTo'>]: string;
};

/** A validated query. Times are in milliseconds since the epoch, both included. */
export interface ExportQuery {
  /** The filters besides the time range. */
  readonly filters: PaymentExportFilters;
  readonly createdFrom: number | undefined;
  readonly createdTo: number | undefined;
}

const exportParams = memoize(() =>
  withMetadata(z.strictObject(paymentFilters()), {
    rule: 'must be an object, such as { createdFrom: "2026-01-01T00:00Z" }',
  }),
);

/** Validates a query. */
export function parseExportQuery(endpoint: string, params: PaymentExportParams): ExportQuery {
  const {
    createdFrom: start,
    createdTo: end,
    ...filters
  } = copyAndValidate(endpoint, exportParams(), params, 'as-string');
  const timeOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));
  const [createdFrom, createdTo] = [timeOf(start), timeOf(end)];
  if (createdFrom !== undefined && createdTo !== undefined && createdFrom > createdTo)
    throw new InvalidRequestError(endpoint, [{ path: 'createdFrom', message: 'must not be later than createdTo' }]);
  const texts = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return { filters: Object.fromEntries(texts) as PaymentExportFilters, createdFrom, createdTo };
}

/** Returns filters as a parameter of `payments.list` and `payments.export`. */
export function toParams({ status, ...filters }: PaymentExportFilters): PaymentExportSpan {
  return { ...filters, ...(status !== undefined && { status: knownOrUnknown(paymentStatuses, status) }) };
}

/** The time range of an export. */
export interface ExportRange {
  readonly range: TimeRange;
  /** Whether the query has no start. */
  readonly isOpenStart: boolean;
}

/**
 * Returns the time range of a query. Without an end, it ends a consistency window before the platform's present time,
 * which the first response shows: payments that are created meanwhile change nothing.
 */
export async function resolveRange(
  { clock }: WorkflowContext,
  { createdFrom, createdTo }: ExportQuery,
  consistencyWindow: number,
  list: ListPayments,
  request: RequestOptions,
): Promise<ExportRange> {
  if (createdTo === undefined && !clock.isKnown) await list({ limit: 1 }, request);
  const from = createdFrom ?? 0;
  const to = Math.min(latestFilterTime, (createdTo ?? clock.now() - consistencyWindow) + 1);
  return { range: { from, to: Math.max(from, to) }, isOpenStart: createdFrom === undefined };
}
