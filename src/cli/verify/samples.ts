import { endpointNames, endpoints, type EndpointDefinition } from '../../contract/endpoints.js';
import { pageSize } from '../../contract/schema/pagination.js';
import { itemsOf, type Fields, type ReceivedResponse, type Session } from './session.js';

/** The number of customers whose beneficiaries and activity are read. */
const maxCustomers = 5;
const limit = pageSize.largest;

/** Reads the largest page of payments, with the filter names that were found. */
export async function payments(session: Session): Promise<readonly Fields[]> {
  return itemsOf((await paymentPage(session)).body);
}

/** Returns the response with the page of payments. */
export function paymentPage(session: Session): Promise<ReceivedResponse> {
  return session.share('payments', async () => {
    await session.read('payments.list', (corridor, options) => corridor.payments.list({ limit }, options));
    return session.successes.get('payments.list') as ReceivedResponse;
  });
}

/** Reads the largest page of customers, and the first of them. */
export function customers(session: Session): Promise<readonly Fields[]> {
  return session.share('customers', async () => {
    const found = itemsOf(
      await session.read('customers.list', (corridor, options) => corridor.customers.list({ limit }, options)),
    );
    const [first] = idsOf(found);
    if (first !== undefined)
      await session.read('customers.get', (corridor, options) => corridor.customers.get(first, options));
    return found;
  });
}

/** Reads the activity of some customers, by customer. */
export function activity(session: Session): Promise<readonly (readonly Fields[])[]> {
  return session.share('activity', async () => {
    const logs: (readonly Fields[])[] = [];
    for (const id of await sampledCustomers(session)) {
      const items = await session.read('customers.activity', (corridor, options) =>
        corridor.customers.activity(id, options),
      );
      logs.push(itemsOf({ items }));
    }
    return logs;
  });
}

/** Reads the beneficiaries of some customers. */
export function beneficiaries(session: Session): Promise<readonly Fields[]> {
  return session.share('beneficiaries', async () => {
    const records: Fields[] = [];
    for (const id of await sampledCustomers(session)) {
      const page = await session.read('customers.beneficiaries', (corridor, options) =>
        corridor.customers.beneficiaries(id, { limit }, options),
      );
      records.push(...itemsOf(page));
    }
    return records;
  });
}

/** Reads the screening of the person of --person, and its history; undefined without one. */
export function screening(session: Session): Promise<Fields | undefined> {
  return session.share('screening', async () => {
    const { person } = session.settings;
    if (person === undefined) return undefined;
    await session.read('screening.history', (corridor, options) => corridor.screening.history(...person, {}, options));
    const found = await session.read('screening.get', (corridor, options) =>
      corridor.screening.get(...person, options),
    );
    return found as unknown as Fields;
  });
}

/** Reads all samples. */
export async function readAll(session: Session): Promise<void> {
  for (const read of [payments, customers, activity, beneficiaries, screening]) await read(session);
  for (const name of endpointNames) if (isPlainRead(endpoints[name])) await session.readPlain(name);
}

/** Checks whether an endpoint is read without an id and without filters. */
function isPlainRead({ method, path, query }: EndpointDefinition<unknown>): boolean {
  return method === 'GET' && query === undefined && !path.includes('{');
}

async function sampledCustomers(session: Session): Promise<readonly string[]> {
  return idsOf(await customers(session)).slice(0, maxCustomers);
}

const idsOf = (records: readonly Fields[]): string[] =>
  records.map(({ id }) => id).filter((id): id is string => typeof id === 'string' && id !== '');
