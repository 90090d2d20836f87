import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { corridor, ended, environmentOf, startCorridor, type Run } from '../corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;
let host: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
  host = new URL(served.url).host;
});

beforeEach(async () => {
  served.platform.reset();
  served.platform.populate({ payments: 30, customers: 3, beneficiaries: 3 });
  folder = await mkdtemp(join(tmpdir(), 'corridor-verify-'));
  return () => rm(folder, { recursive: true });
});

afterAll(() => served.close());

const verify = (...words: readonly string[]): Promise<Run> => corridor(['verify', ...words], { environment, folder });

/** Adds the records of a payment, and returns the options that name them. */
function writeOptions(): readonly string[] {
  const { paymentQuoteId, documentIds, ...payment } = served.platform.payments.createParams({
    amount: '12.50',
    currencyCode: 'MXN',
  });
  return [
    '--allow-writes',
    host,
    '--payment',
    JSON.stringify(payment),
    '--quote',
    paymentQuoteId,
    '--document',
    documentIds.join(),
  ];
}

const methods = (): ReadonlySet<string> => new Set(served.platform.requests.map(({ method }) => method));
const readFileText = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

describe('without --allow-writes', () => {
  test('only reads, and writes a file that a mock takes', async () => {
    served.platform.configure({ listOrder: 'oldest-first', unknownFields: 'ignore' });

    const { code, output, notes } = await verify();

    expect({ code, notes }).toEqual({ code: 1, notes: '' });
    expect(methods()).toEqual(new Set(['GET']));
    expect(output).toMatch(/^CONTRADICTED {2}A-11 {2}the order of lists\n.*oldest first: 30 payments, request req_/m);
    const platform = createMockPlatform({
      platform: JSON.parse(await readFileText('corridor.platform.json')) as object,
    });
    const values = platform.assumptions().filter(({ option = '' }) => ['listOrder', 'unknownFields'].includes(option));
    expect(values.map(({ value }) => value)).toEqual(['oldest-first', 'ignore']);
  });

  test('with --check, fails only if a result differs from the file, and names the rows', async () => {
    served.platform.configure({ listOrder: 'oldest-first' });
    await verify();
    const written = await readFileText('corridor.platform.json');

    const same = await verify('--check');
    served.platform.configure({ errorBody: 'nested' });
    const changed = await verify('--check');

    expect(same).toMatchObject({ code: 0, notes: '' });
    expect(same.output).toContain('the order of lists (as recorded)');
    expect(changed.code).toBe(1);
    expect(changed.notes).toBe(
      'Changed since corridor.platform.json was written: A-6 (the shape and codes of errors)\n',
    );
    expect(await readFileText('corridor.platform.json')).toBe(written);
  });

  test('keeps the values that a run did not test', async () => {
    const rows = { 'A-11: whether a quote can be used more than once': 'contradicted' };
    const recorded = { version: 1, dialect: {}, behavior: { quotes: 'reusable' }, rows };
    await writeFile(join(folder, 'corridor.platform.json'), JSON.stringify(recorded));

    expect(await verify()).toMatchObject({ code: 0 });

    const file = JSON.parse(await readFileText('corridor.platform.json')) as { readonly rows: object };
    expect(file).toMatchObject({ behavior: { quotes: 'reusable' }, rows });
    expect(Object.keys(file.rows).length).toBeGreaterThan(10);
  });

  test('prints JSON without personal data or keys', async () => {
    const { code, output, notes } = await verify('--json');

    const { ok, results } = JSON.parse(output) as {
      readonly ok: boolean;
      readonly results: readonly { readonly question: string; readonly verdict: string; readonly evidence: string }[];
    };
    expect({ code, notes, ok }).toEqual({ code: 0, notes: '', ok: true });
    expect(results.find(({ question }) => question === 'the claims and lifetime of the token')).toMatchObject({
      verdict: 'confirmed',
      evidence: expect.stringContaining('a request with the claims of the client: status 200') as string,
    });
    const { platform } = served;
    const personal = [...platform.payments.all(), ...platform.customers.all(), ...platform.beneficiaries.all()].flatMap(
      ({ id, ...record }) => [id, ...('companyName' in record ? [record.companyName] : [])],
    );
    const secrets = [environment['CORRIDOR_API_KEY'] ?? '', 'Bearer', 'eyJ'];
    expect([...personal, ...secrets].filter((text) => output.includes(text))).toEqual([]);
  });

  test('says which options would test how many rows more', async () => {
    const { output } = await verify();

    expect(output).toMatch(
      /^ {2}--allow-writes, --payment, --quote and --document +6 questions: A-10, A-11, A-14, A-28$/m,
    );
    expect(output).not.toMatch(/^not testable/m);
  });

  test('prints the summary first, then contradictions, then what is confirmed', async () => {
    served.platform.configure({ listOrder: 'oldest-first' });
    onTestFinished(() => served.platform.configure({ listOrder: 'newest-first' }));

    const { output } = await verify();

    const labels = output
      .split('\n')
      .flatMap((line) => /^(\S+: \d+|reads|CONTRADICTED|confirmed)/.exec(line.replace(/^[\d.:]+, /, ''))?.[1] ?? []);
    expect(labels.slice(0, 3)).toEqual(['reads', 'CONTRADICTED', 'confirmed']);
    expect(labels.lastIndexOf('CONTRADICTED')).toBeLessThan(labels.indexOf('confirmed'));
  });

  test('fits 80 columns', async () => {
    const { output } = await corridor(['verify'], { environment, folder, terminal: 80 });
    // oxlint-disable-next-line no-control-regex
    const lines = output.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeGreaterThan(40);
  });
});

