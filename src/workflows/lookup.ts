import type { ListedPayment, PaymentListQuery } from '../contract/payments.js';
import type { RequestOptions } from '../transport/request.js';
import { filterTime } from './record-time.js';
import type { ListPayments } from './workflow.js';

// A platform may keep times more finely than it shows them.
const around = 1_000;
// Up to here, one page that shows both is cheaper than two requests.
const near = 10_000;

/** Payments that are looked up together: those of a span of time. */
export interface Lookup {
  readonly query: PaymentListQuery;
  readonly ids: ReadonlySet<string>;
}

/** How payments are looked up by their id and when they were created: those made within ten seconds of each other by one lookup. */
export function lookupsFor(payments: Iterable<{ readonly id: string; readonly at: number }>): Lookup[] {
  const spans: { from: number; to: number; ids: Set<string> }[] = [];
  for (const { id, at } of [...payments].toSorted((one, other) => one.at - other.at)) {
    const last = spans.at(-1);
    if (last !== undefined && at - last.to <= near) {
      last.to = at;
      last.ids.add(id);
    } else spans.push({ from: at, to: at, ids: new Set([id]) });
  }
  return spans.map(({ from, to, ids }) => ({ query: { createdFrom: filterTime(from - around), createdTo: filterTime(to + around), limit: 100 }, ids }));
}

/** All payments of a list, page by page; the next page is not asked for before it is needed. */
export async function* walk(list: ListPayments, query: PaymentListQuery, options: RequestOptions): AsyncGenerator<ListedPayment, void, undefined> {
  for (let page = await list({ limit: 100, ...query }, options), more = true; more; ) {
    yield* page.items;
    const next = await page.next();
    if (next === undefined) more = false;
    else page = next;
  }
}
