import * as core from 'zod/v4/core';

/** Checks whether a value conforms. If a predicate returns true, zod would accept the value too. */
export type Predicate = (value: unknown) => boolean;

/**
 * Compiles a schema to plain functions, which neither copy the value nor collect issues, as zod does. Returns undefined
 * if the schema has a rule that responses do not use, such as a pattern.
 */
export function compilePredicate(schema: core.$ZodType): Predicate | undefined {
  const { checks, type } = schema._zod.def;
  if (schema instanceof core.$ZodNumberFormat)
    return schema._zod.def.format === 'safeint' && checks === undefined ? Number.isSafeInteger : undefined;
  // A string format, such as an email address, is a pattern but not a check.
  if ((checks !== undefined && checks.length > 0) || schema instanceof core.$ZodStringFormat) return undefined;
  if (schema instanceof core.$ZodObject) return object(schema);
  if (schema instanceof core.$ZodDiscriminatedUnion) return union(schema);
  if (schema instanceof core.$ZodEnum || schema instanceof core.$ZodLiteral) {
    const values: ReadonlySet<unknown> = schema._zod.values;
    return (value) => values.has(value);
  }
  if (schema instanceof core.$ZodArray) return array(compilePredicate(schema._zod.def.element));
  if (schema instanceof core.$ZodNullable) {
    const inner = compilePredicate(schema._zod.def.innerType);
    return inner && ((value) => value === null || inner(value));
  }
  if (type === 'string' || type === 'boolean') return (value) => typeof value === type;
  if (type === 'number') return Number.isFinite;
  return type === 'unknown' ? (value) => value !== undefined : undefined;
}

function array(item: Predicate | undefined): Predicate | undefined {
  if (item === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const element of value as readonly unknown[]) if (!item(element)) return false;
    return true;
  };
}

function union(schema: core.$ZodDiscriminatedUnion): Predicate | undefined {
  const { discriminator, options } = schema._zod.def;
  const variants = new Map<unknown, Predicate>();
  for (const option of options) {
    const variant = compilePredicate(option);
    if (variant === undefined) return undefined;
    for (const value of option._zod.propValues?.[discriminator] ?? []) variants.set(value, variant);
  }
  return (value) => isRecord(value) && variants.get(value[discriminator])?.(value) === true;
}

/**
 * Remembers the key order of the last record, because records of one kind usually have their keys in the same order.
 */
function object(schema: core.$ZodObject): Predicate | undefined {
  const { shape, catchall } = schema._zod.def;
  const others = catchall?._zod.def.type;
  if (others !== 'never' && others !== 'unknown') return undefined;
  const isOpen = others === 'unknown';
  const known = new Map<string, Predicate>();
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const isOptional = field instanceof core.$ZodExactOptional;
    const predicate = compilePredicate(isOptional ? field._zod.def.innerType : field);
    if (predicate === undefined) return undefined;
    known.set(name, predicate);
    if (!isOptional) required.push(name);
  }
  let order: readonly string[] = [];
  let predicates: readonly Predicate[] = [];
  const inNewOrder = (value: Readonly<Record<string, unknown>>): boolean => {
    const keys = Object.keys(value);
    if (!required.every((name) => Object.hasOwn(value, name)) || (!isOpen && !keys.every((key) => known.has(key))))
      return false;
    order = keys;
    predicates = keys.map((key) => known.get(key) ?? (() => true));
    return keys.every((key, index) => (predicates[index] as Predicate)(value[key]));
  };
  return (value) => {
    if (!isRecord(value)) return false;
    let index = 0;
    // for...in is the fastest loop over an object. It includes inherited keys, which never match the known order.
    for (const key in value) {
      if (key !== order[index]) return inNewOrder(value);
      if (!(predicates[index] as Predicate)(value[key])) return false;
      index += 1;
    }
    return (index > 0 && index === order.length) || inNewOrder(value);
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
