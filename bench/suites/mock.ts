import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { figureOf, run, type Figure } from '../harness.ts';

/** Requests per second over an adapter of the mock. */
export interface AdapterRow {
  readonly name: string;
  readonly perSecond: Figure;
}

export async function mockAdapters(rounds: number, milliseconds: number): Promise<AdapterRow[]> {
  const samples = await run<Readonly<Record<string, readonly number[]>>>('programs/mock.ts', [
    String(rounds),
    String(milliseconds),
  ]);
  return Object.entries(samples).map(([name, rates]) => ({ name, perSecond: figureOf(rates) }));
}

/** A mock with many payments of one beneficiary. */
export interface MockRecordsRow {
  readonly where: 'in-process' | 'served';
  readonly payments: number;
  /** The processor time of adding them, in seconds. */
  readonly seconds: number;
  /** In bytes: what they take of the heap; of a served mock, all of its process. */
  readonly memory: number;
  /** The time of a page of 100, in milliseconds. */
  readonly page: number;
}

/** A mock with many payments, and the time of 1,000 tests with a platform each, in seconds. */
export interface MockScale {
  readonly records: readonly MockRecordsRow[];
  readonly tests: Figure;
}

export async function mockScale(payments: number, rounds: number): Promise<MockScale> {
  const records: MockRecordsRow[] = [];
  for (const where of ['in-process', 'served'] as const) {
    const parameters = [String(payments), where];
    const result = await run<Omit<MockRecordsRow, 'where' | 'payments'>>('programs/mock-records.ts', parameters, [
      '--expose-gc',
    ]);
    records.push({ where, payments, ...result });
  }
  const seconds: number[] = [];
  // In two workers of Vitest, from the start of its process to the end. The first round fills its caches.
  for (let round = 0; round <= rounds; round += 1) {
    const began = performance.now();
    await promisify(execFile)(process.execPath, [vitest, 'run', '--root', tests, '--maxWorkers', '2']);
    if (round > 0) seconds.push((performance.now() - began) / 1000);
  }
  return { records, tests: figureOf(seconds) };
}

const [vitest, tests] = ['../../node_modules/vitest/vitest.mjs', '../mock-suite'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
) as [string, string];
