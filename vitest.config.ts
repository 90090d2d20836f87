import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule } from 'vitest/node';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

// These replace modules, change the working directory, or measure the heap: each file runs in its own worker.
const isolated = ['docs/snippets', 'reliability/leaks'].map((file) => `test/${file}.test.ts`);
// These need a server (npm run test:postgres), a browser (test/console) or their own dependencies.
const elsewhere = ['test/postgres/**', 'test/console/**', 'test/ecosystem/**'];

/** Fails a run in which a test is skipped or expected to fail, in whatever way. Names given with -t select tests. */
const noSkippedTests: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap(({ project, children }) =>
      project.config.testNamePattern === undefined ? [...children.allTests()] : [],
    );
    const skipped = tests.filter((test) => test.result().state === 'skipped' || test.options.fails === true);
    for (const { module, fullName } of skipped)
      process.stderr.write(`skipped: ${module.relativeModuleId} > ${fullName}\n`);
    if (skipped.length > 0) process.exitCode = 1;
  },
};

export const reporters = ['default', noSkippedTests];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^corridor-sdk$/, replacement: source('index.ts') },
      { find: /^corridor-sdk\/journal\/postgres$/, replacement: source('journal/postgres.ts') },
      { find: /^corridor-sdk\/journal\/sqlite$/, replacement: source('journal/sqlite.ts') },
      { find: /^corridor-sdk\/journal\/testing$/, replacement: source('journal/testing.ts') },
      { find: /^corridor-sdk\/mirror\/postgres$/, replacement: source('mirror/postgres.ts') },
      { find: /^corridor-sdk\/mirror\/sqlite$/, replacement: source('mirror/sqlite.ts') },
      { find: /^corridor-sdk\/mock$/, replacement: source('mock/index.ts') },
      { find: /^corridor-sdk\/mock\/msw$/, replacement: source('mock/msw.ts') },
      { find: /^corridor-sdk\/mock\/node$/, replacement: source('mock/node.ts') },
      { find: /^corridor-sdk\/mock\/vitest$/, replacement: source('mock/vitest.ts') },
      { find: /^corridor-sdk\/opentelemetry$/, replacement: source('opentelemetry/index.ts') },
      { find: /^corridor-sdk\/schemas$/, replacement: source('schemas/index.ts') },
    ],
  },
  test: {
    projects: [
      // Modules are loaded once per worker instead of once per file, which halves the time.
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...isolated, ...elsewhere],
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: isolated,
          exclude: elsewhere,
        },
      },
    ],
    reporters,
    // Two more than there are processors: many tests wait for sockets, timeouts and programs.
    maxWorkers: availableParallelism() + 2,
    // These only end a test that hangs: tests that start programs are slow on a busy machine.
    testTimeout: process.env['CORRIDOR_SOAK'] === '1' ? 3_600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The console is tested in a browser (test/console).
      exclude: ['src/console/**'],
      reporter: ['text-summary'],
      thresholds: {
        'src/{*.ts,!(cli)/**}': { lines: 98, branches: 94 },
        // What only a process of its own shows, such as signals and proxies, is not measured.
        'src/cli/**': { lines: 90, branches: 80 },
      },
    },
  },
});
