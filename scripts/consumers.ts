import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packed } from './package/packed.ts';

// .ci/with-postgres node scripts/consumers.ts [name …] [--built]
// Each folder of test/ecosystem/projects/, examples/backend, export-fleet and kms is a project like that of a partner.
// It is copied out of the repository, installed with its own lock file and the packed package, and its tests run.
// --built packs the existing dist. Projects that need PostgreSQL read its address from CORRIDOR_TEST_POSTGRES.
const consumers = fileURLToPath(new URL('../test/ecosystem/projects/', import.meta.url));
const examples = fileURLToPath(new URL('../examples/', import.meta.url));
const exampleProjects = ['backend', 'export-fleet', 'kms'];
const all = [
  ...exampleProjects,
  ...readdirSync(consumers, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
].toSorted();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { built: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`unknown project: ${unknown.join(', ')} (expected: ${all.join(', ')})`);
  process.exit(2);
}

const began = performance.now();
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1).padStart(5)} s`;
const scratch = mkdtempSync(`${tmpdir()}/corridor-consumers-`);
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

// This Node and the tools of the machine, without those of the repository: a project uses only its own dependencies.
const path = [
  dirname(process.execPath),
  ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules')),
].join(delimiter);
const quietly = ['--silent', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Runs a program and returns its output; rejects with the output if it fails. */
function run(folder: string, program: string, ...parameters: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    // Variables that npm sets for this repository must not reach a project.
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
    const child = spawn(program, parameters, {
      cwd: folder,
      env: { ...environment, PATH: path, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(printed) : reject(new Error(`${program} ${parameters.join(' ')}\n${printed}`)),
    );
  });
}

async function consume(name: string, tarball: string): Promise<boolean> {
  const start = performance.now();
  const folder = `${scratch}/${name}`;
  const source = `${exampleProjects.includes(name) ? examples : consumers}${name}`;
  cpSync(source, folder, {
    recursive: true,
    filter: (file) => !/[\\/](?:node_modules|out)(?:[\\/]|$)/.test(file.slice(source.length)),
  });
  const { description } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    readonly description: string;
  };
  let installed = start;
  try {
    if (existsSync(`${folder}/package-lock.json`)) await run(folder, 'npm', 'ci', ...quietly);
    await run(folder, 'npm', 'install', '--no-save', ...quietly, tarball);
    installed = performance.now();
    await run(folder, 'npm', 'test');
    console.log(
      `ok     ${seconds(start)}  ${name}: ${description} (installed in ${((installed - start) / 1000).toFixed(1)} s)`,
    );
    return true;
  } catch (error) {
    console.log(
      `FAILED ${seconds(start)}  ${name}: ${description}\n\n${error instanceof Error ? error.message : String(error)}\n`,
    );
    return false;
  }
}

const tarball = packed(scratch, values);
console.log(`ok     ${seconds(began)}  packed`);
const waiting = all.filter((name) => positionals.length === 0 || positionals.includes(name));
const failed: string[] = [];
const count = waiting.length;
await Promise.all(
  Array.from({ length: Math.min(count, availableParallelism()) }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      if (!(await consume(name, tarball))) failed.push(name);
  }),
);
console.log(
  failed.length === 0 ? `\nAll ${count} consumers passed in${seconds(began)}.` : `\nFailed: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
