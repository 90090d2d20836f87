import { expect, test } from 'vitest';
import { everything } from '../../scripts/repository/tree.ts';

// An idle connection of pg that breaks ends a process that does not listen.
test('every pool of the documents and examples has a listener for its errors', () => {
  const pools = everything()
    .filter(({ path }) => /^(?:docs|examples|src)\/|^[^/]+\.md$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/(\w+) = new (?:pg\.)?Pool\(|new (?:pg\.)?Pool\(/g)].map(([, name]) => ({
        pool: `${path}: ${name}`,
        isListenedTo: text.includes(`${name}.on('error', `),
      })),
    );
  expect(pools.filter(({ isListenedTo }) => !isListenedTo)).toEqual([]);
  expect(pools.length).toBeGreaterThan(2);
});
