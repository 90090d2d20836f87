import { expect, test } from 'vitest';
import { simulateSync } from './sync.ts';

// `npm run simulate -- --mirror` runs as many seeds as you like.
test.each([2, 5, 7])(
  'a mirror keeps its promises whatever the platform, processes and clocks do, seed %i',
  async (seed) => {
    expect((await simulateSync(seed)).failures).toEqual([]);
  },
);

test('the same seed of a mirror has the same result', async () => {
  const plain = { processes: 2, kills: 0.8, changeInterval: 60_000, payments: 10, customers: 1 } as const;
  expect((await simulateSync(2, plain)).trace).toEqual((await simulateSync(2, plain)).trace);
});
