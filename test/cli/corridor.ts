import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { main } from '../../src/cli/main.ts';
import { terminalOf } from '../../src/cli/terminal.ts';
import { compiledCode } from '../examples/run-program.ts';

/** The result of a command. */
export interface Run {
  readonly code: number | null;
  /** The standard output. */
  readonly output: string;
  /** The standard error. */
  readonly notes: string;
}

/** How a command is run. */
export interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>;
  /** The working directory; defaults to the root of the repository. */
  readonly folder?: string;
  /** The standard input. */
  readonly input?: string;
  /** The width of the simulated terminal; by default the output is not a terminal. */
  readonly terminal?: number;
  /** The maximum size of the files that it writes, in units of 512 bytes: a full disk. */
  readonly maxFileSize?: number;
  /** A file that Node preloads. */
  readonly preload?: `./preload/${'failing-rename' | 'fixed-clock' | 'old-node' | 'slow-key'}.ts`;
}

const urlOf = (path: string): string => new URL(path, import.meta.url).href;
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The environment of a command: without the settings of the tests. */
function environmentWith(variables: Surroundings['environment']): Readonly<Record<string, string | undefined>> {
  const {
    NODE_OPTIONS: _options,
    FORCE_COLOR: _force,
    NO_COLOR: _noColor,
    CORRIDOR_BASE_URL: _url,
    CORRIDOR_API_KEY: _apiKey,
    CORRIDOR_PRIVATE_KEY: _key,
    CORRIDOR_WEBHOOK_SECRET: _webhookSecret,
    DATABASE_URL: _database,
    PSModulePath: _powerShell,
    ...inherited
  } = process.env;
  return { ...inherited, TERM: 'xterm', ...variables };
}

/** Starts `corridor` from source in a process. */
export function startCorridor(
  words: readonly string[],
  { environment, folder = root, terminal, maxFileSize, preload }: Surroundings = {},
): ChildProcessWithoutNullStreams {
  const preloads = [
    urlOf('../../scripts/from-source.ts'),
    ...(terminal === undefined ? [] : [urlOf('./preload/terminal.ts')]),
    ...(preload === undefined ? [] : [urlOf(preload)]),
  ];
  const node = [
    ...preloads.flatMap((url) => ['--import', url]),
    fileURLToPath(new URL('../../src/cli/index.ts', import.meta.url)),
  ];
  const env = {
    NODE_COMPILE_CACHE: compiledCode,
    ...(terminal !== undefined && { TEST_COLUMNS: String(terminal) }),
    ...environmentWith(environment),
  };
  const command = [process.execPath, ...node, ...words];
  const limited = ['sh', '-c', 'ulimit -f "$0"; exec "$@"', String(maxFileSize), ...command];
  const [program = '', ...args] = maxFileSize === undefined ? command : limited;
  return spawn(program, args, { cwd: folder, env });
}

let lastRun: Promise<unknown> = Promise.resolve();

/**
 * Runs `corridor` to its end: in this process, one command after another, unless it needs something that only its own
 * process has.
 */
export function corridor(words: readonly string[], surroundings: Surroundings = {}): Promise<Run> {
  const { environment = {}, input = '', maxFileSize, preload } = surroundings;
  // Node reads these variables when it starts, and the argument - reads the file descriptor.
  const isRead = Object.keys(environment).some((name) => name.startsWith('NODE_') || name === 'TMPDIR');
  if (isRead || words.includes('-') || maxFileSize !== undefined || preload !== undefined) {
    const child = startCorridor(words, surroundings);
    child.stdin.end(input);
    return ended(child);
  }
  const run = lastRun.then(() => runHere(words, surroundings));
  lastRun = run.catch(() => undefined);
  return run;
}

async function runHere(
  words: readonly string[],
  { environment, folder = root, input = '', terminal }: Surroundings,
): Promise<Run> {
  const stdin = Readable.from([input]);
  const [stdout, stderr] = [new Printed(terminal), new Printed(terminal)];
  const [env, previousFolder] = [process.env, process.cwd()];
  const signals = (['SIGINT', 'SIGTERM'] as const).map((signal) => [signal, process.listeners(signal)] as const);
  process.env = environmentWith(environment);
  process.chdir(folder);
  try {
    const code = await main(words, terminalOf({ stdin, stdout, stderr, env: process.env }));
    return { code, output: stdout.text, notes: stderr.text };
  } finally {
    process.env = env;
    process.chdir(previousFolder);
    for (const [signal, listeners] of signals)
      for (const listener of process.listeners(signal))
        if (!listeners.includes(listener)) process.off(signal, listener);
  }
}

/** An output stream that keeps its text. */
class Printed extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns: number | undefined) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.text += text;
    done();
  }
}

/** Waits for a started command and returns its result. */
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
export async function environmentOf(served: MockPlatformServer): Promise<Readonly<Record<string, string>>> {
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  return { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };
}

/** Parses each line of a text as JSON. */
export function jsonLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
