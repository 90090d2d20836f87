import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from './fixture.js';

const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;

/** All records of a platform. */
const recordsOf = (platform: MockPlatform): unknown => kinds.map((kind) => platform[kind].all());

describe.each(kinds)('%s', (kind) => {
  test.each([-1, 1.5, Number.NaN, 1e9, undefined])('addMany refuses a count of %s', (count) => {
    expect(() => platformAtStart()[kind].addMany(count as number)).toThrow('addMany: count must be a whole number from 0 to 1000000');
  });

  test('addMany takes a function', () => {
    expect(() => platformAtStart()[kind].addMany(2, {} as never)).toThrow('addMany: give a function of the index');
  });
});

test.each(['tomorrow at 9', '2026-02-30T00:00:00Z', '2026-03-01 09:00', '2026-03-01T09:00:00', '2026-03-01', '+275760-09-13T00:00:00.000Z'])('createdAt %s is no time that is the same everywhere', (createdAt) => {
  const platform = platformAtStart();
  expect(() => platform.payments.add({ createdAt })).toThrow('payments.add: createdAt must be a date-time with a zone, such as "2026-02-28T09:30:00.000Z"');
  expect(platform.payments.add({ createdAt: '2026-03-01T09:00+01:00' }).createdAt).toBe('2026-03-01T09:00+01:00');
});

describe('what is refused leaves nothing behind', () => {
  test.each<[string, (platform: MockPlatform) => unknown, string]>([
    ['a payment whose id is taken', ({ payments }) => payments.add({ id: 'pay_mine' }), 'id "pay_mine" is taken'],
    ['a payment with a quote that cannot be', ({ payments }) => payments.add({ paymentQuote: { paymentNetwork: 'BITCOIN' as never } }), 'paymentNetwork must be one of'],
    ['a payment whose beneficiary cannot be', ({ payments }) => payments.add({ beneficiary: { country: 7 as never } }), 'country must be'],
    ['a person with two runs of one id', ({ persons }) => persons.add({ runs: [{ screeningId: 'scr_1' }, { screeningId: 'scr_1' }] }), 'id "scr_1" is taken'],
    ['a document whose id is taken', ({ documents }) => documents.add({ id: 'doc_mine' }), 'id "doc_mine" is taken'],
  ])('%s', (_, add, message) => {
    const platform = platformAtStart();
    platform.payments.add({ id: 'pay_mine', documentIds: [platform.documents.add({ id: 'doc_mine' }).id] });
    const before = recordsOf(platform);
    expect(() => add(platform)).toThrow(message);
    expect(recordsOf(platform)).toEqual(before);
  });

  test('a quote that is named stays unused', () => {
    const platform = platformAtStart();
    const { id, customerId } = platform.payments.add();
    const quote = platform.quotes.add({ customerId });
    expect(() => platform.payments.add({ id, paymentQuoteId: quote.id })).toThrow('is taken');
    expect(platform.quotes.get(quote.id)?.usedAt).toBe(null);
  });

  test('and changes nothing of what is added after it', () => {
    const [platform, other] = [platformAtStart(), platformAtStart()];
    for (const { payments } of [platform, other]) payments.add({ id: 'pay_mine' });
    expect(() => platform.payments.add({ id: 'pay_mine' })).toThrow('is taken');
    expect(platform.payments.add()).toEqual(other.payments.add());
  });

  test('of several, those before it stay', () => {
    const platform = createMockPlatform();
    expect(() => platform.customers.addMany(3, (index) => ({ id: index < 2 ? `cus_${index}` : 'cus_0' }))).toThrow('is taken');
    expect(platform.customers.all().map(({ id }) => id)).toEqual(['cus_0', 'cus_1']);
  });
});
