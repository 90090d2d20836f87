import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { select } from '../../mirror/mirrored.ts';
import { corridor, environmentOf, startCorridor, type Run } from '../corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  served.platform.populate({ customers: 3, beneficiaries: 4, payments: 20 });
  served.platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  environment = await environmentOf(served);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-sync-'));
  return () => rm(folder, { recursive: true });
});

afterAll(() => served.close());

// Nothing listens at port 1.
const postgresUrl = 'postgresql://ops:hunter22-secret@127.0.0.1:1/shop';

const run = (...words: string[]): Promise<Run> =>
  corridor(['sync', '--sqlite', 'x.sqlite', ...words], { environment, folder });

test('fills a file, reports what differs, and repairs it', async () => {
  const filled = await run('--once', '--sensitive');
  expect(filled).toMatchObject({ code: 0 });
  expect(filled.output).toMatch(
    /^x\.sqlite is up to date; rows read: payments \d+, customers \d+, beneficiaries \d+; changes: \d+\n$/,
  );
  expect((await stat(join(folder, 'x.sqlite'))).mode & 0o777).toBe(0o600);
  expect(select(join(folder, 'x.sqlite'), 'select count(*) as count from corridor_payments')).toEqual([
    { count: served.platform.payments.all().length },
  ]);
  const [ended] = served.platform.payments.all({ status: 'COMPLETED' });
  served.platform.payments.update(String(ended?.id), { memo: 'late' });
  const check = await run('--full', '--dry-run', '--sensitive');
  expect(check).toEqual({
    code: 1,
    output: `record   id                    fields\npayment  ${ended?.id}  memo, updatedAt\n`,
    notes: 'x.sqlite: 1 record differs\n',
  });
  const repaired = JSON.parse((await run('--once', '--full', '--sensitive', '--json')).output) as object;
  expect(repaired).toMatchObject({ changes: 1, differences: [{ record: 'payment', id: ended?.id }] });
  expect(await run('--full', '--dry-run', '--sensitive')).toMatchObject({ code: 0, output: '' });
}, 180_000);

test('prints how fresh a copy is, and exits with 1 if a part is behind or could not be read', async () => {
  expect(await run('--status')).toMatchObject({ code: 1, output: expect.stringContaining('not filled yet') as string });
  await run('--once');
  const fresh = await run('--status');
  expect(fresh).toMatchObject({ code: 0, notes: '' });
  expect(fresh.output).toMatch(/^part +asOf +behind\nopen +\d{4}-\S+\n(.+\n){4}x\.sqlite is filled; changes: \d+,/);
  const [customer] = served.platform.customers.all();
  served.platform.faults.always('customers.beneficiaries', { kind: 'status', status: 403 });
  const once = await run('--once', '--full');
  served.platform.faults.clear();
  expect(once).toMatchObject({ code: 1, output: expect.stringContaining('x.sqlite is not complete') as string });
  expect(once.notes).toContain(`x.sqlite: beneficiaries ${customer?.id} could not be read: customers.beneficiaries`);
  const status = await run('--status', '--json');
  expect(status.code).toBe(1);
  const problem = expect.objectContaining({ part: 'beneficiaries', slice: customer?.id }) as unknown;
  expect(JSON.parse(status.output)).toMatchObject({
    filled: true,
    problems: expect.arrayContaining([problem]) as unknown,
  });
  expect((await run('--status')).output).toMatch(
    /\nbeneficiaries +cus_\S+ +\d{4}-\S+ +1 +\d{4}-\S+ +customers\.beneficiaries/,
  );
}, 180_000);

test('follows, prints a line per change, and ends with the signal', async () => {
  await run('--once');
  const process = startCorridor(['sync', '--sqlite', 'x.sqlite'], { environment, folder });
  let output = '';
  process.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const ended = new Promise((resolve) => process.on('close', resolve));
  served.platform.payments.transition('pay_open', 'COMPLETED');
  await expect
    .poll(() => output, { timeout: 60_000 })
    .toMatch(/^payment pay_open: PROCESSING -> COMPLETED \(status, updatedAt/);
  process.kill('SIGINT');
  expect(await ended).toBe(0);
}, 180_000);

test.each([
  [['--sqlite', ''], '--sqlite requires a value'],
  [[], 'the database of the copy is missing. Pass --sqlite with a file or --postgres with a URL, or set DATABASE_URL'],
  [['--sqlite', 'x.sqlite', '--postgres', postgresUrl], '--sqlite and --postgres exclude each other'],
  [['--sqlite', 'x.sqlite', '--schema', 'corridor'], '--schema applies to PostgreSQL only'],
  [['--sqlite', postgresUrl], '--sqlite takes a file; pass a PostgreSQL URL as --postgres'],
  [['--postgres', 'mysql://ops:hunter22-secret@127.0.0.1/shop'], 'the PostgreSQL URL is not valid'],
  [['--postgres', 'postgresql://ops:hunter22/secret@127.0.0.1/shop'], 'the PostgreSQL URL is not valid'],
  [['postgresql:///shop?password=hunter22-secret'], 'unexpected argument "postgresql:///shop?password=[secret]"'],
  [[postgresUrl], 'unexpected argument "postgresql://ops:[secret]@127.0.0.1:1/shop"'],
  [
    ['postgresql://ops:hunter22/secret@127.0.0.1/shop'],
    'unexpected argument "postgresql://ops:[secret]@127.0.0.1/shop"',
  ],
  [['--sqlite', 'x.sqlite', '--concurrency', '0'], '--concurrency must be an integer from 1 to 100'],
  [['--sqlite', 'x.sqlite', 'other'], 'unexpected argument "other"'],
])('rejects %j', async (words, message) => {
  const { code, notes } = await corridor(['sync', ...words], { environment, folder });
  expect({ code, isNamed: notes.includes(message) }).toEqual({ code: 2, isNamed: true });
  expect(notes).not.toContain('hunter22');
});

test('names the fix for a copy that is not filled, and for a file that is no database', async () => {
  const { code, notes } = await run('--dry-run');
  expect({ code, notes }).toMatchObject({
    code: 1,
    notes: expect.stringContaining('Run without dryRun first') as string,
  });
  const other = await corridor(['sync', '--sqlite', folder, '--once'], { environment, folder });
  expect(other).toMatchObject({ code: 1, notes: expect.stringContaining('could not be opened') as string });
});

test('needs pg in the folder for a PostgreSQL URL, which can be that of DATABASE_URL', async () => {
  const withUrl = { environment: { ...environment, DATABASE_URL: postgresUrl }, folder };
  for (const words of [['--postgres', postgresUrl], []]) {
    const { code, notes } = await corridor(['sync', '--once', ...words], withUrl);
    expect(code).toBe(1);
    expect(notes).toContain('the package pg cannot be loaded in this folder (MODULE_NOT_FOUND). Run npm install pg');
  }
});

test('reports a PostgreSQL that cannot be reached, without the password', async () => {
  const { code, notes } = await corridor(['sync', '--postgres', postgresUrl], { environment });
  expect(code).toBe(1);
  expect(notes).toMatch(/^error {2}the database failed: .*ECONNREFUSED.*\. Check the URL, PGPASSWORD and/);
  expect(notes).not.toContain('hunter22');
});
