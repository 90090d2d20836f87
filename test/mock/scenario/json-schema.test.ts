import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { unknownValue } from 'corridor-sdk';
import { createMockPlatform, mockScenarios, type MockScenario } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';

// docs/scenario.schema.json is for editors: it accepts exactly the scenarios that the mock accepts, except for what no
// JSON schema can say.

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly type?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
}

const schema = JSON.parse(
  readFileSync(new URL('../../../docs/scenario.schema.json', import.meta.url), 'utf8'),
) as JsonSchema;
const accepts = new Ajv2020({ strict: false, formats: { regex: true } }).compile(schema);

const times = ['2026-03-01T09:00:00Z', '2024-02-29T23:59+05:30', '2025-12-31T00:00:00.5Z'];

const small = { customers: 1, beneficiaries: 0, persons: 0, payments: 0, quotes: 0, documents: 0, tickets: 0 };

/** Generates values of a schema, except for rules of several fields. */
function valuesOf(part: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  if (part.$ref !== undefined) return valuesOf(schema.$defs![part.$ref.split('/').at(-1)!]!, depth);
  if (part.enum !== undefined) return fc.constantFrom(...part.enum);
  if (part.const !== undefined) return fc.constant(part.const);
  const options = part.properties === undefined ? (part.oneOf ?? part.anyOf) : undefined;
  if (options !== undefined) return fc.oneof(...options.map((option) => valuesOf(option, depth)));
  switch (part.type) {
    case 'object':
      return objectsOf(part, depth);
    case 'array':
      return fc.array(valuesOf(part.items ?? {}, depth + 1), { minLength: part.minItems ?? 0, maxLength: 2 });
    case 'string':
      return textsOf(part);
    case 'integer':
    case 'number':
      return fc.integer({ min: 0, max: 2 }).map((more) => Math.max(part.minimum ?? 1, -1000) + more);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.constantFrom<unknown>('text', 5, null, { field: [true] });
  }
}

function objectsOf({ properties = {}, required = [] }: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties);
  // Few fields of each object, so that many objects have no conflict.
  return fc
    .subarray(fields, { maxLength: Math.min(fields.length, depth === 0 ? 4 : 3) })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          [...new Map([...chosen, ...fields.filter(([name]) => required.includes(name))])].map(([name, part]) => [
            name,
            name === 'populate' ? fc.constant(small) : valuesOf(part, depth + 1),
          ]),
        ),
      ),
    );
}

function textsOf({ pattern = '' }: JsonSchema): fc.Arbitrary<string> {
  const texts = [...times, 'text', '12.50', '3', 'user@example.com', 'retry-after', 'JVBERi0=', 'GET /api/v1/reports'];
  return fc.constantFrom(...texts.filter((text) => new RegExp(pattern, 'u').test(text)));
}

/** Changes one field somewhere in a scenario: its name, its value, or whether it is there. */
function withMistake(scenario: unknown): fc.Arbitrary<unknown> {
  const paths = pathsOf(scenario);
  if (paths.length === 0) return fc.constant(scenario);
  const values: unknown[] = [null, 5, 2.5, -1, '', 'x', '2026-02-30T09:00:00Z', true, [], {}, unknownValue('NEW')];
  return fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom('name', 'value', 'absence', 'text'), fc.constantFrom(...values))
    .map(([path, kind, value]) => {
      const copy = structuredClone(scenario);
      const holder = path.slice(0, -1).reduce((parent, key) => parent[key] as Fields, copy as Fields);
      const key = path.at(-1)!;
      const before = holder[key];
      if (kind !== 'value' && kind !== 'text') delete holder[key];
      if (kind === 'name') holder[`${key}s`] = before;
      if (kind === 'value') holder[key] = value;
      if (kind === 'text') holder[key] = typeof before === 'string' ? before.toLowerCase() : String(before);
      return JSON.parse(JSON.stringify(copy)) as unknown;
    });
}

interface Fields {
  [field: string]: unknown;
}

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [[key], ...pathsOf(field).map((path) => [key, ...path])]);
}

/** The scenarios of the package, with fewer records. */
const packaged = Object.values<MockScenario>(mockScenarios)
  .filter(({ payments = [] }) => payments.every(({ count = 1 }) => count < 10))
  .map((scenario) => ({ ...scenario, populate: small }));

/** Scenarios that fit the schema, and such with a mistake. */
const scenarios = fc
  .oneof(valuesOf(schema), fc.constantFrom(...packaged))
  .chain((scenario) => fc.oneof(fc.constant(scenario), withMistake(scenario)));

/** Returns why a call fails. */
function errorOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Rules of several fields or records, which no JSON schema says. */
const unsayable = [
  /delay must have a min that is not above max/,
  /must be a duration greater than 0/,
  /or a pattern such as/,
  /does not exist in this organization/,
  /already exists/,
  /belongs to another customer|must equal the customerId/,
  /must be for .*, as quoted|must be in .*, the currency of the beneficiary/,
  /the transition from .* is not allowed/,
  /history must begin at createdAt or later/,
  /updatedAt must not be before createdAt/,
  /must have at most \d+ decimals in/,
  /has the fields of a new/,
];

const isUnsayable = (error: string): boolean => unsayable.some((pattern) => pattern.test(error));

describe('the JSON schema of scenarios', () => {
  test.each([
    ['add', 1000],
    ['load', 300],
  ] as const)('accepts what %s accepts, and nothing else', (call, numRuns) => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const { scenarios: target } = createMockPlatform({ now: () => 0 });
        const given = scenario as MockScenario;
        const error = errorOf(() => (call === 'add' ? target.add('ours', given) : target.load(given)));
        const expected = error === undefined || (accepts(scenario) && isUnsayable(error));
        expect({ accepts: accepts(scenario), error, errors: accepts.errors }).toMatchObject({ accepts: expected });
      }),
      { numRuns },
    );
  });
});
