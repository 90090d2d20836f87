import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointNames, type EndpointName } from 'corridor-sdk';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { givesList } from '../../src/cli/columns.js';
import { endpoints } from '../../src/contract/endpoints.js';
import { forEachEndpoint, goodInput, idsOf } from '../client/calls.js';
import { addSnippetRecords } from '../docs/fixture.js';
import { read } from '../repository/tree.js';
import { corridor, environmentOf, jsonLines, type Run, type Surroundings } from './corridor.js';

let served: ServedMockPlatform;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
});

beforeEach(() => {
  served.platform.reset();
  addSnippetRecords(served.platform);
});

afterAll(() => served.close());

const call = (words: readonly string[], surroundings: Surroundings = {}): Promise<Run> => corridor(['call', ...words], { ...surroundings, environment: { ...environment, ...surroundings.environment } });
const jsonOf = ({ output }: Run): unknown => JSON.parse(output);
const asked = (): string[] => served.platform.requests.map(({ method, path }) => `${method} ${path}`);

const order = JSON.stringify({
  customerId: 'cus_1', beneficiaryId: 'ben_1', paymentQuoteId: 'quo_1', documentIds: ['doc_1'],
  amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods',
});

/** What each endpoint is called with: its ids, a body where it takes one, and consent where it writes. */
const bodies: Partial<Record<EndpointName, string>> = { 'payments.create': order, 'support.reply': '{"bodyText":"Thank you."}' };
const words = forEachEndpoint((name): readonly string[] => [
  ...idsOf(name).map(([parameter]) => String(goodInput[name][parameter])),
  ...(bodies[name] === undefined ? [] : [bodies[name]]),
  ...(endpoints[name].method === 'GET' ? [] : ['--yes']),
]);

describe('every endpoint of the contract can be called', () => {
  test.each(endpointNames)('%s', async (name) => {
    const { code, output, notes } = await call([name, ...words[name], '--json']);

    expect({ code, notes: notes.replace(/^\d+ shown, .*\n/, '') }).toEqual({ code: 0, notes: '' });
    expect(served.platform.requests.of(name).map(({ status }) => status)).toEqual([name === 'documents.delete' ? 204 : name === 'payments.create' || name === 'support.reply' ? 201 : 200]);
    expect(Array.isArray(JSON.parse(output))).toBe(givesList(name));
  });

  test('and is in the help, with what it takes', async () => {
    const { output } = await call(['--help']);

    const listed = [...output.matchAll(/^ {2}(\w+\.\w+)(.*?) {2,}(\w+) (\/\S+)$/gm)].map(([, name, takes, method, path]) => [name, takes?.trim(), method, path]);
    expect(listed.map(([name]) => name)).toEqual(endpointNames);
    expect(listed).toContainEqual(['customers.beneficiaries', '<customerId> [json]', 'GET', '/api/v1/customers/{customerId}/beneficiaries']);
    expect(listed).toContainEqual(['support.reply', '<ticketId> <json>', 'POST', '/api/v1/support/partner-tickets/{ticketId}/replies']);
  });

  test('and its own help tells the fields of its JSON', async () => {
    const { output } = await call(['payments.create', '--help']);

    const fields = [...output.matchAll(/^ {2}(\w+)( \*)? {2,}must/gm)].map(([, name, required]) => [name, required !== undefined]);
    const [, body = ''] = /export interface PaymentCreate \{\n([^]*?)\n\}/.exec(read('src/contract/payments.ts').text) ?? [];
    expect(Object.fromEntries(fields)).toEqual(Object.fromEntries([...body.matchAll(/readonly (\w+)(\?)?:/g)].map(([, name, optional]) => [name, optional === undefined])));
  });
});

