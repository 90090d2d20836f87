import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { corridor, environmentOf, jsonLines, type Run } from '../corridor.ts';
import { exportedIds, january, januaryIds, servePayments } from './served-payments.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  served = await servePayments();
  environment = await environmentOf(served);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-export-'));
  return () => rm(folder, { recursive: true });
});

afterAll(() => served.close());

const run = (...words: string[]): Promise<Run> => corridor(['export', ...words], { environment, folder });
describe('corridor export', () => {
  test('writes payments as JSON lines, with a manifest', async () => {
    const { code, output } = await run('payments', ...january, '--out', 'payments.jsonl');
    expect({ code, output }).toEqual({
      code: 0,
      output: `payments.jsonl: ${januaryIds(served).length} payments, complete up to 2026-01-31T23:59:59.999Z\n`,
    });
    const text = await readFile(join(folder, 'payments.jsonl'), 'utf8');
    expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
    expect(JSON.parse(await readFile(join(folder, 'payments.jsonl.manifest.json'), 'utf8'))).toMatchObject({
      file: 'payments.jsonl',
      format: 'jsonl',
      range: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T23:59:59.999Z' },
      count: januaryIds(served).length,
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect((await readdir(folder)).toSorted()).toEqual(['payments.jsonl', 'payments.jsonl.manifest.json']);
    expect((await stat(join(folder, 'payments.jsonl'))).mode & 0o777).toBe(0o600);
  });

  test('writes compressed CSV with quotes, and formulas as text', async () => {
    const { code } = await run('payments', ...january, '--out', 'payments.csv.gz');
    expect(code).toBe(0);
    const text = gunzipSync(await readFile(join(folder, 'payments.csv.gz'))).toString();
    const [header = ''] = text.split('\r\n');
    expect(header).toMatch(/^id,customerId,beneficiaryId,amount,.*,customer\.companyName,.*,sourceFunding\.type,/);
    expect(text).toContain(`,"'=HYPERLINK(""x"")",`);
    expect(text).toContain(',"Goods, ""fragile""\nin boxes",');
    expect(text.split('\r\n')).toHaveLength(januaryIds(served).length + 2);
  });

  test.each([
    ['text', ["'=1+1", "'+49", "'-5%", "'@x", '-5.00', '5']],
    ['keep', ['=1+1', '+49', '-5%', '@x', '-5.00', '5']],
  ])('writes formulas as %s, and numbers as they are', async (csvFormulas, cells) => {
    const before = served.platform.snapshot();
    onTestFinished(() => served.platform.restore(before));
    const values = ['=1+1', '+49', '-5%', '@x', '-5.00', '5'];
    for (const companyName of values) served.platform.customers.add({ companyName, createdAt: '2099-01-01T00:00:00Z' });
    await run('customers', '--out', 'names.csv', '--csv-formulas', csvFormulas);
    const text = await readFile(join(folder, 'names.csv'), 'utf8');
    const column = text.split('\r\n')[0]?.split(',').indexOf('companyName') ?? -1;
    const written = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[column]);
    expect(written).toEqual(expect.arrayContaining(cells));
    const manifest = JSON.parse(await readFile(join(folder, 'names.csv.manifest.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ csvFormulas });
  });

  test('prints JSON lines without a file', async () => {
    for (const out of [[], ['--out', '-']]) {
      const { code, output, notes } = await run('payments', ...january, ...out);
      expect({ code, notes }).toEqual({
        code: 0,
        notes: `${januaryIds(served).length} payments, complete up to 2026-01-31T23:59:59.999Z\n`,
      });
      const ids = (jsonLines(output) as readonly { readonly id: string }[]).map(({ id }) => id);
      expect(ids.toSorted()).toEqual(januaryIds(served));
    }
    expect(await readdir(folder)).toEqual([]);
  });

  test('writes text that is longer in bytes than in characters', async () => {
    const before = served.platform.snapshot();
    onTestFinished(() => served.platform.restore(before));
    for (const { id } of served.platform.payments.all())
      served.platform.payments.update(id, { memo: 'é'.repeat(64), purposeOfPayment: 'é'.repeat(3_000) });
    const { code } = await run('payments', ...january, '--out', 'accents.jsonl');
    expect(code).toBe(0);
    expect(await exportedIds(join(folder, 'accents.jsonl'))).toEqual(januaryIds(served));
  });

  test.each(['a.CSV', 'a.Csv.GZ'])('recognizes the format of %s', async (file) => {
    await run('customers', '--out', file);
    const content = await readFile(join(folder, file));
    expect((file.endsWith('GZ') ? gunzipSync(content) : content).toString()).toMatch(/^id,/);
  });

  test.each(['payments.csv.gz', 'payments.jsonl.gz'])('writes %s without payments', async (file) => {
    const { code } = await run('payments', '--to', '2020-01-01T00:00Z', '--out', file);
    expect(code).toBe(0);
    const text = gunzipSync(await readFile(join(folder, file))).toString();
    expect(text.split('\r\n').length - 1).toBe(file.includes('csv') ? 1 : 0);
    const manifest = JSON.parse(await readFile(join(folder, `${file}.manifest.json`), 'utf8')) as object;
    expect(manifest).toMatchObject({ count: 0, range: { to: '2020-01-01T00:00:00.000Z' } });
  });

  test('writes customers page by page', async () => {
    const { code, output } = await run('customers', '--out', 'customers.csv');
    expect({ code, output }).toEqual({
      code: 0,
      output: 'customers.csv: 1 customer\n',
    });
  });

  test('writes the beneficiaries of a customer', async () => {
    const [{ customerId, id, iban } = { customerId: '', id: '', iban: '' }] = served.platform.beneficiaries.all();
    const { code, output } = await run('beneficiaries', '--customer', customerId, '--out', 'beneficiaries.csv');
    expect({ code, output }).toEqual({ code: 0, output: 'beneficiaries.csv: 1 beneficiary\n' });
    const [header = '', record = ''] = (await readFile(join(folder, 'beneficiaries.csv'), 'utf8')).split('\r\n');
    expect(record.split(',')[0]).toBe(id);
    expect(header).toMatch(/^id,customerId,version,country,companyName,/);
    expect(record).toContain(`,${iban},`);
  });

  test('shows part, items, rate and elapsed time on a terminal, and removes it at the end', async () => {
    served.platform.faults.always('payments.list', { kind: 'slow', delay: 300 });
    const words = ['export', 'payments', ...january, '--out', 'payments.jsonl', '--concurrency', '1'];
    const { code, notes } = await corridor(words, { environment, folder, terminal: 80 });
    served.platform.faults.clear();

    expect(code).toBe(0);
    const shown = notes.split('\r').map((line) => line.replace('\x1b[K', ''));
    expect(shown.at(-1)).toBe('');
    const bars = shown.filter((line) => line.includes('records'));
    expect(bars.length).toBeGreaterThan(1);
    expect(bars.at(-1)).toMatch(/^\d+% {2}[\d,]+ records, [\d,]+\/s, \d+:\d\d$/);
    for (const bar of bars) expect(bar.length).toBeLessThanOrEqual(80);
  });

  test.each([
    [['invoices', '--out', 'x.jsonl'], '"invoices" cannot be exported; pass payments, customers, beneficiaries'],
    [['beneficiaries', '--out', 'x.csv'], '--customer is missing; pass the id of the customer'],
    [['customers', '--customer', 'cus_1', '--out', 'x.csv'], '--customer applies to beneficiaries only'],
    [['payments', '--resume'], '--resume applies to files only'],
    [['payments', '--out', 'x.csv', '--csv-formulas', 'no'], '--csv-formulas must be keep or text (received "no")'],
    ...['x.txt', 'x', 'x.json', 'csv', 'x.csv.zip'].map((file): [string[], string] => [
      ['payments', '--out', file],
      `the format of "${file}" is unknown; let --out end in .jsonl, .csv, .jsonl.gz or .csv.gz`,
    ]),
    [['customers', '--out', 'x.csv', '--from', '2026-01-01T00:00Z'], '--from applies to payments only; remove it'],
    [['payments', '--out', 'x.jsonl', '--csv-formulas', 'keep'], '--csv-formulas applies to CSV only'],
    [['payments', '--out', 'x.csv', '--from', 'yesterday'], 'createdFrom must be an ISO 8601'],
    [['payments', '--out', 'x.csv', '--status', 'DONE'], 'Pass one of PENDING_REVIEW'],
    [['customers', '--out', 'x.csv', '--status', 'DONE'], 'Pass one of DRAFT'],
    [['payments', '--out', 'x.csv', '--status', 'DONE'], 'or --unknown-status'],
    [
      ['payments', '--out', 'x.csv', '--status', 'COMPLETED', '--unknown-status', 'STATUS_OF_TESTS'],
      'an export takes one status; remove the others',
    ],
  ])('rejects %o, and leaves no file', async (words, message) => {
    const { code, notes } = await run(...words);
    expect(code).toBe(2);
    expect(notes).toContain(message);
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a list that ends without its last page is not continued as if it were complete', async () => {
  const [first, ...others] = [served.platform.customers.add(), served.platform.customers.add()];
  let isBroken = true;
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    const page =
      url?.includes('cursor=') === true ? { items: others, hasMore: isBroken } : { items: [first], hasMore: true };
    response.end(JSON.stringify({ ...page, nextCursor: page.items === others ? null : 'b' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const words = ['export', 'customers', '--out', 'broken.jsonl'];
  const settings = { environment: { ...environment, CORRIDOR_BASE_URL: address }, folder };
  expect((await corridor(words, settings)).code).toBe(1);
  expect((await corridor([...words, '--resume'], settings)).notes).toContain('returned no cursor for it');
  expect(await readdir(folder)).not.toContain('broken.jsonl');
  isBroken = false;
  expect((await corridor([...words, '--resume'], settings)).code).toBe(0);
  server.close();
  expect(await exportedIds(join(folder, 'broken.jsonl'))).toEqual(
    [first, ...others].map((each) => each?.id).toSorted(),
  );
});
