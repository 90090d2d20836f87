import { customerStatuses } from 'corridor-sdk';
import { MockPlatformError } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart } from '../fixture.ts';

describe('every builder', () => {
  const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;

  test.each(kinds)('%s: add returns the record that get finds, and all returns the oldest first', (kind) => {
    const platform = platformAtStart();
    const added = [platform[kind].add(), ...platform[kind].addMany(2)];
    expect(added.map(({ id }) => platform[kind].get(id))).toEqual(added);
    expect(platform[kind].all()).toEqual(added);
    expect(new Set(added.map(({ id }) => id)).size).toBe(3);
  });

  test.each(kinds)('%s: get returns undefined for an unknown id', (kind) => {
    expect(platformAtStart()[kind].get('nobody')).toBeUndefined();
  });

  test.each(kinds)('%s: add accepts an id only once', (kind) => {
    const platform = platformAtStart();
    expect(platform[kind].add({ id: 'mine' }).id).toBe('mine');
    expect(() => platform[kind].add({ id: 'mine' })).toThrow('id "mine" already exists');
  });

  test.each(kinds)('%s: add rejects an unknown field by name', (kind) => {
    const platform = platformAtStart();
    expect(() => platform[kind].add({ colour: 'red' } as never)).toThrow(
      new RegExp(`^${kind}\\.add: colour is not a known field`),
    );
    expect(platform[kind].all()).toEqual([]);
  });

  test.each(kinds)('%s: add rejects a value of the wrong type and names the field', (kind) => {
    const platform = platformAtStart();
    const wrong = () => platform[kind].add({ id: 7 } as never);
    expect(wrong).toThrow(MockPlatformError);
    expect(wrong).toThrow(/^\w+\.add: id must be/);
    expect(platform.customers.all()).toEqual([]);
  });

  test.each(kinds)('%s: add treats undefined as missing', (kind) => {
    expect(platformAtStart()[kind].add({ id: undefined }).id).toMatch(/^[a-z]{3}_\w{16}$/);
  });

  test.each(['beneficiaries', 'persons', 'documents', 'quotes', 'payments'] as const)(
    '%s: add creates the customer if the input names no customer',
    (kind) => {
      const platform = platformAtStart();
      const { customerId } = platform[kind].add();
      expect(platform.customers.get(customerId)).toMatchObject({ status: 'APPROVED' });
    },
  );

  test.each(['beneficiaries', 'persons', 'documents', 'quotes', 'payments'] as const)(
    '%s: add rejects a customer that does not exist',
    (kind) => {
      expect(() => platformAtStart()[kind].add({ customerId: 'cus_nobody' })).toThrow(
        `${kind}.add: customerId "cus_nobody" does not exist in this organization. Add the record first or omit customerId.`,
      );
    },
  );

  test.each(['customers', 'beneficiaries', 'documents', 'quotes', 'payments', 'tickets'] as const)(
    '%s: add rejects an invalid createdAt, because lists are sorted by it',
    (kind) => {
      const platform = platformAtStart();
      expect(() => platform[kind].add({ createdAt: 'yesterday' })).toThrow(
        `${kind}.add: createdAt must be an ISO 8601 date-time`,
      );
      expect(platform.customers.all()).toEqual([]);
    },
  );

  test('addMany passes the index', () => {
    const names = platformAtStart()
      .customers.addMany(3, (index) => ({ companyName: `Company ${index}` }))
      .map(({ companyName }) => companyName);
    expect(names).toEqual(['Company 0', 'Company 1', 'Company 2']);
  });
});

describe('customers', () => {
  test('reject a status that the contract does not define', () => {
    expect(() => platformAtStart().customers.add({ status: 'STATUS_OF_TESTS' as never })).toThrow(
      `customers.add: status must be one of ${customerStatuses.join(', ')}`,
    );
  });

  test('reports all invalid fields in one error', () => {
    expect(() => platformAtStart().customers.add({ city: 1, addressCountry: { alpha2: 'US' } } as never)).toThrow(
      'customers.add: city must be a string (received number); addressCountry.name is required: it must be a string',
    );
  });
});

describe('beneficiaries', () => {
  test('have an account in the country of their currency', () => {
    const platform = platformAtStart();
    expect(platform.beneficiaries.add({ currencyCode: 'USD' })).toMatchObject({
      bankCountryCode: 'US',
      wireRoutingNumber: expect.stringMatching(/^\d{9}$/),
      iban: '',
    });
    expect(platform.beneficiaries.add({ currencyCode: 'ZAR' })).toMatchObject({
      bankCountryCode: 'ZA',
      sortCode: expect.stringMatching(/^\d{6}$/),
      achRoutingNumber: '',
    });
    expect(platform.beneficiaries.add({ currencyCode: 'UGX' })).toMatchObject({
      bankCountryCode: 'UG',
      intermediaryBank: expect.stringContaining('Bank'),
    });
    expect(platformAtStart({ records: 'any' }).beneficiaries.add({ currencyCode: 'EUR' })).toMatchObject({
      currencyCode: 'EUR',
      bankCountryCode: 'US',
    });
  });

  test('in Brazil have an IBAN with valid check digits', () => {
    const { iban } = platformAtStart().beneficiaries.add({ currencyCode: 'BRL' });
    const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) =>
      String(letter.charCodeAt(0) - 55),
    );
    expect(iban).toMatch(/^BR\d{25}C1$/);
    expect(BigInt(digits) % 97n).toBe(1n);
  });
});

describe('documents and tickets', () => {
  test.each([
    [
      { content: 7 },
      'documents.add: content must be a string, a Uint8Array, or bytes such as { base64: "JVBERi0=" } (received 7)',
    ],
    [{ fileName: 'a\nb' }, 'documents.add: fileName must be a string of printable ASCII'],
    [{ contentType: 7 }, 'documents.add: contentType must be a string of printable ASCII'],
    [{ kind: 'receipt' }, 'documents.add: kind must be one of invoice, other'],
  ])('documents reject %o', (input, message) => {
    expect(() => platformAtStart().documents.add(input as never)).toThrow(message);
  });

  test.each([
    [{ attachments: [{ name: 'a' }] }, 'tickets.add: attachments[0].name is not a known field'],
    [{ attachments: [{ content: 7 }] }, 'tickets.add: attachments[0].content must be'],
    [{ replies: [{ actorEmail: 'nobody' }] }, 'tickets.add: replies[0].actorEmail must be an e-mail address'],
  ])('tickets reject %o', (input, message) => {
    const platform = platformAtStart();
    expect(() => platform.tickets.add(input as never)).toThrow(message);
    expect(platform.tickets.all()).toEqual([]);
  });

  test('a ticket has one attachment and no replies by default', () => {
    expect(platformAtStart().tickets.add()).toMatchObject({
      status: 'OPEN',
      attachments: [{ contentType: 'application/pdf' }],
      replies: [],
    });
  });
});
