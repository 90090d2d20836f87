/**
 * Copies the own properties of an object to an object without a prototype, so that additions to Object.prototype are
 * not visible.
 */
export function ownProperties<T extends object>(object: T): T {
  return Object.assign(Object.create(null) as T, object);
}

/** Checks whether an object has an own property; unlike `in`, ignores additions to Object.prototype. */
export function hasOwn<T extends object, K extends PropertyKey>(
  object: T,
  field: K,
): object is Extract<T, Readonly<Record<K, unknown>>> {
  return Object.hasOwn(object, field);
}

/** Checks whether a value is an object that can have fields of any name; excludes arrays, maps, dates and others. */
export function isPlainObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}
