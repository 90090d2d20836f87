import * as core from 'zod/v4/core';
import { resolveDialect, type ResolvedDialect } from './dialect.js';
import { pathParameters, type EndpointDefinition, endpoints, type EndpointName } from './endpoints.js';
import { string } from './schema/schema.js';
import { unwrap, describeRule } from './describe.js';
import { type AnySchema } from './predicate.js';

/** The description of a request field. */
export interface RequestField {
  readonly name: string;
  readonly required: boolean;
  /** The rule for its value, such as `must be a string`. */
  readonly rule: string;
}

/** Returns the fields of a request schema, in order. */
export function requestFields(schema: core.$ZodType): RequestField[] {
  const inner = unwrap(schema);
  if (!(inner instanceof core.$ZodObject)) return [];
  return Object.entries(inner._zod.def.shape).map(([name, field]) => ({
    name,
    required: !(field instanceof core.$ZodOptional),
    rule: describeRule(unwrap(field)),
  }));
}

/** Returns the schemas of all fields of the requests to an endpoint: ids in its path, filters, and body fields. */
export function fieldSchemas(name: EndpointName, dialect: ResolvedDialect = resolveDialect()): Map<string, AnySchema> {
  const { path, query, body }: EndpointDefinition<unknown> = endpoints[name];
  const objects = [query?.(), body?.(dialect)].map((schema) => schema && unwrap(schema));
  return new Map([
    ...pathParameters(path).map((parameter): [string, AnySchema] => [parameter, string()]),
    ...objects.flatMap((schema) =>
      schema instanceof core.$ZodObject
        ? Object.entries(schema._zod.def.shape).map(([field, each]): [string, AnySchema] => [
            field,
            each instanceof core.$ZodOptional ? each._zod.def.innerType : each,
          ])
        : [],
    ),
  ]);
}

/**
 * Returns the paths of all fields of the records in an envelope, such as `id` and `beneficiary.companyName`; none for a
 * record.
 */
export function listedFields(envelope: core.$ZodType): string[] {
  const inner = unwrap(envelope);
  if (!(inner instanceof core.$ZodObject)) return [];
  const { nextCursor: _, hasMore: __, ...rest } = inner._zod.def.shape;
  const [records, ...others] = Object.values(rest).map(unwrap);
  return records instanceof core.$ZodArray && others.length === 0 ? pathsOf(records._zod.def.element, '') : [];
}

function pathsOf(schema: core.$ZodType, prefix: string): string[] {
  const inner = unwrap(schema);
  if (inner instanceof core.$ZodUnion) return inner._zod.def.options.flatMap((option) => pathsOf(option, prefix));
  if (!(inner instanceof core.$ZodObject)) return [];
  return Object.entries(inner._zod.def.shape).flatMap(([name, field]) => [
    `${prefix}${name}`,
    ...pathsOf(field, `${prefix}${name}.`),
  ]);
}
