import { expect, test } from 'vitest';
import { lockProblems, locks } from '../../scripts/lock-check.ts';
import { everything, read } from '../../scripts/repository/tree.ts';

const entry = { integrity: 'sha512-x' };

test.each(locks)('%s is complete and names no registry', (path) => {
  expect(lockProblems(JSON.parse(read(path).text) as Parameters<typeof lockProblems>[0])).toEqual([]);
});

test('every lock file is checked', () => {
  expect(
    everything()
      .map(({ path }) => path)
      .filter((path) => path.endsWith('package-lock.json'))
      .toSorted(),
  ).toEqual(locks.toSorted());
});

test('a platform package that the lock file lacks is named', () => {
  const packages = {
    '': {},
    'node_modules/a': { ...entry, optionalDependencies: { 'a-linux': '1', 'a-windows': '1' } },
    'node_modules/a-linux': entry,
  };
  expect(lockProblems({ packages })).toEqual([
    'node_modules/a: its optional dependency a-windows is not in the lock file',
  ]);
});

test('a platform package may lie at any level that Node looks at', () => {
  const packages = {
    '': {},
    'node_modules/a/node_modules/b': { ...entry, optionalDependencies: { c: '1', d: '1', e: '1' } },
    'node_modules/a/node_modules/b/node_modules/c': entry,
    'node_modules/a/node_modules/d': entry,
    'node_modules/e': entry,
  };
  expect(lockProblems({ packages })).toEqual([]);
});

test('an address and a missing hash are named', () => {
  const packages = { 'node_modules/a': { ...entry, resolved: 'https://registry.example/a.tgz' }, 'node_modules/b': {} };
  expect(lockProblems({ packages })).toEqual([
    'node_modules/a: has an address (remove "resolved")',
    'node_modules/b: has no integrity hash',
  ]);
});
