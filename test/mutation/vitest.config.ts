import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

// The tests of the mock, without type tests.
export default mergeConfig(base, {
  test: { include: [], typecheck: { enabled: false }, coverage: { enabled: false } },
});
