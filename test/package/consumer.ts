import { createRequire } from 'node:module';
import { Corridor, type Customer } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { getResponse } from 'msw';

// What a partner's code does first, with the package as it would be published: compiled as an ES module and as CommonJS,
// with the package's types checked to the ground, and then run.
async function main(): Promise<void> {
  const platform = createMockPlatform({ seed: 1 });
  const added: Customer = platform.customers.add({ status: 'APPROVED' });

  const journal = new SqliteJournal(':memory:');
  const corridor = new Corridor({ ...platform.clientOptions(), journal });
  const customer: Customer = await corridor.customers.get(added.id);
  expect(customer.id === added.id, 'a customer by id');

  expect((await corridor.payments.recover()).length === 0, 'nothing to recover');
  journal.close();

  const asked: string[] = [];
  const pool = { query: async (text: string) => ({ rows: asked.push(text) > 0 ? [] : [] }) };
  expect((await new PostgresJournal(pool).open()).length === 0 && asked.length === 1, 'an empty table');
  expect(postgresMigration().includes('corridor_journal'), 'a migration');

  const served = await serveMockPlatform({ port: 0, seed: 1 });
  const overHttp = new Corridor(served.clientOptions());
  const page = await overHttp.payments.list({ limit: 1 });
  expect(page.items.length === 0 && page.nextCursor === null, 'an empty list over HTTP');
  await served.close();

  const { baseUrl } = await platform.credentials();
  const refused = await getResponse(mockHandlers(platform), new Request(`${baseUrl}/api/v1/customers`));
  expect(refused?.status === 401, 'a refusal by the handlers of msw');

  const openapi = createRequire(`${process.cwd()}/`)('corridor-sdk/openapi.json') as { readonly paths: object };
  expect(Object.keys(openapi.paths).length > 10, 'an OpenAPI document');
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not as expected: ${what}`);
}

main().then(
  () => console.log('runs'),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
