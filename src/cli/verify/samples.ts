import { pageSize } from '../../contract/schema/page.js';
import type { ApiPromise, Corridor, RequestOptions } from '../../index.js';
import { itemsOf, type Fields, type ObservedExchange } from '../../mock/upstream/observed-exchange.js';
import type { Session } from './session.js';

/** The number of customers whose beneficiaries and activity are read. */
const maxCustomers = 5;
const limit = pageSize.largest;

/** Returns the response with the largest page of payments, with the filter names that were found. */
export function paymentPage(session: Session): Promise<ObservedExchange> {
  return session.share('payments', async () => ({
    ...(await session.read((corridor, options) => corridor.payments.list({ limit }, options))),
    endpoint: 'payments.list',
  }));
}

/** Returns the response with the first page of payments, without any filter. */
export function firstPage(session: Session): Promise<ObservedExchange> {
  const endpoint = 'payments.list';
  return session.share('first page', async () => ({ ...(await session.call(endpoint)), endpoint, filters: {} }));
}

/** Reads the largest page of payments. */
export const payments = async (session: Session): Promise<readonly Fields[]> => itemsOf(await paymentPage(session));

/** Reads the largest page of customers. */
export function customers(session: Session): Promise<readonly Fields[]> {
  return session.share('customers', async () =>
    itemsOf(await session.read((corridor, options) => corridor.customers.list({ limit }, options))),
  );
}

/** Reads the activity of some customers. */
export const activity = ofCustomers('activity', (corridor, id, options) => corridor.customers.activity(id, options));

/** Reads the beneficiaries of some customers. */
export const beneficiaries = ofCustomers('beneficiaries', (corridor, id, options) =>
  corridor.customers.beneficiaries(id, { limit }, options),
);

function ofCustomers(
  name: string,
  call: (corridor: Corridor, id: string, options: RequestOptions) => Pick<ApiPromise<unknown>, 'withResponse'>,
): (session: Session) => Promise<readonly Fields[]> {
  return (session) =>
    session.share(name, async () => {
      const ids = (await customers(session)).map(({ id }) => id);
      const records: Fields[] = [];
      for (const id of ids.filter((each) => typeof each === 'string' && each !== '').slice(0, maxCustomers))
        records.push(...itemsOf(await session.read((corridor, options) => call(corridor, String(id), options))));
      return records;
    });
}
