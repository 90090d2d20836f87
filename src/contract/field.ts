import * as z from 'zod/mini';
import { lazily, mean, type Schema } from './schema.js';

/** Any string. */
export const text: Schema<string> = lazily(() => z.string());

/** A string that tells of a person or an account; masked wherever we print. */
export const sensitiveText: Schema<string> = lazily(() => mean(z.string(), { sensitive: true }));

/** An identifier in an answer. */
export const id: Schema<string> = lazily(() => mean(z.string(), { essential: true }));

/** An amount, price, fee or quantity in an answer: a string, kept as it came. Assumed: A-18. */
export const amount: Schema<string> = lazily(() => mean(z.string(), { essential: true }));

/** A currency code in an answer. */
export const currency: Schema<string> = lazily(() => mean(z.string(), { essential: true }));

/** A timestamp in an answer: a string, kept as it came. Assumed: A-7. */
export const timestamp: Schema<string> = lazily(() => z.string());

/** A whole number. */
export const integer: Schema<number> = lazily(() => z.int());

/** True or false. */
export const flag: Schema<boolean> = lazily(() => z.boolean());

/** One of a known set of values. In answers, others are drift; in requests, errors. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T): z.ZodMiniType<T[number]> {
  return z.enum(values) as unknown as z.ZodMiniType<T[number]>;
}

/** A status: one of a known set, and never null. */
export function statusOf<const T extends readonly [string, ...string[]]>(values: T): z.ZodMiniType<T[number]> {
  return mean(oneOf(values), { essential: true });
}

/** A constant. */
export function constant<const T extends string>(value: T): z.ZodMiniType<T> {
  return z.literal(value) as unknown as z.ZodMiniType<T>;
}

/** An identifier in a request. An empty one is refused. Assumed: A-23. */
export const requestId: Schema<string> = lazily(() => mean(z.string().check(z.minLength(1)), { rule: 'must be a non-empty string' }));
