import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.ts';

/** Runs the snippets that are tests, in the folder that snippets.test.ts wrote. */
export default defineConfig({
  ...(repository.resolve !== undefined && { resolve: repository.resolve }),
  test: { include: ['**/*.test.ts'], isolate: false },
});
