import fc from 'fast-check';
import { amounts, Corridor, InvalidRequestError, unknownFields, unknownValue, type EndpointName } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import {
  beneficiaryListParams,
  customerListParams,
  paymentCreateParams,
  paymentCreateParamsOf,
  paymentListParams,
  screeningHistoryParams,
  supportReplyParams,
} from 'corridor-sdk/schemas';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { calls, goodInput, idsOf, type Given } from '../support/calls.ts';
import { changedRecords } from '../openapi/changed-records.ts';
import { issuesOf } from './issues.ts';

const schemas = {
  'payments.create': paymentCreateParams,
  'payments.list': paymentListParams,
  'customers.list': customerListParams,
  'customers.beneficiaries': beneficiaryListParams,
  'screening.history': screeningHistoryParams,
  'support.reply': supportReplyParams,
} satisfies { readonly [Name in EndpointName]?: z.ZodType };

type Name = keyof typeof schemas;

const platform = createMockPlatform();
const refusing = { ...platform.clientOptions(), maxRetries: 0, fetch: () => Promise.reject(new Error('refused')) };

/** The issues with which the client rejects the input of a call before it sends anything; none if it sends it. */
async function clientIssues(name: Name, input: Given, corridor = new Corridor(refusing)): Promise<readonly unknown[]> {
  const ids = Object.fromEntries(idsOf(name).map(([id]) => [id, 'id_1']));
  try {
    await calls[name](corridor, { ...input, ...ids });
    return [];
  } catch (error) {
    return error instanceof InvalidRequestError ? error.issues : [];
  }
}

/** Input with every field, without the ids in the path. */
function inputOf(name: Name): Given {
  const ids = idsOf(name).map(([id]) => id);
  return Object.fromEntries(Object.entries(goodInput[name]).filter(([field]) => !ids.includes(field)));
}

describe.each(Object.keys(schemas) as Name[])('the schema of %s', (name) => {
  const schema = schemas[name];
  const corridor = new Corridor(refusing);
  const same = async (input: unknown): Promise<void> => {
    expect(issuesOf(schema.safeParse(input))).toEqual(await clientIssues(name, input as Given, corridor));
  };

  test('returns what the client sends, unchanged', () => {
    expect(schema.parse(inputOf(name))).toEqual(inputOf(name));
    expect(inputOf(name)).not.toEqual({});
  });

  test('has the messages and paths of the client', async () => {
    for (const { record } of changedRecords(inputOf(name))) await same(record);
  });

  test('has the messages and paths of the client for any values in any fields', async () => {
    const fields = [...Object.keys(schema.shape), 'orderId'];
    const change = fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...values));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(change, { maxLength: 4, selector: ([field]) => field }), async (changes) =>
        same({ ...inputOf(name), ...Object.fromEntries(changes) }),
      ),
      { numRuns: 300 },
    );
  });
});

const values: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  0.5,
  25,
  101,
  2 ** 60,
  '',
  ' ',
  'x',
  '0',
  '0.00',
  '1',
  '1.5',
  '1.500',
  '12.345678901',
  '-1',
  '1,50',
  '1e3',
  '25',
  'x'.repeat(64),
  'x'.repeat(65),
  '\u{1F600}'.repeat(64),
  'USD',
  'XAF',
  'BTC',
  'usd',
  'EUR',
  'COMPLETED',
  'completed',
  '2026-02-28T09:30Z',
  '2026-02-29T09:30:00Z',
  '2026-02-28',
  'ann@example.com',
  'ann@',
  [],
  [''],
  ['doc_1', 7],
  ['doc_1', null],
  'doc_1',
  {},
  { unknownValue: 'EUR' },
  { unknownValue: '' },
  { unknownValue: 'EUR', other: 1 },
];

