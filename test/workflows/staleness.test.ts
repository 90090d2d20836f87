import { describe, expect, test } from 'vitest';
import { ageOf, mayBeStale, type RecordState } from '../../src/workflows/staleness.ts';

const [early, late] = ['2026-03-01T09:00:00.000Z', '2026-03-01T09:00:00.001Z'];
const fresh = { age: 0, consistencyWindow: 300_000, isConfirmed: false };

const state = (status: unknown, updatedAt: unknown = early): RecordState => ({ status, updatedAt });

describe('mayBeStale of a payment', () => {
  test.each([
    // The order of final statuses, whatever updatedAt is.
    [state('COMPLETED'), state('PROCESSING', late), true],
    [state('COMPLETED'), state('REJECTED', late), true],
    [state('RETURNED'), state('COMPLETED', late), true],
    [state('COMPLETED', late), state('RETURNED', early), false],
    [state('PROCESSING', late), state('COMPLETED', early), false],
    [state('STATUS_OF_TESTS', late), state('CANCELLED', early), false],
    [state('COMPLETED'), state('REFUNDED', late), false],
    [state('COMPLETED'), state('REFUNDED'), true],
    // A later updatedAt.
    [state('PROCESSING'), state('APPROVED', late), false],
    [state('PROCESSING', late), state('APPROVED', early), true],
    [state('APPROVED', late), state('PROCESSING', early), true],
    // Timestamps that do not tell.
    [state('APPROVED'), state('PROCESSING'), false],
    [state('PROCESSING'), state('APPROVED'), true],
    [state('PENDING_REVIEW'), state('PROCESSING'), false],
    [state('PENDING_REVIEW'), state('CORRECTION_NEEDED'), true],
    [state('CORRECTION_NEEDED'), state('PENDING_REVIEW'), true],
    [state('STATUS_OF_TESTS'), state('APPROVED'), true],
    [state('APPROVED'), state('STATUS_OF_TESTS'), true],
    [state('APPROVED', null), state('PROCESSING', 'yesterday'), false],
    [state('PROCESSING', null), state('APPROVED', late), true],
    [state('PENDING_REVIEW', '2026-03-01T09:00:00Z'), state('CORRECTION_NEEDED', '2026-03-01T09:00:00.999Z'), true],
    [state('PENDING_REVIEW', '2026-03-01T09:00:00Z'), state('CORRECTION_NEEDED', '2026-03-01T09:00:01Z'), false],
    // The same status.
    [state('APPROVED', late), state('APPROVED', early), true],
    [state('APPROVED'), state('APPROVED'), false],
    [state('APPROVED', late), state('APPROVED', null), false],
  ])('%j, then %j: %j', (known, row, isStale) => {
    expect(mayBeStale('payment', row, known, fresh)).toBe(isStale);
  });
});

describe.each(['customer', 'beneficiary'] as const)('mayBeStale of a %s', (record) => {
  test.each([
    [state('REJECTED'), state('APPROVED', late), false],
    [state('REJECTED'), state('APPROVED'), true],
    [state('APPROVED', late), state('REJECTED', early), true],
    [state('APPROVED', null), state('SUSPENDED', null), true],
    [state('APPROVED', late), state('APPROVED', early), true],
    [state('APPROVED'), state('APPROVED'), false],
  ])('%j, then %j: %j', (known, row, isStale) => {
    expect(mayBeStale(record, row, known, fresh)).toBe(isStale);
  });
});

test.each([
  [299_999, true, true],
  [300_000, true, false],
  [300_000, false, true],
  [Number.NaN, true, true],
])('a state that is %d ms old, with a row that is confirmed or not (%j)', (age, isConfirmed, isStale) => {
  const known = { ...fresh, age, isConfirmed };
  expect(mayBeStale('payment', state('PROCESSING'), state('COMPLETED'), known)).toBe(isStale);
});

test.each([
  [[[1_000, 5_000]], 4_000],
  [
    [
      [1_000, 5_000],
      [1_000, 3_000],
    ],
    2_000,
  ],
  [
    [
      [1_000, 5_000],
      [9_000, 3_000],
    ],
    0,
  ],
] as const)('the age by the clocks %j is %d', (times, age) => {
  expect(ageOf(...times)).toBe(age);
});

test.each([
  [299_999, state('APPROVED'), state('APPROVED'), true],
  [300_000, state('APPROVED'), state('APPROVED'), false],
  [299_999, state('APPROVED'), state('APPROVED', late), false],
  [299_999, state('APPROVED'), state('PROCESSING'), true],
  [300_000, state('APPROVED'), state('PROCESSING'), false],
  [299_999, state('APPROVED'), state('PROCESSING', late), false],
])('%i ms after %j, a row that equals the state before, %j, may be stale: %j', (age, known, row, isStale) => {
  expect(mayBeStale('payment', row, known, { ...fresh, age, isPrevious: true })).toBe(isStale);
});
