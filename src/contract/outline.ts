import * as core from 'zod/v4/core';

/** What the schema of an answer comes down to. */
export type Outline =
  | { readonly kind: 'typeof'; readonly type: 'string' | 'boolean' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'anything' }
  | { readonly kind: 'values'; readonly values: readonly string[] }
  | { readonly kind: 'nullable'; readonly inner: Outline }
  | { readonly kind: 'list'; readonly item: Outline }
  | { readonly kind: 'variants'; readonly discriminator: string; readonly variants: readonly (readonly [value: string, variant: Outline])[] }
  | { readonly kind: 'record'; readonly fields: readonly OutlineField[]; readonly isOpen: boolean };

/** A field of a record. */
export interface OutlineField {
  readonly name: string;
  readonly outline: Outline;
  readonly isOptional: boolean;
}

/** The outline of a schema; undefined where it has something that no answer has, such as a pattern. */
export function outlineOf(schema: core.$ZodType): Outline | undefined {
  const { checks, type } = schema._zod.def;
  if (schema instanceof core.$ZodNumberFormat) return schema._zod.def.format === 'safeint' && checks === undefined ? { kind: 'integer' } : undefined;
  // A string format, such as that of e-mail addresses, is a pattern without being a check.
  if ((checks !== undefined && checks.length > 0) || schema instanceof core.$ZodStringFormat) return undefined;
  if (schema instanceof core.$ZodObject) return recordOutline(schema);
  if (schema instanceof core.$ZodDiscriminatedUnion) return variantsOutline(schema);
  if (schema instanceof core.$ZodEnum || schema instanceof core.$ZodLiteral) return valuesOutline(schema._zod.values);
  if (schema instanceof core.$ZodArray) return wrapped(schema._zod.def.element, (item) => ({ kind: 'list', item }));
  if (schema instanceof core.$ZodNullable) return wrapped(schema._zod.def.innerType, (inner) => ({ kind: 'nullable', inner }));
  if (type === 'string' || type === 'boolean') return { kind: 'typeof', type };
  return type === 'unknown' ? { kind: 'anything' } : undefined;
}

function wrapped(schema: core.$ZodType, wrap: (inner: Outline) => Outline): Outline | undefined {
  const inner = outlineOf(schema);
  return inner && wrap(inner);
}

function valuesOutline(values: ReadonlySet<unknown>): Outline | undefined {
  const texts = [...values].filter((value) => typeof value === 'string');
  return texts.length === values.size ? { kind: 'values', values: texts } : undefined;
}

function variantsOutline(schema: core.$ZodDiscriminatedUnion): Outline | undefined {
  const { discriminator, options } = schema._zod.def;
  const variants: (readonly [string, Outline])[] = [];
  for (const option of options) {
    const variant = outlineOf(option);
    if (variant === undefined) return undefined;
    for (const value of option._zod.propValues?.[discriminator] ?? []) variants.push([String(value), variant]);
  }
  return { kind: 'variants', discriminator, variants };
}

function recordOutline(schema: core.$ZodObject): Outline | undefined {
  const { shape, catchall } = schema._zod.def;
  const fields: OutlineField[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const isOptional = field instanceof core.$ZodExactOptional;
    const outline = outlineOf(isOptional ? field._zod.def.innerType : field);
    if (outline === undefined) return undefined;
    fields.push({ name, outline, isOptional });
  }
  const others = catchall?._zod.def.type;
  return others === 'never' || others === 'unknown' ? { kind: 'record', fields, isOpen: others === 'unknown' } : undefined;
}
