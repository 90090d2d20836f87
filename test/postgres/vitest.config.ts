import { defineConfig } from 'vitest/config';
import repository, { reporters } from '../../vitest.config.ts';

/** Runs the tests that need a PostgreSQL server. */
export default defineConfig({
  ...(repository.resolve !== undefined && { resolve: repository.resolve }),
  test: {
    include: ['test/postgres/**/*.test.ts'],
    reporters,
    testTimeout: 240_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
