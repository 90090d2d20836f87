import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import { killProcesses, startSync } from './kill-processes.ts';
import { sqliteDatabase, temporaryFile } from './mirrored.ts';
import { between } from './random-changes.ts';

const counts =
  process.env['CORRIDOR_SOAK'] === undefined
    ? { kills: 6, pauses: 2, disturbances: 1 }
    : { kills: 100, pauses: 40, disturbances: 20 };

test('processes that are killed, paused and locked out keep a mirror true, and its chains unbroken', async () => {
  const database = await sqliteDatabase();
  await killProcesses({
    place: database.path,
    database,
    processes: 2,
    ...counts,
    async disturb(random) {
      const other = new DatabaseSync(database.path, { timeout: 5_000 });
      other.exec('begin immediate');
      await delay(between(random, 100, 1_000));
      other.exec('rollback');
      other.close();
    },
  });
}, 3_600_000);

test('a process waits for the one that works, and continues after that was killed', async () => {
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  served.platform.populate({ customers: 2, beneficiaries: 2, payments: 20 });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
  const path = await temporaryFile();
  // The first hangs in its first request, as the one that works.
  served.platform.faults.next('customers.list', { kind: 'hang' });
  const programs = [startSync(path, environment, 0)];
  onTestFinished(() => programs.forEach(({ process: child }) => void child.kill('SIGKILL')));
  await expect.poll(() => served.platform.requests.to('customers.list').length, { timeout: 60_000 }).toBe(1);
  const second = startSync(path, environment, 0);
  programs.push(second);
  await second.printed('ready');
  expect(served.platform.requests.to('customers.list')).toHaveLength(1);
  programs[0]?.process.kill('SIGKILL');
  await second.printed('synchronized');
  expect(served.platform.requests.to('customers.list').length).toBeGreaterThan(1);
}, 120_000);
