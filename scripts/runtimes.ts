import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { packed } from './package/packed.ts';

// node scripts/runtimes.ts [name …] [--built]
// Installs the runtimes with their own lock file and the packed package, and runs the suite in each. --built packs the
// existing dist.
const folder = fileURLToPath(new URL('../test/ecosystem/runtimes/', import.meta.url));
const args = process.argv.slice(2);
const scratch = mkdtempSync(`${tmpdir()}/corridor-runtimes-`);
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

function run(program: string, ...parameters: readonly string[]): void {
  const { status, error } = spawnSync(program, parameters, { cwd: folder, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const changedAt = (path: string): number => (existsSync(path) ? statSync(path).mtimeMs : 0);
const quietly = ['--silent', '--prefer-offline', '--no-audit', '--no-fund'];
const tarball = packed(scratch, { built: args.includes('--built') });
if (changedAt(`${folder}node_modules/.package-lock.json`) < changedAt(`${folder}package-lock.json`))
  run('npm', 'ci', ...quietly);
run('npm', 'install', '--no-save', '--ignore-scripts', ...quietly, tarball);
run(process.execPath, 'run.js', ...args.filter((word) => word !== '--built'));
