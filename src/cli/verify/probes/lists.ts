import { pageSize } from '../../../contract/schema/page.js';
import { paymentStatuses, type FilterName } from '../../../index.js';
import { exchangeProbes, type Observation, type Question } from '../../../mock/upstream/probes.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  itemsOf,
  requestOf,
  timeOf,
  type Fields,
  type ObservedExchange,
} from '../../../mock/upstream/observed-exchange.js';
import type { Probe } from '../probe.js';
import { recordsOf } from '../samples.js';
import type { Session } from '../session.js';

type Query = Readonly<Record<string, string | number>>;

const list = (session: Session, query: Query): Promise<ObservedExchange> => session.call('payments.list', query);
const iso = (time: number): string => new Date(time).toISOString();
const day = 86_400_000;

/** By filter: its assumed name, then common names, in the order in which they are tried. */
const filterNames: Readonly<Record<FilterName, string>> = {
  limit: 'limit pageSize page_size perPage per_page size take first',
  cursor: 'cursor after nextCursor next_cursor startingAfter starting_after pageToken page_token',
  status: 'status state statuses paymentStatus payment_status filter[status]',
  createdFrom:
    'createdFrom created_from createdAfter created_after from since startDate ' +
    'start_date dateFrom date_from createdAt[gte] created[gte]',
  createdTo:
    'createdTo created_to createdBefore created_before to until endDate ' +
    'end_date dateTo date_to createdAt[lte] created[lte]',
};

/**
 * Tries the names of each filter, and returns those that take effect, by the filter; undefined if none does. Later
 * filters use the names of earlier ones.
 */
async function findFilters(
  session: Session,
  items: readonly Fields[],
): Promise<Readonly<Record<string, string | undefined>>> {
  const statuses = new Set(items.map(({ status }) => status));
  const status = paymentStatuses.find((each) => !statuses.has(each)) ?? paymentStatuses[0];
  const found: Record<string, string | undefined> = {};
  const matches = async (query: Query, isExpected: (page: readonly Fields[]) => boolean): Promise<boolean> => {
    const reply = await list(session, query);
    return isSuccess(reply) && isExpected(itemsOf(reply));
  };
  const isEmpty = (page: readonly Fields[]): boolean => page.length === 0;
  const takesEffect: Readonly<Record<FilterName, (wire: string) => Promise<boolean>>> = {
    limit: (wire) => matches({ [wire]: 1 }, ({ length }) => length === 1),
    cursor: async (wire) => {
      const query = { [found['limit'] ?? 'limit']: 1 };
      const reply = await list(session, query);
      const { nextCursor } = fieldsOf(reply.body);
      const ids = itemsOf(reply).map(({ id }) => id);
      if (typeof nextCursor !== 'string') return false;
      return matches({ ...query, [wire]: nextCursor }, ([first]) => first !== undefined && !ids.includes(first['id']));
    },
    status: (wire) => matches({ [wire]: status }, (page) => page.every((each) => each['status'] === status)),
    createdFrom: (wire) => matches({ [wire]: iso(session.now() + day) }, isEmpty),
    createdTo: (wire) => matches({ [wire]: '2000-01-01T00:00:00Z' }, isEmpty),
  };
  for (const [name, candidates] of Object.entries(filterNames)) {
    found[name] = undefined;
    for (const candidate of candidates.split(' '))
      if (found[name] === undefined && (await takesEffect[name as FilterName](candidate))) found[name] = candidate;
  }
  return found;
}

/** The probe of the names of filters, and of what any response shows. */
export const filterProbe: Probe = {
  questions: [
    {
      key: 'A-1: the names of the filters',
      assumed: 'all',
      meaning: 'Pass this dialect to the client: without it, lists ignore these filters or fail.',
    },
    exchangeProbes.claims,
    exchangeProbes.successStatus,
    exchangeProbes.rateLimit,
    exchangeProbes.requestId,
  ],
  async run(session) {
    const unfiltered = await list(session, {});
    const requestId = session.evidence.find(exchangeProbes.requestId);
    // Requests that are wrong on purpose may get the response of a proxy.
    if (requestId !== undefined) session.evidence.conclude(exchangeProbes.requestId, requestId);
    if (Array.isArray(requestId?.value)) session.useDialect({ requestIdHeaders: requestId.value as string[] });
    const items = itemsOf(unfiltered);
    if (items.length < 2) return `needs at least 2 payments in the list (there are ${items.length})`;
    const filters = Object.entries(await findFilters(session, items));
    const found = filters.flatMap(([name, wire]) => (wire === undefined ? [] : [[name, wire] as const]));
    const renamed = Object.fromEntries(found.filter(([name, wire]) => name !== wire));
    const missing = filters.flatMap(([name, wire]) => (wire === undefined ? name : [])).join(', ');
    const others = Object.keys(renamed).length > 0 ? renamed : undefined;
    if (others !== undefined) session.useDialect({ filterNames: others });
    const measured = { 'dialect.filterNames': others };
    const evidence = [
      ...found.map(([name, wire]) => (name === wire ? name : `${name} as ${wire}`)),
      ...requestOf(unfiltered.requestId),
    ].join(', ');
    if (missing === '') return { value: others ?? 'all', evidence, measured };
    return {
      value: missing,
      evidence: `without effect: ${missing}, under any of the usual names; effective: ${evidence}`,
      meaning:
        `Ask the platform for the names of ${missing}, and set ` +
        'dialect.filterNames. Lists ignore these filters until then.',
      measured,
    };
  },
};

