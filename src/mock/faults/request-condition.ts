import * as z from 'zod/mini';
import type { ResolvedDialect } from '../../contract/dialect.js';
import { type EndpointName, endpointNames, endpoints, isEndpointName } from '../../contract/endpoints.js';
import { custom, functionOf } from '../../contract/option-schemas.js';
import { isPlainObject } from '../../contract/objects.js';
import { fieldSchemas } from '../../contract/request-fields.js';
import {
  enumOf,
  memoize,
  optional,
  string,
  withMetadata,
  type Schema,
  type UnknownValue,
} from '../../contract/schema/schema.js';
import { describeRule, describeType } from '../../contract/describe.js';
import type { AnySchema } from '../../contract/predicate.js';
import { MockPlatformError } from '../base/mock-error.js';
import { paramsOf } from '../wire/route.js';
import { type RecordedRequest, receivedFields, type RequestFields } from '../wire/request-log.js';

/**
 * The requests that a fault or a response is for: those to an endpoint, `'*'` for all endpoints and for downloads, or
 * the method and path of a request that the contract does not have, such as `'GET /api/v1/reports/{id}'`.
 */
export type FaultTarget = EndpointName | '*' | `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/**
 * A pattern in place of an expected value, as JSON: `matches` is a regular expression that a text or a number matches,
 * also a part of it; `absent` means that the field was not sent.
 */
export type ValuePattern = { readonly matches: string } | { readonly absent: true };

/**
 * The requests that a fault applies to: those that have all of these fields with equal values, or those for which a
 * function returns true. The fields are the ids in the path, the filters, and the fields of the body, by the names that
 * the client uses; also `headers`, and `body` for the fields of objects in the body. A value can be a pattern such as
 * `{ matches: '^order-' }`. The control API and snapshots accept fields only.
 */
export type RequestCondition<Target extends FaultTarget = FaultTarget> =
  | ((request: RecordedRequest) => boolean)
  | ((Target extends EndpointName
      ? { readonly [Field in keyof RequestFields<Target>]?: RequestFields<Target>[Field] | ValuePattern | UnknownValue }
      : { readonly [field: string]: unknown }) & {
      /** The headers that the request has, among others; their names in upper or lower case. */
      readonly headers?: Readonly<Record<string, string | ValuePattern>>;
      /** The fields that the body has, among others. */
      readonly body?: unknown;
    });

const customTarget = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/;

/** Returns whether a target is a method and a path that the contract does not have. */
export const isCustomTarget = (target: FaultTarget): boolean => customTarget.test(target);

/** The schema of a target. */
export const faultTarget: Schema<FaultTarget> = memoize(() =>
  withMetadata(
    z.union([enumOf(['*', ...endpointNames]), z.string().check(z.regex(customTarget))]) as z.ZodMiniType<FaultTarget>,
    {
      rule:
        `must be one of ${endpointNames.join(', ')}, "*" for all, or a ` +
        'method and a path such as "GET /api/v1/reports"',
    },
  ),
);

/** Returns the endpoint of a method and path, if the contract has it; otherwise the target as it is. */
export function endpointOf(target: FaultTarget): FaultTarget {
  return endpointNames.find((name) => `${endpoints[name].method} ${endpoints[name].path}` === target) ?? target;
}

/** Returns whether a request is one of a target. `isKnown` tells whether the platform can handle it. */
export function isFor(target: FaultTarget, { endpoint, method, path }: RecordedRequest, isKnown: boolean): boolean {
  if (target === '*') return isKnown;
  const [, expected, pattern = ''] = customTarget.exec(target) ?? [];
  return expected === undefined ? endpoint === target : method === expected && paramsOf(pattern, path) !== undefined;
}

/** Returns the ids in the path of a request of a target that the contract does not have. */
export function paramsOfTarget(target: FaultTarget, { path }: RecordedRequest): RecordedRequest['params'] | undefined {
  const [, , pattern] = customTarget.exec(target) ?? [];
  return pattern === undefined ? undefined : paramsOf(pattern, path);
}

/**
 * Returns the schema of a condition that is an object. A field that no request of the endpoint has, or a value that the
 * contract does not allow, would never match.
 */
function conditionFields(target: FaultTarget, dialect: ResolvedDialect): z.ZodMiniType {
  const others = {
    headers: z.optional(z.record(z.string(), orPattern(string()))),
    body: z.optional(z.unknown().check(z.refine(hasValidPatterns))),
  };
  return isCustomTarget(target)
    ? z.looseObject(others).check(z.refine(hasValidPatterns))
    : z.strictObject({ ...fieldsOf(isEndpointName(target) ? [target] : endpointNames, dialect), ...others });
}

/** Returns the schema of a condition. */
export function conditionSchema(target: FaultTarget, dialect: ResolvedDialect): z.ZodMiniType<RequestCondition> {
  const fields = conditionFields(target, dialect);
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
  const shape = [...schemas].map(([field, options]) => [field, optional(orPattern(anyOf(options as z.ZodMiniType[])))]);
  return Object.fromEntries(shape) as z.core.$ZodShape;
}

/** Returns the schema of a field whose values differ by endpoint, such as a status. */
function anyOf(options: readonly z.ZodMiniType[]): z.ZodMiniType {
  const [first, ...others] = options;
  if (first !== undefined && others.length === 0) return first;
  return withMetadata(z.union(options), { rule: [...new Set(options.map(describeRule))].join(', or ') });
}

/** The schema of a value, or of a pattern in its place. */
function orPattern(schema: z.ZodMiniType): z.ZodMiniType {
  return withMetadata(z.union([schema, pattern()]), {
    rule: `${describeRule(schema)}, or a pattern such as { matches: '^A' } or { absent: true }`,
  });
}

const pattern = memoize(() =>
  custom<ValuePattern>(isValidPattern, {
    rule: "must be a pattern such as { matches: '^A' } or { absent: true }",
  }),
);

/** Returns whether a value is a pattern, with a regular expression that may be invalid. */
function isPattern(value: unknown): value is ValuePattern {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return false;
  const { matches, absent } = value as { readonly matches?: unknown; readonly absent?: unknown };
  return typeof matches === 'string' || absent === true;
}

function isValidPattern(value: unknown): boolean {
  if (!isPattern(value) || 'absent' in value) return isPattern(value);
  try {
    return new RegExp(value.matches, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Returns whether all patterns in a value are valid. */
function hasValidPatterns(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return isPattern(value) ? isValidPattern(value) : Object.values(value).every(hasValidPatterns);
}

/** A field of a request that is not the expected one. */
export interface FieldMismatch {
  readonly field: string;
  readonly expected: unknown;
  readonly received: unknown;
}

/** Compares a received value with an expected one. */
export type Equals = (received: unknown, expected: unknown) => boolean;

/** Returns the fields of a request that differ from the expected ones; an expected `undefined` is an absent field. */
export function mismatchesOf(request: RecordedRequest, expected: object, equals: Equals = contains): FieldMismatch[] {
  const { headers = {}, body, ...others } = expected as { readonly headers?: object; readonly body?: unknown };
  const fields = receivedFields(request);
  const compared = [
    ...Object.entries(others).map(([field, value]: [string, unknown]) => ({
      field,
      expected: value,
      received: Object.hasOwn(fields, field) ? fields[field] : undefined,
    })),
    ...Object.entries(headers).map(([name, value]: [string, unknown]) => ({
      field: `headers.${name}`,
      expected: value,
      received: request.headers[name.toLowerCase()],
    })),
  ].filter((each) => !isExpected(each.received, each.expected, equals));
  if (body !== undefined && !contains(request.body, body))
    compared.push({ field: 'body', expected: body, received: request.body });
  return compared;
}

/** Returns whether a value is equal to the expected one, or matches it if that is a pattern. */
function isExpected(received: unknown, expected: unknown, equals: Equals): boolean {
  if (!isPattern(expected)) return equals(received, expected);
  if ('absent' in expected) return received === undefined;
  return ['string', 'number'].includes(typeof received) && new RegExp(expected.matches, 'u').test(String(received));
}

/** Describes the fields that differ, in one line. */
function describeMismatches(mismatches: readonly FieldMismatch[]): string {
  const describe = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return mismatches
    .map(({ field, expected, received }) => `${field}: expected ${describe(expected)}, received ${describe(received)}`)
    .join('; ');
}

/**
 * Returns why a request does not fulfill the condition of a fault; undefined if it does. Throws `MockPlatformError` if
 * its function fails.
 */
export function mismatchOf(
  request: RecordedRequest,
  condition: RequestCondition | undefined,
  id: string,
): string | undefined {
  if (condition === undefined) return undefined;
  if (typeof condition === 'function')
    return resultOf(condition as (request: RecordedRequest) => unknown, request, id)
      ? undefined
      : 'the function returned false';
  const mismatches = mismatchesOf(request, condition);
  return mismatches.length === 0 ? undefined : describeMismatches(mismatches);
}

function resultOf(condition: (request: RecordedRequest) => unknown, request: RecordedRequest, id: string): boolean {
  let result: unknown;
  try {
    result = condition(request);
  } catch (cause) {
    if (cause instanceof MockPlatformError) throw cause;
    throw new MockPlatformError(`faults: the condition of ${id} threw an error: ${String(cause)}`, { cause });
  }
  if (typeof result === 'boolean') return result;
  throw new MockPlatformError(
    `faults: the condition of ${id} must return true or false (received ${describeType(result)})`,
  );
}

/** Returns whether JSON equals the expected one. Objects may have other fields, too. */
export function contains(received: unknown, expected: unknown): boolean {
  if (isPattern(expected)) return isExpected(received, expected, contains);
  if (typeof expected !== 'object' || expected === null) return received === expected;
  if (typeof received !== 'object' || received === null || Array.isArray(received) !== Array.isArray(expected))
    return false;
  if (Array.isArray(expected) && expected.length !== (received as readonly unknown[]).length) return false;
  return Object.entries(expected).every(([key, value]: [string, unknown]) => {
    const field = Object.hasOwn(received, key) ? (received as { readonly [key: string]: unknown })[key] : undefined;
    return isExpected(field, value, contains);
  });
}
