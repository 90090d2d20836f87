import type { EndpointName } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { addExampleRecords, endpointExamples } from '../../../scripts/specification/specification.ts';
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

/** Returns a function that reads a list of a platform with the records of the examples, and others. */
function populated() {
  const platform = createMockPlatform();
  addExampleRecords(platform);
  platform.persons.update('per_1', { runs: 3 });
  platform.customers.add({ status: 'SUSPENDED' });
  platform.beneficiaries.add({ customerId: 'cus_1', status: 'SUSPENDED' });
  const pathOf = (endpoint: EndpointName): string =>
    endpoints[endpoint].path.replace(/\{(\w+)\}/g, (_, name: string) => String(endpointExamples[endpoint].input[name]));
  const list = async (endpoint: EndpointName, query: Item): Promise<{ items: Item[]; nextCursor: string | null }> => {
    const search = new URLSearchParams({ limit: '100', ...query });
    const path = `${pathOf(endpoint)}?${search}`;
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
  const value = Object.hasOwn(values, filter) ? values[filter] : endpointExamples[endpoint].input[filter];
  const wire = resolveDialect().wireNames.get(filter) ?? filter;
  const { items } = await list(endpoint, { [wire]: value });
  expect(items.length).toBeGreaterThan(0);
  expect(items.length).toBeLessThan(all.length);
  expect(all).toEqual(expect.arrayContaining(items));
});
