import * as core from 'zod/v4/core';
import type { Issue } from './issue.js';
import { metadataOf, UnknownText, type SchemaMetadata } from './schema/schema.js';
import { isPlainObject } from './options.js';

// By its own name: through zod/mini, bundlers keep all of zod with it, its locales included.

/** The maximum number of differences reported for one value; a malicious value may have millions. */
export const maxDifferences = 100;

/**
 * Returns the issues of a request or of options: unknown fields, missing fields and invalid values. At most 100, and a
 * note if there are more. By default, the messages contain no values, except texts in place of a value of a set, and say
 * how to fix them in the code of a client.
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

/** Checks whether a value conforms to the contract exactly, without copying it. */
export function matchesSchema(schema: AnySchema, value: unknown): boolean {
  return predicateOf(schema)(value);
}

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
      found.push({
        path: formatPath(violation.path),
        kind,
        breaking,
        message: driftMessages[kind] ?? describeViolation(violation),
      });
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
  for (const check of checks) {
    const issue = issueOf(check, value);
    if (issue === undefined) continue;
    const field = issue.path?.[0];
    const rule = field === undefined ? undefined : String(check._zod.def.error?.(issue as never));
    return field === undefined
      ? visit({ what: 'value', schema, value, path })
      : visit({ what: 'value', schema, value: (value as Fields)[field], path: [...path, field], rule });
  }
  return true;
}

