// By its own name: through zod/mini, bundlers keep all of zod with it, its locales included.
import * as core from 'zod/v4/core';
import * as z from 'zod/mini';
import type { Issue } from '../error.js';
import { emittedPredicate } from './emit.js';
import { outlineOf, type Outline } from './outline.js';
import { predicateOf, type Predicate } from './predicate.js';
import { meaningOf, type Meaning } from './schema.js';

export type { Issue };

/**
 * How an answer differs from the contract. `unknown-field`, `unknown-value` (a new status, say), `unknown-variant` and
 * `unexpected-null` are things a platform may add; `missing-field` and `wrong-type` are broken promises.
 */
export type DriftKind = 'unknown-field' | 'unknown-value' | 'unknown-variant' | 'unexpected-null' | 'missing-field' | 'wrong-type';

/** One difference between an answer and the contract. */
export interface Finding extends Issue {
  /** How it differs. */
  readonly kind: DriftKind;
  /** Whether code that trusts the types could go wrong on it. */
  readonly breaking: boolean;
}

type Path = readonly PropertyKey[];
type AnySchema = core.$ZodType;
type RawIssue = core.$ZodIssue;

/** What breaks the rules of a request: exactly the known fields, of exactly the allowed values. */
export function requestIssues(schema: AnySchema, value: unknown): Issue[] {
  const result = z.safeParse(schema, value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: unknownKeyMessage(schema, issue.path, value) }))
      : [{ path: pathText(issue.path), message: ruleMessage(schema, issue, value) }],
  );
}

// From here on a schema is worth code of its own; a process that reads one page is done sooner without.
const usesBeforeEmitting = 3;

interface Tested {
  readonly outline: Outline | undefined;
  uses: number;
  test: Predicate;
}

const tested = new WeakMap<AnySchema, Tested>();

/** Whether a value is exactly as the contract says. Fast: nothing is copied. */
export function conforms(schema: AnySchema, value: unknown): boolean {
  const known = tested.get(schema) ?? firstUse(schema);
  known.uses += 1;
  if (known.uses === usesBeforeEmitting && known.outline !== undefined && core.util.allowsEval.value) known.test = emittedPredicate(known.outline);
  return known.test(value);
}

function firstUse(schema: AnySchema): Tested {
  const outline = outlineOf(schema);
  const first: Tested = { outline, uses: 0, test: outline === undefined ? (value) => core.safeParse(schema, value).success : predicateOf(outline) };
  tested.set(schema, first);
  return first;
}

/** How an answer differs from the contract; nothing where it conforms. */
export function answerFindings(schema: AnySchema, value: unknown): Finding[] {
  return findingsIn(schema, value, []);
}

function findingsIn(schema: AnySchema, value: unknown, at: Path): Finding[] {
  if (conforms(schema, value)) return [];
  const result = z.safeParse(schema, value);
  return result.success ? [] : result.error.issues.flatMap((issue) => findingsOf(schema, issue, value, at));
}

function findingsOf(schema: AnySchema, issue: RawIssue, value: unknown, at: Path): Finding[] {
  const one = (kind: DriftKind, breaking: boolean, message: string): Finding[] => [finding([...at, ...issue.path], kind, breaking, message)];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => finding([...at, ...issue.path, key], 'unknown-field', false, 'is not in the contract'));
  }
  const found = valueAt(value, issue.path);
  if (found === undefined) return one('missing-field', true, 'is missing');
  if (found === null) {
    const governing = schemaAt(schema, issue.path, value);
    // Assumed: A-22, only texts may turn out null without harm.
    const breaking = !(governing instanceof core.$ZodString || governing instanceof core.$ZodEnum) || meaningOf(governing).essential === true;
    return one('unexpected-null', breaking, 'must not be null');
  }
  if (issue.code === 'invalid_union' && typeof found === 'string') {
    return [...one('unknown-variant', false, 'is a variant not in the contract'), ...sharedFindings(schema, issue.path.slice(0, -1), value, at)];
  }
  if (issue.code === 'invalid_value' && typeof found === 'string') return one('unknown-value', false, 'is a value not in the contract');
  return one('wrong-type', true, ruleMessage(schema, issue, value));
}

// A variant we do not know still has the fields that all variants share.
function sharedFindings(schema: AnySchema, path: Path, value: unknown, at: Path): Finding[] {
  const union = schemaAt(schema, path, value);
  const shared = union === undefined ? undefined : meaningOf(union).shared;
  return shared === undefined ? [] : findingsIn(shared, valueAt(value, path), [...at, ...path]);
}

