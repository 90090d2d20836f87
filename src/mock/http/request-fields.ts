import type { ResolvedDialect } from '../../contract/dialect.js';
import type { endpoints, EndpointName } from '../../contract/endpoints.js';
import type { Schema } from '../../contract/schema/schema.js';
import type { RecordedRequest } from './request-log.js';

/** The definition of an endpoint. */
export type EndpointOf<Name extends EndpointName> = (typeof endpoints)[Name];

/** The names of the ids in a path. */
export type ParamsIn<Path extends string> = Path extends `${string}{${infer Param}}${infer Rest}`
  ? Param | ParamsIn<Rest>
  : never;

/** The filters of an endpoint. */
export type QueryOf<E> = E extends { readonly query: Schema<infer Query> } ? Query : Record<never, never>;

/** The body of an endpoint; undefined if it has none. */
export type BodyOf<E> = E extends { readonly body: (dialect: ResolvedDialect) => infer S }
  ? S extends ReturnType<Schema<infer Body>>
    ? Body
    : never
  : E extends { readonly body: Schema<infer Body> }
    ? Body
    : undefined;

/**
 * All fields of a request to an endpoint: the ids in its path, the filters of its query, and the fields of its body.
 */
export type RequestFields<Name extends EndpointName> = {
  readonly [Parameter in ParamsIn<EndpointOf<Name>['path']>]: string;
} & QueryOf<EndpointOf<Name>> &
  (BodyOf<EndpointOf<Name>> extends object ? BodyOf<EndpointOf<Name>> : unknown);

/** Returns all fields of a received request. */
export function receivedFields({
  params,
  filters,
  body,
}: Pick<RecordedRequest, 'params' | 'filters' | 'body'>): Readonly<Record<string, unknown>> {
  return { ...params, ...filters, ...(typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}) };
}
