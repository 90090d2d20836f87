import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corridor } from 'corridor-sdk';
import { onTestFinished } from 'vitest';
import { ended, startCorridor, type Run, type Surroundings } from '../corridor.ts';

/** The line of JSON that a mock prints when it is ready. */
export interface Announced {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyFile: string | null;
  readonly controlToken?: string;
  readonly seed: string;
  readonly processId: number;
}

/** A running mock. */
export interface Started {
  /** Its first output. */
  readonly first: string;
  /** Resolves when its whole output matches. */
  printed(pattern: RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<Run>;
}

/** Starts a mock and waits until it prints its address. */
export async function start(...words: readonly string[]): Promise<Started> {
  return startWith({}, ...words);
}

/** Starts a mock with environment variables. */
export async function startWith(environment: Record<string, string>, ...words: readonly string[]): Promise<Started> {
  return startIn({ environment }, ...words);
}

/** Starts a mock in surroundings. */
export async function startIn(surroundings: Surroundings, ...words: readonly string[]): Promise<Started> {
  const child = startCorridor(['mock', '--port', '0', ...words], surroundings);
  let output = '';
  child.stdout.on('data', (part: Buffer) => void (output += part.toString()));
  const run = ended(child);
  onTestFinished(async () => {
    child.kill();
    await run;
  });
  const [first] = (await Promise.race([
    once(child.stdout, 'data'),
    run.then(({ notes }) => Promise.reject(new Error(notes))),
  ])) as [Buffer];
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Run> => {
    child.kill(signal);
    return run;
  };
  const printed = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(output))
      await Promise.race([once(child.stdout, 'data'), run.then(() => Promise.reject(new Error(output)))]);
  };
  return { first: first.toString(), printed, stop };
}

export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-mock-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Parses the first line of a mock that was started with `--json`. */
export const announcedBy = ({ first }: Started): Announced => JSON.parse(first) as Announced;
/** Returns a client with the announced credentials. */
export const clientOf = async ({ baseUrl, apiKey, keyFile }: Announced): Promise<Corridor> =>
  new Corridor({ baseUrl, apiKey, privateKey: await readFile(keyFile ?? '', 'utf8'), maxRetries: 0 });