function finding(path: Path, kind: DriftKind, breaking: boolean, message: string): Finding {
  return { path: pathText(path), kind, breaking, message };
}

/** A path as people write it: `items[0].status`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function unknownKeyMessage(schema: AnySchema, path: Path, value: unknown): string {
  const parent = schemaAt(schema, path, value);
  const known = parent instanceof core.$ZodObject ? Object.keys(parent._zod.def.shape) : [];
  return `is not a known field${known.length > 0 ? ` (known: ${known.join(', ')})` : ''}`;
}

function ruleMessage(schema: AnySchema, issue: RawIssue, value: unknown): string {
  const found = valueAt(value, issue.path);
  const at = schemaAt(schema, issue.path, value);
  if (found === undefined) return `is required: it ${ruleOf(at)}`;
  const rule = at === undefined ? discriminatorRule(schema, issue.path, value) : ruleOf(at);
  return `${rule}${gotText(at, found)}`;
}

function discriminatorRule(schema: AnySchema, path: Path, value: unknown): string {
  const union = schemaAt(schema, path.slice(0, -1), value);
  const options = union instanceof core.$ZodDiscriminatedUnion ? union._zod.def.options : [];
  const values = options.flatMap((option) => [...(option._zod.propValues?.[String(path.at(-1))] ?? [])]);
  return `must be ${values.map((known) => JSON.stringify(known)).join(' or ')}`;
}

function gotText(schema: AnySchema | undefined, found: unknown): string {
  const got = typeName(found);
  return got === expectedType(schema) ? '' : ` (got ${got})`;
}

function expectedType(schema: AnySchema | undefined): string | undefined {
  if (schema instanceof core.$ZodArray) return 'array';
  if (schema instanceof core.$ZodNumber) return 'number';
  return schema instanceof core.$ZodString || schema instanceof core.$ZodEnum ? 'string' : undefined;
}

/** What a value is, in a word. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return typeof value;
  if (!Number.isFinite(value)) return String(value);
  return Number.isInteger(value) ? 'a number too large to be exact' : 'a number that is not whole';
}

/** The rule of a schema in words, such as `must be a string`. */
export function ruleOf(schema: AnySchema | undefined): string {
  const { rule }: Meaning = schema === undefined ? {} : meaningOf(schema);
  if (rule !== undefined) return rule;
  if (schema instanceof core.$ZodEnum) return `must be one of ${Object.values(schema._zod.def.entries).join(', ')}`;
  if (schema instanceof core.$ZodString) return 'must be a string';
  if (schema instanceof core.$ZodNumber) return 'must be a whole number';
  if (schema instanceof core.$ZodBoolean) return 'must be true or false';
  if (schema instanceof core.$ZodArray) return 'must be a list';
  if (schema instanceof core.$ZodLiteral) return `must be ${schema._zod.def.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return 'must be an object';
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? (inner as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
}

/** The schema that governs a place in a value; wrappers for null and absence are looked through. */
function schemaAt(schema: AnySchema, path: Path, value: unknown): AnySchema | undefined {
  let current: AnySchema | undefined = bare(schema);
  let inner: unknown = value;
  for (const key of path) {
    if (current instanceof core.$ZodDiscriminatedUnion) current = variantOf(current, inner);
    if (current instanceof core.$ZodObject) current = childOf(current, key);
    else if (current instanceof core.$ZodArray) current = current._zod.def.element;
    else return undefined;
    if (current === undefined) return undefined;
    current = bare(current);
    inner = valueAt(inner, [key]);
  }
  return current;
}

function childOf(schema: core.$ZodObject, key: PropertyKey): AnySchema | undefined {
  const { shape } = schema._zod.def;
  return Object.hasOwn(shape, key) ? shape[String(key)] : undefined;
}

/** The variant of a union that a value belongs to, by its discriminator. */
function variantOf(schema: core.$ZodDiscriminatedUnion, value: unknown): AnySchema | undefined {
  const { discriminator, options } = schema._zod.def;
  const told = valueAt(value, [discriminator]);
  return options.find((option) => option._zod.propValues?.[discriminator]?.has(told as string));
}

/** A schema without its wrappers for null and absence. */
export function bare(schema: AnySchema): AnySchema {
  return schema instanceof core.$ZodNullable || schema instanceof core.$ZodOptional ? bare(schema._zod.def.innerType) : schema;
}
