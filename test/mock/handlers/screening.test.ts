import type { MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';
import { clientOf } from './strict-client.ts';

describe('screening', () => {
  test('has an open match and a cleared one, and holds payments, by default', () => {
    const platform = platformAtStart();
    const { id, customerId, screening, runs } = platform.persons.add();
    expect(screening).toMatchObject({
      subject: {
        entityId: id,
        customerId,
        customerName: platform.customers.get(customerId)?.companyName,
        openMatchCount: 1,
        paymentHold: true,
        onboardingBlocked: false,
        lastScreenedAt: start,
      },
      openMatches: [
        {
          disposition: null,
          features: [{ key: 'name_match' }, { key: 'country_match' }],
          evidence: [{}, { fullWidth: true }],
        },
      ],
      previouslyCleared: [{ reason: 'Date of birth differs' }],
      historyCount: 3,
      readOnlyReason: null,
    });
    expect(runs.map(({ createdAt }) => createdAt)).toEqual([
      start,
      '2026-01-30T09:00:00.000Z',
      '2025-12-31T09:00:00.000Z',
    ]);
  });

  test('of a person without matches holds nothing', () => {
    const { screening } = platformAtStart().persons.add({ screening: { openMatches: [], previouslyCleared: [] } });
    expect(screening).toMatchObject({
      subject: { openMatchCount: 0, paymentHold: false, onboardingBlocked: false },
      openMatches: [],
      previouslyCleared: [],
    });
  });

  test('uses the parts that are passed', () => {
    const { screening } = platformAtStart().persons.add({
      screening: {
        subject: { displayName: 'Ana Silva', beneficiaryId: 'ben_1' },
        query: { threshold: '0.85' },
        readOnlyReason: 'The customer is closed',
        openMatches: [{ isMatch: true, score: '0.97' }, { caption: 'Anna Silva' }],
        previouslyCleared: [{ reason: 'Another person' }],
      },
    });
    expect(screening).toMatchObject({
      subject: { displayName: 'Ana Silva', beneficiaryId: 'ben_1', openMatchCount: 2, onboardingBlocked: true },
      query: { threshold: '0.85', algorithm: 'logic-v1' },
      openMatches: [
        { isMatch: true, score: '0.97' },
        { caption: 'Anna Silva', isMatch: false },
      ],
      previouslyCleared: [{ reason: 'Another person' }],
      readOnlyReason: 'The customer is closed',
    });
  });

  test.each([
    ['an unknown customer', 'there is no such customer', () => ({ customerId: 'cus_nobody' })],
    ['an unknown person', 'there is no such person of this customer', () => ({ id: 'per_nobody' })],
    [
      "another customer's person",
      'there is no such person of this customer',
      (platform: MockPlatform) => ({ customerId: platform.customers.add().id }),
    ],
  ])('of %s is not found', async (_, message, replaced) => {
    const platform = platformAtStart();
    const { customerId, id } = { ...platform.persons.add(), ...replaced(platform) };
    for (const call of ['get', 'history'] as const) {
      await expect(clientOf(platform).screening[call](customerId, id)).rejects.toMatchObject({
        status: 404,
        body: { code: 'not_found', message: expect.stringContaining(message) },
      });
    }
  });

  test('accepts runs one by one', () => {
    const { runs, screening } = platformAtStart().persons.add({
      runs: [{ errorMessage: 'The provider did not answer' }, { createdAt: '2020-01-01T00:00:00Z' }],
    });
    expect(runs).toMatchObject([
      { errorMessage: 'The provider did not answer', matchCount: 1, createdAt: start },
      { createdAt: '2020-01-01T00:00:00Z' },
    ]);
    expect(screening.historyCount).toBe(2);
  });

  test.each([
    [{ runs: -1 }, 'persons.add: runs must be an integer from 0 to 10000, or an array'],
    [{ runs: 1.5 }, 'persons.add: runs must be an integer from 0 to 10000, or an array'],
    [{ runs: [{ matchCount: 'many' }] }, 'persons.add: runs[0].matchCount must be an integer'],
    [{ runs: [{ createdAt: 'once' }] }, 'persons.add: runs[0].createdAt must be an ISO 8601 date-time'],
    [
      { screening: { subject: { paymentHold: 'yes' } } },
      'persons.add: screening.subject.paymentHold must be a boolean',
    ],
    [{ screening: { historyCount: 3 } }, 'persons.add: screening.historyCount'],
    [{ screening: { matches: [] } }, 'persons.add: screening.matches is not a known field'],
    [{ screening: { openMatches: [{ score: 1 }] } }, 'persons.add: screening.openMatches[0].score must be a string'],
  ])('throws for %o', (input, message) => {
    const platform = platformAtStart();
    expect(() => platform.persons.add(input as never)).toThrow(message);
    expect(platform.customers.all()).toEqual([]);
  });
});
