/** A copy of exactly what an object holds itself: what was added to Object.prototype does not show through. */
export function ownFields<T extends object>(object: T): T {
  return Object.assign(Object.create(null) as T, object);
}

/** Whether an object holds a field itself; unlike `in`, whatever was added to Object.prototype. */
export function owns<T extends object, K extends PropertyKey>(object: T, field: K): object is Extract<T, Readonly<Record<K, unknown>>> {
  return Object.hasOwn(object, field);
}
