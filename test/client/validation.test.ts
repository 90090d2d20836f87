import {
  Corridor,
  type CorridorOptions,
  type Drift,
  type EndpointName,
  type DriftKind,
  InvalidResponseError,
  Page,
  type ListedPayment,
  paymentStatuses,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { addExampleRecords, endpointExamples } from '../../scripts/specification/specification.ts';
import { calls } from '../support/calls.ts';

/** JSON that can be changed in place. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The result of a call whose response was changed on its way. */
interface Drifted {
  /** The response body that reached the client. */
  readonly body: Json;
  /** The result of the call. */
  readonly data?: unknown;
  /** The error of the call. */
  readonly error?: unknown;
  /** The drift that was reported, in order. */
  readonly heard: readonly Drift[];
}

/** The endpoints, and a payment with a bank-funded quote. */
type Checked = EndpointName | 'bank-funded quote';

/** Makes a call whose response is changed on its way. */
async function drifted(name: Checked, change: (body: Json) => void, options: CorridorOptions = {}): Promise<Drifted> {
  const platform = createMockPlatform({ now: () => Date.UTC(2026, 0, 15, 9) });
  const heard: Drift[] = [];
  let body: Json = null;
  const corridor = new Corridor({
    ...platform.clientOptions(),
    maxRetries: 0,
    onDrift: (drift) => heard.push(drift),
    fetch: async (input, init) => {
      const response = await platform.fetch(input, init);
      body = (await response.json()) as Json;
      change(body);
      return Response.json(body, { status: response.status });
    },
    ...options,
  });
  addExampleRecords(platform);
  const sourceFunding = { type: 'CRYPTO', symbol: 'USDC', network: null, fundingStatus: 'PENDING' } as const;
  platform.payments.addMany(2, () => ({ status: 'COMPLETED', sourceFunding }));
  const [endpoint, input] = ((): [EndpointName, Readonly<Record<string, unknown>>] => {
    if (name === 'bank-funded quote')
      return [
        'payments.create',
        { ...platform.payments.createParams({ paymentQuote: { fundingType: 'BANK_ACCOUNT' } }) },
      ];
    return [name, name === 'payments.list' ? { limit: 2 } : endpointExamples[name].input];
  })();
  try {
    const data = await calls[endpoint](corridor, input);
    return { data, body, heard };
  } catch (error) {
    return { error, body, heard };
  }
}

/** Sets a field of a response, such as `items[0].status`; undefined removes it. */
function set(body: Json, path: string, value: unknown): void {
  const steps = path.match(/[^.[\]]+/g) ?? [];
  const last = steps.pop() as string;
  let place = body as { [key: string]: Json };
  for (const step of steps) place = place[step] as { [key: string]: Json };
  if (value === undefined) delete place[last];
  else place[last] = value as Json;
}

// test/contract/single-differences.test.ts changes every field; here is each kind of difference, with its message.

/** Additions that are compatible: reported in `standard`, thrown in `strict`. */
const additions: readonly (readonly [name: Checked, path: string, value: unknown, kind: DriftKind, message: string])[] =
  [
    ['payments.list', 'total', 2, 'unknown-field', 'is not in the contract'],
    ['payments.list', 'items[1].newField', { a: [1] }, 'unknown-field', 'is not in the contract'],
    ['payments.list', 'items[0].sourceFunding.memo', 'x', 'unknown-field', 'is not in the contract'],
    ['payments.list', 'items[0].customer.status', 'CLOSED', 'unknown-value', 'is a value not in the contract'],
    ['payments.list', 'items[0].purposeOfPayment', null, 'unexpected-null', 'must not be null'],
    ['payments.create', 'paymentQuote.fundingType', 'LIGHTNING', 'unknown-variant', 'is a variant not in the contract'],
    ['customers.activity', 'nextCursor', 'x', 'unknown-field', 'is not in the contract'],
    ['screening.get', 'openMatches[0].topics[0]', null, 'unexpected-null', 'must not be null'],
    ['screening.history', 'hasMore', false, 'unknown-field', 'is not in the contract'],
  ];

/** Fields that may be null and are absent: reported and set to null in `standard`, thrown in `strict`. */
const absences: readonly (readonly [name: Checked, path: string])[] = [
  ['payments.list', 'items[1].internalReference'],
  ['payments.list', 'items[0].sourceFunding'],
  ['payments.create', 'paymentQuote.priceBreakdown.funding.lines[0].feeRuleId'],
  ['bank-funded quote', 'paymentQuote.usedAt'],
];

/** Changes that break code that relies on the types: thrown in `standard` and `strict`. */
const breaks: readonly (readonly [name: Checked, path: string, value: unknown, kind: DriftKind, message: string])[] = [
  ['payments.list', 'items[0].amount', null, 'unexpected-null', 'must not be null'],
  ['payments.list', 'items[0]', null, 'unexpected-null', 'must not be null'],
  ['payments.list', 'items[0].customer.companyName', undefined, 'missing-field', 'is missing'],
  ['payments.list', 'nextCursor', undefined, 'missing-field', 'is missing'],
  ['payments.list', 'hasMore', 'true', 'wrong-type', 'must be a boolean (received string)'],
  ['payments.list', 'items[0].amount', 10, 'wrong-type', 'must be a string (received number)'],
  [
    'payments.list',
    'items[0].status',
    5,
    'wrong-type',
    `must be one of ${paymentStatuses.join(', ')} (received number)`,
  ],
  ['payments.list', 'items[0].rail', [], 'wrong-type', 'must be an object (received array)'],
  ['payments.list', 'items[0].sourceFunding', 'CRYPTO', 'wrong-type', 'must be an object (received string)'],
  [
    'payments.list',
    'items[0].sourceFunding.type',
    5,
    'wrong-type',
    'must be "BANK_ACCOUNT" or "CRYPTO" (received number)',
  ],
  ['payments.list', 'items[0].authorization.version', '1', 'wrong-type', 'must be an integer (received string)'],
  [
    'crypto.paymentMethods',
    'methods[0].decimals',
    6.5,
    'wrong-type',
    'must be an integer (received a fractional number)',
  ],
  [
    'payments.list',
    'items[0].authorization.version',
    1e300,
    'wrong-type',
    'must be an integer (received an integer too large to be exact)',
  ],
  [
    'payments.list',
    'items[0].authorization.documents',
    {},
    'wrong-type',
    'must be an array of objects (received object)',
  ],
  [
    'payments.create',
    'paymentQuote.priceBreakdown.payout.label',
    5,
    'wrong-type',
    'must be "Payment amount" (received number)',
  ],
  ['bank-funded quote', 'paymentQuote.totalTarget', undefined, 'missing-field', 'is missing'],
];

/** Differences that are not reported, because the specification allows them. */
const allowed: readonly (readonly [name: Checked, path: string, value: unknown])[] = [
  ['payments.list', 'items[0].memo', null],
  ['payments.list', 'items[0].customer.orgId', undefined],
  ['payments.list', 'items[0].createdAt', 'yesterday'],
  ['payments.list', 'items[0].amount', '1e3'],
  ['payments.list', 'items[0].currencyCode', 'EUR'],
  ['bank-funded quote', 'paymentQuote.bankAccountId', 'acc_1'],
];

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
    set(body, 'items[0].status', 'STATUS_OF_TESTS');
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
    expect(JSON.stringify(heard)).not.toContain('STATUS_OF_TESTS');
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

  test.each([
    [5, ''],
    [7, '; and 2 more'],
  ])('of %i issues names five in its message, and all in its issues', async (count, more) => {
    const keys = ['id', 'companyName', 'registrationNumber', 'city', 'postalCode', 'createdAt', 'updatedAt'];
    const { error } = await drifted('customers.get', (body) => {
      for (const key of keys.slice(0, count)) set(body, key, undefined);
    });
    const { issues, message } = error as InvalidResponseError;
    expect(issues).toHaveLength(count);
    const named = issues.slice(0, 5).map(({ path }) => `${path} is missing`);
    expect(message).toContain(`${named.join('; ')}${more} (`);
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
