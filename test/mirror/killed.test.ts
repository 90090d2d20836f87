import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Corridor } from 'corridor-sdk';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import { start, type Program } from '../journal/program.ts';
import { RandomSource } from '../simulation/random-source.ts';
import { between, changeAtRandom } from './random-changes.ts';
import { assertUnbrokenChains, mirroredRecords, recordsOf, sqliteDatabase, temporaryFile } from './mirrored.ts';

const lag = 300;
const kills = process.env['CORRIDOR_SOAK'] === undefined ? 6 : 100;

test('processes that are killed, paused and locked out keep a mirror true, and its chains unbroken', async () => {
  const random = new RandomSource(Number(process.env['CORRIDOR_SEED'] ?? 1));
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  const { platform } = served;
  platform.populate({ customers: 6, beneficiaries: 10, payments: 300 });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
  const path = await temporaryFile();
  const run = (): Program => start('sync', [path, String(lag)], environment, new URL('programs/', import.meta.url));
  const programs = [run(), run()];
  onTestFinished(() => programs.forEach(({ process: child }) => void child.kill('SIGKILL')));
  await Promise.all(programs.map(({ printed }) => printed('ready')));

  let isChanging = true;
  const changing = (async (): Promise<void> => {
    for (; isChanging; await delay(between(random, 1, 30))) changeAtRandom(platform, random);
  })();
  for (let killed = 0; killed < kills; killed += 1) {
    await delay(between(random, 100, 1_500));
    const index = between(random, 0, 1);
    const { process: child } = programs[index] as Program;
    const chance = between(random, 0, 3);
    if (chance === 0) {
      child.kill('SIGSTOP');
      await delay(between(random, 1_000, 3_000));
      child.kill('SIGCONT');
    } else if (chance === 1) {
      const database = new DatabaseSync(path, { timeout: 5_000 });
      database.exec('begin immediate');
      await delay(between(random, 100, 1_000));
      database.exec('rollback');
      database.close();
    }
    child.kill('SIGKILL');
    programs[index] = run();
    await (programs[index] as Program).printed('ready');
  }
  isChanging = false;
  await changing;
  // The last process finds the last changes without help.
  await delay(2 * lag);
  for (const { process: child } of programs.splice(0)) child.kill('SIGKILL');

  const corridor = new Corridor(served.clientOptions());
  const mirrored = await sqliteDatabase(path);
  const mirror = mirrored.open();
  await corridor.sync(mirror, { once: true, full: true, consistencyWindow: 0 });
  expect(await mirroredRecords(mirrored)).toEqual(await recordsOf(corridor));
  expect((await corridor.sync(mirror, { once: true, full: true, dryRun: true })).differences).toEqual([]);
  expect(await assertUnbrokenChains(mirrored)).toBeGreaterThan(20);
}, 3_600_000);

test('a process continues within two seconds after the one that works was killed', async () => {
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  served.platform.populate({ customers: 2, beneficiaries: 2, payments: 20 });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
  const path = await temporaryFile();
  // The first hangs in its first request, as the one that works.
  served.platform.faults.next('customers.list', { kind: 'hang' });
  const programs = [start('sync', [path, '0'], environment, new URL('programs/', import.meta.url))];
  onTestFinished(() => programs.forEach(({ process: child }) => void child.kill('SIGKILL')));
  await expect.poll(() => served.platform.requests.to('customers.list').length, { timeout: 60_000 }).toBe(1);
  const second = start('sync', [path, '0'], environment, new URL('programs/', import.meta.url));
  programs.push(second);
  await second.printed('ready');
  expect(served.platform.requests.to('customers.list')).toHaveLength(1);
  programs[0]?.process.kill('SIGKILL');
  await second.printed('synchronized');
  expect(served.platform.requests.to('customers.list').length).toBeGreaterThan(1);
}, 120_000);
