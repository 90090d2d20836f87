import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointNames, type EndpointName } from 'corridor-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { columnsOf } from '../../../src/cli/print/table.ts';
import { read } from '../../../scripts/repository/tree.ts';

import { endpoints } from '../../../src/contract/endpoints.ts';
import { serveForCalls } from './served-calls.ts';
import { endpointExamples, order } from '../../../scripts/specification/specification.ts';

const { platform, call, requested } = serveForCalls();

const payment = JSON.stringify(order);

/** Returns the arguments of an endpoint: its ids, its filters or body, and --yes if it writes. */
const wordsOf = (name: EndpointName): readonly string[] => [
  ...endpointExamples[name].args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))),
  ...(endpoints[name].method === 'GET' ? [] : ['--yes']),
];

describe('every endpoint of the contract can be called', () => {
  test.each(endpointNames)('%s', async (name) => {
    const { code, output, notes } = await call([name, ...wordsOf(name), '--json']);

    expect({ code, notes: notes.replace(/^Only the first \d+ are shown\. .*\n/, '') }).toEqual({ code: 0, notes: '' });
    expect(
      platform()
        .requests.to(name)
        .map(({ status }) => status),
    ).toEqual([endpoints[name].success]);
    expect(Array.isArray(JSON.parse(output))).toBe(columnsOf(name) !== undefined);
  });

  test('is in the help, with its parameters', async () => {
    const { output } = await call(['--help']);

    const listed = [...output.matchAll(/^ {2}(\w+\.\w+)(.*?) {2,}(\w+) (\/\S+)$/gm)].map(
      ([, name, takes, method, path]) => [name, takes?.trim(), method, path],
    );
    expect(listed.map(([name]) => name)).toEqual(endpointNames);
    expect(listed).toContainEqual([
      'customers.beneficiaries',
      '<customerId> [json]',
      'GET',
      '/api/v1/customers/{customerId}/beneficiaries',
    ]);
    expect(listed).toContainEqual([
      'support.reply',
      '<ticketId> <json>',
      'POST',
      '/api/v1/support/partner-tickets/{ticketId}/replies',
    ]);
  });

  test.each(['payments', 'payments.'])('the namespace alone, as in %j, lists its calls and runs none', async (name) => {
    const { code, output, notes } = await call([name]);

    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(notes).toContain(`payments is a namespace. Pass one of its calls:
       payments.create <json>     POST /api/v1/payment
       payments.list [json]       GET /api/v1/payment
       payments.find <json>       finds a payment by its id, its quote or your reference
`);
    expect(platform().requests).toHaveLength(0);
  });

  test('--help of a namespace lists its calls', async () => {
    const { code, output } = await call(['documents', '--help']);

    expect(code).toBe(0);
    expect([...output.matchAll(/^ {2}(\w+\.\w+) /gm)].map(([, name]) => name)).toEqual([
      'documents.downloadUrl',
      'documents.delete',
    ]);
  });

  test('has help that lists the fields of its JSON', async () => {
    const { output } = await call(['payments.create', '--help']);

    const fields = [...output.matchAll(/^ {2}(\w+)( \*)? {2,}must/gm)].map(([, name, required]) => [
      name,
      required !== undefined,
    ]);
    const [, body = ''] =
      /export interface PaymentCreateParams \{\n([^]*?)\n\}/.exec(read('src/contract/schema/payments.ts').text) ?? [];
    expect(Object.fromEntries(fields)).toEqual(
      Object.fromEntries(
        [...body.matchAll(/readonly (\w+)(\?)?:/g)].map(([, name, optional]) => [name, optional === undefined]),
      ),
    );
  });
});

