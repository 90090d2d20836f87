import * as z from 'zod/mini';
import { resolveDialect } from '../../src/contract/dialect.ts';
import type { EndpointDefinition } from '../../src/contract/endpoints.ts';
import type { Description, EndpointDescription } from '../../scripts/specification/description.ts';

type AnySchema = z.core.$ZodType;

const dialect = resolveDialect();

/** Describes the wire format of the contract's table and schemas in the terms of the specification. */
export function readContract(
  table: Readonly<Record<string, EndpointDefinition<unknown>>>,
): Record<string, EndpointDescription> {
  const described = (
    [name, endpoint]: [string, EndpointDefinition<unknown>],
    index: number,
  ): [string, EndpointDescription] => {
    const { method, path, body, query, result, success } = endpoint;
    const response: Description =
      result === undefined ? { type: 'not shown', rules: success === 201 ? ['status 201'] : [] } : describe(result());
    const request = body === undefined ? {} : { request: describe(body(dialect)) };
    const filters = query === undefined ? {} : { query: describe(query()) };
    return [name, { number: index + 1, method, path, response, ...request, ...filters }];
  };
  return Object.fromEntries(Object.entries(table).map(described));
}

/** Describes a schema in words. Throws if it cannot, so that no rule is omitted. */
function describe(schema: AnySchema): Description {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
      return { ...describe(def.innerType), optional: true };
    case 'nullable':
      return { ...describe(def.innerType), nullable: true };
    case 'string':
      return { type: 'string', ...rulesOf(schema, 'characters') };
    case 'number':
      return { type: isWhole(def) ? 'integer' : 'number', ...rulesOf(schema, 'numbers') };
    case 'boolean':
      return { type: 'boolean', ...rulesOf(schema, 'values') };
    case 'enum':
      return { type: 'string', values: Object.values(def.entries).map(String), ...rulesOf(schema, 'values') };
    case 'literal':
      return { type: 'string', values: def.values.map(String), ...rulesOf(schema, 'values') };
    case 'array':
      return { type: 'array', element: describe(def.element), ...rulesOf(schema, 'items') };
    case 'object':
      return {
        type: def.catchall?._zod.def.type === 'never' ? 'object' : 'object with fields that are not shown',
        fields: new Map(Object.entries(def.shape).map(([name, field]) => [name, describe(field)])),
        ...rulesOf(schema, 'fields'),
      };
    case 'union':
      return variantsOf(def);
    default:
      throw new Error(`a schema of type ${def.type} is not described`);
  }
}

const isWhole = (def: object): boolean => 'format' in def && (def.format === 'safeint' || def.format === 'int32');

function variantsOf(def: z.core.$ZodUnionDef & { discriminator?: string }): Description {
  const { discriminator } = def;
  if (discriminator === undefined) throw new Error('a union without a discriminator is not described');
  const variants = def.options.map((option): [string, Description] => {
    const described = describe(option);
    return [described.fields?.get(discriminator)?.values?.join(' or ') ?? `without ${discriminator}`, described];
  });
  return { type: `variants by ${discriminator}`, variants: new Map(variants) };
}

function rulesOf(schema: AnySchema, unit: string): Pick<Description, 'rules'> {
  const { def } = schema._zod;
  const checks = (def.checks ?? []).map((check) => (check as z.core.$ZodChecks)._zod.def);
  const limits = checks.flatMap((check) => {
    switch (check.check) {
      case 'min_length':
        return [`at least ${check.minimum} ${unit}`];
      case 'max_length':
        return [`at most ${check.maximum} ${unit}`];
      case 'greater_than':
        return check.inclusive ? [`from ${check.value}`] : [`over ${check.value}`];
      case 'less_than':
        return check.inclusive ? [`to ${check.value}`] : [`under ${check.value}`];
      default:
        return [];
    }
  });
  const others = checks.flatMap((check) => {
    if (['min_length', 'max_length', 'greater_than', 'less_than'].includes(check.check)) return [];
    if (check.check === 'string_format') return [formatOf(schema) ?? `a pattern (${check.format})`];
    // A check of several fields is no fact of one: a table of types cannot show it.
    if ('path' in check) return [];
    if (String(check.check) === 'custom') return ['a check of its own'];
    throw new Error(`a check ${check.check} is not described`);
  });
  const range = /^from (\d+),to (\d+)$/.exec(limits.join());
  const rules = [...(range === null ? limits : [`${range[1]} to ${range[2]}`]), ...others];
  return rules.length === 0 ? {} : { rules };
}

// Each from a clause of the specification: UTC ending in Z, a valid calendar date, leap days only in leap years,
// seconds and fraction optional.
const dateTimes = [
  '2026-02-28T09:30:00Z',
  '2026-02-28T09:30Z',
  '2026-02-28T23:59:59.123456Z',
  '2024-02-29T10:00Z',
  '2000-02-29T00:00:00Z',
  '2026-12-31T00:00Z',
];
const others = [
  '2026-02-28T09:30:00',
  '2026-02-28T09:30:00+00:00',
  '2026-02-28T09:30:00z',
  '2026-02-28',
  '2026-02-29T10:00Z',
  '1900-02-29T10:00Z',
  '2026-02-30T10:00Z',
  '2026-04-31T10:00Z',
  '2026-13-01T10:00Z',
  '2026-00-01T10:00Z',
  '2026-01-00T10:00Z',
  '2026-01-32T10:00Z',
  '2026-01-01T24:00Z',
  '2026-01-01T10:60Z',
  '2026-01-01T10:00:60Z',
  '2026-01-01T10:00:00.Z',
  '2026-01-01 10:00Z',
  ' 2026-01-01T10:00Z',
  '2026-01-01T10:00Z\n',
  '26-01-01T10:00Z',
  '',
];

// Patterns have no description, so they are tried with examples.

function formatOf(schema: AnySchema): string | undefined {
  if (isDateTime(schema)) return 'an ISO 8601 UTC date-time ending in Z';
  return isEmail(schema) ? 'an e-mail address' : undefined;
}

function isDateTime(schema: AnySchema): boolean {
  return (
    dateTimes.every((text) => z.safeParse(schema, text).success) &&
    others.every((text) => !z.safeParse(schema, text).success)
  );
}

function isEmail(schema: AnySchema): boolean {
  const accepts = (text: string): boolean => z.safeParse(schema, text).success;
  return accepts('ops@partner.example') && !['ops', '@partner.example', 'ops@', ''].some(accepts);
}
