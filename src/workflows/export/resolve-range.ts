import type { RequestOptions } from '../../transport/request/request-options.js';
import type { ListPayments, WorkflowContext } from '../context.js';
import type { ExportQuery } from './export-query.js';
import type { TimeRange } from './time-range.js';

// Times are written with four digits of the year.
const latestEnd = Date.parse('9999-12-31T23:59:59.999Z');

/** How long a payment may take to appear in the list, in milliseconds. */
export const defaultConsistencyWindow = 300_000;

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
  const to = Math.min(latestEnd, (createdTo ?? clock.now() - consistencyWindow) + 1);
  return { range: { from, to: Math.max(from, to) }, isOpenStart: createdFrom === undefined };
}
