import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

// TypeScript 7 checks in 7 seconds what takes TypeScript 6 a minute. Only 6 has the API for declarations and docs.
const tsc = 'node node_modules/typescript-7/bin/tsc';

interface Step {
  readonly name: string;
  readonly command: string;
  /** The steps that must end first. Those that do not run are ignored. */
  readonly after?: readonly string[];
  /** Whether it uses every core, so that it runs after all steps without this mark, and alone. */
  readonly alone?: boolean;
  /** Whether it needs Chromium, PostgreSQL or other runtimes, so that only `.ci/run` runs it. */
  readonly ci?: boolean;
}

/**
 * The steps of `npm run check`, and with `--ci` those of `.ci/run`. As many run at a time as there are cores; steps that
 * others wait for come first. `npm run check lint docs` runs only these steps, `npm run check -- --without tests` all
 * others.
 */
const steps: readonly Step[] = [
  { name: 'build', command: 'npm run --silent build -- --silent' },
  { name: 'docs', command: 'npm run --silent docs' },
  { name: 'lock file', command: 'node scripts/lock-check.ts' },
  { name: 'lint', command: 'npm run --silent lint' },
  // These are also the tests of types, test/**/*.test-d.ts.
  { name: 'types', command: `${tsc} -p tsconfig.json` },
  { name: 'types without Node', command: `${tsc} -p src/tsconfig.core.json` },
  { name: 'no any', command: 'node scripts/any-check.ts' },
  { name: 'openapi', command: 'node --import ./scripts/from-source.ts scripts/openapi.ts' },
  { name: 'unused code', command: 'knip --no-progress' },
  { name: 'benchmarks page', command: 'node bench/report.ts --check' },
  {
    name: 'types of bench',
    command: `npm --prefix bench ci --silent && ${tsc} -p bench/tsconfig.json`,
    after: ['build'],
  },
  { name: 'API report', command: 'node scripts/api-report.ts', after: ['build'] },
  { name: 'size', command: 'node scripts/package/size-check.ts', after: ['build'] },
  {
    name: 'package',
    command: 'node scripts/package/check.ts && publint --strict && attw --pack . --profile node16',
    after: ['build'],
  },
  { name: 'demo', command: 'node examples/demo.ts', after: ['build'] },
  { name: 'site in Chromium', command: '.ci/with-chromium node scripts/site/check.ts', after: ['docs'], ci: true },
  { name: 'console', command: '.ci/with-chromium vitest run --config test/console/vitest.config.ts', ci: true },
  {
    name: 'runtimes',
    command: '.ci/with-chromium node scripts/runtimes.ts --built',
    after: ['build'],
    ci: true,
  },
  { name: 'consumers', command: '.ci/with-postgres node scripts/consumers.ts --built', after: ['build'], ci: true },
  { name: 'PostgreSQL', command: '.ci/with-postgres npm run --silent test:postgres', ci: true },
  { name: 'simulation', command: 'npm run --silent simulate -- --fresh 2', ci: true },
  {
    name: 'interop',
    command: 'npm --prefix test/ecosystem/openapi ci --silent && npm --prefix test/ecosystem/openapi test',
  },
  { name: 'reproducible', command: 'node scripts/package/reproducible.ts --built', after: ['build'] },
  { name: 'tests', command: 'npm test -- --coverage', alone: true },
];

const args = process.argv.slice(2);
const isCi = args.includes('--ci');
const without = args.includes('--without');
const words = args.filter((arg) => !arg.startsWith('--'));
const names = (word: string, name: string): boolean => name.toLowerCase().startsWith(word.toLowerCase());
const unknown = words.filter((word) => !steps.some(({ name }) => names(word, name)));
if (unknown.length > 0) {
  console.error(`unknown step: ${unknown.join(', ')} (expected: ${steps.map(({ name }) => name).join(', ')})`);
  process.exit(2);
}
const isNamed = ({ name }: Step): boolean => words.some((word) => names(word, name));
const isWanted = (step: Step): boolean =>
  words.length > 0 && !without ? isNamed(step) : (isCi || step.ci !== true) && !isNamed(step);

const began = performance.now();
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1).padStart(5)} s`;
const waiting = steps.filter(isWanted);
const count = waiting.length;
const running = new Map<Step, ChildProcess>();

/** Starts the steps that are ready. */
function proceed(): void {
  const isReady = ({ name, after = [], alone = false }: Step): boolean => {
    const busy = [...waiting, ...running.keys()].filter((other) => other.name !== name);
    return alone
      ? running.size === 0 && busy.every((other) => other.alone === true)
      : busy.every((other) => !after.some((word) => names(word, other.name)));
  };
  while (running.size < availableParallelism()) {
    const index = waiting.findIndex(isReady);
    if (index === -1) break;
    for (const step of waiting.splice(index, 1)) start(step);
  }
  if (running.size === 0 && waiting.length === 0)
    console.log(`\nAll ${count} checks passed in ${seconds(began).trim()}.`);
}

function start(step: Step): void {
  const since = performance.now();
  const child = spawn(step.command, {
    cwd: root,
    // A group of its own, with the programs that the shell starts.
    shell: true,
    detached: true,
    env: { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.set(step, child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.on('error', (error) => (printed += error.message));
  child.on('close', (code) => {
    running.delete(step);
    if (isCi && code === 0 && printed !== '') console.log(`\n${printed.trimEnd()}`);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${seconds(since)}  ${step.name}`);
    if (code === 0) return proceed();
    console.log(`\n${printed}\n${step.name} failed: ${step.command}`);
    for (const { pid } of running.values()) if (pid !== undefined) process.kill(-pid);
    process.exit(1);
  });
}

proceed();
