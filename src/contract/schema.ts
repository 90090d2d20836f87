import * as z from 'zod/mini';

/** A schema that is built on first use: a process that never lists beneficiaries never pays for their schema. */
export type Schema<T> = () => z.ZodMiniType<T>;

/** What a schema means beyond its type. */
export interface Meaning {
  /** A null here is an error, where elsewhere it is only drift. */
  readonly essential?: true;
  /** Personal or account data: masked wherever we print. */
  readonly sensitive?: true;
  /** The rule in words, for messages. */
  readonly rule?: string;
  /** The fields that all variants of a record have, one we do not know included. */
  readonly shared?: z.ZodMiniType;
}

const meanings = new WeakMap<object, Meaning>();

/** Attaches a meaning to a schema. */
export function mean<S extends z.ZodMiniType>(schema: S, meaning: Meaning): S {
  meanings.set(schema, meaning);
  return schema;
}

/** The meaning of a schema; nothing where it has none. */
export function meaningOf(schema: object): Meaning {
  return meanings.get(schema) ?? {};
}

/** Builds a schema once, when it is first asked for. */
export function lazily<T>(build: () => z.ZodMiniType<T>): Schema<T> {
  let built: z.ZodMiniType<T> | undefined;
  return () => (built ??= build());
}

type FieldSchema<T, K extends keyof T> =
  {} extends Pick<T, K>
    ? z.ZodMiniExactOptional<z.ZodMiniType<Exclude<T[K], undefined>>>
    : z.ZodMiniType<T[K]>;

/** Exactly the fields of `T`, each with a schema that gives its type: a field missing on either side does not compile. */
export type Shape<T> = { readonly [K in keyof T]-?: FieldSchema<T, K> };

/** The schema of a record: these fields and no others. How strictly that is held against an answer is decided in check.ts. */
export function record<T>(shape: Shape<T>): z.ZodMiniType<T> {
  return z.strictObject(shape as z.core.$ZodShape) as unknown as z.ZodMiniType<T>;
}

/** The schema of a record of which the specification shows only some fields: others pass without remark. */
export function openRecord<T>(shape: Shape<Pick<T, KnownKeys<T>>>): z.ZodMiniType<T> {
  return z.looseObject(shape as z.core.$ZodShape) as unknown as z.ZodMiniType<T>;
}

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] };

/** The schema of a record that comes in several variants, told apart by one field. */
export function variants<T>(discriminator: string, options: readonly [z.ZodMiniType, ...z.ZodMiniType[]]): z.ZodMiniType<T> {
  const discriminated = z.discriminatedUnion as unknown as (
    key: string,
    options: readonly z.ZodMiniType[],
  ) => z.ZodMiniType<T>;
  return discriminated(discriminator, options);
}

/** The value may be null, and its key is always there. */
export function nullable<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T | null> {
  return z.nullable(schema);
}

/** The key may be absent. */
export function optional<T>(schema: z.ZodMiniType<T>): z.ZodMiniExactOptional<z.ZodMiniType<T>> {
  return z.exactOptional(schema);
}

/** The key may be absent and the value may be null: the specification says neither. Assumed: A-8. */
export function unsure<T>(schema: z.ZodMiniType<T>): z.ZodMiniExactOptional<z.ZodMiniType<T | null>> {
  return z.exactOptional(z.nullable(schema));
}

/** A list. */
export function list<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> {
  return z.array(schema);
}
