import type ts from 'typescript';
import * as z from 'zod/mini';
import { resolveDialect } from '../../src/contract/dialect.ts';
import {
  pathParameters,
  type EndpointDefinition,
  endpointNames,
  endpoints,
  type EndpointName,
} from '../../src/contract/endpoints.ts';
import { requestId } from '../../src/contract/schema/schema.ts';
import type { Examples } from './examples.ts';
import { errorResponses } from './error-responses.ts';
import { assumed, isRequired, leaf, type Components, type Json } from './schemas.ts';
import { assumedOf, docsOf, unique } from './source.ts';
import { sourceOf, type EndpointSource } from './table.ts';

const dialect = resolveDialect();

/** Returns the paths of the document, in the order of the endpoints. */
export function pathsOf(components: Components, examples: Examples): Json {
  const paths: Record<string, Json> = {};
  for (const name of endpointNames) {
    const { path, method } = endpoints[name];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(name, components, examples) };
  }
  return paths;
}

/** Returns the operationId of an endpoint, such as `paymentsCreate`. */
function operationIdOf(name: EndpointName): string {
  return name.replace(/\.(\w)/, (_, first: string) => first.toUpperCase());
}

function operationOf(name: EndpointName, components: Components, examples: Examples): Json {
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  const source = sourceOf(name);
  const parameters = [...idsOf(name, endpoint, source, examples), ...filtersOf(endpoint, source)];
  return {
    operationId: operationIdOf(name),
    tags: [name.split('.')[0]],
    summary: source.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body !== undefined &&
      source.body !== undefined && {
        requestBody: {
          required: true,
          content: json(components.reference(endpoint.body(dialect), source.body, 'request'), examples.requests(name)),
        },
      }),
    responses: {
      [endpoint.success]: successResponse(name, endpoint, source, components, examples),
      ...errorResponses({ hasIds: source.ids.length > 0, hasBody: endpoint.body !== undefined }),
    },
  };
}

function idsOf(
  name: EndpointName,
  { path }: EndpointDefinition<unknown>,
  { ids }: EndpointSource,
  examples: Examples,
): Json[] {
  return pathParameters(path).map((parameter, index) => ({
    name: parameter,
    in: 'path',
    required: true,
    description: `The ${(ids[index] ?? parameter).replace(/Id$/, '')}'s id.`,
    schema: leaf(requestId()),
    example: examples.ids(name)[index],
    'x-assumed': 'A-23',
  }));
}

function filtersOf({ query }: EndpointDefinition<unknown>, source: EndpointSource): Json[] {
  const schema = query?.();
  if (schema === undefined || source.query === undefined || !(schema instanceof z.core.$ZodObject)) return [];
  const type: ts.Type = source.query;
  return Object.entries(schema._zod.def.shape).map(([field, filter]) => ({
    name: dialect.wireNames.get(field) ?? field,
    in: 'query',
    ...(isRequired(filter) && { required: true }),
    description: docsOf(type.getProperty(field)),
    schema: leaf(filter instanceof z.core.$ZodOptional ? filter._zod.def.innerType : filter),
    ...assumed(unique([...assumedOf(source.queryName), ...assumedOf(source.queryName, field)])),
  }));
}

function successResponse(
  name: EndpointName,
  endpoint: EndpointDefinition<unknown>,
  source: EndpointSource,
  components: Components,
  examples: Examples,
): Json {
  const schema =
    endpoint.result === undefined || source.result === undefined
      ? anything
      : components.reference(endpoint.result(), source.result, 'response');
  return {
    description: endpoint.success === 204 ? 'Success; there is no body.' : 'Success.',
    // The specification shows the success status of support.reply only.
    ...assumed(unique([...(name === 'support.reply' ? [] : ['A-3']), ...source.assumed])),
    headers: { [dialect.requestIdHeaders[0] ?? '']: { $ref: '#/components/headers/RequestId' } },
    ...(endpoint.success !== 204 && { content: json(schema, examples.responses(name)) }),
  };
}

const anything: Json = { description: "Any JSON: the platform's specification does not show it." };

function json(schema: Json, examples: Json): Json {
  return { 'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) } };
}
