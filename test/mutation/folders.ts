/**
 * The folders whose mutants are counted, and the tests that detect them. A folder stands for its own files: the folders
 * in it have their own lines, and run with it. Tests that start programs are left out, because a program has no mutants.
 */
export const folders: Readonly<Record<string, readonly string[]>> = {
  'src/contract': [
    'test/contract',
    'test/client',
    'test/security',
    'test/observability',
    'test/mock/behavior',
    'test/mock/faults',
    'test/mock/matchers',
  ],
  'src/contract/schema': ['test/contract', 'test/client', 'test/resources', 'test/workflows/wait', 'test/mock/records'],
  'src/database': ['test/database', 'test/journal', 'test/mirror'],
  'src/journal': ['test/journal'],
  'src/mirror': ['test/mirror'],
  'src/mock/request': ['test/mock/http', 'test/mock/behavior', 'test/mock/adapters', 'test/mock/faults'],
  'src/mock/request/handlers': [
    'test/mock/handlers',
    'test/mock/behavior',
    'test/mock/payment-rules.test.ts',
    'test/resources',
  ],
  'src/mock/state': [
    'test/mock/store',
    'test/mock/scenario',
    'test/mock/platform',
    'test/mock/records',
    'test/mock/behavior',
    'test/mock/handlers',
    'test/mock/control',
    'test/mock/faults',
  ],
  'src/transport': [
    'test/contract/conformance.test.ts',
    'test/client',
    'test/reliability',
    'test/observability',
    'test/security/secrets',
    'test/security/exact-bodies.test.ts',
    'test/security/pollution.test.ts',
    'test/workflows/find.test.ts',
    'test/workflows/wait',
  ],
  'src/transport/auth': [
    'test/security/signing',
    'test/security/secrets',
    'test/client/options',
    'test/client/requests',
  ],
  'src/workflows/changes': [
    'test/workflows/changes',
    'test/workflows/find.test.ts',
    'test/workflows/wait/payment.test.ts',
  ],
  'src/workflows/create-once': ['test/workflows/create-once', 'test/journal'],
  'src/workflows/export': ['test/workflows/export'],
};

/** Tests that start programs, load the modules again, take long, or measure time. */
export const withoutMutants: readonly string[] = [
  'test/client/two-copies.test.ts',
  'test/journal/killed.test.ts',
  'test/mirror/killed.test.ts',
  'test/reliability/leaks.test.ts',
  'test/security/patterns.test.ts',
  'test/workflows/changes/changes-property.test.ts',
  'test/workflows/changes/changes.test.ts',
];

/** The folders that must have a line each, with all folders in them: what moves money, and what must not lie about it. */
export const roots = [
  'src/contract',
  'src/database',
  'src/journal',
  'src/mirror',
  'src/mock/request',
  'src/mock/state',
  'src/transport',
  'src/workflows/changes',
  'src/workflows/create-once',
  'src/workflows/export',
] as const;
