import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { packed } from './packed.ts';

// node scripts/package/reproducible.ts [--built]
// Builds and packs the sources again, in a folder with another name and depth. The packages must be equal byte for
// byte.
const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(`${tmpdir()}/corridor-twice-`);
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const elsewhere = `${scratch}/some/where/else`;
mkdirSync(elsewhere, { recursive: true });
const tracked = execFileSync(
  'git',
  [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
    'src',
    'scripts',
    'docs',
    'examples',
    'bench',
    '.github',
    '*.json',
    '*.ts',
    '*.md',
    'LICENSE',
    '.npmrc',
  ],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => path !== '');
for (const path of tracked) cpSync(`${root}${path}`, `${elsewhere}/${path}`, { recursive: true });
symlinkSync(`${root}node_modules`, `${elsewhere}/node_modules`);
execFileSync('npm', ['run', '--silent', 'build', '--', '--silent'], {
  cwd: elsewhere,
  stdio: ['ignore', 'ignore', 'inherit'],
});

function files(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
  return new Map(paths.toSorted().map((path) => [path.slice(folder.length), digest(path)]));
}

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

for (const name of ['here', 'there']) mkdirSync(`${scratch}/${name}`);
const here = packed(`${scratch}/here`, { built: process.argv.includes('--built') });
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', `${scratch}/there`], {
  cwd: elsewhere,
  stdio: 'ignore',
});
const there = here.replace('/here/', '/there/');
const [one, other] = [files(`${root}dist`), files(`${elsewhere}/dist`)];
const differing = [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
for (const path of differing) console.error(`dist${path} differs between two builds`);
if (digest(here) !== digest(there)) {
  console.error('two builds of the same sources produce different packages');
  process.exit(1);
}
console.log(`two builds produce the same package: ${digest(here)}`);
