import type { ListedPayment, PaymentListParams } from '../contract/schema/payments.js';
import { pageSize } from '../contract/schema/page.js';
import { createPagePromise, listPages, type Page, type RawPage } from '../core/pagination.js';
import type { Sender, SendMode } from '../transport/call.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { ListPayments } from './context.js';
import { toFilterEnd, toFilterStart } from './platform-time.js';

/** A payment to find, and its creation time in milliseconds since the epoch; undefined if it is unknown. */
export interface LookupTarget {
  readonly id: string;
  readonly at: number | undefined;
}

// Within this time, one page that contains both payments is cheaper than two requests.
const maxGap = 10_000;

/** A query for the payments of a time span, and the ids to find in it. */
export interface Lookup {
  readonly query: PaymentListParams;
  readonly ids: ReadonlySet<string>;
}

/**
 * Returns the lookups that find payments by id and creation time: one per group of payments created within ten seconds
 * of each other, and one in the whole list for those whose creation time is unknown.
 */
export function lookupsFor(payments: Iterable<LookupTarget>): Lookup[] {
  const spans: { from: number; to: number; ids: Set<string> }[] = [];
  const untimed = new Set<string>();
  for (const { id, at } of [...payments].toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0))) {
    const last = spans.at(-1);
    if (at === undefined) untimed.add(id);
    else if (last !== undefined && at - last.to <= maxGap) {
      last.to = at;
      last.ids.add(id);
    } else spans.push({ from: at, to: at, ids: new Set([id]) });
  }
  const lookups: Lookup[] = spans.map(({ from, to, ids }) => ({
    query: { createdFrom: toFilterStart(from), createdTo: toFilterEnd(to), limit: pageSize.largest },
    ids,
  }));
  return untimed.size === 0 ? lookups : [...lookups, { query: {}, ids: untimed }];
}

/** Iterates over the pages of a list without prefetching them. */
export async function* iteratePages(
  list: ListPayments,
  query: PaymentListParams,
  options: RequestOptions,
): AsyncGenerator<readonly ListedPayment[], void, undefined> {
  let page: Page<ListedPayment> | undefined = await list({ limit: pageSize.largest, ...query }, options);
  for (; page !== undefined; page = await page.getNextPage()) yield page.items;
}

/** Returns the function that lists payments as the caller's own calls do. */
export function listOf(sender: Sender): ListPayments {
  return (query, options) => listPages(sender, 'payments.list', { query }, options, 'id');
}

/**
 * Returns the function that lists payments for a lookup, which needs a few fields of one payment: a row that breaks the
 * contract is reported as drift and does not prevent reading the others. Rows can be any value.
 */
export function lookupListOf(sender: Sender, mode: SendMode = {}): ListPayments {
  return (query, options) => {
    const fetch = async (page: PaymentListParams, each: RequestOptions, signal: AbortSignal | undefined) => {
      const response = await sender.send('payments.list', { query: page }, each, {
        ...mode,
        validation: 'observe',
        signal,
      });
      return { ...response, data: withEnd(response.data) };
    };
    return createPagePromise(sender, 'payments.list', query, options, fetch, mode);
  };
}

// A page without a boolean `hasMore` must not end the list unless it has no next cursor, because the list would look
// complete.
function withEnd<T>(page: RawPage<T>): RawPage<T> {
  if (Object(page) !== page) return page;
  const hasMore: unknown = page.hasMore;
  return { ...page, hasMore: typeof hasMore === 'boolean' ? hasMore : page.nextCursor !== null };
}
