import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';

// The tests of the mock, and none of its types.
export default mergeConfig(base, { test: { include: [], typecheck: { enabled: false }, coverage: { enabled: false } } });
