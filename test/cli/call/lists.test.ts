import { describe, expect, test } from 'vitest';
import { jsonLines } from '../corridor.js';
import { serveForCalls } from './served-calls.js';

const { platform, call, requested } = serveForCalls();

describe('lists', () => {
  test('the first page is a table with a note that there are more', async () => {
    const { output, notes } = await call(['payments.list']);

    const [head = '', ...rows] = output.trimEnd().split('\n');
    expect(head.split(/ +/)).toEqual([
      'internalReference',
      'beneficiary.companyName',
      'status',
      'amount',
      'currencyCode',
      'createdAt',
      'id',
    ]);
    expect(rows).toHaveLength(25);
    expect(rows.every((row) => / {2}(?:COMPLETED|PENDING_REVIEW) +[\d.]+ {2}[A-Z]{3,4} .* {2}pay_\d+$/.test(row))).toBe(
      true,
    );
    expect(notes).toBe('Only the first 25 are shown. Pass --max <n> or --all for more\n');
  });

  test('--max returns that many items from as few pages as possible', async () => {
    const { output, notes } = await call(['payments.list', '--max', '27', '--json']);

    expect(JSON.parse(output)).toHaveLength(27);
    expect(notes).toBe('');
    expect(platform().requests.map(({ query }) => query)).toEqual([{ limit: '27' }]);
  });

  test('--max reads further pages if pages are small', async () => {
    const { output } = await call(['payments.list', '{"limit":10}', '--max', '12', '--jsonl']);

    expect(jsonLines(output)).toHaveLength(12);
    expect(requested()).toHaveLength(2);
  });

  test('--all returns every item', async () => {
    const { output } = await call(['payments.list', '{"limit":10}', '--all', '--json']);

    const ids = (JSON.parse(output) as readonly { readonly id: string }[]).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(
      platform()
        .payments.all()
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(requested()).toHaveLength(3);
  });

  test('--jsonl prints one item per line, unchanged', async () => {
    const { output } = await call(['customers.beneficiaries', 'cus_1', '--jsonl']);

    expect(jsonLines(output)).toEqual([platform().beneficiaries.get('ben_1')]);
  });

  test('--columns selects the fields of a table', async () => {
    const { output } = await call(['customers.beneficiaries', 'cus_1', '--columns', 'companyName,id']);

    expect(output).toBe('companyName     id\nOrchard Coffee  ben_1\n');
  });

  test('--columns accepts fields of nested records and of each variant', async () => {
    const { output } = await call([
      'payments.list',
      '{"limit":1}',
      '--columns',
      'id,authorization.destination.bankBic,sourceFunding.symbol,sourceFunding.iban',
    ]);

    expect(output).toMatch(/^id +authorization\.destination\.bankBic +sourceFunding\.symbol +sourceFunding\.iban\n/);
  });

  test('no items: an empty array in JSON, a sentence in a terminal', async () => {
    expect(await call(['customers.list', '{"status":"REJECTED"}', '--json'])).toEqual({
      code: 0,
      output: '[]\n',
      notes: '',
    });
    expect(await call(['customers.list', '{"status":"REJECTED"}'])).toEqual({
      code: 0,
      output: '',
      notes: 'No results.\n',
    });
  });

  test('without pages are printed as tables, too', async () => {
    const { output } = await call(['crypto.networks']);

    expect(output).toMatch(/^id +displayName +nativeAssetSymbol\n[^]*^POLYGON +Polygon +POL$/m);
  });
});

describe('a record', () => {
  test('is printed as its fields, nested records indented', async () => {
    const { output } = await call(['customers.get', 'cus_1']);

    expect(output).toMatch(/^id +cus_1\n/);
    expect(output).toMatch(/^addressCountry\n {2}alpha2 {2}\w\w\n {2}name +\w/m);
  });

  test('includes the records of its arrays', async () => {
    platform().persons.add({
      id: 'per_2',
      customerId: 'cus_1',
      screening: { openMatches: [{ caption: 'A. Name', topics: ['sanction', 'crime'] }] },
    });

    const { output } = await call(['screening.get', 'cus_1', 'per_2']);

    expect(output).toMatch(/^openMatches\n {2}- matchId +\S+\n/m);
    expect(output).toMatch(/^ {4}topics +sanction, crime$/m);
  });

  test('is JSON on one line with --jsonl', async () => {
    const { output } = await call(['customers.get', 'cus_1', '--jsonl']);

    expect(jsonLines(output)).toEqual([platform().customers.get('cus_1')]);
  });

  test('of a download is only its link, ready for another program', async () => {
    const { output } = await call(['documents.downloadUrl', 'doc_1']);

    expect((await fetch(output.trim())).headers.get('content-type')).toBe('application/pdf');
  });
});
