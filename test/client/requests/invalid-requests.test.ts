import {
  beneficiaryStatuses,
  customerStatuses,
  type EndpointName,
  InvalidRequestError,
  paymentStatuses,
  type Corridor,
} from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import type { ParamsOf } from '../../../scripts/specification/specification.ts';
import { failureOf } from '../../support/failure-of.ts';
import { pathParameters, endpoints } from '../../../src/contract/endpoints.ts';
import { calls, forEachEndpoint, goodInput, type Given } from '../../support/calls.ts';
import { silent } from '../../support/scripted-fetch.ts';

/** The invalid values of a field, each with the rule that the message states. */
type InvalidValues = readonly (readonly [given: unknown, rule: string])[];

const loneSurrogate = '\ud800';
const idInBody: InvalidValues = [
  ['', 'must be a non-empty string'],
  [undefined, 'is required: it must be a non-empty string'],
  [null, 'must be a non-empty string (received null)'],
  [17, 'must be a non-empty string (received number)'],
  [loneSurrogate, 'must be well-formed Unicode (no lone surrogates)'],
];
const optionalText: InvalidValues = [
  [17, 'must be a string (received number)'],
  [['a'], 'must be a string (received array)'],
  [true, 'must be a string (received boolean)'],
  [new Date(0), 'must be JSON (received a Date)'],
];
const limit: InvalidValues = [
  [0, 'must be an integer from 1 to 100. For more, iterate over the list'],
  [101, 'must be an integer from 1 to 100. For more, iterate over the list'],
  [-1, 'must be an integer from 1 to 100. For more, iterate over the list'],
  [1.5, 'must be an integer from 1 to 100 (received a fractional number). For more, iterate over the list'],
  ['5', 'must be an integer from 1 to 100 (received string). For more, iterate over the list'],
  [null, 'must be an integer from 1 to 100 (received null). For more, iterate over the list'],
  [Number.NaN, 'must be a finite number (received NaN)'],
  [Number.POSITIVE_INFINITY, 'must be a finite number (received Infinity)'],
  [5n, 'must be a string or a number (received a bigint)'],
  [
    new (class Decimal {
      toFixed(): string {
        return '5.00';
      }
    })(),
    'must be a string or a number (received a decimal of a library). Pass value.toFixed(2)',
  ],
];
const cursor: InvalidValues = [
  [null, 'must be the nextCursor of an earlier page (null means that was the last page) (received null)'],
  ['', 'must be the nextCursor of an earlier page (null means that was the last page)'],
  [5, 'must be the nextCursor of an earlier page (null means that was the last page) (received number)'],
];
const timestampRule =
  'must be an ISO 8601 UTC date-time ending in Z with a date that exists, such as "2026-02-28T09:30:00Z", or a valid Date';
const timestamp: InvalidValues = [
  ['2026-02-28', timestampRule],
  [1_772_270_000_000, `${timestampRule} (received number)`],
  [null, `${timestampRule} (received null)`],
  [new Date(Number.NaN), 'must be a valid Date'],
];
// Enums of requests are closed, but for values that are marked.
const marked = "For a value that the platform has added since, pass unknownValue('…')";
const statusOf = (values: readonly string[]): InvalidValues => {
  const rule = `must be one of ${values.join(', ')}`;
  return [
    ['FOO', `${rule} (received "FOO"). ${marked}`],
    ['approved', `${rule} (received "approved"). Pass "APPROVED"`],
    ['', `${rule} (received ""). ${marked}`],
    ['X'.repeat(101), `${rule} (received "${'X'.repeat(100)}…"). ${marked}`],
    [null, `${rule} (received null). ${marked}`],
    [['APPROVED'], `${rule} (received array). ${marked}`],
  ];
};
const currencies =
  'must be one of USD, BRL, MXN, COP, HKD, CNY, NGN, KES, MWK, ZAR, XOF, XAF, UGX, TZS, ZMW, BWP, SGD, USDT, USDC, DAI, BTC';
const amountRule = 'must be a decimal string such as "1250.00"';
const fromCents = 'From an integer of cents, pass amounts.fromMinorUnits(BigInt(cents), currencyCode)';

