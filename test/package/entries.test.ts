import { expect, test } from 'vitest';
import { packageEntries } from '../../scripts/package/entries.ts';
import { everything, importsOf } from '../../scripts/repository/tree.ts';

test('every entry of the package is imported by a project of test/ecosystem', () => {
  const programs = everything().filter(({ path }) => /^test\/ecosystem\/projects\/.*\.[cm]?[jt]s$/.test(path));
  const imported = new Set(programs.flatMap(importsOf).filter((specifier) => /^corridor-sdk(?:\/|$)/.test(specifier)));
  expect([...imported].toSorted()).toEqual(packageEntries.map(({ name }) => `corridor-sdk${name.slice(1)}`).toSorted());
});
