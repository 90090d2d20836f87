import * as core from 'zod/v4/core';
import {
  describeType,
  describeViolation,
  formatPath,
  requestIssueMessage,
  unwrap,
  type RawViolation,
} from './describe.js';
import type { Issue } from './issue.js';
import { isRecord, issueOf, matchesSchema, type AnySchema } from './predicate.js';
import { isUnknown, metadataOf } from './schema/schema.js';

/** The maximum number of differences reported for one value; a malicious value may have millions. */
export const maxDifferences = 100;

/**
 * Returns the issues of a request or of options: unknown fields, missing fields and invalid values. At most 100, and a
 * note if there are more. By default, the messages contain no values, except texts in place of a value of a set, and
 * say how to fix them in the code of a client.
 */
export function validateRequest(schema: AnySchema, value: unknown, describe = describeType, withFix = true): Issue[] {
  const found: Issue[] = [];
  visitViolations(schema, value, [], (violation) => {
    if (found.length < maxDifferences)
      found.push({ path: formatPath(violation.path), message: requestIssueMessage(violation, describe, withFix) });
    else found.push(moreIssues);
    return found.length <= maxDifferences;
  });
  return found;
}

/** The last issue of a truncated list. */
export const moreIssues: Issue = { path: '', message: `has more problems than these ${maxDifferences}` };

/**
 * Returns the differences between a response and the contract, empty if it conforms. The search ends after 101 breaking
 * differences. The first 101 other differences are returned, and the search continues because a breaking one may
 * follow.
 */
export function validateResponse(schema: AnySchema, value: unknown): ContractViolation[] {
  if (matchesSchema(schema, value)) return [];
  const found: ContractViolation[] = [];
  let breakingCount = 0;
  let otherCount = 0;
  visitInvalid(schema, value, [], (violation) => {
    const kind = driftKindOf(violation);
    const breaking = isBreaking(kind, violation);
    const count = breaking ? (breakingCount += 1) : (otherCount += 1);
    // One more than the maximum shows that there are more.
    if (count <= maxDifferences + 1)
      found.push({ path: formatPath(violation.path), kind, breaking, message: responseIssueMessage(violation) });
    return breakingCount <= maxDifferences;
  });
  return found;
}

/**
 * Reports every position in a value that violates its schema until `visit` returns false. Does not use zod's issues:
 * zod collects those of the whole value, which takes gigabytes for a malicious value of one megabyte.
 */
function visitViolations(schema: AnySchema, value: unknown, path: PropertyKey[], visit: Visit): boolean {
  return matchesSchema(schema, value) || visitInvalid(schema, value, path, visit);
}

/** Like `visitViolations`, for a value that is known to violate the schema. */
function visitInvalid(schema: AnySchema, value: unknown, path: PropertyKey[], visit: Visit): boolean {
  const inner = unwrap(schema);
  return (
    visitParts(inner, value, path, visit) ??
    visit({ what: 'value', schema: inner, isNullable: schema instanceof core.$ZodNullable, value, path })
  );
}

type Visit = (violation: RawViolation) => boolean;

/**
 * Sets each absent field to null, as its type promises. Changes the value, which must have no breaking difference: then
 * only fields are absent that may be null.
 */
export function setAbsentToNull(schema: AnySchema, value: unknown): void {
  visitViolations(schema, value, [], (violation) => {
    const { path } = violation;
    if (driftKindOf(violation) !== 'missing-field') return true;
    const record = path.slice(0, -1).reduce((parent, key) => (parent as Fields)[key], value);
    (record as Fields)[path.at(-1) as PropertyKey] = null;
    return true;
  });
}

type Fields = Record<PropertyKey, unknown>;

/**
 * Like `visitViolations`, for the elements of an array or object; undefined if the schema does not describe the value's
 * type.
 */
function visitParts(schema: AnySchema, value: unknown, path: PropertyKey[], visit: Visit): boolean | undefined {
  if (schema instanceof core.$ZodArray)
    return Array.isArray(value) ? visitArray(schema, value, path, visit) : undefined;
  if (schema instanceof core.$ZodUnion && !(schema instanceof core.$ZodDiscriminatedUnion)) {
    const option = schema._zod.def.options.find((each) => hasPartsOf(unwrap(each), value));
    return option === undefined ? undefined : visitViolations(option, value, path, visit);
  }
  if (!isRecord(value)) return undefined;
  if (schema instanceof core.$ZodObject)
    return visitChecked(schema, value, path, visit, (visitField) => visitFields(schema, value, path, visitField));
  return schema instanceof core.$ZodDiscriminatedUnion ? visitUnion(schema, value, path, visit) : undefined;
}

/** Checks whether a schema describes the elements of a value: those of an array, or the fields of an object. */
function hasPartsOf(schema: AnySchema, value: unknown): boolean {
  if (Array.isArray(value)) return schema instanceof core.$ZodArray;
  return isRecord(value) && (schema instanceof core.$ZodObject || schema instanceof core.$ZodDiscriminatedUnion);
}

function visitArray(schema: core.$ZodArray, value: readonly unknown[], path: PropertyKey[], visit: Visit): boolean {
  const { element } = schema._zod.def;
  return visitChecked(schema, value, path, visit, (visitItem) => {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index);
      if (!visitViolations(element, value[index], path, visitItem)) return false;
      path.pop();
    }
    return true;
  });
}

