import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { order } from '../../scripts/specification/specification.ts';
import { runProgram, startProgram, type Run } from './run-program.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;

const { customerId } = order;

beforeAll(async () => {
  served = await serveMockPlatform();
  const { platform } = served;
  platform.customers.add({ id: customerId, companyName: 'Acme Traders' });
  platform.beneficiaries.add({ id: 'ben_1', customerId, currencyCode: 'USD' });
  platform.quotes.addMany(2, (index) => ({
    id: `quo_${index + 1}`,
    customerId,
    paymentAmount: '1250.00',
    paymentCurrencyCode: 'USD',
  }));
  platform.documents.addMany(2, (index) => ({
    id: `doc_${index + 1}`,
    customerId,
    content: 'Invoice 4711',
    contentType: 'text/plain',
  }));
  platform.persons.add({ id: 'per_1', customerId });
  platform.tickets.add({ id: 'tic_1', attachments: [{ id: 'att_1', content: 'Hello' }] });
  platform.payments.addMany(3, () => ({ status: 'COMPLETED', currencyCode: 'MXN', amount: '10.10' }));
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
  folder = await mkdtemp(join(tmpdir(), 'corridor-programs-'));
  await writeFile(join(folder, 'payment.json'), JSON.stringify(order));
  await writeFile(
    join(folder, 'payments.json'),
    JSON.stringify([{ ...order, paymentQuoteId: 'quo_2', internalReference: 'order-4711' }]),
  );
});

afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/** The input of each program and its expected output. */
const programs: Readonly<
  Record<string, readonly [programArguments: () => readonly string[], prints: readonly string[]]>
> = {
  'find-approved-customer.ts': [() => ['acme'], ["companyName: 'Acme Traders'", "status: 'APPROVED'"]],
  'read-customer.ts': [() => [customerId], ['activity: []', "id: 'ben_1'"]],
  'check-screening.ts': [() => [customerId, 'per_1'], ['clear: false', "screeningId: 'scr_"]],
  'list-crypto-methods.ts': [() => [], ['"token": "USDC"', '"name": "Polygon"']],
  'create-payment.ts': [
    () => [join(folder, 'payment.json')],
    ["status: 'PENDING_REVIEW'", 'created: true', 'recovered: false'],
  ],
  'pay-once.ts': [() => [join(folder, 'payments.json'), join(folder, 'journal.sqlite')], ['made', 'pay_']],
  'summarize-payments.ts': [() => [], ['COMPLETED', 'MXN', '30.30']],
  'download-document.ts': [() => ['doc_1', join(folder, 'saved.txt')], ['doc_1 is in ']],
  'delete-document.ts': [() => ['doc_2'], ['true']],
  'reply-to-ticket.ts': [() => ['tic_1', 'att_1', 'ops@partner.example', 'Done.'], ['5\n']],
  'inspect-error.ts': [
    () => [],
    ['InvalidRequestError: payments.createOnce was not sent', 'memo must be a string of at most 64 characters'],
  ],
  'kms-signer.ts': [() => [], ["displayName: 'Polygon'"]],
  'opentelemetry.ts': [() => [], ['networks, in spans and metrics']],
  'unknown-endpoint.ts': [() => [], ["'Polygon'"]],
  'test-with-mock.ts': [() => [], ['pass 2', 'fail 0']],
};

