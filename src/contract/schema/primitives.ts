import * as z from 'zod/mini';
import { nonEmptyString } from '../options.js';
import { memoize, withMetadata, type Schema } from './schema.js';

/** Any string. */
export const string: Schema<string> = memoize(() => z.string());

/** A string with personal or account data, which is masked in all output. */
export const sensitiveString: Schema<string> = memoize(() => withMetadata(z.string(), { sensitive: true }));

/** An identifier in a response. */
export const id: Schema<string> = memoize(() => withMetadata(z.string(), { essential: true }));

/** An amount, price, fee or quantity in a response: an unchanged string. Assumed: A-18. */
export const amount: Schema<string> = memoize(() => withMetadata(z.string(), { essential: true }));

/** A currency code in a response. */
export const currency: Schema<string> = memoize(() => withMetadata(z.string(), { essential: true }));

/** A timestamp in a response: an unchanged string. Assumed: A-7. */
export const timestamp: Schema<string> = memoize(() => z.string());

/** An integer. */
export const integer: Schema<number> = memoize(() => z.int());

/** A boolean. */
export const boolean: Schema<boolean> = memoize(() => z.boolean());

/** One of a set of known values. Other values are drift in responses and errors in requests. */
export function enumOf<const T extends readonly [string, ...string[]]>(values: T): z.ZodMiniType<T[number]> {
  return z.enum(values) as unknown as z.ZodMiniType<T[number]>;
}

/** Checks whether a value is one of the known values of a set. */
export function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return (values as readonly unknown[]).includes(value);
}

/** The final statuses of a record, which it reaches once, and the statuses that can follow them. */
export type FinalStatuses = Readonly<Record<string, readonly string[]>>;

/**
 * Reports whether a record of this status can still reach one of the target statuses. Any status can follow one that is
 * not final, such as an unknown one.
 */
export function canReach(finalStatuses: FinalStatuses, status: string, targets: readonly string[]): boolean {
  return !Object.hasOwn(finalStatuses, status) || targets.some((each) => finalStatuses[status]?.includes(each));
}

/** A status: one of a set of known values, never null. */
export function statusOf<const T extends readonly [string, ...string[]]>(values: T): z.ZodMiniType<T[number]> {
  return withMetadata(enumOf(values), { essential: true });
}

/** A constant. */
export function literal<const T extends string>(value: T): z.ZodMiniType<T> {
  return z.literal(value) as unknown as z.ZodMiniType<T>;
}

/** An identifier in a request. It must not be empty. Assumed: A-23. */
export const requestId: Schema<string> = memoize(() => nonEmptyString());
