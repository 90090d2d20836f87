import { describe, expect, test } from 'vitest';
import { InvalidRequestError, type Corridor, type EndpointName } from 'corridor-sdk';
import { pathParameters, type Endpoint } from '../../src/contract/endpoint.js';
import { resolveDialect } from '../../src/contract/dialect.js';
import { endpoints } from '../../src/contract/endpoints.js';
import { calls, forEachEndpoint, goodInput, type Given } from './calls.js';
import { rejection, silent } from './scripted.js';

/** What a field refuses: values, each with the rule that the message states. */
type Refusals = readonly (readonly [given: unknown, rule: string])[];

const loneSurrogate = '\ud800';
const idInPath: Refusals = [
  ['', 'must not be empty'],
  ['.', 'must not be "." or ".."'],
  ['..', 'must not be "." or ".."'],
  [loneSurrogate, 'must be well-formed Unicode (no lone surrogates)'],
  [undefined, 'must be a string (got undefined)'],
  [null, 'must be a string (got null)'],
  [17, 'must be a string (got number)'],
  [{}, 'must be a string (got object)'],
];
const idInBody: Refusals = [
  ['', 'must be a non-empty string'],
  [undefined, 'is required: it must be a non-empty string'],
  [null, 'must be a non-empty string (got null)'],
  [17, 'must be a non-empty string (got number)'],
  [loneSurrogate, 'must be well-formed Unicode (no lone surrogates)'],
];
const optionalText: Refusals = [
  [17, 'must be a string (got number)'],
  [['a'], 'must be a string (got array)'],
  [true, 'must be a string (got boolean)'],
  [new Date(0), 'must be JSON (got a Date)'],
];
const limit: Refusals = [
  [0, 'must be a whole number from 1 to 100'],
  [101, 'must be a whole number from 1 to 100'],
  [-1, 'must be a whole number from 1 to 100'],
  [1.5, 'must be a whole number from 1 to 100 (got a number that is not whole)'],
  ['5', 'must be a whole number from 1 to 100 (got string)'],
  [null, 'must be a whole number from 1 to 100 (got null)'],
  [Number.NaN, 'must be a finite number (got NaN)'],
  [Number.POSITIVE_INFINITY, 'must be a finite number (got Infinity)'],
  [5n, 'must be JSON (got bigint)'],
];
const cursor: Refusals = [
  [null, 'must be the nextCursor of an earlier page (null means that was the last page) (got null)'],
  ['', 'must be the nextCursor of an earlier page (null means that was the last page)'],
  [5, 'must be the nextCursor of an earlier page (null means that was the last page) (got number)'],
];
const timestampRule = 'must be an ISO 8601 UTC date-time ending in Z with a date that exists, such as "2026-02-28T09:30:00Z", or a valid Date';
const timestamp: Refusals = [
  ['2026-02-28', timestampRule],
  [1_772_270_000_000, `${timestampRule} (got number)`],
  [null, `${timestampRule} (got null)`],
  [new Date(Number.NaN), 'must be a valid Date'],
];
const statusOf = (...values: readonly string[]): Refusals => {
  const rule = `must be one of ${values.join(', ')}`;
  return [['FOO', rule], ['approved', rule], ['', rule], [null, `${rule} (got null)`], [['APPROVED'], `${rule} (got array)`]];
};
const currencies = 'must be one of USD, BRL, MXN, COP, HKD, CNY, NGN, KES, MWK, ZAR, XOF, XAF, UGX, TZS, ZMW, BWP, SGD, USDT, USDC, DAI, BTC';
const amountRule = 'must be a decimal string such as "1250.00" (^\\d+(\\.\\d+)?$)';

