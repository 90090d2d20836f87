import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What `npm run check` does, in order: the quick steps first, and those that read dist after the build. `npm run check lint docs`
 * does only those, `npm run check -- --without tests` all others.
 */
const steps: readonly (readonly [name: string, command: string])[] = [
  ['lock file', 'node scripts/lock-check.ts'],
  ['lint', 'npm run --silent lint'],
  ['types', 'tsc -p tsconfig.json'],
  ['types without Node', 'tsc -p tsconfig.core.json'],
  ['openapi', 'npm run --silent openapi'],
  ['unused code', 'knip --no-progress'],
  ['build', 'npm run --silent build -- --silent'],
  ['performance page', 'node bench/report.ts --check'],
  ['size', 'node scripts/size-check.ts'],
  ['API report', 'node scripts/api-report.ts'],
  ['package', 'npm run --silent check:package'],
  ['docs', 'npm run --silent docs'],
  ['tests with coverage', 'vitest run --coverage'],
];

const [first, ...rest] = process.argv.slice(2);
const without = first === '--without';
const words = without || first === undefined ? rest : [first, ...rest];
const names = (word: string, name: string): boolean => name.toLowerCase().startsWith(word.toLowerCase());
const unknown = words.filter((word) => !steps.some(([name]) => names(word, name)));
if (unknown.length > 0) {
  console.error(`no such step: ${unknown.join(', ')}; there are: ${steps.map(([name]) => name).join(', ')}`);
  process.exit(2);
}

const began = performance.now();
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1).padStart(5)} s`;
const chosen = steps.filter(([name]) => words.length === 0 || words.some((word) => names(word, name)) !== without);

for (const [name, command] of chosen) {
  const start = performance.now();
  const [program = '', ...parameters] = command.split(' ');
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env['PATH'] ?? ''}` },
  });
  const passed = status === 0;
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${seconds(start)}  ${name}`);
  if (!passed) {
    console.log(`\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\n${name} failed: ${command}`);
    process.exit(1);
  }
}
console.log(`\nAll ${chosen.length} checks passed in${seconds(began)}.`);
