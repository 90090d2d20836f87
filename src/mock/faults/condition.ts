import * as z from 'zod/mini';
import type { ResolvedDialect } from '../../contract/dialect.js';
import { endpointNames, isEndpointName, type EndpointName } from '../../contract/endpoints.js';
import { fieldSchemas } from '../../contract/request-fields.js';
import { functionOf } from '../../contract/options.js';
import { optional, withMetadata } from '../../contract/schema/schema.js';
import { describeRule, describeType, type AnySchema } from '../../contract/validate.js';
import { MockPlatformError } from '../error.js';
import { receivedFields, type RequestFields } from '../http/request-fields.js';
import type { RecordedRequest } from '../http/request-log.js';

/** The endpoint of a fault; `*` means all endpoints. */
export type FaultTarget = EndpointName | '*';

/**
 * The requests that a fault applies to: those that have all of these fields with equal values, or those for which a
 * function returns true. The fields are the ids in the path, the filters, and the fields of the body, by the names that
 * the client uses. The control API and snapshots accept fields only.
 */
export type RequestCondition<Target extends FaultTarget = FaultTarget> =
  | ((request: RecordedRequest) => boolean)
  | (Target extends EndpointName ? Partial<RequestFields<Target>> : { readonly [field: string]: unknown });

export const isFaultTarget = (value: unknown): value is FaultTarget => value === '*' || isEndpointName(value);

/**
 * Returns the schema of a condition. A field that no request of the endpoint has, or a value that the contract does not
 * allow, would never match.
 */
export function conditionSchema(target: FaultTarget, dialect: ResolvedDialect): z.ZodMiniType<RequestCondition> {
  const schemas = new Map<string, AnySchema[]>();
  for (const name of target === '*' ? endpointNames : [target])
    for (const [field, schema] of fieldSchemas(name, dialect))
      schemas.set(field, [...(schemas.get(field) ?? []), schema]);
  const shape = [...schemas].map(([field, options]) => [field, optional(anyOf(options as z.ZodMiniType[]))]);
  const fields = z.strictObject(Object.fromEntries(shape) as z.core.$ZodShape);
  return withMetadata(z.union([functionOf(), fields]) as z.ZodMiniType<RequestCondition>, {
    rule: "must be an object of fields of the request, such as { amount: '1250.00' }, or in process a function of the request",
  });
}

/** Returns the schema of a field whose values differ by endpoint, such as a status. */
function anyOf(options: readonly z.ZodMiniType[]): z.ZodMiniType {
  const [first, ...others] = options;
  if (first !== undefined && others.length === 0) return first;
  return withMetadata(z.union(options), { rule: [...new Set(options.map(describeRule))].join(', or ') });
}

/** Returns whether a request fulfills the condition of a fault. Throws `MockPlatformError` if its function fails. */
export function fulfills(request: RecordedRequest, condition: RequestCondition | undefined, faultId: string): boolean {
  if (condition === undefined) return true;
  if (typeof condition === 'function')
    return resultOf(condition as (request: RecordedRequest) => unknown, request, faultId);
  const fields = receivedFields(request);
  return Object.entries(condition).every(
    ([field, expected]) => Object.hasOwn(fields, field) && isEqual(fields[field], expected),
  );
}

function resultOf(
  condition: (request: RecordedRequest) => unknown,
  request: RecordedRequest,
  faultId: string,
): boolean {
  let result: unknown;
  try {
    result = condition(request);
  } catch (cause) {
    throw new MockPlatformError(`faults: the condition of ${faultId} threw an error: ${String(cause)}`, { cause });
  }
  if (typeof result === 'boolean') return result;
  throw new MockPlatformError(
    `faults: the condition of ${faultId} must return true or false (received ${describeType(result)})`,
  );
}

/** Compares two JSON values. */
function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) return left === right;
  const [entries, others] = [Object.entries(left), Object.entries(right)];
  return (
    Array.isArray(left) === Array.isArray(right) &&
    entries.length === others.length &&
    entries.every(
      ([key, value]: [string, unknown]) =>
        Object.hasOwn(right, key) && isEqual(value, (right as { readonly [key: string]: unknown })[key]),
    )
  );
}
