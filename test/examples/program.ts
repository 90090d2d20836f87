import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What came of a program. */
export interface Run {
  readonly code: number | null;
  /** Everything it printed. */
  readonly output: string;
}

const fromSource = new URL('./from-source.ts', import.meta.url).href;
// Halves the time that a process takes to start.
export const compiledCode = fileURLToPath(new URL('../../.cache/compiled/', import.meta.url));

/** Runs a program of this repository by the Node that runs the tests, with the package's names leading to src. */
export function runProgram(path: string, programArguments: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Promise<Run> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  // Of the tests' own environment, what would colour the output or tell Node's test runner that it is a child is left out.
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, FORCE_COLOR: _color, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--import', fromSource, path, ...programArguments], { cwd: root, env: { ...inherited, NODE_COMPILE_CACHE: compiledCode, ...environment } });
  return new Promise((resolve, reject) => {
    let output = '';
    const collect = (part: Buffer): void => void (output += part.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
