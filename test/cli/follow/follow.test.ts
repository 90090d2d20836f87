import { once } from 'node:events';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { corridor, ended, environmentOf, jsonLines, startCorridor } from '../corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
});

beforeEach(() => served.platform.reset());

afterAll(() => served.close());

/** Returns id, previous status and status of each printed change. */
function changesOf(output: string): readonly (readonly [id: string, from: string | null, to: string])[] {
  if (output === '') return [];
  return (
    jsonLines(output) as readonly {
      readonly payment: { readonly id: string; readonly status: string };
      readonly previousStatus: string | null;
    }[]
  ).map(({ payment, previousStatus }) => [payment.id, previousStatus, payment.status]);
}

test('--once prints the changes until now, and ends', async () => {
  served.platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });

  const run = await corridor(['follow', '--once', '--since', '2020-01-01T00:00Z'], { environment });

  expect(run).toMatchObject({ code: 0, notes: '' });
  expect(changesOf(run.output)).toEqual([['pay_1', null, 'PROCESSING']]);
});

test('on a terminal, a change is a line to read, and --once does not say that it follows', async () => {
  const { id, amount, updatedAt } = served.platform.payments.add({
    status: 'PROCESSING',
    currencyCode: 'USD',
    internalReference: 'order-4711',
  });
  const words = ['follow', '--once', '--since', '2020-01-01T00:00Z'];
  const { output, notes } = await corridor(words, { environment, terminal: 120 });
  expect([output, notes]).toEqual([`${updatedAt}  ${id}  new -> PROCESSING  ${amount} USD  order-4711\n`, '']);
});

test('on a terminal, it says that it follows', async () => {
  const child = startCorridor(['follow'], { environment, terminal: 120 });
  const [notes] = (await once(child.stderr, 'data')) as [Buffer];
  expect(String(notes)).toBe('Following payments. Press Ctrl+C to end.\n');
  child.kill('SIGINT');
  await ended(child);
});

test('--status prints only changes to these statuses', async () => {
  served.platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
  served.platform.payments.add({ id: 'pay_2', status: 'REJECTED' });

  const { output } = await corridor(
    ['follow', '--once', '--since', '2020-01-01T00:00Z', '--status', 'REJECTED, CANCELLED'],
    { environment },
  );

  expect(changesOf(output)).toEqual([['pay_2', null, 'REJECTED']]);
});

test('--unknown-status takes statuses that this version does not know', async () => {
  served.platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
  served.platform.payments.add({ id: 'pay_2', status: 'REJECTED' });

  const { code, output } = await corridor(
    ['follow', '--once', '--since', '2020-01-01T00:00Z', '--status', 'REJECTED', '--unknown-status', 'STATUS_OF_TESTS'],
    { environment },
  );

  expect(code).toBe(0);
  expect(changesOf(output)).toEqual([['pay_2', null, 'REJECTED']]);
});

test.each([
  [['--status', 'COMPLETE'], 'COMPLETE'],
  [['--status', 'COMPLETE'], 'or --unknown-status'],
  [['--since', 'yesterday'], 'since must be'],
  [['pay_1'], 'unexpected argument "pay_1"'],
])('%j is rejected, and nothing is sent', async (words, message) => {
  const { code, output, notes } = await corridor(['follow', ...words], { environment });

  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(notes).toContain(message);
  expect(served.platform.requests).toHaveLength(0);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with the exit code 0', async (signal) => {
  served.platform.payments.add({ id: 'pay_1' });
  const child = startCorridor(['follow', '--since', '2020-01-01T00:00Z'], { environment });
  const run = ended(child);
  await once(child.stdout, 'data');
  child.kill(signal);

  expect(await run).toMatchObject({ code: 0, notes: '' });
});

test('says that polls fail, and continues', async () => {
  served.platform.faults.always('payments.list', { kind: 'status', status: 503 });
  const child = startCorridor(['follow'], { environment });
  const run = ended(child);
  await once(child.stderr, 'data');
  child.kill('SIGINT');

  expect(await run).toEqual({
    code: 0,
    output: '',
    notes: 'payments.list fails (status 503). It is repeated. The next line is in 1 min, or when it succeeds.\n',
  });
});

test.each(['follow', 'sync --sqlite :memory: --once'])('%s --timeout ends with what it waited for', async (words) => {
  served.platform.faults.always('payments.list', { kind: 'status', status: 503 });
  const { code, notes } = await corridor([...words.split(' '), '--timeout', '1'], { environment });

  expect(code).toBe(1);
  expect(notes).toContain(
    'not finished after 1 s: payments.list fails (status 503). Run the command again to continue',
  );
});
