import * as core from 'zod/v4/core';
import { resolveDialect, type ResolvedDialect } from './dialect.js';
import { pathParameters, type EndpointDefinition } from './endpoint-definition.js';
import { endpoints, type EndpointName } from './endpoints.js';
import { string } from './schema/primitives.js';
import { unwrap, describeRule, type AnySchema } from './violations.js';

/** The description of a request field. */
export interface RequestField {
  /** Its name. */
  readonly name: string;
  /** Whether it is required. */
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
