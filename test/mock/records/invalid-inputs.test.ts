import { createMockPlatform, MockPlatformError, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from '../fixture.ts';

const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;

/** Returns all records of a platform. */
const recordsOf = (platform: MockPlatform): unknown => kinds.map((kind) => platform[kind].all());

describe.each(kinds)('%s', (kind) => {
  test.each([-1, 1.5, Number.NaN, 1e9, undefined])('addMany rejects a count of %s', (count) => {
    expect(() => platformAtStart()[kind].addMany(count as number)).toThrow(
      /^addMany: count (?:is required: it )?must be an integer from 0 to 1000000/,
    );
  });

  test.each([null, 5, 'abc', []])('add rejects %j instead of an object', (input) => {
    expect(() => platformAtStart()[kind].add(input as never)).toThrow(`${kind}.add: the record must be an object`);
  });

  test('add rejects an id that is invalid in a URL', () => {
    expect(() => platformAtStart()[kind].add({ id: '\ud800' })).toThrow('id "\\ud800" contains a lone surrogate');
  });

  test('addMany rejects an object instead of a function', () => {
    expect(() => platformAtStart()[kind].addMany(2, {} as never)).toThrow(
      'addMany: partial must be a function of the index',
    );
  });
});

test.each([
  'tomorrow at 9',
  '2026-02-30T00:00:00Z',
  '2026-03-01 09:00',
  '2026-03-01T09:00:00',
  '2026-03-01',
  '+275760-09-13T00:00:00.000Z',
])('createdAt %s is not a date-time with a time zone', (createdAt) => {
  const platform = platformAtStart();
  expect(() => platform.payments.add({ createdAt })).toThrow(
    'payments.add: createdAt must be an ISO 8601 date-time with a time zone, such as "2026-02-28T09:30:00.000Z"',
  );
  expect(platform.payments.add({ createdAt: '2026-03-01T09:00+01:00' }).createdAt).toBe('2026-03-01T09:00+01:00');
});

test('generated times have years of four digits', () => {
  const platform = platformAtStart();
  const { customerId } = platform.payments.add({ createdAt: '0000-01-01T00:00:00Z' });
  expect(platform.customers.get(customerId)?.createdAt).toBe('0000-01-01T00:00:00.000Z');
  platform.clock.set('9999-12-31T23:59:00Z');
  expect(platform.quotes.add().expiresAt).toBe('9999-12-31T23:59:59.999Z');
});

describe('a field of the wrong type is reported by name', () => {
  const wrong: readonly (readonly [message: string, kind: 'payments' | 'persons' | 'tickets', input: object])[] = [
    ['payments.add: customer must be an object', 'payments', { customer: 5 }],
    ['authorization, paymentQuote, history, documentIds)', 'payments', { amuont: '5.00' }],
    ['payments.add: beneficiary must be an object', 'payments', { beneficiary: null }],
    ['payments.add: paymentQuote must be an object', 'payments', { paymentQuote: null }],
    ['payments.add: authorization must be an object', 'payments', { authorization: 'none' }],
    ['payments.add: documentIds must be an array of strings', 'payments', { documentIds: 5 }],
    ['payments.add: documentIds must be an array of strings', 'payments', { documentIds: null }],
    ['payments.add: documentIds must be an array of strings', 'payments', { documentIds: 'abc' }],
    ['payments.add: documentIds[0] must be a string (received null)', 'payments', { documentIds: [null] }],
    ['persons.add: screening must be an object', 'persons', { screening: null }],
    ['persons.add: screening.subject must be an object', 'persons', { screening: { subject: null } }],
    ['persons.add: screening.query must be an object', 'persons', { screening: { query: 'name' } }],
    ['persons.add: screening.openMatches must be an array of objects', 'persons', { screening: { openMatches: 5 } }],
    ['persons.add: screening.openMatches[1] must be an object', 'persons', { screening: { openMatches: [{}, null] } }],
    [
      'persons.add: screening.previouslyCleared must be an array of objects',
      'persons',
      { screening: { previouslyCleared: {} } },
    ],
    ['persons.add: runs must be an integer from 0 to 10000, or an array of objects', 'persons', { runs: null }],
    ['persons.add: runs[0] must be an object', 'persons', { runs: [null] }],
    ['persons.add: runs must be an integer from 0 to 10000, or an array', 'persons', { runs: 1e9 }],
    ['tickets.add: attachments must be an array of objects', 'tickets', { attachments: null }],
    ['tickets.add: attachments[0] must be an object', 'tickets', { attachments: ['photo'] }],
    ['tickets.add: replies must be an array of objects', 'tickets', { replies: 7 }],
    ['tickets.add: replies[0] must be an object', 'tickets', { replies: [null] }],
  ];

  test.each(wrong)('%s', (message, kind, input) => {
    const add = () => platformAtStart()[kind].add(input as never);
    expect(add).toThrow(MockPlatformError);
    expect(add).toThrow(message);
  });
});

describe('payments.add rejects input that it would ignore:', () => {
  test.each([
    ['beneficiaryId', ({ beneficiaries }: MockPlatform) => ({ beneficiaryId: beneficiaries.add().id })],
    ['paymentQuoteId', ({ quotes }: MockPlatform) => ({ paymentQuoteId: quotes.add().id })],
    ['documentIds', ({ documents }: MockPlatform) => ({ documentIds: [documents.add().id] })],
  ])('a new customer together with %s', (field, named) => {
    const platform = platformAtStart();
    const input = { ...named(platform), customer: { companyName: 'Acme' } };
    expect(() => platform.payments.add(input)).toThrow(
      `payments.add: customer has the fields of a new record, but ${field} names an existing one. Pass only one of them.`,
    );
  });

  test('documents of another customer', () => {
    const platform = platformAtStart();
    const [mine, other] = [platform.documents.add(), platform.documents.add()];
    expect(() => platform.payments.add({ documentIds: [mine.id, other.id] })).toThrow(
      'payments.add: documentIds[1] belongs to another customer',
    );
    expect(() => platform.payments.add({ customerId: mine.customerId, documentIds: [other.id] })).toThrow(
      'payments.add: documentIds[0] belongs to another customer',
    );
    expect(platform.payments.add({ documentIds: [mine.id] }).customerId).toBe(mine.customerId);
  });

  test.each(['beneficiary', 'paymentQuote'] as const)('another customer for its %s', (made) => {
    const platform = platformAtStart();
    const customerId = platform.customers.add().id;
    expect(() => platform.payments.add({ [made]: { customerId } })).toThrow(
      `payments.add: ${made}.customerId must equal the customerId of the payment. Pass customerId instead.`,
    );
    expect(platform.payments.add({ customerId, [made]: { customerId } }).customerId).toBe(customerId);
  });
});

describe('add leaves the state unchanged if it rejects', () => {
  test.each<[string, (platform: MockPlatform) => unknown, string]>([
    [
      'a payment whose id already exists',
      ({ payments }) => payments.add({ id: 'pay_mine' }),
      'id "pay_mine" already exists',
    ],
    [
      'a payment with an invalid quote',
      ({ payments }) => payments.add({ paymentQuote: { paymentNetwork: 'BITCOIN' as never } }),
      'paymentNetwork must be one of',
    ],
    [
      'a payment with an invalid beneficiary',
      ({ payments }) => payments.add({ beneficiary: { country: 7 as never } }),
      'country must be',
    ],
    [
      'a person with two runs that have the same id',
      ({ persons }) => persons.add({ runs: [{ screeningId: 'scr_1' }, { screeningId: 'scr_1' }] }),
      'id "scr_1" already exists',
    ],
    [
      'a document whose id already exists',
      ({ documents }) => documents.add({ id: 'doc_mine' }),
      'id "doc_mine" already exists',
    ],
  ])('%s', (_, add, message) => {
    const platform = platformAtStart();
    platform.payments.add({ id: 'pay_mine', documentIds: [platform.documents.add({ id: 'doc_mine' }).id] });
    const before = recordsOf(platform);
    expect(() => add(platform)).toThrow(message);
    expect(recordsOf(platform)).toEqual(before);
  });

  test('a payment, so its quote stays unused', () => {
    const platform = platformAtStart();
    const { id, customerId } = platform.payments.add();
    const quote = platform.quotes.add({ customerId });
    expect(() => platform.payments.add({ id, paymentQuoteId: quote.id })).toThrow('already exists');
    expect(platform.quotes.get(quote.id)?.usedAt).toBe(null);
  });

  test('a payment, so that the next one has the same generated data', () => {
    const [platform, other] = [platformAtStart(), platformAtStart()];
    for (const { payments } of [platform, other]) payments.add({ id: 'pay_mine' });
    expect(() => platform.payments.add({ id: 'pay_mine' })).toThrow('already exists');
    expect(platform.payments.add()).toEqual(other.payments.add());
  });

  test('one of several records, but the earlier ones remain', () => {
    const platform = createMockPlatform();
    expect(() => platform.customers.addMany(3, (index) => ({ id: index < 2 ? `cus_${index}` : 'cus_0' }))).toThrow(
      'already exists',
    );
    expect(platform.customers.all().map(({ id }) => id)).toEqual(['cus_0', 'cus_1']);
  });
});

test.each([undefined, null, 'COMPLETED', [null]])('scheduled statuses %j are rejected', (statuses) => {
  const { payments } = platformAtStart();
  const { id } = payments.add();
  const trigger = { every: { hours: 1 } };
  const message = /^payments\.scheduleTransitions.*: statuses.* must be/;
  expect(() => payments.scheduleTransitions(id, statuses as never, trigger)).toThrow(message);
  expect(() => payments.scheduleTransitionsOnCreate(statuses as never, trigger)).toThrow(message);
});
