import { hasNoClass } from '../../contract/objects.js';

/** Freezes plain objects and arrays, including nested ones. Skips those that are frozen already. */
export function deepFreeze<T>(value: T): T {
  if (!(Array.isArray(value) || hasNoClass(value)) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (let index = 0; index < value.length; index += 1) deepFreeze<unknown>(value[index]);
  else for (const name in value) if (typeof value[name] === 'object') deepFreeze(value[name]);
  return value;
}

/** Copies plain objects and arrays, so that later changes to an input do not change what was stored. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return (value as readonly unknown[]).map(copyOf) as T;
  if (!hasNoClass(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, copyOf(item)])) as T;
}

/** Returns a copy without the fields that are undefined. */
export function omitUndefined<T extends object>(input: T): { -readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const output = Object.values(input).includes(undefined)
    ? Object.fromEntries(Object.entries(input).filter(([, value]: [string, unknown]) => value !== undefined))
    : { ...input };
  return output as { -readonly [K in keyof T]?: Exclude<T[K], undefined> };
}
