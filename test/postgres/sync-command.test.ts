import { expect, test } from 'vitest';
import { corridor, ended, startCorridor } from '../cli/corridor.ts';
import { connectionString, serveWithSchema } from './serve-with-schema.ts';

async function serve() {
  const served = await serveWithSchema('sync_command');
  served.platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  return served;
}

test('corridor sync fills a schema in PostgreSQL, reports what differs, and repairs it', async () => {
  const { platform, schema, pool, environment } = await serve();
  const surroundings = { environment: { ...environment, DATABASE_URL: connectionString } };
  const run = (...words: string[]) => corridor(['sync', '--schema', schema, ...words], surroundings);

  expect(await run('--once', '--postgres', connectionString)).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^PostgreSQL is up to date; rows read: payments \d+, customers \d+, beneficiaries \d+; changes: \d+\n$/,
    ) as string,
  });
  platform.payments.update('pay_open', { memo: 'late' });
  const check = await run('--full', '--dry-run');
  const repaired = await run('--once', '--full', '--json');

  expect(check).toMatchObject({ code: 1, notes: 'PostgreSQL: 1 record differs\n' });
  expect(JSON.parse(repaired.output)).toMatchObject({
    changes: 1,
    differences: [{ record: 'payment', id: 'pay_open' }],
  });
  const { rows } = await pool.query(`select data ->> 'memo' as memo from "${schema}".corridor_payments`);
  expect(rows).toEqual([{ memo: 'late' }]);
});

test('corridor sync follows into PostgreSQL, prints a line per change, and ends with the signal', async () => {
  const { platform, schema, environment } = await serve();
  const words = ['sync', '--postgres', connectionString, '--schema', schema];
  await corridor([...words, '--once'], { environment });
  const child = startCorridor(words, { environment });
  const result = ended(child);
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  platform.payments.transition('pay_open', 'COMPLETED');

  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/^payment pay_open: PROCESSING -> COMPLETED \(status/);
  child.kill('SIGINT');

  expect(await result).toMatchObject({ code: 0 });
});
