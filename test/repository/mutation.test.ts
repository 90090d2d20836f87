import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { groups } from '../mutation/groups.js';
import { everything } from './tree.js';

const paths = everything().map(({ path }) => path);

test('every path of a mutation group exists', () => {
  const named = Object.values(groups).flatMap(({ sources, tests }) => [...sources, ...tests]);
  expect(named.filter((pattern) => !paths.some((path) => matchesGlob(path, pattern)))).toEqual([]);
});
