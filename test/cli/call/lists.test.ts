import { describe, expect, test } from 'vitest';
import { jsonLines } from '../corridor.ts';
import { serveForCalls } from './served-calls.ts';

const { platform, call, requested } = serveForCalls();

describe('lists', () => {
  test('the first page is JSON, with a note that there are more', async () => {
    const { output, notes } = await call(['payments.list']);

    expect(JSON.parse(output)).toHaveLength(25);
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

  test('no items are an empty array in JSON, and a sentence instead of a table', async () => {
    expect(await call(['customers.list', '{"status":"REJECTED"}'])).toEqual({
      code: 0,
      output: '[]\n',
      notes: '',
    });
    expect(await call(['customers.list', '{"status":"REJECTED"}'], { terminal: 80 })).toEqual({
      code: 0,
      output: '',
      notes: 'No results.\n',
    });
  });
});

describe('a record', () => {
  test('is JSON', async () => {
    const { output } = await call(['customers.get', 'cus_1']);

    expect(JSON.parse(output)).toEqual(platform().customers.get('cus_1'));
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
