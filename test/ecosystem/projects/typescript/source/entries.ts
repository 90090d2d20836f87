import { Corridor, type Customer } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { journalContract } from 'corridor-sdk/journal/testing';
import { postgresMirrorTables } from 'corridor-sdk/mirror/postgres';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { observeJournal, telemetryHooks } from 'corridor-sdk/opentelemetry';
import { paymentCreateParams } from 'corridor-sdk/schemas';

// Every entry of the package at work, compiled by every compiler and then run as an ES module and in CommonJS.
async function main(): Promise<void> {
  const platform = createMockPlatform({ seed: 1 });
  const added: Customer = platform.customers.add({ status: 'APPROVED' });

  const journal = new SqliteJournal(':memory:');
  const corridor = new Corridor({ ...platform.clientOptions(), journal, hooks: telemetryHooks() });
  const stop = observeJournal(journal);
  const customer: Customer = await corridor.customers.get(added.id);
  expect(customer.id === added.id, 'a customer by id');
  expect((await corridor.payments.reconcilePending()).length === 0, 'nothing to recover');
  const mirror = new SqliteMirror(':memory:');
  expect((await corridor.sync(mirror, { once: true })).read.customer > 0, 'a customer in a mirror');
  mirror.close();
  stop();
  for (const { check } of journalContract) await check(new SqliteJournal(':memory:'));
  journal.close();

  const statements: string[] = [];
  const pool = { query: async (text: string) => ({ rows: statements.push(text) > 0 ? [] : [] }) };
  expect((await new PostgresJournal(pool).listPending()).length === 0 && statements.length > 0, 'an empty table');
  expect(postgresMigration().includes('corridor_journal'), 'a migration');
  expect(postgresMirrorTables('partner').includes('partner'), 'the tables of a mirror');

  const { error } = paymentCreateParams.safeParse({ amount: 1250 });
  expect(error?.issues.some(({ path }) => path.join() === 'amount') === true, 'an issue of an order');

  const served = await serveMockPlatform({ port: 0, seed: 1 });
  const page = await new Corridor(served.clientOptions()).payments.list({ limit: 1 });
  expect(page.items.length === 0 && page.nextCursor === null, 'an empty list over HTTP');
  await served.close();
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not as expected: ${what}`);
}

void main();