describe('every example runs by itself, as a program', () => {
  test.concurrent.each(Object.entries(programs))(
    '%s',
    async (name, [programArguments, prints]) => {
      const run = await runProgram(`examples/${name}`, programArguments(), environment);

      expect(run).toMatchObject({ code: 0 });
      for (const text of prints) expect(run.output).toContain(text);
    },
    180_000,
  );

  test('follow-payments.ts, until it is stopped', async () => {
    const program = startProgram('examples/follow-payments.ts', [join(folder, 'checkpoint.json')], environment);
    const ended = once(program, 'close');
    let output = '';
    for await (const text of program.stdout) {
      output += String(text);
      if (output.includes('new -> COMPLETED')) break;
    }
    program.kill();
    await ended;
    expect(output).toContain('new -> COMPLETED');
  });

  test('and did its work on the platform', async () => {
    const { platform } = served;
    expect(platform.payments.all()).toContainEqual(
      expect.objectContaining({ customerId, status: 'PENDING_REVIEW', paymentQuoteId: 'quo_1' }),
    );
    expect(await readFile(join(folder, 'saved.txt'), 'utf8')).toBe('Invoice 4711');
    expect(platform.documents.get('doc_2')).toBeUndefined();
    expect(platform.tickets.get('tic_1')?.replies).toMatchObject([
      { actorEmail: 'ops@partner.example', bodyText: 'Done.' },
    ]);
  });

  test('every example is in this test and in the list of examples', async () => {
    const files = (await readdir('examples'))
      .filter((name) => name.endsWith('.ts') && name !== 'status-table.ts')
      .toSorted();
    expect([...Object.keys(programs), 'demo.ts', 'follow-payments.ts'].toSorted()).toEqual(files);
    const listed = [...(await readFile('examples/README.md', 'utf8')).matchAll(/^\| \[(.+?)\]\(\1\)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.toSorted()).toEqual(files);
  });
});

describe('the demo', () => {
  let run: Run;

  beforeAll(async () => {
    run = await runProgram('examples/demo.ts');
  }, 180_000);

  test('ends by itself, well', () => {
    expect(run).toMatchObject({ code: 0 });
  });

  test('prints about 60 lines that fit a terminal, and the command for the console last', () => {
    const lines = run.output.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.length).toBeLessThan(65);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.at(-1)).toContain('npm run demo -- --console');
  });

  test('stays open with its requests for the console, until Ctrl+C', async () => {
    const program = startProgram('examples/demo.ts', ['--console']);
    const ended = once(program, 'close');
    let output = '';
    for await (const text of program.stdout) {
      output += String(text);
      if (output.includes('Ctrl+C stops it.')) break;
    }
    const [, url = ''] = /The console shows them: (\S+)\/console/.exec(output) ?? [];
    const page = await fetch(`${url}/console`);
    const requests = (await (await fetch(`${url}/requests`)).json()) as readonly unknown[];
    program.kill('SIGINT');

    expect(page.headers.get('content-type')).toContain('text/html');
    expect(requests.length).toBeGreaterThan(14);
    expect(await ended).toEqual([0, null]);
  });

  test('calls every endpoint over HTTP, each request with a new token', () => {
    const [, requests, called, signed, downloads] =
      /(\d+) requests over HTTP to (\d+) of \d+ endpoints in [\d.]+ s: (\d+) had[^;]*; (\d+) were downloads/.exec(
        run.output,
      ) ?? [];
    expect(Number(called)).toBeGreaterThanOrEqual(14);
    expect(Number(signed) + Number(downloads)).toBe(Number(requests));
    expect(Number(downloads)).toBe(2);
  });

  test('shows a payment, an error, a table whose rows and columns add up, a download and a reply to a ticket', () => {
    expect(run.output).toMatch(/pay_\w+: 1250\.00 [A-Z]{3} to .+ is\s+PENDING_REVIEW/);
    expect(run.output).toMatch(
      /UnprocessableEntityError: payments\.create failed with status 422:\s+invoice_required[^]*outcome rejected/,
    );
    expect(run.output).toMatch(/invoice-4711\.pdf: \d+ bytes; draft deleted: true/);
    expect(run.output).toMatch(/read its attachment \(\d+ bytes\) and replied/);
    const rows = [...run.output.matchAll(/^ {2}([A-Z_]+|all) +((?:\d+|·)(?: +(?:\d+|·))+)$/gm)].map(
      ([, name, cells = '']) => ({ name, cells: cells.split(/ +/).map((cell) => (cell === '·' ? 0 : Number(cell))) }),
    );
    const all = rows.at(-1);
    expect(all?.name).toBe('all');
    expect(all?.cells).toEqual(
      all?.cells.map((_, column) => rows.slice(0, -1).reduce((sum, { cells }) => sum + (cells[column] ?? 0), 0)),
    );
    expect(all?.cells.at(-1)).toBe(251);
    for (const { cells } of rows) expect(cells.at(-1)).toBe(cells.slice(0, -1).reduce((sum, cell) => sum + cell, 0));
  });

  test('speaks of no path of this machine, no key and no token', () => {
    expect(run.output).not.toMatch(/\/tmp\/|PRIVATE KEY|eyJ/);
  });
});
