import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const sources = JSON.parse(readFileSync(`${process.env['MUTATION_DIR'] ?? ''}/sources.json`, 'utf8')) as Readonly<
  Record<string, string>
>;

const config = mergeConfig(base, {
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform: (_code: string, id: string) =>
        sources[id] === undefined ? undefined : { code: sources[id], map: null },
    },
  ],
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
