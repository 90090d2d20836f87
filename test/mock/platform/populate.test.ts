import { paymentStatuses } from 'corridor-sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';

afterEach(() => void vi.useRealTimers());

describe('populate', () => {
  test('adds a few hundred records of every kind, status and funding type, spread over months', () => {
    const platform = platformAtStart();
    platform.populate();
    const payments = platform.payments.all();
    const times = payments.map(({ createdAt }) => Date.parse(createdAt));
    expect(payments).toHaveLength(250);
    expect(new Set(payments.map(({ status }) => status)).size).toBe(paymentStatuses.length);
    expect(new Set(payments.map(({ currencyCode }) => currencyCode)).size).toBeGreaterThan(5);
    expect(new Set(payments.map(({ sourceFunding }) => sourceFunding?.type))).toEqual(
      new Set(['CRYPTO', 'BANK_ACCOUNT']),
    );
    expect(new Set(platform.customers.all().map(({ status }) => status)).size).toBe(6);
    expect(new Set(platform.beneficiaries.all().map(({ status }) => status)).size).toBe(5);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(150 * 86_400_000);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse(start));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(platform.persons.all().some(({ screening }) => screening.subject.paymentHold)).toBe(true);
    expect(platform.documents.all().length).toBe(274);
    expect(platform.quotes.all().filter(({ usedAt }) => usedAt === null)).toHaveLength(12);
    expect(
      platform.tickets.all().some(({ attachments, replies }) => attachments.length > 0 && replies.length > 0),
    ).toBe(true);
  });

  test('respects the sizes, and works without customers', () => {
    const platform = platformAtStart({ transitions: { customers: { DRAFT: [] } } });
    platform.populate({
      customers: 0,
      beneficiaries: 0,
      persons: 2,
      payments: 3,
      quotes: 1,
      documents: 0,
      tickets: undefined,
    });
    expect(platform.payments.all()).toHaveLength(3);
    expect(platform.customers.all()).toHaveLength(1);
    expect(platform.tickets.all()).toHaveLength(10);
    platform.populate();
    expect(platform.payments.all()).toHaveLength(253);
  });

  test.each([
    [
      { payment: 3 },
      'populate: payment is not a known field (known: customers, beneficiaries, persons, payments, quotes, documents, tickets)',
    ],
    [{ payments: 1.5 }, 'populate: payments must be an integer from 0 to 100000 (received 1.5)'],
  ])('rejects %o', (sizes, message) => {
    expect(() => platformAtStart().populate(sizes as never)).toThrow(message);
  });
});
