import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { payablePayment } from '../mock/fixture.ts';
import { killPoints, payWhileKilled } from './killed-orders.ts';
import { start } from './program.ts';

let served: MockPlatformServer;
let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  served = await serveMockPlatform({ quotes: 'reusable' });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
});

beforeEach(async () => {
  served.platform.reset();
  folder = await mkdtemp(join(tmpdir(), 'corridor-killed-'));
  return () => rm(folder, { recursive: true });
});

afterAll(() => served.close());

interface Restarted {
  readonly recoveries: readonly { readonly status: string; readonly paymentId?: string }[];
  readonly open: number;
  readonly paymentId: string;
  readonly created: boolean;
}

test('a process killed between request and response, and restarted, ends with exactly one payment', async () => {
  const { platform } = served;
  const parameters = [join(folder, 'journal.sqlite'), JSON.stringify(payablePayment(platform))];

  const first = start('lose-response', parameters, environment);
  await first.printed('received 201');
  first.process.kill('SIGKILL');
  await expect(first.ended).rejects.toThrow('SIGKILL');
  expect(platform.payments.all()).toHaveLength(1);

  const restarted = JSON.parse(await start('restart', parameters, environment).ended) as Restarted;
  const [payment] = platform.payments.all();
  expect(platform.payments.all()).toHaveLength(1);
  expect(restarted).toEqual({
    recoveries: [{ status: 'created', paymentId: payment?.id }],
    open: 0,
    paymentId: payment?.id,
    created: false,
  });
  expect(platform.requests.to('payments.create')).toHaveLength(1);
}, 180_000);

test.each(killPoints)(
  'an order that two processes pay with different quotes, of which one is killed at point %i, is paid once',
  async (killedAt) => {
    const path = join(folder, 'order.sqlite');
    const journal = new SqliteJournal(path);
    onTestFinished(() => journal.close());
    await payWhileKilled({ journal, programArguments: [path, ''] }, killedAt);
  },
  180_000,
);
