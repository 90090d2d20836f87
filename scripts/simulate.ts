import { parseArgs } from 'node:util';
import { activities } from '../test/simulation/settings.ts';
import { simulate, type Overrides } from '../test/simulation/simulate.ts';
import { simulateSync } from '../test/simulation/sync.ts';
import { expectedCost, measureSync, type Sizes, type SyncCost } from '../test/simulation/sync-cost.ts';

// node scripts/simulate.ts [--runs 500] [--for SECONDS] [--from SEED]   runs many seeds
// node scripts/simulate.ts --seed SEED                                  runs one, and prints what happened
// With --only pay (or follow, export, list), processes do only that.
// node scripts/simulate.ts --mirror [--runs 500] [--for SECONDS] [--from SEED]   runs many seeds of corridor.sync
// node scripts/simulate.ts --sync PAYMENTS                              counts the requests of corridor.sync in a week

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    runs: { type: 'string' },
    sync: { type: 'string' },
    mirror: { type: 'boolean' },
    for: { type: 'string' },
    only: { type: 'string' },
  },
});

function integer(name: 'seed' | 'from' | 'runs' | 'for' | 'sync'): number | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new Error(`--${name} must be a non-negative integer (received ${value})`);
  return Number(value);
}

function overrides(): Overrides {
  if (values.only === undefined) return {};
  const only = activities.filter((activity) => activity === values.only);
  if (only.length === 0) throw new Error(`--only must be one of ${activities.join(', ')} (received ${values.only})`);
  return { settings: { activities: only } };
}

async function reproduce(seed: number): Promise<void> {
  const { settings, failures, trace } = await simulate(seed, overrides());
  console.log(trace.join('\n'));
  console.log(`\nsettings of seed ${seed}: ${JSON.stringify(settings)}`);
  console.log(failures.length === 0 ? 'No failure.' : failures.map((failure) => `FAILED ${failure}`).join('\n'));
  process.exitCode = failures.length === 0 ? 0 : 1;
}

async function search(from: number, runs: number, seconds: number): Promise<void> {
  const started = performance.now();
  let [count, requests, broken, killed, failed] = [0, 0, 0, 0, 0];
  for (; count < runs && performance.now() - started < seconds * 1000; count += 1) {
    const result = await simulate(from + count, overrides());
    requests += result.requests;
    broken += result.trace.filter((line) => /POST call-\d+: (?!arrives)/.test(line)).length;
    killed += result.trace.filter((line) => line.endsWith(' is killed')).length;
    if (result.failures.length === 0) continue;
    failed += 1;
    console.log(`seed ${result.seed}: ${result.failures.join('\n  ')}`);
  }
  const duration = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${count} runs, ${requests} requests, ${broken} failed creates, ${killed} killed processes`);
  console.log(`${failed} runs failed (${duration} s).`);
  if (failed > 0) console.log('To see what happened in a run: npm run simulate -- --seed SEED');
  process.exitCode = failed === 0 ? 0 : 1;
}

async function searchSync(from: number, runs: number, seconds: number): Promise<void> {
  const started = performance.now();
  let [count, failed] = [0, 0];
  for (; count < runs && performance.now() - started < seconds * 1000; count += 1) {
    const failures = await simulateSync(from + count);
    if (failures.length > 0) console.log(`seed ${from + count}: ${failures.join('\n  ')}`);
    if (failures.length > 0) failed += 1;
  }
  console.log(`${count} runs of corridor.sync, ${failed} failed.`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function countSync(payments: number): Promise<void> {
  const { sizes, cost } = await measureSync(payments);
  const row = (name: string, of: Sizes, requests: SyncCost) => ({
    name,
    ...of,
    ...Object.fromEntries(Object.entries(requests).map(([part, number]) => [part, Math.round(number)])),
  });
  const large = { payments: 10_000_000, recent: 2_500_000, inProgress: 20_000, customers: 5_000 };
  console.table([
    row('counted', sizes, cost),
    row('by the formula', sizes, expectedCost(sizes)),
    row('by the formula', large, expectedCost(large)),
  ]);
}

const seed = integer('seed');
const payments = integer('sync');
const seconds = integer('for') ?? Number.POSITIVE_INFINITY;
const runs = integer('runs') ?? (seconds === Number.POSITIVE_INFINITY ? 500 : Number.POSITIVE_INFINITY);
if (payments !== undefined) await countSync(payments);
else if (values.mirror === true) await searchSync(seed ?? integer('from') ?? 1, seed === undefined ? runs : 1, seconds);
else if (seed === undefined) await search(integer('from') ?? 1, runs, seconds);
else await reproduce(seed);