describe('paymentCreateParams', () => {
  const order = inputOf('payments.create');
  const messages = (schema: z.ZodType, input: unknown): readonly string[] =>
    issuesOf(schema.safeParse(input)).map(({ path, message }) => `${path} ${message}`);

  test('knows the decimals of each currency, also of picked fields', () => {
    const amount = { amount: '10.5', currencyCode: 'XAF' };
    const expected = ['amount must have no decimals in XAF (received 1)'];
    expect(messages(paymentCreateParams, { ...order, ...amount })).toEqual(expected);
    expect(messages(paymentCreateParams.pick({ amount: true, currencyCode: true }), amount)).toEqual(expected);
    const omitted = mini.omit(paymentCreateParams, { memo: true }) as unknown as z.ZodType;
    expect(messages(omitted, { ...order, ...amount, memo: undefined })).toEqual(expected);
    expect(messages(omitted, { ...order, memo: 'x' })).toEqual([expect.stringContaining('memo is not a known field')]);
    expect(messages(paymentCreateParams.partial(), amount)).toEqual(expected);
    expect(messages(paymentCreateParams.pick({ currencyCode: true }), { currencyCode: 'XAF' })).toEqual([]);
  });

  test('can be extended with fields and rules of your own', async () => {
    const form = paymentCreateParams
      .omit({ internalReference: true })
      .extend({
        amount: z.coerce.bigint().transform((cents) => amounts.fromMinorUnits(cents, 2)),
        approvedBy: z.string(),
      })
      .refine(async ({ approvedBy }) => approvedBy !== 'nobody', 'nobody may approve');
    const input = { ...order, internalReference: undefined, amount: 125_000, approvedBy: 'ann' };
    expect(await form.parseAsync(input)).toEqual({ ...input, amount: '1250.00' });
    expect((await form.safeParseAsync({ ...input, approvedBy: 'nobody' })).error?.issues).toMatchObject([
      { message: 'nobody may approve', path: [] },
    ]);
    expect(messages(form, { ...input, approvedBy: undefined, internalReference: 'x' })).toEqual([
      'approvedBy Invalid input: expected string, received undefined',
      expect.stringMatching(
        /^internalReference is not a known field \(known: .*approvedBy; others with unknownFields\)$/,
      ),
    ]);
  });

  test('reports the path in a list, and a whole order that is missing', () => {
    const orders = mini.object({ orders: mini.array(paymentCreateParams) });
    expect(messages(orders as unknown as z.ZodType, { orders: [order, { ...order, amount: 10 }, undefined] })).toEqual([
      expect.stringContaining('orders[1].amount must be a decimal string such as "1250.00" (received number)'),
      'orders[2] is required: it must be an object',
    ]);
  });

  test('rejects text that is not well-formed Unicode', async () => {
    const input = { ...order, memo: '\ud83d' };
    expect(issuesOf(paymentCreateParams.safeParse(input))).toEqual(await clientIssues('payments.create', input));
    expect(messages(paymentCreateParams, input)).toEqual(['memo must be well-formed Unicode (no lone surrogates)']);
  });

  test('reports a bounded number of issues for a malicious order', () => {
    const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`x${index}`, 1]));
    const documentIds = Array.from({ length: 500_000 }, () => 1);
    expect(messages(paymentCreateParams, { ...order, ...unknown, documentIds })).toHaveLength(200);
  });

  test('has the amounts of a dialect', async () => {
    const dialect = { amountFormat: { decimals: 3, separator: ',' } } as const;
    const corridor = new Corridor({ ...refusing, dialect });
    const schema = paymentCreateParamsOf(dialect);
    for (const amount of ['1250,000', '1250.00', '0,000', '1']) {
      const input = { ...order, amount };
      expect(issuesOf(schema.safeParse(input))).toEqual(await clientIssues('payments.create', input, corridor));
    }
    expect(schema.safeParse({ ...order, amount: '1250,000' }).success).toBe(true);
  });

  test('rejects fields that it does not have, also if they are marked: anyone can write a mark in JSON', async () => {
    const unmarked = { ...order, purposeCode: 'GDDS' };
    const issues = await clientIssues('payments.create', unmarked);
    expect(issuesOf(paymentCreateParams.safeParse(unmarked))).toEqual(issues);
    const marked = { ...order, ...unknownFields({ purposeCode: 'GDDS' }) };
    expect(issuesOf(paymentCreateParams.safeParse(marked))).toEqual(issues);
  });

  test('accepts a value that unknownValue marks', () => {
    const currencyCode = unknownValue('EUR');
    expect(paymentCreateParams.parse({ ...order, currencyCode })).toMatchObject({ currencyCode });
  });
});

describe('paymentListParams', () => {
  test('accepts a Date, as the client does', async () => {
    const createdFrom = new Date(Date.UTC(2026, 0, 1));
    expect(paymentListParams.parse({ createdFrom })).toEqual({ createdFrom });
    const invalid = { createdFrom: new Date(Number.NaN) };
    expect(issuesOf(paymentListParams.safeParse(invalid))).toEqual(await clientIssues('payments.list', invalid));
  });

  test('can read a query string', () => {
    const query = paymentListParams.extend({ limit: z.coerce.number().pipe(paymentListParams.shape.limit.unwrap()) });
    expect(query.parse({ status: 'COMPLETED', limit: '25' })).toEqual({ status: 'COMPLETED', limit: 25 });
    expect(issuesOf(query.safeParse({ limit: '101' }))).toEqual([
      { path: 'limit', message: 'must be an integer from 1 to 100. For more, iterate over the list' },
    ]);
  });
});
