import { resolveDialect } from '../contract/dialect.js';
import { pathParameters, type Endpoint } from '../contract/endpoint.js';
import { endpoints, type EndpointName } from '../contract/endpoints.js';
import { requestFields } from '../contract/fields.js';
import type { BodyOf, ParametersIn, QueryOf, Row } from './call.js';
import { requireEndpoint } from './endpoint-name.js';
import { MockPlatformError } from './error.js';
import type { MockRequest } from './requests.js';

/** What stands for a value in an expectation: `expect.any(String)` and the like. */
export interface AsymmetricMatch {
  /** Whether a value fits. */
  asymmetricMatch(other: unknown): boolean;
}

/** A field of a request as it is expected: the value, or what it must match; undefined where it must be absent. */
export type ExpectedField<Value> = Value | AsymmetricMatch | undefined;

/** Everything a request to an endpoint may ask for: the ids of its path, its filters, the fields of its body. */
export type AskedFields<Name extends EndpointName> = { readonly [Parameter in ParametersIn<Row<Name>['path']>]: string }
  & QueryOf<Row<Name>>
  & (BodyOf<Row<Name>> extends object ? BodyOf<Row<Name>> : unknown);

/**
 * What a request to an endpoint is expected to ask for: any of the ids in its path, the filters of its query and the fields of its
 * body, by the names that the client takes.
 */
export type MockAsked<Name extends EndpointName> = keyof AskedFields<Name> extends never
  ? { readonly [field: string]: never }
  : { readonly [Field in keyof AskedFields<Name>]?: ExpectedField<AskedFields<Name>[Field]> };

/** A field that is not as expected. */
export interface AskedDifference {
  readonly field: string;
  readonly expected: unknown;
  readonly received: unknown;
}

/** Everything a request asked for. */
function askedBy({ parameters, filters, body }: MockRequest): Readonly<Record<string, unknown>> {
  return { ...parameters, ...filters, ...(typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}) };
}

/** The fields of a request that are not as expected. */
export function differencesOf(request: MockRequest, asked: object, isEqual: (received: unknown, expected: unknown) => boolean): AskedDifference[] {
  const sent = askedBy(request);
  return Object.entries(asked).flatMap(([field, expected]: [string, unknown]) => {
    const received = Object.hasOwn(sent, field) ? sent[field] : undefined;
    return isEqual(received, expected) ? [] : [{ field, expected, received }];
  });
}

/** Throws `MockPlatformError` where an endpoint is unknown, or has no such fields: an expectation of them could not fail, or not hold. */
export function requireAsked(call: string, endpoint: EndpointName, asked: object = {}): void {
  requireEndpoint(call, endpoint);
  if (typeof asked !== 'object' || asked === null) throw new MockPlatformError(`${call}: what was asked for must be an object of fields`);
  const known = fieldsOf(endpoints[endpoint]);
  const unknown = Object.keys(asked).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new MockPlatformError(`${call}: ${unknown} is not a field of ${endpoint}; ${known.length === 0 ? 'it has none' : `there are ${known.join(', ')}`}`);
}

function fieldsOf({ path, query, body }: Endpoint<unknown>): string[] {
  const schemas = [query?.(), body?.(resolveDialect())].filter((schema) => schema !== undefined);
  return [...pathParameters(path), ...schemas.flatMap((schema) => requestFields(schema).map(({ name }) => name))];
}
