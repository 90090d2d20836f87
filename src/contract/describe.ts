import * as core from 'zod/v4/core';
import { isPlainObject } from './objects.js';
import type { AnySchema } from './predicate.js';
import { metadataOf, type SchemaMetadata } from './schema/schema.js';

export type Path = readonly PropertyKey[];

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

/** Formats a path, such as `items[0].status`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Returns the message of an issue; `describe` describes the received value. */
export function requestIssueMessage(
  violation: RawViolation,
  describe: (value: unknown) => string,
  withFix: boolean,
): string {
  const { what, schema, path, value } = violation;
  if (what === 'unknown-key') return unknownKeyMessage(schema, String(path.at(-1)), withFix);
  const isMissing = value === undefined && path.length > 0;
  // That of a set is about values, not about absent ones.
  const hasFix = withFix && !(isMissing && schema instanceof core.$ZodEnum);
  const fix = hasFix ? fixOf(schema, value) : undefined;
  const message = isMissing ? `is required: it ${ruleAt(violation)}` : describeViolation(violation, describe);
  return fix === undefined ? message : `${message}. ${fix}`;
}

/** Returns the fix of a value: of one in lower case, the known value that it spells. */
function fixOf(schema: AnySchema, value: unknown): string | undefined {
  const { fix } = metadataOf(schema);
  if (typeof value !== 'string') return fix;
  const known = value.toUpperCase();
  return schema instanceof core.$ZodEnum && known in schema._zod.def.entries ? `Pass "${known}"` : fix;
}

function unknownKeyMessage(schema: AnySchema, key: string, withFix: boolean): string {
  const hint = metadataOf(schema).hints?.[key];
  if (hint !== undefined) return hint;
  const known = schema instanceof core.$ZodObject ? Object.keys(schema._zod.def.shape) : [];
  // Other SDKs write customer_id, or baseURL.
  const spelled = known.find((name) => spelling(name) === spelling(key));
  if (spelled !== undefined) return `is not a known field. Pass ${spelled}`;
  const others = withFix && metadataOf(schema).isRequest === true ? '; others with unknownFields' : '';
  return `is not a known field${known.length > 0 ? ` (known: ${known.join(', ')}${others})` : ''}`;
}

const spelling = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** Returns the rule that a value violates, and what was received. */
export function describeViolation(violation: RawViolation, describe = describeType): string {
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
