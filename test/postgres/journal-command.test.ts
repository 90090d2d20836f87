import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { corridor, environmentOf } from '../cli/corridor.ts';
import { intentFor } from '../journal/intent-for.ts';

test('corridor journal lists the entries of a table in PostgreSQL, and releases a confirmed one', async () => {
  const connectionString = process.env['CORRIDOR_TEST_POSTGRES'] ?? '';
  const pool = new Pool({ connectionString });
  onTestFinished(() => pool.end());
  const table = `journal_command_${process.pid}`;
  await pool.query(postgresMigration(table));
  const journal = new PostgresJournal(pool, { table });
  const intent = intentFor(
    'quo_1',
    {},
    {
      clockKnown: true,
      sendUntil: '2026-03-01T09:01:30.000Z',
    },
  );
  await journal.claim(intent);
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  served.platform.customers.add({ id: 'cus_1' });
  const surroundings = { environment: await environmentOf(served), input: 'yes\nquo_1\n' };

  const list = await corridor(['journal', 'list', connectionString, '--table', table, '--json'], surroundings);
  const resolved = await corridor(['journal', 'resolve', connectionString, 'quo_1', '--table', table], surroundings);

  expect(JSON.parse(list.output)).toMatchObject([{ intent }]);
  expect(resolved).toMatchObject({ code: 0, output: 'Released: quo_1 can be used again.\n' });
  expect(await journal.listPending()).toEqual([]);
});
