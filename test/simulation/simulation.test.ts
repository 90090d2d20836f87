import { expect, test } from 'vitest';
import type { CreatePayment } from './pay.ts';
import { commandOf, keptSeeds, runSeed, seedsText, type SeedRun } from './seeds.ts';
import { drawSettings } from './settings.ts';
import { simulate } from './simulate.ts';

// `npm run simulate` runs as many seeds as you like, and prints what happened in one of them.
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

test('the client keeps its promises whatever the platform, the network and the clocks do', async ({ signal }) => {
  const broken: string[] = [];
  for (const seed of seeds) {
    signal.throwIfAborted();
    const { failures } = await simulate(seed);
    broken.push(...failures.map((failure) => `${commandOf({ seed })}: ${failure}`));
  }
  expect(broken).toEqual([]);
});

test('the seeds that have failed once do not fail again', async ({ signal }) => {
  const broken: string[] = [];
  for (const run of keptSeeds()) {
    signal.throwIfAborted();
    const { failures } = await runSeed(run);
    broken.push(...failures.map((failure) => `${commandOf(run)}: ${failure}`));
  }
  expect(broken).toEqual([]);
});

test('a seed that is kept is read as it was run', () => {
  const runs: readonly SeedRun[] = [{ seed: 7 }, { seed: 8, only: 'follow' }, { seed: 9, only: 'mirror' }];
  expect(JSON.parse(seedsText(runs))).toEqual(runs);
});

test('the same seed has the same result', async () => {
  const seed = seeds.find((each) => drawSettings(each).activities.length > 1) ?? 1;
  expect((await simulate(seed)).trace).toEqual((await simulate(seed)).trace);
});

test('a client that repeats a create after any error is found to pay twice', async () => {
  const naive: CreatePayment = async ({ client }, order, { headers }) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { payment: await client.payments.create(order, { headers, maxRetries: 0 }), created: true };
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  };
  const { failures } = await simulate(1, {
    settings: { activities: ['pay'], quotes: 'reusable', createFaults: 0.7 },
    create: naive,
  });
  expect(failures).toContainEqual(expect.stringMatching(/^quo_\d+ was paid [23] times/));
});