const comparedField: Question = {
  key: 'A-14: the field that the two timestamp filters compare',
  assumed: 'createdAt, inclusive',
};

const precision: Question = {
  key: 'A-31: the precision of the two timestamp filters',
  assumed: 'a second or less',
  meaning:
    'The filters are coarser than a second: payments.export and payments.changes ' +
    'can miss payments at the ends of a range. Widen it yourself.',
};

/** The probe of the two timestamp filters, with a payment whose times differ from those of the others. */
export const timeFilterProbe: Probe = {
  questions: [comparedField, precision],
  async run(session) {
    const sample = await recordsOf(session, 'payments.list');
    const unique = sample.filter(
      ({ createdAt }) =>
        timeOf(createdAt) !== undefined && sample.filter((other) => other['createdAt'] === createdAt).length === 1,
    );
    const payment = unique.find(({ createdAt, updatedAt }) => createdAt !== updatedAt) ?? unique[0];
    const at = timeOf(payment?.['createdAt']);
    if (payment === undefined || at === undefined) return 'needs a payment with a createdAt of its own';
    const read = (from: number, to: number): Promise<ObservedExchange> =>
      list(session, {
        [session.filterName('createdFrom')]: iso(from),
        [session.filterName('createdTo')]: iso(to),
        [session.filterName('limit')]: pageSize.largest,
      });
    const hasPayment = (page: ObservedExchange): boolean => itemsOf(page).some(({ id }) => id === payment['id']);
    const isListed: IsListed = async (from, to) => hasPayment(await read(from, to));
    const around = await read(at - 1000, at + 5000);
    const response = describeResponse(around);
    if (!isSuccess(around)) return `the filtered list failed: ${response}`;
    const updatedAt = timeOf(payment['updatedAt']) ?? at;
    session.evidence.conclude(comparedField, await observeField(isListed, at, updatedAt, response));
    if (!hasPayment(around)) return `the list does not find a payment by its createdAt: ${response}`;
    session.evidence.conclude(precision, await observePrecision(isListed, at, response));
    return undefined;
  },
};

/** Checks whether a list of the payments within two times has a payment. */
type IsListed = (from: number, to: number) => Promise<boolean>;

async function observeField(isListed: IsListed, at: number, updatedAt: number, response: string): Promise<Observation> {
  const evidence = `createdFrom = createdTo = createdAt of a payment, ${response}`;
  if (await isListed(at, at)) return { value: 'createdAt, inclusive', evidence: `${evidence}: it is in the list` };
  if (updatedAt !== at && (await isListed(updatedAt, updatedAt)))
    return {
      value: 'updatedAt',
      evidence: `${evidence}: it is not in the list, but with its updatedAt it is`,
      meaning: 'Filter by a wider range and compare createdAt yourself. Do not use payments.export.',
    };
  const ends = [
    ...((await isListed(at, at + 1000)) ? [] : ['createdFrom']),
    ...((await isListed(at - 1000, at)) ? [] : ['createdTo']),
  ];
  return {
    value: 'exclusive',
    evidence: `${evidence}: it is not in the list; exclusive: ${ends.join(' and ') || 'both together'}`,
    meaning:
      'Widen ranges by a second at the exclusive end, and deduplicate by ' +
      'id. payments.export and payments.changes do so.',
  };
}

async function observePrecision(isListed: IsListed, at: number, response: string): Promise<Observation> {
  const isAfter = (milliseconds: number): Promise<boolean> => isListed(at + milliseconds, at + 5000);
  if (!(await isAfter(1))) return { value: 'a second or less', evidence: `milliseconds: ${response}` };
  return (await isAfter(1000))
    ? {
        value: 'more than a second',
        evidence: `a createdFrom one second after createdAt still lists the payment, ${response}`,
      }
    : {
        value: 'a second or less',
        evidence: `seconds, which payments.export and payments.changes expect: ${response}`,
      };
}

/** The probe of the order of lists: pages that shift have none. */
export const orderProbe: Probe = {
  questions: [exchangeProbes.listOrder],
  async run(session) {
    const query = { [session.filterName('limit')]: 2 };
    const first = await list(session, query);
    const { nextCursor } = fieldsOf(first.body);
    if (!isSuccess(first) || typeof nextCursor !== 'string') return undefined;
    const next = { ...query, [session.filterName('cursor')]: nextCursor };
    const pages = [await list(session, next), await list(session, next)];
    const [firstIds, second, again] = [first, ...pages].map((page) => itemsOf(page).map(({ id }) => id));
    const requests = pages.flatMap(({ requestId }) => requestOf(requestId)).join(', ');
    const isStable = second?.join() === again?.join();
    if (isStable && second?.some((id) => firstIds?.includes(id)) !== true) return undefined;
    return {
      value: 'unstable',
      evidence: `${isStable ? 'the second page repeats a payment of the first' : 'the same cursor returned different payments'}: ${requests}`,
      meaning: 'Pages of a list can repeat or skip payments. Read again and deduplicate by id.',
    };
  },
};
