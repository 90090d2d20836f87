import { expect, test } from 'vitest';
import { verdicts } from './report.ts';
import { faults, settings } from './settings.ts';
import { simulate, type Strategy, type Tally } from './simulate.ts';

// `npm run simulate` does the same with 10,000 creates and three seeds.
const creates = 250;

async function run(strategy: Strategy, quotes: 'single-use' | 'reusable', seed: number): Promise<Tally> {
  return simulate(strategy, settings({ seed, creates, quotes }));
}

test('of 250 creates over a faulty network, none is duplicated or reported wrongly', async () => {
  const tallies = [
    await run('createOnce', 'reusable', 1),
    await run('createOnce', 'single-use', 2),
    await run('createOnce, resend', 'reusable', 3),
    await run('createOnce, resend', 'single-use', 1),
    await run('naive retry', 'reusable', 1),
    await run('naive retry', 'single-use', 2),
  ];
  expect(verdicts(tallies).filter(({ holds }) => !holds)).toEqual([]);
  for (const { faults: seen } of tallies) expect([...seen.keys()].toSorted()).toEqual(faults.toSorted());
  expect(tallies.slice(0, 2).every(({ unknown, recovered }) => unknown > 0 && recovered > 0)).toBe(true);
}, 300_000);

test('a consistency window shorter than the delay of the platform causes duplicates with resend', async () => {
  const hasty = await simulate(
    'createOnce, resend',
    settings({ seed: 1, creates, quotes: 'reusable', consistencyWindow: 100 }),
  );
  expect(hasty.duplicates).toBeGreaterThan(0);
  expect(verdicts([hasty])[0]).toEqual({ holds: false, what: `createOnce: ${hasty.duplicates} duplicates` });
}, 120_000);

test('the same seed produces the same results', async () => {
  const small = settings({ seed: 4, creates: 60, quotes: 'reusable' });
  const { hours: _hours, lists: _lists, ...first } = await simulate('createOnce', small);
  expect(await simulate('createOnce', small)).toMatchObject(first);
}, 180_000);
