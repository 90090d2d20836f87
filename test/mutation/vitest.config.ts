import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const sources = JSON.parse(readFileSync(`${process.env['MUTATION_DIR'] ?? ''}/sources.json`, 'utf8')) as Readonly<
  Record<string, string>
>;

// A schema, its predicate and the names of sensitive fields are built once per process, by the first test that uses them:
// mutants in them would never be active, or stay active. So they are built once per mutant, and once per test while it is
// recorded which mutants a test reaches.
const active = '(globalThis.__stryker__?.activeMutant ?? globalThis.__stryker__?.currentTestId)';
const rebuilt = (value: string, build: string): string =>
  `${value} = ${build}.builtFor === ${active} && ${value} ? ${value} : ((${build}.builtFor = ${active}), ${build}())`;
const renewed = `(builtFor === ${active} || ((builtFor = ${active}), (predicates = new WeakMap())), predicates)`;
const caches: Readonly<Record<string, readonly (readonly [cached: string, rebuilt: string])[]>> = {
  [here('../../src/contract/schema/schema.ts')]: [['built ??= build()', rebuilt('built', 'build')]],
  [here('../../src/contract/redact.ts')]: [
    ['cachedNames ??= collectSensitiveNames()', rebuilt('cachedNames', 'collectSensitiveNames')],
  ],
  [here('../../src/contract/predicate.ts')]: [
    ['const predicates = new WeakMap', 'let builtFor; let predicates = new WeakMap'],
    ['predicates.get(', `${renewed}.get(`],
  ],
};

function withMutants(code: string, id: string): { readonly code: string; readonly map: null } | undefined {
  const [source = code, replacements = []] = [sources[id], caches[id]];
  if (source === code && replacements.length === 0) return undefined;
  const mutated = replacements.reduce((text, [cached, fresh]) => {
    if (text.split(cached).length !== 2) throw new Error(`${id} has not one ${cached}`);
    return text.replace(cached, () => fresh);
  }, source);
  return { code: mutated, map: null };
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
