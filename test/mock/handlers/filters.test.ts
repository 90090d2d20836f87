import type { EndpointName } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { resolveDialect } from '../../../src/contract/dialect.ts';
import { endpoints, type EndpointDefinition } from '../../../src/contract/endpoints.ts';
import { requestFields } from '../../../src/contract/request-fields.ts';
import { call } from '../sign.ts';

type Item = Readonly<Record<string, unknown>>;

/** Every filter of every list of the contract. */
const filters = Object.entries(endpoints as Readonly<Record<string, EndpointDefinition<unknown>>>).flatMap(
  ([endpoint, { query }]) =>
    query === undefined ? [] : requestFields(query()).map(({ name }) => [endpoint as EndpointName, name] as const),
);

/** Returns a platform with records that differ in every field, and the paths of the lists. */
function populated() {
  const platform = createMockPlatform();
  const { id, customerId } = platform.persons.add({ runs: 3 });
  platform.customers.add({ status: 'SUSPENDED', createdAt: '2026-01-01T00:00:00Z' });
  platform.beneficiaries.add({ customerId, createdAt: '2026-01-01T00:00:00Z' });
  platform.beneficiaries.add({ customerId, status: 'SUSPENDED' });
  platform.payments.add({ status: 'COMPLETED', createdAt: '2026-01-01T00:00:00Z' });
  platform.payments.add({ status: 'REJECTED', createdAt: '2026-01-02T00:00:00Z' });
  const pathOf = (endpoint: EndpointName): string =>
    endpoints[endpoint].path.replace('{personId}', id).replace('{customerId}', customerId).replace('{id}', customerId);
  const list = async (endpoint: EndpointName, query: Item): Promise<{ items: Item[]; nextCursor: string | null }> => {
    const search = new URLSearchParams(query as Record<string, string>);
    const path = `${pathOf(endpoint)}${search.size === 0 ? '' : `?${search}`}`;
    const { status, body } = await call(platform.clientOptions(), { path });
    expect([path, status]).toEqual([path, 200]);
    return body as never;
  };
  return list;
}

test.each(filters)('%s is narrowed by %s', async (endpoint, filter) => {
  const list = populated();
  const { items: all } = await list(endpoint, {});
  const [newest = {}, oldest = {}] = [all[0], all.at(-1)];
  const values: Readonly<Record<string, unknown>> = {
    limit: 1,
    cursor: (await list(endpoint, { limit: 1 })).nextCursor,
    createdFrom: newest['createdAt'],
    createdTo: oldest['createdAt'],
  };
  const value = Object.hasOwn(values, filter) ? values[filter] : newest[filter];
  const wire = resolveDialect().wireNames.get(filter) ?? filter;
  const { items } = await list(endpoint, { [wire]: value });
  expect(items.length).toBeGreaterThan(0);
  expect(items.length).toBeLessThan(all.length);
  expect(all).toEqual(expect.arrayContaining(items));
});
