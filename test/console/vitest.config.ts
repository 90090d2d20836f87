import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.ts';

/** Runs the tests that need Chromium. */
export default defineConfig({
  ...(repository.resolve !== undefined && { resolve: repository.resolve }),
  test: {
    include: ['test/console/**/*.test.ts'],
    globalSetup: ['test/console/require-chromium.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One file after another: browsers need a whole core each.
    fileParallelism: false,
  },
});
