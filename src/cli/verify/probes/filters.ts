import { pageSize } from '../../../contract/schema/pagination.js';
import { paymentStatuses, type FilterName } from '../../../index.js';
import { confirmed, contradicted, notTestable, type Probe } from '../probe.js';
import { payments } from '../samples.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  itemsOf,
  requestOf,
  timeOf,
  type Fields,
  type ReceivedResponse,
  type Session,
} from '../session.js';

/** The assumed name of each filter, then common names, in the order in which they are tried. */
const candidates: Readonly<Record<FilterName, readonly string[]>> = {
  limit: ['limit', 'pageSize', 'page_size', 'perPage', 'per_page', 'size', 'take', 'first'],
  cursor: [
    'cursor',
    'after',
    'nextCursor',
    'next_cursor',
    'startingAfter',
    'starting_after',
    'pageToken',
    'page_token',
  ],
  status: ['status', 'state', 'statuses', 'paymentStatus', 'payment_status', 'filter[status]'],
  createdFrom: [
    'createdFrom',
    'created_from',
    'createdAfter',
    'created_after',
    'from',
    'since',
    'startDate',
    'start_date',
    'dateFrom',
    'date_from',
    'createdAt[gte]',
    'created[gte]',
  ],
  createdTo: [
    'createdTo',
    'created_to',
    'createdBefore',
    'created_before',
    'to',
    'until',
    'endDate',
    'end_date',
    'dateTo',
    'date_to',
    'createdAt[lte]',
    'created[lte]',
  ],
};

type Query = Readonly<Record<string, string | number>>;

const list = (session: Session, query: Query): Promise<ReceivedResponse> => session.call('payments.list', { query });

/** The filters of a list, by their names on the wire. */
const filterNames: Probe = {
  row: 'A-1',
  question: 'the names of the filters',
  settings: ['dialect.filterNames'],
  async run(session) {
    const unfiltered = await list(session, {});
    const items = itemsOf(unfiltered.body);
    if (items.length < 2) return notTestable(`needs at least 2 payments in the list (there are ${items.length})`);
    const found: Partial<Record<FilterName, string>> = {};
    for (const [name, takesEffect] of effectsOf(session, items, found)) {
      for (const candidate of candidates[name]) {
        if (!(await takesEffect(candidate))) continue;
        found[name] = candidate;
        break;
      }
    }
    const renamed = Object.fromEntries(Object.entries(found).filter(([name, wire]) => name !== wire));
    const missing = (Object.keys(candidates) as FilterName[]).filter((name) => found[name] === undefined);
    const hasRenamed = Object.keys(renamed).length > 0;
    if (hasRenamed) session.useDialect({ filterNames: renamed });
    const evidence = [
      ...Object.entries(found).map(([name, wire]) => (name === wire ? name : `${name} as ${wire}`)),
      ...requestOf(unfiltered.requestId),
    ].join(', ');
    if (missing.length > 0)
      return contradicted(
        `without effect: ${missing.join(', ')}, under any of the usual names; effective: ${evidence}`,
        `Ask the platform for the names of ${missing.join(', ')}, and set dialect.filterNames. Lists ignore these filters until then.`,
        hasRenamed ? { dialect: { filterNames: renamed } } : undefined,
      );
    if (!hasRenamed) return confirmed(evidence);
    return contradicted(evidence, 'Pass this dialect to the client: without it, lists ignore these filters or fail.', {
      dialect: { filterNames: renamed },
    });
  },
};

type EffectTest = (wire: string) => Promise<boolean>;

/** Returns a test for each filter: whether the name takes effect. Later filters use the names of earlier ones. */
function effectsOf(
  session: Session,
  items: readonly Fields[],
  found: Readonly<Partial<Record<FilterName, string>>>,
): readonly (readonly [FilterName, EffectTest])[] {
  const statuses = new Set(items.map(({ status }) => status));
  const status = paymentStatuses.find((each) => !statuses.has(each)) ?? paymentStatuses[0];
  const matches = async (query: Query, isExpected: (page: readonly Fields[]) => boolean): Promise<boolean> => {
    const reply = await list(session, query);
    return isSuccess(reply) && isExpected(itemsOf(reply.body));
  };
  const isEmpty = (page: readonly Fields[]): boolean => page.length === 0;
  const day = 86_400_000;
  return [
    ['limit', (wire) => matches({ [wire]: 1 }, ({ length }) => length === 1)],
    [
      'cursor',
      async (wire) => {
        const query = { [found.limit ?? 'limit']: 1 };
        const { body } = await list(session, query);
        const { nextCursor } = fieldsOf(body);
        const ids = itemsOf(body).map(({ id }) => id);
        if (typeof nextCursor !== 'string') return false;
        return matches(
          { ...query, [wire]: nextCursor },
          ([first]) => first !== undefined && !ids.includes(first['id']),
        );
      },
    ],
    ['status', (wire) => matches({ [wire]: status }, (page) => page.every((each) => each['status'] === status))],
    ['createdFrom', (wire) => matches({ [wire]: new Date(session.now() + day).toISOString() }, isEmpty)],
    ['createdTo', (wire) => matches({ [wire]: '2000-01-01T00:00:00Z' }, isEmpty)],
  ];
}

