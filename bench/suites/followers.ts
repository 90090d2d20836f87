import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fixture } from '../fixture.ts';
import { figureOf, run, Worker, type Figure } from '../harness.ts';
import type { FollowerReport } from '../programs/follower.ts';

/** Two processes that follow one mirror, the first of which is killed in the end. */
export interface FollowerRow {
  readonly database: 'SQLite' | 'PostgreSQL';
  /** Between the processes and the database, in milliseconds. */
  readonly latency: number;
  readonly payments: number;
  /** The payments in progress. */
  readonly open: number;
  /** The time of the first fill, in seconds, by one process without latency. */
  readonly filled: number;
  /** The time of a poll without changes, in seconds, and its requests. */
  readonly poll: Figure;
  readonly requests: Figure;
  /** The polls of each process while both follow. */
  readonly polls: readonly [first: number, second: number];
  /** How long after the first one was killed during a poll the second one has finished the next poll, in seconds. */
  readonly takeover: number;
  /** The longest time for which an event loop was blocked, in milliseconds. */
  readonly blocked: number;
  /** The largest memory of a process that follows, in bytes. */
  readonly memory: number;
}

const openPer = 100;

/** Measures a SQLite file and, if `CORRIDOR_TEST_POSTGRES` is the URL of a PostgreSQL, that database at a distance. */
export async function followers(fixture: Fixture, payments: number, seconds: number): Promise<FollowerRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-bench-'));
  const server = new Worker('export-server.ts', [fixture.pageFile, String(payments), 'even', '0']);
  const postgres = process.env['CORRIDOR_TEST_POSTGRES'];
  const proxy = postgres === undefined ? undefined : await startProxy(new URL(postgres), distance / 2);
  try {
    const { port } = (await server.ready) as { readonly port: number };
    const measure = { url: `http://127.0.0.1:${port}`, key: fixture.privateKey, payments, seconds };
    const file = join(folder, 'corridor.sqlite');
    const rows = [await follow({ ...measure, database: 'SQLite', latency: 0, filling: file, place: file })];
    if (postgres !== undefined && proxy !== undefined)
      rows.push(
        await follow({ ...measure, database: 'PostgreSQL', latency: distance, filling: postgres, place: proxy.url }),
      );
    return rows;
  } finally {
    server.stop();
    proxy?.close();
    rmSync(folder, { recursive: true });
  }
}

const distance = 100;

interface Measure extends Pick<FollowerRow, 'database' | 'latency' | 'payments'> {
  readonly url: string;
  readonly key: string;
  readonly filling: string;
  readonly place: string;
  readonly seconds: number;
}

async function follow({ url, key, filling, place, seconds, ...row }: Measure): Promise<FollowerRow> {
  const { items, ...fill } = await run<{ readonly seconds: number; readonly items: number }>('programs/follower.ts', [
    url,
    key,
    filling,
    'fill',
  ]);
  if (items < row.payments) throw new Error(`the mirror has ${items} of ${row.payments} payments`);
  const start = (): Worker => new Worker('programs/follower.ts', [url, key, place, 'follow']);
  const [first, second] = [start(), start()];
  try {
    const reportOf = (worker: Worker): Promise<FollowerReport> => worker.ask<FollowerReport>({});
    await delay(seconds * 1_000);
    const reports = await Promise.all([first, second].map(reportOf));
    // The first poll of a process reads the customers, too.
    const polls = reports.flatMap((report) => report.polls.slice(1));
    while (!(await reportOf(first)).isWorking) await delay(20);
    first.stop();
    const killed = performance.now();
    const { length } = (await reportOf(second)).polls;
    while ((await reportOf(second)).polls.length === length) await delay(20);
    return {
      ...row,
      open: row.payments / openPer,
      filled: fill.seconds,
      poll: figureOf(polls.map((poll) => poll.seconds)),
      requests: figureOf(polls.map((poll) => poll.requests)),
      polls: [reports[0]?.polls.length ?? 0, reports[1]?.polls.length ?? 0],
      takeover: (performance.now() - killed) / 1_000,
      blocked: Math.max(...reports.map(({ blocked }) => blocked)),
      memory: Math.max(...reports.map(({ memory }) => memory)),
    };
  } finally {
    first.stop();
    second.stop();
  }
}

/** Starts a proxy of a database that delays each message by a time in milliseconds. */
async function startProxy(target: URL, milliseconds: number): Promise<{ readonly url: string; close(): void }> {
  const forward = (from: Socket, to: Socket): void => {
    from.on('data', (data) => void setTimeout(() => to.write(data), milliseconds));
    from.on('close', () => void setTimeout(() => to.destroy(), milliseconds));
    from.on('error', () => to.destroy());
  };
  const proxy = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    forward(socket, upstream);
    forward(upstream, socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((proxy.address() as AddressInfo).port);
  return { url: url.href, close: () => void proxy.close() };
}
