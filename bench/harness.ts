import { execFile, fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The middle of several measurements, and how far they lie apart. */
export interface Figure {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = sorted.length / 2;
  const median = sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2;
  return { median, lowest: at(0), highest: at(sorted.length - 1) };
}

/** Ratios of measurements that were made side by side, round by round: a machine that slows down slows down both. */
export function ratio(values: readonly number[], to: readonly number[]): Figure {
  return figureOf(values.map((value, round) => value / (to[round] ?? Number.NaN)));
}

/** The versions of Node that starts, requests and pages are measured with, such as `22`. */
export const nodeVersions = ['22', '24', '26'] as const;

let program = process.execPath;

/** Runs what `act` starts in a version of Node of the runtimes that the suite is tested with. */
export async function onNode<T>(version: (typeof nodeVersions)[number], act: () => Promise<T>): Promise<T> {
  program = pathOf(`../test/ecosystem/runtimes/node_modules/node${version}/bin/node`);
  if (!existsSync(program)) throw new Error(`${program} is missing. Run npm ci --prefix test/ecosystem/runtimes`);
  try {
    return await act();
  } finally {
    program = process.execPath;
  }
}

const pathOf = (file: string): string => (isAbsolute(file) ? file : fileURLToPath(new URL(file, import.meta.url)));

/** The heap that Node takes in a container with 512 MB. On a large machine, V8 collects garbage later. */
export const containerHeap = '--max-heap-size=268';

/** A process that runs one task at a time. */
export class Worker {
  readonly #child: ChildProcess;
  readonly ready: Promise<unknown>;

  constructor(file: string, parameters: readonly string[] = [], flags: readonly string[] = process.execArgv) {
    this.#child = fork(pathOf(file), parameters, { execPath: program, execArgv: [...flags] });
    this.ready = this.#next();
  }

  /** Sends a message and waits for the response. */
  async ask<T>(message: object): Promise<T> {
    await this.ready;
    const response = this.#next();
    this.#child.send(message);
    return (await response) as T;
  }

  stop(): void {
    this.#child.kill();
  }

  #next(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const exit = (code: number | null): void => reject(new Error(`a process of the bench ended by ${code}`));
      this.#child.once('exit', exit);
      this.#child.once('message', (message) => {
        this.#child.off('exit', exit);
        resolve(message);
      });
    });
  }
}

/** Runs a program in a new process and returns the JSON that it prints. */
export function run<T>(file: string, parameters: readonly string[] = [], flags: readonly string[] = []): Promise<T> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...flags, pathOf(file), ...parameters],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error !== null) reject(new Error(`${file}: ${stderr}`, { cause: error }));
        else resolve(JSON.parse(stdout) as T);
      },
    );
  });
}

/** Does something for each, in an order that turns from round to round, one at a time. */
export async function inTurns<T>(
  rounds: number,
  names: readonly T[],
  act: (name: T, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const start = round % names.length;
    for (const name of [...names.slice(start), ...names.slice(0, start)]) await act(name, round);
  }
}
