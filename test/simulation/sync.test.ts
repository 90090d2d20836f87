import { expect, test } from 'vitest';
import { simulateSync } from './sync.ts';

// `npm run simulate -- --mirror` runs as many seeds as you like.
test('a mirror and a ledger of its changes are exact whatever processes, lists and clocks do', async () => {
  for (const seed of [1, 2, 3]) expect([seed, await simulateSync(seed)]).toEqual([seed, []]);
});