/** Visits the parts of a value and then, if they all conform, checks the value as a whole, such as its length. */
function visitChecked(
  schema: core.$ZodArray | core.$ZodObject,
  value: unknown,
  path: PropertyKey[],
  visit: Visit,
  visitAll: (visit: Visit) => boolean,
): boolean {
  const { checks = [] } = schema._zod.def;
  if (checks.length === 0) return visitAll(visit);
  let isClean = true;
  const visitPart: Visit = (violation) => {
    isClean = false;
    return visit(violation);
  };
  if (!visitAll(visitPart)) return false;
  if (!isClean) return true;
  const broken = brokenRule(checks, value);
  if (broken === undefined) return true;
  const { field, rule } = broken;
  return field === undefined
    ? visit({ what: 'value', schema, value, path })
    : visit({ what: 'value', schema, value: (value as Fields)[field], path: [...path, field], rule });
}

/** Returns the first rule of several fields that a value breaks, and the field that has to change. */
export function brokenRule(
  checks: readonly core.$ZodCheck<never>[],
  value: unknown,
): { readonly field: PropertyKey | undefined; readonly rule: string | undefined } | undefined {
  for (const check of checks) {
    const issue = issueOf(check, value);
    if (issue === undefined) continue;
    const field = issue.path?.[0];
    return { field, rule: field === undefined ? undefined : String(check._zod.def.error?.(issue as never)) };
  }
  return undefined;
}

function visitFields(
  schema: core.$ZodObject,
  value: Readonly<Record<string, unknown>>,
  path: PropertyKey[],
  visit: Visit,
): boolean {
  const { shape, catchall } = schema._zod.def;
  for (const key of Object.keys(shape)) {
    const schemaOfField = shape[key] as AnySchema;
    const isOptional = schemaOfField instanceof core.$ZodOptional;
    const field = value[key];
    const allowsUndefined =
      isOptional && !(schemaOfField instanceof core.$ZodExactOptional && Object.hasOwn(value, key));
    if (allowsUndefined && field === undefined) continue;
    path.push(key);
    if (!visitViolations(isOptional ? schemaOfField._zod.def.innerType : schemaOfField, field, path, visit))
      return false;
    path.pop();
  }
  if (catchall?._zod.def.type !== 'never') return true;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key) || isUnknown(value[key], true)) continue;
    path.push(key);
    if (!visit({ what: 'unknown-key', schema, value: value[key], path })) return false;
    path.pop();
  }
  return true;
}

function visitUnion(
  schema: core.$ZodDiscriminatedUnion,
  value: Readonly<Record<string, unknown>>,
  path: PropertyKey[],
  visit: Visit,
): boolean {
  const { discriminator, options } = schema._zod.def;
  const input = value[discriminator];
  const variant = options.find((option) => option._zod.propValues?.[discriminator]?.has(input as string));
  if (variant !== undefined) return visitViolations(variant, value, path, visit);
  path.push(discriminator);
  if (!visit({ what: 'discriminator', schema, value: input, path })) return false;
  path.pop();
  // An unknown variant still has the fields that all variants share.
  const { baseSchema } = metadataOf(schema);
  return baseSchema === undefined || visitViolations(baseSchema, value, path, visit);
}

function driftKindOf({ what, schema, value }: RawViolation): DriftKind {
  if (what === 'unknown-key') return 'unknown-field';
  if (value === undefined) return 'missing-field';
  if (value === null) return 'unexpected-null';
  if (typeof value !== 'string') return 'wrong-type';
  if (what === 'discriminator') return 'unknown-variant';
  return schema instanceof core.$ZodEnum || schema instanceof core.$ZodLiteral ? 'unknown-value' : 'wrong-type';
}

/** Whether a difference can break code that relies on the types. */
export function isBreaking(
  kind: DriftKind,
  { schema, isNullable = false }: Pick<RawViolation, 'schema' | 'isNullable'>,
): boolean {
  const isEssential = metadataOf(schema).essential === true;
  // Assumed: A-22, only a null in place of a string is harmless, and the absence of a field that may be null.
  if (kind === 'unexpected-null')
    return isEssential || !(schema instanceof core.$ZodString || schema instanceof core.$ZodEnum);
  if (kind === 'missing-field') return isEssential || !isNullable;
  return kind === 'wrong-type';
}

/**
 * How a response differs from the contract. `unknown-field`, `unknown-value` (a new status, say), `unknown-variant`,
 * `unexpected-null`, and `missing-field` of a field that may be null are things a platform may change; other missing
 * fields and `wrong-type` are broken promises.
 * `changed-value` is a value of a payment that was sent and that came back written otherwise, such as a reference in
 * capitals, the id of the nested quote if it differs from the `paymentQuoteId` of the response, or what differs in a
 * payment that a person accepted. `truncated` comes last, with an empty path, when a response has more differences than
 * the 100 that are reported.
 */
export type DriftKind =
  | 'unknown-field'
  | 'unknown-value'
  | 'unknown-variant'
  | 'unexpected-null'
  | 'missing-field'
  | 'wrong-type'
  | 'changed-value'
  | 'truncated';

/** A difference between a response and the contract. */
export interface ContractViolation extends Issue {
  /** How it differs. */
  readonly kind: DriftKind;
  /** Whether it can break code that relies on the types. */
  readonly breaking: boolean;
}

/** Returns the message of a difference between a response and the contract. */
export function responseIssueMessage(violation: RawViolation): string {
  return driftMessages[driftKindOf(violation)] ?? describeViolation(violation);
}

const driftMessages: Readonly<Partial<Record<DriftKind, string>>> = {
  'unknown-field': 'is not in the contract',
  'missing-field': 'is missing',
  'unexpected-null': 'must not be null',
  'unknown-variant': 'is a variant not in the contract',
  'unknown-value': 'is a value not in the contract',
};
