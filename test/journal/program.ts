import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../examples/run-program.ts';

/** A child process of the tests. */
export interface Program {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves when it has printed the text. */
  printed(text: string): Promise<void>;
  /** Resolves to its output when it ends; rejects if it fails. */
  readonly ended: Promise<string>;
}

/** Starts one of the programs of a folder, with the package's names leading to src. */
export function start(
  name: string,
  programArguments: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder = new URL('programs/', import.meta.url),
): Program {
  const child = startProgram(fileURLToPath(new URL(`${name}.ts`, folder)), programArguments, environment);
  let output = '';
  const listeners = new Set<() => void>();
  const collect = (part: Buffer): void => {
    output += part.toString();
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code === 0 ? resolve(output) : reject(new Error(`${name} ended with ${code ?? signal}:\n${output}`)),
    );
  });
  ended.catch(() => {});
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => (output.includes(text) ? resolve() : undefined);
      listeners.add(look);
      look();
      ended.then(look, reject).then(() => reject(new Error(`${name} did not print ${text}:\n${output}`)), reject);
    });
  return { process: child, printed, ended };
}
