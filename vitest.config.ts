import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

// These change what all modules share, count what is loaded, or start programs: each file has a worker of its own.
const apart = ['cli', 'docs', 'examples', 'reliability', 'security'].map((folder) => `test/${folder}/**/*.test.ts`);
// They need a server: npm run test:postgres.
const postgres = 'test/postgres/**';

// The flag itself does not reach projects.
const withTypes = !process.argv.includes('--typecheck.enabled=false');

export default defineConfig({
  resolve: {
    alias: [
      { find: /^corridor-sdk$/, replacement: source('index.ts') },
      { find: /^corridor-sdk\/journal\/postgres$/, replacement: source('journal/postgres.ts') },
      { find: /^corridor-sdk\/journal\/sqlite$/, replacement: source('journal/sqlite.ts') },
      { find: /^corridor-sdk\/mock$/, replacement: source('mock/index.ts') },
      { find: /^corridor-sdk\/mock\/msw$/, replacement: source('mock/msw.ts') },
      { find: /^corridor-sdk\/mock\/node$/, replacement: source('mock/node.ts') },
      { find: /^corridor-sdk\/mock\/vitest$/, replacement: source('mock/vitest.ts') },
    ],
  },
  test: {
    projects: [
      // Modules are loaded once for each worker and not once for each file, which halves the time.
      { extends: true, test: { name: 'together', isolate: false, include: ['test/**/*.test.ts'], exclude: [...apart, postgres], typecheck: { enabled: false } } },
      { extends: true, test: { name: 'apart', include: apart, exclude: [postgres], typecheck: { enabled: withTypes, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' } } },
    ],
    // One more than there are processors: many tests wait, for sockets, time limits and programs that they start.
    maxWorkers: availableParallelism() + 1,
    // Some tests start programs of their own, and machines may be busy.
    testTimeout: 30_000,
    // Real sockets, real processes: in the gate, what fails must fail twice.
    retry: process.env['CI'] === undefined ? 0 : 1,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The command is tested as processes of its own.
      exclude: ['src/cli/**'],
      reporter: ['text-summary'],
      thresholds: { lines: 95, branches: 90 },
    },
  },
});
