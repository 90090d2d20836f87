import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The result of a program. */
export interface Run {
  readonly code: number | null;
  /** Everything it printed. */
  readonly output: string;
}

const fromSource = new URL('../../scripts/from-source.ts', import.meta.url).href;
// Halves the start time of a process.
export const compiledCode = fileURLToPath(new URL('../../.cache/compiled/', import.meta.url));

/** Starts a program of this repository by the Node that runs the tests, with the package's names leading to src. */
export function startProgram(
  path: string,
  programArguments: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  // Variables that color the output or mark the process as a child of Node's test runner are left out.
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, FORCE_COLOR: _color, ...inherited } = process.env;
  return spawn(process.execPath, ['--import', fromSource, path, ...programArguments], {
    cwd: root,
    env: { ...inherited, NODE_COMPILE_CACHE: compiledCode, ...environment },
  });
}

/** Runs a program to its end. */
export function runProgram(...parameters: Parameters<typeof startProgram>): Promise<Run> {
  const child = startProgram(...parameters);
  return new Promise((resolve, reject) => {
    let output = '';
    const collect = (part: Buffer): void => void (output += part.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
