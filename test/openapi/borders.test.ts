import { paymentCurrencies } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { type EndpointDefinition, type EndpointName, endpointNames, endpoints } from '../../src/contract/endpoints.ts';
import { calls, goodInput } from '../support/calls.ts';
import { scripted } from '../support/scripted-fetch.ts';
import { call } from '../mock/sign.ts';
import { document, type Node, operationOf, validatorOf } from './document.ts';

// Sends the borders of every field of every request to the mock, and to an independent validator with openapi.json.

const textsOf = (list: string): string[] => list.split('|');

/** Values of any type, and texts that look like those of other types. */
const anything: readonly unknown[] = [
  null,
  true,
  0,
  5,
  1.5,
  [],
  {},
  ['x'],
  [null],
  [''],
  { x: 1 },
  '\ud800',
  ...textsOf('| |x|0|1|-1|+1|01|1.5|1e2|100|101|1000000000000000000000|null|ü|💶'),
];

const dates = [
  '2026-02-28T09:30:00Z|2026-02-28T09:30Z|2026-02-28T09:30:00.123456789Z|2024-02-29T00:00:00Z|2000-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z|2026-02-29T00:00:00Z|2026-04-31T00:00:00Z|2026-13-01T00:00:00Z|2026-00-10T00:00:00Z',
  '2026-01-00T00:00:00Z|2026-12-31T24:00:00Z|2026-12-31T23:60:00Z|2026-12-31T23:59:60Z|2026-02-28T09:30:00',
  '2026-02-28T09:30:00+00:00|2026-02-28|2026-02-28t09:30:00z|2026-02-28 09:30:00Z|2026-02-28T09:30:00.Z',
  '0000-02-29T00:00:00Z|20260228T093000Z',
].flatMap(textsOf);

const amounts = [
  ...textsOf('0|0.0|0.00|00|0.01|1|1.|.5|1.0|1.5|1.50|1.500|1.25|1.255|1.2550|1.123456|1.1234567|1.12345678'),
  ...textsOf('1.123456789|1,50|1.00000000000000000000|-1|+1| 1|1 |1e3|0x1|Infinity|１'),
  ...[18, 19].map((decimals) => `1.${'1'.repeat(decimals)}`),
  '9'.repeat(30),
];

/** The borders of a field that its schema states. */
function bordersOf(schema: Node): unknown[] {
  const {
    minLength,
    maxLength,
    minItems,
    minimum,
    maximum,
    enum: values = [],
    items,
  } = schema as {
    readonly [keyword in 'minLength' | 'maxLength' | 'minItems' | 'minimum' | 'maximum']?: number;
  } & { readonly enum?: readonly unknown[]; readonly items?: Node };
  const around = (limit: number | undefined): number[] => (limit === undefined ? [] : [limit - 1, limit, limit + 1]);
  const lengths = [minLength, maxLength].flatMap(around).filter((length) => length >= 0);
  return [
    ...lengths.flatMap((length) => ['x'.repeat(length), '💶'.repeat(length), 'é'.normalize('NFD').repeat(length)]),
    ...[minimum, maximum].flatMap(around),
    ...around(minItems)
      .filter((length) => length >= 0)
      .map((length) => Array.from({ length }, (_, index) => `doc_${index}`)),
    ...(items === undefined ? [] : [...anything, ...bordersOf(items)].map((item) => ['doc_1', item])),
    ...values.flatMap((value) => [value, String(value).toLowerCase(), `${String(value)}_`, ` ${String(value)}`]),
    'x'.repeat(10_000),
    Array.from({ length: 1000 }, (_, index) => `doc_${index}`),
  ];
}

const platform = createMockPlatform({ now: () => Date.UTC(2026, 2, 1, 9) });
const signer = platform.clientOptions();

/** Returns whether the mock accepts a request as one of the contract, whatever records there are. */
async function accepts(method: string, path: string, json?: unknown): Promise<boolean> {
  const { status, body } = await call<{ readonly code?: string } | undefined>(signer, { method, path, json });
  if (status >= 500) throw new Error(`status ${status} for ${method} ${path}`);
  return !['invalid_body', 'invalid_query', 'unknown_endpoint'].includes(body?.code ?? '');
}

