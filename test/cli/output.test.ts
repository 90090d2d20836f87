import { stripVTControlCharacters } from 'node:util';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordColumns } from '../../src/presentation/columns.ts';
import { FaultServer, json } from '../support/fault-server.ts';
import { corridor, environmentOf } from './corridor.ts';

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
  test.each([20, 80, 200])(
    'on a terminal of %i columns has the id first and the columns of the record, and cuts nothing',
    async (terminal) => {
      const { output } = await corridor(['call', 'payments.list', '{"limit":3}'], { environment, terminal });
      const [header, ...rows] = stripVTControlCharacters(output).trimEnd().split('\n');

      expect(header?.split(/ +/)).toEqual(['id', ...recordColumns.payments]);
      for (const [index, { id, amount, status, createdAt }] of served.platform.payments
        .all()
        .slice(-3)
        .toReversed()
        .entries())
        expect(rows[index]).toMatch(
          new RegExp(`^${id} +${amount.replace('.', String.raw`\.`)}  ${status} .*${createdAt}$`),
        );
    },
  );

  test('is printed for lists without pages, too', async () => {
    const { output } = await corridor(['call', 'crypto.networks'], { environment, terminal: 80 });

    expect(stripVTControlCharacters(output)).toMatch(
      /^id +displayName +nativeAssetSymbol\n[^]*^POLYGON +Polygon +POL$/m,
    );
  });

  test('shows statuses in color on a terminal', async () => {
    const { output } = await corridor(['call', 'payments.list', '{"status":"PENDING_REVIEW"}'], {
      environment,
      terminal: 80,
    });

    expect(output).toContain('\u001b[33mPENDING_REVIEW\u001b[39m  ');
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
      terminal: 80,
    });

    expect(code).toBe(0);
    expect(output.trimEnd().split('\n')).toHaveLength(150_001);
  });

  test('stays aligned with characters that are two columns wide', async () => {
    const { output } = await corridor(['call', 'customers.list'], { environment, terminal: 80 });

    // Eight letters of two columns, sixteen of one.
    const gapsBehind = ['東京貿易株式会社', 'Acme Traders Ltd'].map(
      (name) => new RegExp(`${name}( +)\\S`).exec(stripVTControlCharacters(output))?.[1],
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
    const surroundings = { environment: { ...environment, NO_COLOR: '1' }, terminal: 80 };
    const { output } = await corridor(['call', ...words], surroundings);

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
