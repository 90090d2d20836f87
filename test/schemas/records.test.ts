import { Ajv } from 'ajv';
import {
  Corridor,
  InvalidResponseError,
  type EndpointName,
  type Payment,
  type PaymentStatus,
  type ValidationMode,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import * as schemas from 'corridor-sdk/schemas';
import { payment, strict, type ObjectSchema } from 'corridor-sdk/schemas';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { calls, goodInput } from '../support/calls.ts';
import { changedRecords } from '../openapi/changed-records.ts';
import { collectMockResponses } from '../openapi/mock-responses.ts';
import { issuesOf } from './issues.ts';

const { responses } = await collectMockResponses();
const platform = createMockPlatform();

interface Row {
  readonly name: string;
  readonly schema: ObjectSchema<object>;
  readonly endpoint: EndpointName;
  /** The list in the response that has the records; without it, the response is one. */
  readonly list?: string;
}

const row = <T>(name: string, schema: ObjectSchema<T>, endpoint: EndpointName, list?: string): Row => ({
  name,
  schema: schema as unknown as ObjectSchema<object>,
  endpoint,
  ...(list !== undefined && { list }),
});

const rows: readonly Row[] = [
  row('createdPayment', schemas.createdPayment, 'payments.create'),
  row('listedPayment', schemas.listedPayment, 'payments.list', 'items'),
  row('customer', schemas.customer, 'customers.get'),
  row('customerActivity', schemas.customerActivity, 'customers.activity', 'items'),
  row('beneficiary', schemas.beneficiary, 'customers.beneficiaries', 'items'),
  row('personScreening', schemas.personScreening, 'screening.get'),
  row('screeningRun', schemas.screeningRun, 'screening.history', 'items'),
  row('cryptoPaymentMethod', schemas.cryptoPaymentMethod, 'crypto.paymentMethods', 'methods'),
  row('cryptoNetwork', schemas.cryptoNetwork, 'crypto.networks', 'networks'),
];

let body: unknown;
const clientOf = (validation: ValidationMode): Corridor =>
  new Corridor({
    ...platform.clientOptions(),
    maxRetries: 0,
    validation,
    fetch: () => Promise.resolve(Response.json(body)),
  });
const clients = { standard: clientOf('standard'), strict: clientOf('strict') };

/** The result of a call whose response contains a record: the record, or its issues. */
async function called(
  { endpoint, list }: Row,
  envelope: unknown,
  record: unknown,
  validation: keyof typeof clients,
): Promise<{ readonly record?: unknown; readonly issues: readonly unknown[] }> {
  body = list === undefined ? record : { ...(envelope as object), [list]: [record] };
  try {
    const data = await calls[endpoint](clients[validation], goodInput[endpoint]);
    if (list === undefined) return { record: data, issues: [] };
    const records = Array.isArray(data) ? (data as unknown[]) : (data as { readonly items: readonly unknown[] }).items;
    return { record: records[0], issues: [] };
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) return { issues: [] };
    const prefix = list === undefined ? '' : `${list}[0]`;
    return {
      issues: error.issues.map(({ path, message }) => ({
        path: path.slice(prefix.length).replace(/^\./, ''),
        message,
      })),
    };
  }
}

describe.each(rows)('$name', (each) => {
  const { schema, endpoint, list } = each;
  const envelopes = (responses.get(endpoint) ?? []) as readonly Readonly<Record<string, readonly unknown[]>>[];
  const examples = envelopes
    .flatMap((envelope) =>
      (list === undefined ? [envelope] : (envelope[list] ?? [])).map((record) => ({ envelope, record })),
    )
    .slice(0, endpoint === 'payments.create' ? 2 : 1);

  test('accepts the records of the platform, open and strict', () => {
    expect(examples).not.toEqual([]);
    for (const { record } of examples)
      expect([schema.parse(record), strict(schema).parse(record)]).toEqual([record, record]);
  });

  test('returns the records that the client returns, and otherwise its messages and paths', async () => {
    for (const { envelope, record } of examples)
      for (const { what, record: changed } of changedRecords(record)) {
        const parsed = schema.safeParse(changed);
        const expected = await called(each, envelope, structuredClone(changed), 'standard');
        expect({ what, issues: issuesOf(parsed) }).toEqual({ what, issues: expected.issues });
        if (expected.record !== undefined) expect(parsed.data).toEqual(expected.record);
      }
  });

  test('is strict as the client is', async () => {
    for (const { envelope, record } of examples)
      for (const { what, record: changed } of changedRecords(record)) {
        const { issues } = await called(each, envelope, changed, 'strict');
        expect({ what, issues: issuesOf(strict(schema).safeParse(changed)) }).toEqual({ what, issues });
      }
  });
});

