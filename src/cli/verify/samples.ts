import { endpoints } from '../../contract/endpoints.js';
import { pageSize } from '../../contract/schema/page.js';
import {
  describeResponse,
  isSuccess,
  itemsOf,
  type Fields,
  type ObservedExchange,
} from '../../mock/upstream/observed-exchange.js';
import { ProbeError, type Session } from './session.js';

/** The number of customers whose beneficiaries and activity are read. */
const maxCustomers = 5;

/** Reads the largest page of a list, once. Throws `ProbeError` if the platform rejects it. */
function largestPage(
  session: Session,
  endpoint: 'payments.list' | 'customers.list' | 'customers.beneficiaries' | 'customers.activity',
  id = '',
): Promise<ObservedExchange> {
  return session.share(`${endpoint} ${id}`, async () => {
    const query = 'query' in endpoints[endpoint] ? { [session.filterName('limit')]: pageSize.largest } : {};
    const page = await session.call(endpoint, query, id);
    if (!isSuccess(page)) throw new ProbeError(`the platform responded with ${describeResponse(page)}`);
    return page;
  });
}

/** Reads the largest page of payments or customers. */
export const recordsOf = async (
  session: Session,
  endpoint: 'payments.list' | 'customers.list',
): Promise<readonly Fields[]> => itemsOf(await largestPage(session, endpoint));

/** Reads the beneficiaries or the activity of some customers. */
export async function recordsOfCustomers(
  session: Session,
  endpoint: 'customers.beneficiaries' | 'customers.activity',
): Promise<readonly Fields[]> {
  const ids = (await recordsOf(session, 'customers.list')).map(({ id }) => id);
  const records: Fields[] = [];
  for (const id of ids.filter((each) => typeof each === 'string' && each !== '').slice(0, maxCustomers))
    records.push(...itemsOf(await largestPage(session, endpoint, String(id))));
  return records;
}
