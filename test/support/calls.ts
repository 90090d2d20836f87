import { endpointNames, type Corridor, type EndpointName, type RequestOptions } from 'corridor-sdk';
import { endpointExamples } from '../../scripts/specification/specification.ts';
import { pathParameters, type EndpointDefinition, endpoints } from '../../src/contract/endpoints.ts';

/** The input of a call: ids, filters and body fields together, valid or not. */
export type Given = Readonly<Record<string, unknown>>;

/** A call of the client, as its endpoint describes it. */
type Call = (corridor: Corridor, given: Given, options?: RequestOptions) => PromiseLike<unknown>;

/** Something for each endpoint. */
export function forEachEndpoint<T>(make: (name: EndpointName) => T): Readonly<Record<EndpointName, T>> {
  return Object.fromEntries(endpointNames.map((name) => [name, make(name)])) as Record<EndpointName, T>;
}

/**
 * The call of each endpoint: the method with its name accepts the ids in the order of the path, then filters or
 * body, then options.
 */
export const calls = forEachEndpoint((name): Call => (corridor, given, options) => {
  const { path, query, body }: EndpointDefinition<unknown> = endpoints[name];
  const [namespace = '', method = ''] = name.split('.');
  const ids = pathParameters(path);
  const rest =
    ids.length === 0 ? given : Object.fromEntries(Object.entries(given).filter(([field]) => !ids.includes(field)));
  const parameters = [
    ...ids.map((id) => given[id]),
    ...(query === undefined && body === undefined ? [] : [rest]),
    ...(options === undefined ? [] : [options]),
  ];
  const resource = corridor[namespace as keyof Corridor] as unknown as Readonly<
    Record<string, (...parameters: unknown[]) => PromiseLike<unknown>>
  >;
  return resource[method]!(...parameters);
});

/**
 * The ids in an endpoint's path, each with its kind: `customerId` is a customer, `id` is of the kind of the namespace.
 */
export function idsOf(name: EndpointName): readonly (readonly [parameter: string, noun: string])[] {
  const [namespace = ''] = name.split('.');
  return pathParameters(endpoints[name].path).map((parameter) => [
    parameter,
    parameter === 'id' ? namespace.replace(/s$/, '') : parameter.replace(/Id$/, ''),
  ]);
}

/** Valid input for each call, with every field set and ids such as `cus_1`. */
export const goodInput = forEachEndpoint((name): Given => ({
  ...endpointExamples[name].input,
  ...(takesCursor(name) && { cursor: 'abc' }),
}));

function takesCursor(name: EndpointName): boolean {
  const { query }: EndpointDefinition<unknown> = endpoints[name];
  return query !== undefined && 'cursor' in (query() as unknown as { readonly shape: object }).shape;
}
