import { describe, expect, test } from 'vitest';
import { InvalidResponseError, Page, type ListedPayment } from 'corridor-sdk';
import { drifted, set, type Checked, type Json } from './drifting-server.js';
import { absences, additions, breaks, allowed } from './differences.js';

const endpointOf = (name: Checked): string => (name === 'bank-funded quote' ? 'payments.create' : name);
/** Returns the expected records of a response, regardless of their envelope. */
const shownOf = (data: unknown): string => JSON.stringify(data instanceof Page ? { items: data.items } : data);
const keptOf = (name: Checked, body: Json): string => {
  const whole = body as { [key: string]: Json };
  if (whole['items'] !== undefined)
    return JSON.stringify(name === 'customers.activity' ? whole['items'] : { items: whole['items'] });
  return JSON.stringify(whole['methods'] ?? whole['networks'] ?? whole);
};

describe.each(additions)('%s: %s is %j', (name, path, value, kind, message) => {
  const change = (body: Json): void => set(body, path, value);

  test('is returned and reported with validation: standard', async () => {
    const { data, error, heard, body } = await drifted(name, change);
    expect(error).toBeUndefined();
    expect(heard).toEqual([{ endpoint: endpointOf(name), path, kind }]);
    expect(shownOf(data)).toBe(keptOf(name, body));
  });

  test('is rejected with validation: strict', async () => {
    const { error, heard } = await drifted(name, change, { validation: 'strict' });
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ endpoint: endpointOf(name), outcome: 'applied', code: 'invalid-response' });
    expect((error as InvalidResponseError).issues).toEqual([{ path, message }]);
    expect(heard).toEqual([]);
  });
});

describe.each(absences)('%s: %s is absent', (name, path) => {
  const remove = (body: Json): void => set(body, path, undefined);
  const endpoint = endpointOf(name);

  test('is null and reported with validation: standard', async () => {
    const { data, error, heard, body } = await drifted(name, remove);
    expect(error).toBeUndefined();
    expect(heard).toEqual([{ endpoint, path, kind: 'missing-field' }]);
    set(body, path, null);
    expect(shownOf(data)).toBe(keptOf(name, body));
  });

  test('is rejected with validation: strict', async () => {
    const { error, heard } = await drifted(name, remove, { validation: 'strict' });
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as InvalidResponseError).issues).toEqual([{ path, message: 'is missing' }]);
    expect(heard).toEqual([]);
  });

  test('is reported and stays absent with validation: observe', async () => {
    const { data, error, heard, body } = await drifted(name, remove, { validation: 'observe' });
    expect(error).toBeUndefined();
    expect(heard).toEqual([{ endpoint, path, kind: 'missing-field' }]);
    expect(shownOf(data)).toBe(keptOf(name, body));
  });
});

describe.each(breaks)('%s: %s is %j', (name, path, value, kind, message) => {
  const change = (body: Json): void => set(body, path, value);

  test.each(['standard', 'strict'] as const)('is rejected with validation: %s', async (validation) => {
    const { error, heard } = await drifted(name, change, { validation });
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ endpoint: endpointOf(name), outcome: 'applied', code: 'invalid-response' });
    expect((error as InvalidResponseError).issues).toEqual([{ path, message }]);
    expect((error as InvalidResponseError).message).toContain(`${path} ${message}`);
    expect(heard).toEqual([]);
  });

  test('is returned and reported with validation: observe', async () => {
    const { data, error, heard, body } = await drifted(name, change, { validation: 'observe' });
    expect(error).toBeUndefined();
    expect(heard).toEqual([{ endpoint: endpointOf(name), path, kind }]);
    expect(shownOf(data)).toBe(keptOf(name, body));
  });
});

describe.each(allowed)('%s: %s may be %j', (name, path, value) => {
  test.each(['standard', 'strict', 'observe'] as const)('with validation: %s', async (validation) => {
    const { data, error, heard, body } = await drifted(name, (given) => set(given, path, value), { validation });
    expect(error).toBeUndefined();
    expect(heard).toEqual([]);
    expect(shownOf(data)).toBe(keptOf(name, body));
  });
});

