import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addExampleRecords, order } from '../../scripts/specification/specification.ts';
import { corridor, ended, environmentOf, startCorridor, type Run } from './corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
const requests = new EventEmitter();

beforeAll(async () => {
  served = await serveMockPlatform();
  served.platform.onRequest(() => requests.emit('request'));
  environment = await environmentOf(served);
});

beforeEach(() => {
  served.platform.reset();
  addExampleRecords(served.platform);
});

afterAll(() => served.close());

const call = (...words: readonly string[]): Promise<Run> => corridor(['call', ...words], { environment });

const payment = JSON.stringify(order);

test('an error of the platform is reported with code, outcome and request id', async () => {
  const { code, output, notes } = await call('customers.get', 'cus_0');

  const requestId = served.platform.requests.at(-1)?.requestId;
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(notes)
    .toBe(`error  customers.get failed with status 404: not_found: there is no such customer: cus_0 (the request was rejected, request id ${requestId})
       code not-found, outcome rejected, status 404, request id ${requestId}
`);
});

test('a rejection that can pass says in seconds when to try again', async () => {
  served.platform.faults.next('customers.get', { kind: 'rate-limit', retryAfterSeconds: 120 });
  const { notes } = await call('customers.get', 'cus_1');
  expect(notes).toContain('Try again in 120 s');
});

test('with --json it is one line of JSON on standard error', async () => {
  const { code, output, notes } = await call('customers.get', 'cus_0', '--json');

  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(JSON.parse(notes)).toEqual({
    error: {
      name: 'NotFoundError',
      code: 'not-found',
      outcome: 'rejected',
      retryable: false,
      status: 404,
      platformCode: 'not_found',
      endpoint: 'customers.get',
      message: expect.stringContaining('there is no such customer'),
      requestId: served.platform.requests.at(-1)?.requestId,
      attempts: [{ attempt: 1, status: 404, delay: 0 }],
    },
  });
});

test('an invalid request is reported issue by issue', async () => {
  const { code, notes } = await call(
    'payments.create',
    '{"amount":"1,250","customerId":"cus_1","beneficiaryId":"ben_1","paymentQuoteId":"quo_1","documentIds":[],"currencyCode":"USD","purposeOfPayment":"Goods"}',
    '--yes',
  );

  expect(code).toBe(2);
  expect(notes).toBe(`error  payments.createOnce was not sent:
       - amount must be a decimal string such as "1250.00". From an integer of cents, pass amounts.fromMinorUnits(BigInt(cents), currencyCode)
       - documentIds must be an array of at least 1 document id
       code invalid-request, outcome not-sent
`);
  expect(served.platform.requests).toHaveLength(0);
});

test('missing credentials: the error names doctor', async () => {
  const { code, notes } = await corridor(['call', 'crypto.networks']);

  expect(code).toBe(1);
  expect(notes).toContain('CORRIDOR_BASE_URL');
  expect(notes).toContain('Run npx corridor-sdk doctor to check the environment');
  expect(notes).not.toContain('->');
});

describe('a journal that cannot be opened', () => {
  test('is reported with a fix for its path, and nothing is sent', async () => {
    const { code, notes } = await call('payments.create', payment, '--yes', '--journal', 'nowhere/payments.sqlite');

    expect(code).toBe(1);
    expect(notes).toMatch(
      /^error {2}the journal nowhere\/payments\.sqlite could not be opened \(.*\)\. Check that its folder exists/,
    );
    expect(notes).not.toContain('->');
    expect(served.platform.requests).toHaveLength(0);
  });

  test('is reported as JSON with code and outcome', async () => {
    const { notes } = await call('payments.create', payment, '--yes', '--json', '--journal', 'package.json');

    expect(JSON.parse(notes)).toMatchObject({
      error: { name: 'ConfigurationError', code: 'configuration', outcome: 'not-sent' },
    });
  });
});

test.each([
  ['journal', ['journal', 'list', 'package.json'], /^error {2}package\.json is not a journal/],
  ['mirror', ['sync', '--sqlite', 'package.json'], /^error {2}the mirror \S*package\.json could not be opened/],
])('a %s that is no SQLite file is reported with its fix only', async (_, words, message) => {
  const { code, notes } = await corridor(words, { environment });

  expect(code).toBe(1);
  expect(notes).toMatch(message);
  expect(notes).not.toContain('->');
});

test('a list that fails halfway prints no part of a JSON array and reports the cursor', async () => {
  served.platform.faults.sequence('payments.list', ['ok', { kind: 'status', status: 400 }]);

  const { code, output, notes } = await call('payments.list', '{"limit":10}', '--all', '--json');

  expect({ code, output }).toEqual({ code: 1, output: '' });
  const { error } = JSON.parse(notes) as { readonly error: { readonly cursor: string } };
  const rest = await call('payments.list', JSON.stringify({ limit: 10, cursor: error.cursor }), '--all', '--json');
  expect(JSON.parse(rest.output)).toHaveLength(20);
});

