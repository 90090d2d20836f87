import { integerFrom } from '../../contract/option-schemas.js';
import { assertOptions, type RequestOptions } from '../../transport/request-options.js';
import { Deadline } from '../../transport/deadline.js';
import { toFilterTime } from '../platform-time.js';
import { defineOptions, listConsistencyWindow, timeWindow, type WorkflowContext } from '../context.js';
import { estimateUnseen, orderOf, splitEvenly, type ListOrder, type TimeRange } from './spans.js';
import { readPage, type SpanSource } from './read-span.js';
import { parseExportQuery, type PaymentExportParams, type PaymentExportSpan, resolveRange, toParams } from './query.js';
import { createThrottledList } from './export-run.js';

/** The options of `payments.planExport`. */
export interface PlanExportOptions extends RequestOptions {
  /** The number of payments that a span has, approximately. @default 10_000 */
  readonly spanSize?: number | undefined;
  /**
   * How long after its creation a payment may take to appear in the list, in milliseconds. Without `createdTo`, the
   * plan ends this long before it was made. @default the client's, or else 300_000
   */
  readonly consistencyWindow?: number | undefined;
}

const planOptions = defineOptions<PlanExportOptions>('must be an object, such as { spanSize: 5_000 }', () => ({
  spanSize: integerFrom(100),
  consistencyWindow: timeWindow(),
}));

const endpoint = 'payments.planExport';
const concurrency = 4;
// The number of spans of a list that is not ordered by time, in which nothing shows how many payments there are.
const maxUnknownSpans = 64;
// The number of parts into which a span is split: in such a list, or at most, because an estimate can be far too high.
const unknownParts = 8;
const maxParts = 16;

interface Leaf extends TimeRange {
  readonly payments: number | undefined;
}

/**
 * Splits an export into queries for `payments.export`. Sends one request per span, and one for each time that it splits
 * a span.
 */
export async function planExport(
  context: WorkflowContext,
  params: PaymentExportParams,
  options: PlanExportOptions,
): Promise<PaymentExportSpan[]> {
  const query = parseExportQuery(endpoint, params);
  assertOptions(planOptions, options);
  const {
    spanSize = 10_000,
    consistencyWindow = context.options.consistencyWindow ?? listConsistencyWindow,
    ...request
  } = options;
  const deadline = new Deadline(context.timing, { endpoint, signal: request.signal });
  const list = createThrottledList(context, deadline, request, () => {});
  const { range, isOpenStart } = await resolveRange(context, query, consistencyWindow, list, request);
  const { filters } = query;
  const source = { list, request, filters, openStart: isOpenStart ? range.from : undefined };
  const leaves = range.from < range.to ? await findLeaves(range, source, spanSize) : [];
  return join(leaves, spanSize).map(({ from, to }) => ({
    ...toParams(filters),
    ...(from === source.openStart ? {} : { createdFrom: toFilterTime(from) }),
    // A query includes its end.
    createdTo: toFilterTime(to - 1),
  }));
}

async function findLeaves(range: TimeRange, source: SpanSource, spanSize: number): Promise<Leaf[]> {
  const leaves: Leaf[] = [];
  let order: ListOrder;
  let spans: TimeRange[] = [range];
  for (let isLimited = false; spans.length > 0;) {
    const now = spans.slice(0, concurrency);
    spans = spans.slice(concurrency);
    const pages = await Promise.all(now.map((span) => readPage(span, source)));
    for (const [index, { times, payments, isComplete }] of pages.entries()) {
      const span = now[index] ?? range;
      const pageOrder = orderOf(times);
      if (pageOrder !== undefined) order = order === undefined || order === pageOrder ? pageOrder : 'unordered';
      const rest = isComplete ? 0 : estimateUnseen(span, times, order ?? 'descending');
      const count = rest === undefined ? undefined : payments.length + rest;
      isLimited ||= leaves.length + spans.length >= maxUnknownSpans;
      const isDense = count === undefined ? !isLimited : !isComplete && count > 1.5 * spanSize;
      const wanted = count === undefined ? unknownParts : Math.min(maxParts, Math.ceil(count / spanSize));
      const parts = isDense ? splitEvenly(span, wanted) : [span];
      if (parts.length > 1) spans.push(...parts);
      else leaves.push({ from: span.from, to: span.to, payments: count });
    }
  }
  return leaves.toSorted((one, other) => one.from - other.from);
}

// Joins neighbors that have few payments together.
function join(leaves: readonly Leaf[], spanSize: number): readonly Leaf[] {
  const joined: Leaf[] = [];
  for (const leaf of leaves) {
    const last = joined.at(-1);
    const sum = (last?.payments ?? Number.NaN) + (leaf.payments ?? Number.NaN);
    if (last !== undefined && sum <= spanSize)
      joined[joined.length - 1] = { from: last.from, to: leaf.to, payments: sum };
    else joined.push(leaf);
  }
  return joined;
}