describe('input', () => {
  test('filters are part of the JSON, next to an id as an argument', async () => {
    await call(['customers.beneficiaries', 'cus_1', '{"status":"APPROVED","limit":5}']);

    expect(platform().requests.at(-1)).toMatchObject({
      path: '/api/v1/customers/cus_1/beneficiaries',
      query: { status: 'APPROVED', limit: '5' },
    });
  });

  test('the JSON can be in a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'corridor-call-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'filter.json'), '{"status":"PENDING_REVIEW"}');

    const { output } = await call(['payments.list', '@filter.json', '--json'], { folder });

    expect(new Set((JSON.parse(output) as readonly { readonly status: string }[]).map(({ status }) => status))).toEqual(
      new Set(['PENDING_REVIEW']),
    );
  });

  test('the JSON can come on standard input', async () => {
    const { code } = await call(['payments.create', '-', '--yes'], { input: payment });

    expect(code).toBe(0);
    expect(platform().payments.all()).toHaveLength(31);
  });

  test.each([
    [['customers.get'], 'missing <id>: npx corridor-sdk call customers.get <id>'],
    [['screening.get', 'cus_1'], 'missing <personId>: npx corridor-sdk call screening.get <customerId> <personId>'],
    [['customers.get', 'cus_1', 'cus_2'], 'unexpected argument "cus_2": npx corridor-sdk call customers.get <id>'],
    [['crypto.networks', '{"limit":1}'], 'crypto.networks takes no limit'],
    [['customers.get', 'cus_1', '{"limit":1}'], 'customers.get <id> takes no limit'],
    [['payments.list', '{"limit":'], 'the JSON is not valid JSON'],
    [['payments.list', '["COMPLETED"]'], 'the JSON must be a JSON object'],
    [['payments.list', '{}', '{}'], 'pass only one JSON object'],
    [['payments.list', '@nowhere.json'], 'nowhere.json cannot be read (ENOENT)'],
    [['support.reply', 'tic_1', '--yes'], 'the JSON is missing: npx corridor-sdk call support.reply <ticketId> <json>'],
    [
      ['support.reply', 'tic_1', '{}', '--yes'],
      'the JSON of support.reply has no field. Pass at least one of draftId, actorEmail, bodyHtml, bodyText',
    ],
    [['payments.create', '{}', '--yes'], '- customerId is required: it must be a non-empty string'],
    [['payments.list', '{"limit":0}'], 'limit must be an integer from 1 to 100'],
    [['payment'], 'unknown endpoint "payment"; did you mean payments?'],
    [['payments.list', '--max', '0'], '--max must be an integer of at least 1'],
    [['payments.list', '--max', '5', '--all'], 'pass either --max or --all, not both'],
    [['crypto.networks', '--all'], '--all applies to lists with pages only; remove it'],
    [
      ['documents.delete', 'doc_1', '--yes', '--journal', 'a.sqlite'],
      '--journal applies to payments.create and payments.reconcile only; remove it',
    ],
    [[], 'the endpoint is missing; pass one, such as: npx corridor-sdk call payments.list'],
  ])('%j is rejected, and nothing is sent', async (wrong, message) => {
    const { code, output, notes } = await call(wrong);

    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(notes).toContain(message);
    expect(platform().requests).toHaveLength(0);
  });

  test('a status that this version does not know is sent if it is marked', async () => {
    await call(['payments.list', '{"status":{"unknownValue":"STATUS_OF_TESTS"}}']);

    expect(platform().requests.map(({ query }) => query['status'])).toEqual(['STATUS_OF_TESTS']);
  });

  test('a field that this version does not know is sent if it is marked', async () => {
    await call(['payments.list', '{"currency":{"unknownField":"USD"}}']);
    expect(platform().requests.map(({ query }) => query['currency'])).toEqual(['USD']);

    const { notes } = await call(['payments.list', '{"currency":"USD"}']);
    expect(notes).toContain('"name": {"unknownField": "…"}');
  });

  test.each(['latin1', 'utf16le'] as const)('a file in %s is an error, and nothing is sent', async (encoding) => {
    const folder = await mkdtemp(join(tmpdir(), 'corridor-call-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'order.json'), Buffer.from(payment.replace('{', '{ "memo": "März",'), encoding));
    const before = platform().payments.all().length;

    const { code, notes } = await call(['payments.create', '@order.json', '--yes'], { folder });

    expect(code).toBe(2);
    expect(notes).toContain('order.json is not in UTF-8. Save it in this encoding');
    expect(platform().payments.all()).toHaveLength(before);
  });

  test('a file that is not JSON is not quoted', async () => {
    const { notes } = await call(['payments.list', '@.npmrc']);

    expect(notes).toMatch(/^error {2}\.npmrc is not valid JSON\n/);
  });
});

describe('a command that changes data', () => {
  test.each(['payments.create', 'support.reply', 'documents.delete'] as const)('%s requires --yes', async (name) => {
    const { code, notes } = await call([name, ...wordsOf(name).filter((word) => word !== '--yes')]);

    expect(code).toBe(2);
    expect(notes).toContain(`${name} changes data on the platform; nothing was sent. Pass --yes to confirm`);
    expect(platform().requests).toHaveLength(0);
  });

  test('a journal file that payments.create makes is readable and writable by its owner only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'corridor-journal-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'payments.sqlite');
    await call(['payments.create', payment, '--yes', '--journal', path]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('a payment is created once and shown', async () => {
    const { code, output } = await call(['payments.create', payment, '--yes']);

    expect(code).toBe(0);
    const created = platform()
      .payments.all()
      .find(({ paymentQuoteId }) => paymentQuoteId === 'quo_1');
    expect(JSON.parse(output)).toMatchObject({ created: true, payment: { id: created?.id, status: 'PENDING_REVIEW' } });
    expect(requested()).toEqual(['POST /api/v1/payment']);
  });

  test('a payment whose response was lost is found in the list and not sent again', async () => {
    platform().faults.next('payments.create', { kind: 'reset-after-commit' });

    const { code, output, notes } = await call(['payments.create', payment, '--yes', '--json']);

    expect({ code, notes }).toEqual({ code: 0, notes: '' });
    expect(JSON.parse(output)).toMatchObject({ recovered: true, payment: { paymentQuoteId: 'quo_1' } });
    expect(platform().requests.to('payments.create')).toHaveLength(1);
  });

  test('a quote that another run used returns its payment and reports that nothing was created', async () => {
    await call(['payments.create', payment, '--yes']);
    const [created] = platform()
      .payments.all()
      .filter(({ paymentQuoteId }) => paymentQuoteId === 'quo_1');
    platform().clock.advance({ minutes: 1 });

    const { code, output, notes } = await call(['payments.create', payment, '--yes']);

    expect({ code, notes }).toEqual({
      code: 0,
      notes: 'The quote was already used; this is its payment. Nothing new was created.\n',
    });
    expect(output).toContain(created?.id);
  });

  test('a call without a result reports that it is done', async () => {
    expect(await call(['documents.delete', 'doc_1', '--yes'])).toEqual({ code: 0, output: '', notes: 'Done.\n' });
    expect(platform().documents.get('doc_1')).toBeUndefined();
  });
});
