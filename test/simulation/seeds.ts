import { readFileSync, writeFileSync } from 'node:fs';
import type { Activity } from './settings.ts';
import { simulate, type Result } from './simulate.ts';
import { simulateSync } from './sync.ts';

/** A run of a seed: of all that it draws, of one activity, or of `corridor.sync`. */
export interface SeedRun {
  readonly seed: number;
  readonly only?: Activity | 'mirror' | undefined;
}

/** Runs a seed. */
export function runSeed({ seed, only }: SeedRun): Promise<Result> {
  if (only === 'mirror') return simulateSync(seed);
  return simulate(seed, only === undefined ? {} : { settings: { activities: [only] } });
}

/** Returns the command that runs a seed again, and prints what happens. */
export function commandOf({ seed, only }: SeedRun): string {
  const option = only === undefined ? '' : only === 'mirror' ? '--mirror ' : `--only ${only} `;
  return `npm run simulate -- ${option}--seed ${seed}`;
}

const file = new URL('kept-seeds.json', import.meta.url);

/** Returns the seeds that have failed once. */
export function keptSeeds(): readonly SeedRun[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly SeedRun[];
}

/** Adds a seed to those that every test run runs. */
export function keepSeed(run: SeedRun): void {
  writeFileSync(file, seedsText([...keptSeeds(), run]));
}

/** Writes seeds as JSON, one per line. */
export function seedsText(runs: readonly SeedRun[]): string {
  const rows = runs.map(({ seed, only }) => `  { "seed": ${seed}${only === undefined ? '' : `, "only": "${only}"`} }`);
  return `[\n${rows.join(',\n')}\n]\n`;
}
