import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('corridor journal reads the address of the journal from DATABASE_URL, also of an env file', async () => {
  const url = new URL(process.env['CORRIDOR_TEST_POSTGRES'] ?? '');
  const pool = new Pool({ connectionString: url.href });
  onTestFinished(() => pool.end());
  const table = `journal_of_file_${process.pid}`;
  await pool.query(postgresMigration(table));
  await new PostgresJournal(pool, { table }).claim(intentFor('quo_1'));
  url.password = 'hunter22-secret';
  const folder = await mkdtemp(join(tmpdir(), 'corridor-journal-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ops.env');
  await writeFile(file, `CORRIDOR_API_KEY=key\nDATABASE_URL=${url.href}\n`);

  const list = await corridor(['journal', 'list', '--table', table, '--env-file', file], {});
  const show = await corridor(['journal', 'show', 'quo_1', '--table', table, '--env-file', file], {});

  expect(list).toMatchObject({ code: 0, output: expect.stringMatching(/^quo_1 /m) as unknown });
  expect(list.notes).toContain(`corridor-sdk journal reconcile --table ${table} --env-file ${file}\n`);
  expect(list.notes).not.toContain('hunter22');
  expect(JSON.parse(show.output)).toMatchObject({ request: { paymentQuoteId: 'quo_1' } });
});
