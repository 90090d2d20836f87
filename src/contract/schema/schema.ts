import * as z from 'zod/mini';

/** A schema that is built on first use, so that importing the package stays fast. */
export type Schema<T> = () => z.ZodMiniType<T>;

/** The properties of a schema beyond its type. */
export interface SchemaMetadata {
  /** A null that is not allowed, or an absence, is an error and not only drift. */
  readonly essential?: true;
  /** Personal or account data, which is masked in all output. */
  readonly sensitive?: true;
  /** The rule, for error messages. */
  readonly rule?: string;
  /** The fix, as a sentence for error messages, if the rule does not show it. */
  readonly fix?: string;
  /** The messages of fields that are known elsewhere, by name. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Whether a client may send fields that `unknownFields` marks. */
  readonly isRequest?: true;
  /** The fields that all variants of a union have, including unknown variants. */
  readonly baseSchema?: z.ZodMiniType;
}

// zod replaces schema types in the type of a registry's metadata, so the registry does not have ours.
const metadata = z.registry<object>();

/** Attaches metadata to a schema and returns the schema. */
export function withMetadata<S extends z.ZodMiniType>(schema: S, value: SchemaMetadata): S {
  metadata.add(schema, value);
  return schema;
}

/** Returns the metadata of a schema; an empty object if it has no metadata. */
export function metadataOf(schema: z.core.$ZodType): SchemaMetadata {
  return (metadata.get(schema) as SchemaMetadata | undefined) ?? {};
}

/** Returns a schema that is built once, on first use. */
export function memoize<T>(build: () => z.ZodMiniType<T>): Schema<T> {
  let built: z.ZodMiniType<T> | undefined;
  return () => (built ??= build());
}

type FieldSchema<T, K extends keyof T> =
  {} extends Pick<T, K> ? z.ZodMiniExactOptional<z.ZodMiniType<Exclude<T[K], undefined>>> : z.ZodMiniType<T[K]>;

/** Maps each field of `T` to a schema of its type. A field missing on either side does not compile. */
export type Shape<T> = { readonly [K in keyof T]-?: FieldSchema<T, K> };

/**
 * Creates the schema of a record with exactly these fields. validate.ts decides how strictly it applies to responses.
 */
export function strictObject<T>(shape: Shape<T>): z.ZodMiniType<T> {
  return z.strictObject(shape as z.core.$ZodShape) as unknown as z.ZodMiniType<T>;
}

/** Creates the schema of the query or body of a request. A client can also send fields that `unknownFields` marks. */
export function requestObject<T>(shape: Shape<T>): z.ZodMiniType<T> {
  return withMetadata(strictObject(shape), { isRequest: true });
}

/** Creates the schema of a record that is only partly specified; unknown fields are accepted and not reported. */
export function looseObject<T>(shape: Shape<Pick<T, KnownKeys<T>>>): z.ZodMiniType<T> {
  return z.looseObject(shape as z.core.$ZodShape) as unknown as z.ZodMiniType<T>;
}

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] };

/** Creates the schema of a record with several variants, distinguished by one field. */
export function discriminatedUnion<T>(
  discriminator: string,
  options: readonly [z.ZodMiniType, ...z.ZodMiniType[]],
): z.ZodMiniType<T> {
  const discriminated = z.discriminatedUnion as unknown as (
    key: string,
    options: readonly z.ZodMiniType[],
  ) => z.ZodMiniType<T>;
  return discriminated(discriminator, options);
}

/** Allows null; the key is required. */
export function nullable<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T | null> {
  return z.nullable(schema);
}

/** Allows the key to be absent. */
export function optional<T>(schema: z.ZodMiniType<T>): z.ZodMiniExactOptional<z.ZodMiniType<T>> {
  return z.exactOptional(schema);
}

/** Allows the key to be absent and the value to be null, because the specification shows neither. Assumed: A-8. */
export function nullish<T>(schema: z.ZodMiniType<T>): z.ZodMiniExactOptional<z.ZodMiniType<T | null>> {
  return z.exactOptional(z.nullable(schema));
}

export function array<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> {
  return z.array(schema);
}

/** Creates the schema of any string except the empty one. */
export function nonEmptyString(more: SchemaMetadata = {}): z.ZodMiniType<string> {
  return withMetadata(z.string().check(z.minLength(1)), { rule: 'must be a non-empty string', ...more });
}

/** The rule for every text of a request. */
export const wellFormedRule = 'must be well-formed Unicode (no lone surrogates)';

export const string: Schema<string> = memoize(() => z.string());

/** A string with personal or account data, which is masked in all output. */
export const sensitiveString: Schema<string> = memoize(() => withMetadata(z.string(), { sensitive: true }));

/** An identifier in a response. */
export const id: Schema<string> = memoize(() => withMetadata(z.string(), { essential: true }));

/** An amount, price, fee or quantity in a response: an unchanged string. Assumed: A-18. */
export const amount: Schema<string> = memoize(() => withMetadata(z.string(), { essential: true }));

export const currency: Schema<string> = memoize(() => withMetadata(z.string(), { essential: true }));

/** A timestamp in a response: an unchanged string. Assumed: A-7. */
export const timestamp: Schema<string> = memoize(() => z.string());

export const integer: Schema<number> = memoize(() => z.int());

export const boolean: Schema<boolean> = memoize(() => z.boolean());

/** One of a set of known values. Other values are drift in responses and errors in requests. */
export function enumOf<const T extends readonly [string, ...string[]]>(values: T): z.ZodMiniType<T[number]> {
  return z.enum(values) as unknown as z.ZodMiniType<T[number]>;
}

