import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { start } from '../fixture.ts';
import { partyRules } from './story-of-parties.ts';
import { paymentRules } from './story-of-payments.ts';
import { recordsOf } from './story-records.ts';

const rules = [...paymentRules, ...partyRules];

test('there are at least 40 rules', () => expect(rules.length).toBeGreaterThanOrEqual(40));

describe('populate tells a story without contradictions', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

  test.each(seeds)('with seed %i and 1,000 payments', (seed) => {
    const platform = createMockPlatform({ seed, now: () => Date.parse(start) });
    platform.populate({ payments: 1_000 });
    const records = recordsOf(platform);
    expect(records.payments).toHaveLength(1_000);
    expect(rules.filter(([, isViolated]) => isViolated(records)).map(([title]) => title)).toEqual([]);
  });
});

test('each rule notices a contradiction', () => {
  const platform = createMockPlatform({ now: () => Date.parse(start) });
  platform.populate({ payments: 20 });
  const { customerId } = platform.payments.all()[0] ?? {};
  platform.payments.add({
    customerId,
    status: 'COMPLETED',
    receiptUrl: null,
    rail: { method: 'PIX', countryCode: 'XX' },
  });
  platform.persons.add({ customerId, runs: [{ matchCount: 0 }] });
  const records = recordsOf(platform);
  expect(rules.filter(([, isViolated]) => isViolated(records)).map(([title]) => title)).toEqual([
    'its rail leads to the country of its beneficiary',
    'it has a receipt if, and only if, it was completed',
    'a beneficiary has a version for each of its statuses',
    'the newest run found the open matches',
    'a cleared match was found by a run before',
    'a customer that pays has nobody with open matches',
  ]);
});
