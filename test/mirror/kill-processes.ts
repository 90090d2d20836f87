import { setTimeout as delay } from 'node:timers/promises';
import { Corridor } from 'corridor-sdk';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, onTestFinished } from 'vitest';
import { start, type Program } from '../journal/program.ts';
import { RandomSource } from '../support/random-source.ts';
import { assertUnbrokenChains, mirroredRecords, recordsOf, type MirrorDatabase } from './mirrored.ts';
import { between, changeAtRandom } from './random-changes.ts';

const lag = 300;

/** Starts the program that synchronizes a mirror. */
export const startSync = (place: string, environment: Readonly<Record<string, string>>, lagging = lag): Program =>
  start('sync', [place, String(lagging)], environment, new URL('programs/', import.meta.url));

interface Disturbances {
  /** The file, or the URL and the schema, for the program. */
  readonly place: string;
  readonly database: MirrorDatabase;
  readonly processes: number;
  readonly kills: number;
  /** How many of the kills follow a pause of the process, and how many a disturbance. */
  readonly pauses: number;
  readonly disturbances: number;
  /** Makes the database unavailable for a while. */
  disturb(random: RandomSource): Promise<void>;
}

/**
 * Changes a platform at random while processes synchronize a mirror with lists that lag, and are killed, paused and
 * disturbed. Then compares the mirror with the platform, and checks its chains.
 */
export async function killProcesses({
  place,
  database,
  processes,
  kills,
  pauses,
  disturbances,
  disturb,
}: Disturbances): Promise<void> {
  const random = new RandomSource(Number(process.env['CORRIDOR_SEED'] ?? 1));
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  const { platform } = served;
  platform.populate({ customers: 6, beneficiaries: 10, payments: 120 });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
  const run = (): Program => startSync(place, environment);
  const programs = Array.from({ length: processes }, run);
  onTestFinished(() => programs.forEach(({ process: child }) => void child.kill('SIGKILL')));
  await Promise.all(programs.map(({ printed }) => printed('ready')));

  let isChanging = true;
  const changing = (async (): Promise<void> => {
    for (; isChanging; await delay(between(random, 1, 60))) changeAtRandom(platform, random);
  })();
  const counts = { kills: 0, pauses: 0, disturbances: 0 };
  const others = Array.from({ length: kills }, (_, kill) =>
    kill < pauses ? 'pause' : kill < pauses + disturbances ? 'disturb' : 'nothing',
  );
  for (; counts.kills < kills; counts.kills += 1) {
    await delay(between(random, 100, 1_500));
    const index = between(random, 0, processes - 1);
    const { process: child, ended } = programs[index] as Program;
    const [before] = others.splice(between(random, 0, others.length - 1), 1);
    if (before === 'pause') {
      counts.pauses += 1;
      child.kill('SIGSTOP');
      await delay(between(random, 1_000, 3_000));
      child.kill('SIGCONT');
    } else if (before === 'disturb') {
      counts.disturbances += 1;
      await disturb(random);
    }
    // It rejects with the output of the program.
    if (child.exitCode !== null) await ended;
    child.kill('SIGKILL');
    programs[index] = run();
    await (programs[index] as Program).printed('ready');
  }
  isChanging = false;
  await changing;
  await delay(2 * lag);
  for (const { process: child, ended } of programs) if (child.exitCode !== null) await ended;
  for (const { process: child } of programs.splice(0)) child.kill('SIGKILL');

  const corridor = new Corridor(served.clientOptions());
  const mirror = database.open();
  await corridor.sync(mirror, { once: true, full: true, consistencyWindow: 0 });
  expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  expect((await corridor.sync(mirror, { once: true, full: true, dryRun: true })).differences).toEqual([]);
  const changes = await assertUnbrokenChains(database);
  expect(changes).toBeGreaterThan(20);
  process.stdout.write(`${JSON.stringify({ ...counts, changes })}\n`);
}