test('payment accepts every payment, whatever other fields it has', () => {
  const all = [
    ...(responses.get('payments.create') ?? []),
    ...(responses.get('payments.list') as { items: [] }[]).flatMap(({ items }) => items),
  ];
  expect(all.length).toBeGreaterThan(2);
  for (const each of all) expect(payment.parse(each)).toEqual(each);
  expect(issuesOf(strict(payment).safeParse(all[0]))).toEqual([
    { path: 'paymentQuote', message: 'is not in the contract' },
  ]);
});

test('an unknown variant still has the fields that all variants share', async () => {
  const created = responses.get('payments.create')?.[0] as { readonly paymentQuote: object };
  const each = rows[0] as Row;
  for (const change of [{ id: 7 }, { id: null }, { usedAt: undefined }, { priceBreakdown: 'none', totalTarget: 3 }]) {
    const record = structuredClone({
      ...created,
      paymentQuote: { ...created.paymentQuote, fundingType: 'LIGHTNING', ...change },
    });
    for (const [mode, schema] of [
      ['standard', each.schema],
      ['strict', strict(each.schema)],
    ] as const) {
      const { issues } = await called(each, undefined, record, mode);
      expect(issuesOf(schema.safeParse(record))).toEqual(issues);
    }
  }
});

test('a status that this version does not know passes, and fails in strict', () => {
  const pending: PaymentStatus = 'PENDING_REVIEW';
  const status = payment.pick({ status: true });
  expect([pending, 'STATUS_OF_TESTS', null, 5].map((value) => status.safeParse({ status: value }).success)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(strict(payment).shape.status.safeParse('STATUS_OF_TESTS').error?.issues[0]?.message).toBe(
    'is a value not in the contract',
  );
});

test('strict rejects what is no record of this module', () => {
  const picked = payment.pick({ id: true }) as unknown as ObjectSchema<Payment>;
  expect(() => strict(picked)).toThrow('strict(payment).pick({ id: true })');
});

describe('JSON Schema', () => {
  const schemaOf = (schema: z.ZodType): unknown => z.toJSONSchema(schema, { target: 'draft-7' });

  test('describes every request and record', () => {
    const names = Object.entries(schemas).filter(([, schema]) => schema instanceof z.ZodType);
    expect(names.length).toBeGreaterThan(15);
    for (const [, schema] of names) expect(schemaOf(schema as z.ZodType)).toMatchObject({ type: 'object' });
    expect(schemaOf(schemas.paymentCreateParams)).toMatchObject({
      additionalProperties: false,
      properties: {
        memo: { anyOf: [{ maxLength: 64 }, {}] },
        documentIds: { minItems: 1 },
        currencyCode: { enum: expect.arrayContaining(['USD']) },
      },
    });
  });

  test('accepts every record that the schema accepts; a strict one no other', () => {
    for (const { schema, endpoint, list } of rows) {
      const envelope = responses.get(endpoint)?.[0] as Readonly<Record<string, readonly unknown[]>>;
      const record = list === undefined ? envelope : envelope[list]?.[0];
      const validatorOf = (each: z.ZodType): ((value: unknown) => unknown) =>
        new Ajv({ strict: false }).compile(z.toJSONSchema(each, { target: 'draft-7', io: 'input' }));
      const [isValid, isValidStrict] = [validatorOf(schema), validatorOf(strict(schema))];
      for (const { what, record: changed } of changedRecords(record)) {
        if (schema.safeParse(changed).success) expect({ what, valid: isValid(changed) }).toEqual({ what, valid: true });
        const valid = strict(schema).safeParse(changed).success;
        expect({ what, valid: isValidStrict(changed) }).toEqual({ what, valid });
      }
    }
  });
});
