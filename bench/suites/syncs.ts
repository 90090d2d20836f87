import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerHeap, run, Worker } from '../harness.ts';
import type { Fixture } from '../fixture.ts';

/** Filling a mirror, and running once without changes. */
export interface SyncRow {
  readonly payments: number;
  /** The payments in progress. */
  readonly open: number;
  /** Of the server, in milliseconds. */
  readonly latency: number;
  /** The time of the first fill with 8 requests at once, in seconds. */
  readonly seconds: number;
  /** The time of a walk with `payments.list`, in seconds. */
  readonly walk: number;
  /** The requests of the first fill, and of the run without changes. */
  readonly filled: number;
  readonly idle: number;
  /** The largest memory of the process, with the heap of a small container, in bytes. */
  readonly memory: number;
}

/** The server has one payment in progress per hundred, and 12 customers. */
const openPer = 100;

export async function syncs(fixture: Fixture, payments: number): Promise<SyncRow[]> {
  const rows: SyncRow[] = [];
  for (const [count, latency] of [
    [6_000, 0],
    [payments, 100],
  ] as const) {
    const server = new Worker('export-server.ts', [fixture.pageFile, String(count), 'even', String(latency)]);
    const folder = mkdtempSync(join(tmpdir(), 'corridor-bench-'));
    try {
      const { port } = (await server.ready) as { readonly port: number };
      const url = `http://127.0.0.1:${port}`;
      const { items, ...result } = await run<
        Omit<SyncRow, 'payments' | 'open' | 'latency' | 'walk'> & { readonly items: number }
      >('programs/sync.ts', [url, fixture.privateKey, join(folder, 'corridor.sqlite')], [containerHeap]);
      if (items < count) throw new Error(`the mirror has ${items} of ${count} payments`);
      const walk = await run<{ readonly seconds: number }>(
        'programs/export.ts',
        [url, fixture.privateKey, '1000000', 'list'],
        ['--expose-gc'],
      );
      rows.push({ payments: count, open: count / openPer, latency, walk: walk.seconds, ...result });
    } finally {
      server.stop();
      rmSync(folder, { recursive: true });
    }
  }
  return rows;
}
