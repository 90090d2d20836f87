import * as core from 'zod/v4/core';
import { isUnknown } from './schema/schema.js';

// By its own name: through zod/mini, bundlers keep all of zod with it, its locales included.

export type AnySchema = core.$ZodType;

/** Checks whether a value conforms to the contract exactly, without copying it. */
export function matchesSchema(schema: AnySchema, value: unknown): boolean {
  return predicateOf(schema)(value);
}

/** Checks whether a value conforms. If a predicate returns true, zod would accept the value too. */
export type Predicate = (value: unknown) => boolean;

const predicates = new WeakMap<AnySchema, Predicate>();

/**
 * Returns the predicate of a schema. It is built once, and neither copies the value nor collects issues, as zod does.
 */
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
    return (value) => values.has(value) || (type === 'enum' && isUnknown(value, false));
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
  const other: Predicate = isOpen ? () => true : (value) => isUnknown(value, true);
  const inNewOrder = (value: Readonly<Record<string, unknown>>): boolean => {
    const keys = Object.keys(value);
    if (!required.every((name) => Object.hasOwn(value, name))) return false;
    order = keys;
    inOrder = keys.map((key) => known.get(key) ?? other);
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

/** Returns the issue of a value that does not pass a check. That of a check of several fields has the path of one. */
export function issueOf(check: core.$ZodCheck<never>, value: unknown): core.$ZodRawIssue | undefined {
  const payload: core.ParsePayload = { value, issues: [] };
  void check._zod.check(payload as core.ParsePayload<never>);
  return payload.issues[0];
}

/** Checks whether a value is an object and no array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