/** Returns the issue of a value that does not pass a check. That of a check of several fields has the path of one. */
function issueOf(check: core.$ZodCheck<never>, value: unknown): core.$ZodRawIssue | undefined {
  const payload: core.ParsePayload = { value, issues: [] };
  void check._zod.check(payload as core.ParsePayload<never>);
  return payload.issues[0];
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
    if (Object.hasOwn(shape, key)) continue;
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

/** Checks whether a value is an object and no array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function driftKindOf({ what, schema, value }: RawViolation): DriftKind {
  if (what === 'unknown-key') return 'unknown-field';
  if (value === undefined) return 'missing-field';
  if (value === null) return 'unexpected-null';
  if (typeof value !== 'string') return 'wrong-type';
  if (what === 'discriminator') return 'unknown-variant';
  return schema instanceof core.$ZodEnum || schema instanceof core.$ZodLiteral ? 'unknown-value' : 'wrong-type';
}

function isBreaking(kind: DriftKind, { schema, isNullable = false }: RawViolation): boolean {
  const isEssential = metadataOf(schema).essential === true;
  // Assumed: A-22, only a null in place of a string is harmless, and the absence of a field that may be null.
  if (kind === 'unexpected-null')
    return isEssential || !(schema instanceof core.$ZodString || schema instanceof core.$ZodEnum);
  if (kind === 'missing-field') return isEssential || !isNullable;
  return kind === 'wrong-type';
}

export type { Issue };

/**
 * How a response differs from the contract. `unknown-field`, `unknown-value` (a new status, say), `unknown-variant`,
 * `unexpected-null`, and `missing-field` of a field that may be null are things a platform may change; other missing
 * fields and `wrong-type` are broken promises.
 * `changed-value` is a value of a payment that `createOnce` sent and that came back written otherwise, such as a
 * reference in capitals. `truncated` comes last, with an empty path, when a response has more differences than the 100
 * that are reported.
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

export type Path = readonly PropertyKey[];
export type AnySchema = core.$ZodType;

/** A position in a value that violates its schema. */
export interface RawViolation {
  readonly what: 'value' | 'discriminator' | 'unknown-key';
  /** The schema without wrappers for null; that of the enclosing union or record if `what` is not `value`. */
  readonly schema: AnySchema;
  /** Whether null is allowed. */
  readonly isNullable?: boolean;
  readonly value: unknown;
  /** Mutated as the search continues, so copy it if needed later. */
  readonly path: Path;
  /** The rule of a check of several fields, which is not that of the schema. */
  readonly rule?: string | undefined;
}

const driftMessages: Readonly<Partial<Record<DriftKind, string>>> = {
  'unknown-field': 'is not in the contract',
  'missing-field': 'is missing',
  'unexpected-null': 'must not be null',
  'unknown-variant': 'is a variant not in the contract',
  'unknown-value': 'is a value not in the contract',
};

/** Formats a path, such as `items[0].status`. */
function formatPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Returns the message of an issue; `describe` describes the received value. */
function requestIssueMessage(violation: RawViolation, describe: (value: unknown) => string, withFix: boolean): string {
  const { what, schema, path, value } = violation;
  if (what === 'unknown-key') return unknownKeyMessage(schema);
  const { fix } = what === 'value' && withFix ? metadataOf(schema) : {};
  const isMissing = value === undefined && path.length > 0;
  const message = isMissing ? `is required: it ${ruleAt(violation)}` : describeViolation(violation, describe);
  return fix === undefined ? message : `${message}. ${fix}`;
}

function unknownKeyMessage(schema: AnySchema): string {
  const known = schema instanceof core.$ZodObject ? Object.keys(schema._zod.def.shape) : [];
  return `is not a known field${known.length > 0 ? ` (known: ${known.join(', ')})` : ''}`;
}

function describeViolation(violation: RawViolation, describe = describeType): string {
  const { what, schema, value, rule } = violation;
  if (rule !== undefined) return rule;
  const expected = what === 'value' ? typeName(schema) : undefined;
  // A value of a set is no secret, and shows the mistake.
  const describeChoice = schema instanceof core.$ZodEnum && typeof value === 'string' ? describeText : describe;
  const describeReceived = metadataOf(schema).sensitive === true ? describeType : describeChoice;
  // Only the type matters if it is wrong for any number.
  const isNumber = typeof value === 'number' && expected === 'string';
  const received = isNumber && describe === describeType ? 'number' : describeReceived(value);
  return `${ruleAt(violation)}${received === expected?.replace('integer', 'number') ? '' : ` (received ${received})`}`;
}

function ruleAt({ what, schema, path }: RawViolation): string {
  if (what === 'value') return describeRule(schema);
  const options = schema instanceof core.$ZodDiscriminatedUnion ? schema._zod.def.options : [];
  const values = options.flatMap((option) => [...(option._zod.propValues?.[String(path.at(-1))] ?? [])]);
  return values.length > 2
    ? `must be one of ${values.join(', ')}`
    : `must be ${values.map((known) => JSON.stringify(known)).join(' or ')}`;
}

/** Returns the type of a schema's values, such as `string` or `string or number`. */
export function typeName(schema: AnySchema): string {
  if (schema instanceof core.$ZodArray) return 'array';
  if (schema instanceof core.$ZodNumberFormat) return 'integer';
  if (schema instanceof core.$ZodNumber) return 'number';
  if (schema instanceof core.$ZodBoolean) return 'boolean';
  if (schema instanceof core.$ZodString || schema instanceof core.$ZodEnum) return 'string';
  if (schema instanceof core.$ZodObject || schema instanceof core.$ZodDiscriminatedUnion) return 'object';
  return schema instanceof core.$ZodUnion ? schema._zod.def.options.map(typeName).join(' or ') : 'value';
}

/** Describes a value for error messages: a string or a number by its value, others by their types. */
export function describeValue(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : describeText(value);
}

/** Describes a value for error messages: a string by its value, others by their types. */
export function describeText(value: unknown): string {
  if (typeof value !== 'string') return describeType(value);
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

/** Describes a value for error messages: a number by its value, others by their types, because they can be secret. */
export function describeNumber(value: unknown): string {
  return typeof value === 'number' ? String(value) : describeType(value);
}

/** Describes the type of a value for error messages. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object')
    return isPlainObject(value) ? 'object' : Object.prototype.toString.call(value).slice(8, -1);
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return typeof value;
  if (!Number.isFinite(value)) return String(value);
  return Number.isInteger(value) ? 'an integer too large to be exact' : 'a fractional number';
}

/** Returns the rule of a schema, such as `must be a string`. */
export function describeRule(schema: AnySchema | undefined): string {
  const { rule }: SchemaMetadata = schema === undefined ? {} : metadataOf(schema);
  if (rule !== undefined) return rule;
  if (schema instanceof core.$ZodEnum) return `must be one of ${Object.values(schema._zod.def.entries).join(', ')}`;
  if (schema instanceof core.$ZodLiteral)
    return `must be ${schema._zod.def.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  if (schema === undefined) return 'must be an object';
  if (schema instanceof core.$ZodArray) return `must be an array${itemsOf(unwrap(schema._zod.def.element))}`;
  const types = typeName(schema).split(' or ');
  return `must be ${types.map((type) => `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`).join(' or ')}`;
}

function itemsOf(element: AnySchema): string {
  const type = typeName(element);
  return / |value/.test(type) ? '' : ` of ${type}s`;
}

/** Returns a schema without its wrappers for null and absence. */
export function unwrap(schema: AnySchema): AnySchema {
  return schema instanceof core.$ZodNullable || schema instanceof core.$ZodOptional
    ? unwrap(schema._zod.def.innerType)
    : schema;
}

/** Checks whether a value conforms. If a predicate returns true, zod would accept the value too. */
export type Predicate = (value: unknown) => boolean;

const predicates = new WeakMap<AnySchema, Predicate>();

/** Returns the predicate of a schema. It is built once, and neither copies the value nor collects issues, as zod does. */
export function predicateOf(schema: AnySchema): Predicate {
  let predicate = predicates.get(schema);
  if (predicate === undefined) predicates.set(schema, (predicate = compile(schema)));
  return predicate;
}

function compile(schema: AnySchema): Predicate {
  const isOfType = compileType(schema);
  const { checks = [] } = schema._zod.def;
  if (checks.length === 0) return isOfType;
  return (value) => isOfType(value) && checks.every((check) => issueOf(check, value) === undefined);
}

function compileType(schema: AnySchema): Predicate {
  const { type } = schema._zod.def;
  if (schema instanceof core.$ZodObject) return object(schema);
  if (schema instanceof core.$ZodDiscriminatedUnion) return union(schema);
  if (schema instanceof core.$ZodUnion) {
    const options = schema._zod.def.options.map(predicateOf);
    return (value) => options.some((option) => option(value));
  }
  if (schema instanceof core.$ZodEnum || schema instanceof core.$ZodLiteral) {
    const values: ReadonlySet<unknown> = schema._zod.values;
    return (value) => values.has(value) || (type === 'enum' && value instanceof UnknownText);
  }
  if (schema instanceof core.$ZodArray) return array(predicateOf(schema._zod.def.element));
  if (schema instanceof core.$ZodNullable) {
    const inner = predicateOf(schema._zod.def.innerType);
    return (value) => value === null || inner(value);
  }
  if (schema instanceof core.$ZodNumberFormat && schema._zod.def.format === 'safeint') return Number.isSafeInteger;
  if (type === 'string' || type === 'boolean') return (value) => typeof value === type;
  if (type === 'unknown') return (value) => value !== undefined;
  return type === 'number' ? Number.isFinite : (value) => core.safeParse(schema, value).success;
}

function array(item: Predicate): Predicate {
  return (value) => {
    if (!Array.isArray(value)) return false;
    // By index, because the arrays of a copied request have no methods.
    for (let index = 0; index < value.length; index += 1) if (!item(value[index])) return false;
    return true;
  };
}

function union(schema: core.$ZodDiscriminatedUnion): Predicate {
  const { discriminator, options } = schema._zod.def;
  const variants = new Map<unknown, Predicate>();
  for (const option of options)
    for (const value of option._zod.propValues?.[discriminator] ?? []) variants.set(value, predicateOf(option));
  return (value) => isRecord(value) && variants.get(value[discriminator])?.(value) === true;
}

/**
 * Remembers the key order of the last record, because records of one kind usually have their keys in the same order.
 */
function object(schema: core.$ZodObject): Predicate {
  const { shape, catchall } = schema._zod.def;
  const isOpen = catchall?._zod.def.type !== 'never';
  const known = new Map<string, Predicate>();
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    if (!(field instanceof core.$ZodOptional)) {
      known.set(name, predicateOf(field));
      required.push(name);
      continue;
    }
    const inner = predicateOf(field._zod.def.innerType);
    const allowsUndefined = !(field instanceof core.$ZodExactOptional);
    known.set(name, allowsUndefined ? (value) => value === undefined || inner(value) : inner);
  }
  let order: readonly string[] = [];
  let inOrder: readonly Predicate[] = [];
  const inNewOrder = (value: Readonly<Record<string, unknown>>): boolean => {
    const keys = Object.keys(value);
    if (!required.every((name) => Object.hasOwn(value, name)) || (!isOpen && !keys.every((key) => known.has(key))))
      return false;
    order = keys;
    inOrder = keys.map((key) => known.get(key) ?? (() => true));
    return keys.every((key, index) => (inOrder[index] as Predicate)(value[key]));
  };
  return (value) => {
    if (!isRecord(value)) return false;
    let index = 0;
    // for...in is the fastest loop over an object. It includes inherited keys, which never match the known order.
    for (const key in value) {
      if (key !== order[index]) return inNewOrder(value);
      if (!(inOrder[index] as Predicate)(value[key])) return false;
      index += 1;
    }
    return (index > 0 && index === order.length) || inNewOrder(value);
  };
}
