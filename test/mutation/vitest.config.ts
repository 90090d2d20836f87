import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const sources = JSON.parse(readFileSync(`${process.env['MUTATION_DIR'] ?? ''}/sources.json`, 'utf8')) as Readonly<
  Record<string, string>
>;

// A schema is built once per process, by the first test that uses it: mutants in it would never be active. So it is built
// once per mutant, and once per test while it is recorded which mutants a test reaches.
const schemas = here('../../src/contract/schema/schema.ts');
const active = '(globalThis.__stryker__?.activeMutant ?? globalThis.__stryker__?.currentTestId)';

function withMutants(code: string, id: string): { readonly code: string; readonly map: null } | undefined {
  if (id !== schemas) return sources[id] === undefined ? undefined : { code: sources[id], map: null };
  const [before, after, ...more] = (sources[id] ?? code).split('built ??= build()');
  if (before === undefined || after === undefined || more.length > 0) throw new Error('memoize() has changed');
  const rebuild = `built = build.builtFor === ${active} && built ? built : ((build.builtFor = ${active}), build())`;
  return { code: `${before}${rebuild}${after}`, map: null };
}

const config = mergeConfig(base, {
  plugins: [{ name: 'mutants', enforce: 'pre', transform: withMutants }],
  test: {
    maxWorkers: 1,
    maxConcurrency: 1,
    reporters: ['dot'],
    silent: true,
    dangerouslyIgnoreUnhandledErrors: true,
    // Many mutants leave a rejected promise.
    onUnhandledError: () => false,
  },
});
for (const project of config.test?.projects ?? []) {
  if (typeof project !== 'object' || !('test' in project) || project.test === undefined) continue;
  // A worker for each file would take longer than its tests. Those that do not pass twice are left out.
  project.test.isolate = false;
  project.test.runner = here('./runner.ts');
  project.test.setupFiles = [here('./fast-check.ts')];
  project.test.testTimeout = 10_000;
  // Its keys do not contain the mutants.
  project.test.fsModuleCache = false;
}
export default config;