describe('--allow-writes', () => {
  test('creates payments with the named quote only, and lists them', async () => {
    const words = writeOptions();
    const before = served.platform.payments.all().length;

    const { code, output, notes } = await verify(...words, '--yes');

    expect(code).toBe(0);
    const [created, ...others] = served.platform.payments.all().slice(before);
    expect(others).toEqual([]);
    expect(notes.startsWith(`Writes to ${host}:\n`)).toBe(true);
    expect(notes).toContain(
      'Largest possible loss: 4 times 12.50 MXN; up to 150 USDC more if the platform accepts an invalid payment\n',
    );
    expect(notes.slice(notes.indexOf('Payments that this run made:'))).toContain(`payment ${created?.id}: 12.50 MXN`);
    expect(output).toMatch(/^confirmed +A-11 {2}whether a quote can be used more than once$/m);
  });

  test('lists the payments of a run on lines of their own, next to the progress', async () => {
    const { notes } = await corridor(['verify', ...writeOptions(), '--yes'], { environment, folder, terminal: 80 });

    expect(notes).toMatch(/\r\u001b\[Kmade: payment pay_\w+: 12\.50 MXN/);
  });

  test('needs the host of the base URL, which --yes does not replace', async () => {
    const [, , ...others] = writeOptions();
    for (const words of [
      ['--allow-writes', 'platform.example', ...others],
      ['--allow-writes', `http://${host}`, ...others],
      others,
      ['--yes'],
    ]) {
      const { code, notes } = await verify(...words, '--yes');
      expect(code).toBe(2);
      expect(notes).toContain('nothing was sent');
    }
    expect(served.platform.requests).toHaveLength(0);
  });

  test('sends nothing unless the host is typed or --yes is passed', async () => {
    const words = writeOptions();
    const rejected = await corridor(['verify', ...words], { environment, folder, input: 'yes\n' });
    expect(rejected.code).toBe(1);
    expect(rejected.notes).toContain('nothing was changed');
    expect(served.platform.requests).toHaveLength(0);

    const confirmed = await corridor(['verify', ...words], { environment, folder, input: `${host}\n` });
    expect(confirmed.code).toBe(0);
  });

  test.each([
    [['--quote', 'quo_1'], '--payment, --quote and --document belong together'],
    [['--payment', '{', '--quote', 'quo_1', '--document', 'doc_1'], '--payment is not valid JSON'],
    [['--payment', '@missing.json', '--quote', 'quo_1', '--document', 'doc_1'], 'missing.json cannot be read (ENOENT)'],
    [['--payment', '{}', '--quote', 'a,b,c', '--document', 'doc_1'], '--quote takes one or two quotes'],
    [['--payment', '{}', '--quote', 'quo_1', '--document', 'doc_1'], '--payment must be an object with customerId'],
    [
      ['--payment', '{"amount":"1","currencyCode":"USD","paymentQuoteId":"q"}', '--quote', 'q', '--document', 'd'],
      '--payment must not contain paymentQuoteId',
    ],
  ])('rejects %j', async (words, message) => {
    const { code, notes } = await verify('--allow-writes', host, '--yes', ...words);
    expect(code).toBe(2);
    expect(notes).toContain(message);
    expect(served.platform.requests).toHaveLength(0);
  });

  test('lists the payments that it made, and those that may exist, if it is interrupted', async () => {
    const words = writeOptions();
    // The platform accepts the payment, and never responds to its repetition.
    served.platform.faults.sequence('payments.create', ['ok', { kind: 'hang' }], { when: { amount: '12.50' } });
    const child = startCorridor(['verify', ...words, '--yes'], { environment, folder });
    const run = ended(child);
    const hanging = () => served.platform.requests.filter(({ fault }) => fault === 'hang');
    await vi.waitFor(() => expect(hanging()).toHaveLength(1), { timeout: 120_000 });
    child.kill('SIGINT');

    const { code, notes } = await run;
    expect(code).toBe(130);
    expect(notes).toContain('Interrupted; corridor.platform.json was not written.');
    const records = notes.slice(notes.indexOf('Payments that this run made:'));
    expect(records).toMatch(/payment pay_\w+: 12\.50 MXN, reference corridor-verify-[\w-]+, request req_\w+/);
    expect(records).toMatch(/payment \(id unknown\): may exist: 12\.50 MXN, reference corridor-verify-/);
  });

  test('sends no payment after one whose outcome is unknown', async () => {
    const words = writeOptions();
    served.platform.faults.next('payments.create', { kind: 'reset-after-commit' }, { when: { amount: '12.50' } });

    const { code, output, notes } = await verify(...words, '--yes');

    expect(code).toBe(1);
    expect(served.platform.requests.to('payments.create').filter(({ body }) => hasAmount(body, '12.50'))).toHaveLength(
      1,
    );
    expect(notes).toContain('payment (id unknown): may exist: 12.50 MXN');
    expect(output).toMatch(/^failed {8}A-11 {2}how long lists lag\n +the probe failed: ConnectionError/m);
  });
});

const hasAmount = (body: unknown, amount: string): boolean =>
  (body as { readonly amount?: unknown } | undefined)?.amount === amount;

describe('a platform that fails', () => {
  test('with 500s has no verdicts where it fails, and no file', async () => {
    served.platform.faults.always('payments.list', { kind: 'status', status: 500 });

    const { code, output, notes } = await verify();

    expect(code).toBe(1);
    expect(output).toMatch(/^failed {8}A-1 .*\n +the platform responded with status 500, request req_/m);
    expect(output).toMatch(/^confirmed {5}A-6 /m);
    expect(output).not.toContain('CONTRADICTED');
    expect(notes).toContain(
      'The run is incomplete, and corridor.platform.json was not written: A-1 failed with status 500',
    );
    await expect(readFileText('corridor.platform.json')).rejects.toThrow('ENOENT');
  });

  test('ends the run soon if it is down', async () => {
    const own = await serveMockPlatform();
    own.platform.faults.next('payments.list', { kind: 'hang' });
    const child = startCorridor(['verify'], { environment: await environmentOf(own), folder });
    const run = ended(child);
    const hanging = () => own.platform.requests.filter(({ fault }) => fault === 'hang');
    await vi.waitFor(() => expect(hanging()).toHaveLength(1), { timeout: 120_000 });
    await own.close();

    const { code, output, notes } = await run;
    expect(code).toBe(1);
    expect(output).toContain('the platform does not respond');
    expect(notes).toContain('The run is incomplete');
  });

  test('with rejected credentials is an error before any probe', async () => {
    const { code, output, notes } = await corridor(['verify'], {
      environment: { ...environment, CORRIDOR_API_KEY: 'another-key' },
      folder,
    });

    expect(code).toBe(1);
    expect(output).not.toContain('A-1');
    expect(notes).toContain('code authentication');
  });
});

test('--out in a folder that does not exist is an error before any request', async () => {
  const { code, notes } = await verify('--out', 'missing/file');

  expect(code).toBe(1);
  expect(notes).toContain('missing/file cannot be written (ENOENT). Nothing was sent. Pass another file');
  expect(served.platform.requests).toHaveLength(0);
});

test.each([
  ['{', 'it is not valid JSON'],
  ['{"behavior":{"listOrder":"random"}}', 'behavior.listOrder must be one of'],
  ['{"dialect":{"amountFormat":{"decimals":-1}}}', 'dialect.amountFormat.decimals must be an integer from 0'],
])('a file with %s is rejected, and kept', async (content, message) => {
  await writeFile(join(folder, 'corridor.platform.json'), content);

  const { code, notes } = await verify();

  expect(code).toBe(1);
  expect(notes).toContain(message);
  expect(await readFileText('corridor.platform.json')).toBe(content);
  expect(served.platform.requests).toHaveLength(0);
});
