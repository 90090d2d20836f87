import { expect, test } from 'vitest';
import { packageEntries } from '../../scripts/package-entries.ts';
import { importsOf, read } from '../repository/tree.js';

test('the trial consumer imports every entry of the package', () => {
  const imported = importsOf(read('test/package/consumer.ts')).filter((specifier) => specifier.startsWith('corridor-sdk'));
  expect(imported.toSorted()).toEqual(packageEntries.map(({ name }) => `corridor-sdk${name.slice(1)}`).toSorted());
});
