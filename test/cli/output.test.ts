import { stripVTControlCharacters } from 'node:util';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FaultServer, json } from '../reliability/fault-server.js';
import { corridor, environmentOf } from './corridor.js';

let served: MockPlatformServer;
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

describe('colors', () => {
  test.concurrent.each([
    ['on a terminal', { terminal: 100 }, {}, true],
    ['not where nobody is looking', {}, {}, false],
    ['not with NO_COLOR', { terminal: 100 }, { NO_COLOR: '1' }, false],
    ['not on a terminal that is dumb', { terminal: 100 }, { TERM: 'dumb' }, false],
    ['with FORCE_COLOR, wherever it goes', {}, { FORCE_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', { terminal: 100 }, { FORCE_COLOR: '0' }, false],
    ['with FORCE_COLOR, which counts more than NO_COLOR', {}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('are used %s', async (_, surroundings, variables, coloured) => {
    const { notes } = await corridor(['cal'], { ...surroundings, environment: variables });

    expect(colour.test(notes)).toBe(coloured);
  });

  test('are never used in JSON', async () => {
    const { output, notes } = await corridor(['call', 'crypto.networks', '--json'], {
      environment: { ...environment, FORCE_COLOR: '1' },
    });

    expect(output + notes).not.toMatch(colour);
  });
});

describe('a table', () => {
  const list = async (terminal?: number): Promise<{ readonly lines: readonly string[]; readonly notes: string }> => {
    const { output, notes } = await corridor(['call', 'payments.list', '{"limit":3}'], {
      environment,
      ...(terminal !== undefined && { terminal }),
    });
    return { lines: stripVTControlCharacters(output).trimEnd().split('\n'), notes };
  };

  test('fits 80 columns: reference and beneficiary first, statuses, amounts and times complete, ids last', async () => {
    const { lines } = await list(80);

    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]?.split(/ {2,}/).slice(0, 6)).toEqual([
      'reference',
      'beneficiary',
      'status',
      'amount',
      'ccy',
      'created',
    ]);
    for (const [index, { status, amount }] of served.platform.payments.all().slice(-3).toReversed().entries())
      expect(lines[index + 1]).toMatch(new RegExp(` {2}${status} +${amount.replace('.', String.raw`\.`)} `));
  });

  test('shows times of this year without the year, in UTC; files and pipes get complete times', async () => {
    const createdAt = served.platform.payments.get('pay_29')?.createdAt ?? '';

    expect((await list(120)).lines[1]).toContain(`  ${createdAt.slice(5, 16).replace('T', ' ')}`);
    expect((await list()).lines[1]).toContain(createdAt);
  });

  test('shows times of other years with the year, and hides columns without values', async () => {
    const other = await serveMockPlatform();
    onTestFinished(() => other.close());
    other.platform.payments.add({ createdAt: '2019-11-21T06:42:07.123Z', internalReference: null });
    const { output } = await corridor(['call', 'payments.list'], {
      environment: await environmentOf(other),
      terminal: 120,
    });

    expect(stripVTControlCharacters(output)).toMatch(/^beneficiary +status .*\n.* {2}2019-11-21 06:42 {2}/);
  });

  test('hides the last columns if it does not fit, and lists them', async () => {
    const { lines, notes } = await list(40);

    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(notes).toContain(
      'currencyCode, createdAt, id. Pass --columns to choose columns, or --json for all fields\n',
    );
  });

  test('shows statuses in color on a terminal', async () => {
    const { output } = await corridor(['call', 'payments.list', '{"status":"PENDING_REVIEW"}'], {
      environment,
      terminal: 80,
    });

    expect(output).toContain('\u001b[33mPENDING_REVIEW\u001b[39m  ');
  });

  test('accepts the headers of a terminal as names of columns', async () => {
    const { output } = await corridor(['call', 'payments.list', '{"limit":1}', '--columns', 'reference,ccy'], {
      environment,
    });

    expect(output).toMatch(/^internalReference +currencyCode\n/);
  });

  test('never shortens the values that distinguish records', async () => {
    const { output } = await corridor(['call', 'payments.list', '{"limit":3}', '--columns', 'id,status'], {
      environment,
      terminal: 10,
    });

    expect(stripVTControlCharacters(output).trimEnd().split('\n').slice(1)).toEqual(['pay_29', 'pay_28', 'pay_27']);
  });

  test('is complete if the output is not a terminal', async () => {
    const { lines, notes } = await list();

    expect(lines[0]).toContain('internalReference');
    expect(notes).not.toContain('Hidden to fit');
  });

  test('may have 150,000 rows', async () => {
    const networks = Array.from({ length: 150_000 }, (_, index) => ({
      id: `${index}`,
      displayName: '',
      nativeAssetSymbol: '',
    }));
    await using server = await new FaultServer((response) => json(response, 200, { networks })).listen();
    const { code, output } = await corridor(['call', 'crypto.networks'], {
      environment: { ...environment, CORRIDOR_BASE_URL: server.url },
    });

    expect(code).toBe(0);
    expect(output.trimEnd().split('\n')).toHaveLength(150_001);
  });

  test('stays aligned with characters that are two columns wide', async () => {
    const { output } = await corridor(['call', 'customers.list', '--columns', 'companyName,id'], { environment });

    // Eight letters of two columns, sixteen of one.
    const gapsBehind = ['東京貿易株式会社', 'Acme Traders Ltd'].map(
      (name) => new RegExp(`^${name}( +)cus_`, 'm').exec(output)?.[1],
    );
    expect(gapsBehind[0]).toMatch(/^ {2,}$/);
    expect(gapsBehind[1]).toBe(gapsBehind[0]);
  });
});

describe('text of the platform cannot control the terminal', () => {
  const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

  test.each([
    ['table', ['customers.list']],
    ['record', ['customers.get', 'cus_3']],
    ['JSON', ['customers.get', 'cus_3', '--json']],
    ['JSON lines', ['customers.list', '--jsonl']],
  ])('in a %s', async (_, words) => {
    const { output } = await corridor(['call', ...words], { environment });

    expect(output).toContain('Name');
    expect(output).not.toMatch(controls);
  });

  test('JSON contains what was sent', async () => {
    const { output } = await corridor(['call', 'customers.get', 'cus_3', '--json'], { environment });

    expect(JSON.parse(output)).toEqual(served.platform.customers.get('cus_3'));
  });

  test('in an error', async () => {
    served.platform.faults.next('crypto.networks', {
      kind: 'status',
      status: 400,
      body: { code: 'bad\u001b[2J', message: 'no\u009b31m\r\nerror  a line of its own' },
    });

    const { notes } = await corridor(['call', 'crypto.networks'], { environment });

    expect(notes).not.toMatch(controls);
    expect(notes).not.toMatch(/^error {2}a line of its own/m);
  });
});

describe('progress', () => {
  const words = ['call', 'payments.list', '{"limit":10}', '--all'];

  test('of a long iteration is printed to standard error and cleared at the end', async () => {
    const { output, notes } = await corridor([...words, '--json'], { environment, terminal: 100 });

    expect(stripVTControlCharacters(notes)).toBe('\r10 so far…\r20 so far…\r');
    expect(notes.endsWith('\r\u001b[K')).toBe(true);
    expect(output).not.toContain('so far');
  });

  test('is not printed if standard error is not a terminal', async () => {
    expect((await corridor([...words, '--json'], { environment })).notes).toBe('');
  });

  test('is not printed for a single page', async () => {
    expect(
      (await corridor(['call', 'payments.list', '--max', '5', '--json'], { environment, terminal: 100 })).notes,
    ).toBe('');
  });

  test('does not interrupt other lines', async () => {
    expect((await corridor([...words, '--jsonl'], { environment, terminal: 100 })).notes).toBe('');
  });
});
