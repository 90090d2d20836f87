import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { signer } from './clients/floor.ts';
import { figureOf } from './harness.ts';
import { createFixture } from './fixture.ts';
import { exports } from './suites/exports.ts';
import { memory, pageCheck, iterations } from './suites/pages.ts';
import { requests } from './suites/requests.ts';
import { fills } from './suites/fills.ts';
import { syncs } from './suites/syncs.ts';
import { followers } from './suites/followers.ts';
import { organizations } from './suites/organizations.ts';
import { bundles, constructions, starts } from './suites/starts.ts';
import { versions } from './suites/versions.ts';
import { mockAdapters, mockScale } from './suites/mock.ts';
import type { BenchRun, Results } from './results.ts';
import { goalsOf } from './goals.ts';

// `node bench/run.ts [--quick] [--write] [suite …]`: measures all suites or some and prints them. A full run is written
// to results.json, and so are some suites with --write, which keeps the results of the others.
const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const only = words.filter((word) => !word.startsWith('--'));
const pick = <T>(full: T, quick: T): T => (isQuick ? quick : full);

const fixture = await createFixture();
const suites: { readonly [Name in keyof Results['measured']]-?: () => Promise<Results['measured'][Name]> } = {
  requests: () => requests(fixture, { rounds: pick(40, 5), milliseconds: pick(400, 250) }),
  pageCheck: () => pageCheck(fixture, { rounds: pick(60, 20), processes: pick(15, 3) }),
  iterations: () => iterations(fixture, { rounds: pick(3, 1), quickRounds: pick(15, 3) }),
  starts: () => starts(fixture, pick(11, 3)),
  bundles: () => bundles(),
  versions: () => versions(fixture, pick(15, 2)),
  memory: () => memory(fixture, pick(1_000_000, 10_000)),
  constructions: () => constructions(fixture),
  organizations: () => organizations(fixture, pick(200, 20)),
  mockAdapters: () => mockAdapters(pick(7, 3), pick(700, 300)),
  mockScale: () => mockScale(pick(100_000, 10_000), pick(3, 1)),
  exports: () => exports(fixture, pick(100_000, 10_000)),
  syncs: () => syncs(fixture, pick(100_000, 10_000)),
  fills: () => fills(fixture, 20_000, pick(3, 1)),
  followers: () => followers(fixture, pick(500_000, 20_000), pick(120, 20)),
};

async function tokenCost(): Promise<number> {
  const sign = await signer(fixture.privateKey);
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
    // Exports and mirrors take as long as all the others.
    if (only.length > 0 ? !only.includes(name) : ['exports', 'syncs', 'fills', 'followers'].includes(name) && isQuick)
      continue;
    const began = performance.now();
    measured[name as keyof Results['measured']] = await measure();
    console.log(`${name} took ${((performance.now() - began) / 1000).toFixed(1)} s`);
    if (only.length > 0) console.dir(measured[name as keyof Results['measured']], { depth: 6 });
  }
} finally {
  fixture.close();
}
const file = new URL('results.json', import.meta.url);
const isWritten = words.includes('--write') || (only.length === 0 && !isQuick);
if (only.length === 0 || isWritten) {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Results;
  const all = only.length === 0 ? measured : { ...before.measured, ...measured };
  // The cost of a token belongs to the requests, which it is compared with.
  const sameToken = only.length > 0 && !only.includes('requests');
  const run: BenchRun = {
    node: process.versions.node,
    processor: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores`,
    date: new Date().toISOString().slice(0, 10),
  };
  const runs = Object.fromEntries(Object.keys(measured).map((name) => [name, run]));
  const results: Results = {
    node: process.versions.node,
    runs: only.length === 0 ? runs : { ...before.runs, ...runs },
    token: sameToken ? before.token : token,
    measured: all as Results['measured'],
  };
  console.table(
    Object.fromEntries(goalsOf(results).map(({ measure, goal, figure, holds }) => [measure, { goal, figure, holds }])),
  );
  if (isWritten) {
    writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
    await import('./report.ts');
  }
}
