import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServedMockPlatform } from 'corridor-sdk/mock/node';
import { compiledCode } from '../examples/program.js';

/** What came of a command. */
export interface Run {
  readonly code: number | null;
  /** What it printed to standard output. */
  readonly output: string;
  /** What it printed to standard error. */
  readonly notes: string;
}

/** How a command is run. */
export interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it is run; the root of the repository where nothing is said. */
  readonly folder?: string;
  /** What stands on its standard input. */
  readonly input?: string;
  /** The width of the terminal that it believes to print to; none where nothing is said. */
  readonly terminal?: number;
  /** What Node loads before it: a file beside this one. */
  readonly preload?: './slow-key.ts';
}

const urlOf = (path: string): string => new URL(path, import.meta.url).href;
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Starts `corridor` from source, as a process of its own, with none of the tests' own settings. */
export function startCorridor(words: readonly string[], { environment = {}, folder = root, terminal, preload }: Surroundings = {}): ChildProcessWithoutNullStreams {
  const { NODE_OPTIONS: _options, FORCE_COLOR: _force, NO_COLOR: _refuse, CORRIDOR_BASE_URL: _url, CORRIDOR_API_KEY: _apiKey, CORRIDOR_PRIVATE_KEY: _key, ...inherited } = process.env;
  const preloads = [urlOf('../examples/from-source.ts'), ...(terminal === undefined ? [] : [urlOf('./terminal.ts')]), ...(preload === undefined ? [] : [urlOf(preload)])];
  const node = [...preloads.flatMap((url) => ['--import', url]), fileURLToPath(new URL('../../src/cli/index.ts', import.meta.url))];
  const env = { ...inherited, TERM: 'xterm', NODE_COMPILE_CACHE: compiledCode, ...(terminal !== undefined && { TEST_COLUMNS: String(terminal) }), ...environment };
  return spawn(process.execPath, [...node, ...words], { cwd: folder, env });
}

/** Runs `corridor` to its end. */
export function corridor(words: readonly string[], surroundings: Surroundings = {}): Promise<Run> {
  const child = startCorridor(words, surroundings);
  child.stdin.end(surroundings.input ?? '');
  return ended(child);
}

/** What came of a command that was started. */
export function ended(child: ChildProcessWithoutNullStreams): Promise<Run> {
  return new Promise((resolve, reject) => {
    let [output, notes] = ['', ''];
    child.stdout.on('data', (part: Buffer) => void (output += part.toString()));
    child.stderr.on('data', (part: Buffer) => void (notes += part.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, notes }));
  });
}

/** The environment that leads to a served mock. */
export async function environmentOf(served: ServedMockPlatform): Promise<Readonly<Record<string, string>>> {
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  return { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
}

/** Parses each line of a text as JSON. */
export function jsonLines(text: string): unknown[] {
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);
}
