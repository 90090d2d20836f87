import { stripVTControlCharacters } from 'node:util';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corridor, environmentOf } from './corridor.js';

let served: ServedMockPlatform;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
  const { platform } = served;
  platform.customers.add({ id: 'cus_1', companyName: 'Acme Traders Ltd' });
  platform.customers.add({ id: 'cus_2', companyName: '東京貿易株式会社' });
  platform.customers.add({ id: 'cus_3', companyName: 'Bad\u001b]0;title\u0007\u009b31m\u202eName\nLtd' });
  platform.payments.addMany(30, (index) => ({ id: `pay_${index}`, customerId: 'cus_1' }));
});

afterAll(() => served.close());

const colour = /\u001b\[\d+m/;

describe('colours', () => {
  test.concurrent.each([
    ['on a terminal', { terminal: 100 }, {}, true],
    ['not where nobody is looking', {}, {}, false],
    ['not with NO_COLOR', { terminal: 100 }, { NO_COLOR: '1' }, false],
    ['not on a terminal that is dumb', { terminal: 100 }, { TERM: 'dumb' }, false],
    ['with FORCE_COLOR, wherever it goes', {}, { FORCE_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', { terminal: 100 }, { FORCE_COLOR: '0' }, false],
    ['with FORCE_COLOR, which counts more than NO_COLOR', {}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('come %s', async (_, surroundings, variables, coloured) => {
    const { notes } = await corridor(['cal'], { ...surroundings, environment: variables });

    expect(colour.test(notes)).toBe(coloured);
  });

  test('are never in JSON', async () => {
    const { output, notes } = await corridor(['call', 'crypto.networks', '--json'], { environment: { ...environment, FORCE_COLOR: '1' } });

    expect(output + notes).not.toMatch(colour);
  });
});

describe('a table', () => {
  const list = async (terminal?: number): Promise<{ readonly lines: readonly string[]; readonly notes: string }> => {
    const { output, notes } = await corridor(['call', 'payments.list', '{"limit":3}'], { environment, ...(terminal !== undefined && { terminal }) });
    return { lines: stripVTControlCharacters(output).trimEnd().split('\n'), notes };
  };

  test('fits the terminal: long columns are cut, then the last ones left out, and named', async () => {
    const { lines, notes } = await list(80);

    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]?.split(/ {2,}/)).toEqual(['id', 'status', 'amount', 'currencyCode', 'createdAt', expect.stringMatching(/^beneficiary\.\w+…$/)]);
    expect(notes).toContain('no room for internalReference: --columns names fields, --json gives all\n');
  });

  test('never cuts what tells records apart', async () => {
    const { lines } = await list(10);

    expect(lines.slice(1)).toEqual(['pay_29', 'pay_28', 'pay_27']);
  });

  test('is whole where nobody is looking', async () => {
    const { lines, notes } = await list();

    expect(lines[0]).toContain('internalReference');
    expect(notes).not.toContain('no room');
  });

  test('stays straight with letters that are two columns wide', async () => {
    const { output } = await corridor(['call', 'customers.list', '--columns', 'companyName,id'], { environment });

    // Eight letters of two columns, sixteen of one.
    const gapsBehind = ['東京貿易株式会社', 'Acme Traders Ltd'].map((name) => new RegExp(`^${name}( +)cus_`, 'm').exec(output)?.[1]);
    expect(gapsBehind[0]).toMatch(/^ {2,}$/);
    expect(gapsBehind[1]).toBe(gapsBehind[0]);
  });
});

describe('what the platform sends cannot take over the terminal', () => {
  const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

  test.each([['table', ['customers.list']], ['record', ['customers.get', 'cus_3']], ['JSON', ['customers.get', 'cus_3', '--json']], ['JSON lines', ['customers.list', '--jsonl']]])('in a %s', async (_, words) => {
    const { output } = await corridor(['call', ...words], { environment });

    expect(output).toContain('Name');
    expect(output).not.toMatch(controls);
  });

  test('and JSON is still what was sent', async () => {
    const { output } = await corridor(['call', 'customers.get', 'cus_3', '--json'], { environment });

    expect(JSON.parse(output)).toEqual(served.platform.customers.get('cus_3'));
  });

  test('in an error', async () => {
    served.platform.faults.next('crypto.networks', { kind: 'status', status: 400, body: { code: 'bad\u001b[2J', message: 'no\u009b31m\r\nerror  a line of its own' } });

    const { notes } = await corridor(['call', 'crypto.networks'], { environment });

    expect(notes).not.toMatch(controls);
    expect(notes).not.toMatch(/^error {2}a line of its own/m);
  });
});

describe('progress', () => {
  const words = ['call', 'payments.list', '{"limit":10}', '--all'];

  test('of a long walk is told on standard error, and taken away at the end', async () => {
    const { output, notes } = await corridor([...words, '--json'], { environment, terminal: 100 });

    expect(stripVTControlCharacters(notes)).toBe('\r10 so far…\r20 so far…\r');
    expect(notes.endsWith('\r\u001b[K')).toBe(true);
    expect(output).not.toContain('so far');
  });

  test('is not told where nobody is looking', async () => {
    expect((await corridor([...words, '--json'], { environment })).notes).toBe('');
  });

  test('is not told of a single page', async () => {
    expect((await corridor(['call', 'payments.list', '--max', '5', '--json'], { environment, terminal: 100 })).notes).toBe('');
  });

  test('is not mixed with lines that come by themselves', async () => {
    expect((await corridor([...words, '--jsonl'], { environment, terminal: 100 })).notes).toBe('');
  });
});
