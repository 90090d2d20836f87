import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { heading, parameters, row, verdicts } from '../test/simulation/report.ts';
import { settings, type Settings } from '../test/simulation/settings.ts';
import { simulate, type Strategy, type Tally } from '../test/simulation/simulate.ts';

// node scripts/simulate.ts [--creates 10000] [--seeds 1,2,3]

interface Task {
  readonly strategy: Strategy;
  readonly settings: Settings;
}

function tasks(creates: number, seeds: readonly number[]): Task[] {
  const strategies: readonly Strategy[] = ['createOnce', 'createOnce, resend', 'naive retry'];
  return (['reusable', 'single-use'] as const).flatMap((quotes) =>
    strategies.flatMap((strategy) =>
      seeds.map((seed) => ({ strategy, settings: settings({ seed, creates, quotes }) })),
    ),
  );
}

function runInWorker(task: Task): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { creates: { type: 'string', default: '10000' }, seeds: { type: 'string', default: '1,2,3' } },
  });
  const creates = Number(values.creates);
  const seeds = values.seeds.split(',').map(Number);
  if (![creates, ...seeds].every((value) => Number.isInteger(value) && value > 0))
    throw new Error('--creates must be a positive integer and --seeds a comma-separated list of positive integers');
  const started = performance.now();
  console.log(`${parameters({ creates }, seeds)}\n\n${heading()}`);
  const waiting = tasks(creates, seeds);
  const tallies: Tally[] = [];
  const work = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const tally = await runInWorker(task);
      tallies.push(tally);
      console.log(row(tally));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const results = verdicts(tallies);
  console.log(`\n${results.map(({ holds, what }) => `${holds ? 'ok    ' : 'FAILED'} ${what}`).join('\n')}`);
  const passed = results.every(({ holds }) => holds);
  console.log(`\n${passed ? 'PASS' : 'FAIL'} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  process.exitCode = passed ? 0 : 1;
}

if (isMainThread) await main();
else {
  const { strategy, settings: taskSettings } = workerData as Task;
  parentPort?.postMessage(await simulate(strategy, taskSettings), []);
}