/** What fields refuse that are no ids in a path. */
const fieldRefusals: Partial<Record<EndpointName, Readonly<Record<string, Refusals>>>> = {
  'payments.create': {
    customerId: idInBody,
    beneficiaryId: idInBody,
    paymentQuoteId: idInBody,
    amount: [
      [10, `${amountRule} (got number)`], ['', amountRule], ['-1', amountRule], ['+1', amountRule], ['1,000.00', amountRule], ['1.', amountRule], ['.5', amountRule],
      ['1e3', amountRule], [' 1', amountRule], ['1\n', amountRule], ['0x10', amountRule], ['١٠', amountRule], ['NaN', amountRule],
      [undefined, `is required: it ${amountRule}`], [null, `${amountRule} (got null)`], [10n, 'must be JSON (got bigint)'],
    ],
    currencyCode: [['EUR', currencies], ['usd', currencies], ['', currencies], [undefined, `is required: it ${currencies}`], [null, `${currencies} (got null)`], [840, `${currencies} (got number)`]],
    internalReference: optionalText,
    invoiceNumber: [...optionalText, [null, 'must be a string (got null)']],
    purposeOfPayment: [['', 'must be a string of at least 1 character'], [undefined, 'is required: it must be a string of at least 1 character'], [null, 'must be a string of at least 1 character (got null)'], [5, 'must be a string of at least 1 character (got number)']],
    memo: [['x'.repeat(65), 'must be a string of at most 64 characters, or null'], ['😀'.repeat(65), 'must be a string of at most 64 characters, or null'], [5, 'must be a string of at most 64 characters, or null (got number)']],
    documentIds: [[[], 'must be a list of at least 1 document id'], ['doc_1', 'must be a list of at least 1 document id (got string)'], [undefined, 'is required: it must be a list of at least 1 document id'], [null, 'must be a list of at least 1 document id (got null)'], [{ 0: 'doc_1', length: 1 }, 'must be a list of at least 1 document id (got object)']],
  },
  'payments.list': {
    status: statusOf('PENDING_REVIEW', 'CORRECTION_NEEDED', 'APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED', 'REJECTED', 'CANCELLED'),
    createdFrom: timestamp,
    createdTo: timestamp,
    limit,
    cursor,
  },
  'customers.list': { status: statusOf('DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'), limit, cursor },
  'customers.beneficiaries': { status: statusOf('PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'), limit, cursor },
  'screening.history': { limit, cursor },
  'support.reply': {
    draftId: [...optionalText, [null, 'must be a string (got null)']],
    actorEmail: [['ops', 'must be an e-mail address'], ['ops@', 'must be an e-mail address'], ['a b@partner.example', 'must be an e-mail address'], ['', 'must be an e-mail address'], [7, 'must be an e-mail address (got number)']],
    bodyHtml: optionalText,
    bodyText: optionalText,
  },
};

const refusals = forEachEndpoint((name): Readonly<Record<string, Refusals>> => ({
  ...Object.fromEntries(pathParameters(endpoints[name].path).map((parameter) => [parameter, idInPath])), ...fieldRefusals[name],
}));

const fieldsOf = (name: EndpointName): string[] => {
  const { path, query, body }: Endpoint<unknown> = endpoints[name];
  const schemas = [query?.(), body?.(resolveDialect())].filter((schema) => schema !== undefined);
  return [...pathParameters(path), ...schemas.flatMap((schema) => Object.keys((schema as unknown as { readonly shape: object }).shape))];
};

const wrong = Object.entries(refusals).flatMap(([name, fields]) =>
  Object.entries(fields).flatMap(([field, values]) => values.map(([given, rule]) => ({ name: name as EndpointName, field, given, rule }))));

async function refusalOf(name: EndpointName, given: Given): Promise<InvalidRequestError> {
  const { corridor, sent } = silent();
  const error = await rejection(calls[name](corridor, given));
  expect(sent).toEqual([]);
  expect(error).toBeInstanceOf(InvalidRequestError);
  return error as InvalidRequestError;
}

