import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

// These start programs, which contain no mutants; take longer than their mutants are worth; or measure time.
const withoutMutants = [
  'test/journal/killed.test.ts',
  'test/reliability/hundred-payments.test.ts',
  'test/security/patterns.test.ts',
];

const config = mergeConfig(base, {
  test: { include: [], typecheck: { enabled: false }, coverage: { enabled: false } },
});
for (const project of config.test?.projects ?? [])
  if (typeof project === 'object' && 'test' in project) project.test?.exclude?.push(...withoutMutants);
export default config;
