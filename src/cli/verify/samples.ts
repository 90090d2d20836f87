import { endpoints } from '../../contract/endpoints.js';
import { pageSize } from '../../contract/schema/page.js';
import { describeResponse, isSuccess, itemsOf, type Fields } from '../../mock/upstream/observed-exchange.js';
import { ProbeError, type Session } from './session.js';

/** The number of customers whose beneficiaries and activity are read. */
const maxCustomers = 5;

/** Reads the largest page of a list, once; of those of a customer, that of some. Throws `ProbeError` if one is rejected. */
export async function recordsOf(
  session: Session,
  endpoint: 'payments.list' | 'customers.list' | 'customers.beneficiaries' | 'customers.activity',
): Promise<readonly Fields[]> {
  const isOfCustomer = endpoints[endpoint].path.includes('{');
  const owners = isOfCustomer ? (await recordsOf(session, 'customers.list')).map(({ id }) => id) : ['all'];
  const query = 'query' in endpoints[endpoint] ? { [session.filterName('limit')]: pageSize.largest } : {};
  const records: Fields[] = [];
  for (const id of owners.filter((each) => typeof each === 'string' && each !== '').slice(0, maxCustomers)) {
    const page = await session.share(`${endpoint} ${id}`, () => session.call(endpoint, query, String(id)));
    if (!isSuccess(page)) throw new ProbeError(`the platform responded with ${describeResponse(page)}`);
    records.push(...itemsOf(page));
  }
  return records;
}