describe('a request with a wrong field is refused before anything is sent', () => {
  test.each(Object.keys(refusals) as EndpointName[])('every field of %s is in the table below', (name) => {
    expect(Object.keys(refusals[name]).toSorted()).toEqual(fieldsOf(name).toSorted());
  });

  test.each(wrong)('$name refuses $field: $given', async ({ name, field, given, rule }) => {
    const error = await refusalOf(name, { ...goodInput[name], [field]: given });
    expect(error.issues).toEqual([{ path: field, message: rule }]);
    expect(error).toMatchObject({ endpoint: name, outcome: 'not-sent', code: 'invalid-request', attempts: [] });
    expect(error.message).toBe(`${name} was not sent: ${field} ${rule}`);
  });

  test('an id in a list of ids is named by its place', async () => {
    const error = await refusalOf('payments.create', { ...goodInput['payments.create'], documentIds: ['doc_1', '', 3, undefined] });
    expect(error.issues).toEqual([
      { path: 'documentIds[1]', message: 'must be a non-empty string' },
      { path: 'documentIds[2]', message: 'must be a non-empty string (got number)' },
      { path: 'documentIds[3]', message: 'must be a non-empty string (got null)' },
    ]);
  });

  test('everything that is wrong with a body is told at once', async () => {
    const error = await refusalOf('payments.create', { amount: 10, currencyCode: 'EUR', documentIds: [], memo: 'x'.repeat(65) });
    expect(error.issues.map(({ path }) => path).toSorted()).toEqual(['amount', 'beneficiaryId', 'currencyCode', 'customerId', 'documentIds', 'memo', 'paymentQuoteId', 'purposeOfPayment']);
  });

  const withFields = (Object.keys(endpoints) as EndpointName[]).filter((name) => 'query' in endpoints[name] || 'body' in endpoints[name]);

  test.each(withFields)('%s refuses an unknown field by name, and says which are known', async (name) => {
    const error = await refusalOf(name, { ...goodInput[name], fooBar: undefined, currency: 'USD' });
    expect(error.issues).toHaveLength(1);
    expect(error.issues[0]?.path).toBe('currency');
    const known = fieldsOf(name).filter((field) => !pathParameters(endpoints[name].path).includes(field));
    expect(error.issues[0]?.message).toBe(`is not a known field (known: ${known.join(', ')})`);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('an own field called %s is refused as any unknown one', async (key) => {
    const given = JSON.parse(`{ ${JSON.stringify(key)}: { "a": 1 } }`) as Given;
    const body = Object.defineProperties({ ...goodInput['payments.create'] }, Object.getOwnPropertyDescriptors(given));
    const error = await refusalOf('payments.create', body);
    expect(error.issues.map(({ path }) => path)).toEqual([key]);
  });

  test.each([[undefined], [null], ['text'], [5], [[]], [new Date(0)]])('a body must be an object, not %j', async (body) => {
    const { corridor, sent } = silent();
    const error = await rejection(corridor.payments.create(body as never));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(sent).toEqual([]);
  });

  test.each([['COMPLETED'], [5], [[]], [true]])('filters must be an object, not %j', async (query) => {
    const { corridor, sent } = silent();
    const lists: readonly ((query: never) => PromiseLike<unknown>)[] = [(given) => corridor.payments.list(given), (given) => corridor.customers.list(given)];
    for (const list of lists) expect(await rejection(list(query as never))).toBeInstanceOf(InvalidRequestError);
    expect(sent).toEqual([]);
  });

  test.each([[new Map([['limit', 5]])], [new URLSearchParams('limit=5')], [new Set([5])], [Promise.resolve({ limit: 5 })]])('filters in a %s, whose keys do not show them, are refused', async (query) => {
    const { corridor, sent } = silent();
    await expect(corridor.customers.list(query as never)).rejects.toThrow(/^customers.list was not sent: it must be JSON \(got a (Map|URLSearchParams|Set|Promise)\)$/);
    expect(sent).toEqual([]);
  });

  test('a body that is a circle is refused by its path', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const error = await refusalOf('payments.create', { ...goodInput['payments.create'], memo: circle });
    expect(error.issues[0]).toMatchObject({ message: 'must not be nested so deeply, or in a circle' });
  });

  test('a list refuses when it is used, not when it is asked for', async () => {
    const { corridor } = silent();
    const list = corridor.customers.list({ limit: 0 });
    await expect(list.toArray()).rejects.toThrow('customers.list was not sent: limit must be a whole number from 1 to 100');
    await expect((async () => {
      for await (const page of list.pages()) expect.unreachable(`a page came: ${page.items.length}`);
    })()).rejects.toBeInstanceOf(InvalidRequestError);
  });
});

describe('a request is sent as it was checked', () => {
  test('a getter is read once', async () => {
    const { corridor } = silent();
    let reads = 0;
    const body = { ...goodInput['payments.create'], get amount() { reads += 1; return reads === 1 ? '-1' : '1'; } };
    expect(await rejection(corridor.payments.create(body as never))).toBeInstanceOf(InvalidRequestError);
    expect(reads).toBe(1);
  });

  test.each(Object.keys(calls) as EndpointName[])('%s takes what the table calls good', async (name) => {
    const { corridor, sent } = silent();
    await rejection((calls[name] as (corridor: Corridor, given: Given) => PromiseLike<unknown>)(corridor, goodInput[name]));
    expect(sent).toHaveLength(1);
  });
});