test('is reported as a sentence in a terminal', async () => {
  served.platform.faults.sequence('payments.list', ['ok', { kind: 'status', status: 400 }]);

  const { notes } = await call('payments.list', '{"limit":10}', '--all');

  expect(notes).toMatch(/-> To continue from there, pass \{"cursor": "[^"]+"\} with the same filters\n$/);
});

/**
 * Starts to create a payment without a response, and stops the process with a signal after the platform received it.
 */
async function endedInBetween(signal: NodeJS.Signals, ...options: readonly string[]): Promise<Run> {
  served.platform.faults.next('payments.create', { kind: 'hang-after-commit' });
  const before = served.platform.payments.all().length;
  const child = startCorridor(['call', 'payments.create', payment, '--yes', ...options], { environment });
  const run = ended(child);
  while (served.platform.payments.all().length === before)
    await Promise.race([once(requests, 'request'), run.then(({ notes }) => Promise.reject(new Error(notes)))]);
  child.kill(signal);
  return run;
}

describe('a payment whose outcome is unknown', () => {
  test('is not reported as failed, the error suggests next steps, and the exit code contains the signal', async () => {
    const { code, notes } = await endedInBetween('SIGINT');

    expect(code).toBe(130);
    expect(notes).toContain('outcome unknown');
    expect(notes).toMatch(
      /-> Do not create it again until you know whether it exists; it was sent at \S+Z against quote quo_1\n/,
    );
    // No response has shown the platform's time, so that any payment can be the one.
    expect(notes).toContain(`-> Search for it: npx corridor-sdk call payments.find '{"paymentQuoteId":"quo_1"}'`);
  });

  test('is found by the command that the error names', async () => {
    const { notes } = await endedInBetween('SIGTERM');
    const [, query = ''] = /npx corridor-sdk call payments\.find '(.+)'/.exec(notes) ?? [];

    const { output } = await call('payments.find', query);

    expect(JSON.parse(output)).toMatchObject({ amount: '1250.00', paymentQuoteId: 'quo_1' });
  });

  test('is reported with its intent if JSON is requested', async () => {
    const { code, notes } = await endedInBetween('SIGTERM', '--json');

    expect(code).toBe(143);
    expect(JSON.parse(notes)).toMatchObject({
      error: { outcome: 'unknown', intent: { version: 1, request: { amount: '1250.00', paymentQuoteId: 'quo_1' } } },
    });
  });

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'is found by the same command with a journal, and not sent again, after %s',
    async (signal) => {
      const folder = await mkdtemp(join(tmpdir(), 'corridor-journal-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const options = ['--journal', join(folder, 'payments.sqlite')];
      const { notes } = await endedInBetween(signal, ...options);

      const again = await call('payments.create', payment, '--yes', ...options);

      if (signal === 'SIGINT') expect(notes).toContain('-> Run the same command with the same journal again');
      expect(again).toMatchObject({
        code: 0,
        output: expect.stringContaining('"paymentQuoteId": "quo_1"'),
        notes: 'The quote was already used; this is its payment. Nothing new was created.\n',
      });
      expect(served.platform.requests.to('payments.create')).toHaveLength(1);
    },
  );
});

test('a reader that stops early, such as head, is not a failure', async () => {
  const child = startCorridor(['call', 'payments.list', '{"limit":1}', '--all', '--jsonl'], { environment });
  const run = ended(child);
  await once(child.stdout, 'data');
  child.stdout.destroy();

  expect(await run).toMatchObject({ code: 0, notes: '' });
});

test.each(['verify', 'doctor'])('%s without a reader is not a success: its exit code is a verdict', async (command) => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-pipe-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const child = startCorridor([command], { environment, folder });
  const run = ended(child);
  child.stdout.destroy();

  expect(await run).toMatchObject({ code: 141, notes: '' });
});

test('a command goes on if its notes are not read anymore', async () => {
  served.platform.faults.always('payments.list', { kind: 'slow', delay: 100 });
  onTestFinished(() => served.platform.faults.clear());
  const folder = await mkdtemp(join(tmpdir(), 'corridor-notes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const words = ['export', 'payments', '--out', join(folder, 'payments.jsonl'), '--concurrency', '1'];
  const child = startCorridor(words, { environment, terminal: 80 });
  const run = ended(child);
  child.stderr.destroy();

  const { code, output } = await run;
  expect(code).toBe(0);
  expect(output).toMatch(/ payments, complete up to .*Z\n$/);
});

test('an unexpected error is reported without a stack', async () => {
  const { code, notes } = await corridor(['mock', '--port', '0'], { environment: { TMPDIR: '/nowhere' } });

  expect(code).toBe(1);
  expect(notes).toMatch(/^error {2}ENOENT: .*\n {4}-> Please report this unexpected error\n$/);
  expect(notes).not.toContain('    at ');
});
