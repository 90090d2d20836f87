import { expect, test } from 'vitest';
import { addRange } from '../../../src/workflows/export/spans.ts';

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
