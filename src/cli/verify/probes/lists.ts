import { pageSize as pageSizes } from '../../../contract/schema/pagination.js';
import type { MeasuredBehavior } from '../../../mock/index.js';
import { confirmed, contradicted, notTestable, type Probe } from '../probe.js';
import { paymentPage, payments } from '../samples.js';
import { describeResponse, fieldsOf, isSuccess, itemsOf, requestOf, timeOf, type Session } from '../session.js';

const minTimes = 5;

const order: Probe = {
  row: 'A-11',
  question: 'the order of lists',
  settings: ['behavior.listOrder'],
  async run(session) {
    const times = (await payments(session)).map(({ createdAt }) => timeOf(createdAt) ?? Number.NaN);
    const distinct = new Set(times).size;
    if (distinct < minTimes)
      return notTestable(`needs payments with at least ${minTimes} different times (there are ${distinct})`);
    const evidence = `${times.length} payments, ${requestOf((await paymentPage(session)).requestId).join()}`;
    const unstable = await unstableCursor(session);
    if (unstable !== undefined)
      return contradicted(unstable, 'Pages of a list can repeat or skip payments. Read again and deduplicate by id.');
    const listOrder = orderOf(times);
    if (listOrder === 'newest-first') return confirmed(`newest first: ${evidence}`);
    return contradicted(
      `${listOrder === 'oldest-first' ? 'oldest first' : 'no order by createdAt'}: ${evidence}`,
      'The client depends on no order. Code of yours that reads the first page as the newest payments does.',
      { behavior: { listOrder } },
    );
  },
};

function orderOf(times: readonly number[]): NonNullable<MeasuredBehavior['listOrder']> {
  const isSorted = (sign: 1 | -1): boolean =>
    times.every((time, index) => index === 0 || sign * (time - (times[index - 1] ?? time)) >= 0);
  return isSorted(-1) ? 'newest-first' : isSorted(1) ? 'oldest-first' : 'shuffled';
}

/** Requests the second page twice, and describes the difference if there is one. */
async function unstableCursor(session: Session): Promise<string | undefined> {
  const { limit = 'limit', cursor = 'cursor' } = session.filterNames;
  const first = await session.call('payments.list', { query: { [limit]: 2 } });
  const { nextCursor } = fieldsOf(first.body);
  if (!isSuccess(first) || typeof nextCursor !== 'string') return undefined;
  const pages = [];
  for (let count = 0; count < 2; count += 1)
    pages.push(await session.call('payments.list', { query: { [limit]: 2, [cursor]: nextCursor } }));
  const [firstIds, ...others] = [first, ...pages].map(({ body }) => itemsOf(body).map(({ id }) => id));
  const [second, again] = others.map((ids) => ids.join());
  const requests = pages.flatMap(({ requestId }) => requestOf(requestId)).join(', ');
  if (second !== again) return `the same cursor returned different payments: ${requests}`;
  return others[0]?.some((id) => firstIds?.includes(id)) === true
    ? `the second page repeats a payment of the first: ${requests}`
    : undefined;
}

const pageSize: Probe = {
  row: 'A-12',
  question: 'the default page size',
  settings: ['behavior.pageSize'],
  async run(session) {
    for (const endpoint of ['payments.list', 'customers.list'] as const) {
      const reply = await session.call(endpoint);
      const { hasMore, nextCursor } = fieldsOf(reply.body);
      const { length } = itemsOf(reply.body);
      if (!isSuccess(reply) || (hasMore !== true && typeof nextCursor !== 'string')) continue;
      const evidence = `${endpoint} without a limit returned ${length} and a cursor, ${describeResponse(reply)}`;
      if (length === pageSizes.default) return confirmed(evidence);
      const finding =
        length >= pageSizes.smallest && length <= pageSizes.largest ? { behavior: { pageSize: length } } : undefined;
      return contradicted(evidence, 'Pass limit if your code depends on the size of a page.', finding);
    }
    return notTestable('no list has a second page');
  },
};

/** The probes of lists. */
export const listProbes: readonly Probe[] = [order, pageSize];
