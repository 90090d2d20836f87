import * as z from 'zod/mini';
import { isPlainObject } from './objects.js';
import { withMetadata, type SchemaMetadata } from './schema/schema.js';

/** Maps each option of `T` to a schema of its type. An option missing on either side does not compile. */
export type OptionsShape<T> = { readonly [K in keyof T]-?: z.ZodMiniType<Exclude<T[K], undefined>> };

/**
 * Creates the schema of an options object: each option can be absent or undefined, and others are not allowed.
 * `isValid` checks the options together.
 */
export function optionsObject<T extends object>(
  shape: OptionsShape<T>,
  metadata: SchemaMetadata = {},
  isValid: (options: T) => boolean = () => true,
): z.ZodMiniType<T> {
  const schema = z
    .partial(z.strictObject(shape as unknown as z.core.$ZodShape))
    .check(z.refine((options) => isPlainObject(options) && isValid(options as T)));
  return withMetadata(schema as unknown as z.ZodMiniType<T>, metadata);
}

/** Creates the schema of a value for which zod has no type. */
export function custom<T>(isValid: (value: unknown) => boolean, metadata: SchemaMetadata): z.ZodMiniType<T> {
  return withMetadata(z.custom<T>(isValid), metadata);
}

/** Creates the schema of a function. */
export function functionOf<T>(): z.ZodMiniType<T> {
  return custom((value) => typeof value === 'function', { rule: 'must be a function' });
}

/** Creates the schema of a clock, which is read once to check what it returns. */
export function clock(): z.ZodMiniType<() => number> {
  return custom(
    (now) => {
      const time: unknown = typeof now === 'function' ? now() : undefined;
      return typeof time === 'number' && time >= 0 && time <= latestTime;
    },
    { rule: 'must be a function that returns milliseconds since the epoch, such as Date.now' },
  );
}

/** The latest time that a timestamp of the platform can have: the end of the year 9999. */
const latestTime = 253_402_300_799_999;

/** Creates the schema of an object with certain methods. */
export function objectWith<T>(methods: readonly (keyof T & string)[], metadata: SchemaMetadata): z.ZodMiniType<T> {
  return custom(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((method) => typeof (value as { readonly [name: string]: unknown })[method] === 'function'),
    metadata,
  );
}

/** Creates the schema of a host name or an IP address as in URLs, without a port. */
export function hostName(): z.ZodMiniType<string> {
  return custom((value) => typeof value === 'string' && value.length <= 253 && hostPattern.test(value), {
    rule: 'must be a host name without a port, such as mock.test',
    fix: 'List each name; there are no wildcards',
  });
}

const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])$/i;

/** Creates the schema of an integer in a range; `unit` is that of the messages, such as ` of seconds`. */
export function integerFrom(
  smallest: number,
  largest = Number.MAX_SAFE_INTEGER,
  unit = '',
  metadata: SchemaMetadata = {},
): z.ZodMiniType<number> {
  return withMetadata(z.int().check(z.gte(smallest), z.lte(largest)), {
    rule: `must be an integer${unit}${rangeOf(smallest, largest, unit)}`,
    ...metadata,
  });
}

/** Creates the schema of a number in a range; `unit` is that of the messages, such as ` of seconds`. */
export function numberFrom(smallest: number, largest = Number.MAX_VALUE, unit = ''): z.ZodMiniType<number> {
  return withMetadata(z.number().check(z.gte(smallest), z.lte(largest)), {
    rule: `must be a number${unit}${rangeOf(smallest, largest, unit)}`,
  });
}

function rangeOf(smallest: number, largest: number, unit: string): string {
  if (largest < Number.MAX_SAFE_INTEGER) return ` from ${smallest} to ${largest}`;
  return unit === '' ? ` of at least ${smallest}` : `, at least ${smallest}`;
}
