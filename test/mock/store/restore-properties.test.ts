import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';

const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;
/** Expects that a snapshot, written as JSON, restores the same state on another platform. */
function expectRestorable(platform: MockPlatform): void {
  const snapshot = platform.snapshot();
  const text = JSON.stringify(snapshot);
  const other = createMockPlatform({ seed: platform.seed });
  other.restore(JSON.parse(text) as typeof snapshot);
  expect(JSON.parse(JSON.stringify(other.snapshot()))).toEqual(JSON.parse(text));
  for (const kind of kinds) expect(other[kind].all()).toEqual(platform[kind].all());
}

const frozenPlatform = (seed: number | string): MockPlatform => {
  const platform = createMockPlatform({ seed });
  platform.clock.set('2026-03-01T09:00:00Z');
  return platform;
};

describe('a snapshot restores the same state', () => {
  test.each([1, 2, 3, 4, 5])('after populate with the seed %i', (seed) => {
    const platform = frozenPlatform(seed);
    platform.populate({ payments: 60 });
    expectRestorable(platform);
  });

  test('after each scenario', () => {
    const names = createMockPlatform()
      .scenarios.list()
      .map(({ name }) => name);
    for (const name of names.filter((each) => each !== 'month-end')) {
      const platform = frozenPlatform(1);
      platform.scenarios.load(name);
      expectRestorable(platform);
    }
    expect(names.length).toBeGreaterThan(3);
  });
});
