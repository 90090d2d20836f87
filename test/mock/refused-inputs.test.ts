import { createMockPlatform, MockPlatformError, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from './fixture.js';

const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;

/** All records of a platform. */
const recordsOf = (platform: MockPlatform): unknown => kinds.map((kind) => platform[kind].all());

describe.each(kinds)('%s', (kind) => {
  test.each([-1, 1.5, Number.NaN, 1e9, undefined])('addMany refuses a count of %s', (count) => {
    expect(() => platformAtStart()[kind].addMany(count as number)).toThrow('addMany: count must be a whole number from 0 to 1000000');
  });

  test.each([null, 5, 'abc', []])('add refuses %j in place of an object', (input) => {
    expect(() => platformAtStart()[kind].add(input as never)).toThrow(`${kind}.add: give an object with fields of the record, or nothing`);
  });

  test('add refuses an id that cannot stand in a URL', () => {
    expect(() => platformAtStart()[kind].add({ id: '\ud800' })).toThrow('id "\\ud800" holds half a character');
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

describe('a part of the wrong type is refused by its name', () => {
  const wrong: readonly (readonly [message: string, kind: 'payments' | 'persons' | 'tickets', input: object])[] = [
    ['payments.add: customer must be an object', 'payments', { customer: 5 }],
    ['payments.add: beneficiary must be an object', 'payments', { beneficiary: null }],
    ['payments.add: paymentQuote must be an object', 'payments', { paymentQuote: null }],
    ['payments.add: authorization must be an object', 'payments', { authorization: 'none' }],
    ['payments.add: documentIds must be a list of ids', 'payments', { documentIds: 5 }],
    ['payments.add: documentIds must be a list of ids', 'payments', { documentIds: null }],
    ['payments.add: documentIds must be a list of ids', 'payments', { documentIds: 'abc' }],
    ['payments.add: documentIds[0] null is no record', 'payments', { documentIds: [null] }],
    ['persons.add: screening must be an object', 'persons', { screening: null }],
    ['persons.add: screening: subject must be an object', 'persons', { screening: { subject: null } }],
    ['persons.add: screening: query must be an object', 'persons', { screening: { query: 'name' } }],
    ['persons.add: screening: openMatches must be a list of objects', 'persons', { screening: { openMatches: 5 } }],
    ['persons.add: screening: openMatches[1] must be an object', 'persons', { screening: { openMatches: [{}, null] } }],
    ['persons.add: screening: previouslyCleared must be a list of objects', 'persons', { screening: { previouslyCleared: {} } }],
    ['persons.add: runs must be a list of objects', 'persons', { runs: null }],
    ['persons.add: runs[0] must be an object', 'persons', { runs: [null] }],
    ['persons.add: runs must be a whole number from 0 to 10000, or a list', 'persons', { runs: 1e9 }],
    ['tickets.add: attachments must be a list of objects', 'tickets', { attachments: null }],
    ['tickets.add: attachments[0] must be an object', 'tickets', { attachments: ['photo'] }],
    ['tickets.add: replies must be a list of objects', 'tickets', { replies: 7 }],
    ['tickets.add: replies[0] must be an object', 'tickets', { replies: [null] }],
  ];

  test.each(wrong)('%s', (message, kind, input) => {
    const add = () => platformAtStart()[kind].add(input as never);
    expect(add).toThrow(MockPlatformError);
    expect(add).toThrow(message);
  });
});

describe('a payment refuses what it would not use:', () => {
  test.each([
    ['beneficiaryId', ({ beneficiaries }: MockPlatform) => ({ beneficiaryId: beneficiaries.add().id })],
    ['paymentQuoteId', ({ quotes }: MockPlatform) => ({ paymentQuoteId: quotes.add().id })],
    ['documentIds', ({ documents }: MockPlatform) => ({ documentIds: [documents.add().id] })],
  ])('a customer that is made beside %s', (field, named) => {
    const platform = platformAtStart();
    const input = { ...named(platform), customer: { companyName: 'Acme' } };
    expect(() => platform.payments.add(input)).toThrow(`payments.add: customer says what is made for the payment, but ${field} names what has its customer; leave customer out`);
  });

  test('documents of another customer', () => {
    const platform = platformAtStart();
    const [mine, other] = [platform.documents.add(), platform.documents.add()];
    expect(() => platform.payments.add({ documentIds: [mine.id, other.id] })).toThrow('payments.add: documentIds[1] belongs to another customer');
    expect(() => platform.payments.add({ customerId: mine.customerId, documentIds: [other.id] })).toThrow('payments.add: documentIds[0] belongs to another customer');
    expect(platform.payments.add({ documentIds: [mine.id] }).customerId).toBe(mine.customerId);
  });

  test.each(['beneficiary', 'paymentQuote'] as const)('another customer of its %s', (made) => {
    const platform = platformAtStart();
    const customerId = platform.customers.add().id;
    expect(() => platform.payments.add({ [made]: { customerId } })).toThrow(`payments.add: ${made}.customerId is always the payment's; give customerId`);
    expect(platform.payments.add({ customerId, [made]: { customerId } }).customerId).toBe(customerId);
  });
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
