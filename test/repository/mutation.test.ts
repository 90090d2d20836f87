import { expect, test } from 'vitest';
import { folders, roots } from '../mutation/folders.ts';
import { ignored } from '../mutation/ignored.ts';
import scores from '../mutation/scores.json' with { type: 'json' };
import { everything } from '../../scripts/repository/tree.ts';

const paths = everything().map(({ path }) => path);
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

test('mutation testing covers every folder that handles money, by tests that exist', () => {
  const handlesMoney = (path: string): boolean => roots.some((root) => path.startsWith(`${root}/`));
  const inRoots = paths.filter((path) => path.endsWith('.ts') && handlesMoney(path)).map(folderOf);
  expect(Object.keys(folders).toSorted()).toEqual([...new Set(inRoots)].toSorted());
  for (const root of roots) expect(inRoots).toContain(root);
  const tests = Object.values(folders).flat();
  expect(tests.filter((each) => !paths.some((path) => path === each || path.startsWith(`${each}/`)))).toEqual([]);
});

test('the recorded scores and the ignored mutants belong to code that exists', () => {
  expect(Object.keys(scores).filter((path) => !(path in folders) && !paths.includes(path))).toEqual([]);
  expect(ignored.filter(({ file, reason }) => !paths.includes(file) || reason === '')).toEqual([]);
});