/** The invalid values of the fields other than ids in a path. */
const invalidFieldValues: {
  readonly [Name in EndpointName as keyof ParamsOf<Name> extends never ? never : Name]: {
    readonly [Field in keyof ParamsOf<Name>]-?: InvalidValues;
  };
} = {
  'payments.create': {
    customerId: idInBody,
    beneficiaryId: idInBody,
    amount: [
      [10, `${amountRule} (received number). ${fromCents}`],
      ['', `${amountRule}. ${fromCents}`],
      ['-1', `${amountRule}. ${fromCents}`],
      ['+1', `${amountRule}. ${fromCents}`],
      ['1,000.00', `${amountRule}. ${fromCents}`],
      ['1.', `${amountRule}. ${fromCents}`],
      ['.5', `${amountRule}. ${fromCents}`],
      ['1e3', `${amountRule}. ${fromCents}`],
      [' 1', `${amountRule}. ${fromCents}`],
      ['1\n', `${amountRule}. ${fromCents}`],
      ['0x10', `${amountRule}. ${fromCents}`],
      ['١٠', `${amountRule}. ${fromCents}`],
      ['NaN', `${amountRule}. ${fromCents}`],
      [undefined, `is required: it ${amountRule}. ${fromCents}`],
      [null, `${amountRule} (received null). ${fromCents}`],
      [10n, 'must be a string or a number (received a bigint)'],
    ],
    currencyCode: [
      ['EUR', `${currencies} (received "EUR"). ${marked}`],
      ['usd', `${currencies} (received "usd"). Pass "USD"`],
      ['', `${currencies} (received ""). ${marked}`],
      [undefined, `is required: it ${currencies}`],
      [null, `${currencies} (received null). ${marked}`],
      [840, `${currencies} (received number). ${marked}`],
    ],
    internalReference: optionalText,
    invoiceNumber: [...optionalText, [null, 'must be a string (received null)']],
    purposeOfPayment: [
      ['', 'must be a string of at least 1 character'],
      [undefined, 'is required: it must be a string of at least 1 character'],
      [null, 'must be a string of at least 1 character (received null)'],
      [5, 'must be a string of at least 1 character (received number)'],
    ],
    memo: [
      ['x'.repeat(65), 'must be a string of at most 64 characters, or null'],
      ['😀'.repeat(65), 'must be a string of at most 64 characters, or null'],
      [5, 'must be a string of at most 64 characters, or null (received number)'],
    ],
    documentIds: [
      [[], 'must be an array of at least 1 document id'],
      ['doc_1', 'must be an array of at least 1 document id (received string)'],
      [undefined, 'is required: it must be an array of at least 1 document id'],
      [null, 'must be an array of at least 1 document id (received null)'],
      [{ 0: 'doc_1', length: 1 }, 'must be an array of at least 1 document id (received object)'],
    ],
    paymentQuoteId: idInBody,
  },
  'payments.list': {
    status: statusOf(paymentStatuses),
    createdFrom: timestamp,
    createdTo: timestamp,
    limit,
    cursor,
  },
  'customers.list': {
    status: statusOf(customerStatuses),
    limit,
    cursor,
  },
  'customers.beneficiaries': {
    status: statusOf(beneficiaryStatuses),
    limit,
    cursor,
  },
  'screening.history': { limit, cursor },
  'support.reply': {
    draftId: [...optionalText, [null, 'must be a string (received null)']],
    actorEmail: [
      ['ops', 'must be an e-mail address'],
      ['ops@', 'must be an e-mail address'],
      ['a b@partner.example', 'must be an e-mail address'],
      ['', 'must be an e-mail address'],
      [7, 'must be an e-mail address (received number)'],
    ],
    bodyHtml: optionalText,
    bodyText: optionalText,
  },
};

const idInPath: InvalidValues = [
  ['', 'must not be empty'],
  ['.', 'must not be "." or ".."'],
  ['..', 'must not be "." or ".."'],
  [loneSurrogate, 'must be well-formed Unicode (no lone surrogates)'],
  [undefined, 'must be a string (received undefined)'],
  [null, 'must be a string (received null)'],
  [17, 'must be a string (received number)'],
  [{}, 'must be a string (received object)'],
];

const invalidValues = forEachEndpoint((name): Readonly<Record<string, InvalidValues>> => ({
  ...Object.fromEntries(pathParameters(endpoints[name].path).map((parameter) => [parameter, idInPath])),
  ...(invalidFieldValues as Partial<Record<EndpointName, Readonly<Record<string, InvalidValues>>>>)[name],
}));

const wrong = Object.entries(invalidValues).flatMap(([name, fields]) =>
  Object.entries(fields).flatMap(([field, values]) =>
    values.map(([given, rule]) => ({ name: name as EndpointName, field, given, rule })),
  ),
);

async function errorOf(name: EndpointName, given: Given): Promise<InvalidRequestError> {
  const { corridor, sent } = silent();
  const error = await failureOf(calls[name](corridor, given));
  expect(sent).toEqual([]);
  expect(error).toBeInstanceOf(InvalidRequestError);
  return error as InvalidRequestError;
}

