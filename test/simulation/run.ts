import { parseArgs } from 'node:util';
import { commandOf, keepSeed, runSeed, type SeedRun } from './seeds.ts';
import { activities } from './settings.ts';
import { expectedCost, measureSync, type Sizes, type SyncCost } from './sync-cost.ts';

// node test/simulation/run.ts [--runs 500] [--for SECONDS] [--from SEED]   runs many seeds
// node test/simulation/run.ts --seed SEED                                  runs one, and prints what happened
// With --only pay (or follow, export, list), processes do only that; with --mirror, they run corridor.sync.
// node test/simulation/run.ts --fresh 4           runs seeds that nobody has run, of each kind, and keeps those that fail
// node test/simulation/run.ts --sync PAYMENTS     counts the requests of corridor.sync in a week

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    runs: { type: 'string' },
    fresh: { type: 'string' },
    sync: { type: 'string' },
    mirror: { type: 'boolean' },
    for: { type: 'string' },
    only: { type: 'string' },
  },
});

function integer(name: 'seed' | 'from' | 'runs' | 'for' | 'sync' | 'fresh'): number | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new Error(`--${name} must be a non-negative integer (received ${value})`);
  return Number(value);
}

function kind(): SeedRun['only'] {
  if (values.mirror === true) return 'mirror';
  if (values.only === undefined) return undefined;
  const only = activities.find((activity) => activity === values.only);
  if (only === undefined) throw new Error(`--only must be one of ${activities.join(', ')} (received ${values.only})`);
  return only;
}

async function reproduce(run: SeedRun): Promise<void> {
  const { settings, failures, trace } = await runSeed(run);
  console.log(trace.join('\n'));
  console.log(`\nsettings of seed ${run.seed}: ${JSON.stringify(settings)}`);
  console.log(failures.length === 0 ? 'No failure.' : failures.map((failure) => `FAILED ${failure}`).join('\n'));
  process.exitCode = failures.length === 0 ? 0 : 1;
}

async function search(runs: Iterable<SeedRun>, seconds: number, keeps = false): Promise<void> {
  const started = performance.now();
  let [count, requests, broken, killed, failed] = [0, 0, 0, 0, 0];
  for (const run of runs) {
    if (performance.now() - started >= seconds * 1000) break;
    const result = await runSeed(run);
    count += 1;
    requests += result.requests;
    broken += result.trace.filter((line) => /POST call-\d+: (?!arrives)/.test(line)).length;
    killed += result.trace.filter((line) => line.endsWith(' is killed')).length;
    if (result.failures.length === 0) continue;
    failed += 1;
    console.log(`${commandOf(run)}\n  ${result.failures.join('\n  ')}`);
    if (keeps) keepSeed(run);
  }
  const duration = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${count} runs, ${requests} requests, ${broken} failed creates, ${killed} killed processes`);
  console.log(`${failed} runs failed (${duration} s).`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Returns seeds from a number on. */
function* seedsFrom(first: number, runs: number, only: SeedRun['only']): Iterable<SeedRun> {
  for (let seed = first; seed < first + runs; seed += 1) yield { seed, only };
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

const [seed, payments, fresh] = [integer('seed'), integer('sync'), integer('fresh')];
const seconds = integer('for') ?? Number.POSITIVE_INFINITY;
const runs = integer('runs') ?? (seconds === Number.POSITIVE_INFINITY ? 500 : Number.POSITIVE_INFINITY);
if (payments !== undefined) await countSync(payments);
else if (seed !== undefined) await reproduce({ seed, only: kind() });
else if (fresh !== undefined) {
  const first = Math.floor(Date.now() / 1000) % 1_000_000_000;
  console.log(`seeds ${first} to ${first + fresh - 1}, of the client and of corridor.sync`);
  const kinds = [...activities, 'mirror' as const];
  await search(
    kinds.flatMap((only) => [...seedsFrom(first, fresh, only)]),
    seconds,
    true,
  );
} else await search(seedsFrom(integer('from') ?? 1, runs, kind()), seconds);
