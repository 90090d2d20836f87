import { expect, test } from 'vitest';
import { verdicts } from './report.ts';
import { faults, settings } from './settings.ts';
import { simulate, type Strategy, type Tally } from './simulate.ts';

// `npm run simulate` does the same with 10,000 creates and three seeds.
const creates = 250;

async function run(strategy: Strategy, quotes: 'single-use' | 'reusable', seed: number): Promise<Tally> {
  return simulate(strategy, settings({ seed, creates, quotes }));
}

test('of 250 creates over a bad network none is made twice, and none is reported as what it is not', async () => {
  const tallies = [
    await run('createOnce', 'reusable', 1), await run('createOnce', 'single-use', 2),
    await run('createOnce, resend', 'reusable', 3), await run('createOnce, resend', 'single-use', 1),
    await run('naive retry', 'reusable', 1), await run('naive retry', 'single-use', 2),
  ];
  expect(verdicts(tallies).filter(({ holds }) => !holds)).toEqual([]);
  for (const { faults: seen } of tallies) expect([...seen.keys()].toSorted()).toEqual(faults.toSorted());
  expect(tallies.slice(0, 2).every(({ unknown, recovered }) => unknown > 0 && recovered > 0)).toBe(true);
}, 300_000);

test('a settle window that is shorter than the platform takes makes duplicates where sending again is allowed: the window is what keeps them away', async () => {
  const hasty = await simulate('createOnce, resend', settings({ seed: 1, creates, quotes: 'reusable', settleWindow: 100 }));
  expect(hasty.duplicates).toBeGreaterThan(0);
  expect(verdicts([hasty])[0]).toEqual({ holds: false, what: `createOnce: ${hasty.duplicates} duplicates` });
}, 120_000);

test('the same seed gives the same world', async () => {
  const small = settings({ seed: 4, creates: 60, quotes: 'reusable' });
  const { hours: _hours, lists: _lists, ...first } = await simulate('createOnce', small);
  expect(await simulate('createOnce', small)).toMatchObject(first);
}, 60_000);
