import { writeFileSync } from 'node:fs';
import { signer } from './clients/floor.ts';
import { figureOf } from './harness.ts';
import { createWorld } from './world.ts';
import { memory, pageCheck, walks } from './suites/pages.ts';
import { requests } from './suites/requests.ts';
import { bundles, constructions, mockCarriers, starts } from './suites/starts.ts';
import type { Results } from './results.ts';
import { goalsOf } from './goals.ts';

// `node bench/run.ts [--quick] [suite …]`: measures everything, or what is named, and prints it; a full run is written to results.json.
const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const only = words.filter((word) => !word.startsWith('--'));
const pick = <T>(full: T, quick: T): T => (isQuick ? quick : full);

const world = await createWorld();
const suites: { readonly [Name in keyof Results['measured']]: () => Promise<Results['measured'][Name]> } = {
  requests: () => requests(world, { rounds: pick(40, 5), milliseconds: pick(400, 250) }),
  pageCheck: () => pageCheck(world, { rounds: pick(60, 20), processes: pick(15, 3) }),
  walks: () => walks(world, { rounds: pick(3, 1), quickRounds: pick(15, 3) }),
  starts: () => starts(world, pick(11, 3)),
  bundles: () => bundles(),
  memory: () => memory(world, pick(1_000_000, 10_000)),
  constructions: () => constructions(world),
  mockCarriers: () => mockCarriers(pick(7, 3), pick(700, 300)),
};

async function tokenCost(): Promise<number> {
  const sign = await signer(world.privateKey);
  const samples: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const used = process.cpuUsage();
    for (let count = 0; count < 50; count += 1) await sign('/');
    const { user, system } = process.cpuUsage(used);
    samples.push((user + system) / 1000 / 50);
  }
  return figureOf(samples).median;
}

const measured: Partial<Record<keyof Results['measured'], unknown>> = {};
let token = Number.NaN;
try {
  token = await tokenCost();
  for (const [name, measure] of Object.entries(suites)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const began = performance.now();
    measured[name as keyof Results['measured']] = await measure();
    console.log(`${name} took ${((performance.now() - began) / 1000).toFixed(1)} s`);
    if (only.length > 0) console.dir(measured[name as keyof Results['measured']], { depth: 6 });
  }
} finally {
  world.close();
}
if (only.length === 0) {
  const results: Results = { node: process.versions.node, token, measured: measured as Results['measured'] };
  console.table(Object.fromEntries(goalsOf(results).map(({ measure, goal, figure, holds }) => [measure, { goal, figure, holds }])));
  if (!isQuick || words.includes('--write')) {
    writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
    await import('./report.ts');
  }
}
