import { join } from 'node:path';
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { figureOf, inTurns, ratio, run, Worker, type Figure } from '../harness.ts';
import type { Fixture } from '../fixture.ts';

interface Checked {
  readonly first: number;
  readonly times: readonly { readonly parse: number; readonly both: number }[];
}

/** The cost of validating a page of 100 payments. */
export interface PageCheck {
  readonly pageBytes: number;
  /** `JSON.parse` and check over `JSON.parse` alone. */
  readonly repeated: Figure;
  /** Milliseconds of the first check in a fresh process: schema built, compiled, used. */
  readonly first: Figure;
}

export async function pageCheck(
  fixture: Fixture,
  { rounds, processes }: { readonly rounds: number; readonly processes: number },
): Promise<PageCheck> {
  const outfile = join(fixture.folder, 'page-check.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../programs/page-check.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const { times } = await run<Checked>(outfile, [fixture.pageFile, String(rounds)]);
  const firsts: number[] = [];
  for (let process = 0; process < processes; process += 1)
    firsts.push((await run<Checked>(outfile, [fixture.pageFile, '0'])).first);
  return {
    pageBytes: fixture.pageBytes,
    repeated: ratio(
      times.map(({ both }) => both),
      times.map(({ parse }) => parse),
    ),
    first: figureOf(firsts),
  };
}

/** Iterating over 10,000 payments in 100 pages, compared with a loop written with ky. */
export interface IterationRow {
  readonly latency: number;
  readonly work: number;
  /** Seconds. */
  readonly product: Figure;
  readonly loop: Figure;
  /** The loop over the product: above 1 the product is faster. */
  readonly faster: Figure;
}

interface Iterated {
  readonly wall: number;
  readonly items: number;
}

export async function iterations(
  fixture: Fixture,
  { rounds, quickRounds }: { readonly rounds: number; readonly quickRounds: number },
): Promise<IterationRow[]> {
  const names = ['corridor-sdk', 'loop with ky'] as const;
  const workers = new Map(
    names.map((name) => [name, new Worker('programs/iterate.ts', [name, fixture.url, fixture.privateKey])]),
  );
  const rows: IterationRow[] = [];
  for (const [latency, work] of [
    [0, 0],
    [0, 20],
    [20, 0],
    [20, 20],
  ] as const) {
    const seconds: Record<(typeof names)[number], number[]> = { 'corridor-sdk': [], 'loop with ky': [] };
    const iterate = (name: (typeof names)[number]): Promise<Iterated> =>
      (workers.get(name) as Worker).ask({ pages: 100, latency, work });
    for (const name of names) await iterate(name);
    await inTurns(latency + work === 0 ? quickRounds : rounds, names, async (name) => {
      const { wall, items } = await iterate(name);
      if (items !== 10_000) throw new Error(`${name} iterated over ${items} items`);
      seconds[name].push(wall / 1000);
    });
    rows.push({
      latency,
      work,
      product: figureOf(seconds['corridor-sdk']),
      loop: figureOf(seconds['loop with ky']),
      faster: ratio(seconds['loop with ky'], seconds['corridor-sdk']),
    });
  }
  for (const worker of workers.values()) worker.stop();
  return rows;
}

/** The heap during iteration over a list. */
export interface MemorySample {
  readonly items: number;
  /** Bytes in the heap, garbage collected. */
  readonly heap: number;
}

/** A long iteration. */
export interface LongIteration {
  readonly samples: readonly MemorySample[];
  /** Processor for an item of its last tenth, over that of an iteration that has just begun. */
  readonly late: Figure;
}

export async function memory(fixture: Fixture, items: number): Promise<LongIteration> {
  const { samples, beside } = await run<
    Pick<LongIteration, 'samples'> & { readonly beside: readonly { readonly late: number; readonly early: number }[] }
  >('programs/memory.ts', [fixture.url, fixture.privateKey, String(items)], ['--expose-gc']);
  return {
    samples,
    late: ratio(
      beside.map(({ late }) => late),
      beside.map(({ early }) => early),
    ),
  };
}
