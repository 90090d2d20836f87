import { expect, test } from 'vitest';
import { addRange, gaps } from '../../../src/workflows/export/spans.ts';

test.each([
  [[{ from: 0, to: 10 }], { from: 10, to: 20 }, [{ from: 0, to: 20 }]],
  [[{ from: 10, to: 20 }], { from: 0, to: 10 }, [{ from: 0, to: 20 }]],
  [
    [
      { from: 0, to: 10 },
      { from: 20, to: 30 },
    ],
    { from: 10, to: 20 },
    [{ from: 0, to: 30 }],
  ],
  [
    [{ from: 0, to: 10 }],
    { from: 11, to: 20 },
    [
      { from: 0, to: 10 },
      { from: 11, to: 20 },
    ],
  ],
])('the ranges that an export has read, %j and %j, are joined if they touch', (ranges, added, joined) => {
  expect(addRange(ranges, added)).toEqual(joined);
});

test.each([
  [[], [[10, 20]]],
  [
    [
      [10, 12],
      [15, 20],
    ],
    [[12, 15]],
  ],
  [
    [
      [0, 12],
      [18, 30],
    ],
    [[12, 18]],
  ],
  [
    [
      [0, 5],
      [25, 30],
    ],
    [[10, 20]],
  ],
  [[[0, 30]], []],
])('after %j, an export of 10 to 20 has %j to read', (covered, left) => {
  const rangesOf = (pairs: readonly (readonly number[])[]) => pairs.map(([from = 0, to = 0]) => ({ from, to }));
  expect(gaps({ from: 10, to: 20 }, rangesOf(covered))).toEqual(rangesOf(left));
});
