import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.ts';

/** Runs the snippets that are tests, in the folder where snippets.test.ts has put them. */
export default defineConfig({
  ...(repository.resolve !== undefined && { resolve: repository.resolve }),
  test: { include: ['**/*.test.ts'], isolate: false },
});