/** Returns the path of an endpoint with ids, one of which may be another. */
const pathOf = (path: string, ids: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'id_1'));

/** Returns the value that a query parameter has, by the type in its schema. */
const parsed = (text: string, { type }: Node): unknown =>
  type === 'integer' && String(Number(text)) === text ? Number(text) : text;

const operations = endpointNames.map((name) => [name, operationOf(endpoints[name])] as const);
const withBody = operations.filter(([, { requestBody }]) => requestBody !== undefined);

/** Validates a value with a schema that may be in `components`. */
const schemaOf = (schema: Node): Node => {
  const name = String(schema['$ref'] ?? '')
    .split('/')
    .at(-1)!;
  return document.components.schemas[name] ?? schema;
};

/** Returns the body that the client sends in a good call. */
async function goodBody(name: EndpointName): Promise<Readonly<Record<string, unknown>>> {
  const { corridor, sent } = scripted(() => new Response('{}', { status: 500 }), { maxRetries: 0 });
  await Promise.resolve(calls[name](corridor, goodInput[name])).catch(() => undefined);
  return sent[0]?.body as Readonly<Record<string, unknown>>;
}

describe('openapi.json and the mock agree on the borders', () => {
  test.each(withBody)('of each field in the body of %s', async (name, { requestBody }) => {
    const { method, path } = endpoints[name];
    const { schema } = requestBody!.content['application/json'];
    const validate = validatorOf(schema);
    const good = await goodBody(name);
    const fields = Object.entries(schemaOf(schema)['properties'] as Readonly<Record<string, Node>>);
    expect(fields.map(([field]) => field)).toEqual(expect.arrayContaining(Object.keys(good)));
    const bodies = [
      good,
      { ...good, unknown: 1 },
      ...anything,
      ...fields.map(([field]) => ({ ...good, [field]: undefined })),
      ...fields.flatMap(([field, each]) =>
        [...anything, ...amounts, ...dates, ...bordersOf(each)].map((value) => ({ ...good, [field]: value })),
      ),
      ...('currencyCode' in good
        ? paymentCurrencies.flatMap((currencyCode) => amounts.map((amount) => ({ ...good, currencyCode, amount })))
        : []),
    ].map((body) => JSON.parse(JSON.stringify(body)) as unknown);
    const differing: unknown[] = [];
    let accepted = 0;
    for (const body of bodies) {
      const isAccepted = await accepts(method, pathOf(path), body);
      accepted += Number(isAccepted);
      if (isAccepted !== validate(body)) differing.push({ isAccepted, body });
    }
    expect(differing).toEqual([]);
    expect(accepted).toBeGreaterThan(10);
    expect(accepted).toBeLessThan(bodies.length);
  });

  test.each(operations)('of each parameter of %s', async (name, { parameters = [] }) => {
    const { method, path, query }: EndpointDefinition<unknown> = endpoints[name];
    const differing: unknown[] = [];
    for (const { name: parameter, in: place, schema } of parameters) {
      const validate = validatorOf(schema);
      const texts = [...anything, ...dates, ...bordersOf(schema)].filter(
        (value) => ['string', 'number'].includes(typeof value) && String(value).length < 1000 && value !== '\ud800',
      );
      for (const text of new Set(texts.map(String))) {
        const target =
          place === 'path'
            ? pathOf(path, { [parameter]: text })
            : `${pathOf(path)}?${new URLSearchParams({ [parameter]: text }).toString()}`;
        const isAccepted = await accepts(method, target);
        if (isAccepted !== validate(parsed(text, schema))) differing.push({ parameter, text, isAccepted });
      }
    }
    expect(differing).toEqual([]);
    expect(await accepts(method, `${pathOf(path)}?unknown=1`)).toBe(false);
    expect(query === undefined).toBe(parameters.every((parameter) => parameter.in === 'path'));
  });
});
