/** Source files of the mock, and the tests that detect mutants of them. */
export interface MutationGroup {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

function group(sources: readonly string[], tests: readonly string[]): MutationGroup {
  return {
    sources: sources.map((source) => `src/mock/${source}.ts`),
    tests: tests.map((test) => `test/mock/${test}.test.ts`),
  };
}

/** The groups that `npm run mutation` accepts. */
export const groups: Readonly<Record<string, MutationGroup>> = {
  faults: group(
    ['faults/*'],
    [
      'faults/conditions',
      'faults/durations',
      'faults/fault-limits',
      'faults/faults',
      'faults/*plans',
      'faults/faults-adapters',
      'faults/faults-hostile',
      'faults/invalid-faults',
      'faults/response-faults',
    ],
  ),
  schedule: group(
    ['store/schedule', 'store/run-due'],
    ['store/schedule', 'faults/faults', 'faults/*plans', 'faults/faults-hostile', 'faults/invalid-faults'],
  ),
  authentication: group(['http/authenticate'], ['http/credentials', 'http/keys', 'http/requests', 'http/log']),
  state: group(
    ['store/state', 'store/snapshot', 'store/collection', 'store/clock'],
    [
      'platform/*',
      'store/snapshots',
      'store/schedule',
      'store/virtual-time',
      'faults/faults',
      'faults/*plans',
      'handlers/lists',
      'behavior/*',
      'records/builders',
      'records/quotes',
      'records/payments',
      'records/changes',
      'control/calls',
      'control/inspection',
      'scenario/load',
      'http/credentials',
      'http/keys',
    ],
  ),
  requests: group(
    ['http/handle-request', 'http/response', 'http/router', 'http/validate-request', 'http/rate-limit'],
    [
      'http/requests',
      'http/log',
      'http/credentials',
      'http/keys',
      'http/malformed-requests',
      'handlers/payments',
      'handlers/rejected-payments',
      'behavior/*',
      'faults/faults',
      'faults/*plans',
      'faults/faults-hostile',
      'faults/invalid-faults',
      'faults/response-faults',
      'handlers/documents',
    ],
  ),
  handlers: group(
    ['handlers/*', 'store/paginate'],
    [
      'handlers/payments',
      'handlers/rejected-payments',
      'handlers/lists',
      'handlers/customers',
      'handlers/documents',
      'handlers/screening',
      'payment-rules',
      'records/agreement',
      'behavior/*',
      'platform/*',
    ],
  ),
};
