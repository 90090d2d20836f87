import { writeFileSync } from 'node:fs';
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
  requests: () => requests(world, { rounds: pick(15, 3), milliseconds: pick(700, 300) }),
  pageCheck: () => pageCheck(world, { rounds: pick(60, 20), processes: pick(15, 3) }),
  walks: () => walks(world, { rounds: pick(3, 1), quickRounds: pick(15, 3) }),
  starts: () => starts(world, pick(11, 3)),
  bundles: () => bundles(),
  memory: () => memory(world, pick(1_000_000, 10_000)),
  constructions: () => constructions(world),
  mockCarriers: () => mockCarriers(pick(7, 3), pick(700, 300)),
};

const measured: Partial<Record<keyof Results['measured'], unknown>> = {};
try {
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
  const results: Results = { node: process.versions.node, measured: measured as Results['measured'] };
  console.table(Object.fromEntries(goalsOf(results).map(({ measure, goal, figure, holds }) => [measure, { goal, figure, holds }])));
  if (!isQuick || words.includes('--write')) {
    writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
    await import('./report.ts');
  }
}