describe('a response with several differences', () => {
  const change = (body: Json): void => {
    set(body, 'items[0].status', 'ON_HOLD');
    set(body, 'items[1].extra', 1);
    set(body, 'items[1].purposeOfPayment', null);
  };

  test('reports each difference without its value', async () => {
    const { heard } = await drifted('payments.list', change);
    expect(heard).toHaveLength(3);
    expect(heard).toEqual(
      expect.arrayContaining([
        { endpoint: 'payments.list', path: 'items[0].status', kind: 'unknown-value' },
        { endpoint: 'payments.list', path: 'items[1].extra', kind: 'unknown-field' },
        { endpoint: 'payments.list', path: 'items[1].purposeOfPayment', kind: 'unexpected-null' },
      ]),
    );
    expect(JSON.stringify(heard)).not.toContain('ON_HOLD');
  });

  test('names the breaking differences in its error and reports the rest', async () => {
    const { error, heard } = await drifted('payments.list', (body) => {
      change(body);
      set(body, 'items[0].amount', 10);
    });
    expect((error as InvalidResponseError).issues.map(({ path }) => path)).toEqual(['items[0].amount']);
    expect(heard).toHaveLength(3);
  });

  test('sets all absent fields to null, also those after the reported ones', async () => {
    const { data, heard } = await drifted('payments.list', (body) => {
      const page = body as unknown as { items: object[] };
      page.items = Array.from({ length: 150 }, () => structuredClone(page.items[0] as object));
      for (const index of page.items.keys()) set(body, `items[${index}].memo`, undefined);
    });
    expect(heard.map(({ kind }) => kind)).toEqual([...Array.from({ length: 100 }, () => 'missing-field'), 'truncated']);
    expect((data as Page<ListedPayment>).items.map(({ memo }) => memo)).toEqual(
      Array.from({ length: 150 }, () => null),
    );
  });

  test('keeps the body of its error as the platform sent it', async () => {
    const { error } = await drifted('payments.list', (body) => {
      set(body, 'items[0].memo', undefined);
      set(body, 'items[0].amount', 10);
    });
    const [payment] = ((error as InvalidResponseError).body as { readonly items: readonly object[] }).items;
    expect(payment).not.toHaveProperty('memo');
  });

  test('names five in its message, and all in its issues', async () => {
    const { error } = await drifted('customers.get', (body) => {
      for (const key of ['id', 'companyName', 'registrationNumber', 'city', 'postalCode', 'createdAt', 'updatedAt'])
        set(body, key, undefined);
    });
    expect((error as InvalidResponseError).issues).toHaveLength(7);
    expect((error as InvalidResponseError).message).toContain('; and 2 more');
  });
});

describe('an unknown variant of a quote', () => {
  const change =
    (field: string, value: unknown) =>
    (body: Json): void => {
      set(body, 'paymentQuote.fundingType', 'LIGHTNING');
      set(body, `paymentQuote.${field}`, value);
    };

  test.each([
    ['expiresAt', undefined, 'is missing'],
    ['totalTarget', 5, 'must be a string (received number)'],
    ['id', null, 'must not be null'],
  ] as const)('still has the fields that every quote has: %s is %j', async (field, value, message) => {
    const { error, heard } = await drifted('payments.create', change(field, value));
    expect((error as InvalidResponseError).issues).toEqual([{ path: `paymentQuote.${field}`, message }]);
    expect(heard).toEqual([{ endpoint: 'payments.create', path: 'paymentQuote.fundingType', kind: 'unknown-variant' }]);
  });

  test('may have whatever else', async () => {
    const { error, heard } = await drifted('payments.create', change('invoice', { bolt11: 'ln' }));
    expect(error).toBeUndefined();
    expect(heard.map(({ kind }) => kind)).toEqual(['unknown-variant']);
  });
});

describe('onDrift', () => {
  const unknownStatus = (body: Json): void => set(body, 'status', 'FROZEN');

  test('is called before the call resolves', async () => {
    const order: string[] = [];
    await drifted('customers.get', unknownStatus, { onDrift: ({ path }) => order.push(path) }).then(() =>
      order.push('resolved'),
    );
    expect(order).toEqual(['status', 'resolved']);
  });

  test('cannot make a call fail', async () => {
    const { data, error } = await drifted('customers.get', unknownStatus, {
      onDrift: () => {
        throw new Error('mine');
      },
    });
    expect([error, data]).toEqual([undefined, expect.objectContaining({ status: 'FROZEN' })]);
  });

  test('is not called if a response matches the contract', async () => {
    for (const validation of ['standard', 'observe'] as const)
      expect((await drifted('payments.list', () => {}, { validation })).heard).toEqual([]);
  });
});
