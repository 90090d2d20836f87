import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figureOf, inTurns, ratio, run, Worker, type Figure } from '../harness.ts';
import type { Fixture } from '../fixture.ts';

/** The first fill of a mirror in a SQLite file beside an export and a walk with `payments.list` of the same payments. */
export interface Fills {
  readonly payments: number;
  /** Without latency: milliseconds of CPU time per payment, and that of a fill relative to an export. */
  readonly processor: { readonly fill: Figure; readonly export: Figure; readonly relative: Figure };
  /** With 100 ms of latency and 8 requests at once: how many times as fast as the walk. */
  readonly faster: { readonly fill: Figure; readonly export: Figure };
}

interface FillRun {
  readonly seconds: number;
  readonly processor: number;
  readonly items: number;
}

const ways = ['fill', 'export', 'list'] as const;

export async function fills(fixture: Fixture, payments: number, rounds: number): Promise<Fills> {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-bench-'));
  const measure = async (latency: number, chosen: readonly (typeof ways)[number][]) => {
    const server = new Worker('export-server.ts', [fixture.pageFile, String(payments), 'even', String(latency)]);
    const { port } = (await server.ready) as { readonly port: number };
    const url = `http://127.0.0.1:${port}`;
    const found: Record<(typeof ways)[number], FillRun[]> = { fill: [], export: [], list: [] };
    try {
      await inTurns(rounds, chosen, async (way, round) => {
        const file = join(folder, `${latency}-${round}.sqlite`);
        const result = await (way === 'fill'
          ? run<FillRun>('programs/sync.ts', [url, fixture.privateKey, file])
          : run<FillRun>(
              'programs/export.ts',
              [url, fixture.privateKey, String(payments), ...(way === 'list' ? [way] : [way, '8'])],
              ['--expose-gc'],
            ));
        if (result.items < payments) throw new Error(`${way} read ${result.items} of ${payments} payments`);
        found[way].push(result);
      });
    } finally {
      server.stop();
    }
    return found;
  };
  try {
    const [used, timed] = [await measure(0, ['fill', 'export']), await measure(100, ways)];
    const cost = ({ processor }: FillRun): number => processor / payments;
    const seconds = (way: (typeof ways)[number]): number[] => timed[way].map((each) => each.seconds);
    return {
      payments,
      processor: {
        fill: figureOf(used.fill.map(cost)),
        export: figureOf(used.export.map(cost)),
        relative: ratio(used.fill.map(cost), used.export.map(cost)),
      },
      faster: {
        fill: ratio(seconds('list'), seconds('fill')),
        export: ratio(seconds('list'), seconds('export')),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
