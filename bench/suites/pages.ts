import { join } from 'node:path';
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { figureOf, inTurns, ratio, run, Worker, type Figure } from '../harness.ts';
import type { World } from '../world.ts';

interface Checked {
  readonly first: number;
  readonly times: readonly { readonly parse: number; readonly both: number }[];
}

/** What holding a page of 100 payments against the contract costs. */
export interface PageCheck {
  readonly pageBytes: number;
  /** `JSON.parse` and check over `JSON.parse` alone. */
  readonly compiled: Figure;
  /** The same where code may not be made from text. */
  readonly withoutEval: Figure;
  /** Milliseconds of the first check in a fresh process: schema built, compiled, used. */
  readonly firstCompiled: Figure;
  readonly firstWithoutEval: Figure;
}

const barred = ['--disallow-code-generation-from-strings'];

export async function pageCheck(world: World, { rounds, processes }: { readonly rounds: number; readonly processes: number }): Promise<PageCheck> {
  const outfile = join(world.folder, 'page-check.mjs');
  await build({ entryPoints: [fileURLToPath(new URL('../programs/page-check.ts', import.meta.url))], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  const repeated = async (flags: readonly string[]): Promise<Figure> => {
    const { times } = await run<Checked>(outfile, [world.pageFile, String(rounds)], flags);
    return ratio(times.map(({ both }) => both), times.map(({ parse }) => parse));
  };
  const firsts: Record<'compiled' | 'withoutEval', number[]> = { compiled: [], withoutEval: [] };
  await inTurns(processes, ['compiled', 'withoutEval'] as const, async (mode) => {
    firsts[mode].push((await run<Checked>(outfile, [world.pageFile, '0'], mode === 'compiled' ? [] : barred)).first);
  });
  return {
    pageBytes: world.pageBytes, compiled: await repeated([]), withoutEval: await repeated(barred),
    firstCompiled: figureOf(firsts.compiled), firstWithoutEval: figureOf(firsts.withoutEval),
  };
}

/** A walk of 10,000 payments in 100 pages, and how much faster it is than the loop by hand. */
export interface WalkRow {
  readonly latency: number;
  readonly work: number;
  /** Seconds. */
  readonly product: Figure;
  readonly byHand: Figure;
  /** By hand over product: above 1 the product is faster. */
  readonly faster: Figure;
}

interface Walked {
  readonly wall: number;
  readonly items: number;
}

export async function walks(world: World, { rounds, quickRounds }: { readonly rounds: number; readonly quickRounds: number }): Promise<WalkRow[]> {
  const names = ['corridor-sdk', 'by hand'] as const;
  const workers = new Map(names.map((name) => [name, new Worker('programs/walk.ts', [name, world.url, world.privateKey])]));
  const rows: WalkRow[] = [];
  for (const [latency, work] of [[0, 0], [0, 20], [20, 0], [20, 20]] as const) {
    const seconds: Record<(typeof names)[number], number[]> = { 'corridor-sdk': [], 'by hand': [] };
    const walk = (name: (typeof names)[number]): Promise<Walked> => (workers.get(name) as Worker).ask({ pages: 100, latency, work });
    for (const name of names) await walk(name);
    await inTurns(latency + work === 0 ? quickRounds : rounds, names, async (name) => {
      const { wall, items } = await walk(name);
      if (items !== 10_000) throw new Error(`${name} walked ${items} items`);
      seconds[name].push(wall / 1000);
    });
    rows.push({ latency, work, product: figureOf(seconds['corridor-sdk']), byHand: figureOf(seconds['by hand']), faster: ratio(seconds['by hand'], seconds['corridor-sdk']) });
  }
  for (const worker of workers.values()) worker.stop();
  return rows;
}

/** What is held while a list is walked. */
export interface MemorySample {
  readonly items: number;
  /** Bytes in the heap, garbage collected. */
  readonly heap: number;
}

/** A long walk. */
export interface LongWalk {
  readonly samples: readonly MemorySample[];
  /** Processor for an item of its last tenth, over that of a walk that has just begun. */
  readonly late: Figure;
}

export async function memory(world: World, items: number): Promise<LongWalk> {
  const { samples, beside } = await run<Pick<LongWalk, 'samples'> & { readonly beside: readonly { readonly late: number; readonly early: number }[] }>(
    'programs/memory.ts', [world.url, world.privateKey, String(items)], ['--expose-gc']);
  return { samples, late: ratio(beside.map(({ late }) => late), beside.map(({ early }) => early)) };
}
