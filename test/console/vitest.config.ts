import { defineConfig } from 'vitest/config';
import repository, { reporters } from '../../vitest.config.ts';

/** Runs the tests that need Chromium. */
export default defineConfig({
  ...(repository.resolve !== undefined && { resolve: repository.resolve }),
  test: {
    reporters,
    include: ['test/console/**/*.test.ts'],
    globalSetup: ['test/console/require-chromium.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // One file after another: browsers need a whole core each.
    fileParallelism: false,
  },
});