describe('what to call it with', () => {
  test('ids can stand in the JSON', async () => {
    expect(jsonOf(await call(['screening.get', '{"customerId":"cus_1","personId":"per_1"}', '--json']))).toEqual(served.platform.persons.get('per_1')?.screening);
  });

  test('filters stand in the JSON, beside an id in its place', async () => {
    await call(['customers.beneficiaries', 'cus_1', '{"status":"APPROVED","limit":5}']);

    expect(served.platform.requests.at(-1)).toMatchObject({ path: '/api/v1/customers/cus_1/beneficiaries', query: { status: 'APPROVED', limit: '5' } });
  });

  test('the JSON can stand in a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'corridor-call-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'filter.json'), '{"status":"PENDING_REVIEW"}');

    const { output } = await call(['payments.list', '@filter.json', '--json'], { folder });

    expect(new Set((JSON.parse(output) as readonly { readonly status: string }[]).map(({ status }) => status))).toEqual(new Set(['PENDING_REVIEW']));
  });

  test('the JSON can come on standard input', async () => {
    const { code } = await call(['payments.create', '-', '--yes'], { input: order });

    expect(code).toBe(0);
    expect(served.platform.payments.all()).toHaveLength(31);
  });

  test.each([
    [['customers.get'], '<id> must be given: corridor call customers.get <id>'],
    [['screening.get', 'cus_1'], '<personId> must be given: corridor call screening.get <customerId> <personId>'],
    [['customers.get', 'cus_1', 'cus_2'], '"cus_2" is one word too many'],
    [['crypto.networks', '{"limit":1}'], 'crypto.networks takes no limit'],
    [['customers.get', '{"id":"cus_1","limit":1}'], 'customers.get <id> takes no limit'],
    [['payments.list', '{"limit":'], 'the JSON is not valid JSON'],
    [['payments.list', '["COMPLETED"]'], 'the JSON must be a JSON object'],
    [['payments.list', '{}', '{}'], 'give one JSON object, not several'],
    [['payments.list', '@nowhere.json'], 'nowhere.json cannot be read (ENOENT)'],
    [['support.reply', 'tic_1', '--yes'], 'the JSON is missing: corridor call support.reply <ticketId> <json>'],
    [['payments.list', '--max', '0'], '--max wants a whole number of 1 or more'],
    [['payments.list', '--max', '5', '--all'], 'give --max or --all, not both'],
    [['payments.list', '--json', '--columns', 'id'], '--columns is for tables, not for JSON'],
    [['crypto.networks', '--all'], 'crypto.networks has no pages'],
    [['customers.get', 'cus_1', '--columns', 'id'], 'customers.get gives no list: it takes no --columns'],
    [['payments.create', order, '--yes', '--columns', 'id'], 'payments.create gives no list: it takes no --columns'],
    [['documents.delete', 'doc_1', '--yes', '--journal', 'a.sqlite'], '--journal is for payments.create'],
    [[], 'say what to call'],
  ])('%j is refused, and nothing is sent', async (wrong, message) => {
    const { code, output, notes } = await call(wrong);

    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(notes).toContain(message);
    expect(served.platform.requests).toHaveLength(0);
  });

  test('a file that is no JSON is not quoted', async () => {
    const { notes } = await call(['payments.list', '@.npmrc']);

    expect(notes).toMatch(/^error {2}\.npmrc is not valid JSON\n/);
  });
});

describe('what changes things', () => {
  test.each(['payments.create', 'support.reply', 'documents.delete'] as const)('%s asks for --yes', async (name) => {
    const { code, notes } = await call([name, ...words[name].filter((word) => word !== '--yes')]);

    expect(code).toBe(2);
    expect(notes).toContain(`${name} changes things on the platform, and is done with --yes only. Nothing was sent`);
    expect(served.platform.requests).toHaveLength(0);
  });

  test('a payment is created once, and shown', async () => {
    const { code, output } = await call(['payments.create', order, '--yes']);

    expect(code).toBe(0);
    const created = served.platform.payments.all().find(({ paymentQuoteId }) => paymentQuoteId === 'quo_1');
    expect(output).toMatch(new RegExp(String.raw`^id +${created?.id}\n[^]*^status +PENDING_REVIEW$`, 'm'));
    expect(asked()).toEqual(['POST /api/v1/payment']);
  });

  test('a payment whose answer got lost is found in the list, and not sent again', async () => {
    served.platform.faults.next('payments.create', { kind: 'reset-after-commit' });

    const { code, output, notes } = await call(['payments.create', order, '--yes', '--json']);

    expect({ code, notes }).toEqual({ code: 0, notes: '' });
    expect(JSON.parse(output)).toMatchObject({ recovered: true, payment: { paymentQuoteId: 'quo_1' } });
    expect(asked()).toEqual(['POST /api/v1/payment', 'GET /api/v1/payment']);
  });

  test('what is done without an answer says that it is done', async () => {
    expect(await call(['documents.delete', 'doc_1', '--yes'])).toEqual({ code: 0, output: '', notes: 'Done.\n' });
    expect(served.platform.documents.get('doc_1')).toBeUndefined();
  });
});