/** Lists payments within two times, and returns whether one of them is in the list. */
async function isListed(
  session: Session,
  id: unknown,
  from: string,
  to: string,
): Promise<readonly [boolean, ReceivedResponse]> {
  const { createdFrom = 'createdFrom', createdTo = 'createdTo', limit = 'limit' } = session.filterNames;
  const reply = await list(session, { [createdFrom]: from, [createdTo]: to, [limit]: pageSize.largest });
  return [itemsOf(reply.body).some((each) => each['id'] === id), reply];
}

/** Returns a payment whose times differ from each other and from those of the others, if there is one. */
async function distinctPayment(session: Session): Promise<Fields | undefined> {
  const sample = await payments(session);
  const isUnique = (field: string, value: unknown): boolean =>
    timeOf(value) !== undefined && sample.filter((other) => other[field] === value).length === 1;
  const unique = sample.filter(({ createdAt }) => isUnique('createdAt', createdAt));
  return unique.find(({ createdAt, updatedAt }) => createdAt !== updatedAt) ?? unique[0];
}

const iso = (time: number): string => new Date(time).toISOString();

const timeBounds: Probe = {
  row: 'A-14',
  question: 'the field that the two timestamp filters compare',
  async run(session) {
    const payment = await distinctPayment(session);
    const at = timeOf(payment?.['createdAt']);
    if (payment === undefined || at === undefined) return notTestable('needs a payment with a createdAt of its own');
    const [id, second] = [payment['id'], 1000];
    const [isInclusive, reply] = await isListed(session, id, iso(at), iso(at));
    if (!isSuccess(reply)) return notTestable(`the filtered list failed: ${describeResponse(reply)}`);
    const evidence = `createdFrom = createdTo = createdAt of a payment, ${describeResponse(reply)}`;
    if (isInclusive) return confirmed(`${evidence}: it is in the list`);
    const [includesFrom] = await isListed(session, id, iso(at), iso(at + second));
    const [includesTo] = await isListed(session, id, iso(at - second), iso(at));
    const updatedAt = timeOf(payment['updatedAt']) ?? at;
    const [byUpdate] = updatedAt === at ? [false] : await isListed(session, id, iso(updatedAt), iso(updatedAt));
    if (byUpdate)
      return contradicted(
        `${evidence}: it is not in the list, but with its updatedAt it is`,
        'Filter by a wider range and compare createdAt yourself. Do not use payments.export.',
      );
    const ends = [...(includesFrom ? [] : ['createdFrom']), ...(includesTo ? [] : ['createdTo'])];
    return contradicted(
      `${evidence}: it is not in the list; exclusive: ${ends.join(' and ') || 'both together'}`,
      'Widen ranges by a second at the exclusive end, and deduplicate by id. payments.export and payments.changes do so.',
    );
  },
};

const timePrecision: Probe = {
  row: 'A-31',
  question: 'the precision of the two timestamp filters',
  async run(session) {
    const payment = await distinctPayment(session);
    const at = timeOf(payment?.['createdAt']);
    if (payment === undefined || at === undefined) return notTestable('needs a payment with a createdAt of its own');
    const [isFound, reply] = await isListed(session, payment['id'], iso(at - 1000), iso(at + 5000));
    if (!isSuccess(reply)) return notTestable(`the filtered list failed: ${describeResponse(reply)}`);
    if (!isFound) return notTestable(`the list does not find a payment by its createdAt: ${describeResponse(reply)}`);
    const [includesMillisecond] = await isListed(session, payment['id'], iso(at + 1), iso(at + 5000));
    if (!includesMillisecond) return confirmed(`milliseconds: ${describeResponse(reply)}`);
    const [includesSecond] = await isListed(session, payment['id'], iso(at + 1000), iso(at + 5000));
    return includesSecond
      ? contradicted(
          `a createdFrom one second after createdAt still lists the payment, ${describeResponse(reply)}`,
          'The filters are coarser than a second: payments.export and payments.changes can miss payments at the ends of a range. Widen it yourself.',
        )
      : confirmed(`seconds, which payments.export and payments.changes expect: ${describeResponse(reply)}`);
  },
};

const emptyCursor: Probe = {
  row: 'A-23',
  question: 'whether an id or a cursor in a request may be empty',
  async run(session) {
    const { cursor = 'cursor' } = session.filterNames;
    const reply = await list(session, { [cursor]: '' });
    const evidence = `payments.list with an empty cursor: ${describeResponse(reply)}`;
    return isSuccess(reply)
      ? contradicted(
          evidence,
          'An empty cursor lists from the start. The client throws before it sends one, so a lost cursor cannot repeat a list.',
        )
      : confirmed(evidence);
  },
};

/** The probes of filters. */
export const filterProbes: readonly Probe[] = [filterNames, timeBounds, timePrecision, emptyCursor];