describe('a request with an invalid field is rejected before anything is sent', () => {
  test.each(wrong)('$name rejects $field: $given', async ({ name, field, given, rule }) => {
    const error = await errorOf(name, { ...goodInput[name], [field]: given });
    expect(error.issues).toEqual([{ path: field, message: rule }]);
    expect(error).toMatchObject({ endpoint: name, outcome: 'not-sent', code: 'invalid-request', attempts: [] });
    expect(error.message).toBe(`${name} was not sent: ${field} ${rule}`);
  });

  test.each(['create', 'createOnce'] as const)('payments.%s without a payment names the call', async (name) => {
    const { corridor } = silent();
    const error = await failureOf(
      name === 'create'
        ? corridor.payments.create(undefined as never)
        : corridor.payments.createOnce(undefined as never),
    );
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({
      message: `payments.${name} was not sent: the request must be an object (received undefined)`,
      issues: [{ path: '', message: 'must be an object (received undefined)' }],
    });
  });

  test('an id in a list of ids is named by its place', async () => {
    const error = await errorOf('payments.create', {
      ...goodInput['payments.create'],
      documentIds: ['doc_1', '', 3, undefined],
    });
    expect(error.issues).toEqual([
      { path: 'documentIds[1]', message: 'must be a non-empty string' },
      { path: 'documentIds[2]', message: 'must be a non-empty string (received number)' },
      { path: 'documentIds[3]', message: 'must be a non-empty string (received null)' },
    ]);
  });

  test('all issues of a body are reported at once', async () => {
    const error = await errorOf('payments.create', {
      amount: 10,
      currencyCode: 'EUR',
      documentIds: [],
      memo: 'x'.repeat(65),
    });
    expect(error.issues.map(({ path }) => path).toSorted()).toEqual([
      'amount',
      'beneficiaryId',
      'currencyCode',
      'customerId',
      'documentIds',
      'memo',
      'paymentQuoteId',
      'purposeOfPayment',
    ]);
  });

  const withFields = (Object.keys(endpoints) as EndpointName[]).filter(
    (name) => 'query' in endpoints[name] || 'body' in endpoints[name],
  );

  test.each(withFields)('%s rejects an unknown field by name and lists the known ones', async (name) => {
    const error = await errorOf(name, { ...goodInput[name], fooBar: undefined, currency: 'USD' });
    expect(error.issues).toHaveLength(1);
    expect(error.issues[0]?.path).toBe('currency');
    const known = Object.keys(invalidValues[name]).filter(
      (field) => !pathParameters(endpoints[name].path).includes(field),
    );
    expect(error.issues[0]?.message).toContain(
      `is not a known field (known: ${known.join(', ')}; others with unknownFields)`,
    );
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'an own field named %s is rejected like any unknown field',
    async (key) => {
      const given = JSON.parse(`{ ${JSON.stringify(key)}: { "a": 1 } }`) as Given;
      const body = Object.defineProperties(
        { ...goodInput['payments.create'] },
        Object.getOwnPropertyDescriptors(given),
      );
      const error = await errorOf('payments.create', body);
      expect(error.issues.map(({ path }) => path)).toEqual([key]);
    },
  );

  test.each([[undefined], [null], ['text'], [5], [[]], [new Date(0)]])(
    'a body must be an object, not %j',
    async (body) => {
      const { corridor, sent } = silent();
      const error = await failureOf(corridor.payments.create(body as never));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(sent).toEqual([]);
    },
  );

  test.each([['COMPLETED'], [5], [[]], [true]])('filters must be an object, not %j', async (query) => {
    const { corridor, sent } = silent();
    const lists: readonly ((query: never) => PromiseLike<unknown>)[] = [
      (given) => corridor.payments.list(given),
      (given) => corridor.customers.list(given),
    ];
    for (const list of lists) expect(await failureOf(list(query as never))).toBeInstanceOf(InvalidRequestError);
    expect(sent).toEqual([]);
  });

  test.each([
    [new Map([['limit', 5]])],
    [new URLSearchParams('limit=5')],
    [new Set([5])],
    [Promise.resolve({ limit: 5 })],
  ])('filters in a %s, whose keys are not its own, are rejected', async (query) => {
    const { corridor, sent } = silent();
    await expect(corridor.customers.list(query as never)).rejects.toThrow(
      /^customers.list was not sent: the request must be JSON \(received a (Map|URLSearchParams|Set|Promise)\)$/,
    );
    expect(sent).toEqual([]);
  });

  test('a circular body is rejected with its path', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const error = await errorOf('payments.create', { ...goodInput['payments.create'], memo: circle });
    expect(error.issues[0]).toMatchObject({
      message: 'must not contain a circular reference or be nested more than 32 levels deep',
    });
  });

  test('an invalid list throws when it is used, not when it is created', async () => {
    const { corridor } = silent();
    const list = corridor.customers.list({ limit: 0 });
    await expect(list.toArray()).rejects.toThrow('customers.list was not sent: limit must be an integer from 1 to 100');
    await expect(
      (async () => {
        for await (const page of list.pages()) expect.unreachable(`a page came: ${page.items.length}`);
      })(),
    ).rejects.toBeInstanceOf(InvalidRequestError);
  });
});

describe('a request is sent as it was checked', () => {
  test('a getter is read once', async () => {
    const { corridor } = silent();
    let reads = 0;
    const body = {
      ...goodInput['payments.create'],
      get amount() {
        reads += 1;
        return reads === 1 ? '-1' : '1';
      },
    };
    expect(await failureOf(corridor.payments.create(body as never))).toBeInstanceOf(InvalidRequestError);
    expect(reads).toBe(1);
  });

  test.each(Object.keys(calls) as EndpointName[])('%s accepts the valid values of the table', async (name) => {
    const { corridor, sent } = silent();
    await failureOf(
      (calls[name] as (corridor: Corridor, given: Given) => PromiseLike<unknown>)(corridor, goodInput[name]),
    );
    expect(sent).toHaveLength(1);
  });
});