/** A value of a set that this version does not know; `unknownValue` creates it. Plain JSON. */
export type UnknownValue = {
  /** The value, as the platform writes it. */
  readonly unknownValue: string;
};

/**
 * Marks a value that this version does not know, such as a status that the platform has added since. Pass it as a
 * filter, as `until` or `statuses`, or as a currency. Without it, the value is rejected as misspelled.
 *
 * @throws TypeError if the value is not a non-empty string.
 * @example
 * ```ts
 * import { Corridor, unknownValue } from 'corridor-sdk';
 * const corridor = new Corridor();
 * const onHold = corridor.payments.list({ status: unknownValue('ON_HOLD') });
 * console.log(typeof onHold);
 * ```
 */
export function unknownValue(value: string): UnknownValue {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(
      'unknownValue: value must be a non-empty string ' +
        `(received ${value === '' ? 'an empty string' : typeof value}). Pass the value as the platform ` +
        `writes it, such as 'ON_HOLD'`,
    );
  return Object.freeze({ unknownValue: value });
}

/** Checks whether a value is one that `unknownValue` created, or its copy. */
export function isUnknownValue(value: unknown): value is UnknownValue {
  if (!hasOnly(value, 'unknownValue')) return false;
  const { unknownValue: text } = value as UnknownValue;
  return typeof text === 'string' && text !== '';
}

/** A field that this version does not know; `unknownFields` creates it. Plain JSON. */
interface UnknownField {
  readonly unknownField: unknown;
}

/**
 * Marks fields that this version does not know, such as one that the platform has added since. Spread them into the
 * parameters of a call: they are sent as they are. Without it, such a field is rejected as misspelled.
 *
 * @example
 * ```ts
 * import { type PaymentCreateParams, unknownFields } from 'corridor-sdk';
 * const withCode = (order: PaymentCreateParams): PaymentCreateParams => ({ ...order, ...unknownFields({ purposeCode: 'GDDS' }) });
 * ```
 */
export function unknownFields(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, unknownField]) =>
      unknownField === undefined ? [] : [[name, { unknownField } satisfies UnknownField]],
    ),
  );
}

/** Checks whether a value is one that `unknownFields` created, or its copy. */
export function isUnknownField(value: unknown): value is UnknownField {
  return hasOnly(value, 'unknownField');
}

/** Checks whether a value has one field. Does not list the fields of others, because bytes have millions. */
function hasOnly(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field) && Object.keys(value).length === 1;
}

/** Returns a value of a set, or one that is marked as unknown. */
export function knownOrUnknown<T extends string>(values: readonly T[], value: string): T | UnknownValue {
  return isOneOf(values, value) ? value : unknownValue(value);
}

/**
 * An unknown value or field in the copy of a request, which is serialized as what was marked. Validation accepts a value
 * for any set, and a field under any name that is not known.
 */
export class Unknown {
  readonly #content: unknown;

  readonly isField: boolean;

  constructor(content: unknown, isField = false) {
    this.#content = content;
    this.isField = isField;
  }

  toString(): string {
    return String(this.#content);
  }

  toJSON(): unknown {
    return this.#content;
  }
}

/** Checks whether a value in the copy of a request is an unknown value, or an unknown field. */
export const isUnknown = (value: unknown, isField: boolean): boolean =>
  value instanceof Unknown && value.isField === isField;

/** One of a set of known values in a request. Of a client, it can also be marked with `unknownValue`. */
export function requestEnum<const T extends readonly [string, ...string[]]>(values: T): z.ZodMiniType<T[number]> {
  return withMetadata(enumOf(values), {
    fix: "For a value that the platform has added since, pass unknownValue('…')",
  });
}

/** Checks whether a value is one of the known values of a set. */
export function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return (values as readonly unknown[]).includes(value);
}

/** The statuses that a record can have after each status. */
export type TransitionTable<Status extends string> = { readonly [From in Status]: readonly Status[] };

/** The statuses that a record of any kind can have after each status. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/**
 * Returns whether a status is final: nothing follows it, or a status that nothing follows. Any status can follow one
 * that is not known. Assumed: A-17
 */
export function isFinal(transitions: Transitions, status: string): boolean {
  const next = Object.hasOwn(transitions, status) ? transitions[status] : undefined;
  return next?.every((each) => transitions[each]?.length === 0) === true;
}

/**
 * Returns whether a record of this status can still reach one of the target statuses. Any status can follow one that is
 * not final.
 */
export function canReach(transitions: Transitions, status: string, targets: readonly string[]): boolean {
  return !isFinal(transitions, status) || targets.some((each) => transitions[status]?.includes(each));
}

/** A status: one of a set of known values, never null. */
export function statusOf<const T extends readonly [string, ...string[]]>(values: T): z.ZodMiniType<T[number]> {
  return withMetadata(enumOf(values), { essential: true });
}

export function literal<const T extends string>(value: T): z.ZodMiniType<T> {
  return z.literal(value) as unknown as z.ZodMiniType<T>;
}

/** An identifier in a request. It must not be empty. Assumed: A-23. */
export const requestId: Schema<string> = memoize(() => nonEmptyString());

/**
 * A value of a set that the platform may extend. Editors complete the known values, and new values still compile.
 *
 * @example
 * ```ts
 * import type { OpenEnum, PaymentStatus } from 'corridor-sdk';
 * const status: OpenEnum<PaymentStatus> = 'ON_HOLD'; // not known yet, but compiles
 * ```
 */
export type OpenEnum<T extends string> = T | (string & {});

/**
 * The discriminant type of unknown variants. It equals no literal, so `funding.type === 'CRYPTO'` still narrows to the
 * crypto variant.
 */
export declare enum Unrecognized {
  /** Exists only in types, never on the wire. */
  value = 'unrecognized',
}
