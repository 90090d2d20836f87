import * as z from 'zod/mini';
import type { ResolvedDialect } from '../../contract/dialect.js';
import { type EndpointName, endpointNames, endpoints, isEndpointName } from '../../contract/endpoints.js';
import { custom, functionOf } from '../../contract/options.js';
import { fieldSchemas } from '../../contract/request-fields.js';
import { memoize, optional, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { describeRule, describeType } from '../../contract/describe.js';
import { type AnySchema } from '../../contract/predicate.js';
import { MockPlatformError } from '../base/error.js';
import { type RecordedRequest, receivedFields, type RequestFields } from '../wire/request-log.js';

/**
 * The requests that a fault or a response is for: those to an endpoint, `'*'` for all endpoints and for downloads, or
 * the method and path of a request that the contract does not have, such as `'GET /api/v1/reports/{id}'`.
 */
export type FaultTarget = EndpointName | '*' | `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/**
 * The requests that a fault applies to: those that have all of these fields with equal values, or those for which a
 * function returns true. The fields are the ids in the path, the filters, and the fields of the body, by the names that
 * the client uses; also `headers`, and `body` for the fields of objects in the body. The control API and snapshots
 * accept fields only.
 */
export type RequestCondition<Target extends FaultTarget = FaultTarget> =
  | ((request: RecordedRequest) => boolean)
  | ((Target extends EndpointName ? Partial<RequestFields<Target>> : { readonly [field: string]: unknown }) & {
      /** The headers that the request has, among others; their names in upper or lower case. */
      readonly headers?: Readonly<Record<string, string>>;
      /** The fields that the body has, among others. */
      readonly body?: unknown;
    });

const customTarget = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/;

const isFaultTarget = (value: unknown): value is FaultTarget =>
  value === '*' || isEndpointName(value) || (typeof value === 'string' && customTarget.test(value));

/** The schema of a target. */
export const faultTarget: Schema<FaultTarget> = memoize(() =>
  custom(isFaultTarget, {
    rule: `must be one of ${endpointNames.join(', ')}, "*" for all, or a method and a path such as "GET /api/v1/reports"`,
  }),
);

/** Returns the endpoint of a method and path, if the contract has it; otherwise the target as it is. */
export function endpointOf(target: FaultTarget): FaultTarget {
  return endpointNames.find((name) => `${endpoints[name].method} ${endpoints[name].path}` === target) ?? target;
}

/** Returns whether a request is one of a target. `isKnown` tells whether the platform can handle it. */
export function isFor(target: FaultTarget, { endpoint, method, path }: RecordedRequest, isKnown: boolean): boolean {
  if (target === '*') return isKnown;
  const [, expected, pattern = ''] = customTarget.exec(target) ?? [];
  if (expected === undefined) return endpoint === target;
  // Everything but the ids is literal.
  const literals = pattern.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return method === expected && new RegExp(`^${literals.join('[^/]+')}$`).test(path);
}

/**
 * Returns the schema of a condition. A field that no request of the endpoint has, or a value that the contract does not
 * allow, would never match.
 */
export function conditionSchema(target: FaultTarget, dialect: ResolvedDialect): z.ZodMiniType<RequestCondition> {
  const others = { headers: z.optional(z.record(z.string(), z.string())), body: z.optional(z.unknown()) };
  const fields = customTarget.test(target)
    ? z.looseObject(others)
    : z.strictObject({ ...fieldsOf(isEndpointName(target) ? [target] : endpointNames, dialect), ...others });
  return withMetadata(z.union([functionOf(), fields]) as z.ZodMiniType<RequestCondition>, {
    rule:
      'must be an object of fields of the request, such as { amount: ' +
      "'1250.00' }, or in process a function of the request",
  });
}

function fieldsOf(names: readonly EndpointName[], dialect: ResolvedDialect): z.core.$ZodShape {
  const schemas = new Map<string, AnySchema[]>();
  for (const name of names)
    for (const [field, schema] of fieldSchemas(name, dialect))
      schemas.set(field, [...(schemas.get(field) ?? []), schema]);
  const shape = [...schemas].map(([field, options]) => [field, optional(anyOf(options as z.ZodMiniType[]))]);
  return Object.fromEntries(shape) as z.core.$ZodShape;
}

/** Returns the schema of a field whose values differ by endpoint, such as a status. */
function anyOf(options: readonly z.ZodMiniType[]): z.ZodMiniType {
  const [first, ...others] = options;
  if (first !== undefined && others.length === 0) return first;
  return withMetadata(z.union(options), { rule: [...new Set(options.map(describeRule))].join(', or ') });
}

/** Returns whether a request fulfills the condition of a fault. Throws `MockPlatformError` if its function fails. */
export function fulfills(request: RecordedRequest, condition: RequestCondition | undefined, id: string): boolean {
  if (condition === undefined) return true;
  if (typeof condition === 'function') return resultOf(condition as (request: RecordedRequest) => unknown, request, id);
  const {
    headers = {},
    body,
    ...fields
  } = condition as {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  return (
    contains(receivedFields(request), fields) &&
    Object.entries(headers).every(([name, value]) => request.headers[name.toLowerCase()] === value) &&
    (body === undefined || contains(request.body, body))
  );
}

function resultOf(condition: (request: RecordedRequest) => unknown, request: RecordedRequest, id: string): boolean {
  let result: unknown;
  try {
    result = condition(request);
  } catch (cause) {
    throw new MockPlatformError(`faults: the condition of ${id} threw an error: ${String(cause)}`, { cause });
  }
  if (typeof result === 'boolean') return result;
  throw new MockPlatformError(
    `faults: the condition of ${id} must return true or false (received ${describeType(result)})`,
  );
}

/** Returns whether JSON equals the expected one. Objects may have other fields, too. */
function contains(received: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return received === expected;
  if (typeof received !== 'object' || received === null || Array.isArray(received) !== Array.isArray(expected))
    return false;
  if (Array.isArray(expected) && expected.length !== (received as readonly unknown[]).length) return false;
  return Object.entries(expected).every(
    ([key, value]: [string, unknown]) =>
      Object.hasOwn(received, key) && contains((received as { readonly [key: string]: unknown })[key], value),
  );
}
