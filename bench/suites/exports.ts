import { run, Worker } from '../harness.ts';
import type { Fixture } from '../fixture.ts';

/** Reading all payments of a year, in one of several ways. */
export interface ExportRow {
  readonly payments: number;
  /** How the payments are distributed over the year. */
  readonly distribution: 'even' | 'bursts';
  /** Of the server, in milliseconds. */
  readonly latency: number;
  /** `by hand`, `list`, or the concurrency of `payments.export`. */
  readonly way: string;
  readonly seconds: number;
  readonly requests: number;
  /** The largest heap after garbage collection, in bytes. */
  readonly heap: number;
}

interface ExportRun {
  readonly seconds: number;
  readonly items: number;
  readonly heap: number;
}

const pageSize = 100;
const ways = ['by hand', 'list', '1', '4', '8'];

export async function exports(fixture: Fixture, payments: number): Promise<ExportRow[]> {
  const rows: ExportRow[] = [];
  const measure = async (
    count: number,
    distribution: ExportRow['distribution'],
    latency: number,
    chosen: readonly string[],
  ): Promise<void> => {
    const server = new Worker('export-server.ts', [fixture.pageFile, String(count), distribution, String(latency)]);
    const { port } = (await server.ready) as { readonly port: number };
    const url = `http://127.0.0.1:${port}`;
    // Equally many heaps are measured of each number of payments, because the largest one is reported.
    const interval = String(count / pageSize / 20);
    for (const way of chosen) {
      const program = way === 'by hand' || way === 'list' ? [way] : ['export', way];
      const { items, ...result } = await run<ExportRun>(
        'programs/export.ts',
        [url, fixture.privateKey, interval, ...program],
        ['--expose-gc'],
      );
      if (items !== count) throw new Error(`${way} read ${items} of ${count} payments`);
      // Asking for the number of requests resets it.
      const requests = Number(await (await fetch(`${url}/requests`)).text());
      rows.push({ payments: count, distribution, latency, way, ...result, requests });
    }
    server.stop();
  };
  for (const latency of [0, 20, 100]) await measure(payments, 'even', latency, ways);
  await measure(payments, 'bursts', 100, ['list', '4', '8']);
  await measure(payments * 10, 'even', 0, ['8']);
  return rows;
}