describe('lists', () => {
  test('the first page is a table, and says that there are more', async () => {
    const { output, notes } = await call(['payments.list']);

    const [head = '', ...rows] = output.trimEnd().split('\n');
    expect(head.split(/ +/)).toEqual(['id', 'status', 'amount', 'currencyCode', 'createdAt', 'beneficiary.companyName', 'internalReference']);
    expect(rows).toHaveLength(25);
    expect(rows.every((row) => /^pay_\d+ +(?:COMPLETED|PENDING_REVIEW) +[\d.]+ {2}[A-Z]{3,4} /.test(row))).toBe(true);
    expect(notes).toBe('25 shown, and there are more: --max <n> gives the first n, --all gives all\n');
  });

  test('--max gives so many, over as few pages as that takes', async () => {
    const { output, notes } = await call(['payments.list', '--max', '27', '--json']);

    expect(JSON.parse(output)).toHaveLength(27);
    expect(notes).toBe('');
    expect(served.platform.requests.map(({ query }) => query)).toEqual([{ limit: '27' }]);
  });

  test('--max goes on to further pages where pages are small', async () => {
    const { output } = await call(['payments.list', '{"limit":10}', '--max', '12', '--jsonl']);

    expect(jsonLines(output)).toHaveLength(12);
    expect(asked()).toHaveLength(2);
  });

  test('--all gives every item', async () => {
    const { output } = await call(['payments.list', '{"limit":10}', '--all', '--json']);

    const ids = (JSON.parse(output) as readonly { readonly id: string }[]).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(served.platform.payments.all().map(({ id }) => id).toSorted());
    expect(asked()).toHaveLength(3);
  });

  test('--jsonl gives an item per line, as it came', async () => {
    const { output } = await call(['customers.beneficiaries', 'cus_1', '--jsonl']);

    expect(jsonLines(output)).toEqual([served.platform.beneficiaries.get('ben_1')]);
  });

  test('--columns chooses the fields of a table', async () => {
    const { output } = await call(['customers.beneficiaries', 'cus_1', '--columns', 'companyName,id']);

    expect(output).toBe('companyName     id\nOrchard Coffee  ben_1\n');
  });

  test('a column that no item has is refused, with the fields there are', async () => {
    const { code, notes } = await call(['customers.list', '--columns', 'id,company']);

    expect(code).toBe(1);
    expect(notes).toContain('there is no field company (fields: id, companyName, ');
  });

  test('none is an empty array, and a word to people', async () => {
    expect(await call(['customers.list', '{"status":"REJECTED"}', '--json'])).toEqual({ code: 0, output: '[]\n', notes: '' });
    expect(await call(['customers.list', '{"status":"REJECTED"}'])).toEqual({ code: 0, output: '', notes: 'There are none.\n' });
  });

  test('without pages are tables too', async () => {
    const { output } = await call(['crypto.networks']);

    expect(output).toMatch(/^id +displayName +nativeAssetSymbol\n[^]*^POLYGON +Polygon +POL$/m);
  });
});

describe('a record', () => {
  test('is its fields, those of records within it further in', async () => {
    const { output } = await call(['customers.get', 'cus_1']);

    expect(output).toMatch(/^id +cus_1\n/);
    expect(output).toMatch(/^addressCountry\n {2}alpha2 {2}\w\w\n {2}name +\w/m);
  });

  test('shows the records of its lists', async () => {
    served.platform.persons.add({ id: 'per_2', customerId: 'cus_1', screening: { openMatches: [{ caption: 'A. Name', topics: ['sanction', 'crime'] }] } });

    const { output } = await call(['screening.get', 'cus_1', 'per_2']);

    expect(output).toMatch(/^openMatches\n {2}- matchId +\S+\n/m);
    expect(output).toMatch(/^ {4}topics +sanction, crime$/m);
  });

  test('is JSON on one line by --jsonl', async () => {
    const { output } = await call(['customers.get', 'cus_1', '--jsonl']);

    expect(jsonLines(output)).toEqual([served.platform.customers.get('cus_1')]);
  });

  test('of a download is its link alone, ready for another program', async () => {
    const { output } = await call(['documents.downloadUrl', 'doc_1']);

    expect((await fetch(output.trim())).headers.get('content-type')).toBe('application/pdf');
  });
});
